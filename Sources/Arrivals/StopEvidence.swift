import Basics
import Timeline

/// What a stop says by how it came about: wheels or feet, the walk to a door, the time, the silence.
///
/// - Complexity: O(1) a fix.
struct StopEvidence: Hashable, Sendable, Codable {
  /// When the stop in hand began; nil in motion.
  private(set) var began: Timestamp?
  /// The newest fix.
  private(set) var lastFixAt: Timestamp
  /// The newest fix under the sky; nil if that is the newest of all.
  private var underSkyAt: Timestamp?
  /// When motion was last seen without doubt: no stop began before; nil if never, and in states of earlier versions.
  private var inMotionAt: Timestamp?
  /// The speed at the newest fix, in m/s, reported or not; nil if nothing is known.
  private(set) var lastSpeed: Double?
  /// Seconds in motion since the record began.
  private(set) var motionSeconds: Double
  private var walkedSeconds = 0.0
  /// Since wheels, in silences that may hide a walk.
  private var unseenSeconds = 0.0
  /// The greatest speed of late, which is what one came by.
  ///
  /// It fades while the person is not seen standing still.
  private var greatestSpeed = 0.0
  /// The usual time between fixes in motion.
  private var usualInterval: Double?

  /// The usual time between fixes in motion, in seconds; at least one.
  var interval: Double { max(usualInterval ?? 1, 1) }

  /// Whether the app slept when the person stopped, or got off wheels.
  private var isUnseen = false
  /// The longest silence of this stop that only a roof explains.
  private var heldSilence = 0.0

  init(at now: Timestamp, motionSeconds: Double) {
    lastFixAt = now
    self.motionSeconds = motionSeconds
  }

  /// What is left of it when the app has slept for a while.
  ///
  /// - Parameters:
  ///   - speed: how fast one has come at least, in m/s.
  ///   - hasMoved: whether one has been in motion meanwhile.
  func resumed(
    at now: Timestamp,
    speed: Double,
    hasMoved: Bool,
    _ settings: ArrivalSettings
  ) -> StopEvidence {
    var next = StopEvidence(
      at: now,
      motionSeconds: hasMoved
        ? max(motionSeconds, settings.decision.leastMotionSeconds) : motionSeconds
    )
    let kept = exponential(-(now - lastFixAt).seconds / settings.stop.wheelsMemorySeconds)
    next.greatestSpeed = max(speed, greatestSpeed * kept)
    next.usualInterval = usualInterval
    next.isUnseen = true
    return next
  }

  /// What is left of it when the circle around one is left in which nothing was looked at.
  func again(at now: Timestamp, motionSeconds: Double) -> StopEvidence {
    var next = StopEvidence(at: now, motionSeconds: motionSeconds)
    next.usualInterval = usualInterval
    return next
  }

  /// Takes in the speed of the fix at which watching begins.
  mutating func begin(speed: Double, rest: Double, _ settings: MotionSettings) {
    guard isUnseen else { return }
    greatestSpeed = max(greatestSpeed, speed)
    lastSpeed = speed
    if rest >= 0.5 { began = lastFixAt }
    // A person who is still on wheels will be seen getting out.
    if speed > settings.wheelsMetersPerSecond { isUnseen = false }
  }

  /// Takes in that positions show a way, whatever speeds tell: the person has been in motion.
  mutating func hasGone(_ settings: DecisionSettings) {
    motionSeconds = max(motionSeconds, settings.leastMotionSeconds)
  }

  /// Takes in a fix.
  mutating func observe(
    at now: Timestamp,
    speed: Double?,
    rest: Double,
    isUnderSky: Bool,
    _ world: ArrivalWorld,
    _ decay: inout RememberedExponential
  ) {
    let seconds = (now - lastFixAt).seconds
    unseenSeconds += max(0, seconds - world.settings.habits.unseenAfterSeconds)
    let stop = world.settings.stop
    let share = min(seconds, stop.longestStepSeconds)
    let silence = silenceTerm(at: now, world)
    if began != nil { heldSilence = max(heldSilence, silence) }
    if rest >= 0.5 {
      if began == nil {
        // A person who walks into silence and is at rest after it has stopped at its beginning.
        began = silence > 0 ? max(skyAt, inMotionAt ?? skyAt) : now
        heldSilence = silence
      }
    } else {
      if rest < stop.endsBelowRest {
        began = nil
        heldSilence = 0
        inMotionAt = now
      }
      motionSeconds += share
      // The cadence is that of motion; at rest it is the phone's to save power.
      if seconds <= stop.longestIntervalSeconds {
        usualInterval = usualInterval.map { $0 + stop.intervalShare * (seconds - $0) } ?? seconds
      }
    }
    if let speed {
      // A person who is seen standing still has not got out; what happens in silence is unknown.
      let seen = began == nil ? 0 : min(seconds, 2 * interval)
      greatestSpeed = max(
        speed,
        greatestSpeed * decay(-(seconds - seen) / stop.wheelsMemorySeconds)
      )
      let motion = world.settings.motion
      if speed > motion.wheelsMetersPerSecond {
        walkedSeconds = 0
        unseenSeconds = 0
        isUnseen = false
      } else if began == nil {
        if speed > motion.walkingTopMetersPerSecond {
          walkedSeconds = max(0, walkedSeconds - share)
        } else if speed >= motion.walkingLeastMetersPerSecond {
          walkedSeconds = min(2 * stop.fullWalkSeconds, walkedSeconds + share)
        }
      }
    }
    lastSpeed = speed
    underSkyAt = isUnderSky ? nil : skyAt
    lastFixAt = now
  }

