import FaultyDisk
import Foundation
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces
import UserStore

/// What a host and the commands do with a user database.
@Suite struct UserStoreTests {
  @Test func `CTX-13.1, MOM-5, TODO-FR5: what is added is there after opening again`() throws {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    let trash = try user.add("take out the trash", at: home)
    let meds = try user.add("pick up the prescription", "pharmacy", notes: "ask for the generic")
    try user.store.close()
    let again = try user.open()
    #expect(try again.places().map(\.name) == ["Home"])
    #expect(try again.reminders() == [trash, meds])
    #expect([home.id, trash.id, meds.id] == ["p1", "r1", "r2"])
    #expect(try again.entitlement() == .free)
    #expect(again.identity == user.store.identity)
  }

  /// Each write is a page or less and a sync some milliseconds, so that 100 ms are enough for all of them.
  @Test func `TODO-NFR5: what is added is on the disk after a few writes, however many there are`()
    throws
  {
    FaultyDisk.install()
    let user = try User()
    try user.store.setEntitlement(.premium, at: user.tick())
    FaultyDisk.plan(user.path, .broken, atWrite: nil)
    var writes: [Int] = []
    for number in 0..<101 {
      let before = FaultyDisk.writes(user.path)
      _ = try user.add("number \(number)", "bank")
      writes.append(FaultyDisk.writes(user.path) - before)
    }
    #expect(writes.allSatisfy { (1...80).contains($0) }, "\(writes)")
    #expect(writes[90...].reduce(0, +) < 2 * writes[..<11].reduce(0, +), "\(writes)")
    #expect(try user.store.reminders().count == 101)
    try user.store.close()
    try FaultyDisk.repair(user.path)
  }

  @Test func `an id is never given twice`() throws {
    let user = try User()
    let first = try user.add("one", "bank")
    _ = try user.store.deleteReminder(first.id, at: user.tick()).get()
    #expect(try user.add("two", "bank").id == "r2")
  }

  @Test func `ids of one's own are taken, unless they cannot be told apart`() throws {
    let user = try User()
    let meds = try user.store.addReminder(id: "meds", at: user.tick()) {
      Reminder(id: $0, title: "pills", target: .category(CategoryID("pharmacy")))
    }
    #expect(try meds.get().id == "meds")
    for (id, refusal) in [
      ("meds", EditRefusal.idTaken("meds")), ("r7", .badID("r7")), ("", .badID("")),
      ("a b", .badID("a b")), ("-x", .badID("-x")), ("ä", .badID("ä")),
    ] {
      let again = try user.store.addReminder(id: id, at: user.tick()) {
        Reminder(id: $0, title: "pills", target: .category(CategoryID("pharmacy")))
      }
      #expect(throws: refusal) { try again.get() }
    }
  }

  @Test func `CTX-13.2: what a host commits is there at its next start, and the inbox is used up`()
    throws
  {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    var host = try Host(user)
    #expect(host.engine.state.currentReminders.map(\.id) == ["r1"])
    try host.fix(39.50, -76.59, at: user.tick())
    try host.fix(39.29, -76.59, at: user.tick(minutes: 30))
    let stored = try user.store.load()
    #expect(stored.state == host.engine.state)
    #expect(stored.host == Data("1".utf8))
    #expect(stored.inbox.isEmpty)
    let outbox = try user.store.unperformed()
    #expect(!outbox.isEmpty)
    try user.store.putOff(outbox[0].key, until: user.tick(), attempts: 3)
    #expect(try user.store.unperformed()[0].attempts == 3)
    #expect(try user.store.unperformed()[0].notBefore == user.now)
    try user.store.markPerformed(outbox.map(\.key))
    #expect(try user.store.unperformed().isEmpty)
  }

