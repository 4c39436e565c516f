import Foundation
import GRDB
import NearMeEngine
import Timeline

/// An event that was counted at the user's wish.
public struct CountedEvent: Hashable, Sendable {
  /// Its number, in order of time.
  public let serial: Int64
  /// The hour in which it happened.
  public let at: Timestamp
  /// One of the six names.
  public let event: String
  /// A name for this database that changes every month and cannot be led back to it.
  public let subject: String
}

/// Events are counted in the file only, and only at the user's wish (NM-9).
extension UserStore {
  /// Begins or ends the counting of events; ending it deletes what was counted.
  ///
  /// The engine learns of it through the inbox. What it reports before that is not counted.
  public func setAnalytics(_ isOn: Bool, at now: Timestamp) throws(UserStoreError) {
    try connection.write { database in
      try setSetting("analytics", isOn, database)
      if !isOn { try forgetEvents(database) }
      try insertEvent(Event(at: now, .analytics(isOn)), reminder: nil, vault, database)
    }
  }

  /// Whether events are counted.
  public func isCounting() throws(UserStoreError) -> Bool {
    try connection.read { try isCounting($0) }
  }

  /// What was counted, the oldest first.
  public func analyticsQueue() throws(UserStoreError) -> [CountedEvent] {
    try connection.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT serial, at, event, subject FROM analytics ORDER BY serial"
      )
      .map { row in
        let serial = try row.decode(Int64.self, forColumn: "serial")
        return CountedEvent(
          serial: serial,
          at: try instant(row.decode(forColumn: "at"), "analytics \(serial)"),
          event: try row.decode(forColumn: "event"),
          subject: try row.decode(forColumn: "subject")
        )
      }
    }
  }

  /// Lets go of events up to a serial, once the app has taken them.
  public func dropAnalytics(through serial: Int64) throws(UserStoreError) {
    try connection.write { database in
      try database.execute(sql: "DELETE FROM analytics WHERE serial <= ?", arguments: [serial])
    }
  }

  func isCounting(_ database: Database) throws -> Bool {
    try setting(Bool.self, "analytics", database) ?? false
  }

  func forgetEvents(_ database: Database) throws {
    try database.execute(sql: "DELETE FROM analytics")
  }

  /// Counts an event, in the transaction that is open, if the user wishes it.
  func count(_ event: AnalyticsEvent, at now: Timestamp, _ database: Database) throws {
    guard try isCounting(database) else { return }
    let hour = now.milliseconds - ((now.milliseconds % 3_600_000) + 3_600_000) % 3_600_000
    let date = UTCOffsetTable.utc.local(at: now).date
    try database.execute(
      sql: "INSERT INTO analytics (at, event, subject) VALUES (?, ?, ?)",
      arguments: [
        hour, event.rawValue, vault.pseudonym(of: identity, in: "\(date.year)-\(date.month)"),
      ]
    )
  }
}

// MARK: What is kept

/// How much of what a user database keeps.
public struct Inventory: Hashable, Sendable {
  /// Reminders, done ones too.
  public let reminders: Int
  /// Places.
  public let places: Int
  /// Whether an engine's state has been stored.
  public let hasState: Bool
  /// Changes that the engine has not taken in.
  public let inbox: Int
  /// Effects that have not been performed.
  public let outbox: Int
  /// Decisions.
  public let decisions: Int
  /// The oldest decision; nil if there is none.
  public let oldestDecision: Timestamp?
  /// Whether events are counted.
  public let isCounting: Bool
  /// Events that have been counted.
  public let events: Int
}

extension UserStore {
  /// Counts what the file keeps.
  public func inventory() throws(UserStoreError) -> Inventory {
    try connection.read { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return Inventory(
        reminders: try count("reminder"),
        places: try count("place"),
        hasState: try count("state") > 0,
        inbox: try count("inbox"),
        outbox: try count("outbox"),
        decisions: try count("decision"),
        oldestDecision:
          try Int64.fetchOne(
            database,
            sql: "SELECT at FROM decision ORDER BY serial LIMIT 1"
          )
          .map { try instant($0, "the first decision") },
        isCounting: try isCounting(database),
        events: try count("analytics")
      )
    }
  }

  /// Tells the engine what the phone has said.
  public func giveSignal(_ signal: Signal, at now: Timestamp) throws(UserStoreError) {
    try connection.write { database in
      try insertEvent(Event(at: now, .signal(signal)), reminder: nil, vault, database)
    }
  }

  /// Tells the engine that a focus was switched on or off.
  public func setFocus(_ isOn: Bool, at now: Timestamp) throws(UserStoreError) {
    try connection.write { database in
      try insertEvent(Event(at: now, .focus(isOn)), reminder: nil, vault, database)
    }
  }
}
