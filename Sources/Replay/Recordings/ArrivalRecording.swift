import Arrivals
import Geodesy
import Places
import Timeline
import Traces

/// What a tracker makes of a stream of fixes, kept so that many decisions can be tried on it.
///
/// The tracker never learns what is decided, so what it sees at an instant depends on the fixes and on
/// ``Arrivals/ArrivalSettings/evidence`` alone: the same recording serves every `DecisionSettings`.
///
/// - Complexity: 150 bytes for each fix and tick, and as much for each group that might be arrived at.
package final class ArrivalRecording: Sendable {
  /// What was seen at a fix, or at a tick without one.
  struct Step: Sendable {
    let at: Timestamp
    let isTick: Bool
    /// The estimate of position; nil while asleep.
    let here: SurfacePoint?
    /// Where the newest fix was measured; nil while asleep.
    let measured: SurfacePoint?
    let deviationMeters: Double
    let isFixOverdue: Bool
    let isAtRest: Bool
    let isWalking: Bool
    let motionSeconds: Double
    let movedAt: Timestamp?
    /// Whether some place is within reach, so that a judge looks also if it remembers nothing.
    let looksCloser: Bool
    /// Which of the recording's chances are of this instant.
    let chances: Range<Int32>
    /// The highest probability among them; below any if there is none.
    let mostProbable: Double
    /// And which those of the silence that follows a tick; nil where that cannot be told.
    let inSilence: Range<Int32>?
    /// When the silence that follows is to be looked at.
    let nextTick: Timestamp?
  }

  let world: ArrivalWorld
  let steps: [Step]
  private let allChances: [ArrivalChance]
  /// Less probable groups were left out.
  private let leastProbability: Double

  /// Follows a stream of fixes to its end, and the silence after it.
  ///
  /// - Parameters:
  ///   - places: the user's own places.
  ///   - decisions: the recording serves these, and all that ask for no lower probability.
  ///   - fixes: those that are believed.
  package init(
    settings: ArrivalSettings,
    catalog: POICatalog,
    places: [Place],
    for decisions: [DecisionSettings],
    fixes: some Sequence<Fix>
  ) {
    var tracker = ArrivalTracker(settings: settings.evidence, catalog: catalog, places: places)
    leastProbability = decisions.map(\.leastProbability).min() ?? 0
    var notes = Notes(least: leastProbability)
    for fix in fixes {
      notes.addTicks(of: &tracker, upTo: fix.at)
      let looksCloser = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
      notes.addFix(of: tracker, at: fix.at, looksCloser: looksCloser)
    }
    // Fixes that are not believed may follow, and time pass with them.
    notes.addTicks(of: &tracker, upTo: nil)
    world = tracker.world
    steps = notes.steps
    allChances = notes.chances
  }

  /// What is written down on the way.
  private struct Notes {
    let least: Double
    var steps: [Step] = []
    var chances: [ArrivalChance] = []

    init(least: Double) { self.least = least }

    mutating func addTicks(of tracker: inout ArrivalTracker, upTo end: Timestamp?) {
      while let tick = tracker.nextTick, end.map({ tick <= $0 }) ?? true {
        tracker.tick(at: tick)
        let seen = tracker.look(at: tick)
        add(
          tracker,
          tick,
          tracker.chances(at: tick, atLeast: least, seen),
          inSilence: tracker.chancesInSilence(at: tick, atLeast: least, seen),
          isTick: true,
          looksCloser: true
        )
      }
    }

    mutating func addFix(of tracker: ArrivalTracker, at instant: Timestamp, looksCloser: Bool) {
      let seen = tracker.calmWithin == nil ? tracker.chances(at: instant, atLeast: least) : []
      add(tracker, instant, seen, inSilence: nil, isTick: false, looksCloser: looksCloser)
    }

    private mutating func add(
      _ tracker: ArrivalTracker,
      _ instant: Timestamp,
      _ seen: [ArrivalChance],
      inSilence: [ArrivalChance]?,
      isTick: Bool,
      looksCloser: Bool
    ) {
      let range = keep(seen)
      steps.append(
        Step(
          at: instant,
          isTick: isTick,
          here: tracker.calmWithin == nil ? tracker.estimate : nil,
          measured: tracker.measured,
          deviationMeters: tracker.deviationMeters,
          isFixOverdue: tracker.fixOverdueAt.map { $0 <= instant } ?? false,
          isAtRest: tracker.isAtRest,
          isWalking: tracker.isWalking(at: instant),
          motionSeconds: tracker.motionSeconds,
          movedAt: tracker.movedAt,
          looksCloser: looksCloser,
          chances: range,
          mostProbable: seen.reduce(-1) { max($0, $1.probability, $1.probabilityWhileStaying) },
          inSilence: inSilence.map { keep($0) },
          nextTick: tracker.nextTick
        )
      )
    }

    private mutating func keep(_ some: [ArrivalChance]) -> Range<Int32> {
      chances += some
      return Int32(chances.count - some.count)..<Int32(chances.count)
    }
  }

  func chances(_ range: Range<Int32>) -> ArraySlice<ArrivalChance> {
    allChances[Int(range.lowerBound)..<Int(range.upperBound)]
  }

  /// Whether the recording holds all that decisions may depend on.
  package func serves(_ settings: ArrivalSettings) -> Bool {
    world.settings == settings.evidence
      && leastProbability <= settings.decision.leastProbability
  }
}

extension ArrivalSettings {
  /// What evidence depends on: the same for all settings that differ only in how they decide by it.
  package var evidence: ArrivalSettings {
    var settings = self
    let standard = DecisionSettings()
    // Only those that the judge alone reads; whatever is added counts as evidence until it is named.
    settings.decision.threshold = standard.threshold
    settings.decision.hold = standard.hold
    settings.decision.nextPlaceMargin = standard.nextPlaceMargin
    settings.decision.nextPlaceAfter = standard.nextPlaceAfter
    settings.decision.nextPlaceMeters = standard.nextPlaceMeters
    settings.decision.sameSpotThreshold = standard.sameSpotThreshold
    settings.decision.rearmMeters = standard.rearmMeters
    settings.decision.leaveMeters = standard.leaveMeters
    settings.decision.leaveAfter = standard.leaveAfter
    settings.decision.ownAwayMeters = standard.ownAwayMeters
    settings.decision.ownAwayFor = standard.ownAwayFor
    settings.decision.ownAwayInMotionFor = standard.ownAwayInMotionFor
    settings.decision.ownJumpMeters = standard.ownJumpMeters
    settings.decision.ownJumpFor = standard.ownJumpFor
    settings.decision.roofJumpFor = standard.roofJumpFor
    settings.decision.echoMeters = standard.echoMeters
    settings.decision.echoTimes = standard.echoTimes
    settings.decision.ownSilenceThreshold = standard.ownSilenceThreshold
    settings.decision.ownThreshold = standard.ownThreshold
    // A recording is of a stream.
    settings.asleep = AsleepSettings()
    return settings
  }
}
