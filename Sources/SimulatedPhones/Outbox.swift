import Timeline
import Traces

/// A message that waits on the phone.
struct Message: Hashable, Sendable {
  let id: Int
  let body: [UInt8]
  let fixes: [Fix]
}

/// Messages in the order in which they were made, sent one after the other.
struct Outbox: Hashable, Sendable {
  /// How long the app waits after a failure: doubled with each one in a row.
  struct Backoff: Hashable, Sendable {
    let first: Milliseconds
    let most: Milliseconds

    func wait(after failures: Int) -> Milliseconds {
      Milliseconds(min(most.value, first.value << Int64(min(max(0, failures - 1), 20))))
    }
  }

  let backoff: Backoff
  private(set) var messages: [Message] = []
  private var made = 0
  private var failures = 0
  private var notBefore: Timestamp?

  init(backoff: Backoff) { self.backoff = backoff }

  var count: Int { messages.count }

  /// When the first one may be sent; nil if there is none.
  func due(_ now: Timestamp) -> Timestamp? { messages.isEmpty ? nil : notBefore ?? now }

  /// When the app tries again after a failure; nil if nothing has failed.
  var nextAttempt: Timestamp? { messages.isEmpty ? nil : notBefore }

  mutating func add(_ body: String, fixes: [Fix] = []) {
    made += 1
    messages.append(Message(id: made, body: Array(body.utf8), fixes: fixes))
  }

  /// The number that the next message will have.
  var nextID: Int { made + 1 }

  /// The first one, if it may be sent.
  func next(at now: Timestamp) -> Message? {
    guard notBefore.map({ $0 <= now }) ?? true else { return nil }
    return messages.first
  }

  /// Takes away the first one: it was taken, or is given up.
  mutating func drop(_ id: Int) {
    guard messages.first?.id == id else { return }
    messages.removeFirst()
    failures = 0
    notBefore = nil
  }

  /// Leaves the first one where it is, to be sent again.
  mutating func keep(_ id: Int, at now: Timestamp) {
    guard messages.first?.id == id else { return }
    failures += 1
    notBefore = now + backoff.wait(after: failures)
  }

  /// Puts a message that had been taken before all others.
  mutating func putBack(_ message: Message) { messages.insert(message, at: 0) }

  /// The app begins anew: what waited may be sent at once.
  mutating func restart() {
    failures = 0
    notBefore = nil
  }
}
