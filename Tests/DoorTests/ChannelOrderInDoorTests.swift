import Basics
import Channels
import Door
import Foundation
import HTTPTypes
import LiveHost
import Logging
import NearMeEngine
import TestSupport
import Testing
import Timeline

/// Channels that fail, wait over a kill, take back, and belong to one person.
@Suite struct ChannelOrderInDoorTests {
  private static func ntfy(
    _ id: String,
    _ server: SmallServer,
    _ topic: String,
    afterMinutes: Int = 0
  ) -> String {
    """
    {"id":"\(id)","type":"ntfy","server":"\(server.origin)","topic":"\(topic)","plain_http":true,\
    "after_minutes":\(afterMinutes)}
    """
  }

  /// Sets a person's channels as the door's owner does.
  private func set(_ channels: [String], _ door: TestDoor, of person: DoorPerson) throws {
    var settings = PersonSettings()
    settings.channels = "[\(channels.joined(separator: ","))]"
    settings.setChannels(try settings.channelSettings())
    try door.store.setSettings(Data(settings.json.utf8), of: person)
  }

  /// Has something said at once: what is due when the phone is unlocked.
  private func say(_ title: String, _ door: TestDoor, _ browser: Browser) async throws {
    let made = try await door.ask(
      .post,
      "/reminders",
      #"{"title":"\#(title)","triggers":[{"signal":"unlock"}]}"#,
      as: browser
    )
    #expect(made.status == 201, "\(made.text)")
    let heard = try await door.ask(.post, "/signals", #"{"signal":"unlock"}"#, as: browser)
    #expect(heard.status == 202)
  }

  private func requests(_ count: Int, at server: SmallServer) async throws -> [SmallServer.Request]
  {
    for _ in 0..<400 where server.requests.count < count {
      try await Task.sleep(for: .milliseconds(25))
    }
    return server.requests
  }

  private func member(_ request: SmallServer.Request, _ name: String) throws -> JSONValue? {
    try JSONValue.parse(request.body)[name]
  }

  /// The path of a button of a message; nil: of the first.
  private func button(_ request: SmallServer.Request, _ label: String? = nil) throws -> String {
    let buttons = try member(request, "actions")?.elements ?? []
    let button = buttons.first { label == nil || $0["label"]?.text == label }
    let url = try #require(button?["url"]?.text)
    return "//" + url.dropFirst("http://127.0.0.1:8787/".count)
  }

  @Test func `what several channels note of one notification at a time is all there`() async throws
  {
    try await TestDoor.with { door in
      let heard = HeardNews(store: door.store)
      let (anna, now) = (door.anna, door.clock.now())
      let names = Set((0..<200).map { "channel-\($0)" })
      try await withThrowingTaskGroup(of: Void.self) { group in
        for name in names {
          group.addTask { try heard.note("n1", of: anna, at: now) { $0.failed[name] = now } }
        }
        try await group.waitForAll()
      }
      #expect(Set(heard.mark("n1", of: anna).failed.keys) == names)
      #expect(heard.mark("n2", of: anna).failed.isEmpty)
    }
  }

  /// Has something told on two channels, and a button of the first pressed: both take it back.
  ///
  /// - Parameters:
  ///   - label: of the button; nil: the first.
  ///   - later: how long nobody looks before.
  ///   - check: what else holds then, as the browser of the person sees it.
  private func press(
    _ label: String? = nil,
    later: Milliseconds = Milliseconds(0),
    check: @escaping @Sendable (TestDoor, Browser) async throws -> Void
  ) async throws {
    let (first, second) = (try SmallServer(), try SmallServer())
    try await TestDoor.with { door in
      try set(
        [Self.ntfy("a", first, "one"), Self.ntfy("b", second, "two")],
        door,
        of: door.anna
      )
      let anna = try await door.signIn(door.anna)
      try await say("hello", door, anna)
      let shown = try #require(try await requests(1, at: first).first)
      _ = try await requests(1, at: second)
      door.clock.pass(later)
      #expect(try await door.ask(.post, try button(shown, label)).status == 200)
      for server in [first, second] {
        let all = try await requests(2, at: server)
        #expect(all.count == 2 && all.last?.line.hasPrefix("DELETE /") == true)
      }
      try await check(door, anna)
    }
  }

  @Test
  func `YOMO-4.5.1c, YOMO-4.6.2a: one press takes the news back on every channel that was told`()
    async throws
  {
    try await press { door, anna in
      let shown = try await door.ask(.get, "/notifications", as: anna)
      #expect(shown.items.isEmpty)
    }
  }

  @Test func `YOMO-4.5.1b, YOMO-4.6.2b: a snooze counts from the press, and takes the news back`()
    async throws
  {
    try await press("1 h later", later: .minutes(9)) { door, anna in
      let until = RFC3339.format(door.clock.now() + .minutes(60))
      // Whoever looks is told the same: it is kept, and not a matter of the channel.
      let other = try await door.signIn(door.anna)
      for browser in [anna, other] {
        let list = try await door.ask(.get, "/reminders", as: browser)
        #expect(list.items.first?["snoozed_until"]?.text == until, "\(list.text)")
        #expect(try await door.ask(.get, "/notifications", as: browser).items.isEmpty)
      }
    }
  }

  @Test func `a channel that cannot be opened, and one that is down, hold nobody`() async throws {
    let (down, well) = (try SmallServer([.status(503), .status(503)]), try SmallServer())
    try await TestDoor.with { door in
      try set(
        [
          #"{"id":"post","type":"mail","to":"anna@example.org"}"#,
          Self.ntfy("down", down, "one", afterMinutes: 30),
          Self.ntfy("well", well, "two"),
        ],
        door,
        of: door.anna
      )
      let anna = try await door.signIn(door.anna)
      try await say("hello", door, anna)
      // No mail is offered: nobody waits for it.
      #expect(try await requests(1, at: down).count >= 1)
      #expect(try await requests(1, at: well).count == 1)
      let list = try await door.ask(.get, "/channels", as: anna)
      #expect(list["items", "0", "trouble"]?.text?.contains("mail") == true, "\(list.text)")
      #expect(list["offered"]?.elements?.compactMap(\.text) == ["ntfy", "home_assistant"])
    }
  }

  @Test func `a channel waits on after a kill, and what was opened before it is known`()
    async throws
  {
    for isOpened in [false, true] {
      let (first, second) = (try SmallServer(), try SmallServer())
      try await TestDoor.with { door in
        try set(
          [Self.ntfy("a", first, "one"), Self.ntfy("b", second, "two", afterMinutes: 10)],
          door,
          of: door.anna
        )
        let anna = try await door.signIn(door.anna)
        try await say("hello", door, anna)
        let shown = try #require(try await requests(1, at: first).first)
        door.clock.pass(.minutes(4))
        if isOpened {
          let click = try #require(try member(shown, "click")?.text)
          var headers = HTTPFields()
          if let name = HTTPField.Name("Sec-Fetch-User") { headers[name] = "?1" }
          let path = "//" + click.dropFirst("http://127.0.0.1:8787/".count)
          #expect(try await door.ask(.get, path, nil, headers).status == 200)
        }
        // The next life has the files, and nothing else.
        await door.server.side.household.endAll()
        let next = try door.restarted()
        let desk = next.side.household.desk(door.anna)
        await desk.tick()
        door.clock.pass(.minutes(5))
        await desk.tick()
        try await Task.sleep(for: .milliseconds(200))
        #expect(second.requests.isEmpty)
        door.clock.pass(.minutes(2))
        await desk.tick()
        if isOpened {
          try await Task.sleep(for: .milliseconds(300))
          #expect(second.requests.isEmpty)
        } else {
          #expect(try await requests(1, at: second).count == 1)
        }
        #expect(first.requests.count == 1)
        await next.side.household.endAll()
      }
    }
  }

  /// Each nag takes the place of what was told before: a later channel would never be told.
  @Test func `a channel waits from when a reminder that nags was told first`() async throws {
    let (first, second) = (try SmallServer(), try SmallServer())
    try await TestDoor.with { door in
      try set(
        [Self.ntfy("a", first, "one"), Self.ntfy("b", second, "two", afterMinutes: 15)],
        door,
        of: door.anna
      )
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"pills","triggers":[{"schedule":{"start":"2026-12-01T10:00"}}],"nag":{"every":"10m"}}"#,
        as: anna
      )
      #expect(made.status == 201, "\(made.text)")
      let due = try #require(RFC3339.parse("2026-12-01T10:00:00Z"))
      let desk = door.server.side.household.desk(door.anna)
      func tick(at instant: Timestamp) async throws {
        door.clock.pass(instant - door.clock.now())
        await desk.tick()
        try await Task.sleep(for: .milliseconds(200))
      }
      try await tick(at: due + .seconds(1))
      #expect(try await requests(1, at: first).count == 1)
      try await tick(at: due + .minutes(10) + .seconds(5))
      // The nag takes the first one away.
      #expect(try await requests(3, at: first).count == 3)
      #expect(second.requests.isEmpty)
      try await tick(at: due + .minutes(15) + .seconds(2))
      #expect(try await requests(1, at: second).count == 1)
    }
  }

  private static func notification(
    _ id: String,
    at instant: Timestamp,
    of reminders: [String] = ["r1"]
  ) throws -> ReminderNotification {
    let members = reminders.map { #"{"reminder":"\#($0)","tier":"arrival","text":"\#($0)"}"# }
    let form = """
      {"id":"\(id)","at":\(instant.milliseconds),"kind":"arrival","members":[\(members.joined(separator: ","))]}
      """
    return try JSONDecoder().decode(ReminderNotification.self, from: Data(form.utf8))
  }

  @Test func `what is told again goes on, and what was opened or taken away begins anew`()
    async throws
  {
    try await TestDoor.with { door in
      let heard = HeardNews(store: door.store)
      let (anna, start) = (door.anna, door.clock.now())
      func begin(_ id: String, _ minutes: Int64, _ reminders: [String] = ["r1"]) throws -> Int64 {
        let at = start + .minutes(minutes)
        let news = try Self.notification(id, at: at, of: reminders)
        return (try heard.begin(news, of: anna, at: at) - start).value / 60_000
      }
      func end(_ id: String, _ minutes: Int64) throws {
        let at = start + .minutes(minutes)
        try heard.end(id, but: nil, of: anna, at: at, now: at)
      }
      #expect(try begin("n1", 0) == 0)
      // Looked at again while it waits, and told again together with another.
      #expect(try begin("n1", 0) == 0)
      #expect(try begin("n2", 10, ["r1", "r2"]) == 0)
      try end("n1", 10)
      // The one that is not told with the other has its own beginning.
      #expect(try begin("n3", 20, ["r2"]) == 10)
      // Taken away, and told anew a day later.
      try end("n2", 30)
      #expect(try begin("n4", 1_440) == 1_440)
      try heard.note("n4", of: anna, at: start + .minutes(1_445)) { mark in
        mark.seenAt = start + .minutes(1_445)
      }
      #expect(try begin("n5", 1_450) == 1_450)
      #expect(try begin("n6", 1_460) == 1_450)
    }
  }

  @Test func `a secret does not follow a channel to another address`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      func put(_ host: String, minutes: Int = 0) async throws {
        let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
        let channels =
          #"[{"id":"m","type":"web_push"},{"id":"a","type":"ntfy","server":"https://\#(host)","topic":"t","after_minutes":\#(minutes)}]"#
        let answer = try await door.ask(
          .put,
          "/settings",
          "{\"channels\":\(channels)}",
          as: anna,
          [(.ifMatch, etag)]
        )
        #expect(answer.status == 200, "\(answer.text)")
      }
      try await put("ntfy.example.org")
      let kept = try await door.ask(
        .put,
        "/channels/a/secret",
        #"{"secret":"tk_sesame"}"#,
        as: anna
      )
      #expect(kept.status == 204)
      try await put("ntfy.example.org", minutes: 5)
      #expect(try door.store.channelSecret("a", of: door.anna) == "tk_sesame")
      try await put("evil.example.org", minutes: 5)
      #expect(try door.store.channelSecret("a", of: door.anna) == nil)
    }
  }

  @Test func `an address that a person sets reaches no private network, with https either`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
      let inward = "https://127.0.0.1:\(server.port)"
      let set = try await door.ask(
        .put,
        "/settings",
        #"{"channels":[{"id":"a","type":"ntfy","server":"\#(inward)","topic":"t"}]}"#,
        as: anna,
        [(.ifMatch, etag)]
      )
      #expect(set.status == 200, "\(set.text)")
      let test = try await door.ask(.post, "/channels/a/test", as: anna)
      #expect(test["outcome"]?.text != "delivered")
      #expect(server.connectionCount == 0)
    }
  }

  @Test func `a press in a chat acts once, and only for whom the button was made`() async throws {
    let token = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ-abc_def"
    let sent = SmallServer.Answer.body(200, #"{"ok":true,"result":{"message_id":55}}"#)
    let server = try SmallServer([sent])
    let bot = try TelegramBot(
      server: ServiceAddress(server.origin, allowsPlainHTTP: true),
      token: token
    )
    try await TestDoor.with({ $0.channels.telegram = bot }) { door in
      try set([#"{"id":"chat","type":"telegram","chat":11}"#], door, of: door.anna)
      try set([#"{"id":"chat","type":"telegram","chat":22}"#], door, of: door.ben)
      let anna = try await door.signIn(door.anna)
      try await say("hello", door, anna)
      let shown = try #require(try await requests(1, at: server).first)
      let rows = try #require(try member(shown, "reply_markup")?["inline_keyboard"]?.elements)
      let pressed = try #require(rows.first?.elements?.first?["callback_data"]?.text)
      // Ben has come by anna's token; then anna presses, twice.
      let done = try #require(AnswerToken(pressed))
      for (chat, text) in [(Int64(22), "not known"), (11, "done."), (11, "Already done")] {
        let answer = try await door.server.pressed(done, in: chat)
        #expect(answer.contains(text), "\(chat): \(answer)")
      }
      #expect(try await requests(2, at: server).last?.line.contains("/deleteMessage ") == true)
    }
  }

  @Test func `the bot goes on where it was after a restart, and a guess is told so`() async throws {
    let press =
      #"{"ok":true,"result":[{"update_id":7,"callback_query":{"id":"q","data":"AAAAAAAAAAAAAAAAAAAAAA","message":{"chat":{"id":11}}}}]}"#
    let server = try SmallServer([
      .body(200, press), .body(200, #"{"ok":true,"result":true}"#),
      .body(200, #"{"ok":true,"result":[]}"#),
    ])
    let bot = try TelegramBot(
      server: ServiceAddress(server.origin, allowsPlainHTTP: true),
      token: "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ-abc_def"
    )
    try await TestDoor.with({ $0.channels.telegram = bot }) { door in
      try set([#"{"id":"chat","type":"telegram","chat":11}"#], door, of: door.anna)
      let poller = try #require(door.server.telegramPoller(waitSeconds: 0))
      _ = await poller.poll()
      let reply = try #require(server.requests.last)
      #expect(try member(reply, "text")?.text?.contains("not known") == true, "\(reply.body)")
      let next = try #require(try door.restarted().telegramPoller(waitSeconds: 0))
      _ = await next.poll()
      #expect(try member(try #require(server.requests.last), "offset")?.double == 8)
    }
  }

  @Test func `nobody sees a notification by another's token, and old tokens go`() async throws {
    let server = try SmallServer()
    try await TestDoor.with { door in
      try set([Self.ntfy("a", server, "one")], door, of: door.anna)
      try set([Self.ntfy("a", server, "two")], door, of: door.ben)
      let (anna, ben) = (try await door.signIn(door.anna), try await door.signIn(door.ben))
      try await say("secret of anna", door, anna)
      _ = try await requests(1, at: server)
      try await say("secret of ben", door, ben)
      let all = try await requests(2, at: server)
      let bens = try #require(try all.first { try member($0, "topic")?.text == "two" })
      let page = try await door.ask(.get, try button(bens))
      #expect(page.text.contains("secret of ben") && !page.text.contains("anna"))
      _ = try await door.ask(.post, try button(bens))
      let annas = try await door.ask(.get, "/reminders", as: anna)
      #expect(annas.items.first?["status"]?.text == "active")
      door.clock.pass(.minutes(40 * 24 * 60))
      #expect(try await door.ask(.get, try button(bens)).status != 404)
      door.server.side.household.sweep()
      #expect(try await door.ask(.get, try button(bens)).status == 404)
    }
  }
}
