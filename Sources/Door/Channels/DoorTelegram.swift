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

  /// Whether a button may be pressed in a chat: one that was passed on to another chat is that of nobody there.
  func mayPress(_ token: AnswerToken, in chat: Int64) throws(HostFailure) -> Bool {
    switch try store.lookAnswer(token.stored, at: clock.now()) {
    case .fresh(let owner, _), .alreadyDone(let owner, _), .expired(let owner, _):
      try isTold(owner, in: chat)
    case .unknown: false
    }
  }

  /// Asks Telegram for presses; nil where no bot is offered.
  ///
  /// - Parameter answer: does what a button says.
  func telegramPoller(
    waitSeconds: Int,
    answer: @escaping TelegramPoller.Answering
  ) -> TelegramPoller? {
    guard let bot = services.telegram else { return nil }
    let channels = self
    return TelegramPoller(
      bot,
      offset: DoorTelegramOffset(store: store, bot: String(bot.number)),
      clock: clock,
      waitSeconds: waitSeconds,
      listens: { chat in
        // Whose settings cannot be read hides nobody else's.
        try channels.store.people().contains { (try? channels.isTold($0, in: chat)) ?? false }
      },
      answer: answer
    )
  }
}
