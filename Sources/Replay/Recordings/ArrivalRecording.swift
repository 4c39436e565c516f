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
/// - Complexity: 120 bytes for each fix and tick, and as much for each group that might be arrived at.
package final class ArrivalRecording: Sendable {
  /// What was seen at a fix, or at a tick without one.
  struct Step: Sendable {
    let at: Timestamp
    let isTick: Bool
    /// The estimate of position; nil while asleep.
    let here: SurfacePoint?
    let deviationMeters: Double
    let isAtRest: Bool
    let motionSeconds: Double
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
    let least = decisions.map(\.leastProbability).min() ?? 0
    var steps: [Step] = []
    var all: [ArrivalChance] = []
    func note(_ at: Timestamp, isTick: Bool, looksCloser: Bool) {
      func keep(_ chances: [ArrivalChance]) -> Range<Int32> {
        all += chances
        return Int32(all.count - chances.count)..<Int32(all.count)
      }
      let here = tracker.calmWithin == nil ? tracker.estimate : nil
      let seen = here == nil ? [] : tracker.chances(at: at, atLeast: least)
      let chances = keep(seen)
      let inSilence = isTick ? tracker.chancesInSilence(at: at, atLeast: least).map(keep) : nil
      steps.append(
        Step(
          at: at,
          isTick: isTick,
          here: here,
          deviationMeters: tracker.deviationMeters,
          isAtRest: tracker.isAtRest,
          motionSeconds: tracker.motionSeconds,
          looksCloser: looksCloser,
          chances: chances,
          mostProbable: seen.reduce(-1) { max($0, $1.probability, $1.probabilityWhileStaying) },
          inSilence: inSilence,
          nextTick: tracker.nextTick
        )
      )
    }
    func noteTicks(upTo end: Timestamp?) {
      while let tick = tracker.nextTick, end.map({ tick <= $0 }) ?? true {
        tracker.tick(at: tick)
        note(tick, isTick: true, looksCloser: true)
      }
    }
    for fix in fixes {
      noteTicks(upTo: fix.at)
      let looksCloser = tracker.observe(fix, at: SurfacePoint(fix.coordinate))
      note(fix.at, isTick: false, looksCloser: looksCloser)
    }
    // Fixes that are not believed may follow, and time pass with them.
    noteTicks(upTo: nil)
    world = tracker.world
    self.steps = steps
    allChances = all
    leastProbability = least
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
    settings.decision.ownAwayMeters = standard.ownAwayMeters
    settings.decision.ownAwayFor = standard.ownAwayFor
    settings.decision.ownJumpMeters = standard.ownJumpMeters
    settings.decision.ownThreshold = standard.ownThreshold
    // A recording is of a stream.
    settings.asleep = AsleepSettings()
    return settings
  }
}
