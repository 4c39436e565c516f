import Foundation
import GRDB
import NearMeEngine
import Timeline

/// Reminders by page, for whoever looks at them from afar: those that have ended are more with each week, and what is
/// still to be done must not stand behind them.
extension UserStore {
  /// Reminders that have not ended, in the order in which they were made.
  ///
  /// - Parameters:
  ///   - id: the last one of the page before, which may have ended meanwhile; nil for the first page.
  ///   - ids: only these; nil for all.
  /// - Returns: nil where nothing has that id any more.
  package func openReminders(
    after id: String?,
    among ids: Set<String>?,
    limit: Int
  ) throws(UserStoreError) -> [Reminder]? {
    try connection.read { database in
      guard let last = try id.map({ try serial(of: $0, database) }) ?? 0 else { return nil }
      let rows = try Row.fetchCursor(
        database,
        sql: "SELECT id, body FROM reminder WHERE serial > ? ORDER BY serial",
        arguments: [last]
      )
      return try first(limit, of: rows, among: ids) { try reminder(in: $0) }
    }
  }

  /// Reminders that have ended, the newest end first, each with its place in that order.
  ///
  /// - Parameters:
  ///   - cursor: where the page before ended; nil for the first page.
  ///   - ids: only these; nil for all.
  /// - Complexity: O(log history + page) without `ids`.
  package func endedReminders(
    after cursor: PastReminder.Cursor?,
    among ids: Set<String>?,
    limit: Int
  ) throws(UserStoreError) -> [(place: PastReminder.Cursor, reminder: Reminder)] {
    try connection.read { try endedPage(after: cursor, among: ids, limit: limit, $0) }
  }

  /// When a reminder ended; nil for one that has not.
  package func endedAt(_ id: String) throws(UserStoreError) -> Timestamp? {
    try connection.read { database in
      try Int64.fetchOne(
        database,
        sql: "SELECT ended_at FROM archive WHERE id = ?",
        arguments: [id]
      )
      .map { try instant($0, "archive \(id)") }
    }
  }

  // MARK: Parts

  /// A page of what has ended: what was answered at the same instant comes after it.
  func endedPage(
    after cursor: PastReminder.Cursor?,
    among ids: Set<String>?,
    limit: Int,
    _ database: Database
  ) throws -> [(place: PastReminder.Cursor, reminder: Reminder)] {
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT id, serial, ended_at, body FROM archive
        WHERE ended_at <= ?1 AND NOT (ended_at = ?1 AND serial >= ?2)
        ORDER BY ended_at DESC, serial DESC
        """,
      arguments: [
        cursor?.at.milliseconds ?? .max, cursor.map { $0.isAnswer ? .max : $0.serial } ?? .max,
      ]
    )
    return try first(limit, of: rows, among: ids) { row in
      let ended = try reminder(in: row)
      let place = PastReminder.Cursor(
        at: try instant(row.decode(forColumn: "ended_at"), "archive \(ended.id)"),
        serial: try row.decode(forColumn: "serial"),
        isAnswer: false
      )
      return (place, ended)
    }
  }

  /// A reminder's place in the order of making, which it keeps when it ends; nil if there is none.
  func serial(of id: String, _ database: Database) throws -> Int64? {
    try Int64.fetchOne(
      database,
      sql: """
        SELECT serial FROM reminder WHERE id = ?1 UNION ALL SELECT serial FROM archive WHERE id = ?1
        """,
      arguments: [id]
    )
  }

  /// The first rows that are wanted; bodies of others stay sealed.
  private func first<Value>(
    _ limit: Int,
    of rows: RowCursor,
    among ids: Set<String>?,
    _ open: (Row) throws -> Value
  ) throws -> [Value] {
    var values: [Value] = []
    while values.count < limit, let row = try rows.next() {
      if let ids, try !ids.contains(row.decode(String.self, forColumn: "id")) { continue }
      values.append(try open(row))
    }
    return values
  }
}
