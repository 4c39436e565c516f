import Basics
import Geodesy
import Streets
import Timeline
import Traces

/// A fix with what is known of its error.
package struct SeenFix: Sendable {
  /// What went wrong, if anything.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The usual errors.
    case model
    /// Far off, and says so.
    case honestOutlier = "outlier_honest"
    /// Far off, and claims to be exact.
    case lyingOutlier = "outlier_lying"
    /// From a cell or a wireless network.
    case coarse
    /// The usual errors, with a claim that does not fit.
    case accuracyLie = "accuracy_lie"
  }

  /// What the phone sees.
  package let fix: Fix
  /// Where it was.
  package let surroundings: Surroundings
  /// What went wrong, if anything.
  package let kind: Kind
  /// The standard deviation for each axis, in meters.
  package let sigmaMeters: Double
  /// The error to the east and to the north, in meters.
  package let error: PlanePoint
}

/// What the phone sees of a day.
///
/// Errors are a first-order Gauss-Markov process, so that each of them lasts; the cadence falls when
/// the phone has lain still for a while, wherever that is; indoors whole blocks of time are silent.
struct Receiver {
  /// What is drawn for the whole day.
  struct Day {
    let noise: NoiseModel
    let sampling: Sampling
    let speed: SpeedReport
    /// After so many seconds of stillness fixes become rare.
    let settleSeconds: Int
    let sleeps: [Range<Int>]
  }

  let day: Day
  private let settings: SimulationSettings
  private let path: ReceiverPath
  private let habits: PhoneHabits
  private let blockSeed: UInt64
  private var random: SplitMix64
  private(set) var fixes: [SeenFix] = []
  /// Times without a fix that have a known reason.
  private(set) var silences: [(start: Int, end: Int, reason: String)] = []

  private var error = PlanePoint(0, 0)
  private var sigma: Double
  private var lastUpdate: Int
  private var lastFix: Int
  private var lastFixPoint: PlanePoint?
  /// Where the newest fix was measured.
  private var lastMeasured: PlanePoint?
  private var constantAccuracy = 0.0
  private var jumpsAt = 0
  /// Which of the networks nearby is heard.
  private var heard = 0
  private var stillSince: Int?
  private var isSettled = false
  private var nextPause = 0
  private var wakesAt: Int?
  private var burst: (until: Int, offset: PlanePoint, lies: Bool)?
  private var speeds: [Double] = [0, 0, 0]

  /// Sees a day.
  ///
  /// - Parameter stream: what is drawn.
  init(_ path: ReceiverPath, _ stream: SplitMix64, _ settings: SimulationSettings) {
    self.path = path
    self.settings = settings
    habits = settings.phone?.habits ?? PhoneHabits()
    var random = stream
    let noise = NoiseModel(habits.noise ?? settings.noise, &random)
    let coarsest: Double = settings.phone == nil ? 8 : 0
    let sampling = Sampling.allCases[random.pick(weights: [53, 20, 19, coarsest])]
    let speed = SpeedReport.allCases[random.pick(weights: [50, 40, 10])]
    let settle = random.integer(60...180)
    var sleeps: [Range<Int>] = []
    if settings.noise != .none, random.chance(0.6) {
      let begin = random.integer(path.start...max(path.start, path.end - 3_600))
      sleeps.append(begin..<begin + random.integer(180...2_400))
    }
    day = Day(
      noise: noise,
      sampling: settings.sampling ?? sampling,
      speed: habits.speed ?? settings.speed ?? speed,
      settleSeconds: settle,
      sleeps: sleeps
    )
    blockSeed = random.next()
    sigma = noise.indoor.sigmaMeters
    lastUpdate = path.start - 600
    lastFix = path.start - 600
    self.random = random
    error = PlanePoint(self.random.normal(), self.random.normal())
    if case .constant(let choices) = habits.accuracy {
      constantAccuracy = choices[self.random.integer(0...choices.count - 1)]
    }
    see()
    if habits.doubledShare > 0 || habits.swappedShare > 0 { disturb() }
  }

  /// Doubles some fixes, and has some change places.
  private mutating func disturb() {
    var disturbed: [SeenFix] = []
    for fix in fixes {
      disturbed.append(fix)
      if random.chance(habits.doubledShare) { disturbed.append(fix) }
    }
    for i in disturbed.indices.dropLast() where random.chance(habits.swappedShare) {
      disturbed.swapAt(i, i + 1)
    }
    fixes = disturbed
  }

