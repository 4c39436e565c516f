import Channels
import LiveHost
import Timeline

/// Which messages show one person's notifications, in the door's file.
struct DoorTelegramMemory: TelegramMemory {
  let store: DoorStore
  let person: DoorPerson

  func message(of notification: String, chat: Int64) throws -> TelegramMessage? {
    try store.message("\(chat)/\(notification)", of: person)
  }

  func remember(_ message: TelegramMessage, of notification: String, chat: Int64) throws {
    try store.setMessage(message, "\(chat)/\(notification)", of: person)
  }

  func forget(_ notification: String, chat: Int64) throws {
    try store.setMessage(nil, "\(chat)/\(notification)", of: person)
  }
}

/// Up to which update the door's bot has heard.
struct DoorTelegramOffset: TelegramOffset {
  let store: DoorStore
  let bot: String

  func offset() throws -> Int64? { try store.heard(bot: bot) }
  func keep(offset: Int64) throws { try store.setHeard(offset, bot: bot) }
}

extension PersonChannels {
  /// Whether a person is told in a chat.
  func isTold(_ person: DoorPerson, in chat: Int64) throws(HostFailure) -> Bool {
    try PersonSettings(of: person, in: store).channelSettings().channels
      .contains { $0.kind == .telegram(chat: chat) }
  }

  /// Asks Telegram for presses; nil where no bot is offered.
  ///
  /// - Parameter press: does what a button says, and answers with words for the person.
  func telegramPoller(
    waitSeconds: Int,
    press: @escaping @Sendable (AnswerToken) async throws -> String
  ) -> TelegramPoller? {
    guard let bot = services.telegram else { return nil }
    let channels = self
    return TelegramPoller(
      bot,
      offset: DoorTelegramOffset(store: store, bot: String(bot.number)),
      clock: clock,
      waitSeconds: waitSeconds,
      listens: { chat in
        try channels.store.people().contains { try channels.isTold($0, in: chat) }
      },
      answer: { token, chat in
        let use = try channels.store.lookAnswer(token.stored, at: channels.clock.now())
        // A button that was passed on to another chat is that of nobody there.
        guard let owner = use.person, try channels.isTold(owner, in: chat) else {
          return "This button is not known here."
        }
        return try await press(token)
      }
    )
  }
}

extension AnswerUse {
  /// Whose button it is; nil if nobody knows it.
  fileprivate var person: DoorPerson? {
    switch self {
    case .fresh(let person, _), .alreadyDone(let person, _), .expired(let person, _): person
    case .unknown: nil
    }
  }
}
