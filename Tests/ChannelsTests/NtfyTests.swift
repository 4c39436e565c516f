import Channels
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

@Suite struct NtfyTests {
  private let clock = StillClock()

  private func sink(
    _ server: SmallServer,
    _ credentials: NtfySettings.Credentials = .token("tk_abc"),
    canReplace: Bool? = nil,
    minting: (any AnswerMinting)? = nil
  ) throws -> NtfySink {
    NtfySink(
      try NtfySettings(
        server: ServiceAddress(server.origin, allowsPlainHTTP: true),
        topic: "anna-news",
        credentials: credentials,
        canReplace: canReplace
      ),
      person: "anna",
      minting: try minting ?? desk(),
      clock: clock
    )
  }

  @Test func `a notification is JSON to the root, with its buttons`() async throws {
    let server = try SmallServer([.body(200, "{}")])
    defer { server.stop() }
    let shelf = MemoryShelf()
    let notification = try news(headline: "One thing at home")
    let sink = try sink(server, minting: desk(shelf))
    #expect(await sink.deliver([posted(notification)]) == .delivered)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST / HTTP/1.1")
    #expect(request.headers["authorization"] == "Bearer tk_abc")
    #expect(request.headers["content-type"] == "application/json")
    let json = request.body
    #expect(value(json, "topic") as? String == "anna-news")
    #expect(value(json, "title") as? String == "One thing at home")
    #expect(value(json, "message") as? String == "Arriving at Home — take out the bins now?")
    #expect(value(json, "priority") as? Int == 4)
    let (buttons, page) = try desk(shelf)
      .buttons(for: notification, channel: sink.name)
    #expect(value(json, "click") as? String == page)
    for (i, label) in ["Done", "1 h later", "Next time"].enumerated() {
      #expect(value(json, "actions", i, "action") as? String == "http")
      #expect(value(json, "actions", i, "label") as? String == label)
      #expect(value(json, "actions", i, "url") as? String == buttons[i].url)
      #expect(value(json, "actions", i, "method") as? String == "POST")
      #expect(value(json, "actions", i, "clear") as? Bool == true)
    }
    #expect(value(json, "actions", 3) == nil)
    // What the button carries is on the shelf.
    let token = try #require(AnswerToken(buttons[0].token))
    guard case .fresh = try shelf.use(token.hash, at: clock.now()) else {
      Issue.record("the token is good")
      return
    }
  }

