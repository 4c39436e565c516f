import Channels
import LiveHost
import NearMeEngine
import TestSupport
import Testing

@Suite struct ChannelOpenerTests {
  private func opener(
    _ server: ChannelOpener.Server = .init(),
    secret: String? = nil
  ) throws -> ChannelOpener {
    ChannelOpener(
      server,
      person: "anna",
      minting: try desk(),
      clock: StillClock(),
      secret: { _ in secret },
      forget: { _ in }
    )
  }

  @Test func `a channel that is opened delivers, with its own secret`() async throws {
    let server = try SmallServer()
    defer { server.stop() }
    let settings = try ChannelSettings([
      .init(id: "a", .ntfy(server: server.origin, topic: "t", allowsPlainHTTP: true)),
      .init(
        id: "b",
        .homeAssistant(
          server: server.origin,
          service: "phone",
          phone: .android,
          allowsPlainHTTP: true
        )
      ),
    ])
    for channel in settings.channels {
      let sinks = try opener(secret: "tk_1").open(channel)
      #expect(sinks.count == 1)
      #expect(try await sinks[0].deliver([posted(news())]) == .delivered)
    }
    let headers = server.requests.map { $0.headers["authorization"] }
    #expect(headers == ["Bearer tk_1", "Bearer tk_1"])
    #expect(NtfySettings.Credentials(secret: "a:b:c") == .password(user: "a", password: "b:c"))
    #expect(NtfySettings.Credentials(secret: nil) == .none)
  }

  @Test func `what the server lacks is named`() throws {
    for (kind, word) in [
      (.webPush, "contact"), (.mail(to: "a@example.org"), "mail"), (.telegram(chat: 1), "bot"),
      (
        .homeAssistant(
          server: "https://ha.example.org",
          service: "x",
          phone: .iPhone,
          allowsPlainHTTP: false
        ), "token"
      ),
    ] as [(ChannelSettings.Kind, String)] {
      let channel = try ChannelSettings([.init(id: "c", kind)]).channels[0]
      let opener = try opener()
      let failure = #expect(throws: HostFailure.self) { try opener.open(channel) }
      #expect(failure?.code == .missing && failure?.description.contains(word) == true)
    }
  }

  @Test func `the names of sinks say nothing, and are the same after a restart`() throws {
    let channel = ChannelSettings.Channel(
      id: "a",
      .ntfy(server: "https://ntfy.example.org", topic: "secret-topic", allowsPlainHTTP: false)
    )
    let names = try (0..<2).map { _ in try opener().open(channel)[0].name }
    #expect(names[0] == names[1] && !names[0].contains("secret") && names[0].hasPrefix("ntfy-"))
  }
}
