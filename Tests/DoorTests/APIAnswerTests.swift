import Basics
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NearMeEngine
import Testing
import Timeline

import Channels
import Door

/// The buttons of notifications.
@Suite struct APIAnswerTests {
  private let token = "AAAAAAAAAAAAAAAAAAAAAA"

  /// A reminder of anna's, and a button that answers it.
  private func button(
    _ action: String,
    _ door: TestDoor,
    title: String = "milk",
    span: Milliseconds = .minutes(60)
  ) async throws -> (browser: Browser, id: String) {
    let anna = try await door.signIn(door.anna)
    let made = try await door.ask(
      .post,
      "/reminders",
      "{\"title\":\"\(title)\",\"target\":{\"category\":\"groceries\"}}",
      as: anna
    )
    let id = try #require(made["id"]?.text)
    try offer(token, of: id, door, action: action, span: span, text: title)
    return (anna, id)
  }

  /// Offers a button under what is shown now of a reminder.
  private func offer(
    _ token: String,
    of id: String,
    _ door: TestDoor,
    action: String = "complete",
    span: Milliseconds = .minutes(2_160),
    text: String? = nil,
    channel: String = "test"
  ) throws {
    let now = door.clock.now()
    let answer = AnswerSubject(
      person: door.anna.name,
      notification: "n1",
      shownAt: now,
      reminders: [id],
      action: try #require(AnswerAction(name: action)),
      channel: channel,
      text: text
    )
    let hash = try #require(AnswerPages.hash(token))
    try door.store.putAnswers([(hash, answer, now + span)], of: door.anna)
  }

  private func status(_ id: String, _ door: TestDoor, _ browser: Browser) async throws -> String? {
    try await door.ask(.get, "/reminders/\(id)", as: browser)["status"]?.text
  }