  @Test func `a state survives the store bit for bit`() throws {
    let user = try User()
    _ = try user.add("pick up the prescription", "pharmacy")
    var host = try Host(user)
    for step in 0..<40 {
      try host.fix(39.29 + Double(step) * 0.001, -76.59, at: user.tick(minutes: 1))
      #expect(try user.open().load().state == host.engine.state)
    }
  }

  @Test func `of two hosts the one that comes late is told`() throws {
    let user = try User()
    _ = try user.add("pick up the prescription", "pharmacy")
    let other = try user.open()
    let stored = try other.load()
    var host = try Host(user)
    try host.fix(39.29, -76.59, at: user.tick())
    let error = #expect(throws: UserStoreError.self) {
      try other.commit(Turn(state: stored.state ?? EngineState()))
    }
    #expect(error?.code == .stateMoved)
    #expect(try user.open().load().state == host.engine.state)
    // It has to begin again from what is stored, and is told so as often as it does not.
    let again = #expect(throws: UserStoreError.self) {
      try other.commit(Turn(state: stored.state ?? EngineState()))
    }
    #expect(again?.code == .notLoaded)
    let newest = try #require(try other.load().state)
    try other.commit(Turn(state: newest))
  }

  @Test func `a file that is deleted while it rests is not made anew`() throws {
    let user = try User()
    _ = try user.add("one", "bank")
    let stored = try user.store.load()
    try user.store.rest()
    _ = try user.add("two", "bank")
    try user.store.rest()
    try UserStore.erase(user.path, withKey: true)
    for code in [UserStoreError.Code.missing, .notLoaded] {
      let error = #expect(throws: UserStoreError.self) {
        try user.store.commit(Turn(state: stored.state ?? EngineState()))
      }
      #expect(error?.code == code)
      #expect(!FileManager.default.fileExists(atPath: user.path))
    }
  }

  @Test func `what the engine changed by itself is in the list, what the user changed since stays`()
    throws
  {
    let user = try User()
    let home = try user.add(place: "Home", .home, 39.29, -76.59)
    _ = try user.add("take out the trash", at: home)
    _ = try user.store.act(.snoozeUntilNextArrival, on: "r1", at: user.tick(), zone: .utc).get()
    var host = try Host(user)
    try host.fix(39.50, -76.59, at: user.tick())
    #expect(try user.store.reminders()[0].snooze == .untilNextArrival)
    // The user mutes it while the arrival that ends the snooze is on its way to the store.
    let muting = try user.open()
    try host.arrive(39.29, -76.59, at: user.tick(minutes: 30)) {
      _ = try muting.act(.mute, on: "r1", at: user.now, zone: .utc).get()
    }
    #expect(try user.store.reminders()[0].isMuted)
    try host.takeInbox()
    let listed = try user.store.reminders()[0]
    #expect(listed.isMuted)
    #expect(listed == host.engine.state.currentReminders[0])
    #expect(listed.snooze == nil)
  }

  @Test func `the number of the data changes with another connection's edit only`() throws {
    let user = try User()
    let other = try user.open()
    let before = try user.store.dataVersion()
    _ = try user.add("one", "bank")
    #expect(try user.store.dataVersion() == before)
    let place = try other.addPlace(at: user.tick()) {
      Place(
        id: $0,
        name: "Home",
        kind: .home,
        coordinate: Coordinate(uncheckedLatitude: 1, longitude: 2)
      )
    }
    #expect(try place.get().id == "p1")
    #expect(try user.store.dataVersion() != before)
  }

  @Test func `the number of the data changes with an edit that was made while the file rested`()
    throws
  {
    let user = try User()
    let before = try user.store.dataVersion()
    try user.store.rest()
    let other = try user.open()
    _ =
      try other.addReminder(at: user.tick()) {
        Reminder(id: $0, title: "pills", target: .category(CategoryID("pharmacy")))
      }
      .get()
    #expect(try user.store.dataVersion() != before)
    let opened = try user.store.dataVersion()
    #expect(try user.store.dataVersion() == opened)
  }
}
