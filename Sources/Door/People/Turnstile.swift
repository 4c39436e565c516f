import Foundation

/// Lets one in at a time, in order, across waits.
///
/// An actor alone does not: while one of its calls waits, another goes on.
final class Turnstile: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var state = State()

  /// Waits until nobody else is in.
  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = lock.withLock { () -> Bool in
        guard state.isTaken else {
          state.isTaken = true
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  /// Whether somebody is in.
  var isTaken: Bool { lock.withLock { state.isTaken } }

  /// Lets the next one in.
  func leave() {
    let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
