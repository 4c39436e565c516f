import Foundation
import LiveHost
import Phones

/// What has come in for a person and waits for its desk, in the order of the log.
final class Mailbox: Sendable {
  /// So long a phone counts as one that sends in parallel.
  private static let remembered = Duration.seconds(600)

  /// A body and whoever waits for its answer.
  struct Letter: Sendable {
    let body: LoggedBody
    let isHeld: Bool
    let answer: @Sendable (Result<DeskAnswer, HostFailure>) -> Void
  }

  private struct State {
    var letters: [Letter] = []
    /// When a phone last had two requests under way at once: then they may overtake each other.
    var overlapped: [Int64: ContinuousClock.Instant] = [:]
    var underWay: [Int64: Int] = [:]
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var state = State()

  /// Puts in a body that is on the disk.
  func put(
    _ body: LoggedBody,
    answer: @escaping @Sendable (Result<DeskAnswer, HostFailure>) -> Void
  ) {
    let isHeld = isHeld(body)
    lock.withLock { state.letters.append(Letter(body: body, isHeld: isHeld, answer: answer)) }
  }

  /// All that waits, in order.
  func take() -> [Letter] {
    lock.withLock {
      defer { state.letters = [] }
      return state.letters
    }
  }

  /// Whether nothing waits.
  var isEmpty: Bool { lock.withLock { state.letters.isEmpty } }

  /// Whether something waits that may have been overtaken.
  var hasHeld: Bool { lock.withLock { state.letters.contains { $0.isHeld } } }

  /// Whether what its app sends may overtake each other.
  func isHeld(_ body: LoggedBody) -> Bool {
    body.source.sendsInParallel || overlapsNow(body.device.id)
  }

  private func overlapsNow(_ device: Int64) -> Bool {
    guard let last = lock.withLock({ state.overlapped[device] }) else { return false }
    return last.duration(to: .now) < Self.remembered
  }

  /// Notes that a request of a phone begins.
  func begin(_ device: Int64) {
    lock.withLock {
      state.underWay[device, default: 0] += 1
      if state.underWay[device, default: 0] > 1 { state.overlapped[device] = .now }
    }
  }

  /// Notes that a request of a phone has ended.
  func end(_ device: Int64) {
    lock.withLock {
      let left = (state.underWay[device] ?? 1) - 1
      state.underWay[device] = left > 0 ? left : nil
    }
  }
}

extension IntakeSource {
  /// Whether its apps are known to send several requests at once.
  var sendsInParallel: Bool { self == .osmand || self == .gpslogger }
}
