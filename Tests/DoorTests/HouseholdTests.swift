import Basics
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import LiveHost
import NIOCore
import NearMeEngine
import Phones
import Places
import Recurrence
import Testing
import Timeline
import Traces

import Door
import UserStore

extension TestDoor {
  /// What lies in the folder of people's databases of one person.
  fileprivate func files(of person: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder + "/people")
      .filter { $0.hasPrefix(person) }
  }
}

/// People who have not come in for a while, and phones that send what is of no use.
@Suite struct HouseholdTests {
  /// What a phone is answered that goes north past shops, where its desk is put away after each fix or never.
  ///
  /// - Parameter repeating: whether each fix comes once more, as if its answer had been lost.
  private func answers(puttingAway: Bool, repeating: Bool = false) async throws -> [String] {
    nonisolated(unsafe) var answers: [String] = []
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"pills","triggers":[{"category":"pharmacy"}]}"#,
        as: browser
      )
      var login = try await door.letIn("pixel", as: browser)
      // Which is told what regions to watch.
      login[.userAgent] = "Owntracks-Android/gms/420509000"
      let desk = door.server.side.household.desk(door.anna)
      for step in 0..<30 {
        // On the way, and then in a shop for ten minutes.
        door.clock.pass(.seconds(step < 20 ? 15 : 60))
        let seconds = door.clock.now().milliseconds / 1_000
        let latitude = 37.98 + Double(min(step, 20)) * 0.001
        let fix = #"{"_type":"location","lat":\#(latitude),"lon":-34,"acc":10,"tst":\#(seconds)}"#
        let answer = try await door.ask(.post, "//in/owntracks", fix, login)
        #expect(answer.status == 200)
        answers.append(answer.text)
        guard puttingAway else { continue }
        await desk.putAway()
        #expect(desk.sign.reading.usedAt == nil)
        guard repeating else { continue }
        let again = try await door.ask(.post, "//in/owntracks", fix, login)
        #expect(again.text == answer.text, "fix \(step)")
        await desk.putAway()
      }
      let told = try await door.ask(.get, "/notifications", as: browser)
      answers += told.items.map { $0["text"]?.text ?? "" }
    }
    return answers
  }

  @Test func `a desk that was put away goes on where it stood`() async throws {
    let kept = try await answers(puttingAway: false)
    #expect(kept.contains { $0.contains("setWaypoints") })
    #expect(kept.count > 30, "nothing was told")
    #expect(try await answers(puttingAway: true) == kept)
    #expect(try await answers(puttingAway: true, repeating: true) == kept)
  }

  @Test func `a phone that crosses a region of ours takes regions, though it never lists them`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      var login = try await door.letIn("pixel", as: browser)
      login[.userAgent] = "Owntracks-Android/gms/420509000"
      _ = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"pills","triggers":[{"category":"pharmacy"}]}"#,
        as: browser
      )
      var answers: [String] = []
      for step in 0..<30 {
        door.clock.pass(.minutes(1))
        let seconds = door.clock.now().milliseconds / 1_000
        let place = #""lat":\#(37.75 + Double(step) * 0.01),"lon":-34,"acc":10,"tst":\#(seconds)"#
        let body =
          step == 5
          ? #"{"_type":"transition","event":"leave","desc":"Near Me 01","wtst":946684801,\#(place)}"#
          : #"{"_type":"location",\#(place)}"#
        answers.append(try await door.ask(.post, "//in/owntracks", body, login).text)
      }
      #expect(answers.suffix(5).contains { $0.contains("setWaypoints") }, "\(answers.suffix(5))")
    }
  }

  @Test func `who is put away is told what is due, and what a command has changed is seen`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let household = door.server.side.household
      let desk = household.desk(door.anna)
      _ = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#,
        as: browser
      )
      _ = try await door.ask(.post, "/signals", #"{"signal":"unlock"}"#, as: browser)
      let shown = try #require(try await door.ask(.get, "/notifications", as: browser).items.first)
      let id = try #require(shown["reminders"]?.elements?.first?.text)
      let snoozed = try await door.ask(
        .post,
        "/reminders/\(id)/answers",
        #"{"action":"snooze","for_s":600}"#,
        as: browser
      )
      #expect(snoozed.status < 300, "\(snoozed.text)")
      await desk.putAway()
      let reading = desk.sign.reading
      #expect(reading.usedAt == nil && reading.next != nil)
      #expect(!reading.isDue(at: door.clock.now()))
      // What is set meanwhile takes no timer away.
      try await desk.renew()
      #expect(desk.sign.reading.next == reading.next)
      await desk.putAway()
      await household.goRound(1)
      #expect(desk.sign.reading.usedAt == nil)
      door.clock.pass(.minutes(11))
      await household.goRound(1)
      #expect(desk.sign.reading.usedAt != nil)
      #expect(try await door.ask(.get, "/notifications", as: browser).items.count == 1)
      // A command changes the file while nobody is there.
      await desk.putAway()
      let database = door.folder + "/people/anna.db"
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1)],
        ofItemAtPath: database
      )
      for round in 1...16 { await household.goRound(round) }
      #expect(desk.sign.reading.usedAt != nil)
    }
  }

  @Test func `what a command adds while the file is let go of is heard of`() async throws {
    try await TestDoor.with { door in
      let household = door.server.side.household
      let desk = household.desk(door.anna)
      let id = try await desk.edit { store in
        try store.addReminder(at: door.clock.now()) {
          Reminder(id: $0, title: "pills", target: .category(CategoryID("pharmacy")))
        }
        .get().id
      }
      #expect(desk.sign.reading.usedAt != nil)
      await desk.rest(closes: false)
      #expect(desk.sign.reading.isResting)
      let path = door.folder + "/people/anna.db"
      let command = try UserStore(path: path, key: .besides(path), access: .edit)
      door.clock.pass(.minutes(1))
      _ = try command.act(.mute, on: id, at: door.clock.now(), zone: .utc).get()
      try command.close()
      // Also on a disk whose times are coarse.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1)],
        ofItemAtPath: path
      )
      for round in 1...4 { await household.goRound(round) }
      // Of what is not taken in by now the engine knows nothing when it ends.
      await desk.putAway()
      let state = try #require(
        try UserStore(path: path, key: .besides(path), access: .look).load().state
      )
      #expect(state.currentReminders.map(\.isMuted) == [true])
    }
  }

  @Test(arguments: [false, true])
  func `whom a command removes with everything is gone, and nothing comes back`(
    isResting: Bool
  ) async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#,
        as: browser
      )
      _ = try await door.ask(.post, "/signals", #"{"signal":"unlock"}"#, as: browser)
      let household = door.server.side.household
      let desk = household.desk(door.anna)
      #expect(desk.sign.reading.usedAt != nil)
      if isResting { await desk.rest(closes: false) }
      // As `nearme person remove anna --erase` does.
      try DoorStore(DoorFolder(door.folder)).removePerson(door.anna)
      try UserStore.erase(door.folder + "/people/anna.db", withKey: true)
      await household.goRound(4)
      await household.tidy()
      #expect(desk.sign.reading.usedAt == nil)
      // Whoever still comes in finds nobody, and makes nothing.
      for desk in [desk, household.desk(door.anna)] {
        await #expect(throws: HostFailure.gone) { try await desk.edit { _ in } }
        await desk.tick()
        // For nobody nothing is tried again.
        #expect(desk.sign.reading.triesAgainAt == nil)
      }
      let late = household.desk(door.anna)
      await household.goRound(5)
      #expect(household.desk(door.anna) !== late)
      await household.endAll()
      #expect(try door.files(of: "anna") == [])
    }
  }

  @Test func `whoever is removed while the database is being opened gets no new one`() async throws
  {
    try await TestDoor.with { door in
      try door.store.removePerson(door.ben)
      #expect(throws: HostFailure.gone) {
        _ = try door.store.openDatabase(of: door.ben, policy: Policy())
      }
      #expect(try door.files(of: "ben") == [])
      // What was there before stays, where the command has not erased it.
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(.post, "/reminders", #"{"title":"hello"}"#, as: browser)
      await door.server.side.household.desk(door.anna).putAway()
      try door.store.removePerson(door.anna)
      #expect(throws: HostFailure.gone) {
        _ = try door.store.openDatabase(of: door.anna, policy: Policy())
      }
      let path = door.folder + "/people/anna.db"
      let store = try UserStore(path: path, key: .besides(path), access: .edit)
      #expect(try store.reminders().map(\.title) == ["hello"])
    }
  }

  @Test func `what comes in of somebody just removed is refused, and not kept`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      let household = door.server.side.household
      await household.desk(door.anna).putAway()
      try DoorStore(DoorFolder(door.folder)).removePerson(door.anna)
      let seconds = door.clock.now().milliseconds / 1_000
      let fix = #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds)}"#
      #expect(try await door.ask(.post, "//in/owntracks", fix, login).status >= 400)
      await household.tidy()
      let rest = try door.store.write { database in
        try Int.fetchOne(database, sql: "SELECT count(*) FROM intake")
      }
      #expect(rest == 0)
    }
  }

  @Test func `what the engine does not use, and a wrong password, stand under the phone`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      let now = door.clock.now().milliseconds / 1_000
      for seconds in [now, now - 60, now + 7_200] {
        let fix = #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds)}"#
        #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
      }
      var guess = HTTPFields()
      guess[.authorization] = "Basic " + Data("anna/pixel:guess".utf8).base64EncodedString()
      #expect(try await door.ask(.post, "//in/owntracks", "{}", guess).status == 401)
      await door.server.side.household.tidy()
      let phone = try await door.ask(.get, "/phones", as: browser).items.first
      let names = phone?["refusals"]?.elements?.compactMap { $0["name"]?.text }
      #expect(names == ["bad_credential", "future", "late"], "\(names ?? [])")
      #expect(phone?["advice"]?.elements?.map { $0["name"]?.text } == ["clock"])
    }
  }

  @Test(arguments: ["passed_over", "unusable"])
  func `what cannot be written down of a phone now is written later, once`(
    table: String
  )
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      for number in 0..<3 {
        _ = try await door.ask(.post, "//in/owntracks", "junk \(number)", login)
        let sql = [
          "ALTER TABLE \(table) RENAME TO away", "", "ALTER TABLE away RENAME TO \(table)",
        ]
        try door.store.write { database in try database.execute(sql: sql[number]) }
        await door.server.side.household.tidy()
      }
      await door.server.side.household.tidy()
      let (bodies, counted) = try door.store.write { database in
        (
          try Int.fetchOne(database, sql: "SELECT count(*) FROM unusable") ?? 0,
          try Int.fetchOne(database, sql: "SELECT sum(count) FROM passed_over") ?? 0
        )
      }
      #expect(bodies == 3 && counted == 3, "\(bodies), \(counted)")
    }
  }

  @Test func `a phone of which nothing can be used says what to do, and its charge is told`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      let advice = { () async throws -> [String?] in
        await door.server.side.household.tidy()
        let phone = try await door.ask(.get, "/phones", as: browser).items.first
        return phone?["advice"]?.elements?.map { $0["name"]?.text } ?? []
      }
      #expect(try await advice() == ["never_seen"])
      let hidden = #"{"_type":"encrypted","data":"AAAA"}"#
      #expect(try await door.ask(.post, "//in/owntracks", hidden, login).status == 200)
      #expect(try await advice() == ["no_fixes", "encrypted"])
      let seconds = door.clock.now().milliseconds / 1_000
      let far = #"{"_type":"location","lat":37.9,"lon":-34,"acc":5000,"tst":\#(seconds)}"#
      #expect(try await door.ask(.post, "//in/owntracks", far, login).status == 200)
      #expect(try await advice() == ["no_fixes", "encrypted"])
      door.clock.pass(.seconds(10))
      let fix =
        #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"batt":7,"bs":1,"tst":\#(seconds + 10)}"#
      #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
      #expect(try await advice() == ["encrypted"])
      let phone = try await door.ask(.get, "/phones", as: browser).items.first
      #expect(phone?["battery_percent"]?.double == 7)
    }
  }

  @Test func `NM-10.5: a phone that may not see where it is says what to allow`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pocket", as: browser)
      let seconds = door.clock.now().milliseconds / 1_000
      let fix = #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds)}"#
      #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
      for (word, name, advice) in [
        ("Denied", "location_denied", "always and precisely"),
        ("AuthorizedWhenInUse", "location_limited", "Always"), ("AuthorizedAlways", nil, nil),
      ] as [(String, String?, String?)] {
        let status =
          #"{"_type":"status","iOS":{"locationManagerAuthorizationStatus":"kCLAuthorizationStatus\#(word)"}}"#
        #expect(try await door.ask(.post, "//in/owntracks", status, login).status == 200)
        await door.server.side.household.tidy()
        let phone = try await door.ask(.get, "/phones", as: browser).items.first
        let told = phone?["advice"]?.elements ?? []
        #expect(told.compactMap { $0["name"]?.text } == (name.map { [$0] } ?? []), "\(word)")
        if let advice { #expect(told.first?["text"]?.text?.contains(advice) == true, "\(word)") }
      }
    }
  }

  @Test func `a phone whose clock is ahead puts nothing off`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      let now = door.clock.now()
      let seconds = now.milliseconds / 1_000 + 58
      let fix = #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds)}"#
      #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
      await door.server.side.household.tidy()
      let day = try await door.ask(.get, "/day", as: browser)
      let start = try #require(day["start"]?.text.flatMap { RFC3339.parse($0) })
      let at = try #require(day["track", "at", "0"]?.double)
      #expect(start + Milliseconds(Int64(at)) <= now)
    }
  }

  @Test
  func `a phone whose clock is behind is told to set it, and one that sends what it had is not`()
    async throws
  {
    for isBehind in [true, false] {
      try await TestDoor.with { door in
        let browser = try await door.signIn(door.anna)
        let login = try await door.letIn("pixel", as: browser)
        for step in 0..<8 as Range<Int64> {
          door.clock.pass(isBehind ? .minutes(5) : .seconds(1))
          let seconds = door.clock.now().milliseconds / 1_000 - (isBehind ? 3_600 : 7_200 - step)
          let fix = #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds)}"#
          #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
        }
        await door.server.side.household.tidy()
        let phones = try await door.ask(.get, "/phones", as: browser)
        #expect(phones.text.contains("Its clock is behind") == isBehind, "\(phones.text)")
      }
    }
  }

  @Test func `every name of what was not taken has words on the page`() async throws {
    try await TestDoor.with { door in
      let words = try await door.ask(.get, "//words.js").text
      let ours = ["bad_credential", "too_large", "repeated", "not_leading"]
      let names =
        IntakeRefusal.allCases.map(\.rawValue) + FixRefusal.allCases.map(\.rawValue) + ours
      for name in names { #expect(words.contains("\n  \(name): \""), "\(name)") }
    }
  }

  @Test func `who is removed while somebody adds a phone is not overlooked`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let household = door.server.side.household
      let desk = household.desk(door.ben)
      try await desk.edit { _ in }
      await household.tidy()
      #expect(desk.sign.reading.usedAt != nil)
      try DoorStore(DoorFolder(door.folder)).removePerson(door.ben)
      // The door reads everybody's phones anew.
      _ = try await door.letIn("pixel", as: browser)
      await household.tidy()
      #expect(desk.sign.reading.usedAt == nil && desk.sign.reading.isGone)
      #expect(household.desk(door.ben) !== desk)
    }
  }

  @Test func `a household that cannot read the door's file at first begins later`() async throws {
    try await TestDoor.with { door in
      let household = door.server.side.household
      try door.store.write { database in
        try database.execute(sql: "ALTER TABLE intake RENAME TO away")
      }
      let beginning = Task { await household.begin() }
      try await Task.sleep(for: .milliseconds(300))
      try door.store.write { database in
        try database.execute(sql: "ALTER TABLE away RENAME TO intake")
      }
      await beginning.value
      for person in [door.anna, door.ben] {
        #expect(household.desk(person).sign.reading.file != nil, "\(person.name)")
      }
    }
  }

  @Test func `whose file another host holds at the begin is tried again`() async throws {
    try await TestDoor.with { door in
      let household = door.server.side.household
      let holder = try HostLock(database: door.folder + "/people/ben.db")
      await household.begin()
      #expect(household.desk(door.ben).sign.reading.triesAgainAt != nil)
      #expect(household.desk(door.anna).sign.reading.triesAgainAt == nil)
      withExtendedLifetime(holder) {}
    }
  }

  @Test(.timeLimit(.minutes(10)), arguments: [true, false])
  func `whose file another program holds keeps nobody else waiting, and is told once it is free`(
    isOpen: Bool
  ) async throws {
    // As long as one attempt, and not as long as who came in would wait.
    try await leastTime(below: .seconds(8)) { try await roundsBesidesHeldFile(isOpen: isOpen) }
  }

  /// Goes four rounds while another program holds a person's file.
  ///
  /// - Returns: how long they took.
  private func roundsBesidesHeldFile(isOpen: Bool) async throws -> Duration {
    try await TestDoor.with { door in
      let household = door.server.side.household
      let (anna, ben) = (household.desk(door.anna), household.desk(door.ben))
      let start = try #require(WrittenTime("2026-11-24T09:00"))
      for desk in [anna, ben] {
        _ = try await desk.edit { store in
          try store.addReminder(at: door.clock.now()) {
            Reminder(id: $0, title: "pills", triggers: [.schedule(Schedule(start: start))])
          }
          .get().id
        }
        if !isOpen { await desk.putAway() }
      }
      let path = door.folder + "/people/anna.db"
      let other = try HeldFile(path)
      door.clock.pass(.minutes(181))
      let begin = ContinuousClock.now
      for round in 1...4 { await household.goRound(round) }
      let spent = begin.duration(to: .now)
      #expect(anna.sign.reading.triesAgainAt != nil)
      #expect((anna.sign.reading.usedAt != nil) == isOpen)
      #expect(ben.sign.reading.triesAgainAt == nil)
      #expect(try await !ben.edit { try $0.decisions(before: nil, of: nil, limit: 20) }.isEmpty)
      try other.letGo()
      for round in 1...600
      where anna.sign.reading.triesAgainAt != nil || anna.sign.reading.isDue(at: door.clock.now()) {
        await household.goRound(round)
        try await Task.sleep(for: .milliseconds(50))
      }
      #expect(anna.sign.reading.triesAgainAt == nil)
      await anna.putAway()
      let told = try UserStore(path: path, key: .besides(path), access: .look)
        .decisions(before: nil, of: nil, limit: 20)
      #expect(!told.isEmpty)
      return spent
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `timers go on while another program holds the door's own file`() async throws {
    try await leastTime(below: .seconds(5)) { try await timerBesidesHeldFile() }
  }

  /// Lets a timer come while what is written each second waits for another program, ten seconds long.
  ///
  /// - Returns: how long it took until that timer was no longer due.
  private func timerBesidesHeldFile() async throws -> Duration {
    try await TestDoor.with { door in
      let household = door.server.side.household
      let ben = household.desk(door.ben)
      let running = Task { await household.run() }
      // It has looked at everybody, of whom it knows the files by then.
      for _ in 0..<1_500 where ben.sign.reading.file == nil || ben.sign.reading.usedAt != nil {
        try await Task.sleep(for: .milliseconds(20))
      }
      let start = try #require(WrittenTime("2026-11-24T09:00"))
      _ = try await ben.edit { store in
        try store.addReminder(at: door.clock.now()) {
          Reminder(id: $0, title: "pills", triggers: [.schedule(Schedule(start: start))])
        }
        .get().id
      }
      #expect(ben.sign.reading.next != nil)
      let other = try HeldFile(door.folder + "/door.sqlite")
      // By now what is written each second waits for it.
      try await Task.sleep(for: .seconds(3))
      door.clock.pass(.minutes(181))
      let due = ContinuousClock.now
      for _ in 0..<1_500 where ben.sign.reading.isDue(at: door.clock.now()) {
        try await Task.sleep(for: .milliseconds(20))
      }
      let spent = due.duration(to: .now)
      try other.letGo()
      running.cancel()
      await running.value
      return spent
    }
  }

  @Test func `who comes in while another program holds the file waits, and what was asked is done`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(.post, "/reminders", #"{"title":"hello"}"#, as: browser)
      let other = try HeldFile(door.folder + "/people/anna.db")
      let adding = Task {
        try await door.ask(.post, "/reminders", #"{"title":"pills"}"#, as: browser)
      }
      // Longer than one attempt.
      try await Task.sleep(for: .seconds(1))
      try other.letGo()
      #expect(try await adding.value.status < 300)
      #expect(try await door.ask(.get, "/reminders", as: browser).items.count == 2)
    }
  }

  /// Each waited ten seconds by itself, one behind the other.
  @Test(.timeLimit(.minutes(10)))
  func
    `while another program holds the door's file, phones are told to come again, and what they bring then is there`()
    async throws
  {
    try await leastTime(below: .seconds(20)) {
      try await TestDoor.with { door in
        let browser = try await door.signIn(door.anna)
        let login = try await door.letIn("pixel", as: browser)
        func post() async throws -> Answer {
          door.clock.pass(.seconds(15))
          let seconds = door.clock.now().milliseconds / 1_000
          let fix = #"{"_type":"location","lat":38,"lon":-34,"acc":10,"tst":\#(seconds)}"#
          return try await door.ask(.post, "//in/owntracks", fix, login)
        }
        #expect(try await post().status == 200)
        // It is to be written down now that the session is in use.
        door.clock.pass(.minutes(61))
        let (other, begin) = (try HeldFile(door.folder + "/door.sqlite"), ContinuousClock.now)
        for _ in 0..<4 {
          let refused = try await post()
          #expect(refused.status == 503 && refused.headers[.retryAfter] != nil)
        }
        #expect(try await door.ask(.get, "/reminders", as: browser).status == 200)
        await door.server.side.household.tidy()
        let spent = begin.duration(to: .now)
        try other.letGo()
        for _ in 0..<4 { #expect(try await post().status == 200) }
        await door.server.side.household.tidy()
        let taken = try door.store.write {
          try Int.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'intake'")
        }
        #expect(taken == 5)
        return spent
      }
    }
  }

  @Test func `whom a command adds while the door runs has timers without coming in`() async throws {
    try await TestDoor.with { door in
      let household = door.server.side.household
      await household.begin()
      await household.tidy()
      let carl = try DoorStore(DoorFolder(door.folder)).addPerson("carl", at: door.clock.now())
      let path = door.folder + "/people/carl.db"
      let command = try UserStore(path: path, key: .besides(path))
      let start = try #require(WrittenTime("2026-11-24T09:00"))
      let made = try command.addReminder(at: door.clock.now()) {
        Reminder(id: $0, title: "pills", triggers: [.schedule(Schedule(start: start))])
      }
      _ = try made.get()
      try command.close()
      await household.tidy()
      let reading = household.desk(carl).sign.reading
      #expect(reading.next != nil && reading.usedAt == nil)
      door.clock.pass(.minutes(181))
      for round in 1...16 { await household.goRound(round) }
      await household.desk(carl).putAway()
      let told = try UserStore(path: path, key: .besides(path), access: .look)
        .decisions(before: nil, of: nil, limit: 20)
      #expect(!told.isEmpty)
    }
  }

  @Test func `whose settings cannot be read is tried again`() async throws {
    try await TestDoor.with { door in
      let household = door.server.side.household
      let desk = household.desk(door.anna)
      try await desk.edit { _ in }
      await household.tidy()
      try DoorStore(DoorFolder(door.folder))
        .write { database in try database.execute(sql: "ALTER TABLE channel RENAME TO away") }
      await household.tidy()
      #expect(desk.sign.reading.usedAt == nil && desk.sign.reading.triesAgainAt != nil)
      // The door's own change is none of a command's.
      try door.store.write { database in
        try database.execute(sql: "ALTER TABLE away RENAME TO channel")
      }
      await desk.tick()
      #expect(desk.sign.reading.usedAt != nil && desk.sign.reading.triesAgainAt == nil)
    }
  }

  @Test func `whom a command removes without more keeps the reminders, and is told nothing more`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(.post, "/reminders", #"{"title":"hello"}"#, as: browser)
      let household = door.server.side.household
      let desk = household.desk(door.anna)
      try DoorStore(DoorFolder(door.folder)).removePerson(door.anna)
      await household.tidy()
      #expect(desk.sign.reading.usedAt == nil)
      let path = door.folder + "/people/anna.db"
      let store = try UserStore(path: path, key: .besides(path), access: .edit)
      #expect(try store.reminders().map(\.title) == ["hello"])
      // Nobody holds on to it: another host may run on it.
      _ = try HostLock(database: path)
    }
  }

  /// A person's file goes on with another door: one that was made anew, or on another machine.
  @Test func `what phones say at another door is heard, whatever numbers the old one had reached`()
    async throws
  {
    let kept = NSTemporaryDirectory() + "kept-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: kept) }
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let unlock = #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#
      _ = try await door.ask(.post, "/reminders", unlock, as: browser)
      let login = try await door.letIn("pixel", as: browser)
      for _ in 0..<5 {
        let answer = try await door.ask(.post, "//in/signals", #"{"signal":"car"}"#, login)
        #expect(answer.status == 200)
      }
      await door.server.side.household.desk(door.anna).putAway()
      try FileManager.default.copyItem(atPath: door.folder + "/people", toPath: kept)
    }
    try await TestDoor.with { door in
      try FileManager.default.removeItem(atPath: door.folder + "/people")
      try FileManager.default.moveItem(atPath: kept, toPath: door.folder + "/people")
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      let answer = try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, login)
      #expect(answer.status == 200)
      #expect(try await door.ask(.get, "/notifications", as: browser).items.count == 1)
    }
  }

  /// The person's file is as a kill would have left it: what came in is in the log and not taken in.
  @Test func `what came in before a kill is not lost where the log cannot be read at first`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let unlock = #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#
      _ = try await door.ask(.post, "/reminders", unlock, as: browser)
      let login = try await door.letIn("pixel", as: browser)
      let car = try await door.ask(.post, "//in/signals", #"{"signal":"car"}"#, login)
      #expect(car.status == 200)
      let path = door.folder + "/people/anna.db"
      await door.server.side.household.desk(door.anna).putAway()
      try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
      let heard = try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, login)
      #expect(heard.status == 200)
      await door.server.side.household.endAll()
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
      let again = try door.restarted()
      let desk = again.side.household.desk(door.anna)
      try door.store.write { database in
        try database.execute(sql: "ALTER TABLE intake RENAME TO away")
      }
      await #expect(throws: HostFailure.self) { try await desk.edit { _ in } }
      #expect(desk.sign.reading.usedAt == nil && desk.sign.reading.triesAgainAt != nil)
      try door.store.write { database in
        try database.execute(sql: "ALTER TABLE away RENAME TO intake")
      }
      // Whoever comes in next finds what was left.
      try await desk.edit { _ in }
      await desk.putAway()
      let rows = try UserStore(path: path, key: .besides(path), access: .look)
        .decisions(before: nil, of: nil, limit: 20)
      #expect(rows.count == 1)
      await again.side.household.endAll()
    }
  }

  /// The file that numbers what comes in is put back, and the person's own is not.
  @Test func `what phones say at a door that was put back is heard, body by body`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let unlock = #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#
      _ = try await door.ask(.post, "/reminders", unlock, as: browser)
      let login = try await door.letIn("pixel", as: browser)
      func say(_ name: String, _ door: TestDoor) async throws {
        let answer = try await door.ask(.post, "//in/signals", #"{"signal":"\#(name)"}"#, login)
        #expect(answer.status == 200)
      }
      for _ in 0..<3 { try await say("car", door) }
      let copy = door.folder + "/copy.sqlite"
      try await DatabaseQueue(path: door.folder + "/door.sqlite").vacuum(into: copy)
      for _ in 0..<20 { try await say("car", door) }
      await door.server.side.household.endAll()
      for end in ["-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: door.folder + "/door.sqlite" + end)
      }
      let path = URL(fileURLWithPath: door.folder + "/door.sqlite")
      try FileManager.default.removeItem(at: path)
      try FileManager.default.moveItem(atPath: copy, toPath: path.path)
      let again = try door.restarted()
      let desk = again.side.household.desk(door.anna)
      let client = RouterClient(again)
      for number in 0..<3 {
        let body = #"{"signal":"unlock","id":"\#(number)"}"#
        let reply = try await client.execute(
          uri: "/in/signals",
          method: .post,
          headers: login,
          body: ByteBuffer(string: body)
        )
        #expect(reply.status == .ok)
        // Also where nobody is there for a while.
        await desk.rest(closes: true)
      }
      let rows = try UserStore(
        path: door.folder + "/people/anna.db",
        key: .besides(door.folder + "/people/anna.db"),
        access: .edit
      )
      .decisions(before: nil, of: nil, limit: 20)
      #expect(rows.count == 3)
      await again.side.household.endAll()
    }
  }

  @Test
  func `CTX-7.2a: what a phone tells of its battery is heeded, that of the leading phone alone`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let leading = try await door.letIn("pixel", as: browser)
      let other = try await door.letIn("tablet", as: browser)
      let desk = door.server.side.household.desk(door.anna)
      func level(after battery: String, _ login: HTTPFields) async throws -> String? {
        door.clock.pass(.minutes(1))
        let seconds = door.clock.now().milliseconds / 1_000
        let fix =
          #"{"_type":"location","lat":37.98,"lon":-34,"acc":10,"tst":\#(seconds),\#(battery)}"#
        #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
        await desk.putAway()
        let path = door.folder + "/people/anna.db"
        let store = try UserStore(path: path, key: .besides(path), access: .look)
        let state = try JSONEncoder().encode(try store.load().state)
        let whole = try JSONSerialization.jsonObject(with: state) as? [String: Any]
        let part = (whole?["surroundings"] as? [String: Any])?["state"] as? [String: Any]
        return (part?["power"] as? [String: Any])?["level"] as? String
      }
      #expect(try await level(after: #""batt":40,"bs":1"#, leading) == "normal")
      #expect(try await level(after: #""batt":18,"bs":1"#, leading) == "saving")
      #expect(try await level(after: #""batt":90,"bs":1"#, other) == "saving")
      #expect(try await level(after: #""batt":8,"bs":1"#, leading) == "sparing")
      #expect(try await level(after: #""batt":9,"bs":2"#, leading) == "normal")
    }
  }

  @Test func `of bodies of no use the newest are kept, and no more than a phone's share`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      for number in 0..<30 {
        let junk = "junk \(number) " + String(repeating: "x", count: 100_000)
        _ = try await door.ask(.post, "//in/owntracks", junk, login)
        if number % 3 == 0 { await door.server.side.household.tidy() }
      }
      await door.server.side.household.tidy()
      let (bytes, newest, all) = try door.store.write { database in
        (
          try Int.fetchOne(database, sql: "SELECT sum(length(body)) FROM unusable") ?? 0,
          try Int.fetchOne(database, sql: "SELECT max(serial) FROM unusable") ?? 0,
          try Int.fetchOne(database, sql: "SELECT sum(count) FROM passed_over") ?? 0
        )
      }
      #expect((700_000...(1 << 20)).contains(bytes), "\(bytes)")
      #expect(newest == 30 && all == 30)
    }
  }

  @Test func `what could not be let go of a phone's share is let go of with the next look`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let login = try await door.letIn("pixel", as: browser)
      try door.store.write { database in
        try database.execute(
          sql: """
            CREATE TRIGGER stays BEFORE DELETE ON unusable BEGIN SELECT RAISE(ABORT, 'not now'); END
            """
        )
      }
      for number in 0..<15 {
        let junk = "junk \(number) " + String(repeating: "x", count: 100_000)
        _ = try await door.ask(.post, "//in/owntracks", junk, login)
        if number % 3 == 2 { await door.server.side.household.tidy() }
      }
      func bytes() throws -> Int {
        try door.store.write { database in
          try Int.fetchOne(database, sql: "SELECT sum(length(body)) FROM unusable") ?? 0
        }
      }
      #expect(try bytes() > 1 << 20)
      try door.store.write { try $0.execute(sql: "DROP TRIGGER stays") }
      await door.server.side.household.tidy()
      #expect(try bytes() <= 1 << 20)
    }
  }
}

/// A file that another program writes to, and does not end.
final class HeldFile: Sendable {
  private let queue: DatabaseQueue

  init(_ path: String) throws {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    configuration.busyMode = .timeout(10)
    queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.inDatabase { try $0.beginTransaction(.immediate) }
  }

  /// Ends it; nothing was written.
  func letGo() throws {
    try queue.inDatabase { try $0.rollback() }
    try queue.close()
  }
}

extension Desk {
  /// Puts it away as a household does: once nothing of it is being delivered any more.
  fileprivate func putAway() async {
    for _ in 0..<3_000 {
      await rest(closes: true)
      if sign.reading.usedAt == nil { return }
      try? await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("a desk was still open after 30 seconds")
  }
}

/// Expects that something takes less than a bound of time in one of some tries: a machine with other things to do holds
/// one of them up, and not each.
private func leastTime(below bound: Duration, _ body: () async throws -> Duration) async throws {
  var least: Duration?
  for _ in 1...5 {
    let spent = try await body()
    least = min(least ?? spent, spent)
    if spent < bound { break }
  }
  #expect(least.map { $0 < bound } == true, "\(String(describing: least)) of five tries")
}