  /// Takes in that what looked like a stop was none.
  mutating func goOn() {
    began = nil
    heldSilence = 0
    underSkyAt = nil
  }

  /// When the sky was last seen.
  private var skyAt: Timestamp { underSkyAt ?? lastFixAt }

  /// Whether the newest fix was slower than anyone runs into a door.
  func isSlow(_ settings: MotionSettings) -> Bool {
    lastSpeed.map { $0 < settings.walkingTopMetersPerSecond } ?? true
  }

  /// How long the stop has lasted, in seconds; a walk into silence counts from its beginning.
  func stoppedSeconds(
    at now: Timestamp,
    isSilentAtRest: Bool,
    _ world: ArrivalWorld
  ) -> Double {
    if let began { return (now - began).seconds }
    if isSilentAtRest { return (now - lastFixAt).seconds }
    return silenceTerm(at: now, world) > 0 ? (now - skyAt).seconds : 0
  }

  /// How unusual the silence is that lasts now; a phone that has settled to save power is silent anyway.
  private func silenceTerm(at now: Timestamp, _ world: ArrivalWorld) -> Double {
    let stop = world.settings.stop
    guard isSlow(world.settings.motion),
      began.map({ (skyAt - $0).seconds < stop.settleSeconds }) ?? true
    else { return 0 }
    let intervals = (now - skyAt).seconds / interval
    return naturalLogarithm(
      1 + max(min(intervals, stop.mostSilenceIntervals) - stop.silenceIntervals, 0)
    )
  }

  /// The terms that do not depend on the place, for those where people stay with their car and for the others.
  ///
  /// Between two fixes each of them must only grow or only fall, as
  /// ``ArrivalTracker/chancesInSilence(at:atLeast:_:)`` relies on it.
  ///
  /// - Parameters:
  ///   - staying: how long one has been here, as far as positions tell: the term.
  ///   - isSilentAtRest: whether the receiver tells nothing at rest: its silence is no roof then.
  ///   - bias: how many times the bias counts, for what its fixes are worth.
  func terms(
    rest: Double,
    staying: Double,
    isSilentAtRest: Bool,
    bias: Double,
    at now: Timestamp,
    _ world: ArrivalWorld
  ) -> (driven: ArrivalTerms, others: ArrivalTerms) {
    let (stop, habits) = (world.settings.stop, world.settings.habits)
    let isOnWheels = greatestSpeed > world.settings.motion.wheelsMetersPerSecond
    var common = ArrivalTerms()
    common.bias = bias
    common.silence = isSilentAtRest ? 0 : max(silenceTerm(at: now, world), heldSilence)
    common.rest = min(max(logOdds(probability: rest), stop.leastRestTerm), stop.mostRestTerm)
    common.onFoot = isOnWheels ? 0 : 1
    common.staying = staying
    var (driven, others) = (common, common)
    driven.silenceAtPump = common.silence
    guard isOnWheels else { return (driven, others) }
    driven.atPump = 1
    let stopped = stoppedSeconds(at: now, isSilentAtRest: isSilentAtRest, world)
    driven.pastLight = min(stopped / stop.longestLightSeconds, 1)
    let walked = min(walkedSeconds, stop.fullWalkSeconds) / stop.fullWalkSeconds
    others.walkedIn = isUnseen ? max(walked, stop.unseenWalk) : walked
    let unseen = unseenSeconds + max(0, (now - lastFixAt).seconds - habits.unseenAfterSeconds)
    // The longer somebody stands, the less likely it is that they wait in a car, seen to walk or not.
    let waited = stop.waitedWalk * min(stopped / stop.longestWaitSeconds, 1)
    others.unseen = max(min(unseen / habits.unseenFullSeconds, 1), waited) * (1 - others.walkedIn)
    return (driven, others)
  }
}
