import LiveHost

/// The way by which a button goes out, as its token names it: a type of channel and where it leads, of which nothing can be
/// read off.
package struct AnswerWay: Hashable, Sendable {
  /// The type of channel.
  package let channel: AnswerChannel
  /// As tokens have it.
  package let name: String

  private init(_ channel: AnswerChannel, _ address: String) {
    self.channel = channel
    name = sinkName(channel.rawValue, address)
  }

  /// To a topic.
  package static func ntfy(_ server: ServiceAddress, topic: String) -> AnswerWay {
    AnswerWay(.ntfy, "\(server.text)/\(topic)")
  }

  /// To a phone with Home Assistant's app.
  package static func homeAssistant(_ server: ServiceAddress, service: String) -> AnswerWay {
    AnswerWay(.homeAssistant, "\(server.text)/\(service)")
  }

  /// To a browser, by the address of its push service.
  package static func webPush(_ endpoint: String) -> AnswerWay { AnswerWay(.webPush, endpoint) }

  /// To somebody's mail.
  package static func mail(_ to: MailAddress) -> AnswerWay { AnswerWay(.mail, to.text) }

  /// To a chat.
  package static func telegram(chat: Int64) -> AnswerWay { AnswerWay(.telegram, "\(chat)") }
}

extension AnswerChannel {
  /// The type whose sinks have such names; nil for what is no channel's.
  package init?(ofSink name: String) {
    guard let type = Self.allCases.first(where: { name.hasPrefix($0.rawValue + "-") }) else {
      return nil
    }
    self = type
  }
}

/// Ways that have come to an end.
package enum EndedWay: Hashable, Sendable {
  /// One.
  case one(AnswerWay)
  /// All of a type but some.
  case all(AnswerChannel, but: Set<AnswerWay> = [])

  /// Whether a button that went out by a way ends, too.
  ///
  /// Buttons that went out before ways were told apart name the type alone: they end with the first of it.
  ///
  /// - Parameter name: the way as the button's token names it.
  package func covers(_ name: String) -> Bool {
    switch self {
    case .one(let way): name == way.name || name == way.channel.rawValue
    case .all(let channel, let others):
      name == channel.rawValue
        || name.hasPrefix(channel.rawValue + "-") && !others.contains { $0.name == name }
    }
  }
}
