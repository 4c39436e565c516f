import LiveHost
import TestSupport
import Testing
import Timeline

@Suite struct HTTPClientTests {
  private func send(
    _ request: HTTPRequest,
    _ settings: HTTPClient.Settings = HTTPClient.Settings()
  ) async -> HTTPResult {
    await HTTPClient(settings).send(request)
  }

  @Test func `methods, headers and bodies go out as they are`() async throws {
    let server = try SmallServer([.body(200, "hello", ["Retry-After": "3"])])
    defer { server.stop() }
    let url = server.origin + "/a/b?c=d"
    let body: [UInt8] = [0, 1, 255, 0]
    let headers = [HTTPRequest.Header("X-One", "1"), HTTPRequest.Header("X-Two", "zwei ü")]
    guard
      case .answer(let answer) = await send(
        HTTPRequest(.put, url, headers: headers, body: body)
      )
    else {
      Issue.record("the server answers")
      return
    }
    #expect(answer.status == 200 && answer.text == "hello" && !answer.isCut)
    #expect(answer.retryAfter == "3")
    for method in [HTTPRequest.Method.get, .post, .delete] {
      _ = await send(HTTPRequest(method, url))
    }
    let requests = server.requests
    #expect(
      requests.map(\.line) == ["PUT", "GET", "POST", "DELETE"].map { "\($0) /a/b?c=d HTTP/1.1" }
    )
    #expect(requests[0].bytes == body)
    #expect(requests[0].headers["x-one"] == "1")
    #expect(requests[0].headers["x-two"] == "zwei ü")
    #expect(requests.dropFirst().allSatisfy { $0.bytes.isEmpty })
  }

  @Test func `a header that would be two is not sent`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    for (name, value) in [
      ("X", "a\r\nY: b"), ("X", "a\nb"), ("X\r\nY", "a"), ("X:", "a"), ("", "a"), ("X", ""),
      ("X", "a\0b"), ("X Y", "a"),
    ] {
      let request = HTTPRequest(
        .post,
        server.address,
        headers: [HTTPRequest.Header(name, value)]
      )
      #expect(await send(request) == .unsendable(reason: "bad_header"), "\(name): \(value)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `no more of a body is read than is wanted`() async throws {
    let server = try SmallServer([
      .body(200, String(repeating: "x", count: 200_000)), .head(202, thenStallSeconds: 20),
    ])
    defer { server.stop() }
    let request = HTTPRequest(.get, server.address)
    guard case .answer(let long) = await send(request) else {
      Issue.record("there is an answer")
      return
    }
    #expect(long.body.count == 65_536 && long.isCut)
    let short = HTTPClient.Settings(timeout: .seconds(10))
    guard case .answer(let stalled) = await send(request, short) else {
      Issue.record("the head is there")
      return
    }
    #expect(stalled.status == 202 && stalled.text == "abc" && stalled.isCut)
  }

  /// A busy machine may let minutes go by between two lines of this, so that what is compared are an hour
  /// without an answer and the test's limit.
  @Test(.timeLimit(.minutes(30)))
  func `a request that nobody waits for any more ends`() async throws {
    let server = try SmallServer([.stall(seconds: 3_600)])
    defer { server.stop() }
    let task = Task { [address = server.address] in
      await HTTPClient(HTTPClient.Settings(timeout: .seconds(3_600)))
        .send(HTTPRequest(.get, address))
    }
    while server.requests.isEmpty { await Task.yield() }
    task.cancel()
    #expect(await task.value == .none(reason: "canceled"))
  }

  /// The addresses of a browser lead to the Internet, whatever their names stand for.
  @Test func `strangers' addresses do not lead into a network of ours`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let strangers = HTTPClient.Settings(recipients: .strangers, timeout: .seconds(5))
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "10.0.0.1", "0x7f.1"] {
      let result = await send(HTTPRequest(.post, "https://\(host):\(server.port)/"), strangers)
      #expect(result == .unsendable(reason: "address_not_allowed"), "\(host)")
    }
    for url in [server.address, "ftp://example.org/", "file:///etc/passwd", "", "https://"] {
      #expect(
        await send(HTTPRequest(.post, url), strangers) == .unsendable(reason: "bad_address"),
        "\(url)"
      )
    }
    let named = HTTPRequest(.post, "http://user:secret@127.0.0.1:\(server.port)/")
    #expect(await send(named) == .unsendable(reason: "bad_address"))
    #expect(server.requests.isEmpty)
    #expect(server.connectionCount == 0)
  }

  @Test func `http off this machine goes to private networks only, if at all`() async {
    let short = Milliseconds.seconds(1)
    let careful = HTTPClient.Settings(timeout: short)
    #expect(
      await send(HTTPRequest(.post, "http://192.168.255.254:9/"), careful)
        == .unsendable(reason: "address_not_allowed")
    )
    let home = HTTPClient.Settings(recipients: .homeInTheClear, timeout: short)
    #expect(
      await send(HTTPRequest(.post, "http://8.8.8.8:9/"), home)
        == .unsendable(reason: "address_not_allowed")
    )
  }
}
