import Basics
import Channels
import Foundation
import LiveHost
import NearMeEngine
import Timeline

/// A clock that stands until a test moves it.
///
/// It begins at 2026-03-03T08:00:00Z, a Tuesday.
///
/// Unchecked: the time is touched under the lock only.
final class StillClock: HostClock, @unchecked Sendable {
  private let lock = NSLock()
  private var time = Timestamp(seconds: 1_772_524_800)

  func now() -> Timestamp { lock.withLock { time } }
  func uptime() -> Milliseconds { Milliseconds(0) }
  func advance(_ span: Milliseconds) { lock.withLock { time = time + span } }
}

/// A shelf in memory.
///
/// Unchecked: everything is touched under the lock only.
final class MemoryShelf: TokenShelf, @unchecked Sendable {
  private let lock = NSLock()
  private var tokens: [TokenHash: (token: ShelvedToken, isUsed: Bool)] = [:]

  var count: Int { lock.withLock { tokens.count } }

  func put(_ new: [ShelvedToken]) throws {
    lock.withLock {
      for token in new where tokens[token.hash] == nil { tokens[token.hash] = (token, false) }
    }
  }

  func look(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse {
    lock.withLock { worth(hash, now) }
  }

  func use(_ hash: TokenHash, at now: Timestamp) throws -> TokenUse {
    lock.withLock {
      let use = worth(hash, now)
      if case .fresh = use { tokens[hash]?.isUsed = true }
      return use
    }
  }

  private func worth(_ hash: TokenHash, _ now: Timestamp) -> TokenUse {
    guard let (token, isUsed) = tokens[hash] else { return .unknown }
    if isUsed { return .alreadyDone(token.subject) }
    return now < token.expires ? .fresh(token.subject) : .expired(token.subject)
  }
}

/// A desk whose database is broken.
struct BrokenDesk: AnswerMinting {
  func buttons(
    for notification: ReminderNotification,
    channel: String
  ) throws -> (buttons: [AnswerButton], page: String) {
    throw HostFailure(.inputOutput, "no database")
  }
}

let someInstant = Timestamp(seconds: 1_772_524_800)

/// A notification of so many sentences, as an engine would have made it.
func news(
  _ texts: [String] = ["Arriving at Home — take out the bins now?"],
  id: String = "n7",
  kind: NotificationKind = .arrival,
  headline: String? = nil,
  spot: String? = nil,
  at instant: Timestamp = someInstant
) throws -> ReminderNotification {
  var json = JSONText()
  json.add("id", id)
  let instants = String(decoding: try JSONEncoder().encode([instant]), as: UTF8.self)
  json.add("at", json: String(instants.dropFirst().dropLast()))
  json.add("kind", kind.rawValue)
  json.add("headline", headline)
  json.add("members", objects: texts.enumerated()) { member, object in
    object.add("reminder", "r\(member.offset)")
    object.add("tier", kind == .arrival ? "arrival" : "leave")
    object.add("text", member.element)
    if let spot { object.add("coordinate", json: spot) }
  }
  return try JSONDecoder().decode(ReminderNotification.self, from: Data(json.closed.utf8))
}

func posted(_ notification: ReminderNotification, key: String = "test-1") -> Delivery {
  Delivery(key: key, at: notification.at, .posted(notification))
}

func replaced(_ notification: ReminderNotification, isNews: Bool) -> Delivery {
  Delivery(key: "test-2", at: notification.at, .replaced(notification, isNews: isNews))
}

func withdrawn(_ id: String = "n7") -> Delivery {
  Delivery(key: "test-3", at: someInstant, .withdrawn(id: id))
}

func desk(_ shelf: any TokenShelf = MemoryShelf()) throws -> AnswerDesk {
  AnswerDesk(
    person: "anna",
    origin: "https://near.example.org",
    tokens: try AnswerTokens(secret: Array(0..<32)),
    shelf: shelf
  )
}

/// A key or the number of an element.
protocol JSONStep {}
extension String: JSONStep {}
extension Int: JSONStep {}

/// A value out of JSON, by keys and numbers of elements; nil where there is none.
func value(_ json: String, _ path: any JSONStep...) -> Any? { value(json, path: path) }

func value(_ json: String, path: [any JSONStep]) -> Any? {
  var value: Any? = try? JSONSerialization.jsonObject(with: Data(json.utf8))
  for step in path {
    if let key = step as? String {
      value = (value as? [String: Any])?[key]
    } else if let i = step as? Int {
      let list = value as? [Any]
      value = list.flatMap { $0.indices.contains(i) ? $0[i] : nil }
    }
  }
  return value
}
