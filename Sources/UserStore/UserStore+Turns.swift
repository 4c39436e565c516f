import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline

/// What the host reads at its start and writes at every turn.
extension UserStore {
  /// Reads everything, in one transaction.
  ///
  /// - Throws: ``UserStoreError`` with `unreadableState` for a state of a newer engine.
  public func load() throws(UserStoreError) -> StoredUser {
    let (user, turn) = try connection.read { database in
      let row = try Row.fetchOne(database, sql: "SELECT turn, body, host FROM state")
      let user = StoredUser(
        state: try row.map { try self.state(try $0.decode(Data.self, forColumn: "body")) },
        host: try row.map { row in
          let sealed = try row.decode(Data.self, forColumn: "host")
          guard let host = vault.open(sealed, for: .host) else { throw SealBroken(cell: .host) }
          return host
        },
        places: try places(database),
        reminders: try reminders(database),
        entitlement: try entitlement(database),
        inbox: try inbox(database)
      )
      let turn = try row?.decode(Int64.self, forColumn: "turn") ?? 0
      // One a millisecond, for as long as instants can be written down.
      guard (0...(1 << 53)).contains(turn) else {
        throw UserStoreError(
          .damaged,
          path: path,
          detail: "state 1: \(turn) is no number of a turn"
        )
      }
      return (user, turn)
    }
    progress.set(turn: turn, synced: [:])
    return user
  }

  /// Reads what the host keeps, and nothing else; nil before its first turn.
  package func hostMemory() throws(UserStoreError) -> Data? {
    try connection.read { database in
      try Data.fetchOne(database, sql: "SELECT host FROM state")
        .map { sealed in
          guard let host = vault.open(sealed, for: .host) else { throw SealBroken(cell: .host) }
          return host
        }
    }
  }

  /// The engine's state as it is stored; nil before the first turn.
  func storedState(_ database: Database) throws -> EngineState? {
    try Data.fetchOne(database, sql: "SELECT body FROM state").map { try state($0) }
  }

  private func state(_ sealed: Data) throws -> EngineState {
    do {
      return try vault.open(EngineState.self, sealed, for: .state)
    } catch let error as DecodingError {
      var detail = ""
      // The engine's sentence about a version; other decoding errors may quote the state.
      if case .dataCorrupted(let context) = error { detail = context.debugDescription }
      throw UserStoreError(.unreadableState, path: path, detail: detail)
    }
  }

  /// Stores a turn, whole or not at all; it is on the disk when this returns.
  ///
  /// The table of reminders follows the state, for what the engine changed by itself: a snooze that
  /// ended, say. A reminder that the user has changed since keeps the user's change.
  ///
  /// - Throws: ``UserStoreError``; with `busy` while another program holds the file: then nothing was stored, and the
  ///   same turn may be tried again. With `stateMoved` if another process has stored a turn since, with `notLoaded` if
  ///   nothing has been loaded yet. After any error but `busy` call ``load()`` again, for the turn may have been stored
  ///   and only the answer lost.
  /// - Complexity: O(bytes of the state).
  public func commit(_ turn: Turn) throws(UserStoreError) {
    guard let (number, known) = progress.take() else {
      throw UserStoreError(.notLoaded, path: path)
    }
    let sealed: (state: Data, host: Data, effects: [Data])
    do {
      sealed = (
        try vault.seal(turn.state, for: .state),
        vault.seal(turn.host, for: .host),
        turn.effects.map { vault.seal($0.payload, for: .outbox($0.key)) }
      )
    } catch {
      preconditionFailure("the engine's state can always be encoded: \(type(of: error))")
    }
    let synced: [String: Reminder]
    do {
      synced = try write(turn, sealed, number: number, knowing: known)
    } catch {
      // The right to write was not had, or not that to end: what was begun is undone.
      if error.code == .busy { progress.set(turn: number, synced: known) }
      throw error
    }
    progress.set(turn: number + 1, synced: synced)
  }

