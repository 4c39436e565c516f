import LiveHost

/// Through which channels a person is told, in an order.
///
/// Nothing in it is secret: tokens and passwords lie elsewhere, sealed, under the channel's id. As JSON:
///
/// ```json
/// {"channels": [
///   {"id": "phone", "type": "ntfy", "server": "https://ntfy.example.org", "topic": "anna"},
///   {"id": "mail", "type": "mail", "to": "anna@example.org", "after_minutes": 10}
/// ]}
/// ```
package struct ChannelSettings: Hashable, Sendable, Codable {
  /// So many at most: each is a queue of its own.
  package static let mostChannels = 8

  /// One channel.
  package struct Channel: Hashable, Sendable {
    /// The person's name for it: up to 32 letters, digits, `-` and `_`.
    package let id: String
    /// What it is.
    package let kind: Kind
    /// It is told only if the news was not opened for so many minutes after the channel before it was
    /// told; 0 to be told together with that one.
    package let afterMinutes: Int

    /// Makes a channel; ``ChannelSettings`` checks it.
    package init(id: String, _ kind: Kind, afterMinutes: Int = 0) {
      self.id = id
      self.kind = kind
      self.afterMinutes = afterMinutes
    }
  }

  /// What a channel is.
  package enum Kind: Hashable, Sendable {
    /// A topic of an ntfy server; secret: a token, `tk_…`, or `NAME:PASSWORD`, or none.
    case ntfy(server: String, topic: String, allowsPlainHTTP: Bool)
    /// All browsers that the person has allowed to; no secret, the server's key does.
    case webPush
    /// A phone with Home Assistant's companion app; secret: a long-lived access token.
    case homeAssistant(
      server: String,
      service: String,
      phone: HomeAssistantSettings.Phone,
      allowsPlainHTTP: Bool
    )
    /// Mail; no secret, the machine's own program has it.
    case mail(to: String)
    /// A chat with the server's bot; its secret is the server's.
    case telegram(chat: Int64)
  }

  /// The channels, the first one first.
  package let channels: [Channel]

  /// Makes settings.
  ///
  /// - Throws: `.usage` for too many channels, ids that are bad or come twice, waits of less than nothing or
  ///   more than a day, and for what the channels themselves refuse.
  package init(_ channels: [Channel]) throws(HostFailure) {
    guard channels.count <= Self.mostChannels else {
      throw HostFailure(.usage, "channels: at most \(Self.mostChannels), not \(channels.count)")
    }
    for (i, channel) in channels.enumerated() {
      try Self.check(channel, isFirst: i == 0)
      guard !channels[..<i].contains(where: { $0.id == channel.id }) else {
        throw HostFailure(
          .usage,
          "channel \(channel.id): it comes twice: give each an id of its own"
        )
      }
    }
    self.channels = channels
  }

  private static func check(_ channel: Channel, isFirst: Bool) throws(HostFailure) {
    guard (1...32).contains(channel.id.utf8.count), channel.id.utf8.allSatisfy(isNameByte) else {
      throw HostFailure(
        .usage,
        "channel \(channel.id): an id is 1 to 32 letters, digits, hyphens and underscores"
      )
    }
    guard (0...1_440).contains(channel.afterMinutes), !isFirst || channel.afterMinutes == 0 else {
      throw HostFailure(
        .usage,
        "channel \(channel.id): after_minutes is 0 to 1440, and 0 for the first channel, which waits for none"
      )
    }
    switch channel.kind {
    case .ntfy(let server, let topic, let plain):
      _ = try NtfySettings(
        server: ServiceAddress(server, allowsPlainHTTP: plain),
        topic: topic
      )
    case .homeAssistant(let server, let service, let phone, let plain):
      _ = try HomeAssistantSettings(
        server: ServiceAddress(server, allowsPlainHTTP: plain),
        service: service,
        // The real one lies elsewhere.
        token: "token",
        phone: phone
      )
    case .mail(let to): _ = try MailAddress(to)
    case .webPush, .telegram: break
    }
  }

  private enum CodingKeys: String, CodingKey {
    case channels
  }

  /// Reads settings; what makes no sense is refused as by ``init(_:)``.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(container.decode([Channel].self, forKey: .channels))
  }
}

