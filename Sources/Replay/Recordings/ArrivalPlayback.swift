import Arrivals
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

/// An `ArrivalDetector` that knows from a recording what its tracker would see, and only decides.
///
/// It must be given the fixes of the recording, all of them and in order; then it finds what a detector
/// finds that is new.
struct ArrivalPlayback: ArrivalSource {
  private let recording: ArrivalRecording
  private let settings: DecisionSettings
  /// No group that is less probable counts.
  private let leastProbability: Double
  private var judge = ArrivalJudge()
  /// How many steps of the recording are over.
  private var done = 0
  /// Whether nothing can be decided any more without another fix.
  private var isSettled = false

  /// Begins at the first fix.
  init(_ recording: ArrivalRecording, _ settings: ArrivalSettings) {
    precondition(recording.serves(settings), "the recording is of other evidence")
    self.recording = recording
    self.settings = settings.decision
    leastProbability = settings.decision.leastProbability
  }

  /// The user's own places, in order of their ids.
  var places: [Place] { recording.world.places }

  /// As `ArrivalDetector.stays(at:)`.
  func stays(at place: String) -> Bool { judge.stays(at: place) }

  /// As `ArrivalTracker.movedAt`.
  var movedAt: Timestamp? { done > 0 ? recording.steps[done - 1].movedAt : nil }

  /// As `ArrivalDetector.standing(since:)`.
  func standing(since start: Timestamp) -> [ArrivalPlace] { judge.standing(since: start) }

  /// As `ArrivalDetector.nextInstant`.
  var nextInstant: Timestamp? {
    done > 0 && !isSettled ? recording.steps[done - 1].nextTick : nil
  }

  /// Takes in the recording's next fix.
  ///
  /// - Returns: what was found out up to and at the fix, in order.
  mutating func observe(_ fix: Fix) -> [ArrivalFinding] {
    let findings = advance(to: fix.at)
    expectFix(at: fix.at)
    let last = takeStep()
    return findings.isEmpty ? last : findings + last
  }

  /// As `ArrivalDetector.advance(to:)`.
  mutating func advance(to now: Timestamp) -> [ArrivalFinding] {
    var findings: [ArrivalFinding] = []
    while done < recording.steps.count, recording.steps[done].isTick,
      recording.steps[done].at <= now
    {
      let found = takeStep()
      if !found.isEmpty { findings += found }
    }
    return findings
  }

  mutating func play(
    _ times: UnsafeBufferPointer<Int64>,
    _ timer: inout HostTimer
  ) -> (count: Int, found: FoundAhead?) {
    for (count, time) in times.enumerated() {
      let fixAt = Timestamp(milliseconds: time)
      while let due = timer.next, due <= fixAt {
        guard timer.passes(due) else { return (count, nil) }
        while let tick = nextInstant, tick <= due {
          let findings = advance(to: tick)
          guard findings.isEmpty else {
            return (
              count, FoundAhead(at: tick, findings: findings, isFix: false, needsTimer: false)
            )
          }
        }
        timer.pass(forTick: nextInstant)
      }
      var findings = advance(to: fixAt)
      expectFix(at: fixAt)
      let last = takeStep()
      if !last.isEmpty { findings += last }
      let tick = nextInstant
      let needsTimer = tick.map { tick in timer.next.map { tick < $0 } ?? true } ?? false
      guard findings.isEmpty, !needsTimer || timer.passes(fixAt) else {
        return (
          count, FoundAhead(at: fixAt, findings: findings, isFix: true, needsTimer: needsTimer)
        )
      }
      if needsTimer { timer.set(forTick: tick) }
    }
    return (times.count, nil)
  }

  private func expectFix(at instant: Timestamp) {
    precondition(
      done < recording.steps.count && recording.steps[done].at == instant
        && !recording.steps[done].isTick,
      "the recording is of other fixes"
    )
  }

  private mutating func takeStep() -> [ArrivalFinding] {
    let step = recording.steps[done]
    done += 1
    if step.isTick, isSettled { return [] }
    isSettled = false
    guard let here = step.here else { return judge.reset(at: step.at, recording.world) }
    var findings: [ArrivalFinding] = []
    if judge.remembersSomething || mayFind(step) || !judge.knows(recording.world) {
      findings = judge.judge(
        recording.chances(step.chances),
        at: ArrivalMoment(
          at: step.at,
          here: here,
          measured: step.measured,
          deviationMeters: step.deviationMeters,
          isFix: !step.isTick,
          isFixOverdue: step.isFixOverdue,
          isAtRest: step.isAtRest,
          isWalking: step.isWalking,
          motionSeconds: step.motionSeconds
        ),
        settings,
        recording.world
      )
    }
    if let silence = step.inSilence {
      isSettled = ignores(silence, here, inSilence: true)
    }
    return findings
  }

  /// Whether a judge who remembers nothing may make anything of it.
  private func mayFind(_ step: ArrivalRecording.Step) -> Bool {
    step.looksCloser && step.mostProbable >= leastProbability
  }

  private func ignores(
    _ chances: Range<Int32>,
    _ here: SurfacePoint,
    inSilence: Bool
  ) -> Bool {
    judge.ignores(
      recording.chances(chances),
      here: here,
      inSilence: inSilence,
      settings,
      recording.world
    )
  }

  /// How many of the next fixes can be taken in by ``skip(_:)``: nothing is found at them, nothing is
  /// remembered of them, and no timer is wanted that comes before the one that is set.
  ///
  /// - Parameter timer: the one that is set.
  func calmFixes(atMost most: Int, _ timer: Timestamp?) -> Int {
    let steps = recording.steps
    let end = min(steps.count, done + most)
    var index = done
    while index < end, isQuiet(steps[index], timer) { index += 1 }
    return index - done
  }

  private func isQuiet(_ step: ArrivalRecording.Step, _ timer: Timestamp?) -> Bool {
    if step.isTick { return false }
    if let tick = step.nextTick, timer.map({ tick < $0 }) ?? true { return false }
    guard judge.knows(recording.world) else { return false }
    guard judge.remembersSomething else {
      return !mayFind(step) || step.here == nil
    }
    guard let here = step.here else { return false }
    return ignores(step.chances, here, inSilence: false)
  }

  /// Takes in so many fixes at which nothing is weighed.
  mutating func skip(_ count: Int) {
    done += count
    if count > 0 { isSettled = false }
  }
}
