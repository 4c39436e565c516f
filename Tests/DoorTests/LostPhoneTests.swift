import Basics
import Channels
import Foundation
import GRDB
import HTTPTypes
import LiveHost
import Testing
import Timeline

import Door

/// What a phone that was lost may still do once all others are signed out: nothing.
@Suite struct LostPhoneTests {
  /// A browser as it gives its subscription; the key of RFC 8291's example is a point of the curve as good as any.
  private static func subscription(_ name: String) -> String {
    """
    {"endpoint":"https://push.example.org/\(name)","keys":{"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi\
    6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}
    """
  }

  private static func contact(_ configuration: inout DoorConfiguration) {
    configuration.channels.contact = try? VAPIDContact("mailto:owner@example.org")
  }

  private func turnOn(_ name: String, _ door: TestDoor, as browser: Browser) async throws {
    let answer = try await door.ask(.post, "/push", Self.subscription(name), as: browser)
    #expect(answer.status == 204, "\(answer.text)")
    door.clock.pass(.seconds(1))
  }

  private func endpoints(_ door: TestDoor, of person: DoorPerson) throws -> [String] {
    try door.store.browsers(of: person).map { String($0.endpoint.split(separator: "/").last ?? "") }
      .sorted()
  }

  @Test func `with the others go their pushes, and links that nobody has used yet`() async throws {
    try await TestDoor.with(Self.contact) { door in
      let (here, lost) = (try await door.signIn(door.anna), try await door.signIn(door.anna))
      let ben = try await door.signIn(door.ben)
      let link = try door.store.makeLink(for: door.anna, at: door.clock.now())
      let bens = try door.store.makeLink(for: door.ben, at: door.clock.now())
      try await turnOn("here", door, as: here)
      try await turnOn("lost", door, as: lost)
      try await turnOn("bens", door, as: ben)
      let answer = try await door.ask(.delete, "/sessions", as: here)
      #expect(answer.status == 200 && answer["sessions_ended"]?.double == 1, "\(answer.text)")
      #expect(try endpoints(door, of: door.anna) == ["here"])
      #expect(try endpoints(door, of: door.ben) == ["bens"])
      let used = try await door.ask(.post, "/session", "{\"token\":\"\(link)\"}")
      #expect(used.status == 401 && used.name == "bad_link")
      #expect(try await door.ask(.post, "/session", "{\"token\":\"\(bens)\"}").status == 200)
    }
  }

  /// Puts a button away that went out to a browser.
  private func offer(_ token: String, to browser: String, _ door: TestDoor) throws {
    let now = door.clock.now()
    let answer = AnswerSubject(
      person: door.anna.name,
      notification: "n1",
      shownAt: now,
      reminders: ["r1"],
      action: .mute,
      channel: AnswerWay.webPush("https://push.example.org/\(browser)").name,
      text: "milk"
    )
    let hash = try #require(AnswerPages.hash(token))
    try door.store.putAnswers([(hash, answer, now + .minutes(60))], of: door.anna)
  }

  @Test(arguments: ["/session", "/sessions", "/push"])
  func `the buttons of browsers that are signed out end, and those here go on`(
    path: String
  )
    async throws
  {
    let (mine, theirs) = ("BBBBBBBBBBBBBBBBBBBBBA", "CCCCCCCCCCCCCCCCCCCCCA")
    try await TestDoor.with(Self.contact) { door in
      let (here, lost) = (try await door.signIn(door.anna), try await door.signIn(door.anna))
      try await turnOn("here", door, as: here)
      try await turnOn("lost", door, as: lost)
      try offer(mine, to: "here", door)
      try offer(theirs, to: "lost", door)
      let body = #"{"endpoint":"https://push.example.org/lost"}"#
      let ended = try await door.ask(
        .delete,
        path,
        path == "/push" ? body : nil,
        as: path == "/sessions" ? here : lost
      )
      #expect(ended.status < 300, "\(ended.text)")
      #expect(try await door.ask(.get, "//a/\(theirs)").status == 410)
      #expect(try await door.ask(.get, "//a/\(mine)").status == 200)
    }
  }

