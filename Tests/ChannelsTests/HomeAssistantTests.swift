import Channels
import LiveHost
import NearMeEngine
import TestSupport
import Testing

@Suite struct HomeAssistantTests {
  private func sink(
    _ server: SmallServer,
    _ phone: HomeAssistantSettings.Phone = .android
  ) throws -> HomeAssistantSink {
    HomeAssistantSink(
      try HomeAssistantSettings(
        server: ServiceAddress(server.origin, allowsPlainHTTP: true),
        service: "notify.mobile_app_anna",
        token: "abc.def",
        phone: phone
      ),
      person: "anna",
      minting: try desk(),
      clock: StillClock()
    )
  }

  @Test func `a notification is a call of the action, for both platforms`() async throws {
    let server = try SmallServer([.body(200, "[]")])
    defer { server.stop() }
    let notification = try news(headline: "At home")
    let sink = try sink(server)
    #expect(await sink.deliver([posted(notification)]) == .delivered)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /api/services/notify/mobile_app_anna HTTP/1.1")
    #expect(request.headers["authorization"] == "Bearer abc.def")
    #expect(request.headers["content-type"] == "application/json")
    let json = request.body
    #expect(value(json, "title") as? String == "At home")
    #expect(value(json, "message") as? String == "Arriving at Home — take out the bins now?")
    let (buttons, page) = try desk().buttons(for: notification, channel: sink.name)
    for (key, text) in [
      ("url", page), ("clickAction", page), ("channel", "Near Me: now"), ("importance", "high"),
      ("priority", "high"),
    ] {
      #expect(value(json, "data", key) as? String == text, "\(key)")
    }
    #expect(value(json, "data", "ttl") as? Int == 0)
    #expect(value(json, "data", "push", "interruption-level") as? String == "time-sensitive")
    #expect(value(json, "data", "push", "sound") as? String == "default")
    for i in 0..<3 {
      #expect(
        value(json, "data", "actions", i, "action") as? String == "NEARME_" + buttons[i].token
      )
      #expect(value(json, "data", "actions", i, "title") as? String == buttons[i].label)
    }
    #expect(value(json, "data", "actions", 3) == nil)
  }

  @Test func `an iPhone has all buttons, and what is less urgent makes less of itself`()
    async throws
  {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server, .iPhone)
    _ = try await sink.deliver([posted(news(kind: .approach))])
    let json = server.requests[0].body
    #expect(value(json, "data", "actions", 3) != nil)
    #expect(value(json, "data", "push", "interruption-level") as? String == "active")
    #expect(value(json, "data", "importance") as? String == "default")
    #expect(value(json, "data", "priority") == nil)
    #expect(value(json, "title") == nil)
  }

  @Test func `updates and withdrawals go by the tag`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server)
    for delivery in try [posted(news()), replaced(news(), isNews: false), withdrawn()] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    let bodies = server.requests.map(\.body)
    let tags = bodies.map { value($0, "data", "tag") as? String }
    #expect(tags[0]?.utf8.count == 22 && Set(tags).count == 1)
    #expect(value(bodies[1], "data", "alert_once") as? Bool == true)
    #expect(value(bodies[1], "data", "push", "sound") as? String == "none")
    #expect(value(bodies[1], "data", "push", "interruption-level") as? String == "passive")
    #expect(value(bodies[2], "message") as? String == "clear_notification")
    #expect(value(bodies[2], "data", "actions") == nil)
  }

  @Test func `long texts are cut`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    _ = try await sink(server).deliver([posted(news([String(repeating: "é", count: 5_000)]))])
    let body = try #require(server.requests.first).body
    #expect((3_000...3_072).contains(body.utf8.count))
    #expect((value(body, "message") as? String)?.hasSuffix("…") == true)
    #expect(value(body, "data", "push", "sound") != nil)
  }

  @Test func `what may pass is put off, and what does not is final`() async throws {
    for (answer, outcome) in [
      (.status(401), .refused(reason: "status 401")),
      (.status(400), .refused(reason: "status 400")),
      (.status(404), .refused(reason: "status 404")),
      (.status(502), .putOff(reason: "status 502", atLeast: nil)),
      (
        .status(302, ["Location": "/x"]), .refused(reason: "status 302: redirects are not followed")
      ),
    ] as [(SmallServer.Answer, DeliveryOutcome)] {
      let server = try SmallServer([answer])
      defer { server.stop() }
      #expect(try await sink(server).deliver([posted(news())]) == outcome)
    }
  }

  @Test func `names and tokens that would lead elsewhere are refused`() throws {
    let server = try ServiceAddress("https://ha.example.org")
    for (service, token) in [
      ("", "a"), ("mobile app", "a"), ("../../states/x", "a"), ("notify.", "a"), ("Phone", "a"),
      ("a?b", "a"), ("phone", ""), ("phone", "a\r\nX: b"), ("phone", "ä"),
    ] {
      #expect(throws: HostFailure.self, "\(service)") {
        try HomeAssistantSettings(server: server, service: service, token: token, phone: .android)
      }
    }
  }
}
