import Basics
import Foundation
import HTTPTypes
import Hummingbird
import NearMeEngine
import NIOCore
import TestSupport
import Testing
import Timeline

import Channels
import Door
import UserStore

/// News by a person's channels, from a phone's post to a press on a button.
@Suite struct ChannelTests {
  /// An ntfy server of the test's own, told twice: at once, and ten minutes later.
  private static func channels(_ server: SmallServer) -> String {
    """
    [{"id":"phone","type":"ntfy","server":"\(server.origin)","topic":"first","plain_http":true},
     {"id":"later","type":"ntfy","server":"\(server.origin)","topic":"second","plain_http":true,"after_minutes":10}]
    """
  }

  /// Sets anna's channels as the door's owner does, with a reminder for when the phone is unlocked; and unlocks it.
  private func unlock(_ door: TestDoor, _ channels: String) async throws -> Browser {
    var settings = PersonSettings()
    settings.channels = channels
    settings.setChannels(try settings.channelSettings())
    try door.store.setSettings(Data(settings.json.utf8), of: door.anna)
    try door.store.setChannelSecret("tk_sesame", of: "phone", door.anna)
    let anna = try await door.signIn(door.anna)
    // At a place, later stages would take its place by themselves.
    let reminder = try await door.ask(
      .post,
      "/reminders",
      #"{"title":"water the plants","triggers":[{"signal":"unlock"}]}"#,
      as: anna
    )
    #expect(reminder.status == 201, "\(reminder.text)")
    let phone = try await door.ask(.post, "/phones", #"{"name":"phone"}"#, as: anna)
    var headers = HTTPFields()
    headers[.authorization] = "Bearer \(try #require(phone["token"]?.text))"
    let seconds = door.clock.now().milliseconds / 1_000
    let answer = try await door.ask(
      .post,
      "//in/signals",
      #"{"signal":"unlock","tst":\#(seconds)}"#,
      headers
    )
    #expect(answer.status == 200, "\(answer.text)")
    return anna
  }

  /// The messages that a server has been sent; beside them it is asked for its version.
  private func messages(at server: SmallServer) -> [SmallServer.Request] {
    server.requests.filter { $0.line.hasPrefix("POST ") }
  }

  /// Waits until a server has had so many messages; what is sent is sent beside everything else.
  private func requests(_ count: Int, at server: SmallServer) async throws -> [SmallServer.Request]
  {
    for _ in 0..<400 where messages(at: server).count < count {
      try await Task.sleep(for: .milliseconds(25))
    }
    return messages(at: server)
  }

  private func member(_ request: SmallServer.Request, _ name: String) throws -> JSONValue? {
    try JSONValue.parse(request.body)[name]
  }

  @Test func `news goes out with buttons, the second channel waits, and a press ends it once`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with({ $0.channels = ChannelServices(origin: "https://near.example.org") }) {
      door in
      let anna = try await unlock(door, Self.channels(server))
      let first = try #require(try await requests(1, at: server).first)
      #expect(first.headers["authorization"] == "Bearer tk_sesame")
      #expect(try member(first, "topic")?.text == "first")
      #expect(try member(first, "message")?.text?.contains("water the plants") == true)
      let desk = door.server.side.household.desk(door.anna)
      door.clock.pass(.minutes(9))
      await desk.tick()
      #expect(messages(at: server).count == 1)
      door.clock.pass(.minutes(2))
      await desk.tick()
      let second = try #require(try await requests(2, at: server).last)
      #expect(try member(second, "topic")?.text == "second")
      let button = try #require(try member(first, "actions")?.elements?.first)
      let url = try #require(button["url"]?.text)
      #expect(url.hasPrefix("https://near.example.org/a/"))
      let path = "/" + url.dropFirst("https://near.example.org".count)
      let page = try await door.ask(.get, path)
      #expect(page.text.contains("water the plants"))
      #expect(
        try await door.ask(.get, "/reminders", as: anna).items.first?["status"]?.text == "active"
      )
      // As a mail program sends it (RFC 8058).
      let press = try await door.ask(
        .post,
        path,
        "List-Unsubscribe=One-Click",
        type: "application/x-www-form-urlencoded"
      )
      #expect(press.status == 200 && !press.text.contains("Already done"))
      #expect(try await door.ask(.post, path).text.contains("Already done"))
      #expect(
        try await door.ask(.get, "/reminders", as: anna).items.first?["status"]?.text != "active"
      )
    }
  }

  @Test func `what waits for a channel that is taken away is told to nobody, and not kept`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with { door in
      let anna = try await unlock(door, Self.channels(server))
      _ = try await requests(1, at: server)
      let path = door.folder + "/people/anna.db"
      func waiting() throws -> Int {
        let store = try UserStore(path: path, key: .besides(path))
        defer { try? store.close() }
        return try store.unperformed().count
      }
      // The first is noted as told a moment after it was.
      for _ in 0..<400 where try waiting() > 1 { try await Task.sleep(for: .milliseconds(25)) }
      #expect(try waiting() == 1)
      // Whatever else is set, it waits on.
      for (name, value, left) in [
        ("zone", JSONValue.string("Europe/Berlin"), 1), ("channels", .array([]), 0),
      ] {
        let old = try await door.ask(.get, "/settings", as: anna)
        var settings = try #require(JSONValue.parse(old.text).members)
        settings.removeAll { $0.key == name }
        settings.append((name, value))
        let put = try await door.ask(
          .put,
          "/settings",
          JSONValue.object(settings).compact,
          as: anna,
          [(.ifMatch, try #require(old.etag))]
        )
        #expect(put.status == 200, "\(put.text)")
        #expect(try waiting() == left)
      }
    }
  }

  @Test func `who opened the first is not told by the second; programs open nothing`() async throws
  {
    for (isPerson, count) in [(true, 1), (false, 2)] {
      let server = try SmallServer()
      try await TestDoor.with { door in
        _ = try await unlock(door, Self.channels(server))
        let first = try #require(try await requests(1, at: server).first)
        let click = try #require(try member(first, "click")?.text)
        var headers = HTTPFields()
        if isPerson, let name = HTTPField.Name("Sec-Fetch-User") { headers[name] = "?1" }
        let page = try await door.ask(
          .get,
          "/" + click.dropFirst("http://127.0.0.1:8787".count),
          nil,
          headers
        )
        #expect(page.status == 200)
        door.clock.pass(.minutes(11))
        await door.server.side.household.desk(door.anna).tick()
        // What would be sent wrongly is sent before an answer that is asked for after it.
        if count == 2 {
          _ = try await requests(2, at: server)
        } else {
          try await Task.sleep(for: .milliseconds(300))
        }
        #expect(messages(at: server).count == count)
      }
    }
  }

  @Test
  func `YOMO-4.5.1d: a notification's page has all of its buttons, and says which was pressed`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with { door in
      _ = try await unlock(door, Self.channels(server))
      let first = try #require(try await requests(1, at: server).first)
      let click = try #require(try member(first, "click")?.text)
      let path = "/" + click.dropFirst("http://127.0.0.1:8787".count)
      let page = try await door.ask(.get, path)
      // A mail about it names these, and has no buttons of its own.
      for label in ["Done", "1 h later", "Not today", "15 min later", "Mute"] {
        #expect(page.text.contains(">\(label)</button>"), "\(page.text)")
      }
      #expect(!page.text.contains("Next time") && !page.text.contains("geo:"))
      #expect(try await door.ask(.post, path).status == 405)
      let address = page.text.split(separator: "action=\"..").dropFirst().first?
        .prefix { $0 != "\"" }
      let done = try await door.ask(.post, "/" + (try #require(address)))
      #expect(done.status == 200 && done.text.contains("<h1>Done</h1>"), "\(done.text)")
      let again = try await door.ask(.get, path)
      #expect(again.text.contains("Answered before: Done."))
      #expect(!again.text.contains(">Done</button>") && again.text.contains(">Mute</button>"))
    }
  }

  @Test func `a channel that this door does not have says why its example is not told`()
    async throws
  {
    try await TestDoor.with { door in
      var settings = PersonSettings()
      settings.channels = #"[{"id":"post","type":"mail","to":"anna@example.org"}]"#
      settings.setChannels(try settings.channelSettings())
      try door.store.setSettings(Data(settings.json.utf8), of: door.anna)
      let anna = try await door.signIn(door.anna)
      let answer = try await door.ask(.post, "/channels/post/test", as: anna)
      #expect(answer.status == 200 && answer["outcome"]?.text == "refused", "\(answer.text)")
      #expect(answer["reason"]?.text?.contains("the server's mail address is missing") == true)
    }
  }

  @Test func `where the first gives up, the second waits for nothing`() async throws {
    let server = try SmallServer([.status(403)])
    try await TestDoor.with { door in
      _ = try await unlock(door, Self.channels(server))
      let requests = try await requests(2, at: server)
      #expect(try requests.map { try member($0, "topic")?.text } == ["first", "second"])
    }
  }

  @Test
  func `secrets are kept and not told, examples go out, and only the owner reaches into the home`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with { door in
      let anna = try await unlock(door, Self.channels(server))
      let ben = try await door.signIn(door.ben)
      let list = try await door.ask(.get, "/channels", as: anna)
      #expect(list.items.map { $0["id"]?.text } == ["phone", "later"])
      #expect(!list.text.contains("sesame"))
      #expect(!(try await door.ask(.get, "/export", as: anna)).text.contains("sesame"))
      _ = try await requests(1, at: server)
      let test = try await door.ask(.post, "/channels/phone/test", as: anna)
      #expect(test["outcome"]?.text == "delivered")
      #expect(
        try member(try #require(messages(at: server).last), "message")?.text?.contains("example")
          == true
      )
      // Another person has no such channel.
      #expect(try await door.ask(.post, "/channels/phone/test", as: ben).status == 404)
      let etag = try #require(try await door.ask(.get, "/settings", as: ben).etag)
      let inward = try await door.ask(
        .put,
        "/settings",
        #"{"channels":[{"id":"x","type":"ntfy","server":"http://192.168.1.1","topic":"a","plain_http":true}]}"#,
        as: ben,
        [(.ifMatch, etag)]
      )
      #expect(inward.status == 422 && inward.text.contains("nearme person channels"))
      let wrong = try await door.ask(
        .put,
        "/settings",
        #"{"channels":[{"id":"x","type":"pigeon"}]}"#,
        as: ben,
        [(.ifMatch, etag)]
      )
      #expect(wrong.status == 422 && wrong.name == "bad_member")
    }
  }

  @Test func `so many examples go out an hour, of each channel and of all of a person's`()
    async throws
  {
    let server = try SmallServer()
    try await TestDoor.with({
      // None comes back while this runs.
      $0.limits.examplesPerHour = 0.001
      $0.limits.exampleBurst = 2
    }) { door in
      let anna = try await door.signIn(door.anna)
      var settings = PersonSettings()
      let all = (0..<5)
        .map { i in
          #"{"id":"c\#(i)","type":"ntfy","server":"\#(server.origin)","topic":"t\#(i)","plain_http":true}"#
        }
      settings.channels = "[\(all.joined(separator: ","))]"
      settings.setChannels(try settings.channelSettings())
      try door.store.setSettings(Data(settings.json.utf8), of: door.anna)
      func example(_ channel: String) async throws -> Answer {
        try await door.ask(.post, "/channels/\(channel)/test", as: anna)
      }
      // What is not there takes nothing away.
      for _ in 0..<9 { #expect(try await example("nothing").status == 404) }
      for _ in 0..<2 { #expect(try await example("c0")["outcome"]?.text == "delivered") }
      let refused = try await example("c0")
      #expect(refused.status == 429 && refused.name == "too_many_examples", "\(refused.text)")
      #expect(refused.headers[.retryAfter] != nil)
      for channel in ["c1", "c2", "c3"] {
        for _ in 0..<2 { #expect(try await example(channel).status == 200) }
      }
      #expect(try await example("c4").status == 429)
      #expect(messages(at: server).count == 8)
    }
  }

  @Test func `a token is not told the topics by which buttons can be pressed`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      var settings = PersonSettings()
      settings.channels =
        #"[{"id":"phone","type":"ntfy","server":"https://ntfy.example.org","topic":"sesame"}]"#
      settings.setChannels(try settings.channelSettings())
      try door.store.setSettings(Data(settings.json.utf8), of: door.anna)
      let token = try door.token(of: door.anna, Set(SessionScope.allCases))
      let whole = try await door.ask(.get, "/settings", as: anna)
      for path in ["/settings", "/export"] {
        #expect(try await door.ask(.get, path, as: anna).text.contains("sesame"), "\(path)")
        let answer = try await door.ask(.get, path, nil, token)
        #expect(answer.status == 200 && !answer.text.contains("sesame"), "\(path)")
        #expect(answer.text.contains("https://ntfy.example.org"), "\(path)")
        #expect(answer.etag != whole.etag)
      }
    }
  }

  @Test func `a browser's subscription adds its channel, and goes again`() async throws {
    try await TestDoor.with({
      $0.channels.contact = try? VAPIDContact("mailto:owner@example.org")
    }) { door in
      let anna = try await door.signIn(door.anna)
      let key = try #require(try await door.ask(.get, "/push", as: anna)["public_key"]?.text)
      #expect(key.utf8.count == 87)
      // The key of RFC 8291's example is a point of the curve as good as any.
      let browser =
        #"{"endpoint":"https://push.example.org/x","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
      let added = try await door.ask(.post, "/push", browser, as: anna)
      #expect(added.status == 204, "\(added.text)")
      let list = try await door.ask(.get, "/channels", as: anna)
      #expect(list.items.map { $0["id"]?.text } == ["browsers"])
      #expect(!list.text.contains("no browser"))
      #expect(
        try await door
          .ask(.delete, "/push", #"{"endpoint":"https://push.example.org/x"}"#, as: anna).status
          == 204
      )
      #expect(try await door.ask(.get, "/channels", as: anna).text.contains("no browser"))
      let inward = try await door.ask(
        .post,
        "/push",
        browser.replacing("https://push", with: "http://push"),
        as: anna
      )
      #expect(inward.status == 422)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `a browser's channel is added after settings that are just being saved, and to them`()
    async throws
  {
    try await TestDoor.with({
      $0.channels.contact = try? VAPIDContact("mailto:owner@example.org")
    }) { door in
      let anna = try await door.signIn(door.anna)
      let (isBusy, isFree) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
      let desk = door.server.side.household.desk(door.anna)
      // Who saves new hours waits for whoever is at the desk.
      let busy = Task {
        try await desk.edit { _ in
          isBusy.continuation.finish()
          return isFree.wait(timeout: .now() + 60) == .success
        }
      }
      for await _ in isBusy.stream {}
      let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
      let hours = #"{"quiet_hours":{"from":"22:00","until":"07:00"}}"#
      let saving = Task {
        try await door.ask(.put, "/settings", hours, as: anna, [(.ifMatch, etag)])
      }
      // Not more often than the door answers one person.
      for _ in 0..<1_000 {
        if try await door.ask(.get, "/settings", as: anna).text.contains("22:00") { break }
        try await Task.sleep(for: .milliseconds(50))
      }
      let browser =
        #"{"endpoint":"https://push.example.org/x","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#
      let adding = Task { try await door.ask(.post, "/push", browser, as: anna) }
      try await Task.sleep(for: .seconds(1))
      let meanwhile = try await door.ask(.get, "/settings", as: anna).text
      isFree.signal()
      // On a machine with other things to do a minute may have passed before.
      let wasBusy = try await busy.value
      #expect(!wasBusy || !meanwhile.contains("web_push"), "\(meanwhile)")
      #expect(try await saving.value.status == 200)
      let added = try await adding.value
      #expect(added.status == 204, "\(added.text)")
      let settled = try await door.ask(.get, "/settings", as: anna).text
      #expect(settled.contains("22:00") && settled.contains("web_push"), "\(settled)")
    }
  }
}
