import LiveHost
import Timeline

/// A chat with a bot.
package struct TelegramSettings: Hashable, Sendable {
  /// Where the bot's methods are.
  package let bot: TelegramBot
  /// The chat's number; that of a person is positive, that of a group negative.
  package let chat: Int64

  /// Makes settings.
  package init(bot: TelegramBot, chat: Int64) {
    self.bot = bot
    self.chat = chat
  }
}

/// A bot, which may serve several people.
package struct TelegramBot: Hashable, Sendable {
  /// Telegram's servers, or one's own.
  package let server: ServiceAddress
  /// What BotFather gave out.
  private let token: String

  /// Makes it.
  ///
  /// - Throws: `.usage` for what is no token: a number, a colon, letters and digits.
  package init(server: ServiceAddress, token: String) throws(HostFailure) {
    let parts = token.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, token.utf8.count <= 128,
      parts[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      parts[1].utf8.count >= 20, parts[1].utf8.allSatisfy(isNameByte)
    else {
      // Not named: it is a secret, or nearly one.
      throw HostFailure(
        .usage,
        "Telegram: the bot's token, as 123456:ABC-DEF…, is needed: BotFather gives it out"
      )
    }
    self.server = server
    self.token = token
  }

  /// The bot's number, which is no secret.
  package var number: Substring { token.prefix { $0 != ":" } }

  /// The address of a method; it holds the secret.
  func url(_ method: String) -> String { "\(server.text)/bot\(token)/\(method)" }
}

/// A message in a chat.
package struct TelegramMessage: Hashable, Sendable, Codable {
  /// Its number in the chat.
  package let id: Int64
  /// When it was sent.
  package let sentAt: Timestamp
  /// The key of the delivery that sent it.
  package let delivery: String

  /// Makes it.
  package init(id: Int64, sentAt: Timestamp, delivery: String) {
    self.id = id
    self.sentAt = sentAt
    self.delivery = delivery
  }
}

/// Which message shows which notification: without it, nothing sent can be changed or taken away.
package protocol TelegramMemory: Sendable {
  /// The message that shows a notification in a chat; nil if none does.
  func message(of notification: String, chat: Int64) throws -> TelegramMessage?
  /// Keeps it; what is older than some days may be let go.
  func remember(_ message: TelegramMessage, of notification: String, chat: Int64) throws
  /// Lets it go.
  func forget(_ notification: String, chat: Int64) throws
}

/// Up to which update a bot has heard.
package protocol TelegramOffset: Sendable {
  /// The first number that is not heard yet; nil at the beginning.
  func offset() throws -> Int64?
  /// Keeps it.
  func keep(offset: Int64) throws
}
