import Foundation
import GRDBSQLite
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import UserStore

/// Files that are no user database, or no longer: each has its error, and stays as it was.
@Suite struct BadFileTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("user.db")
  }

  /// The error of opening the file; the file is as it was before.
  private func refusal(
    _ access: UserStore.Access = .make,
    key: KeySource? = nil
  ) throws -> UserStoreError? {
    let before = FileManager.default.contents(atPath: path)
    let names = folder.names
    let error = #expect(throws: UserStoreError.self) {
      let store = try UserStore(path: path, key: key ?? .besides(path), access: access)
      _ = try store.load()
    }
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(folder.names == names)
    if let error {
      #expect(error.description.hasPrefix(error.path + ": "))
      #expect(!error.advice.isEmpty, "\(error)")
    }
    return error
  }

  private func make() throws {
    let store = try UserStore(path: path, key: .besides(path))
    for title in ["one", "two", "three"] {
      _ =
        try store.addReminder(at: Timestamp(seconds: 1_772_546_400)) {
          Reminder(
            id: $0,
            title: title,
            notes: String(repeating: title, count: 2_000),
            target: .category(CategoryID("bank"))
          )
        }
        .get()
    }
    try store.close()
  }

  private func sql(_ statements: String) {
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
    #expect(sqlite3_close(database) == SQLITE_OK)
  }

  @Test func `what is no database is refused`() throws {
    #expect(try refusal(.edit)?.code == .missing)
    #expect(try refusal(.look)?.code == .missing)
    try Data("Dear diary".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try refusal()?.code == .notADatabase)
    try Data(repeating: 0x53, count: 8_192).write(to: URL(fileURLWithPath: path))
    #expect(try refusal()?.code == .notADatabase)
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(try refusal()?.code == .empty)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(try refusal()?.code == .notAFile)
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try refusal()?.code == .notAFile)
  }

  @Test func `a folder that is not there is named, and nothing is made`() throws {
    let lost = folder.path("no/user.db")
    let error = #expect(throws: UserStoreError.self) {
      try UserStore(path: lost, key: .besides(lost))
    }
    #expect(error?.code == .missing)
    #expect(folder.names.isEmpty)
  }

  @Test func `another program's database is refused`() throws {
    sql("CREATE TABLE diary (day TEXT)")
    #expect(try refusal()?.code == .foreignDatabase)
    sql("PRAGMA application_id = \(0x4E4D_7063)")
    let cache = try refusal()
    #expect(cache?.code == .foreignDatabase)
    #expect(cache?.description.contains("--cache") ?? false)
  }

  @Test func `a newer version is refused and left alone`() throws {
    try make()
    sql("PRAGMA user_version = 99")
    guard case .newerSchema(found: 99, _) = try refusal()?.code else {
      Issue.record("a newer schema was opened")
      return
    }
  }

  @Test func `a state of a newer engine is refused and left alone`() throws {
    try make()
    let store = try UserStore(path: path, key: .besides(path))
    _ = try store.load()
    try store.commit(Turn(state: EngineState()))
    try store.close()
    // Sealed as the state is, so that only the version is wrong.
    try resealState { text in
      text.replacing("\"formatVersion\":\(EngineState.formatVersion)", with: "\"formatVersion\":99")
    }
    let error = try refusal(.edit)
    #expect(error?.code == .unreadableState)
    #expect(error?.description.contains("99") ?? false, "\(error?.description ?? "")")
  }

  private func resealState(_ change: (String) -> String) throws {
    let hex = try String(contentsOfFile: path + ".key", encoding: .utf8).split(separator: " ")[1]
    let key = try #require(Data(hex: hex.prefix(64)))
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let sealed = try #require(Data.query(database, "SELECT body FROM state"))
    let changed = try StateSeal.replace(sealed, key: key, change)
    #expect(
      sqlite3_exec(database, "UPDATE state SET body = x'\(changed.hex)'", nil, nil, nil)
        == SQLITE_OK
    )
  }

  @Test func `a key that is missing, open to others, malformed or another one is named`() throws {
    try make()
    let keyPath = path + ".key"
    let key = try #require(FileManager.default.contents(atPath: keyPath))
    let mode = try FileManager.default.attributesOfItem(atPath: keyPath)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600
    )
    func write(_ bytes: Data, mode: Int = 0o600) throws {
      try? FileManager.default.removeItem(atPath: keyPath)
      _ = FileManager.default.createFile(
        atPath: keyPath,
        contents: bytes,
        attributes: [.posixPermissions: mode]
      )
    }
    try write(key, mode: 0o640)
    let open = try refusal()
    #expect(open?.code == .keyReadableByOthers(mode: 0o640))
    #expect(open?.advice.contains("chmod 600") ?? false)
    for bytes in [Data(), Data("secret".utf8), key.dropLast(2), key + Data("00".utf8)] {
      try write(bytes)
      #expect(try refusal()?.code == .keyMalformed, "\(bytes.count) bytes")
    }
    // One key in 256 ends with the digits that another one is to end with.
    let digits = String(decoding: key, as: UTF8.self)
    try write(Data((digits.dropLast(3) + (digits.hasSuffix("00\n") ? "11\n" : "00\n")).utf8))
    #expect(try [.wrongKey].contains(refusal()?.code))
    #expect(try refusal(key: .key(.random()))?.code == .wrongKey)
    try FileManager.default.removeItem(atPath: keyPath)
    #expect(try refusal()?.code == .keyMissing)
    #expect(!folder.names.contains("user.db.key"), "a new key would open nothing")
    try write(key)
    #expect(try UserStore(path: path, key: .besides(path)).reminders().count == 3)
  }

  @Test func `a database that was cut short at any page is damaged, or says what it lacks`() throws
  {
    try make()
    let whole = try #require(FileManager.default.contents(atPath: path))
    for size in stride(from: 100, to: whole.count, by: 1_000) {
      try whole.prefix(size).write(to: URL(fileURLWithPath: path))
      let error = try refusal(.edit)
      #expect(
        error?.code == .damaged || error?.code == .notADatabase || error?.code == .inputOutput,
        "\(size) bytes: \(error.map(\.description) ?? "opened")"
      )
    }
    try whole.write(to: URL(fileURLWithPath: path))
    #expect(try UserStore(path: path, key: .besides(path)).reminders().count == 3)
  }

  @Test func `bytes that were changed never crash, and never open what was sealed`() throws {
    try make()
    let whole = try #require(FileManager.default.contents(atPath: path))
    let intact = try UserStore(path: path, key: .besides(path), access: .edit).load()
    var generator = SeededGenerator(seed: 11)
    var refused = 0
    for round in 0..<300 {
      var bytes = whole
      for _ in 0..<generator.integer(1...4) {
        let at = bytes.startIndex + generator.integer(0...bytes.count - 1)
        bytes[at] ^= UInt8(generator.integer(1...255))
      }
      try bytes.write(to: URL(fileURLWithPath: path))
      do {
        let store = try UserStore(path: path, key: .besides(path), access: .edit)
        let found = try store.load()
        // What opened was either not touched, or is no part of what was sealed.
        #expect(found.reminders == intact.reminders, "seed 11, round \(round)")
        #expect(found.inbox == intact.inbox, "seed 11, round \(round)")
      } catch {
        refused += 1
      }
    }
    print("300 damaged files: \(refused) refused, the others held all that was sealed")
    #expect(refused > 100)
  }

  @Test func `a date that is none is passed over, and a place beyond all bounds refused`() throws {
    try make()
    let store = try UserStore(path: path, key: .besides(path))
    let home = Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: Coordinate(uncheckedLatitude: 39.25, longitude: -76.5)
    )
    _ = try store.addPlace(at: Timestamp(seconds: 1_772_546_400)) { _ in home }.get()
    #expect(try store.places() == [home])
    sql("UPDATE reminder_date SET changed = 9223372036854775807 WHERE id = 'r2'")
    // The reminder can still be read and exported.
    let dates = try #require(try store.reminderDates()["r2"])
    #expect(dates.changed == nil && dates.made != nil)
    // Sealed as places are: as another program with the key would have written it.
    let vault = Vault(try KeySource.besides(path).key())
    let cell = Vault.Cell(table: "place", row: "home", column: "body")
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    let sealed = Data.query(database, "SELECT body FROM place")
    #expect(sqlite3_close(database) == SQLITE_OK)
    let text = String(
      decoding: try #require(sealed.flatMap { vault.open($0, for: cell) }),
      as: UTF8.self
    )
    #expect(text.contains("39.25"))
    let changed = vault.seal(Data(text.replacing("39.25", with: "1e300").utf8), for: cell)
    sql("UPDATE place SET body = x'\(changed.hex)'")
    let place = #expect(throws: UserStoreError.self) { try store.places() }
    #expect(place?.code == .damaged)
    #expect(place?.description.contains("1e300") == false, "what is sealed is not for others' eyes")
    try store.close()
  }

  @Test func `a value that was moved to another row does not open`() throws {
    try make()
    sql(
      """
      CREATE TEMP TABLE t AS SELECT body FROM reminder WHERE id = 'r1';
      UPDATE reminder SET body = (SELECT body FROM t) WHERE id = 'r2';
      """
    )
    let error = try refusal()
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("r2") ?? false)
  }
}
