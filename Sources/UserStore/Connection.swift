import Foundation
import GRDB
import GRDBSQLite
import Timeline

/// One connection to a user database, set up so that a commit is on the disk when it returns.
///
/// The journal is a rollback journal that is truncated at each commit, not a write-ahead log: a log
/// of a few megabytes would keep hundreds of older states, each with its newest position, which is
/// the track that must not be stored. See docs/decisions/0009-user-database.md, also for what it
/// costs.
final class Connection: Sendable {
  /// In bytes; the longest is the engine's state, about 1 kB for each reminder.
  private static let longestValue: Int32 = 64 << 20
  /// So long it waits for another program that holds the file.
  static let usualWait = Milliseconds.seconds(10)

  let path: String
  private let configuration: Configuration
  private let lock = NSLock()
  /// Nil while it rests; under the lock.
  private nonisolated(unsafe) var open: DatabaseQueue?
  private nonisolated(unsafe) var isClosed = false
  /// How often the file was opened; under the lock.
  private nonisolated(unsafe) var openings = 0
  /// How long it waits for another program; under the lock.
  private nonisolated(unsafe) var longestWait: Milliseconds

  /// Opens a file that exists.
  init(
    path: String,
    isReadOnly: Bool,
    durability: UserStore.Durability,
    longestWait: Milliseconds = Connection.usualWait
  ) throws(UserStoreError) {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.prepareDatabase { database in
      // A length that a damaged page claims is allocated before it turns out to be wrong.
      sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Self.longestValue)
      // What is overwritten or deleted is zeroed, not left in the file's free space.
      try database.execute(sql: "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY")
      guard !isReadOnly else { return }
      try database.execute(
        sql: "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = \(durability.pragma)"
      )
    }
    self.path = path
    self.configuration = configuration
    self.longestWait = longestWait
    _ = try queue()
  }

  /// The open file; a file that rested is opened again, unless it was deleted meanwhile: SQLite would make a new one.
  private func queue() throws(UserStoreError) -> DatabaseQueue {
    lock.lock()
    defer { lock.unlock() }
    if let open { return open }
    do {
      guard !isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "closed") }
      guard try openings == 0 || isStoreFile(path) else {
        throw UserStoreError(.missing, path: path)
      }
      var configuration = configuration
      configuration.busyMode = .timeout(longestWait.seconds)
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      openings += 1
      open = queue
      return queue
    } catch {
      throw userStoreError(error, path: path)
    }
  }

  /// Waits for other programs at most so long from now on.
  func limitWaits(to span: Milliseconds) throws(UserStoreError) {
    lock.withLock { longestWait = span }
    try withoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = \(span.value)") }
  }

  /// Lets go of the file until the next use: a process may hold many users, most of whom sleep.
  ///
  /// - Precondition: no use is under way.
  func rest() throws(UserStoreError) {
    let open = lock.withLock { () -> DatabaseQueue? in
      defer { self.open = nil }
      return self.open
    }
    do { try open?.close() } catch { throw userStoreError(error, path: path) }
  }

  /// Closes it; later uses fail.
  func close() throws(UserStoreError) {
    lock.withLock { isClosed = true }
    try rest()
  }

  /// Reads in one transaction.
  func read<Value>(_ body: (Database) throws -> Value) throws(UserStoreError) -> Value {
    do { return try queue().read(body) } catch { throw userStoreError(error, path: path) }
  }

  /// Writes in one transaction, which holds the right to write from its beginning.
  func write<Value>(_ body: (Database) throws -> Value) throws(UserStoreError) -> Value {
    do {
      var value: Value?
      try queue()
        .inTransaction(.immediate) { database in
          value = try body(database)
          return .commit
        }
      guard let value else { preconditionFailure("a committed transaction has run") }
      return value
    } catch {
      throw userStoreError(error, path: path)
    }
  }

  /// A number that changes when another connection has changed the file, and when it was opened again.
  ///
  /// SQLite's own begins at 1 with each opening, whatever was changed since the last one.
  ///
  /// - Source: sqlite.org/pragma.html#pragma_data_version
  func dataVersion() throws(UserStoreError) -> Int {
    let version = try withoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
    // It has 32 bits.
    return lock.withLock { openings } << 32 | version
  }

  /// Runs a statement outside of any transaction.
  func withoutTransaction<Value>(
    _ body: (Database) throws -> Value
  ) throws(UserStoreError) -> Value {
    do {
      return try queue().writeWithoutTransaction(body)
    } catch {
      throw userStoreError(error, path: path)
    }
  }
}

extension UserStore {
  /// What a commit withstands once it has returned.
  public enum Durability: Sendable {
    /// A power failure: every commit waits for the disk.
    case powerFailure
    /// The end of the process, however violent, but not of the system: for replays and tests.
    case processEnd

    fileprivate var pragma: String {
      switch self {
      case .powerFailure: "FULL"
      case .processEnd: "OFF"
      }
    }
  }
}

/// GRDB throws untyped; here its errors become ours, once.
func userStoreError(_ error: any Error, path: String) -> UserStoreError {
  if let ours = error as? UserStoreError { return ours }
  if let broken = error as? SealBroken {
    let cell = broken.cell
    return UserStoreError(.damaged, path: path, detail: "\(cell.table) \(cell.row) does not open")
  }
  guard let error = error as? DatabaseError else {
    // Decoding errors quote what they could not read, and that is personal: name the type only.
    return UserStoreError(.damaged, path: path, detail: "\(type(of: error))")
  }
  let detail = error.message ?? "SQLite result \(error.extendedResultCode.rawValue)"
  switch error.resultCode {
  case .SQLITE_BUSY, .SQLITE_LOCKED: return UserStoreError(.busy, path: path, detail: detail)
  case .SQLITE_NOTADB: return UserStoreError(.notADatabase, path: path)
  case .SQLITE_FULL: return UserStoreError(.full, path: path, detail: detail)
  case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
    return UserStoreError(.readOnly, path: path, detail: detail)
  case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_NOMEM, .SQLITE_PROTOCOL:
    return UserStoreError(.inputOutput, path: path, detail: detail)
  case .SQLITE_MISUSE: return UserStoreError(.closed, path: path, detail: detail)
  default: return UserStoreError(.damaged, path: path, detail: detail)
  }
}
