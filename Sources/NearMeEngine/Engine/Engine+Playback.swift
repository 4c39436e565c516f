import Arrivals
import Fencing
import Traces

/// Arrivals that are decided from a recording, where many policies are tried on the same fixes.
extension Engine {
  /// Whether arrivals of a policy can be decided from a recording.
  package static func weighsStreams(_ policy: Policy) -> Bool {
    fencing(policy, .everyFix).arrivalDetection == .posterior
  }

  /// Has the coming fixes weighed by a recording of them.
  ///
  /// The effects are those that the engine would have without it. Its state leaves out what the
  /// detector remembers, so it is not to be stored; places and catalog must stay as they are.
  package mutating func play(_ recording: ArrivalRecording) {
    precondition(
      state.arrivals.detector != nil && monitoring == .everyFix && state.lastFix == nil,
      "a recording takes the place of a detector that has seen nothing of a stream"
    )
    state.arrivals = ArrivalMemory()
    playback = ArrivalPlayback(recording, policy.arrival)
  }

  /// As ``weigh(_:at:)``.
  mutating func weighRecorded(_ fix: Fix) -> (findings: [ArrivalFinding], needsTimer: Bool) {
    let findings = playback?.observe(fix) ?? []
    guard let tick = playback?.nextInstant else { return (findings, false) }
    return (findings, state.wakeAt.map { tick < $0 } ?? true)
  }

  /// Leaves out of some fixes at which nothing happens to ladders those at which something is weighed.
  ///
  /// - Returns: how many are left.
  func quietFixes(_ count: Int) -> Int {
    guard count > 0, let playback else { return count }
    return playback.quietFixes(atMost: count, state.wakeAt)
  }
}
