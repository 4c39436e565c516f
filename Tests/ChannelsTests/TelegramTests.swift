import Channels
import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

/// What is kept of chats, in memory.
///
/// Unchecked: everything is touched under the lock only.
private final class Memory: TelegramMemory, TelegramOffset, @unchecked Sendable {
  private let lock = NSLock()
  private var messages: [String: TelegramMessage] = [:]
  private var heard: Int64?

  var count: Int { lock.withLock { messages.count } }

  func message(of notification: String, chat: Int64) throws -> TelegramMessage? {
    lock.withLock { messages["\(chat)/\(notification)"] }
  }
  func remember(_ message: TelegramMessage, of notification: String, chat: Int64) throws {
    lock.withLock { messages["\(chat)/\(notification)"] = message }
  }
  func forget(_ notification: String, chat: Int64) throws {
    lock.withLock { messages["\(chat)/\(notification)"] = nil }
  }
  func offset() throws -> Int64? { lock.withLock { heard } }
  func keep(offset: Int64) throws { lock.withLock { heard = offset } }
}

@Suite struct TelegramTests {
  private static let token = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ-abc_def"
  private static let sent = SmallServer.Answer.body(200, #"{"ok":true,"result":{"message_id":55}}"#)
  private static let done = SmallServer.Answer.body(200, #"{"ok":true,"result":true}"#)
  private let clock = StillClock()
  private let memory = Memory()

  private func bot(_ server: SmallServer) throws -> TelegramBot {
    try TelegramBot(
      server: ServiceAddress(server.origin, allowsPlainHTTP: true),
      token: Self.token
    )
  }

  private func sink(_ server: SmallServer) throws -> TelegramSink {
    TelegramSink(
      TelegramSettings(bot: try bot(server), chat: 987),
      person: "anna",
      minting: try desk(),
      memory: memory,
      clock: clock
    )
  }

  private func bad(_ description: String) -> SmallServer.Answer {
    .body(400, #"{"ok":false,"error_code":400,"description":"Bad Request: \#(description)"}"#)
  }

  @Test func `a notification is a message with a keyboard of tokens`() async throws {
    let server = try SmallServer([Self.sent])
    defer { server.stop() }
    let notification = try news(["*not bold* <b>nor this</b>"], headline: "At home")
    #expect(try await sink(server).deliver([posted(notification)]) == .delivered)
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /bot\(Self.token)/sendMessage HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    let json = request.body
    #expect(value(json, "chat_id") as? Int == 987)
    #expect(value(json, "text") as? String == "At home\n*not bold* <b>nor this</b>")
    #expect(value(json, "parse_mode") == nil)
    #expect(value(json, "disable_notification") as? Bool == false)
    #expect(value(json, "link_preview_options", "is_disabled") as? Bool == true)
    let (buttons, page) = try desk()
      .buttons(for: notification, channel: AnswerWay.telegram(chat: 987).name)
    for (i, button) in buttons.enumerated() {
      let cell: [any JSONStep] = ["reply_markup", "inline_keyboard", i / 2, i % 2]
      #expect(value(json, path: cell + ["text"]) as? String == button.label)
      #expect(value(json, path: cell + ["callback_data"]) as? String == button.token)
      #expect(button.token.utf8.count <= 64)
    }
    #expect(value(json, "reply_markup", "inline_keyboard", 3, 0, "url") as? String == page)
    #expect(try memory.message(of: "n7", chat: 987)?.id == 55)
  }

  @Test func `an update changes the message, and a withdrawal deletes it`() async throws {
    let server = try SmallServer([Self.sent, Self.sent, Self.sent, Self.done])
    defer { server.stop() }
    let sink = try sink(server)
    for delivery in try [
      posted(news()), replaced(news(["a", "b"]), isNews: true), replaced(news(), isNews: false),
      withdrawn(),
    ] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    let methods = server.requests.map { $0.line.split(separator: "/")[2].split(separator: " ")[0] }
    #expect(methods == ["sendMessage", "editMessageText", "editMessageText", "deleteMessage"])
    for request in server.requests.dropFirst() {
      #expect(value(request.body, "message_id") as? Int == 55)
      #expect(value(request.body, "chat_id") as? Int == 987)
    }
    #expect(value(server.requests[1].body, "text") as? String == "a\nb")
    #expect(value(server.requests[1].body, "reply_markup", "inline_keyboard", 0, 0) != nil)
    #expect(memory.count == 0)
  }

  @Test func `after 48 hours a message is emptied, as it cannot be deleted`() async throws {
    let server = try SmallServer([Self.sent, Self.done])
    defer { server.stop() }
    let sink = try sink(server)
    _ = try await sink.deliver([posted(news())])
    clock.advance(.minutes(48 * 60))
    #expect(await sink.deliver([withdrawn()]) == .delivered)
    let request = server.requests[1]
    #expect(request.line.contains("/editMessageText "))
    #expect(value(request.body, "text") as? String == "No longer needed.")
    #expect(value(request.body, "reply_markup") == nil)
  }

  @Test func `what was never shown is neither changed nor withdrawn`() async throws {
    let server = try SmallServer([Self.sent])
    defer { server.stop() }
    let sink = try sink(server)
    #expect(await sink.deliver([withdrawn()]) == .delivered)
    #expect(try await sink.deliver([replaced(news(), isNews: false)]) == .delivered)
    #expect(server.requests.isEmpty)
    #expect(try await sink.deliver([replaced(news(), isNews: true)]) == .delivered)
    #expect(value(server.requests[0].body, "disable_notification") as? Bool == true)
  }

  @Test func `a message that the person deleted is sent anew, if there is news`() async throws {
    let gone = bad("message to edit not found")
    let server = try SmallServer([
      Self.sent, bad("message is not modified"), gone, gone,
      .body(200, #"{"ok":true,"result":{"message_id":56}}"#), bad("message to delete not found"),
    ])
    defer { server.stop() }
    let sink = try sink(server)
    for delivery in try [
      posted(news()), replaced(news(), isNews: true), replaced(news(), isNews: false),
      replaced(news(), isNews: true),
    ] {
      #expect(await sink.deliver([delivery]) == .delivered)
    }
    #expect(server.requests.count == 5)
    #expect(try memory.message(of: "n7", chat: 987)?.id == 56)
    #expect(await sink.deliver([withdrawn()]) == .delivered)
    #expect(memory.count == 0)
  }

  @Test func `after a kill, what was sent is not sent again`() async throws {
    let server = try SmallServer([Self.sent])
    defer { server.stop() }
    _ = try await sink(server).deliver([posted(news(), key: "k1")])
    // The queue still has it, and something newer about the same notification, and another one.
    let pending = try [
      posted(news(), key: "k1"), replaced(news(["a", "b"]), isNews: true),
      posted(news(id: "n8"), key: "k2"),
    ]
    let restarted = try sink(server)
    #expect(try restarted.alreadyDelivered(among: pending) == ["k1"])
    #expect(try restarted.name == sink(server).name)
  }

  @Test func `a bot with another token is the same bot, and another bot is not`() throws {
    let address = try ServiceAddress("https://api.telegram.org")
    let names = try [
      "1:" + String(repeating: "A", count: 30), "1:" + String(repeating: "B", count: 30),
      "2:" + String(repeating: "A", count: 30),
    ]
    .map { token in
      TelegramSink(
        TelegramSettings(bot: try TelegramBot(server: address, token: token), chat: 987),
        person: "anna",
        minting: try desk(),
        memory: memory,
        clock: clock
      )
      .name
    }
    #expect(names[0] == names[1] && names[0] != names[2])
  }

  @Test func `long texts are cut at what Telegram counts`() async throws {
    let server = try SmallServer([Self.sent, Self.sent])
    defer { server.stop() }
    for piece in ["x", "👩‍👩‍👧‍👦"] {
      _ = try await sink(server).deliver([posted(news([String(repeating: piece, count: 6_000)]))])
      let text = try #require(value(server.requests.last?.body ?? "", "text") as? String)
      #expect((4_080...4_096).contains(text.utf16.count) && text.hasSuffix("…"))
    }
  }

  @Test func `what may pass is put off, and what does not is final`() async throws {
    let busy = #"{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":17}}"#
    for (answer, outcome) in [
      (.body(429, busy), .putOff(reason: "status 429", atLeast: .seconds(17))),
      (.status(502), .putOff(reason: "status 502", atLeast: nil)),
      (.body(200, "<html>"), .putOff(reason: "answer_not_understood", atLeast: nil)),
      (.status(401), .refused(reason: "status 401")),
      // The person has stopped the bot.
      (.body(403, #"{"ok":false}"#), .refused(reason: "status 403")),
      (bad("chat not found"), .refused(reason: "status 400")),
    ] as [(SmallServer.Answer, DeliveryOutcome)] {
      let server = try SmallServer([answer])
      defer { server.stop() }
      #expect(try await sink(server).deliver([posted(news())]) == outcome)
      #expect(memory.count == 0)
    }
  }

  /// Who pressed what.
  private actor Presses {
    private(set) var tokens: [String] = []
    private var failures: Int
    init(failures: Int = 0) { self.failures = failures }

    func take(_ token: AnswerToken) throws -> String {
      if failures > 0 {
        failures -= 1
        throw HostFailure(.inputOutput, "no database")
      }
      tokens.append(token.text)
      return "Done."
    }
  }

  private func poller(
    _ server: SmallServer,
    _ presses: Presses,
    waitSeconds: Int = 1
  ) throws -> TelegramPoller {
    TelegramPoller(
      try bot(server),
      offset: memory,
      clock: clock,
      waitSeconds: waitSeconds,
      listens: { $0 == 987 },
      answer: { token, _ in try await presses.take(token) }
    )
  }

  private func press(_ update: Int, _ data: String, chat: Int = 987) -> String {
    """
    {"update_id":\(update),"callback_query":{"id":"q\(update)","from":{"id":5},"data":"\(data)",
     "message":{"message_id":55,"chat":{"id":\(chat),"type":"private"},"date":1}}}
    """
  }

  private func updates(_ list: String...) -> SmallServer.Answer {
    .body(200, #"{"ok":true,"result":[\#(list.joined(separator: ","))]}"#)
  }

  @Test func `presses are heard once, acted on and answered`() async throws {
    let (buttons, _) = try desk().buttons(for: news(), channel: "telegram")
    let server = try SmallServer([
      updates(
        press(70, buttons[0].token),
        press(71, "no token"),
        press(72, buttons[1].token, chat: 1),
        #"{"update_id":73,"message":{"text":"hello"}}"#
      ), Self.done, Self.done, Self.done, updates(),
    ])
    defer { server.stop() }
    let presses = Presses()
    let poller = try poller(server, presses)
    #expect(await poller.poll() == .heard(answered: 1, ignored: 3))
    #expect(await presses.tokens == [buttons[0].token])
    #expect(await poller.poll() == .heard(answered: 0, ignored: 0))
    let requests = server.requests
    #expect(requests[0].line == "POST /bot\(Self.token)/getUpdates HTTP/1.1")
    #expect(value(requests[0].body, "offset") == nil)
    #expect(value(requests[0].body, "timeout") as? Int == 1)
    #expect(value(requests[0].body, "allowed_updates", 0) as? String == "callback_query")
    #expect(requests[1].line.contains("/answerCallbackQuery "))
    #expect(value(requests[1].body, "callback_query_id") as? String == "q70")
    #expect(value(requests[1].body, "text") as? String == "Done.")
    #expect(value(requests[2].body, "text") as? String == "This button is not known here.")
    #expect(value(requests[4].body, "offset") as? Int == 74)
  }

  @Test func `a press that could not be stored is asked for again`() async throws {
    let (buttons, _) = try desk().buttons(for: news(), channel: "telegram")
    let both = updates(press(70, buttons[0].token), press(71, buttons[1].token))
    let server = try SmallServer([both, both, Self.done, Self.done])
    defer { server.stop() }
    let presses = Presses(failures: 1)
    let poller = try poller(server, presses)
    #expect(await poller.poll() == .failed(reason: "answer_not_stored", atLeast: nil))
    #expect(try memory.offset() == nil)
    #expect(await poller.poll() == .heard(answered: 2, ignored: 0))
    #expect(await presses.tokens == [buttons[0].token, buttons[1].token])
    #expect(try memory.offset() == 72)
  }

  @Test func `who waits behind a press that can never be stored is answered all the same`()
    async throws
  {
    let (buttons, _) = try desk().buttons(for: news(), channel: "telegram")
    let both = updates(press(70, buttons[0].token), press(71, buttons[1].token))
    let tries = 6
    let server = try SmallServer(
      Array(repeating: both, count: tries) + [Self.done, Self.done]
    )
    defer { server.stop() }
    let presses = Presses(failures: tries)
    let poller = try poller(server, presses)
    for _ in 1..<tries {
      #expect(await poller.poll() == .failed(reason: "answer_not_stored", atLeast: nil))
    }
    #expect(await poller.poll() == .heard(answered: 1, ignored: 1))
    #expect(await presses.tokens == [buttons[1].token])
    #expect(try memory.offset() == 72)
    let told = server.requests.suffix(2).map { value($0.body, "text") as? String }
    #expect(told == ["This cannot be done now. Answer in Near Me.", "Done."])
  }

  @Test func `polling goes on after failures, and ends when it is told to`() async throws {
    let (buttons, _) = try desk().buttons(for: news(), channel: "telegram")
    let server = try SmallServer([
      .status(500), .hangUp, .body(200, "[]"), .status(409), .body(429, "{}", ["Retry-After": "0"]),
      updates(press(1, buttons[0].token)), Self.done, .stall(seconds: 3_600),
    ])
    defer { server.stop() }
    let presses = Presses()
    // The last request ends by being canceled, however long this test has to wait for its turn.
    let poller = try poller(server, presses, waitSeconds: 3_600)
    let rounds = Rounds()
    let task = Task {
      await poller.run(
        backoff: Backoff(base: Milliseconds(1), cap: Milliseconds(2)),
        generator: SeededGenerator(seed: 1)
      ) { await rounds.add($0) }
    }
    while server.requests.count < 8 { await Task.yield() }
    task.cancel()
    await task.value
    let heard = await rounds.all
    #expect(heard.count == 6)
    #expect(heard[0] == .failed(reason: "status 500", atLeast: nil))
    #expect(heard[2] == .failed(reason: "answer_not_understood", atLeast: nil))
    #expect(
      heard[3]
        == .failed(reason: "status 409: another program asks, or a webhook is set", atLeast: nil)
    )
    #expect(heard[4] == .failed(reason: "status 429", atLeast: .seconds(0)))
    #expect(heard[5] == .heard(answered: 1, ignored: 0))
  }

  @Test(.timeLimit(.minutes(10)))
  func `a server that does not wait until there is something to hear is not asked all the time`()
    async throws
  {
    let server = try SmallServer(Array(repeating: updates(), count: 10_000))
    defer { server.stop() }
    let poller = try poller(server, Presses(), waitSeconds: 3_600)
    let task = Task { await poller.run(generator: SeededGenerator(seed: 1)) { _ in } }
    while server.requests.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .seconds(2))
    // After pauses of one second, two, and so on; without them there are thousands.
    #expect(server.requests.count < 20)
    task.cancel()
    // Also in a pause.
    await task.value
  }

  private actor Rounds {
    private(set) var all: [TelegramPoller.Round] = []
    func add(_ round: TelegramPoller.Round) { all.append(round) }
  }

  @Test func `tokens of bots are read strictly`() throws {
    let server = try ServiceAddress("https://api.telegram.org")
    for bad in [
      "", "123456", ":ABCDEFGHIJKLMNOPQRSTUVWXYZ", "12a:ABCDEFGHIJKLMNOPQRSTUVWXYZ",
      "1:short", "1:ABCDEFGHIJKLMNOPQRSTUVWXYZ/../x", "1:ABCDEFGHIJKLMNOPQRSTUVWXYZ\r\n",
      "1:" + String(repeating: "A", count: 200),
    ] {
      #expect(throws: HostFailure.self, "\(bad)") { try TelegramBot(server: server, token: bad) }
    }
  }
}
