import Basics
import Channels
import Foundation
import GRDB
import HTTPTypes
import LiveHost
import TimeZones
import Testing
import Timeline

import Door

/// One mail a date with what is to be done.
@Suite struct DailyMailTests {
  private static let zone = UTCOffsetTable.utc

  private static func date(_ text: String) throws -> CivilDate {
    let parts = text.split(separator: "-").compactMap { Int($0) }
    return try #require(CivilDate(year: parts[0], month: parts[1], day: parts[2]))
  }

  private static func task(_ id: String, due: String? = nil, recurs: Bool = false) -> DailyList.Task
  {
    DailyList.Task(
      id: id,
      title: "do \(id)",
      due: due.flatMap { RFC3339.parse($0) },
      recurs: recurs
    )
  }

  private static func list(
    _ tasks: [DailyList.Task],
    _ memory: DailyMemory,
    _ mode: DailyMail.Mode,
    _ day: String
  ) throws -> DailyList {
    DailyList(tasks, after: memory, mode: mode, on: try date(day), in: zone)
  }

  // MARK: When

  /// Each date of three years has one mail, at its time by the clock on the wall, in every zone that this system knows.
  @Test func `TODO-NFR10, TODO-FR15: every zone has one mail for each date, at its time`() throws {
    let names = TimeZone.knownTimeZoneIdentifiers.sorted()
    let anna = try MailAddress("anna@example.org")
    var (zones, gaps) = (0, 0)
    for name in names {
      guard let zone = SystemZones().zone(named: name) else { continue }
      zones += 1
      for minute in [0, 150, 6 * 60, 23 * 60 + 30] {
        let mail = DailyMail(to: anna, minuteOfDay: minute)
        var now = try #require(RFC3339.parse("2025-12-30T12:00:00Z"))
        let end = try #require(RFC3339.parse("2029-01-02T12:00:00Z"))
        var last = zone.local(at: now).date
        while now < end {
          let due = mail.next(after: now, mailedFor: last, in: zone)
          let (date, shown) = zone.local(at: due)
          #expect(due > now && date.daysSinceEpoch == last.daysSinceEpoch + 1, "\(name) \(date)")
          if shown != minute {
            // Clocks jump over it: a moment before they show less, and now more; or the next date begins then.
            gaps += 1
            let before = zone.local(at: due - Milliseconds(1))
            let isAfter = (before.date < date || before.minuteOfDay < minute) && shown > minute
            #expect(isAfter || zone.local(at: due + .minutes(1)).date > date, "\(name) \(date)")
          }
          // Where clocks show it twice, the first time.
          let anHourBefore = zone.local(at: due - .minutes(60))
          #expect(anHourBefore.date < date || anHourBefore.minuteOfDay != minute, "\(name) \(date)")
          (now, last) = (due, date)
        }
      }
    }
    #expect(zones > 300 && gaps > 50, "\(zones) zones, \(gaps) gaps")
  }

  @Test func `TODO-FR8, TODO-NFR10: it is six where nobody says otherwise, also after a journey`()
    throws
  {
    let mail = DailyMail(to: try MailAddress("anna@example.org"))
    #expect(mail.minuteOfDay == 360 && mail.mode == .carryOver)
    let auckland = try #require(SystemZones().zone(named: "Pacific/Auckland"))
    let honolulu = try #require(SystemZones().zone(named: "Pacific/Honolulu"))
    let due = mail.next(
      after: try #require(RFC3339.parse("2026-06-09T12:00:00Z")),
      mailedFor: nil,
      in: auckland
    )
    #expect(RFC3339.format(due) == "2026-06-09T18:00:00Z")
    // In Honolulu it is still the ninth; the tenth has had its mail.
    let next = mail.next(after: due, mailedFor: auckland.local(at: due).date, in: honolulu)
    #expect(RFC3339.format(next) == "2026-06-11T16:00:00Z")
  }

  // MARK: What

