import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline

/// One user's reminders and places with the state of their engine, in one SQLite file.
///
/// Titles, notes, names, coordinates, the engine's state and everything on its way in or out are
/// sealed with AES-256-GCM; ids, instants and the reasons of decisions are not. A turn of the host is
/// one transaction: the new state, the effects to perform, the records, the inbox events that were
/// used. It is on the disk when ``commit(_:)`` returns.
///
/// Several processes may have the file open, to edit it; one of them at a time may be the host, which
/// commits turns.
public final class UserStore: Sendable {
  /// The file.
  public let path: String
  /// A short name for this file, made at random with it: for keys that other systems see.
  public let identity: String
  /// What the engine that judges edits goes by.
  public let policy: Policy
  let zones: any ZoneSource
  let connection: Connection
  let vault: Vault
  /// What the host last read or committed.
  let progress = Progress()

  /// What may be done with the file.
  public enum Access: Sendable {
    /// Read and write; the file and its key are made where there are none.
    case make
    /// Read and write a file that exists.
    case edit
    /// Read a file that exists; it may lie on a disk that must not be written to.
    case look
  }

  /// Opens a user database, makes it where that is allowed, and brings an older one up to date.
  ///
  /// - Parameters:
  ///   - path: the file. A new one appears whole, readable by its owner alone.
  ///   - key: where the key is. A new key file is made only for a new database.
  ///   - policy: the host's; it says which edits are taken, such as how long a snooze may last.
  ///   - zones: where the zones of schedules are found that name one.
  /// - Throws: ``UserStoreError``; the file is then as it was.
  public convenience init(
    path: String,
    key source: KeySource,
    access: Access = .make,
    durability: Durability = .powerFailure,
    policy: Policy = Policy(),
    zones: any ZoneSource = NoZones()
  ) throws(UserStoreError) {
    try self.init(
      path: path,
      key: source,
      access: access,
      durability: durability,
      policy: policy,
      zones: zones,
      longestWait: Connection.usualWait
    )
  }

  /// Opens a user database as the other one does, and waits at most so long for another program that holds the file,
  /// also while it is opened: for a host of many people that tries again.
  package init(
    path: String,
    key source: KeySource,
    access: Access = .make,
    durability: Durability = .powerFailure,
    policy: Policy = Policy(),
    zones: any ZoneSource = NoZones(),
    longestWait: Milliseconds
  ) throws(UserStoreError) {
    var exists = try isStoreFile(path)
    if !exists {
      guard access == .make else {
        throw UserStoreError(
          .missing,
          path: path,
          advice: "`nearme reminder add` and `nearme place add` make it"
        )
      }
      try Self.make(path, key: source)
      exists = try isStoreFile(path)
    }
    let isReadOnly = access == .look && FileManager.default.isWritableFile(atPath: path) == false
    func connect() throws(UserStoreError) -> Connection {
      try Connection(
        path: path,
        isReadOnly: isReadOnly,
        durability: durability,
        longestWait: longestWait
      )
    }
    var connection = try connect()
    var version = try Self.checkedVersion(connection)
    if version == PlainPlaces.schemaVersion {
      try connection.close()
      guard !isReadOnly else { throw UserStoreError(.readOnly, path: path) }
      try PlainPlaces.convert(path, key: source)
      connection = try connect()
      version = try Self.checkedVersion(connection)
    }
    let vault = Vault(try source.key())
    identity = try Self.checkKey(vault, connection)
    try Self.checkPages(connection)
    if version < Schema.newest {
      guard !isReadOnly else {
        throw UserStoreError(.readOnly, path: path, detail: "it must be brought up to date first")
      }
      try connection.write { database in try Schema.migrate(database) }
    }
    try Self.checkTables(connection)
    self.path = path
    self.policy = policy
    self.zones = zones
    self.connection = connection
    self.vault = vault
  }

  /// Closes the file; later uses throw.
  public func close() throws(UserStoreError) { try connection.close() }

  /// Lets go of the open file until the next use, which opens it again: for a process that holds many users.
  ///
  /// - Precondition: no other use is under way.
  public func rest() throws(UserStoreError) { try connection.rest() }

  /// Waits at most so long for another program that holds the file, instead of ten seconds: for a host that tries again.
  package func limitWaits(to span: Milliseconds) throws(UserStoreError) {
    try connection.limitWaits(to: span)
  }

  /// Whether a turn could be stored now; throws `busy` while another program holds the file.
  package func requireRightToWrite() throws(UserStoreError) { try connection.write { _ in } }

  /// A number that changes when another connection has changed the file, and whenever it was opened again after a rest:
  /// cheap enough to ask for every second.
  public func dataVersion() throws(UserStoreError) -> Int { try connection.dataVersion() }

  /// Deletes a database with all that lies beside it.
  ///
  /// - Parameter withKey: whether the key that lies beside it goes, too: then no copy can be read any more.
  /// - Throws: ``UserStoreError`` if a file cannot be deleted; the key goes first.
  public static func erase(_ path: String, withKey: Bool) throws(UserStoreError) {
    let names = (withKey ? [".key"] : []) + ["", "-journal", "-wal", "-shm", ".lock"]
    for name in names {
      guard unlink(path + name) == 0 || errno == ENOENT else {
        throw systemError(errno, path: path + name)
      }
    }
  }

