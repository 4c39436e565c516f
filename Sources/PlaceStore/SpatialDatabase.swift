import CSpatiaLite
import Foundation
import GRDB

/// A database connection that knows SpatiaLite's functions.
///
/// One connection: our readers are short, and SpatiaLite's start costs more than most queries.
final class SpatialDatabase: Sendable {
  /// In bytes; the longest that a cache has are the rules for its categories, some kilobytes.
  private static let longestValue: Int32 = 16 << 20

  let path: String
  private let queue: DatabaseQueue
  private let spatialite: SpatialiteStates

  /// Opens a connection.
  ///
  /// - Parameter isReadOnly: a file that does not exist is made only if this is false.
  /// - Parameter isInterrupted: asked every few thousand steps of a query; true ends it.
  init(
    path: String,
    isReadOnly: Bool,
    isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws(PlaceStoreError) {
    let states = SpatialiteStates(isInterrupted: isInterrupted)
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      guard let connection = database.sqliteConnection else { return }
      // A length that a damaged page claims is allocated before it turns out to be wrong.
      sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, Self.longestValue)
      try states.prepare(connection)
      if isReadOnly { try database.execute(sql: "PRAGMA cell_size_check = ON") }
    }
    self.path = path
    spatialite = states
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
    } catch {
      states.release()
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
    spatialite.release()
  }

  /// Reads with the connection.
  func read<Value>(_ body: (Database) throws -> Value) throws(PlaceStoreError) -> Value {
    do { return try queue.read(body) } catch { throw storeError(error, path: path) }
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

/// What SpatiaLite keeps beside each connection.
///
/// Unchecked: the list is touched under the lock only.
private final class SpatialiteStates: @unchecked Sendable {
  // SpatiaLite keeps process-wide tables of its connections; one at a time comes and goes.
  private static let lock = NSLock()
  private var states: [UnsafeMutableRawPointer] = []
  private let isInterrupted: (@Sendable () -> Bool)?

  init(isInterrupted: (@Sendable () -> Bool)?) { self.isInterrupted = isInterrupted }

  func prepare(_ connection: OpaquePointer) throws {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    guard let state = spatialite_alloc_connection() else {
      throw DatabaseError(resultCode: .SQLITE_NOMEM, message: "SpatiaLite cannot start")
    }
    spatialite_init_ex(connection, state, 0)
    states.append(state)
    guard isInterrupted != nil else { return }
    // The owner outlives the connection: it closes the connection before it lets go of this.
    sqlite3_progress_handler(
      connection,
      10_000,
      { context in
        guard let context else { return 0 }
        let states = Unmanaged<SpatialiteStates>.fromOpaque(context).takeUnretainedValue()
        return states.isInterrupted?() == true ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  func release() {
    Self.lock.lock()
    defer { Self.lock.unlock() }
    for state in states { spatialite_cleanup_ex(state) }
    states = []
  }
}

/// GRDB throws untyped; here its errors become ours, once.
func storeError(_ error: any Error, path: String) -> PlaceStoreError {
  if let ours = error as? PlaceStoreError { return ours }
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
