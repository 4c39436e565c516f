import Basics
import Foundation
import LiveHost
import Timeline

/// Asks Telegram for presses of buttons, and waits for them: no port has to be open for that.
///
/// One for each bot: Telegram refuses a second one.
package final class TelegramPoller: Sendable {
  /// Acts on a press.
  ///
  /// - Returns: what is shown to the person, of up to 200 characters.
  /// - Throws: where nothing could be done now; the press is asked for again, a few times.
  package typealias Answering =
    @Sendable (
      _ token: AnswerToken,
      _ chat: Int64
    ) async throws -> String

  /// What came of asking once.
  package enum Round: Hashable, Sendable {
    /// So many presses were answered, and so many updates were none of ours.
    case heard(answered: Int, ignored: Int)
    /// It did not work; again, at least after this span.
    case failed(reason: String, atLeast: Milliseconds?)
  }

  /// What one request may bring.
  private static let mostUpdates = 20
  /// So often is a press tried whose answer cannot be kept: about a minute, with the waits between.
  private static let mostTries = 6
  /// Telegram keeps a request until there is something to hear: a round is shorter only where somebody presses.
  private static let shortSpan = Duration.seconds(1)
  /// So many short rounds in turn need no pause: presses come in twos and threes.
  private static let shortRoundsAtOnce = 2
  /// After more of them it is asked no more often than this, where there were presses, and where there was nothing.
  private static let longestPauses = (
    heard: Milliseconds.seconds(1), empty: Milliseconds.seconds(30)
  )

  private let bot: TelegramBot
  private let listens: @Sendable (Int64) async throws -> Bool
  private let offset: any TelegramOffset
  private let waitSeconds: Int
  private let polling: HTTPClient
  private let replying: HTTPClient
  private let clock: any HostClock
  private let answer: Answering
  private let lock = NSLock()
  /// The press that could not be answered last, and how often; under the lock only.
  private nonisolated(unsafe) var failing: (update: Int64, times: Int)?

  /// Makes it.
  ///
  /// - Parameter listens: whether a chat is somebody's; a token from elsewhere was passed on.
  /// - Parameter waitSeconds: how long Telegram keeps a request that has nothing to hear yet.
  package init(
    _ bot: TelegramBot,
    offset: any TelegramOffset,
    clock: any HostClock,
    waitSeconds: Int = 50,
    listens: @escaping @Sendable (_ chat: Int64) async throws -> Bool,
    answer: @escaping Answering
  ) {
    self.bot = bot
    self.listens = listens
    self.offset = offset
    self.clock = clock
    self.waitSeconds = waitSeconds
    self.answer = answer
    let recipients = bot.server.recipients
    polling = HTTPClient(
      HTTPClient.Settings(
        recipients: recipients,
        timeout: .seconds(Int64(waitSeconds) + 15),
        // Twenty updates, each with the message that it is about.
        bodyLimitBytes: 1_048_576
      )
    )
    replying = HTTPClient(HTTPClient.Settings(recipients: recipients))
  }

  /// Asks until the task is canceled.
  ///
  /// - Parameter note: is told of each round, for the log and the counts.
  package func run(
    backoff: Backoff = Backoff(),
    generator: some RandomNumberGenerator & Sendable,
    note: @Sendable (Round) async -> Void
  ) async {
    var generator = generator
    var (failures, shortRounds) = (0, 0)
    while true {
      let begin = ContinuousClock.now
      let round = await poll()
      // What ends with the task is no failure.
      guard (try? Task.checkCancellation()) != nil else { return }
      await note(round)
      switch round {
      case .heard(let answered, _):
        failures = 0
        shortRounds = begin.duration(to: .now) < Self.shortSpan ? shortRounds + 1 : 0
        let tooMany = shortRounds - Self.shortRoundsAtOnce
        guard tooMany > 0 else { continue }
        // As from a proxy that does not wait, or where what was heard is told again.
        let longest = answered > 0 ? Self.longestPauses.heard : Self.longestPauses.empty
        let pause = min(longest, backoff.bound(attempts: tooMany))
        try? await Task.sleep(for: .milliseconds(pause.value))
      case .failed(_, let asked):
        failures += 1
        let wait = backoff.wait(attempts: failures, atLeast: asked, using: &generator)
        try? await Task.sleep(for: .milliseconds(wait.value))
      }
    }
  }

  /// Asks once, acts on what came, and notes how far it got.
  package func poll() async -> Round {
    let updates: [Update]
    switch await ask() {
    case .success(let heard): updates = heard
    case .failure(let failure): return .failed(reason: failure.reason, atLeast: failure.atLeast)
    }
    var (answered, ignored) = (0, 0)
    for update in updates {
      do {
        if try await act(on: update) { answered += 1 } else { ignored += 1 }
      } catch {
        guard isGivenUp(update.update_id) else {
          return .failed(reason: "answer_not_stored", atLeast: nil)
        }
        if let press = update.callback_query { await reply(to: press.id, Self.isNotDone) }
        ignored += 1
      }
      do {
        // After each: what was done is not asked for again.
        let (next, isTooLarge) = update.update_id.addingReportingOverflow(1)
        if !isTooLarge { try offset.keep(offset: next) }
      } catch {
        return .failed(reason: "answer_not_stored", atLeast: nil)
      }
    }
    return .heard(answered: answered, ignored: ignored)
  }

  /// Whether a press has been tried often enough: others wait behind it, and their answers can be given.
  private func isGivenUp(_ update: Int64) -> Bool {
    lock.withLock {
      let before = failing.map { $0.update == update ? $0.times : 0 } ?? 0
      failing = (update, before + 1)
      return before + 1 >= Self.mostTries
    }
  }

  private static let isNotDone = "This cannot be done now. Answer in Near Me."

  private struct Failure: Error {
    let reason: String
    var atLeast: Milliseconds?
  }

  private struct Update: Decodable, Sendable {
    struct Press: Decodable, Sendable {
      let id: String
      let data: String?
      let message: Message?
    }
    struct Message: Decodable, Sendable {
      let chat: Chat
    }
    struct Chat: Decodable, Sendable {
      let id: Int64
    }
    let update_id: Int64
    let callback_query: Press?
  }

  private func ask() async -> Result<[Update], Failure> {
    var json = JSONText()
    guard let known = try? Optional.some(offset.offset()) else {
      return .failure(Failure(reason: "memory_not_read"))
    }
    if let known { json.add("offset", Int(known)) }
    json.add("limit", Self.mostUpdates)
    json.add("timeout", waitSeconds)
    json.add("allowed_updates", ["callback_query"])
    switch await polling.send(request("getUpdates", json.closed)) {
    case .none(let reason): return .failure(Failure(reason: "no answer: \(reason)"))
    case .unsendable(let reason): return .failure(Failure(reason: reason))
    case .answer(let answer):
      let reply = TelegramReply<[Update]>.read(answer)
      if answer.status == 200, let updates = reply?.result { return .success(updates) }
      switch answer.status {
      case 200: return .failure(Failure(reason: "answer_not_understood"))
      case 409:
        return .failure(Failure(reason: "status 409: another program asks, or a webhook is set"))
      default:
        let wait = reply?.wait ?? answer.wait(now: clock.now())
        return .failure(Failure(reason: "status \(answer.status)", atLeast: wait))
      }
    }
  }

  /// - Returns: whether it was a press of one of our buttons.
  private func act(on update: Update) async throws -> Bool {
    guard let press = update.callback_query else { return false }
    guard let chat = press.message?.chat.id, let token = press.data.flatMap({ AnswerToken($0) }),
      try await listens(chat)
    else {
      await reply(to: press.id, "This button is not known here.")
      return false
    }
    await reply(to: press.id, try await answer(token, chat))
    return true
  }

  /// Ends the spinner that the button would show for minutes; whether it comes in time is no matter.
  private func reply(to press: String, _ text: String) async {
    var json = JSONText()
    json.add("callback_query_id", press)
    json.add("text", String(text.prefix(200)))
    _ = await replying.send(request("answerCallbackQuery", json.closed))
  }

  private func request(_ method: String, _ json: String) -> HTTPRequest {
    HTTPRequest(
      .post,
      bot.url(method),
      headers: [
        HTTPRequest.Header("Content-Type", "application/json"),
        HTTPRequest.Header("User-Agent", "nearme"),
      ],
      body: Array(json.utf8)
    )
  }
}
