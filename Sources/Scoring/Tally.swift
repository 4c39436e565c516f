import Basics

/// What can be added up over days, and what scores are made of.
///
/// A value of sums and samples, so that a resampled corpus is a sum of tallies.
public struct Tally: Hashable, Sendable {
  /// What is counted.
  public enum Count: Int, Hashable, Sendable, CaseIterable {
    case days, hours
    case visits, visitsFound, longVisits, longVisitsFound
    case arrivals, arrivalsTrue, arrivalsRepeated, arrivalsFalse
    case arrivalsWithPOI, arrivalsNamedRight
    /// At places of one's own; the ones above are of categories, but in the parts of these places.
    case ownVisits, ownVisitsFound, ownArrivals, ownArrivalsRepeated, ownArrivalsFalse
    case driveBys, driveBysByPOI, driveBysByCategory
    case nearStays, nearStaysByPOI, nearStaysByCategory
    case decoys, decoysByPOI, decoysByCategory
    case postVisits, postVisitsFound, posts, postsTrue, postsRepeated
    case approachesDue, approachesFound, approaches, approachesSpurious
    case approachesUsed
    case notifications, quietHourLeaks, wakes, registrations, joules
    /// Days whose truth says nothing of stays, and so nothing of places of one's own.
    case daysWithoutStays
  }

  /// What is collected.
  public enum Sample: Int, Hashable, Sendable, CaseIterable {
    /// Seconds from arriving to being told.
    case arrivalDelay
    /// The same for what comes after an arrival.
    case postDelay
    /// Seconds behind what a perfect monitor tells; negative if early.
    case approachLateSeconds
    /// Meters traveled meanwhile; negative if early.
    case approachLateMeters
    /// The most notifications within any hour of a day.
    case busiestHour
  }

  fileprivate private(set) var counts = [Double](repeating: 0, count: Count.allCases.count)
  private var samples = [[Double]](repeating: [], count: Sample.allCases.count)

  /// Nothing.
  public init() {}

  /// One sum.
  public subscript(count: Count) -> Double {
    get { counts[count.rawValue] }
    set { counts[count.rawValue] = newValue }
  }

  /// One collection.
  public subscript(sample: Sample) -> [Double] {
    get { samples[sample.rawValue] }
    set { samples[sample.rawValue] = newValue }
  }

  /// Arrivals of categories and at places of one's own.
  package var arrivalsHeard: Double { self[.arrivals] + self[.ownArrivals] }

  /// Those of them that were untrue or repeated.
  package var arrivalsInVain: Double {
    self[.arrivalsFalse] + self[.arrivalsRepeated] + ownArrivalsInVain
  }

  private var ownArrivalsInVain: Double { self[.ownArrivalsFalse] + self[.ownArrivalsRepeated] }

  /// As many as there would be if all days were as those of which it is known: days without stays say nothing of places of
  /// one's own.
  fileprivate var arrivalsInVainOnAllDays: Double {
    let judged = self[.days] - self[.daysWithoutStays]
    guard judged > 0 else { return arrivalsInVain }
    return self[.arrivalsFalse] + self[.arrivalsRepeated] + ownArrivalsInVain * self[.days] / judged
  }

  mutating func count(_ count: Count, isSo: Bool = true) {
    if isSo { counts[count.rawValue] += 1 }
  }

  mutating func collect(_ value: Double, _ sample: Sample) {
    samples[sample.rawValue].append(value)
  }

  /// Its sums, without what is collected.
  fileprivate init(counts: [Double]) { self.counts = counts }

  /// Adds another tally.
  public static func += (a: inout Tally, b: Tally) {
    for i in a.counts.indices { a.counts[i] += b.counts[i] }
    for i in a.samples.indices where !b.samples[i].isEmpty { a.samples[i] += b.samples[i] }
  }
}

