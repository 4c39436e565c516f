import FaultyDisk
import Foundation
import GRDBSQLite
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import UserStore

/// Older files become what they are now, and lose nothing on the way.
@Suite struct MigrationTests {
  private let folder: TemporaryFolder
  private let path: String

  private static let places = [
    Place(
      id: "home",
      name: "Gartenhaus",
      kind: .home,
      coordinate: Coordinate(uncheckedLatitude: 39.29, longitude: -76.61),
      arrivalRadiusMeters: 150
    ),
    Place(
      id: "work",
      name: "Wörk",
      kind: .work,
      coordinate: Coordinate(uncheckedLatitude: 39.3, longitude: -76.6)
    ),
  ]

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("user.db")
  }

  private func make(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("OldFiles/\(name).sql")
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK)
    #expect(sqlite3_close(database) == SQLITE_OK)
  }

  @Test func `plain places of version 1 are sealed, and their text is gone`() throws {
    try make("version-1")
    let name = Data("Gartenhaus".utf8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).range(of: name) != nil)
    let store = try UserStore(path: path, key: .besides(path), access: .edit)
    #expect(try store.places() == Self.places)
    let saved = try store.pendingInbox()
      .compactMap { entry in
        if case .placeSaved(let place) = entry.event.kind { place } else { nil }
      }
    #expect(saved == Self.places)
    try store.close()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let degrees = withUnsafeBytes(of: 39.29.bitPattern.littleEndian) { Data($0) }
    #expect(bytes.range(of: name) == nil)
    #expect(bytes.range(of: degrees) == nil)
    #expect(folder.names == ["user.db", "user.db.key"])
    // Opened once more, nothing is left to be done.
    #expect(try UserStore(path: path, key: .besides(path)).places() == Self.places)
  }

  @Test func `many that open a file of version 1 at once lose nothing`() async throws {
    for round in 0..<10 {
      try? FileManager.default.removeItem(atPath: path)
      try make("version-1")
      let path = path
      let made = await withTaskGroup(of: Int.self) { group in
        for worker in 0..<6 {
          group.addTask {
            let store = try? UserStore(path: path, key: .besides(path), access: .edit)
            let made = try? store?
              .addReminder(id: "by\(worker)", at: Timestamp(seconds: 1_772_546_400)) {
                Reminder(id: $0, title: "roses", target: .place("home"), isMuted: true)
              }
            return (try? made?.get()) == nil ? 0 : 1
          }
        }
        return await group.reduce(0, +)
      }
      #expect(made == 6, "round \(round)")
      let store = try UserStore(path: path, key: .besides(path), access: .edit)
      #expect(try store.places() == Self.places)
      #expect(try store.reminders().count == 6, "round \(round)")
      try store.close()
    }
  }

  @Test func `a reminder can be put at a place of version 1`() throws {
    try make("version-1")
    let store = try UserStore(path: path, key: .besides(path), access: .edit)
    let made = try store.addReminder(at: Timestamp(seconds: 1_772_546_400)) {
      Reminder(id: $0, title: "water the roses", target: .place("home"))
    }
    #expect(try made.get().id == "r1")
    let host = try Host(store, at: Timestamp(seconds: 1_772_546_460))
    #expect(host.engine.state.currentPlaces == Self.places)
    #expect(host.engine.state.currentReminders.map(\.id) == ["r1"])
  }

  @Test func `a file of version 1 that cannot be read stays as it is`() throws {
    try make("version-1")
    var database: OpaquePointer?
    #expect(sqlite3_open(path, &database) == SQLITE_OK)
    #expect(
      sqlite3_exec(database, "UPDATE place SET geom = x'00' WHERE id = 'work'", nil, nil, nil)
        == SQLITE_OK
    )
    #expect(sqlite3_close(database) == SQLITE_OK)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: UserStoreError.self) {
      try UserStore(path: path, key: .besides(path), access: .edit)
    }
    #expect(error?.code == .damaged)
    #expect(error?.description.contains("work") ?? false)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(folder.names == ["user.db"])
  }
}