  @Test func `a name and a password are basic credentials`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    _ = try await sink(server, .password(user: "anna", password: "pa:ss")).deliver([posted(news())])
    #expect(server.requests.first?.headers["authorization"] == "Basic YW5uYTpwYTpzcw==")
    _ = try await sink(server, .none).deliver([posted(news())])
    #expect(server.requests.last?.headers["authorization"] == nil)
  }

  @Test func `a server that can replaces and deletes by the sequence`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server, canReplace: true)
    for delivery in try [
      posted(news()), replaced(news(), isNews: true), replaced(news(), isNews: false), withdrawn(),
    ] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    let requests = server.requests
    let sequences = requests.prefix(3).map { value($0.body, "sequence_id") as? String }
    let sequence = try #require(sequences.first ?? nil)
    #expect(Set(sequences) == [sequence])
    #expect(requests.prefix(3).map { value($0.body, "priority") as? Int } == [4, 2, 2])
    #expect(requests[3].line == "DELETE /anna-news/\(sequence) HTTP/1.1")
    #expect(requests[3].headers["authorization"] == "Bearer tk_abc")
  }

  @Test func `a server that cannot is sent what says more, quietly, and nothing else`() async throws
  {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server, canReplace: false)
    for delivery in try [
      posted(news()), replaced(news(), isNews: true), replaced(news(), isNews: false), withdrawn(),
    ] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    #expect(server.requests.count == 2)
    #expect(server.requests.allSatisfy { value($0.body, "sequence_id") == nil })
    #expect(value(server.requests[1].body, "priority") as? Int == 2)
  }

  @Test(arguments: [true, false])
  func `the first answer says whether a server can replace`(_ can: Bool) async throws {
    let server = try SmallServer([.body(200, #"{"id":"a"}"#)])
    let other = try SmallServer()
    defer { server.stop() }
    defer { other.stop() }
    // What the sequence is, to have it named back.
    _ = try await sink(other).deliver([posted(news())])
    let sequence = try #require(value(other.requests[0].body, "sequence_id") as? String)
    let answer = can ? #"{"id":"a","sequence_id":"\#(sequence)"}"# : #"{"id":"a"}"#
    let learning = try SmallServer([.body(200, answer)])
    defer { learning.stop() }
    let sink = try sink(learning)
    _ = try await sink.deliver([posted(news())])
    _ = try await sink.deliver([replaced(news(), isNews: false)])
    _ = await sink.deliver([withdrawn()])
    #expect(learning.requests.count == (can ? 3 : 1))
  }

  @Test func `a long text is cut, and the JSON stays whole`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    for piece in ["x", "é", "\"\\", "👩‍👩‍👧‍👦", "\n"] {
      let long = String(repeating: piece, count: 6_000)
      #expect(try await sink(server).deliver([posted(news([long]))]) == .delivered)
      let body = try #require(server.requests.last).body
      #expect((3_900...4_096).contains(body.utf8.count), "\(piece): \(body.utf8.count)")
      let message = try #require(value(body, "message") as? String)
      #expect(message.hasSuffix("…"))
      #expect(long.hasPrefix(message.dropLast()))
      #expect(value(body, "actions", 2, "clear") as? Bool == true)
    }
  }

  @Test func `what may pass is put off, and what does not is final`() async throws {
    for (answer, outcome) in [
      (
        SmallServer.Answer.status(429, ["Retry-After": "5"]),
        .putOff(reason: "status 429", atLeast: .seconds(5))
      ),
      (.status(507), .putOff(reason: "status 507", atLeast: nil)),
      (.status(503), .putOff(reason: "status 503", atLeast: nil)),
      (.status(401), .refused(reason: "status 401")),
      (.status(413), .refused(reason: "status 413")),
      (
        .status(302, ["Location": "/x"]), .refused(reason: "status 302: redirects are not followed")
      ),
    ] as [(SmallServer.Answer, DeliveryOutcome)] {
      let server = try SmallServer([answer, answer])
      defer { server.stop() }
      let sink = try sink(server)
      #expect(try await sink.deliver([posted(news())]) == outcome)
      #expect(await sink.deliver([withdrawn()]) == outcome)
      #expect(server.requests.count == 2)
    }
    let old = try SmallServer([.status(404)])
    defer { old.stop() }
    #expect(try await sink(old).deliver([withdrawn()]) == .delivered)
  }

  @Test func `without tokens nothing is sent`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let outcome = try await sink(server, minting: BrokenDesk()).deliver([posted(news())])
    #expect(outcome == .putOff(reason: "answers_not_stored", atLeast: nil))
    #expect(server.requests.isEmpty)
  }

  @Test func `settings that cannot work are refused`() throws {
    for topic in ["", "a/b", "a b", "ä", String(repeating: "x", count: 65)] {
      #expect(throws: HostFailure.self, "\(topic)") {
        try NtfySettings(server: ServiceAddress("https://ntfy.sh"), topic: topic)
      }
    }
    for address in [
      "", "ntfy.sh", "ftp://a", "https://", "https:///a", "https://u:p@a", "https://a?b",
      "https://a#b", "https://a b", "https://a\nb", "http://192.168.1.2",
    ] {
      #expect(throws: HostFailure.self, "\(address)") { try ServiceAddress(address) }
    }
    #expect(try ServiceAddress("https://ntfy.sh/").text == "https://ntfy.sh")
    #expect(
      try ServiceAddress("http://10.0.0.2:80", allowsPlainHTTP: true).text == "http://10.0.0.2:80"
    )
  }
}