/// A score: what a person would notice.
///
/// The raw values are the names in JSON and in `--require`.
public enum Metric: String, Hashable, Sendable, CaseIterable {
  /// Share of visits that were announced.
  case recall
  /// The same for visits of five minutes or more.
  case recall5min = "recall_5min"
  /// Share of arrivals, repeats included, that were the first word of a visit.
  case precision
  /// Harmonic mean of precision and recall.
  case f1
  /// Seconds from arriving to being told, half of all.
  case delayMedian = "delay_median"
  /// The same, 95 % of all.
  case delayP95 = "delay_p95"
  /// Share of true arrivals at a category's point that named the point that was visited.
  case namedRight = "named_right"
  /// Share of drive-bys, near stays and decoys that got an arrival that names their point.
  case falsePositiveRate = "fpr"
  /// The same for an untrue arrival of their category, whatever point it names.
  case falsePositiveRateCategory = "fpr_category"
  /// `fpr` of drive-bys alone.
  case fprDriveBys = "fpr_drive_bys"
  /// `fpr` of near stays alone.
  case fprNearStays = "fpr_near_stays"
  /// `fpr` of decoys alone.
  case fprDecoys = "fpr_decoys"
  /// `fpr_category` of drive-bys alone.
  case fprCategoryDriveBys = "fpr_category_drive_bys"
  /// `fpr_category` of near stays alone.
  case fprCategoryNearStays = "fpr_category_near_stays"
  /// `fpr_category` of decoys alone.
  case fprCategoryDecoys = "fpr_category_decoys"
  /// Untrue arrivals a person-day.
  case falsePerDay = "false_per_day"
  /// Repeated arrivals a person-day.
  case repeatsPerDay = "repeats_per_day"
  /// Share of visits to places of one's own that were announced.
  case ownRecall = "own_recall"
  /// Untrue arrivals at places of one's own, a person-day.
  case ownFalsePerDay = "own_false_per_day"
  /// Repeated arrivals at places of one's own, a person-day.
  case ownRepeatsPerDay = "own_repeats_per_day"
  /// Untrue and repeated arrivals a person-day, of categories and at places of one's own: all that is heard in vain.
  case wrongPerDay = "wrong_per_day"
  /// Share of all arrivals that are heard, places of one's own included, that were the first word of a visit.
  case precisionHeard = "precision_heard"
  /// Share of visits of five minutes or more that got their post-arrival.
  case postRecall = "post_recall"
  /// Share of post-arrivals that were the first of such a visit.
  case postPrecision = "post_precision"
  /// Harmonic mean of the two.
  case postF1 = "post_f1"
  /// Seconds from arriving to the post-arrival, half of all.
  case postDelayMedian = "post_delay_median"
  /// The same, 95 % of all.
  case postDelayP95 = "post_delay_p95"
  /// Share of the approaches of a perfect monitor that were not told.
  case approachMissed = "approach_missed"
  /// Share of approaches that a perfect monitor does not tell.
  case approachSpurious = "approach_spurious"
  /// Seconds behind a perfect monitor, half of all.
  case approachLateMedian = "approach_late_median"
  /// The same, 95 % of all.
  case approachLateP95 = "approach_late_p95"
  /// Meters traveled meanwhile, half of all.
  case approachLateMetersMedian = "approach_late_m_median"
  /// The same, 95 % of all.
  case approachLateMetersP95 = "approach_late_m_p95"
  /// Share of approaches that a visit to the target follows within an hour.
  case approachUsed = "approach_used"
  /// Notifications a person-day, updates not counted.
  case notificationsPerDay = "notifications_per_day"
  /// The most notifications within any hour of any day.
  case mostInAnyHour = "most_in_any_hour"
  /// Notifications and updates in quiet hours: must be 0.
  case quietHourLeaks = "quiet_hour_leaks"
  /// Wakes an hour, timers included.
  case wakesPerHour = "wakes_per_hour"
  /// Regions registered an hour.
  case registrationsPerHour = "registrations_per_hour"
  /// Share of a battery in 24 h, in percent, by ``BatteryModel``.
  case batteryPercentPerDay = "battery_percent_per_day"

  /// How a value is written.
  public enum Unit: Hashable, Sendable {
    /// A share, 0 … 1.
    case share
    /// Seconds.
    case seconds
    /// Meters.
    case meters
    /// A plain number.
    case number
  }

  /// How the value is written.
  public var unit: Unit {
    switch self {
    case .delayMedian, .delayP95, .postDelayMedian, .postDelayP95, .approachLateMedian,
      .approachLateP95:
      .seconds
    case .approachLateMetersMedian, .approachLateMetersP95: .meters
    case .falsePerDay, .repeatsPerDay, .ownFalsePerDay, .ownRepeatsPerDay, .wrongPerDay,
      .notificationsPerDay, .mostInAnyHour, .quietHourLeaks,
      .wakesPerHour, .registrationsPerHour, .batteryPercentPerDay:
      .number
    default: .share
    }
  }

  /// The sample of which the score is a quantile, and which; nil for scores that are none.
  package var quantile: (sample: Tally.Sample, share: Double)? {
    switch self {
    case .delayMedian: (.arrivalDelay, 0.5)
    case .delayP95: (.arrivalDelay, 0.95)
    case .postDelayMedian: (.postDelay, 0.5)
    case .postDelayP95: (.postDelay, 0.95)
    case .approachLateMedian: (.approachLateSeconds, 0.5)
    case .approachLateP95: (.approachLateSeconds, 0.95)
    case .approachLateMetersMedian: (.approachLateMeters, 0.5)
    case .approachLateMetersP95: (.approachLateMeters, 0.95)
    case .mostInAnyHour: (.busiestHour, 1)
    default: nil
    }
  }

  /// Whether it is told beside a perfect monitor, which takes a replay of the true path.
  package var needsTruePath: Bool {
    switch self {
    case .approachMissed, .approachSpurious, .approachLateMedian, .approachLateP95,
      .approachLateMetersMedian, .approachLateMetersP95:
      true
    default: false
    }
  }

