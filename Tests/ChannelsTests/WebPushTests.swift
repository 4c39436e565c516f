import Channels
import Crypto
import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

@Suite struct WebPushTests {
  /// What a browser has: a key and a secret.
  private struct Browser {
    let key: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]

    init(key: P256.KeyAgreement.PrivateKey = .init(), secret: [UInt8] = Array(100..<116)) {
      self.key = key
      self.secret = secret
    }

    func json(_ endpoint: String) -> [UInt8] {
      let key = Base64URL.encode(key.publicKey.x963Representation)
      return Array(
        """
        {"endpoint":"\(endpoint)","expirationTime":null,
         "keys":{"p256dh":"\(key)","auth":"\(Base64URL.encode(secret))"}}
        """
        .utf8
      )
    }

    /// Reads a message as RFC 8188 and RFC 8291 say, with none of the sender's code.
    func read(_ body: [UInt8]) throws -> String {
      try #require(body.count > 86 && body.count <= 4_096)
      let (salt, sender) = (Array(body[..<16]), Array(body[21..<86]))
      #expect(Array(body[16..<21]) == [0, 0, 16, 0, 65])
      let shared = try key.sharedSecretFromKeyAgreement(
        with: P256.KeyAgreement.PublicKey(x963Representation: sender)
      )
      let info =
        Array("WebPush: info".utf8) + [0] + Array(key.publicKey.x963Representation) + sender
      let extracted = HMAC<SHA256>
        .authenticationCode(
          for: shared.withUnsafeBytes { Array($0) },
          using: SymmetricKey(data: secret)
        )
      let input = HMAC<SHA256>
        .authenticationCode(
          for: info + [1],
          using: SymmetricKey(data: Array(extracted))
        )
      let random = SymmetricKey(
        data: Array(
          HMAC<SHA256>.authenticationCode(for: Array(input), using: SymmetricKey(data: salt))
        )
      )
      func expand(_ name: String, _ count: Int) -> [UInt8] {
        let text = Array("Content-Encoding: \(name)".utf8) + [0, 1]
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: random).prefix(count))
      }
      let box = try AES.GCM.SealedBox(
        nonce: AES.GCM.Nonce(data: expand("nonce", 12)),
        ciphertext: body[86..<(body.count - 16)],
        tag: body.suffix(16)
      )
      let plain = try AES.GCM.open(box, using: SymmetricKey(data: expand("aes128gcm", 16)))
      #expect(plain.last == 2)
      return String(decoding: plain.dropLast(), as: UTF8.self)
    }
  }

  /// Who was asked to forget.
  private actor Forgotten {
    private(set) var endpoints: [String] = []
    func add(_ subscription: PushSubscription) { endpoints.append(subscription.endpoint) }
  }

  private let clock = StillClock()
  private let browser = Browser()
  private let key = VAPIDKey()
  private let forgotten = Forgotten()

  private func sink(_ server: SmallServer) throws -> WebPushSink {
    WebPushSink(
      try PushSubscription(
        json: browser.json(server.origin + "/push/abc"),
        recipients: .homeInTheClear
      ),
      key: key,
      contact: try VAPIDContact("mailto:anna@example.org"),
      person: "anna",
      minting: try desk(),
      clock: clock,
      recipients: .homeInTheClear,
      forget: { [forgotten] in await forgotten.add($0) }
    )
  }

  @Test func `RFC 8291, appendix A, byte for byte`() throws {
    let sender = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: #require(Base64URL.decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    )
    let receiver = try P256.KeyAgreement.PrivateKey(
      rawRepresentation: #require(Base64URL.decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
    )
    let secret = try #require(Base64URL.decode("BTBZMqHH6r4Tts7J_aSIgg"))
    let browser = Browser(key: receiver, secret: secret)
    let message = try PushEncryption.encrypt(
      Array("When I grow up, I want to be a watermelon".utf8),
      to: PushSubscription(json: browser.json("https://push.example.net/push/1")),
      sender: sender,
      salt: #require(Base64URL.decode("DGv6ra1nlYgDCS1FRnbzlw"))
    )
    #expect(message.count == 144)
    #expect(
      Base64URL.encode(message)
        == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6"
        + "TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy"
        + "4a-fN"
    )
    #expect(try browser.read(message) == "When I grow up, I want to be a watermelon")
  }

  /// Checks a header as a push service does (RFC 8292) and hands back its claims.
  private func claims(_ header: String) throws -> String {
    let match = try #require(header.wholeMatch(of: /vapid t=([\w.-]+), ?k=([\w-]+)/))
    let parts = match.1.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let key = try P256.Signing.PublicKey(
      x963Representation: #require(Base64URL.decode(String(match.2)))
    )
    let signature = try P256.Signing.ECDSASignature(
      rawRepresentation: #require(Base64URL.decode(parts[2]))
    )
    #expect(key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    let head = String(decoding: try #require(Base64URL.decode(parts[0])), as: UTF8.self)
    #expect(value(head, "alg") as? String == "ES256")
    #expect(value(head, "typ") as? String == "JWT")
    return String(decoding: try #require(Base64URL.decode(parts[1])), as: UTF8.self)
  }

  /// The check of these tests holds for the token of others.
  @Test func `RFC 8292, section 2.4: the signature of its example is good`() throws {
    let claims = try claims(
      "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHA"
        + "iOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlM"
        + "uCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3M"
        + "rAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    )
    #expect(value(claims, "sub") as? String == "mailto:push@example.com")
  }

  @Test func `a push is encrypted for the browser, and says who sends it`() async throws {
    let server = try SmallServer([.status(201)])
    defer { server.stop() }
    let notification = try news()
    let sink = try sink(server)
    #expect(await sink.deliver([posted(notification)]) == .delivered)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /push/abc HTTP/1.1")
    #expect(request.headers["content-encoding"] == "aes128gcm")
    #expect(request.headers["ttl"] == "14400")
    #expect(request.headers["urgency"] == "high")
    let topic = try #require(request.headers["topic"])
    #expect(topic.wholeMatch(of: /[\w-]{22}/) != nil)
    let claims = try claims(#require(request.headers["authorization"]))
    #expect(value(claims, "aud") as? String == server.origin)
    #expect(value(claims, "exp") as? Int == 1_772_524_800 + 12 * 3_600)
    #expect(value(claims, "sub") as? String == "mailto:anna@example.org")
    #expect(request.headers["authorization"]?.hasSuffix(", k=\(key.publicText)") == true)
    let json = try browser.read(request.bytes)
    let (buttons, page) = try desk()
      .buttons(for: notification, channel: sink.name)
    #expect(value(json, "web_push") as? Int == 8_030)
    #expect(
      value(json, "notification", "title") as? String == "Arriving at Home — take out the bins now?"
    )
    #expect(value(json, "notification", "body") as? String == "")
    #expect(value(json, "notification", "navigate") as? String == page)
    #expect(value(json, "notification", "silent") as? Bool == false)
    #expect(value(json, "notification", "tag") as? String == topic)
    #expect(value(json, "nearme", "event") as? String == "shown")
    #expect(value(json, "nearme", "buttons", 0, "url") as? String == buttons[0].url)
    #expect(value(json, "nearme", "buttons", 0, "label") as? String == "Done")
    #expect(value(json, "nearme", "buttons", 0, "action") as? String == "complete")
  }

  @Test func `updates and withdrawals take the place of what they are about, without noise`()
    async throws
  {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server)
    for delivery in try [
      posted(news()), replaced(news(["a", "b"], headline: "Two"), isNews: true),
      replaced(news(), isNews: false), withdrawn(), posted(news(id: "n8")),
    ] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    let requests = server.requests
    let topics = requests.map { $0.headers["topic"] }
    #expect(Set(topics.prefix(4)).count == 1 && topics[4] != topics[0])
    #expect(
      requests.map { $0.headers["urgency"] } == ["high", "normal", "normal", "normal", "high"]
    )
    let messages = try requests.map { try browser.read($0.bytes) }
    #expect(
      messages.map { value($0, "notification", "silent") as? Bool }
        == [false, true, true, true, false]
    )
    #expect(value(messages[1], "notification", "title") as? String == "Two")
    #expect(value(messages[1], "notification", "body") as? String == "a\nb")
    #expect(value(messages[3], "notification", "title") as? String == "No longer needed.")
    #expect(value(messages[3], "nearme", "event") as? String == "withdrawn")
    // The same text twice is never the same bytes.
    #expect(requests[0].bytes.prefix(16) != requests[1].bytes.prefix(16))
    #expect(requests[0].bytes[21..<86] != requests[1].bytes[21..<86])
  }

  @Test func `long texts fit into one record`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let sink = try sink(server)
    let long = String(repeating: "ä\"", count: 4_000)
    for notification in try [news([long]), news([long], headline: "H"), news(["a", long])] {
      #expect(await sink.deliver([posted(notification)]) == .delivered)
      let request = try #require(server.requests.last)
      #expect((4_080...4_096).contains(request.bytes.count))
      #expect(value(try browser.read(request.bytes), "nearme", "buttons", 0) != nil)
    }
  }

  @Test(arguments: [404, 410])
  func `a subscription that is no more is forgotten`(_ status: Int) async throws {
    let server = try SmallServer([.status(status)])
    defer { server.stop() }
    let outcome = try await sink(server).deliver([posted(news())])
    #expect(outcome == .refused(reason: "subscription_gone"))
    #expect(await forgotten.endpoints == [server.origin + "/push/abc"])
  }

  @Test func `what else a push service may say`() async throws {
    for (answer, outcome) in [
      (.status(429, ["Retry-After": "60"]), .putOff(reason: "status 429", atLeast: .seconds(60))),
      (.status(500), .putOff(reason: "status 500", atLeast: nil)),
      (.status(400), .refused(reason: "status 400")),
      (.status(403), .refused(reason: "status 403")),
      (.status(413), .refused(reason: "status 413")),
      (
        .status(307, ["Location": "/x"]), .refused(reason: "status 307: redirects are not followed")
      ),
    ] as [(SmallServer.Answer, DeliveryOutcome)] {
      let server = try SmallServer([answer])
      defer { server.stop() }
      #expect(try await sink(server).deliver([posted(news())]) == outcome)
    }
    #expect(await forgotten.endpoints.isEmpty)
  }

  @Test func `a browser cannot have us look around at home`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "192.168.1.1"] {
      let sink = WebPushSink(
        try PushSubscription(json: browser.json("https://\(host):\(server.port)/x")),
        key: key,
        contact: try VAPIDContact("mailto:anna@example.org"),
        person: "anna",
        minting: try desk(),
        clock: clock,
        forget: { _ in }
      )
      let outcome = try await sink.deliver([posted(news())])
      #expect(outcome == .refused(reason: "address_not_allowed"), "\(host)")
    }
    #expect(server.connectionCount == 0)
  }

  @Test func `Safari is not sent what it would show as one more`() async throws {
    let sink = WebPushSink(
      try PushSubscription(json: browser.json("https://web.push.apple.com/abc")),
      key: key,
      contact: try VAPIDContact("mailto:anna@example.org"),
      person: "anna",
      minting: BrokenDesk(),
      clock: clock,
      forget: { _ in }
    )
    #expect(await sink.deliver([withdrawn()]) == .delivered)
    #expect(try await sink.deliver([replaced(news(), isNews: false)]) == .delivered)
    let outcome = try await sink.deliver([posted(news())])
    #expect(outcome == .putOff(reason: "answers_not_stored", atLeast: nil))
  }

  @Test func `a subscription is read strictly and kept as it was`() throws {
    let good = try PushSubscription(json: browser.json("https://push.example.net:443/a?b=c"))
    #expect(good.endpoint == "https://push.example.net:443/a?b=c")
    #expect(good.origin == "https://push.example.net")
    #expect(try PushSubscription(json: Array(good.json.utf8)) == good)
    func refusal(_ json: [UInt8]) -> PushSubscription.Refusal? {
      do throws(PushSubscription.Refusal) {
        _ = try PushSubscription(json: json)
        return nil
      } catch {
        return error
      }
    }
    for endpoint in [
      "http://push.example.net/", "https://", "https:///a", "https://u@push.example.net/",
      "https://a\\\\b/", "https://a b/", "ftp://a/", "https://:443/", "",
      "https://a/" + String(repeating: "x", count: 2_048),
    ] {
      #expect(refusal(browser.json(endpoint)) == .endpoint, "\(endpoint)")
    }
    #expect(refusal([]) == .malformed)
    #expect(refusal(Array("{}".utf8)) == .malformed)
    #expect(refusal([UInt8](repeating: 0x20, count: 5_000)) == .malformed)
    let text = String(decoding: browser.json("https://a.example/"), as: UTF8.self)
    let key = Base64URL.encode(browser.key.publicKey.x963Representation)
    let offCurve = Base64URL.encode([4] + [UInt8](repeating: 7, count: 64))
    for wrong in ["", "AA", offCurve, String(key.dropLast(2))] {
      #expect(refusal(Array(text.replacing(key, with: wrong).utf8)) == .key, "\(wrong)")
    }
    let secret = Base64URL.encode(browser.secret)
    #expect(refusal(Array(text.replacing(secret, with: "AAAA").utf8)) == .secret)
  }

  @Test func `a contact is one that Apple takes`() throws {
    for good in ["mailto:anna@example.org", "https://near.example.org/contact"] {
      #expect(try VAPIDContact(good).text == good)
    }
    for bad in [
      "mailto:anna@localhost", "mailto:anna@box.local", "https://localhost", "https://a.invalid",
      "anna@example.org", "http://example.org", "mailto:", "mailto:a@b@c.org", "https://127.0.0.1",
      "mailto:anna@example.org\",\"x\":\"", "https://example.org/\n", "", "https://",
    ] {
      #expect(throws: HostFailure.self, "\(bad)") { try VAPIDContact(bad) }
    }
  }

  @Test func `a key pair is the same after a restart`() throws {
    let again = try VAPIDKey(stored: key.stored)
    #expect(again.publicText == key.publicText && again.stored == key.stored)
    #expect(Base64URL.decode(key.publicText)?.count == 65)
    for bad in ["", "AAAA", key.publicText, Base64URL.encode([UInt8](repeating: 0, count: 32))] {
      #expect(throws: HostFailure.self, "\(bad)") { try VAPIDKey(stored: bad) }
    }
  }
}