  @Test func `a button shows on GET, acts once on POST, and says so when it is pressed again`()
    async throws
  {
    try await TestDoor.with { door in
      let (anna, id) = try await button("complete", door)
      for _ in 0..<3 {
        let page = try await door.ask(.get, "//a/\(token)")
        #expect(page.status == 200 && page.text.contains("<form method=\"post\">"))
        #expect(page.text.contains("milk"))
      }
      #expect(try await status(id, door, anna) == "active")
      let first = try await door.ask(.post, "//a/\(token)")
      #expect(first.status == 200 && !first.text.contains("Already done"))
      #expect(try await status(id, door, anna) == "completed")
      _ = try await door.ask(.post, "/reminders/\(id)/answers", #"{"action":"reopen"}"#, as: anna)
      let second = try await door.ask(.post, "//a/\(token)")
      #expect(second.status == 200 && second.text.contains("Already done"))
      #expect(try await status(id, door, anna) == "active")
      let shown = try await door.ask(.get, "//a/\(token)")
      #expect(shown.text.contains("Already done") && !shown.text.contains("<form"))
    }
  }

  /// A phone that takes nothing back still shows the button of what was done on the page.
  @Test(arguments: ["page", "nagged", "yesterday's"])
  func `a button of what was done elsewhere does not do the next time`(how: String) async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"pills","triggers":[{"schedule":{"start":"2026-12-01T10:00","rrule":"FREQ=DAILY"}}]}"#,
        as: anna
      )
      let id = try #require(made["id"]?.text)
      let due = try #require(RFC3339.parse("2026-12-01T10:00:00Z"))
      func pressed(_ token: String) async throws -> String {
        try await door.ask(.post, "//a/\(token)").text
      }
      func next() async throws -> String? {
        await door.server.side.household.goRound(0)
        return try await door.ask(.get, "/reminders/\(id)", as: anna)["next", "at"]?.text
      }
      let (first, second) = (token, "CCCCCCCCCCCCCCCCCCCCCA")
      door.clock.pass(due + .seconds(5) - door.clock.now())
      try offer(first, of: id, door)
      var tomorrow = "2026-12-02T10:00:00Z"
      #expect(try await next() == tomorrow)
      switch how {
      case "page":
        door.clock.pass(.minutes(1))
        let body = #"{"action":"complete"}"#
        let done = try await door.ask(.post, "/reminders/\(id)/answers", body, as: anna)
        #expect(done.status == 200)
      case "nagged":
        door.clock.pass(.minutes(30))
        try offer(second, of: id, door)
        door.clock.pass(.minutes(1))
        #expect(try await !pressed(second).contains("Already done"))
      default:
        door.clock.pass(.minutes(1_440))
        tomorrow = "2026-12-03T10:00:00Z"
        _ = try await next()
        try offer(second, of: id, door)
        door.clock.pass(.minutes(1))
        #expect(try await !pressed(second).contains("Already done"))
      }
      door.clock.pass(.minutes(1))
      #expect(try await pressed(first).contains("Already done"))
      #expect(try await next() == tomorrow)
    }
  }

  /// Two times of a schedule are open, and each is done, whichever button is pressed first.
  @Test(arguments: [[0, 1], [1, 0]])
  func `of times that stack each button does one`(order: [Int]) async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let schedule =
        #"{"start":"2026-12-01T10:00","rrule":"FREQ=DAILY","anchor":"schedule"}"#
      let made = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"water","triggers":[{"schedule":\#(schedule)}]}"#,
        as: anna
      )
      let id = try #require(made["id"]?.text, "\(made.text)")
      let tokens = [token, "CCCCCCCCCCCCCCCCCCCCCA"]
      let due = try #require(RFC3339.parse("2026-12-01T10:00:00Z"))
      for (day, token) in tokens.enumerated() {
        door.clock.pass(due + .minutes(Int64(1_440 * day)) + .seconds(5) - door.clock.now())
        await door.server.side.household.goRound(0)
        try offer(token, of: id, door)
      }
      for i in order {
        door.clock.pass(.minutes(1))
        let text = try await door.ask(.post, "//a/\(tokens[i])").text
        #expect(!text.contains("Already done"), "\(order), \(i)")
      }
      await door.server.side.household.goRound(0)
      #expect(try await door.ask(.get, "/notifications", as: anna).items.isEmpty)
    }
  }

  @Test func `of times that stack, the same button on two channels does one`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let schedule =
        #"{"start":"2026-12-01T10:00","rrule":"FREQ=DAILY","anchor":"schedule"}"#
      let water = #"{"title":"water","triggers":[{"schedule":\#(schedule)}]}"#
      let made = try await door.ask(.post, "/reminders", water, as: anna)
      let id = try #require(made["id"]?.text, "\(made.text)")
      let due = try #require(RFC3339.parse("2026-12-01T10:00:00Z"))
      for day in 0..<2 {
        door.clock.pass(due + .minutes(Int64(1_440 * day)) + .seconds(5) - door.clock.now())
        await door.server.side.household.goRound(0)
      }
      let other = "CCCCCCCCCCCCCCCCCCCCCA"
      try offer(token, of: id, door, channel: AnswerWay.telegram(chat: 1).name)
      try offer(other, of: id, door, channel: AnswerWay.telegram(chat: 2).name)
      door.clock.pass(.minutes(1))
      #expect(!(try await door.ask(.post, "//a/\(token)").text.contains("Already done")))
      door.clock.pass(.minutes(1))
      #expect(try await door.ask(.post, "//a/\(other)").text.contains("Already done"))
    }
  }

  /// A signal has no times: its reminder is done each time that it speaks.
  @Test func `a button of a signal that was answered elsewhere leaves the next one alone`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let body =
        #"{"title":"hello","persistence":"per_occurrence","triggers":[{"signal":"unlock"}]}"#
      let made = try await door.ask(.post, "/reminders", body, as: anna)
      let id = try #require(made["id"]?.text, "\(made.text)")
      let login = try await door.letIn("pixel", as: anna)
      func unlock() async throws {
        door.clock.pass(.minutes(1))
        _ = try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, login)
      }
      try await unlock()
      try offer(token, of: id, door)
      door.clock.pass(.minutes(1))
      let done = #"{"action":"complete"}"#
      #expect(try await door.ask(.post, "/reminders/\(id)/answers", done, as: anna).status == 200)
      try await unlock()
      #expect(try await door.ask(.get, "/notifications", as: anna).items.count == 1)
      #expect(try await door.ask(.post, "//a/\(token)").text.contains("Already done"))
      #expect(try await door.ask(.get, "/notifications", as: anna).items.count == 1)
    }
  }

  @Test func `a button that is too old, and one that nobody made, do nothing`() async throws {
    try await TestDoor.with { door in
      let (_, id) = try await button("complete", door)
      door.clock.pass(.minutes(61))
      let late = try await door.ask(.post, "//a/\(token)")
      #expect(late.status == 410 && late.text.contains("Too late"))
      let anna = try await door.signIn(door.anna)
      #expect(try await status(id, door, anna) == "active")
      for odd in [
        "BBBBBBBBBBBBBBBBBBBBBA", "short", "AAAAAAAAAAAAAAAAAAAAA%2F",
        String(repeating: "A", count: 500),
      ] {
        #expect(try await door.ask(.get, "//a/\(odd)").status == 404, "\(odd)")
        #expect(try await door.ask(.post, "//a/\(odd)").status == 404, "\(odd)")
      }
    }
  }

  @Test func `of many presses at once one acts, and all are answered`() async throws {
    try await TestDoor.with { door in
      let (_, _) = try await button("snooze:60m", door)
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 { group.addTask { try await door.ask(.post, "//a/\(token)").text } }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(texts.count { $0.contains("Already done") } == 7)
    }
  }

  @Test func `a button whose reminder is done or gone says so, and is used up`() async throws {
    try await TestDoor.with { door in
      let (anna, id) = try await button("complete", door)
      #expect(try await door.ask(.delete, "/reminders/\(id)", as: anna).status == 204)
      let pressed = try await door.ask(.post, "//a/\(token)")
      #expect(pressed.status == 404)
      #expect(try await door.ask(.post, "//a/\(token)").text.contains("Already done"))
    }
  }

  @Test func `markup in a title stays text, and no page runs a script of its own`() async throws {
    try await TestDoor.with { door in
      _ = try await button("complete", door, title: "<img src=x onerror=alert(1)> & 'more'")
      let page = try await door.ask(.get, "//a/\(token)")
      #expect(!page.text.contains("<img") && page.text.contains("&lt;img src=x"))
      let policy = try #require(page.headers[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'self'") && !policy.contains("unsafe"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(page.headers[.cacheControl] == "no-store")
    }
  }

  @Test func `an old link shows what was told, and nothing of what came later`() async throws {
    try await TestDoor.with { door in
      let (anna, id) = try await button("complete", door, title: "milk")
      // As it was made before the text was kept.
      let before = "CCCCCCCCCCCCCCCCCCCCCA"
      try offer(before, of: id, door)
      let etag = try #require(try await door.ask(.get, "/reminders/\(id)", as: anna).etag)
      let secret = #"{"title":"see the oncologist","target":{"category":"groceries"}}"#
      let put = try await door.ask(.put, "/reminders/\(id)", secret, as: anna, [(.ifMatch, etag)])
      #expect(put.status == 200, "\(put.text)")
      let page = try await door.ask(.get, "//a/\(token)")
      #expect(page.text.contains("milk") && !page.text.contains("oncologist"))
      let old = try await door.ask(.get, "//a/\(before)")
      #expect(old.text.contains("This is over.") && !old.text.contains("oncologist"))
    }
  }

  @Test(arguments: ["removed", "changed", "signed out"])
  func `a channel's buttons end with it, and no others`(how: String) async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let milk = #"{"title":"milk","target":{"category":"groceries"}}"#
      let made = try await door.ask(.post, "/reminders", milk, as: anna)
      let id = try #require(made["id"]?.text)
      func set(_ topic: String) async throws -> Int {
        let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
        let ntfy =
          #"{"id":"n","type":"ntfy","server":"https://ntfy.example.org","topic":"\#(topic)"},"#
        let body =
          #"{"channels":[\#(topic.isEmpty ? "" : ntfy){"id":"browsers","type":"web_push"}]}"#
        return try await door.ask(.put, "/settings", body, as: anna, [(.ifMatch, etag)]).status
      }
      #expect(try await set("annas") == 200)
      let other = "CCCCCCCCCCCCCCCCCCCCCA"
      try offer(token, of: id, door, channel: how == "signed out" ? "web-push" : "ntfy")
      try offer(other, of: id, door, channel: how == "signed out" ? "ntfy" : "web-push")
      switch how {
      case "removed": #expect(try await set("") == 200)
      case "changed": #expect(try await set("others") == 200)
      default: #expect(try await door.ask(.delete, "/sessions", as: anna).status == 200)
      }
      #expect(try await door.ask(.get, "//a/\(token)").status == 410)
      #expect(try await door.ask(.post, "//a/\(token)").status == 410)
      #expect(try await status(id, door, anna) == "active")
      #expect(try await door.ask(.post, "//a/\(other)").status == 200)
      #expect(try await status(id, door, anna) == "completed")
    }
  }

  @Test func `of two topics the buttons of the one that goes end, and no others`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let milk = #"{"title":"milk","target":{"category":"groceries"}}"#
      let id = try #require(try await door.ask(.post, "/reminders", milk, as: anna)["id"]?.text)
      func set(_ topics: String...) async throws -> Int {
        let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
        let list = topics.map {
          #"{"id":"\#($0)","type":"ntfy","server":"https://ntfy.example.org","topic":"\#($0)"}"#
        }
        let body = #"{"channels":[\#(list.joined(separator: ","))]}"#
        return try await door.ask(.put, "/settings", body, as: anna, [(.ifMatch, etag)]).status
      }
      let server = try ServiceAddress("https://ntfy.example.org")
      #expect(try await set("tablet", "phone") == 200)
      let other = "CCCCCCCCCCCCCCCCCCCCCA"
      for (token, topic) in [(token, "tablet"), (other, "phone")] {
        let way = AnswerWay.ntfy(server, topic: topic)
        try offer(token, of: id, door, channel: way.name)
      }
      #expect(try await set("phone") == 200)
      #expect(try await door.ask(.post, "//a/\(token)").status == 410)
      #expect(try await status(id, door, anna) == "active")
      #expect(try await door.ask(.post, "//a/\(other)").status == 200)
      #expect(try await status(id, door, anna) == "completed")
    }
  }

  @Test func `NM-5.4: a notification's page opens the map at its place, without saying where from`()
    async throws
  {
    try await TestDoor.with { door in
      let link = "geo:38.004100,-34.156200"
      let map = "https://www.openstreetmap.org/?mlat=38.004100&mlon=-34.156200"
      let answer = AnswerSubject(
        person: door.anna.name,
        notification: "n1",
        shownAt: door.clock.now(),
        reminders: ["r1"],
        action: .open,
        channel: "ntfy",
        text: "Arriving at Corner Grocery — buy milk now?",
        mapLink: link,
        mapPage: map
      )
      let hash = try #require(AnswerPages.hash(token))
      try door.store.putAnswers([(hash, answer, answer.shownAt + .minutes(5))], of: door.anna)
      let page = try await door.ask(.get, "//n/\(token)")
      #expect(page.text.contains("rel=\"noreferrer\" href=\"\(link)\">Map</a>"), "\(page.text)")
      let escaped = map.replacing("&", with: "&amp;")
      #expect(page.text.contains("rel=\"noreferrer\" href=\"\(escaped)\">"))
      #expect(page.headers[.referrerPolicy] == "no-referrer")
    }
  }

  @Test func `a page that only opens takes no press`() async throws {
    try await TestDoor.with { door in
      _ = try await button("open", door)
      let page = try await door.ask(.get, "//n/\(token)")
      #expect(page.status == 200 && !page.text.contains("<form"))
      #expect(try await door.ask(.post, "//a/\(token)").status == 405)
    }
  }

  @Test func `what is kept of a button does not press it, and says nothing`() async throws {
    try await TestDoor.with { door in
      _ = try await button("complete", door, title: "a very secret errand")
      let hash = Data(SHA256.hash(data: Data(count: 16)))
      #expect(AnswerPages.hash(token) == hash)
      let file = try Data(contentsOf: URL(fileURLWithPath: door.folder + "/door.sqlite"))
      let log =
        (try? Data(contentsOf: URL(fileURLWithPath: door.folder + "/door.sqlite-wal"))) ?? Data()
      for word in ["errand", token, "complete"] {
        #expect((file + log).range(of: Data(word.utf8)) == nil, "\(word)")
      }
    }
  }

  @Test func `an answer that is on no screen any more is gone`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let answer = try await door.ask(
        .post,
        "/notifications/n7/answers",
        #"{"action":"complete"}"#,
        as: anna
      )
      #expect(answer.status == 410 && answer.name == "gone")
      #expect(try await door.ask(.get, "/notifications", as: anna).items.isEmpty)
    }
  }

  @Test func `what is on the screen has its lines and buttons, and an answer takes it away`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"hello","triggers":[{"signal":"unlock"}]}"#,
        as: anna
      )
      let id = try #require(made["id"]?.text)
      #expect(
        try await door.ask(.post, "/signals", #"{"signal":"unlock"}"#, as: anna).status == 202
      )
      let shown = try await door.ask(.get, "/notifications", as: anna)
      let news = try #require(shown["items", "0", "id"]?.text, "\(shown.text)")
      #expect(shown["items", "0", "lines", "0", "reminder"]?.text == id)
      let actions = shown["items", "0", "actions"]?.elements?.map(\.text)
      let offered = ["complete", "snooze:60m", "snooze:today", "snooze:15m", "mute", "dismiss"]
      #expect(actions == offered && shown["items", "0", "map"] == nil)
      let decisions = try await door.ask(.get, "/decisions", as: anna)
      #expect(decisions["items", "0", "outcome"]?.text == "delivered")
      #expect(decisions["items", "0", "title"]?.text == "hello")
      let other = try await door.ask(
        .post,
        "/notifications/\(news)/answers",
        #"{"action":"dismiss","reminder":"r9"}"#,
        as: anna
      )
      #expect(other.status == 410)
      let answer = try await door.ask(
        .post,
        "/notifications/\(news)/answers",
        #"{"action":"dismiss"}"#,
        as: anna
      )
      #expect(answer.status == 200 && answer.text == #"{"notification":null}"#, "\(answer.text)")
      #expect(try await status(id, door, anna) == "active")
    }
  }
}