  // MARK: Making and checking

  private static func make(_ path: String, key source: KeySource) throws(UserStoreError) {
    try requireFolder(of: path)
    // The key first: a database without its key would be of no use, a key without one does no harm.
    let vault = Vault(try source.keyForNewDatabase())
    try makeFile(path) { (temporary) throws(UserStoreError) in
      do throws(UserStoreError) {
        try fill(temporary, vault) { _ in }
      } catch {
        throw UserStoreError(error.code, path: path, detail: error.detail)
      }
    }
  }

  /// Makes the tables in an empty file, and whatever is to be in them.
  static func fill(
    _ path: String,
    _ vault: Vault,
    _ body: (Database) throws -> Void
  ) throws(UserStoreError) {
    let connection = try Connection(path: path, isReadOnly: false, durability: .powerFailure)
    try connection.write { database in
      try Schema.migrate(database)
      let identity = String(UInt64.random(in: 0 ... .max), radix: 36)
      try setSetting("identity", identity, database)
      try setSetting("entitlement", Entitlement.free.rawValue, database)
      try setSetting("key", vault.seal(Data(identity.utf8), for: .key), database)
      try body(database)
    }
    try connection.close()
  }

  /// What the file says it is.
  private static func checkedVersion(_ connection: Connection) throws(UserStoreError) -> Int {
    let path = connection.path
    let (application, version, tables) = try connection.read { database in
      (
        try Int64.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
        try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0,
        try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema") ?? 0
      )
    }
    if application == Schema.cacheID {
      throw UserStoreError(
        .foreignDatabase,
        path: path,
        detail: "it is a cache of places",
        advice: "name it with --cache, and another file with --db"
      )
    }
    guard application == Schema.applicationID, version > 0, tables > 0 else {
      throw UserStoreError(.foreignDatabase, path: path)
    }
    guard version <= Schema.newest else {
      throw UserStoreError(
        .newerSchema(found: version, supported: Schema.newest),
        path: path
      )
    }
    return version
  }

  /// Opens a value whose content is known.
  ///
  /// - Returns: the file's identity.
  private static func checkKey(
    _ vault: Vault,
    _ connection: Connection
  ) throws(UserStoreError) -> String {
    let (identity, sealed) = try connection.read { database in
      (
        try setting(String.self, "identity", database),
        try setting(Data.self, "key", database)
      )
    }
    guard let identity, let sealed else {
      throw UserStoreError(.damaged, path: connection.path, detail: "its settings are not there")
    }
    guard vault.open(sealed, for: .key) == Data(identity.utf8) else {
      throw UserStoreError(.wrongKey, path: connection.path)
    }
    return identity
  }

  /// Refuses a file in which another thing has the name of a table: a view could compute without end.
  private static func checkTables(_ connection: Connection) throws(UserStoreError) {
    let tables = try connection.read { database in
      // Views have no first page.
      try String.fetchSet(
        database,
        sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
      )
    }
    for table in Schema.tables where !tables.contains(table) {
      throw UserStoreError(
        .damaged,
        path: connection.path,
        detail: "table \(table) is not there"
      )
    }
  }

  /// Looks at every page: the file is small, and a damage is better found before it spreads.
  private static func checkPages(_ connection: Connection) throws(UserStoreError) {
    let finding = try connection.read { database in
      try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "ok"
    }
    guard finding == "ok" else {
      throw UserStoreError(.damaged, path: connection.path, detail: finding)
    }
  }
}

// MARK: Settings

func setting<Value: DatabaseValueConvertible>(
  _ type: Value.Type,
  _ name: String,
  _ database: Database
) throws -> Value? {
  try Value.fetchOne(
    database,
    sql: "SELECT value FROM setting WHERE name = ?",
    arguments: [name]
  )
}

func setSetting(
  _ name: String,
  _ value: some DatabaseValueConvertible,
  _ database: Database
) throws {
  try database.execute(
    sql: """
      INSERT INTO setting (name, value) VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """,
    arguments: [name, value]
  )
}

extension Vault.Cell {
  static let key = Vault.Cell(table: "setting", row: "key", column: "value")
  static let state = Vault.Cell(table: "state", row: "1", column: "body")
  static let host = Vault.Cell(table: "state", row: "1", column: "host")
  static func place(_ id: String) -> Self { Self(table: "place", row: id, column: "body") }
  static func reminder(_ id: String) -> Self { Self(table: "reminder", row: id, column: "body") }
  static func inbox(_ serial: Int64) -> Self {
    Self(table: "inbox", row: String(serial), column: "body")
  }
  static func title(_ page: Int64) -> Self {
    Self(table: "title", row: String(page), column: "body")
  }
  static func outbox(_ key: String) -> Self { Self(table: "outbox", row: key, column: "body") }
}