  private mutating func see() {
    var silence: (start: Int, reason: String)?
    for moment in path.moments {
      for second in moment.second..<moment.second + moment.seconds {
        let reason = silentReason(moment, second)
        if reason != silence?.reason {
          if let silence, second - silence.start >= 60 {
            silences.append((silence.start, second, silence.reason))
          }
          silence = reason.map { (second, $0) }
        }
        see(moment, moment.surroundings, second, isSilent: reason != nil)
      }
    }
    if let silence, path.end - silence.start >= 60 {
      silences.append((silence.start, path.end, silence.reason))
    }
  }

  private func silentReason(_ moment: ReceiverPath.Moment, _ second: Int) -> String? {
    if moment.isTunnel { return "tunnel" }
    if day.sleeps.contains(where: { $0.contains(second) }) { return "app_asleep" }
    guard moment.surroundings == .indoor, habits.network == nil else { return nil }
    var block = SplitMix64.stream(blockSeed, second / 90)
    return block.chance(day.noise.indoorAbsentShare) ? "indoors" : nil
  }

  private mutating func see(
    _ moment: ReceiverPath.Moment,
    _ surroundings: Surroundings,
    _ second: Int,
    isSilent: Bool
  ) {
    speeds = [speeds[1], speeds[2], moment.metersPerSecond]
    if moment.metersPerSecond > 0 {
      if isSettled, wakesAt == nil { wakesAt = second + random.integer(0...5) }
      stillSince = nil
      if let wake = wakesAt, second >= wake { (isSettled, wakesAt) = (false, nil) }
    } else {
      stillSince = stillSince ?? second
      if let since = stillSince, second - since > day.settleSeconds { isSettled = true }
    }
    moveBurst(surroundings, second)
    if let spacing = habits.spacingMeters {
      guard moment.metersPerSecond > 0, !isSilent else { return }
      updateErrors(surroundings, second)
      let seen = fix(moment, surroundings, second)
      let measured = moment.point.offset(seen.error.east, seen.error.north)
      if let before = lastMeasured, measured.distanceMeters(to: before) < spacing { return }
      lastMeasured = measured
      lastFix = second
      fixes.append(seen)
      return
    }
    guard isDue(moment, second), !isSilent else { return }
    lastFix = second
    lastFixPoint = moment.point
    if let network = habits.network, surroundings == .indoor {
      nextPause = random.integer(network.seconds)
    } else {
      nextPause = random.integer(60...120) * (moment.isAtBase ? 3 : 1)
    }
    updateErrors(surroundings, second)
    fixes.append(fix(moment, surroundings, second))
  }

  private func isDue(_ moment: ReceiverPath.Moment, _ second: Int) -> Bool {
    if day.sampling == .significant {
      guard let before = lastFixPoint else { return true }
      return moment.point.distanceMeters(to: before) >= 500
    }
    if let seconds = habits.intervalSeconds { return second - lastFix >= seconds }
    // Networks are asked at once where the sky is lost, and seldom.
    let isByNetwork =
      habits.network != nil && moment.surroundings == .indoor && moment.metersPerSecond == 0
    let isRare = (!settings.hasConstantCadence && isSettled) || isByNetwork
    let interval = isRare ? nextPause : day.sampling.movingSeconds
    return second - lastFix >= interval
  }

  private mutating func moveBurst(_ surroundings: Surroundings, _ second: Int) {
    if let current = burst, second >= current.until { burst = nil }
    guard burst == nil,
      random.chance(day.noise.errors(surroundings).glitchesPerHour / 3_600)
    else { return }
    let meters = random.uniform(day.noise.glitchMeters)
    burst = (
      second + random.integer(1...12),
      offset(meters),
      random.chance(day.noise.lyingShare)
    )
  }

  /// So many meters in any direction.
  private mutating func offset(_ meters: Double) -> PlanePoint {
    let (x, y) = (random.normal(), random.normal())
    let length = max((x * x + y * y).squareRoot(), 0.01)
    return PlanePoint(x / length * meters, y / length * meters)
  }

  private mutating func updateErrors(_ surroundings: Surroundings, _ second: Int) {
    let errors = day.noise.errors(surroundings)
    let elapsed = Double(second - lastUpdate)
    lastUpdate = second
    if habits.errorsJump {
      // The same variance and mean length, in another form.
      if second >= jumpsAt {
        error = PlanePoint(random.normal(), random.normal())
        jumpsAt = second + random.integer(1...Int(2 * errors.correlationSeconds))
      }
    } else {
      let kept = settings.isWhiteNoise ? 0 : decay(elapsed / errors.correlationSeconds)
      let fresh = (1 - kept * kept).squareRoot()
      error.east = error.east * kept + random.normal() * fresh
      error.north = error.north * kept + random.normal() * fresh
    }
    // A door does not change the reception at once.
    sigma += (errors.sigmaMeters - sigma) * (1 - decay(elapsed / 15))
  }

