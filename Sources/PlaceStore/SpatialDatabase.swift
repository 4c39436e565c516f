import Foundation
import GRDB
import GRDBSQLite

/// A database connection, which knows SpatiaLite's functions where they are asked for.
///
/// One connection: our readers are short, and SpatiaLite's start costs more than most queries.
final class SpatialDatabase: Sendable {
  /// In bytes; the longest that a cache has are the rules for its categories, some kilobytes.
  private static let longestValue: Int32 = 16 << 20

  let path: String
  private let queue: DatabaseQueue
  private let attachments: Attachments

  /// Opens a connection.
  ///
  /// - Parameter isReadOnly: a file that does not exist is made only if this is false, and only then are SpatiaLite's
  ///   functions there from the start.
  /// - Parameter isInterrupted: asked every few thousand steps of a query; true ends it.
  init(
    path: String,
    isReadOnly: Bool,
    isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(PlaceStoreError) {
    let attachments = Attachments(isInterrupted: isInterrupted)
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      guard let connection = database.sqliteConnection else { return }
      // A length that a damaged page claims is allocated before it turns out to be wrong.
      sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
      attachments.watch(connection)
      if isReadOnly {
        try database.execute(sql: "PRAGMA cell_size_check = ON")
      } else {
        try attachments.addSpatiaLite(to: connection)
      }
    }
    self.path = path
    self.attachments = attachments
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      attachments.release()
      throw storeError(error, path: path)
    }
  }

  deinit { try? closeNow() }

  /// Closes the connection; later uses fail.
  func close() throws(PlaceStoreError) {
    do { try closeNow() } catch { throw storeError(error, path: path) }
  }

  // SpatiaLite's state may go only after SQLite has let go of the functions that use it.
  private func closeNow() throws {
    try queue.close()
    attachments.release()
  }

  /// Reads with the connection.
  func read<Value>(_ body: (Database) throws -> Value) throws(PlaceStoreError) -> Value {
    do { return try queue.read(body) } catch { throw storeError(error, path: path) }
  }

  /// Reads with SpatiaLite's functions at hand.
  func readWithFunctions<Value>(
    _ body: (Database) throws -> Value
  ) throws(PlaceStoreError) -> Value {
    do {
      try queue.inDatabase { database in
        guard let connection = database.sqliteConnection else { return }
        try attachments.addSpatiaLite(to: connection)
      }
    } catch { throw storeError(error, path: path) }
    return try read(body)
  }

  /// Writes in one transaction.
  func write<Value>(_ body: (Database) throws -> Value) throws(PlaceStoreError) -> Value {
    do { return try queue.write(body) } catch { throw storeError(error, path: path) }
  }

  /// Runs statements that must not be in a transaction.
  func withoutTransaction(_ body: (Database) throws -> Void) throws(PlaceStoreError) {
    do { try queue.writeWithoutTransaction(body) } catch { throw storeError(error, path: path) }
  }
}

/// What belongs to a connection and lives as long.
///
/// Unchecked: touched by the connection's queue only, and when that is closed.
private final class Attachments: @unchecked Sendable {
  private var state: SpatiaLite.State?
  private let isInterrupted: (@Sendable () -> Bool)?

  init(isInterrupted: (@Sendable () -> Bool)?) { self.isInterrupted = isInterrupted }

  /// Has long queries end when they are to.
  func watch(_ connection: OpaquePointer) {
    guard isInterrupted != nil else { return }
    // The owner outlives the connection: it closes the connection before it lets go of this.
    sqlite3_progress_handler(
      connection,
      10_000,
      { context in
        guard let context else { return 0 }
        let attachments = Unmanaged<Attachments>.fromOpaque(context).takeUnretainedValue()
        return attachments.isInterrupted?() == true ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Adds SpatiaLite's functions, once.
  func addSpatiaLite(to connection: OpaquePointer) throws {
    guard state == nil else { return }
    state = try SpatiaLite.loaded.get().begin(on: connection)
    if state == nil {
      throw DatabaseError(resultCode: .SQLITE_NOMEM, message: "SpatiaLite cannot start")
    }
  }

  func release() {
    guard let state, case .success(let library) = SpatiaLite.loaded else { return }
    library.end(state)
    self.state = nil
  }
}

/// GRDB throws untyped; here its errors become ours, once.
func storeError(_ error: any Error, path: String) -> PlaceStoreError {
  if let ours = error as? PlaceStoreError { return ours }
  if error is SpatiaLite.NotThere {
    return PlaceStoreError(
      .inputOutput,
      path: path,
      detail: "SpatiaLite, by which caches are made and checked, cannot be loaded",
      advice: "install it: Debian's package is libspatialite7 or libspatialite8"
    )
  }
  guard let error = error as? DatabaseError else {
    // GRDB's other errors are about values of the wrong type.
    return PlaceStoreError(
      .damaged,
      path: path,
      detail: String(describing: error),
      advice: CacheSchema.advice
    )
  }
  let detail = error.message ?? "SQLite result \(error.resultCode.rawValue)"
  switch error.resultCode {
  case .SQLITE_INTERRUPT: return PlaceStoreError(.interrupted, path: path)
  case .SQLITE_BUSY, .SQLITE_LOCKED:
    return PlaceStoreError(.busy, path: path, detail: detail, advice: "try again later")
  case .SQLITE_NOTADB: return PlaceStoreError(.notADatabase, path: path, detail: detail)
  case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH:
    return PlaceStoreError(.invalidValue, path: path, detail: detail)
  case .SQLITE_CANTOPEN, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_READONLY, .SQLITE_PERM,
    .SQLITE_NOMEM:
    return PlaceStoreError(
      .inputOutput,
      path: path,
      detail: detail,
      advice: "check the disk's space and the folder's permissions"
    )
  default:
    return PlaceStoreError(.damaged, path: path, detail: detail, advice: CacheSchema.advice)
  }
}
