import Geodesy
import Timeline
import Traces

/// Measures at rest how far positions scatter, and compares it with what they claim.
///
/// A rest is a time of ``DoctorSettings/restTime`` or longer in which no fix is farther than
/// ``DoctorSettings/restRadiusMeters`` from its first. Its scatter is s = Q₆₈(|pᵢ − p̄| / rᵢ): the
/// distance from the rest's mean position in units of the claimed 68 % radius, within which the
/// fixes of 68 % of its time lie; a fix counts for the time until the next, at most a minute, so that
/// the last steps to a rest, with a fix a second, weigh no more than they last. Honest claims give 1
/// if the errors of a rest's fixes are independent. They are not: part of the error is the same for
/// all of them and moves the mean, so that honest claims give less (`docs/trace-doctor.md`). The
/// judgment is on the median over all rests.
///
/// - Complexity: O(1) a fix, O(n log n) in the fixes of a rest at its end; memory for one rest.
struct RestWatch: Sendable {
  private struct Sample {
    var eastMeters: Double
    var northMeters: Double
    var claimMeters: Double
    /// Until the next fix.
    var seconds = 0.0
  }

  private var samples: [Sample] = []
  private var plane: LocalPlane?
  private var start = Timestamp(milliseconds: 0)
  private var last = Timestamp(milliseconds: 0)
  private var source = AccuracySource.reported
  private var tallies = AccuracySource.allCases.map { _ in RestTally() }

  /// Takes the next fix in order of time.
  mutating func note(_ fix: Fix, _ source: AccuracySource, _ settings: DoctorSettings) {
    if let plane {
      let (east, north) = plane.project(fix.coordinate)
      let isHere =
        east * east + north * north <= settings.restRadiusMeters * settings.restRadiusMeters
      if isHere, source == self.source, fix.at - last <= settings.silence,
        fix.at - start <= settings.longestRest
      {
        // Receivers with ten fixes a second say the same thing ten times.
        guard fix.at - last >= Milliseconds(500) else { return }
        weighLast(until: fix.at)
        samples.append(
          Sample(
            eastMeters: east,
            northMeters: north,
            claimMeters: fix.horizontalAccuracyMeters
          )
        )
        last = fix.at
        return
      }
      close(settings, before: fix.at)
    }
    plane = LocalPlane(origin: fix.coordinate)
    start = fix.at
    last = fix.at
    self.source = source
    samples.removeAll(keepingCapacity: true)
    samples.append(
      Sample(eastMeters: 0, northMeters: 0, claimMeters: fix.horizontalAccuracyMeters)
    )
  }

  /// Ends the rest in hand, at the end of the trace or before a fix elsewhere.
  mutating func close(_ settings: DoctorSettings, before next: Timestamp? = nil) {
    guard last - start >= settings.restTime, samples.count >= settings.restFixes else { return }
    weighLast(until: next ?? last + .seconds(1))
    let weight = samples.reduce(0) { $0 + $1.seconds }
    let east = samples.reduce(0) { $0 + $1.eastMeters * $1.seconds } / weight
    let north = samples.reduce(0) { $0 + $1.northMeters * $1.seconds } / weight
    var meters: [(value: Double, seconds: Double)] = []
    var ratios: [(value: Double, seconds: Double)] = []
    meters.reserveCapacity(samples.count)
    ratios.reserveCapacity(samples.count)
    for sample in samples where sample.claimMeters > 0 {
      let (dx, dy) = (sample.eastMeters - east, sample.northMeters - north)
      let distance = (dx * dx + dy * dy).squareRoot()
      meters.append((distance, sample.seconds))
      ratios.append((distance / sample.claimMeters, sample.seconds))
    }
    samples.removeAll(keepingCapacity: true)
    guard ratios.count >= settings.restFixes else { return }
    tallies[Int(source.rawValue)]
      .add(
        scatterMeters: Self.within68(&meters),
        scatterByClaim: Self.within68(&ratios)
      )
  }

  private mutating func weighLast(until at: Timestamp) {
    samples[samples.count - 1].seconds = min(60, (at - last).seconds)
  }

  /// The value that 68 % of the time is not above.
  private static func within68(_ values: inout [(value: Double, seconds: Double)]) -> Double {
    values.sort { ($0.value, $0.seconds) < ($1.value, $1.seconds) }
    let enough = 0.68 * values.reduce(0) { $0 + $1.seconds }
    var seconds = 0.0
    for item in values {
      seconds += item.seconds
      if seconds >= enough { return item.value }
    }
    return values.last?.value ?? 0
  }

  /// The judgment for each source of accuracies that any rest had.
  func judgments(_ settings: DoctorSettings) -> [AccuracyJudgment] {
    AccuracySource.allCases.map { tallies[Int($0.rawValue)].judgment($0, settings) }
  }
}

/// What the rests of one source came to.
private struct RestTally: Sendable {
  var rests = 0
  var held = 0
  var meters = LogHistogram()
  var ratios = LogHistogram()

  mutating func add(scatterMeters: Double, scatterByClaim: Double) {
    rests += 1
    // Less than a centimeter is not a measurement but a position that is held.
    if scatterMeters < 0.01 {
      held += 1
    } else {
      meters.add(scatterMeters)
      ratios.add(scatterByClaim)
    }
  }

  func judgment(_ source: AccuracySource, _ settings: DoctorSettings) -> AccuracyJudgment {
    let factor = ratios.quantile(0.5)
    let verdict: AccuracyVerdict =
      if let factor, ratios.count >= settings.restsNeeded {
        factor >= settings.tooSmallFactor ? .tooSmall : .plausible
      } else if held >= settings.restsNeeded {
        .held
      } else {
        .tooFewRests
      }
    return AccuracyJudgment(
      source: source,
      rests: rests,
      scatterMeters: meters.quantile(0.5),
      scatterByClaim: factor,
      verdict: verdict
    )
  }
}
