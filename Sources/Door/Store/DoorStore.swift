import Foundation
import GRDB
import LiveHost
import Timeline
import UserStore

/// The door's own file: who comes in by which credential, and what came in and is not worked off yet.
///
/// It has a write-ahead log, so that a group of bodies is on the disk after one `fsync`; what is personal in it is
/// sealed, and what is worked off is deleted.
package final class DoorStore: Sendable {
  /// The folder that holds everything.
  package let folder: DoorFolder
  let vault: Vault
  let queue: DatabaseQueue
  let hold: StoreHold

  /// Whoever comes in waits while the log is copied into the file: a short one is copied in a few milliseconds,
  /// SQLite's 1,000 pages took 60.
  private static let pagesInLog = 200
  /// So many things are written in one transaction where nobody waits for them.
  private static let thingsAtOnce = 32

  /// Opens the file of a folder, and makes both where they are not there.
  ///
  /// - Throws: ``HostFailure`` where the folder cannot be used or the file is none of a door's.
  package init(_ folder: DoorFolder) throws(HostFailure) {
    self.folder = folder
    try folder.make()
    vault = Vault(
      try HostFailure.mapping { () throws(UserStoreError) in try folder.key.keyForNewDatabase() }
    )
    var configuration = Configuration()
    let hold = StoreHold()
    self.hold = hold
    configuration.busyMode = .callback { _ in hold.waits() }
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;
          PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = \(Self.pagesInLog)
          """
      )
    }
    queue = try mapping(folder.database) {
      DoorStore.makeForItsOwner(folder.database)
      let queue = try DatabaseQueue(path: folder.database, configuration: configuration)
      try queue.write { database in
        try DoorStore.check(database, folder.database)
        try DoorSchema.migrate(database)
      }
      return queue
    }
  }

  /// Makes an empty file that nobody else may read, where there is none.
  ///
  /// SQLite gives its log the rights that the file has when it opens it, and says itself what cannot be made.
  private static func makeForItsOwner(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  private static func check(_ database: Database, _ path: String) throws {
    let application = try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard tables == 0 || application == DoorSchema.applicationID else {
      throw HostFailure(.badInput, "\(path): is no database of a door: name another folder")
    }
    guard version <= DoorSchema.newest else {
      throw HostFailure(
        .badInput,
        "\(path): a newer version of Near Me made it: run that one, or a newer one"
      )
    }
  }

  func read<Value>(_ body: (Database) throws -> Value) throws(HostFailure) -> Value {
    try mapping(folder.database) { try queue.read(body) }
  }

  package func write<Value>(_ body: (Database) throws -> Value) throws(HostFailure) -> Value {
    do throws(HostFailure) {
      let value = try mapping(folder.database) { try queue.write(body) }
      hold.end()
      return value
    } catch {
      if error.code == .held { hold.note() }
      throw error
    }
  }

  /// Writes nothing: before something is done that is to be noted then, and would be done again where it is not.
  ///
  /// - Throws: `.held` where another program writes in the file.
  func requireRightToWrite() throws(HostFailure) { try write { _ in } }

  /// Writes many things for which nobody waits, some at a time: bodies that come in wait for those only.
  ///
  /// - Parameter done: is told what has been written, in order.
  func write<Thing: Sendable>(
    each things: [Thing],
    _ body: (Database, Thing) throws -> Void,
    done: (ArraySlice<Thing>) -> Void = { _ in }
  ) async throws(HostFailure) {
    for start in stride(from: 0, to: things.count, by: Self.thingsAtOnce) {
      await Task.yield()
      let some = things[start..<min(start + Self.thingsAtOnce, things.count)]
      try write { database in for thing in some { try body(database, thing) } }
      done(some)
    }
  }

  /// A number that changes when another process has changed the file.
  ///
  /// - Source: sqlite.org/pragma.html#pragma_data_version
  func dataVersion() throws(HostFailure) -> Int {
    try mapping(folder.database) {
      try queue.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA data_version") ?? 0 }
    }
  }
}

/// Runs a body, and names the file in what SQLite says.
func mapping<Value>(_ path: String, _ body: () throws -> Value) throws(HostFailure) -> Value {
  do {
    return try body()
  } catch let failure as HostFailure {
    throw failure
  } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
    throw HostFailure(
      .held,
      "\(path): another program writes in it: end that one, which `fuser` names, and try again"
    )
  } catch let error as DatabaseError {
    let message = error.message ?? "SQLite result \(error.extendedResultCode.rawValue)"
    throw HostFailure(
      error.resultCode == .SQLITE_NOTADB || error.resultCode == .SQLITE_CORRUPT
        ? .badInput : .inputOutput,
      "\(path): \(message)"
    )
  } catch {
    throw HostFailure(.badInput, "\(path): \(type(of: error))")
  }
}
