import LiveHost
import NearMeEngine
import Timeline

/// Makes sinks of a person's channels.
package struct ChannelOpener: Sendable {
  /// What the server has for all people; what is missing is not offered.
  package struct Server: Sendable {
    /// Its key for pushes, and whom to ask about them.
    package var push: (key: VAPIDKey, contact: VAPIDContact)?
    /// Who mails, and by which program.
    package var mail: (from: MailAddress, command: [String])?
    /// Its bot, and what is kept of the chats.
    package var telegram: (bot: TelegramBot, memory: any TelegramMemory)?

    /// Makes it with nothing.
    package init() {}
  }

  private let server: Server
  private let person: String
  private let minting: any AnswerMinting
  private let clock: any HostClock
  private let subscriptions: [PushSubscription]
  private let secret: @Sendable (_ channel: String) -> String?
  private let forget: @Sendable (PushSubscription) async -> Void

  /// Makes it for one person.
  ///
  /// - Parameter subscriptions: the person's browsers.
  /// - Parameter secret: the secret of a channel, by its id.
  /// - Parameter forget: is called when a browser has ended its subscription.
  package init(
    _ server: Server,
    person: String,
    minting: any AnswerMinting,
    clock: any HostClock,
    subscriptions: [PushSubscription] = [],
    secret: @escaping @Sendable (_ channel: String) -> String?,
    forget: @escaping @Sendable (PushSubscription) async -> Void
  ) {
    self.server = server
    self.person = person
    self.minting = minting
    self.clock = clock
    self.subscriptions = subscriptions
    self.secret = secret
    self.forget = forget
  }

  /// The sinks of a channel: one, or one for each browser.
  ///
  /// An address that does not say `plain_http` may be anybody's, and is reached on the Internet only.
  ///
  /// - Throws: `.missing` for what the server or the channel's secret lacks, `.usage` for what makes no
  ///   sense.
  package func open(_ channel: ChannelSettings.Channel) throws(HostFailure) -> [any Sink] {
    switch channel.kind {
    case .ntfy(let address, let topic, let plain):
      let settings = try NtfySettings(
        server: ServiceAddress(address, allowsPlainHTTP: plain, recipients: .strangers),
        topic: topic,
        credentials: NtfySettings.Credentials(secret: secret(channel.id))
      )
      return [NtfySink(settings, person: person, minting: minting, clock: clock)]
    case .homeAssistant(let address, let service, let phone, let plain):
      guard let token = secret(channel.id) else {
        throw missing(channel, "its long-lived access token")
      }
      let settings = try HomeAssistantSettings(
        server: ServiceAddress(address, allowsPlainHTTP: plain, recipients: .strangers),
        service: service,
        token: token,
        phone: phone
      )
      return [HomeAssistantSink(settings, person: person, minting: minting, clock: clock)]
    case .webPush: return try openPush(channel)
    case .mail(let to):
      guard let mail = server.mail else { throw missing(channel, "the server's mail address") }
      let settings = MailSettings(from: mail.from, to: try MailAddress(to), command: mail.command)
      return [try MailSink(settings, person: person, minting: minting)]
    case .telegram(let chat):
      guard let telegram = server.telegram else { throw missing(channel, "the server's bot") }
      return [
        TelegramSink(
          TelegramSettings(bot: telegram.bot, chat: chat),
          person: person,
          minting: minting,
          memory: telegram.memory,
          clock: clock
        )
      ]
    }
  }

  private func openPush(_ channel: ChannelSettings.Channel) throws(HostFailure) -> [any Sink] {
    guard let push = server.push else { throw missing(channel, "the server's contact for pushes") }
    return subscriptions.map { subscription in
      WebPushSink(
        subscription,
        key: push.key,
        contact: push.contact,
        person: person,
        minting: minting,
        clock: clock,
        forget: forget
      )
    }
  }

  private func missing(_ channel: ChannelSettings.Channel, _ what: String) -> HostFailure {
    HostFailure(
      .missing,
      "channel \(channel.id): \(what) is missing: set it, or remove the channel"
    )
  }
}

extension NtfySettings.Credentials {
  /// Reads `NAME:PASSWORD` or a token; nil and nothing are no credentials.
  package init(secret: String?) {
    guard let secret, !secret.isEmpty else {
      self = .none
      return
    }
    let parts = secret.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    self =
      parts.count == 2
      ? .password(user: String(parts[0]), password: String(parts[1])) : .token(secret)
  }
}
