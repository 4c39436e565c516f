import GRDB
import NearMeEngine
import Timeline

/// Decisions by page, for whoever looks at them from afar.
extension UserStore {
  /// What became of transitions, the newest first, each with its number.
  ///
  /// - Parameters:
  ///   - serial: where the page before ended; nil for the first page.
  ///   - reminder: only this one's; nil for all.
  package func decisions(
    before serial: Int64?,
    of reminder: String?,
    limit: Int
  ) throws(UserStoreError) -> [(serial: Int64, decision: StoredDecision)] {
    try connection.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT serial, at, reminder, tier, outcome, reason, until FROM decision
          WHERE (?1 IS NULL OR reminder = ?1) AND (?2 IS NULL OR serial < ?2)
          ORDER BY serial DESC LIMIT ?3
          """,
        arguments: [reminder, serial, limit]
      )
      .map { row in
        let serial = try row.decode(Int64.self, forColumn: "serial")
        let name = "decision \(serial)"
        return (
          serial,
          StoredDecision(
            at: try instant(row.decode(forColumn: "at"), name),
            reminder: try row.decode(forColumn: "reminder"),
            tier: try row.decode(forColumn: "tier"),
            outcome: try row.decode(forColumn: "outcome"),
            reason: try row.decode(forColumn: "reason"),
            until: try row.decode(Int64?.self, forColumn: "until").map { try instant($0, name) }
          )
        )
      }
    }
  }

  /// The number of the newest decision; 0 before the first.
  package func newestDecision() throws(UserStoreError) -> Int64 {
    try connection.read { database in
      try Int64.fetchOne(database, sql: "SELECT max(serial) FROM decision") ?? 0
    }
  }

  /// Has a reminder's line taken off the screen; the reminder stays as it is.
  package func dismiss(
    _ id: String,
    at now: Timestamp
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      guard let known = try present(id, database) ?? archived(id, database) else {
        throw EditRefusal.unknownReminder(id, nearest: nil)
      }
      try insertEvent(
        Event(at: now, .action(reminder: id, .dismiss)),
        reminder: nil,
        vault,
        database
      )
      return known
    }
  }
}
