import Basics
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import NIOSSL
import Testing

import Door

/// What somebody may do who has nothing to show, and how the way here is kept.
@Suite struct StrangerTests {
  /// A connection on which a request has begun.
  private func asked(
    _ path: String,
    _ headers: HTTPFields,
    _ method: HTTPRequest.Method = .post
  ) throws -> EmbeddedChannel {
    let channel = EmbeddedChannel(handler: ConnectionLimits(ConnectionLine(most: 9)))
    try channel.connect(to: .init(unixDomainSocketPath: "/near")).wait()
    let head = HTTPRequest(
      method: method,
      scheme: "http",
      authority: "localhost",
      path: path,
      headerFields: headers
    )
    try channel.writeInbound(HTTPRequestPart.head(head))
    return channel
  }

  @Test func `who does not say who it is has ten seconds for a body, others two minutes`() throws {
    let (none, token, cookie): (HTTPFields, HTTPFields, HTTPFields) = (
      [:], [.authorization: "Bearer x"], [.cookie: "nearme=x"]
    )
    for (path, headers, isStranger) in [
      ("/api/v1/session", none, true), ("/api/v1/session", token, true),
      ("/api//v1/%73ession/?a=b", cookie, true), ("http://near/api/v1/session", cookie, true),
      ("/in/owntracks", none, true), ("/api/v1/remember", none, true), ("/a/AAAA", none, true),
      ("/api/v1/remember", token, false), ("/api/v1/remember", cookie, false),
      ("/in/owntracks", token, false), ("/in/traccar/secret", none, false),
    ] {
      let channel = try asked(path, headers)
      channel.embeddedEventLoop.advanceTime(by: .seconds(9))
      #expect(channel.isActive, "\(path)")
      channel.embeddedEventLoop.advanceTime(by: .seconds(2))
      #expect(channel.isActive == !isStranger, "\(path)")
      channel.embeddedEventLoop.advanceTime(by: .seconds(120))
      #expect(!channel.isActive, "\(path)")
    }
    // Whose body is whole waits for its answer.
    let channel = try asked("/api/v1/session", none)
    try channel.writeInbound(HTTPRequestPart.end(nil))
    channel.embeddedEventLoop.advanceTime(by: .seconds(300))
    #expect(channel.isActive)
  }

  @Test func `nobody waits for the rest of a body that was refused`() throws {
    for (status, connection, isWhole, stays) in [
      (401, "close", false, false), (413, "close", false, false), (401, "close", true, true),
      (422, nil, false, true), (200, "close", false, true),
    ] as [(Int, String?, Bool, Bool)] {
      let channel = try asked("/api/v1/remember", [.authorization: "Bearer x"])
      var head = HTTPResponse(status: .init(code: status))
      head.headerFields[.connection] = connection
      try channel.writeOutbound(HTTPResponsePart.head(head))
      try channel.writeOutbound(HTTPResponsePart.end(nil))
      if isWhole { try channel.writeInbound(HTTPRequestPart.end(nil)) }
      channel.embeddedEventLoop.advanceTime(by: .seconds(4))
      #expect(channel.isActive)
      channel.embeddedEventLoop.advanceTime(by: .seconds(2))
      #expect(channel.isActive == stays, "\(status), \(connection ?? "none"), \(isWhole)")
    }
  }

  @Test func `who signs in sends no more than 4 KiB`() async throws {
    try await TestDoor.with { door in
      let link = try door.store.makeLink(for: door.anna, at: door.clock.now())
      let room = String(repeating: " ", count: APIBody.longestOfStrangers)
      let long = try await door.ask(.post, "/session", "{\"token\":\"\(link)\"}" + room)
      #expect(long.status == 413 && long.name == "too_large")
      #expect(long.headers[.connection] == "close")
      // In JSON each letter of a name may take twelve bytes.
      let name = String(repeating: "\\ud83d\\ude00", count: 60)
      let body = "{\"token\":\"\(link)\",\"label\":\"\(name)\"}"
      #expect(try await door.ask(.post, "/session", body).status == 200)
    }
  }

  @Test func `all who sign in at once have so much memory together, and give it back`() async throws
  {
    try await TestDoor.with({ $0.limits.strangersBytes = APIBody.longestOfStrangers }) { door in
      for body in ["", "{", "{\"token\":\"x\"}"] {
        #expect((400..<500).contains(try await door.ask(.post, "/session", body).status))
      }
      for _ in 0..<3 { _ = try await door.signIn(door.anna) }
    }
    try await TestDoor.with({ $0.limits.strangersBytes = APIBody.longestOfStrangers - 1 }) { door in
      let answer = try await door.ask(.post, "/session", "{\"token\":\"x\"}")
      #expect(answer.status == 503 && answer.name == "busy")
    }
  }

  @Test func `a body that breaks off is the sender's, and no failure of the door`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      var headers = anna.headers
      headers[.contentType] = "application/json"
      for path in ["/api/v1/session", "/api/v1/remember"] {
        let reply = try await door.client.execute(
          uri: path,
          method: .post,
          headers: headers,
          body: ByteBuffer(string: "{\"text\":"),
          breaksOff: true
        )
        let text = String(buffer: reply.body)
        #expect(reply.status.code == 400 && text.contains("\"broken_body\""), "\(text)")
      }
      let counts = try await door.ask(.get, "//metrics", nil, TestDoor.owner)
      #expect(counts.text.contains("broken_body") && !counts.text.contains("busy"))
    }
  }

  @Test func `who has come by https is told to come by nothing else`() async throws {
    let rule = HTTPField.Name.strictTransportSecurity
    try await TestDoor.with({ $0.trustsProxy = true }) { door in
      var secure = HTTPFields()
      secure[try #require(HTTPField.Name("X-Forwarded-Proto"))] = "https"
      for path in ["//", "//healthz", "/session", "//n/x"] {
        #expect(try await door.ask(.get, path).headers[rule] == nil, "\(path)")
        let answer = try await door.ask(.get, path, nil, secure)
        #expect(answer.headers[rule] == "max-age=86400", "\(path)")
      }
    }
    try await TestDoor.with({ $0.tls = ("certificate.pem", "key.pem") }) { door in
      let answer = try await door.ask(.get, "//")
      #expect(answer.headers[rule] != nil)
    }
    // Whoever is not before a proxy may say anything.
    try await TestDoor.with { door in
      var said = HTTPFields()
      said[try #require(HTTPField.Name("X-Forwarded-Proto"))] = "https"
      #expect(try await door.ask(.get, "//", nil, said).headers[rule] == nil)
    }
  }

  @Test func `https is spoken in no version of TLS that is given up`() {
    let settings = DoorServer.withoutOldVersions(.makeClientConfiguration())
    #expect(settings.minimumTLSVersion == .tlsv12)
  }
}
