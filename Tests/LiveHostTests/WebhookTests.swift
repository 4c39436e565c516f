import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline
import UserStore

// One at a time: one of them sets the environment, which all have in common.
@Suite(.serialized) struct WebhookTests {
  private let clock = VirtualClock()

  private func deliver(
    to server: SmallServer,
    authorization: String? = nil,
    timeout: Milliseconds = .seconds(10)
  ) async throws -> DeliveryOutcome {
    let sink = WebhookSink(
      try WebhookAddress(server.address),
      authorization: authorization,
      timeout: timeout,
      clock: clock
    )
    let outcome = await sink.deliver([aNotification()])
    await sink.end()
    return outcome
  }

  private func attempt(_ answer: SmallServer.Answer) async throws -> DeliveryOutcome {
    let server = try SmallServer([answer])
    defer { server.stop() }
    return try await deliver(to: server)
  }

  @Test func `a request is a POST of the line, with its key`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    #expect(try await deliver(to: server, authorization: "Bearer abc") == .delivered)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /hook HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["idempotency-key"] == "\"test-7\"")
    #expect(request.headers["authorization"] == "Bearer abc")
    #expect(request.body == aNotification().line)
  }

  @Test(arguments: [200, 201, 202, 204])
  func `a status of success is the end of it`(_ status: Int) async throws {
    #expect(try await attempt(.status(status)) == .delivered)
  }

  @Test(arguments: [408, 409, 425, 429, 500, 502, 503, 504, 599])
  func `what may pass is tried again`(_ status: Int) async throws {
    #expect(
      try await attempt(.status(status)) == .putOff(reason: "status \(status)", atLeast: nil)
    )
  }

  @Test(arguments: [400, 401, 403, 404, 410, 413, 422, 501, 505])
  func `what does not pass is final`(_ status: Int) async throws {
    #expect(try await attempt(.status(status)) == .refused(reason: "status \(status)"))
  }

  @Test(arguments: [301, 302, 307, 308])
  func `redirects are not followed`(_ status: Int) async throws {
    let server = try SmallServer([.status(status, ["Location": "/elsewhere"])])
    defer { server.stop() }
    #expect(
      try await deliver(to: server)
        == .refused(reason: "status \(status): redirects are not followed")
    )
    #expect(server.requests.count == 1)
  }

  @Test func `a server may say how long to wait, in seconds or by a date`() async throws {
    // 2026-03-03T08:00:00Z, a Tuesday.
    #expect(
      try await attempt(.status(429, ["Retry-After": "120"]))
        == .putOff(reason: "status 429", atLeast: .seconds(120))
    )
    for date in [
      "Tue, 03 Mar 2026 08:05:00 GMT", "Tuesday, 03-Mar-26 08:05:00 GMT",
      "Tue Mar  3 08:05:00 2026",
    ] {
      #expect(
        try await attempt(.status(503, ["Retry-After": date]))
          == .putOff(reason: "status 503", atLeast: .minutes(5)),
        "\(date)"
      )
    }
    for (text, span) in [
      ("Tue, 03 Mar 2026 07:00:00 GMT", Milliseconds(0) as Milliseconds?), ("soon", nil),
      ("-5", nil), ("Tue, 31 Feb 2026 08:05:00 GMT", nil),
      ("99999999999999999999", .seconds(1 << 40)),
    ] {
      #expect(
        try await attempt(.status(503, ["Retry-After": text]))
          == .putOff(reason: "status 503", atLeast: span),
        "\(text)"
      )
    }
  }

  @Test func `a server that does not answer is tried again`() async throws {
    for answer in [SmallServer.Answer.hangUp, .halfAnHead, .garbage, .stall(seconds: 3)] {
      let server = try SmallServer([answer])
      defer { server.stop() }
      let outcome = try await deliver(to: server, timeout: .seconds(1))
      guard case .putOff(let reason, nil) = outcome else {
        Issue.record("\(answer): \(outcome)")
        continue
      }
      #expect(reason.hasPrefix("no answer: "))
      #expect(!reason.contains("127.0.0.1"))
    }
    let gone = try SmallServer()
    gone.stop()
    guard case .putOff = try await deliver(to: gone) else {
      Issue.record("nobody listens there")
      return
    }
  }

  @Test func `a body that never comes holds up nothing`() async throws {
    #expect(try await attempt(.head(200, thenStallSeconds: 2)) == .delivered)
  }

  @Test func `what goes to this machine in the clear goes to no proxy`() async throws {
    let proxy = try SmallServer()
    defer { proxy.stop() }
    // libcurl reads the name in small letters for http.
    setenv("http_proxy", proxy.address, 1)
    setenv("ALL_PROXY", proxy.address, 1)
    defer {
      unsetenv("http_proxy")
      unsetenv("ALL_PROXY")
    }
    let server = try SmallServer()
    defer { server.stop() }
    #expect(try await deliver(to: server) == .delivered)
    #expect(server.requests.count == 1)
    #expect(proxy.requests.isEmpty)
  }

  private static let openssl = "/usr/bin/openssl"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: openssl)))
  func `a server with a certificate that nobody vouches for is told nothing`() async throws {
    let folder = try TemporaryFolder()
    let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"))
    let maker = Process()
    maker.executableURL = URL(fileURLWithPath: Self.openssl)
    maker.arguments =
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
      + ["-keyout", key, "-out", certificate]
    maker.standardError = FileHandle.nullDevice
    try maker.run()
    maker.waitUntilExit()
    try #require(maker.terminationStatus == 0)
    // A port that was free a moment ago.
    let placeholder = try SmallServer()
    let port = placeholder.port
    placeholder.stop()
    let server = Process()
    server.executableURL = URL(fileURLWithPath: Self.openssl)
    server.arguments = ["s_server", "-accept", "\(port)", "-key", key, "-cert", certificate]
    let output = folder.path("received")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    server.standardOutput = FileHandle(forWritingAtPath: output)
    server.standardError = FileHandle.nullDevice
    let input = Pipe()
    server.standardInput = input
    try server.run()
    // It may have inherited a mask in which SIGTERM is blocked.
    defer { kill(server.processIdentifier, SIGKILL) }
    let sink = WebhookSink(
      try WebhookAddress("https://localhost:\(port)/hook"),
      timeout: .seconds(10),
      clock: clock
    )
    var outcome = await sink.deliver([aNotification()])
    for _ in 0..<600 {
      guard case .putOff(let reason, _) = outcome, reason.contains("connect") else { break }
      try await Task.sleep(for: .milliseconds(100))
      outcome = await sink.deliver([aNotification()])
    }
    guard case .putOff(let reason, nil) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(reason.contains("certificate"), "\(reason)")
    #expect(!(try String(contentsOfFile: output, encoding: .utf8)).contains("POST"))
  }

  @Test func `NM-8.5: an address is https, or this machine`() throws {
    for good in [
      "https://example.org/hook", "https://example.org:8443/a?b=c", "http://localhost:80/",
      "http://127.0.0.1/", "http://127.9.9.9:1/", "http://[::1]:8080/x", "HTTPS://EXAMPLE.ORG",
    ] {
      #expect(throws: Never.self, "\(good)") { try WebhookAddress(good) }
    }
    for bad in [
      "http://example.org/hook", "http://localhost.example.org/", "http://128.0.0.1/",
      "http://127.0.0.1.example.org/", "ftp://127.0.0.1/", "example.org", "https://", "https:///x",
      "",
      "https://user:secret@example.org/", "http://2130706433/", "http://0/", "file:///etc/passwd",
      // libcurl takes more slashes, and backslashes, for less than they are.
      "http:/127.0.0.1/", "http://127.0.0.1\\@example.org/", "http://example.org#@127.0.0.1/",
    ] {
      #expect(throws: HostFailure.self, "\(bad)") { try WebhookAddress(bad) }
    }
  }

  /// Five failures and their waits, on a clock of the test's own; what is put off is in the database.
  @Test
  func
    `NM-10.3: a failing server is tried again after growing waits, in order, and after a restart`()
    async throws
  {
    let server = try SmallServer([
      .status(500), .status(503), .hangUp, .status(429, ["Retry-After": "40"]), .status(502),
    ])
    defer { server.stop() }
    let day = try SmallDay()
    var store = try day.database.open()
    var sink = WebhookSink(try WebhookAddress(server.address), clock: clock)
    var host = try await makeHost(day.setup(.wall), store: store, sinks: [sink], clock: clock)
    try await day.arrive(host, clock)
    try await host.settle()
    var attempts = 1
    var waits: [Int64] = []
    while attempts < 6 {
      #expect(server.requests.count == attempts)
      let entry = try #require(try store.unperformed().first)
      #expect(entry.attempts == attempts)
      let until = try #require(entry.notBefore)
      let wait = until - clock.now()
      waits.append(wait.value)
      let bound = Backoff().bound(attempts: attempts).value
      #expect(attempts == 4 ? wait.value == 40_000 : wait.value <= bound)
      // A moment too early nothing happens.
      if wait.value > 1 {
        clock.advance(Milliseconds(wait.value - 1))
        try await host.tick()
        try await host.settle()
        #expect(server.requests.count == attempts)
      }
      if attempts == 3 {
        // Killed: the waits and their number are in the database.
        await host.abandon()
        await sink.end()
        try store.close()
        store = try day.database.open()
        sink = WebhookSink(try WebhookAddress(server.address), clock: clock)
        host = try await makeHost(day.setup(.wall), store: store, sinks: [sink], clock: clock)
        try await host.settle()
        #expect(server.requests.count == attempts)
      }
      clock.advance(Milliseconds(1))
      try await host.tick()
      try await host.settle()
      attempts += 1
    }
    print("waits of a failing webhook in ms: \(waits)")
    #expect(Set(server.requests.prefix(6).map { $0.headers["idempotency-key"] }).count == 1)
    #expect(try store.unperformed().isEmpty)
    try await host.finish()
    try store.close()
  }
}
