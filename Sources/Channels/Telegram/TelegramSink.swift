import Basics
import LiveHost
import NearMeEngine
import Timeline

/// Writes to a chat as a bot.
///
/// Updates change the message that is there; withdrawals delete it, or, when it is older than the 48 hours
/// after which bots may not, empty it. The buttons come back to ``TelegramPoller``, their data is the token.
///
/// - Source: core.telegram.org/bots/api.
package final class TelegramSink: Sink {
  /// A message has so many UTF-16 units.
  static let mostUnits = 4_096
  private static let deletable = Milliseconds.minutes(48 * 60)

  package let name: String
  package var lane: String? { DeliveryLanes.lane(to: settings.bot.server.text) }
  private let settings: TelegramSettings
  private let memory: any TelegramMemory
  private let ground: ChannelGround

  /// Makes a sink for one person's chat.
  package init(
    _ settings: TelegramSettings,
    person: String,
    minting: any AnswerMinting,
    memory: any TelegramMemory,
    clock: any HostClock
  ) {
    name = Self.name(of: settings)
    self.settings = settings
    self.memory = memory
    ground = ChannelGround(
      person: person,
      minting: minting,
      clock: clock,
      client: HTTPClient(HTTPClient.Settings(recipients: settings.bot.server.recipients))
    )
  }

  /// The name of the sink of a chat, without the token's secret half: a bot whose token is changed is the same bot.
  package static func name(of settings: TelegramSettings) -> String {
    sinkName(
      AnswerChannel.telegram.rawValue,
      "\(settings.bot.server.text)/\(settings.bot.number)/\(settings.chat)"
    )
  }

  /// A message that was noted was sent, whether or not the queue came to know.
  package func alreadyDelivered(
    among pending: [Delivery]
  ) throws(HostFailure) -> Set<String> {
    do {
      return try Set(
        pending.filter { delivery in
          guard let id = delivery.notificationID else { return false }
          return try memory.message(of: id, chat: settings.chat)?.delivery == delivery.key
        }
        .map(\.key)
      )
    } catch {
      throw HostFailure(.inputOutput, "Telegram: which messages were sent cannot be read: \(error)")
    }
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    precondition(deliveries.count == 1, "a request for each")
    guard let news = ChannelNews(deliveries[0]) else { return .notANotification }
    let id = deliveries[0].notificationID ?? ""
    guard let known = try? Known(memory.message(of: id, chat: settings.chat)) else {
      return .putOff(reason: "memory_not_read", atLeast: nil)
    }
    switch (news, known.message) {
    case (.withdrawn, nil), (.changed, nil): return .delivered
    case (.withdrawn(let id), let message?): return await withdraw(id, message)
    case (.posted(let notification), _), (.updated(let notification), nil):
      return await send(notification, news.loudness, deliveries[0].key)
    case (.updated(let notification), let message?):
      return await edit(notification, message, orSendAs: deliveries[0].key)
    case (.changed(let notification), let message?):
      return await edit(notification, message, orSendAs: nil)
    }
  }

  /// To tell a failure to read from nothing to be read.
  private struct Known {
    let message: TelegramMessage?

    init(_ message: TelegramMessage?) { self.message = message }
  }

  private func send(
    _ notification: ReminderNotification,
    _ loudness: Loudness,
    _ key: String
  ) async -> DeliveryOutcome {
    guard var json = message(notification) else { return .noButtons }
    json.add("disable_notification", json: loudness == .quiet ? "true" : "false")
    switch await call("sendMessage", json.closed, TelegramSent.self) {
    case .outcome(let outcome): return outcome
    case .refused(let answer, let reply): return outcome(answer, reply)
    case .result(let sent):
      // A failure here costs later changes of the message; to send again would show it twice.
      try? memory.remember(
        TelegramMessage(id: sent.message_id, sentAt: ground.clock.now(), delivery: key),
        of: notification.id,
        chat: settings.chat
      )
      return .delivered
    }
  }

  /// - Parameter key: the delivery's, where the person is to read it even if the message is gone.
  private func edit(
    _ notification: ReminderNotification,
    _ shown: TelegramMessage,
    orSendAs key: String?
  ) async -> DeliveryOutcome {
    guard var json = message(notification) else { return .noButtons }
    json.add("message_id", Int(shown.id))
    switch await call("editMessageText", json.closed, TelegramIgnored.self) {
    case .result: return .delivered
    case .outcome(let outcome): return outcome
    case .refused(let answer, let reply):
      guard answer.status == 400 else { return outcome(answer, reply) }
      // An attempt of before has come through after all, or the person has deleted it.
      let isSame = reply?.description?.contains("not modified") == true
      guard let key, !isSame else { return .delivered }
      return await send(notification, .quiet, key)
    }
  }

  private func withdraw(_ id: String, _ shown: TelegramMessage) async -> DeliveryOutcome {
    var json = JSONText()
    json.add("chat_id", Int(settings.chat))
    json.add("message_id", Int(shown.id))
    let isYoung = ground.clock.now() - shown.sentAt < Self.deletable
    if !isYoung { json.add("text", withdrawnText) }
    let method = isYoung ? "deleteMessage" : "editMessageText"
    switch await call(method, json.closed, TelegramIgnored.self) {
    case .outcome(let outcome): return outcome
    // Gone already, or not ours to change any more.
    case .refused(let answer, let reply) where answer.status != 400: return outcome(answer, reply)
    case .result, .refused:
      try? memory.forget(id, chat: settings.chat)
      return .delivered
    }
  }

  /// What sending and changing have in common; nil if the tokens cannot be put away.
  private func message(_ notification: ReminderNotification) -> JSONText? {
    guard let (buttons, page) = ground.buttons(notification, .telegram(chat: settings.chat)) else {
      return nil
    }
    let text = NewsText(notification)
    let whole = (text.title.map { [$0] } ?? []) + [text.body]
    // Plain: without a parse mode, nothing in a title is markup.
    let shown = cut(
      whole.joined(separator: "\n"),
      isShortEnough: { $0.utf16.count <= Self.mostUnits },
      make: { $0 }
    )
    var json = JSONText()
    json.add("chat_id", Int(settings.chat))
    json.add("text", shown ?? "")
    json.add("link_preview_options", json: #"{"is_disabled":true}"#)
    json.add("reply_markup", json: keyboard(buttons, page))
    return json
  }

  /// Two buttons in a row, and the page under them; Telegram takes no address that is not https.
  private func keyboard(_ buttons: [AnswerButton], _ page: String) -> String {
    var cells = buttons.map { button in
      var cell = JSONText()
      cell.add("text", button.label)
      cell.add("callback_data", button.token)
      return cell.closed
    }
    var rows: [String] = []
    while !cells.isEmpty {
      rows.append(JSONText.array(Array(cells.prefix(2))))
      cells.removeFirst(min(2, cells.count))
    }
    if page.hasPrefix("https://") {
      var cell = JSONText()
      cell.add("text", AnswerAction.open.label)
      cell.add("url", page)
      rows.append(JSONText.array([cell.closed]))
    }
    return "{\"inline_keyboard\":\(JSONText.array(rows))}"
  }

  private enum Called<Result: Decodable & Sendable>: Sendable {
    case result(Result)
    case refused(HTTPAnswer, TelegramReply<Result>?)
    case outcome(DeliveryOutcome)
  }

  private func call<Result: Decodable & Sendable>(
    _ method: String,
    _ json: String,
    _ result: Result.Type
  ) async -> Called<Result> {
    switch await ground.send(.post, settings.bot.url(method), json: json) {
    case .outcome(let outcome): return .outcome(outcome)
    case .answer(let answer):
      let reply = TelegramReply<Result>.read(answer)
      if answer.status == 200, let reply, reply.ok, let result = reply.result {
        return .result(result)
      }
      return .refused(answer, reply)
    }
  }

  private func outcome<Result>(
    _ answer: HTTPAnswer,
    _ reply: TelegramReply<Result>?
  ) -> DeliveryOutcome {
    switch answer.status {
    // Taken, as it says, and yet none of Telegram's answers: a portal of a network, perhaps.
    case 200..<300: .putOff(reason: "answer_not_understood", atLeast: nil)
    case 429: .putOff(reason: "status 429", atLeast: reply?.wait)
    default: answer.outcome(now: ground.clock.now())
    }
  }
}