  /// - Returns: the reminders that the table now holds as the engine does.
  private func write(
    _ turn: Turn,
    _ sealed: (state: Data, host: Data, effects: [Data]),
    number: Int64,
    knowing known: [String: Reminder]
  ) throws(UserStoreError) -> [String: Reminder] {
    try connection.write { database in
      let stored = try Int64.fetchOne(database, sql: "SELECT turn FROM state") ?? 0
      guard stored == number else { throw UserStoreError(.stateMoved, path: path) }
      try database.execute(
        sql: """
          INSERT INTO state (one, turn, body, host) VALUES (1, ?, ?, ?)
          ON CONFLICT (one) DO UPDATE
          SET turn = excluded.turn, body = excluded.body, host = excluded.host
          """,
        arguments: [number + 1, sealed.state, sealed.host]
      )
      for (draft, body) in zip(turn.effects, sealed.effects) {
        try database.execute(
          sql: "INSERT INTO outbox (key, body) VALUES (?, ?)",
          arguments: [draft.key, body]
        )
      }
      for serial in turn.usedInbox {
        try database.execute(sql: "DELETE FROM inbox WHERE serial = ?", arguments: [serial])
      }
      try keep(turn.records, at: turn.state.newestInstant, database)
      var synced = known
      for ended in turn.archived {
        synced[ended.id] = nil
        if try isPending(ended.id, database) {
          try noteEnd(of: ended, database)
        } else {
          try archive(ended, at: turn.endedAt, database)
        }
      }
      try archiveRefused(turn, database)
      try undoRefused(turn, &synced, database)
      return try follow(turn.state.currentReminders, knowing: synced, database)
    }
  }

  /// Writes down how a reminder ended that the user has changed since: what that comes to says the turn that takes the
  /// change in.
  private func noteEnd(of ended: Reminder, _ database: Database) throws {
    guard var row = try present(ended.id, database) else { return }
    row.status = ended.status
    row.snooze = nil
    try database.execute(
      sql: "UPDATE reminder SET is_live = ?, body = ? WHERE id = ?",
      arguments: [row.isLive, try vault.seal(row, for: .reminder(row.id)), row.id]
    )
  }

  /// Archives reminders whose last change or answer came after their end, and was refused.
  private func archiveRefused(_ turn: Turn, _ database: Database) throws {
    for record in turn.records {
      guard let id = record.refusedAsEnded,
        !turn.state.currentReminders.contains(where: { $0.id == id }),
        try !isPending(id, database),
        var ended = try present(id, database)
      else { continue }
      // How it ended, older versions did not write down.
      if ended.status == .active { ended.status = .completed }
      try archive(ended, at: turn.endedAt, database)
    }
  }

  /// Brings back the reminders of which the engine has refused a change or an answer that the table has taken, as where the
  /// host's policy is another one than that of the command.
  private func undoRefused(
    _ turn: Turn,
    _ synced: inout [String: Reminder],
    _ database: Database
  ) throws {
    for id in turn.records.compactMap(\.refused) {
      guard let held = turn.state.currentReminders.first(where: { $0.id == id }),
        try !isPending(id, database), let row = try present(id, database), row != held
      else { continue }
      try write(held, over: row, database)
      synced[id] = held
    }
  }

  /// Brings the table of reminders to what the engine holds of them.
  ///
  /// - Returns: the reminders that the table now holds as the engine does.
  private func follow(
    _ current: [Reminder],
    knowing synced: [String: Reminder],
    _ database: Database
  ) throws -> [String: Reminder] {
    var known = synced
    for reminder in current where known[reminder.id] != reminder {
      guard try !isPending(reminder.id, database) else { continue }
      try database.execute(
        sql: "UPDATE reminder SET is_live = ?, body = ? WHERE id = ?",
        arguments: [
          reminder.isLive, try vault.seal(reminder, for: .reminder(reminder.id)), reminder.id,
        ]
      )
      known[reminder.id] = reminder
    }
    return known
  }

  /// Whether the user has changed a reminder since, which the engine has not taken in.
  private func isPending(_ id: String, _ database: Database) throws -> Bool {
    try Bool.fetchOne(
      database,
      sql: "SELECT EXISTS (SELECT 1 FROM inbox WHERE reminder = ?)",
      arguments: [id]
    ) ?? false
  }

  // MARK: Inbox

  /// What the user did since the last turn that took the inbox in, in order.
  public func pendingInbox() throws(UserStoreError) -> [InboxEntry] {
    try connection.read { try inbox($0) }
  }

  func inbox(_ database: Database) throws -> [InboxEntry] {
    try opened(Row.fetchAll(database, sql: "SELECT serial, body FROM inbox ORDER BY serial"))
  }