  @Test func `TODO-FR9, TODO-FR16b, TODO-FR18: carried over, with the day since when`() throws {
    let tasks = [
      Self.task("milk"), Self.task("call", due: "2026-03-03T15:00:00Z"),
      Self.task("water", due: "2026-03-05T09:00:00Z", recurs: true),
    ]
    let first = try Self.list(tasks, DailyMemory(), .carryOver, "2026-03-02")
    #expect(
      first.lines == [
        "Monday, March 2", "", "- do call — due tomorrow, 15:00", "- do milk",
      ]
    )
    let second = try Self.list(tasks + [Self.task("new")], first.memory, .carryOver, "2026-03-03")
    #expect(
      second.lines.dropFirst(2) == [
        "- do call — due today, 15:00 (from yesterday)", "- do milk (from yesterday)", "- do new",
      ]
    )
    #expect(second.subject(on: try Self.date("2026-03-03")) == "3 things to do: Tuesday, March 3")
    let third = try Self.list(tasks, second.memory, .carryOver, "2026-03-05")
    #expect(
      third.lines.dropFirst(2) == [
        "- do call — due Tue, Mar 3, 15:00 (from Mon)", "- do water — due today, 09:00",
        "- do milk (from Mon)",
      ]
    )
    let late = try Self.list(tasks, third.memory, .carryOver, "2027-01-20")
    #expect(late.lines.last == "- do milk (from Mon, Mar 2 2026)")
  }

  @Test func `TODO-FR9, TODO-FR16a, TODO-FR29: each in one mail, and no mode loses a thing`() throws
  {
    let old = [Self.task("milk"), Self.task("bread")]
    let first = try Self.list(old, DailyMemory(), .freshStart, "2026-03-02")
    #expect(first.lines.dropFirst(2) == ["- do bread", "- do milk"])
    let daily = Self.task("pills", due: "2026-03-03T08:00:00Z", recurs: true)
    let second = try Self.list(
      old + [Self.task("new"), daily],
      first.memory,
      .freshStart,
      "2026-03-03"
    )
    #expect(second.lines.dropFirst(2) == ["- do pills — due today, 08:00", "- do new"])
    // What was done is forgotten: opened again it is new.
    let third = try Self.list([Self.task("milk")], second.memory, .freshStart, "2026-03-04")
    #expect(third.count == 0 && third.memory.mailed.map(\.id) == ["milk"])
    let fourth = try Self.list(old, third.memory, .freshStart, "2026-03-05")
    #expect(fourth.lines.dropFirst(2) == ["- do bread"])
    let other = try Self.list(old, fourth.memory, .carryOver, "2026-03-06")
    #expect(other.lines.dropFirst(2) == ["- do bread (from yesterday)", "- do milk (from Mon)"])
  }

  @Test func `a time that was missed is in one mail of a fresh start, and carried over in all`()
    throws
  {
    let pills = Self.task("pills", due: "2026-03-02T08:00:00Z", recurs: true)
    let first = try Self.list([pills], DailyMemory(), .freshStart, "2026-03-02")
    #expect(first.lines.dropFirst(2) == ["- do pills — due today, 08:00"])
    let second = try Self.list([pills], first.memory, .freshStart, "2026-03-03")
    #expect(second.count == 0)
    let carried = try Self.list([pills], first.memory, .carryOver, "2026-03-03")
    #expect(carried.lines.dropFirst(2) == ["- do pills — due yesterday, 08:00"])
    // It came after yesterday's mail had gone out, or while the door was away: it is news.
    let late = Self.task("pills", due: "2026-03-04T23:30:00Z", recurs: true)
    let after = try Self.list([late], second.memory, .freshStart, "2026-03-06")
    #expect(after.lines.dropFirst(2) == ["- do pills — due Wed, Mar 4, 23:30"])
  }

  @Test func `a date is mailed without the hour at which it is told`() throws {
    let due = RFC3339.parse("2026-03-06T09:00:00Z")
    let task = DailyList.Task(id: "rent", title: "rent", due: due, recurs: false, isOfDates: true)
    let list = try Self.list([task], DailyMemory(), .carryOver, "2026-03-02")
    #expect(list.lines.dropFirst(2) == ["- rent — due Fri"])
  }

  // MARK: At a door

  /// A mail program that keeps what it is given, each in a file, and ends as a file says.
  private struct Post {
    let folder: String

    init() throws {
      folder = NSTemporaryDirectory() + "post-\(UInt64.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try #"""
      #!/bin/sh
      n=$(ls "\#(folder)" | grep -c '^mail')
      cat > "\#(folder)/mail$n"
      while [ -e "\#(folder)/hold" ]; do sleep 0.05; done
      exit $(cat "\#(folder)/status" 2>/dev/null || echo 0)
      """#
      .write(toFile: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
    }

    var program: String { folder + "/sendmail" }

    func end(with status: Int) throws {
      try "\(status)".write(toFile: folder + "/status", atomically: true, encoding: .utf8)
    }

    /// Has it take mails and not end, until it is let go.
    func hold() throws {
      try "".write(toFile: folder + "/hold", atomically: true, encoding: .utf8)
    }

    func letGo() { try? FileManager.default.removeItem(atPath: folder + "/hold") }

    func mails() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("mail") }
        .sorted()
        .map { try String(contentsOfFile: folder + "/" + $0, encoding: .utf8) }
    }

    func offer(_ configuration: inout DoorConfiguration) throws {
      configuration.channels.mail = (try MailAddress("nearme@example.org"), [program])
    }
  }

  /// Runs a body with a door that can mail, somebody who is signed in, and what is mailed.
  private func atDoor(
    _ body: @escaping @Sendable (TestDoor, Browser, Post) async throws -> Void
  ) async throws {
    let post = try Post()
    defer { try? FileManager.default.removeItem(atPath: post.folder) }
    try await TestDoor.with({ try? post.offer(&$0) }) { door in
      try await body(door, try await door.signIn(door.anna), post)
    }
  }

  private func set(_ door: TestDoor, _ anna: Browser, _ json: String) async throws -> Answer {
    let settings = try await door.ask(.get, "/settings", as: anna)
    var headers = anna.headers
    headers[.ifMatch] = settings.etag
    return try await door.ask(.put, "/settings", #"{"daily_mail":\#(json)}"#, headers)
  }

  private func add(_ door: TestDoor, _ anna: Browser, _ title: String) async throws {
    let made = try await door.ask(
      .post,
      "/reminders",
      #"{"title":"\#(title)","triggers":[{"signal":"unlock"}]}"#,
      as: anna
    )
    #expect(made.status == 201, "\(made.text)")
  }

  // MARK: Addresses of others

  /// Runs a body with a door that asks at addresses first.
  private func atAskingDoor(
    _ body: @escaping @Sendable (TestDoor, Browser, Post) async throws -> Void
  ) async throws {
    let post = try Post()
    defer { try? FileManager.default.removeItem(atPath: post.folder) }
    try await TestDoor.with({
      try? post.offer(&$0)
      $0.channels.asks = true
    }) { door in
      try await body(door, try await door.signIn(door.anna), post)
    }
  }

  /// The path of the link in the newest of so many mails.
  private func link(_ count: Int, _ post: Post) async throws -> String {
    for _ in 0..<800 where try post.mails().count < count {
      try await Task.sleep(for: .milliseconds(25))
    }
    let mails = try post.mails()
    #expect(mails.count == count)
    let mail = try #require(mails.last).replacing("\r\n", with: "\n").replacing("=\n", with: "")
    let begin = try #require(mail.range(of: "/c/")?.upperBound)
    return "//c/" + mail[begin...].prefix(52)
  }

  @Test func `nobody is mailed each day who has not said yes`() async throws {
    try await atAskingDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"ben@example.org"}"#).status == 200)
      try await add(door, anna, "buy milk")
      let path = try await link(1, post)
      #expect(try post.mails()[0].contains("To: <ben@example.org>"))
      #expect(!(try post.mails()[0].contains("milk")))
      // The same address is not asked again, whatever else is set.
      #expect(try await set(door, anna, #"{"to":"ben@example.org","at":"06:30"}"#).status == 200)
      door.clock.pass(.minutes(24 * 60 + 31))
      await mails.work()
      let asked = try await door.ask(.get, "/daily-mail", as: anna)["trouble"]?.text
      #expect(asked?.contains("a link was sent") == true)
      // Programs look at links.
      for _ in 0..<2 {
        let page = try await door.ask(.get, path)
        #expect(page.status == 200 && page.text.contains("anna wants the reminders"))
      }
      #expect(try post.mails().count == 1)
      #expect(try await door.ask(.get, path + "a").status == 404)
      #expect(try await door.ask(.post, path).status == 200)
      #expect(try await door.ask(.post, path).status == 404)
      door.clock.pass(.minutes(90))
      await mails.work()
      #expect(try post.mails().last?.contains("milk") == true)
      let told = try await door.ask(.get, "/daily-mail", as: anna)["trouble"]
      #expect(told?.text == nil)
    }
  }

  @Test func `a channel to an address waits for its yes, and an example asks again`() async throws {
    try await atAskingDoor { door, anna, post in
      let settings = try await door.ask(.get, "/settings", as: anna)
      let channels = #"{"channels":[{"id":"post","type":"mail","to":"ben@example.org"}]}"#
      let put = try await door.ask(
        .put,
        "/settings",
        channels,
        as: anna,
        [(.ifMatch, try #require(settings.etag))]
      )
      #expect(put.status == 200, "\(put.text)")
      let first = try await link(1, post)
      let list = try await door.ask(.get, "/channels", as: anna)
      #expect(list["items", "0", "trouble"]?.text?.contains("a link was sent") == true)
      let example = try await door.ask(.post, "/channels/post/test", as: anna)
      #expect(example["outcome"]?.text == "put_off", "\(example.text)")
      let second = try await link(2, post)
      #expect(try await door.ask(.post, first).status == 404)
      // Another life knows it, too, and a link is not good for ever.
      #expect(try door.store.unconfirmed(of: door.anna).count == 1)
      door.clock.pass(.minutes(4 * 24 * 60))
      #expect(try await door.ask(.post, second).status == 404)
      _ = try await door.ask(.post, "/channels/post/test", as: anna)
      let third = try await link(3, post)
      #expect(try await door.ask(.post, third).status == 200)
      #expect(try door.store.unconfirmed(of: door.anna).isEmpty)
      #expect(try await door.ask(.get, "/channels", as: anna)["items", "0", "trouble"]?.text == nil)
      let told = try await door.ask(.post, "/channels/post/test", as: anna)
      #expect(told["outcome"]?.text == "delivered", "\(told.text)")
    }
  }

  @Test func `what somebody loops over is not asked without end`() async throws {
    try await atAskingDoor { door, anna, _ in
      var (asked, refused) = (0, 0)
      for i in 0..<30 {
        let answer = try await set(door, anna, #"{"to":"a\#(i)@example.org"}"#)
        if answer.status == 200 { asked += 1 } else { refused = answer.status }
      }
      // A few come back while this runs.
      #expect((20..<30).contains(asked) && refused == 429, "\(asked)")
      #expect(try door.store.unconfirmed(of: door.anna).count == 1)
    }
  }

  @Test func `what could not be noted is not mailed, and once it can be, it is mailed once`()
    async throws
  {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"anna@example.org"}"#).status == 200)
      try await add(door, anna, "buy milk")
      door.clock.pass(.minutes(24 * 60))
      let other = try HeldFile(door.folder + "/door.sqlite")
      for _ in 0..<3 { await mails.work() }
      #expect(try post.mails() == [])
      try other.letGo()
      for _ in 0..<3 { await mails.work() }
      #expect(try post.mails().count == 1)
    }
  }

  @Test
  func `TODO-FR15, TODO-FR17, TODO-FR18: one plain mail a date, tried again until it is taken`()
    async throws
  {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      let made = try await set(door, anna, #"{"to":"anna@example.org"}"#)
      #expect(made.status == 200 && made["daily_mail", "at"]?.text == "06:00")
      #expect(made["daily_mail", "mode"]?.text == "carry_over")
      try await add(door, anna, "buy milk")
      try await add(door, anna, "Käse, see https://shop.example")
      await mails.work()
      #expect(try post.mails() == [])
      // The clock of the tests begins at six in UTC: the next one is tomorrow's.
      let next = try await door.ask(.get, "/daily-mail", as: anna)
      #expect(next["offered"]?.compact == "true" && next["trouble"]?.text == nil)
      let due = try #require(next["next"]?.text.flatMap { RFC3339.parse($0) })
      #expect(Self.zone.local(at: due).minuteOfDay == 360 && due > door.clock.now())
      door.clock.pass(due - door.clock.now())
      // A server of another machine is away: nothing counts as mailed.
      try post.end(with: 75)
      await mails.work()
      await mails.work()
      #expect(try post.mails().count == 1)
      #expect(
        try await door.ask(.get, "/daily-mail", as: anna)["trouble"]?.text == "exit status 75"
      )
      #expect(try door.store.dailyMail(of: door.anna).memory.mailed == [])
      try post.end(with: 0)
      door.clock.pass(.minutes(5))
      await mails.work()
      // Another life over the same files, at the same time.
      await door.server.side.household.endAll()
      await (try door.restarted()).side.dailyMails.work()
      let sent = try post.mails()
      #expect(sent.count == 2)
      let mail = try #require(sent.last)
      #expect(mail.contains("Subject: 2 things to do: "))
      #expect(mail.contains("To: <anna@example.org>") && mail.contains("- buy milk\n"))
      #expect(mail.contains("K=C3=A4se, see https://shop.example"))
      // No address of ours, and nothing to press.
      #expect(!mail.contains("127.0.0.1") && !mail.contains("List-Unsubscribe"))
      let ids = sent.map { $0.split(separator: "\n").first { $0.hasPrefix("Message-ID") } }
      #expect(ids[0] == ids[1] && ids[0] != nil)
    }
  }

  @Test func `TODO-FR10: what was mailed is folded away, and only if the mail was taken`()
    async throws
  {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(
        try await set(door, anna, #"{"to":"anna@example.org","mode":"fresh_start"}"#).status == 200
      )
      try await add(door, anna, "buy milk")
      // Refused for good: it is tried again on the next date only, and nothing is folded.
      try post.end(with: 67)
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      door.clock.pass(.minutes(60))
      await mails.work()
      #expect(try post.mails().count == 1)
      let refused = try await door.ask(.get, "/daily-mail", as: anna)
      #expect(refused["folded"]?.elements?.isEmpty == true)
      #expect(refused["trouble"]?.text == "exit status 67")
      try post.end(with: 0)
      door.clock.pass(.minutes(23 * 60))
      await mails.work()
      try await add(door, anna, "come later")
      let all = try await door.ask(.get, "/reminders", as: anna)
      let milk = all.items.first { $0["title"]?.text == "buy milk" }
      #expect(all.items.count == 2 && milk?["standing"]?.text == "live")
      let taken = try await door.ask(.get, "/daily-mail", as: anna)
      #expect(taken["folded"]?.elements?.map(\.text) == [milk?["id"]?.text])
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      let last = try #require(try post.mails().last)
      #expect(last.contains("- come later") && !last.contains("buy milk"))
      // Nothing new: no mail. The other mode has all of it again.
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      #expect(try post.mails().count == 3)
      #expect(try await set(door, anna, #"{"to":"anna@example.org"}"#).status == 200)
      #expect(
        try await door.ask(.get, "/daily-mail", as: anna)["folded"]?.elements?.isEmpty == true
      )
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      let carried = try #require(try post.mails().last)
      #expect(carried.contains("- buy milk (from ") && carried.contains("- come later (from "))
      // Off is off.
      #expect(try await set(door, anna, "null").status == 200)
      door.clock.pass(.minutes(48 * 60))
      await mails.work()
      #expect(try post.mails().count == 4)
    }
  }

  @Test func `a mail that is late is that of its date, or of none`() async throws {
    try await atDoor { door, anna, post in
      #expect(try await set(door, anna, #"{"to":"a@example.org","at":"23:30"}"#).status == 200)
      try await add(door, anna, "buy milk")
      let mails = door.server.side.dailyMails
      let due = try #require(try door.store.dailyMail(of: door.anna).due)
      // The door is away from before half past eleven until a quarter to seven.
      door.clock.pass(due - door.clock.now() + .minutes(7 * 60 + 15))
      await mails.work()
      #expect(try post.mails() == [])
      #expect(try door.store.dailyMail(of: door.anna).due == due + .minutes(24 * 60))
      door.clock.pass(.minutes(17 * 60))
      await mails.work()
      #expect(try post.mails().count == 1)
    }
  }

  @Test func `what is owed for today is mailed by what was set anew, once`() async throws {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"wrong@example.org"}"#).status == 200)
      try await add(door, anna, "buy milk")
      door.clock.pass(.minutes(24 * 60))
      try post.end(with: 67)
      await mails.work()
      // The address is put right ten minutes later: the mail is not tomorrow's.
      try post.end(with: 0)
      door.clock.pass(.minutes(10))
      #expect(try await set(door, anna, #"{"to":"anna@example.org"}"#).status == 200)
      await mails.work()
      #expect(try post.mails().count == 2)
      #expect(try post.mails().last?.contains("To: <anna@example.org>") == true)
      // From now on at noon: today has had its own.
      #expect(try await set(door, anna, #"{"to":"anna@example.org","at":"12:00"}"#).status == 200)
      door.clock.pass(.minutes(12 * 60))
      await mails.work()
      #expect(try post.mails().count == 2)
      // The evening's is owed when the evening is made the morning.
      #expect(try await set(door, anna, #"{"to":"anna@example.org","at":"23:00"}"#).status == 200)
      door.clock.pass(.minutes(20 * 60))
      #expect(try await set(door, anna, #"{"to":"anna@example.org","at":"07:00"}"#).status == 200)
      await mails.work()
      #expect(try post.mails().count == 3)
      // Whoever turns it on at noon for the morning hears from it tomorrow.
      #expect(try await set(door, anna, "null").status == 200)
      door.clock.pass(.minutes(24 * 60))
      #expect(try await set(door, anna, #"{"to":"anna@example.org","at":"07:00"}"#).status == 200)
      await mails.work()
      #expect(try post.mails().count == 3)
    }
  }

  @Test(arguments: [0, 67, 75])
  func `what was set while a mail is on its way holds, however it ends`(_ status: Int) async throws
  {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"wrong@example.org"}"#).status == 200)
      try await add(door, anna, "buy milk")
      door.clock.pass(.minutes(24 * 60))
      try post.end(with: status)
      try post.hold()
      async let sent: Void = mails.work()
      for _ in 0..<400 where try post.mails().isEmpty {
        try await Task.sleep(for: .milliseconds(25))
      }
      #expect(try post.mails().count == 1)
      let new = #"{"to":"anna@example.org","at":"05:00"}"#
      #expect(try await set(door, anna, new).status == 200)
      post.letGo()
      await sent
      try post.end(with: 0)
      #expect(try await door.ask(.get, "/daily-mail", as: anna)["trouble"]?.text == nil)
      let due = try #require(try door.store.dailyMail(of: door.anna).due)
      // What was taken was today's; what was not is owed, by the new address.
      #expect(due == door.clock.now() + .minutes(status == 0 ? 23 * 60 : 0))
      await mails.work()
      #expect(try post.mails().count == (status == 0 ? 1 : 2))
    }
  }

  @Test func `a time with a warning before it is due at its time`() async throws {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"anna@example.org"}"#).status == 200)
      for text in [
        "dentist on December 3 at 9:00, remind me 30 minutes before",
        "water the plants every day at 8:00, remind me 1 hour before",
      ] {
        let made = try await door.ask(.post, "/remember", #"{"text":"\#(text)"}"#, as: anna)
        #expect(made.status == 201, "\(made.text)")
      }
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      let mail = try #require(try post.mails().last)
      #expect(mail.contains("due Thu, Dec 3, 09:00"), "\(mail)")
      #expect(mail.contains("due today, 08:00"), "\(mail)")
      // Turned off, nothing of a mail that failed is left.
      try post.end(with: 67)
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      #expect(try await door.ask(.get, "/daily-mail", as: anna)["trouble"]?.text != nil)
      #expect(try await set(door, anna, "null").status == 200)
      #expect(try await door.ask(.get, "/daily-mail", as: anna)["trouble"]?.text == nil)
    }
  }

  @Test func `a clock that was years ahead keeps no mail away`() async throws {
    try await atDoor { door, anna, post in
      let mails = door.server.side.dailyMails
      #expect(try await set(door, anna, #"{"to":"anna@example.org"}"#).status == 200)
      try await add(door, anna, "buy milk")
      let years = Milliseconds.minutes(4 * 365 * 24 * 60)
      door.clock.pass(years)
      await mails.work()
      #expect(try post.mails().count == 1)
      door.clock.pass(Milliseconds(-years.value))
      // No other start of the door is needed.
      await mails.work()
      door.clock.pass(.minutes(24 * 60))
      await mails.work()
      #expect(try post.mails().count == 2)
      // Set, and killed before it was reckoned.
      try door.store.setDailyMail(due: nil, DailyMemory(), of: door.anna)
      (try door.restarted()).side.dailyMails.mend()
      #expect(try door.store.dailyMail(of: door.anna).due != nil)
    }
  }

  @Test func `a door of before has its people and settings, and can mail`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      #expect(try await set(door, anna, "null").status == 200)
      try door.store.write { database in
        try database.execute(
          sql: """
            DROP TABLE daily_mail; ALTER TABLE channel DROP COLUMN session;
            ALTER TABLE channel DROP COLUMN added; DROP TABLE told;
            ALTER TABLE session DROP COLUMN maker; DROP TABLE unconfirmed; PRAGMA user_version = 2
            """
        )
      }
      let store = try DoorStore(DoorFolder(door.folder))
      #expect(try store.people().map(\.name) == ["anna", "ben"])
      let memory = DailyMemory()
      try store.setDailyMail(due: door.clock.now(), memory, of: door.anna)
      #expect(try store.dailyMail(of: door.anna) == (door.clock.now(), memory))
    }
  }

  @Test func `what makes no sense is refused, and a door without mail says so`() async throws {
    try await atDoor { door, anna, post in
      for wrong in [
        #"{"to":"anna"}"#, #"{"at":"06:00"}"#, #"{"to":"a@example.org","at":"24:00"}"#,
        #"{"to":"a@example.org","mode":"both"}"#, #"{"to":"a@example.org\nBcc: b@example.org"}"#,
        #"{"to":"a@example.org","every":1}"#, #"{"to":"a@example.org","at":null}"#,
      ] {
        let answer = try await set(door, anna, wrong)
        #expect(answer.status == 422 && answer.name == "bad_member", "\(wrong): \(answer.text)")
      }
    }
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let none = try await set(door, anna, #"{"to":"a@example.org"}"#)
      #expect(none.status == 422 && none.text.contains("--mail-from"), "\(none.text)")
      #expect(try await set(door, anna, "null").status == 200)
    }
  }
}