  @Test func `who signs out is pushed nothing more, and others are`() async throws {
    try await TestDoor.with(Self.contact) { door in
      let (here, other) = (try await door.signIn(door.anna), try await door.signIn(door.anna))
      try await turnOn("here", door, as: here)
      try await turnOn("other", door, as: other)
      #expect(try await door.ask(.delete, "/session", as: here).status == 204)
      #expect(try endpoints(door, of: door.anna) == ["other"])
      #expect(try await door.ask(.get, "/session", as: other).status == 200)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `their open pages end at once, and no other`() async throws {
    try await TestDoor.with { door in
      let here = try await door.signIn(door.anna)
      _ = try await door.signIn(door.anna)
      let hub = door.server.side.hub
      let sessions = try door.store.sessions()
      #expect(sessions.count == 2)
      let streams = try sessions.map { session in
        try #require(hub.listen(door.anna, after: nil, most: 9, session: session.hash)).events
      }
      #expect(try await door.ask(.delete, "/sessions", as: here).status == 200)
      #expect(hub.count(of: door.anna) == 1)
      let left = try #require(try door.store.sessions().first)
      let lost = try #require(sessions.firstIndex { $0.hash != left.hash })
      // It would not end by itself.
      for await _ in streams[lost] {}
      #expect(try await door.ask(.delete, "/session", as: here).status == 204)
      #expect(hub.count(of: door.anna) == 0)
    }
  }

  @Test func `tokens go on, which is said, unless they are meant, too`() async throws {
    try await TestDoor.with { door in
      let here = try await door.signIn(door.anna)
      let (token, bens) = (
        try door.token(of: door.anna, [.read]), try door.token(of: door.ben, [.read])
      )
      let first = try await door.ask(.delete, "/sessions", as: here)
      #expect(first.status == 200 && first["tokens_left"]?.double == 1, "\(first.text)")
      #expect(try await door.ask(.get, "/export", nil, token).status == 200)
      let wrong = try await door.ask(.delete, "/sessions?tokens=all", as: here)
      #expect(wrong.status == 400 && wrong.name == "bad_query")
      let second = try await door.ask(.delete, "/sessions?tokens=true", as: here)
      #expect(second.status == 200 && second["tokens_left"]?.double == 0, "\(second.text)")
      #expect(try await door.ask(.get, "/export", nil, token).status == 401)
      #expect(try await door.ask(.get, "/export", nil, bens).status == 200)
      #expect(try await door.ask(.get, "/session", as: here).status == 200)
    }
  }

  @Test func `one browser is one person's: who turns pushes on there has it`() async throws {
    try await TestDoor.with(Self.contact) { door in
      let (anna, ben) = (try await door.signIn(door.anna), try await door.signIn(door.ben))
      try await turnOn("shared", door, as: anna)
      try await turnOn("annas", door, as: anna)
      try await turnOn("shared", door, as: ben)
      #expect(try endpoints(door, of: door.anna) == ["annas"])
      #expect(try endpoints(door, of: door.ben) == ["shared"])
    }
  }

  @Test func `of too many browsers the one that was turned on longest ago makes room`() async throws
  {
    try await TestDoor.with(Self.contact) { door in
      let anna = try await door.signIn(door.anna)
      for i in 0..<20 { try await turnOn("b\(i)", door, as: anna) }
      // One that is there already needs no room.
      try await turnOn("b19", door, as: anna)
      #expect(try endpoints(door, of: door.anna).count == 20)
      try await turnOn("b0", door, as: anna)
      try await turnOn("new", door, as: anna)
      let left = try endpoints(door, of: door.anna)
      #expect(left.count == 20 && Set(["new", "b0", "b19"]).isSubset(of: left))
      #expect(!left.contains("b1"))
    }
  }

  @Test func `a door of before opens, and its browsers are told until the others are signed out`()
    async throws
  {
    try await TestDoor.with(Self.contact) { door in
      let anna = try await door.signIn(door.anna)
      try await turnOn("before", door, as: anna)
      try door.store.write { database in
        try database.execute(
          sql: """
            ALTER TABLE channel DROP COLUMN session; ALTER TABLE channel DROP COLUMN added;
            DROP TABLE told; ALTER TABLE session DROP COLUMN maker; DROP TABLE unconfirmed;
            PRAGMA user_version = 3
            """
        )
      }
      _ = try DoorStore(DoorFolder(door.folder))
      #expect(try endpoints(door, of: door.anna) == ["before"])
      try await turnOn("here", door, as: anna)
      #expect(try endpoints(door, of: door.anna) == ["before", "here"])
      #expect(try await door.ask(.delete, "/sessions", as: anna).status == 200)
      #expect(try endpoints(door, of: door.anna) == ["here"])
    }
  }
}