  /// What the user did to one reminder.
  func inbox(of reminder: String, _ database: Database) throws -> [InboxEntry] {
    let sql = "SELECT serial, body FROM inbox WHERE reminder = ? ORDER BY serial"
    return try opened(Row.fetchAll(database, sql: sql, arguments: [reminder]))
  }

  private func opened(_ rows: [Row]) throws -> [InboxEntry] {
    try rows.map { row in
      let serial = try row.decode(Int64.self, forColumn: "serial")
      let sealed = try row.decode(Data.self, forColumn: "body")
      return InboxEntry(
        serial: serial,
        event: try vault.open(Event.self, sealed, for: .inbox(serial))
      )
    }
  }

  // MARK: Outbox

  /// The effects that have not been performed, in the order in which they were stored.
  public func unperformed() throws(UserStoreError) -> [OutboxEntry] {
    try connection.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT key, body, attempts, not_before FROM outbox ORDER BY serial"
      )
      .map { row in
        let key = try row.decode(String.self, forColumn: "key")
        let sealed = try row.decode(Data.self, forColumn: "body")
        guard let payload = vault.open(sealed, for: .outbox(key)) else {
          throw SealBroken(cell: .outbox(key))
        }
        let attempts = try row.decode(Int.self, forColumn: "attempts")
        guard (0...(1 << 30)).contains(attempts) else {
          throw UserStoreError(
            .damaged,
            path: path,
            detail: "outbox \(key): \(attempts) is no number of attempts"
          )
        }
        return OutboxEntry(
          key: key,
          payload: payload,
          attempts: attempts,
          notBefore: try row.decode(Int64?.self, forColumn: "not_before")
            .map { try instant($0, "outbox \(key)") }
        )
      }
    }
  }

  /// An instant of a table; arithmetic with one that no calendar has would overflow.
  ///
  /// - Parameter row: which, for the message.
  func instant(_ milliseconds: Int64, _ row: String) throws -> Timestamp {
    let instant = Timestamp(milliseconds: milliseconds)
    guard RFC3339.writable.contains(instant) else {
      throw UserStoreError(
        .damaged,
        path: path,
        detail: "\(row): \(milliseconds) is no instant of the years 0 to 9999"
      )
    }
    return instant
  }

  /// Lets go of effects that have been performed, in one transaction.
  public func markPerformed(_ keys: [String]) throws(UserStoreError) {
    guard !keys.isEmpty else { return }
    try connection.write { database in
      for key in keys {
        try database.execute(sql: "DELETE FROM outbox WHERE key = ?", arguments: [key])
      }
    }
  }

  /// Notes that an effect was tried in vain, and when to try again.
  ///
  /// - Parameter attempts: how often it has been tried in all.
  public func putOff(
    _ key: String,
    until: Timestamp,
    attempts: Int
  ) throws(UserStoreError) {
    try connection.write { database in
      try database.execute(
        sql: "UPDATE outbox SET not_before = ?, attempts = ? WHERE key = ?",
        arguments: [until.milliseconds, attempts, key]
      )
    }
  }
}

extension Turn {
  /// When what ended with it did.
  fileprivate var endedAt: Timestamp { state.newestInstant ?? Timestamp(milliseconds: 0) }
}

extension NearMeEngine.Record {
  /// The reminder of which a change or an answer was refused, for whatever reason; nil for all else.
  fileprivate var refused: String? {
    switch self {
    case .reminderRefused(_, let refusal): refusal.reminder
    case .actionRefused(_, let id, _): id
    default: nil
    }
  }

  /// The reminder of which a change or an answer was refused because it has ended; nil for all else.
  fileprivate var refusedAsEnded: String? {
    switch self {
    case .reminderRefused(_, let refusal) where refusal.reason == .hasEnded: refusal.reminder
    case .actionRefused(_, let id, .completed): id
    default: nil
    }
  }
}

/// What the host last read or committed.
///
/// Unchecked: it is touched under the lock only.
final class Progress: @unchecked Sendable {
  private let lock = NSLock()
  private var held: (turn: Int64, synced: [String: Reminder])?

  /// The number of the stored turn, and the reminders as the table holds them, as far as is known
  /// here; nil before ``UserStore/load()``, and from now on until it is set again.
  func take() -> (turn: Int64, synced: [String: Reminder])? {
    lock.withLock {
      defer { held = nil }
      return held
    }
  }

  func set(turn: Int64, synced: [String: Reminder]) {
    lock.withLock { held = (turn, synced) }
  }
}
