import Geodesy
import Timeline
import Traces

/// Finds what is wrong with a trace, and where, point by point.
///
/// What counts is what a replay would make of it: the doctor follows the trace as a ``FixGate``
/// does, with the difference that it believes an accuracy that admits an error.
///
/// - Complexity: O(1) a point, except O(n log n) in the fixes of a rest at its end. Memory does not
///   grow with the trace: at most one rest of 10 minutes and the first places of each finding.
package struct TraceDoctor: Sendable {
  private struct Sample {
    var fix: Fix
    var spot: Spot
  }

  /// Fixes older than the newest one, one after the other.
  private struct LateRun {
    var first: Sample
    var last: Sample
    var count: Int
    var oldest: Timestamp
    /// The first of them belongs between the newest fix and the one before that.
    var fitsBefore: Bool
  }

  /// Fixes at places that could not be reached.
  private struct Detour {
    var first: Sample
    var last: Sample
    var count = 1
    /// Two of them agree with each other, so that a gate would follow.
    var isConfirmed = false
    /// Since when all agree with the one before.
    var settledSince: Sample
    var settledCount = 1
    var farthestMeters: Double
  }

  private let settings: DoctorSettings
  private let placesKept: Int
  private var diagnosis = Diagnosis()

  private var newest: Sample?
  private var beforeNewest: Timestamp?
  private var lateRun: LateRun?
  private var implausibleDates: (first: Spot, last: Spot, count: Int)?
  private var isSegmentPending = false

  private var anchor: Sample?
  private var still: StillRun?
  private var stillFrom: Spot?
  private var detour: Detour?

  private var cadence = CadenceWatch()
  private var rest = RestWatch()
  private var speed = SpeedWatch()

  /// Begins with a trace.
  ///
  /// - Parameter placesKept: how many places of each kind are kept; all are counted.
  package init(settings: DoctorSettings = DoctorSettings(), placesKept: Int = 3) {
    precondition(placesKept >= 0, "a number of places cannot be negative")
    self.settings = settings
    self.placesKept = placesKept
  }

  /// Takes the next point in the order of the file.
  package mutating func examine(_ record: TraceRecord) {
    diagnosis.points += 1
    let fix: Fix
    switch record.outcome {
    case .refused(let refusal):
      note(refusal, Spot(number: diagnosis.points, line: record.line, at: nil))
      return
    case .fix(let value): fix = value
    }
    let spot = Spot(number: diagnosis.points, line: record.line, at: fix.at)
    guard fix.horizontalAccuracyMeters >= 0, fix.horizontalAccuracyMeters.isFinite else {
      note(Finding(.invalidAccuracy, from: spot))
      return
    }
    diagnosis.note(fix, record.accuracySource)
    if record.startsSegment {
      diagnosis.segments += 1
      isSegmentPending = true
      if diagnosis.segments > 1 { note(Finding(.segment, from: spot)) }
    }
    noteDate(fix.at, spot)
    if fix.coordinate.latitude == 0, fix.coordinate.longitude == 0 {
      note(Finding(.nullIsland, from: spot))
      return
    }
    order(Sample(fix: fix, spot: spot), record.accuracySource)
  }

  /// Ends the trace and says what was found.
  package mutating func finish() -> Diagnosis {
    endDates()
    endLateRun()
    if let detour {
      if isFollowed(detour) { noteRelocation(detour) } else { noteReturn(detour) }
      self.detour = nil
    } else {
      endStill(before: nil)
    }
    still = nil
    rest.close(settings)
    diagnosis.accuracy = rest.judgments(settings)
    diagnosis.speed = speed.judgment
    diagnosis.usualIntervalSeconds = cadence.intervals.quantile(0.5, within: 0)
    for judgment in diagnosis.accuracy where judgment.verdict == .tooSmall {
      noteWhole(.optimisticAccuracy)
    }
    if diagnosis.speed.verdict.isWrong { noteWhole(.wrongSpeed) }
    return diagnosis
  }

  // MARK: - Points

  private mutating func note(_ finding: Finding) { diagnosis.add(finding, keeping: placesKept) }

  /// Notes what concerns the trace as a whole, without a place.
  private mutating func noteWhole(_ kind: FindingKind) {
    let start = Spot(number: 1, line: 1, at: diagnosis.start)
    diagnosis.add(Finding(kind, from: start, fixes: diagnosis.fixes), keeping: 0)
  }

  private mutating func note(_ refusal: FixRefusal, _ spot: Spot) {
    let kind: FindingKind =
      switch refusal {
      case .noTime: .missingTime
      case .badTime: .unreadableTime
      case .badCoordinate: .badCoordinate
      case .invalidAccuracy: .invalidAccuracy
      // The last four are not a reader's to give.
      case .badNumber, .future, .late, .duplicateTime, .unconfirmedJump: .unreadableNumber
      }
    note(Finding(kind, from: spot))
  }

  private mutating func noteDate(_ at: Timestamp, _ spot: Spot) {
    if at >= settings.earliest, at < settings.latest {
      endDates()
    } else {
      let run = implausibleDates ?? (first: spot, last: spot, count: 0)
      implausibleDates = (first: run.first, last: spot, count: run.count + 1)
    }
  }

  private mutating func endDates() {
    guard let run = implausibleDates else { return }
    note(Finding(.implausibleDate, from: run.first, to: run.last, fixes: run.count))
    implausibleDates = nil
  }

  // MARK: - Time

  private mutating func order(_ sample: Sample, _ source: AccuracySource) {
    guard let newest else {
      accept(sample, source)
      return
    }
    if sample.fix.at > newest.fix.at {
      endLateRun()
      accept(sample, source)
    } else if sample.fix.at == newest.fix.at {
      noteSameStamp(sample, newest)
    } else if var run = lateRun {
      run.last = sample
      run.count += 1
      run.oldest = min(run.oldest, sample.fix.at)
      lateRun = run
    } else {
      lateRun = LateRun(
        first: sample,
        last: sample,
        count: 1,
        oldest: sample.fix.at,
        fitsBefore: beforeNewest.map { sample.fix.at > $0 } ?? true
      )
    }
  }

  private mutating func noteSameStamp(_ sample: Sample, _ newest: Sample) {
    let kind: FindingKind
    var meters: Double?
    if sample.fix.coordinate == newest.fix.coordinate {
      kind = .duplicateFix
    } else {
      kind = settings.isReachable(newest.fix, sample.fix) ? .duplicateStamp : .twoPlacesAtOnce
      meters = newest.fix.coordinate.distanceMeters(to: sample.fix.coordinate)
    }
    note(Finding(kind, from: sample.spot, meters: meters))
  }

  private mutating func endLateRun() {
    guard let run = lateRun, let newest else { return }
    lateRun = nil
    note(
      Finding(
        run.count == 1 && run.fitsBefore ? .swappedPoints : .timeReversal,
        from: run.first.spot,
        to: run.last.spot,
        fixes: run.count,
        seconds: (newest.fix.at - run.oldest).seconds
      )
    )
  }

  private mutating func accept(_ sample: Sample, _ source: AccuracySource) {
    if let newest {
      let interval = sample.fix.at - newest.fix.at
      if interval > settings.silence {
        noteSilence(newest, sample, interval)
      } else if let change = cadence.note(interval, from: newest.spot, settings) {
        note(Finding(.cadenceChange, from: change.from, seconds: change.seconds))
      }
      diagnosis.longestSilenceSeconds = max(diagnosis.longestSilenceSeconds, interval.seconds)
    }
    isSegmentPending = false
    beforeNewest = newest?.fix.at
    newest = sample
    rest.note(sample.fix, source, settings)
    speed.note(sample.fix)
    follow(sample)
  }

  private mutating func noteSilence(_ before: Sample, _ after: Sample, _ interval: Milliseconds) {
    let kind: FindingKind =
      !settings.hasMoved(before.fix, after.fix)
      ? .silence : isSegmentPending ? .interruption : .gap
    note(
      Finding(
        kind,
        from: before.spot,
        to: after.spot,
        fixes: 0,
        seconds: interval.seconds,
        meters: before.fix.coordinate.distanceMeters(to: after.fix.coordinate)
      )
    )
  }

  // MARK: - Movement

  private mutating func follow(_ sample: Sample) {
    if detour != nil {
      followDetour(sample)
      return
    }
    guard let anchor else {
      settle(at: sample)
      return
    }
    if still?.extend(sample.fix, settings) ?? false {
      self.anchor = sample
      return
    }
    let isStuck = endStill(before: sample)
    if isStuck || settings.isReachable(anchor.fix, sample.fix) {
      settle(at: sample)
      return
    }
    detour = Detour(
      first: sample,
      last: sample,
      settledSince: sample,
      farthestMeters: anchor.fix.coordinate.distanceMeters(to: sample.fix.coordinate)
    )
  }

  private mutating func settle(at sample: Sample) {
    anchor = sample
    still = StillRun(sample.fix, settings)
    stillFrom = sample.spot
  }

  @discardableResult
  private mutating func endStill(before next: Sample?) -> Bool {
    guard let still, let stillFrom, let anchor else { return false }
    let nature = still.nature(before: next?.fix, settings)
    guard nature != .ordinary else { return false }
    note(
      Finding(
        nature == .stuck ? .stuck : .heldPosition,
        from: stillFrom,
        to: anchor.spot,
        fixes: still.count,
        seconds: (still.last.at - still.first.at).seconds,
        meters: next.map { still.last.coordinate.distanceMeters(to: $0.fix.coordinate) }
      )
    )
    return nature == .stuck
  }

  private mutating func followDetour(_ sample: Sample) {
    guard let anchor, var detour else { return }
    let agrees = settings.isReachable(detour.last.fix, sample.fix)
    let metersBack = anchor.fix.coordinate.distanceMeters(to: sample.fix.coordinate)
    let isBack =
      settings.isReachable(anchor.fix, sample.fix)
      && (!agrees
        || metersBack <= detour.last.fix.coordinate.distanceMeters(to: sample.fix.coordinate))
    if isBack {
      noteReturn(detour)
      self.detour = nil
      settle(at: sample)
      return
    }
    detour.last = sample
    detour.count += 1
    detour.farthestMeters = max(detour.farthestMeters, metersBack)
    if agrees {
      detour.isConfirmed = true
      detour.settledCount += 1
    } else {
      detour.settledSince = sample
      detour.settledCount = 1
    }
    self.detour = detour
    if detour.settledCount >= settings.settlingFixes,
      sample.fix.at - detour.settledSince.fix.at >= settings.settlingTime
    {
      noteRelocation(detour)
      self.detour = nil
      settle(at: sample)
    }
  }

  /// Whether a replay would be led astray: it would follow, or refuse many fixes in a row.
  private func isFollowed(_ detour: Detour) -> Bool {
    detour.isConfirmed || detour.count > settings.loneFixes
  }

  private mutating func noteReturn(_ detour: Detour) {
    note(
      Finding(
        isFollowed(detour) ? .teleport : .loneJump,
        from: detour.first.spot,
        to: detour.last.spot,
        fixes: detour.count,
        seconds: (detour.last.fix.at - detour.first.fix.at).seconds,
        meters: detour.farthestMeters
      )
    )
  }

  private mutating func noteRelocation(_ detour: Detour) {
    guard let anchor else { return }
    note(
      Finding(
        .impossibleSpeed,
        from: detour.first.spot,
        to: detour.settledSince.spot,
        fixes: detour.count - detour.settledCount + 1,
        seconds: (detour.settledSince.fix.at - anchor.fix.at).seconds,
        meters: anchor.fix.coordinate.distanceMeters(to: detour.settledSince.fix.coordinate)
      )
    )
  }
}