  private mutating func fix(
    _ moment: ReceiverPath.Moment,
    _ surroundings: Surroundings,
    _ second: Int
  ) -> SeenFix {
    let noise = day.noise
    var kind = SeenFix.Kind.model
    var off = PlanePoint(
      error.east * sigma + random.normal() * noise.whiteMeters,
      error.north * sigma + random.normal() * noise.whiteMeters
    )
    // 68 % of a circular normal distribution lie within 1.51 standard deviations of one axis.
    var accuracy = max(1.51 * sigma * random.uniform(0.88...1.12), 3)
    if let burst {
      off = burst.offset
      kind = burst.lies ? .lyingOutlier : .honestOutlier
      let meters = off.distanceMeters(to: PlanePoint(0, 0))
      accuracy = burst.lies ? random.uniform(5...18) : meters * random.uniform(0.8...1.6)
    } else if random.chance(noise.coarseShare) || day.sampling == .significant {
      kind = .coarse
      let isCell = day.sampling != .significant
      accuracy = isCell ? random.logNormal(median: 300, spread: 1) : random.uniform(20...250)
      accuracy = min(max(accuracy, 20), 2_500)
      off = PlanePoint(random.normal() * accuracy / 1.51, random.normal() * accuracy / 1.51)
    } else {
      var block = SplitMix64.stream(blockSeed, 11, second / 60)
      if block.chance(noise.accuracyLieShare) {
        kind = .accuracyLie
        accuracy = max(
          accuracy * (block.chance(0.5) ? block.uniform(0.3...0.8) : block.uniform(1.5...4)),
          1
        )
      }
    }
    if let spots = habits.spots, let network = habits.network, surroundings == .indoor {
      let spot = spot(spots, claiming: network.meters, near: moment.point, second)
      kind = .model
      off = PlanePoint(
        spot.off.east + random.normal() * noise.whiteMeters,
        spot.off.north + random.normal() * noise.whiteMeters
      )
      accuracy = spot.accuracyMeters
    } else if let network = habits.network, surroundings == .indoor,
      kind == .model || kind == .accuracyLie
    {
      accuracy = random.uniform(network.meters)
      off = PlanePoint(error.east * accuracy / 1.51, error.north * accuracy / 1.51)
    }
    accuracy = told(accuracy)
    let coordinate = path.plane.coordinate(moment.point.offset(off.east, off.north))
    let (speed, course) =
      habits.spots != nil && surroundings == .indoor ? (nil, nil) : motion(moment)
    return SeenFix(
      fix: Fix(
        at: Timestamp(seconds: Int64(second)),
        coordinate: coordinate,
        horizontalAccuracyMeters: rounded(accuracy, 1),
        speedMetersPerSecond: speed,
        courseDegrees: course
      ),
      surroundings: surroundings,
      kind: kind,
      sigmaMeters: sigma,
      error: off
    )
  }

  /// The network that is heard near a point: those of one block of 50 m are always the same.
  private mutating func spot(
    _ spots: (meters: Double, seconds: ClosedRange<Int>),
    claiming claims: ClosedRange<Double>,
    near point: PlanePoint,
    _ second: Int
  ) -> (off: PlanePoint, accuracyMeters: Double) {
    if second >= jumpsAt {
      heard = random.integer(0...3)
      jumpsAt = second + random.integer(spots.seconds)
    }
    let (column, row) = (Int((point.east / 50).rounded()), Int((point.north / 50).rounded()))
    var block = SplitMix64.stream(blockSeed, column &* 65_537 &+ row, heard)
    // One in five was surveyed badly, or has moved.
    let meters = spots.meters * (block.chance(0.2) ? 3 : 1)
    return (
      PlanePoint(block.normal() * meters, block.normal() * meters),
      block.uniform(claims)
    )
  }

  private func told(_ accuracy: Double) -> Double {
    switch habits.accuracy {
    case .claimed: accuracy
    case .constant: constantAccuracy
    case .steps(let steps): steps.first { $0 >= accuracy } ?? accuracy
    }
  }

  /// What is reported of the motion: the speed of two seconds ago.
  private mutating func motion(_ moment: ReceiverPath.Moment) -> (speed: Double?, course: Double?) {
    if day.speed == .none { return (nil, nil) }
    if habits.isStuckAtZero { return (0, nil) }
    let late = speeds[0]
    guard late > 0 || moment.metersPerSecond > 0 else {
      let drift = day.speed == .noisyAtRest ? abs(random.normal()) * 0.45 : 0
      return (rounded(drift, 2), nil)
    }
    let speed = max(0, late + random.normal() * 0.3)
    let course = moment.courseDegrees + random.normal() * 4
    let isMoving = moment.metersPerSecond > 0
    return (
      rounded(speed, 2), isMoving ? Double((Int(course.rounded()) + 360) % 360) : nil
    )
  }
}