extension ChannelSettings.Channel: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, type, server, topic, service, phone, to, chat
    case afterMinutes = "after_minutes"
    case allowsPlainHTTP = "plain_http"
  }

  private enum TypeName: String, Codable {
    case ntfy, mail, telegram
    case webPush = "web_push"
    case homeAssistant = "home_assistant"
  }

  /// Reads a channel.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    afterMinutes = try container.decodeIfPresent(Int.self, forKey: .afterMinutes) ?? 0
    let plain = try container.decodeIfPresent(Bool.self, forKey: .allowsPlainHTTP) ?? false
    switch try container.decode(TypeName.self, forKey: .type) {
    case .ntfy:
      kind = .ntfy(
        server: try container.decode(String.self, forKey: .server),
        topic: try container.decode(String.self, forKey: .topic),
        allowsPlainHTTP: plain
      )
    case .webPush: kind = .webPush
    case .homeAssistant:
      kind = .homeAssistant(
        server: try container.decode(String.self, forKey: .server),
        service: try container.decode(String.self, forKey: .service),
        phone: try container.decode(HomeAssistantSettings.Phone.self, forKey: .phone),
        allowsPlainHTTP: plain
      )
    case .mail: kind = .mail(to: try container.decode(String.self, forKey: .to))
    case .telegram: kind = .telegram(chat: try container.decode(Int64.self, forKey: .chat))
    }
  }

  /// Writes a channel in the form that is read.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    if afterMinutes != 0 { try container.encode(afterMinutes, forKey: .afterMinutes) }
    switch kind {
    case .ntfy(let server, let topic, let plain):
      try container.encode(TypeName.ntfy, forKey: .type)
      try container.encode(server, forKey: .server)
      try container.encode(topic, forKey: .topic)
      if plain { try container.encode(plain, forKey: .allowsPlainHTTP) }
    case .webPush: try container.encode(TypeName.webPush, forKey: .type)
    case .homeAssistant(let server, let service, let phone, let plain):
      try container.encode(TypeName.homeAssistant, forKey: .type)
      try container.encode(server, forKey: .server)
      try container.encode(service, forKey: .service)
      try container.encode(phone, forKey: .phone)
      if plain { try container.encode(plain, forKey: .allowsPlainHTTP) }
    case .mail(let to):
      try container.encode(TypeName.mail, forKey: .type)
      try container.encode(to, forKey: .to)
    case .telegram(let chat):
      try container.encode(TypeName.telegram, forKey: .type)
      try container.encode(chat, forKey: .chat)
    }
  }
}

extension ChannelSettings {
  /// The ways by which nobody is told any more as these settings have it, once others take their place.
  package func ended(by others: ChannelSettings) -> Set<EndedWay> {
    Set(channels.map(\.kind.ways)).subtracting(others.channels.map(\.kind.ways))
  }
}

extension ChannelSettings.Kind {
  /// The ways that end with it.
  package var ways: EndedWay {
    switch self {
    case .ntfy(let server, let topic, let plain):
      address(server, plain).map { .one(.ntfy($0, topic: topic)) } ?? .all(.ntfy)
    case .webPush: .all(.webPush)
    case .homeAssistant(let server, let service, _, let plain):
      address(server, plain)
        .map {
          .one(.homeAssistant($0, service: HomeAssistantSettings.name(ofService: service)))
        } ?? .all(.homeAssistant)
    case .mail(let to): (try? MailAddress(to)).map { .one(.mail($0)) } ?? .all(.mail)
    case .telegram(let chat): .one(.telegram(chat: chat))
    }
  }

  private func address(_ server: String, _ allowsPlainHTTP: Bool) -> ServiceAddress? {
    try? ServiceAddress(server, allowsPlainHTTP: allowsPlainHTTP)
  }
}