  /// The score of a tally; nil where nothing was to be scored.
  public func value(of t: Tally) -> Double? {
    if let quantile { return percentile(t[quantile.sample], quantile.share) }
    if let ratio = ratio(of: t) { return ratio.count > 0 ? ratio.hits / ratio.count : nil }
    return switch self {
    case .f1: Self.harmonicMean(Self.precision.value(of: t), Self.recall.value(of: t))
    case .postF1: Self.harmonicMean(Self.postPrecision.value(of: t), Self.postRecall.value(of: t))
    case .quietHourLeaks: t[.days] > 0 ? t[.quietHourLeaks] : nil
    default: nil
    }
  }

  /// What the score is a share of, or a rate by: hits and what they are counted among; nil for scores that are neither.
  func ratio(of t: Tally) -> (hits: Double, count: Double)? {
    switch self {
    case .recall: (t[.visitsFound], t[.visits])
    case .recall5min: (t[.longVisitsFound], t[.longVisits])
    case .precision: (t[.arrivalsTrue], t[.arrivals])
    case .namedRight: (t[.arrivalsNamedRight], t[.arrivalsWithPOI])
    case .falsePositiveRate:
      (
        t[.driveBysByPOI] + t[.nearStaysByPOI] + t[.decoysByPOI],
        t[.driveBys] + t[.nearStays] + t[.decoys]
      )
    case .falsePositiveRateCategory:
      (
        t[.driveBysByCategory] + t[.nearStaysByCategory] + t[.decoysByCategory],
        t[.driveBys] + t[.nearStays] + t[.decoys]
      )
    case .fprDriveBys: (t[.driveBysByPOI], t[.driveBys])
    case .fprNearStays: (t[.nearStaysByPOI], t[.nearStays])
    case .fprDecoys: (t[.decoysByPOI], t[.decoys])
    case .fprCategoryDriveBys: (t[.driveBysByCategory], t[.driveBys])
    case .fprCategoryNearStays: (t[.nearStaysByCategory], t[.nearStays])
    case .fprCategoryDecoys: (t[.decoysByCategory], t[.decoys])
    case .falsePerDay: (t[.arrivalsFalse], t[.days])
    case .repeatsPerDay: (t[.arrivalsRepeated], t[.days])
    case .ownRecall: (t[.ownVisitsFound], t[.ownVisits])
    case .ownFalsePerDay: (t[.ownArrivalsFalse], t[.days] - t[.daysWithoutStays])
    case .ownRepeatsPerDay: (t[.ownArrivalsRepeated], t[.days] - t[.daysWithoutStays])
    case .wrongPerDay: (t.arrivalsInVainOnAllDays, t[.days])
    case .precisionHeard: (t.arrivalsHeard - t.arrivalsInVain, t.arrivalsHeard)
    case .postRecall: (t[.postVisitsFound], t[.postVisits])
    case .postPrecision: (t[.postsTrue], t[.posts])
    case .approachMissed: (t[.approachesDue] - t[.approachesFound], t[.approachesDue])
    case .approachSpurious: (t[.approachesSpurious], t[.approaches])
    case .approachUsed: (t[.approachesUsed], t[.approaches])
    case .notificationsPerDay: (t[.notifications], t[.days])
    case .wakesPerHour: (t[.wakes], t[.hours])
    case .registrationsPerHour: (t[.registrations], t[.hours])
    case .batteryPercentPerDay:
      (t[.joules] * 24 * 100, t[.hours] * BatteryModel().batteryJoules)
    case .f1, .postF1, .quietHourLeaks, .delayMedian, .delayP95, .postDelayMedian, .postDelayP95,
      .approachLateMedian, .approachLateP95, .approachLateMetersMedian, .approachLateMetersP95,
      .mostInAnyHour:
      nil
    }
  }

  private static func harmonicMean(_ a: Double?, _ b: Double?) -> Double? {
    // Without visits there is no recall, without announcements nothing was precise.
    guard let b else { return nil }
    let a = a ?? 0
    return a + b > 0 ? 2 * a * b / (a + b) : 0
  }
}

/// The value below or at which a share of all values lies (nearest rank); nil for none.
package func percentile(_ values: [Double], _ share: Double) -> Double? {
  guard !values.isEmpty else { return nil }
  let rank = Int((share * Double(values.count)).rounded(.up))
  var values = values
  return element(min(values.count, max(1, rank)) - 1, ofSorted: &values)
}

/// The counts of days side by side, so that draws of them are summed up fast.
struct WeightedSums {
  private let width = Tally.Count.allCases.count
  private let counts: [Double]

  init(_ days: [Tally]) { counts = days.flatMap(\.counts) }

  /// The sums of days that count several times each, without what they collected.
  func sum(_ weights: UnsafeBufferPointer<Double>) -> Tally {
    Tally(
      counts: [Double](unsafeUninitializedCapacity: width) { sums, count in
        sums.initialize(repeating: 0)
        counts.withUnsafeBufferPointer { counts in
          for day in weights.indices where weights[day] > 0 {
            for i in 0..<width { sums[i] += weights[day] * counts[day * width + i] }
          }
        }
        count = width
      }
    )
  }
}
