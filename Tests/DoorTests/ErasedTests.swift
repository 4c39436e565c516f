import Basics
import Channels
import Foundation
import HTTPTypes
import LiveHost
import Testing
import Timeline

import Door
import UserStore

/// What is left of somebody who was erased, and who may read a door's files.
@Suite struct ErasedTests {
  /// What lies in a folder, of a person's name.
  private func files(in folder: String, of person: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
      .filter { $0.hasPrefix(person) }
  }

  private func told(_ door: TestDoor) -> [String] {
    ["told", "told-before"].map { door.folder + "/" + $0 }
  }

  /// Tells anna something in files, as it was told in two folders.
  private func tell(_ door: TestDoor) throws {
    for folder in told(door) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for name in ["anna", "annabel", "ben"] {
        let path = DoorStore.told(name, in: folder)
        try Data("news\n".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    try door.store.keepTold(in: told(door))
    try door.store.keepTold(in: [told(door)[0], door.folder + "/nowhere"])
  }

  private func expectErased(_ door: TestDoor) throws {
    for folder in told(door) {
      #expect(files(in: folder, of: "anna") == ["annabel.ndjson"])
      #expect(files(in: folder, of: "ben") == ["ben.ndjson"])
    }
    #expect(files(in: door.folder + "/people", of: "anna") == [])
    let log = try? Data(contentsOf: URL(fileURLWithPath: door.folder + "/door.sqlite-wal"))
    #expect((log ?? Data()).range(of: Data("anna".utf8)) == nil)
  }

  @Test func `who erases everything on the page is in no file of news, and not in the log`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      _ = try await door.letIn("phone", as: anna)
      try tell(door)
      let answer = try await door.ask(.post, "/erase", #"{"confirm":"ERASE"}"#, as: anna)
      #expect(answer.status == 204, "\(answer.text)")
      try expectErased(door)
    }
  }

  @Test func `whom a command erases is in no file of news, also where it was told once more`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      _ = try await door.ask(.post, "/reminders", #"{"title":"hello"}"#, as: anna)
      try tell(door)
      // As `nearme person remove anna --erase` does.
      let store = try DoorStore(DoorFolder(door.folder))
      try store.removePerson(door.anna)
      try UserStore.erase(door.folder + "/people/anna.db", withKey: true)
      try store.eraseTold(to: "anna")
      try expectErased(door)
      // The door tells something before it notices.
      try tell(door)
      await door.server.side.household.tidy()
      try expectErased(door)
    }
  }

  @Test func `who is removed, and not erased, keeps what was told`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      _ = try await door.ask(.post, "/reminders", #"{"title":"hello"}"#, as: anna)
      try tell(door)
      try DoorStore(DoorFolder(door.folder)).removePerson(door.anna)
      await door.server.side.household.tidy()
      #expect(files(in: told(door)[0], of: "anna").sorted() == ["anna.ndjson", "annabel.ndjson"])
    }
  }

  @Test func `a file that cannot be deleted is named, and the others go`() async throws {
    try await TestDoor.with { door in
      try tell(door)
      // A folder of that name is no file of ours.
      let path = DoorStore.told("anna", in: told(door)[0])
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let failure = #expect(throws: HostFailure.self) { try door.store.eraseTold(to: "anna") }
      #expect(failure?.description.contains("anna.ndjson") == true)
      #expect(files(in: told(door)[1], of: "anna") == ["annabel.ndjson"])
    }
  }

  @Test func `nobody else may read the files of a door in a folder that was there`() throws {
    let folder = NSTemporaryDirectory() + "door-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(
      atPath: folder,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755]
    )
    let store = try DoorStore(DoorFolder(folder))
    try store.addPerson("anna", at: Timestamp(milliseconds: 1_795_500_000_000))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasPrefix("door.sqlite") {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      let rights = try #require(attributes[.posixPermissions] as? Int)
      #expect(rights & 0o077 == 0, "\(name)")
    }
    withExtendedLifetime(store) {}
  }
}
