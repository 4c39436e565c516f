import Foundation
import LiveHost
import Timeline

/// What Telegram answers: a result, or why there is none.
struct TelegramReply<Result: Decodable & Sendable>: Decodable, Sendable {
  struct Parameters: Decodable, Sendable {
    let retry_after: Int64?
  }

  let ok: Bool
  let result: Result?
  let description: String?
  let parameters: Parameters?

  /// Reads an answer; nil for what is none of Telegram's.
  static func read(_ answer: HTTPAnswer) -> Self? {
    answer.isCut ? nil : try? JSONDecoder().decode(Self.self, from: Data(answer.body))
  }

  /// How long it wants to be left alone.
  var wait: Milliseconds? {
    guard let seconds = parameters?.retry_after, seconds >= 0 else { return nil }
    return .seconds(min(seconds, 1 << 40))
  }
}

/// A result of which nothing is wanted.
struct TelegramIgnored: Decodable, Sendable {
  init(from decoder: any Decoder) {}
}

/// The message that was sent.
struct TelegramSent: Decodable, Sendable {
  let message_id: Int64
}
