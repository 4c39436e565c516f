import Foundation
import LiveHost

/// How long the door's own file is waited for while another program writes in it.
///
/// All who want to write wait for the same end together, one behind the other, and beyond it nobody waits any more until
/// one of them could write: so whoever comes in has an answer in time, and reads go on.
final class StoreHold: Sendable {
  /// What phones and pages wait for at most: less than the apps themselves do.
  ///
  /// - Source: judgment: OwnTracks, Overland and browsers wait for 10 s at least.
  static let servedPatience = Duration.seconds(3)
  /// Commands, of which nobody else waits for the end.
  private static let patience = Duration.seconds(10)
  private static let betweenAttempts = UInt32(10_000)
  /// Attempts that are farther apart are not of one wait.
  ///
  /// - Source: judgment: a hundred of the pauses between two attempts, for a machine that has other things to do.
  private static let oneWait = Duration.seconds(1)

  private struct State {
    var patience = StoreHold.patience
    /// When it was first found held, of those who wait now; nil while nobody does.
    var since: ContinuousClock.Instant?
    /// When it was last found held.
    var last = ContinuousClock.now
    /// Whether it was held for too long, and nobody could write since.
    var isHeld = false
    var report: DatabaseHold?
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var state = State()

  /// From now on people and phones wait for the file.
  ///
  /// - Parameter report: says once that it is held.
  func serve(_ report: DatabaseHold) {
    lock.withLock { (state.patience, state.report) = (Self.servedPatience, report) }
  }

  /// Waits for a moment.
  ///
  /// - Returns: false once it was held for too long.
  func waits() -> Bool {
    let goesOn = lock.withLock { () -> Bool in
      guard !state.isHeld else { return false }
      let now = ContinuousClock.now
      // Whoever waited before has got what it waited for.
      let since = now - state.last < Self.oneWait ? state.since ?? now : now
      (state.since, state.last) = (since, now)
      state.isHeld = now >= since + state.patience
      return !state.isHeld
    }
    guard goesOn else { return false }
    usleep(Self.betweenAttempts)
    return true
  }

  /// Notes that it could not be written.
  func note() { lock.withLock { state.report }?.note() }

  /// Notes that it could be written.
  func end() {
    let report = lock.withLock { () -> DatabaseHold? in
      (state.since, state.isHeld) = (nil, false)
      return state.report
    }
    report?.end()
  }
}
