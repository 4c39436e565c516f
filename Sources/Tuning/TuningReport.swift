import Geodesy
import Replay
import Scoring
import Traces

/// A search as data, with what it changes: plots, what each knob does, the ledger before and after,
/// and the worst days as maps.
package struct TuningReport: Hashable, Sendable, Codable {
  /// A score, and how its values are written.
  package struct Score: Hashable, Sendable, Codable {
    /// The name in JSON and in goals.
    package let name: String
    /// `share`, `percent`, `seconds`, `meters` or `number`.
    package let unit: String
  }

  /// A score with both policies, and on people that were left out.
  package struct Row: Hashable, Sendable, Codable {
    /// Which score.
    package let score: Score
    /// With the policy that one starts from.
    package let today: Estimate?
    /// With the chosen one.
    package let chosen: Estimate?
    /// On people that the choice was made without.
    package let leftOut: Estimate?
    /// From the first to the second.
    package let change: Estimate?
    /// Whether the change may be chance; of one day nothing is said of that.
    package let mayBeChance: Bool
  }

  /// A policy in the plots.
  package struct Point: Hashable, Sendable, Codable {
    /// What it sets; none for the policy that one starts from.
    package let settings: [Candidate.Setting]
    /// What is its own, in short.
    package let label: String
    /// One for each of ``TuningReport/scores``.
    package let values: [Double?]
  }

  /// A plot of policies by two scores.
  package struct Plot: Hashable, Sendable, Codable {
    /// The score to the right.
    package let x: String
    /// The score upward.
    package let y: String
  }

  /// The policies that cannot be told apart from the chosen one.
  package struct Alike: Hashable, Sendable, Codable {
    /// In which score.
    package let score: String
    /// How many were compared.
    package let compared: Int
    /// How many are as good as far as can be told.
    package let count: Int
    /// The nearest of them.
    package let nearest: [String]
  }

  /// What turning a knob does.
  package struct Effect: Hashable, Sendable, Codable {
    /// In a sentence.
    package let sentence: String
    /// The numbers.
    package let numbers: KnobEffect
  }

  /// How often a cause occurs.
  package struct CauseCount: Hashable, Sendable, Codable {
    /// The cause.
    package let cause: String
    /// How often.
    package let count: Int
  }

  /// How often a cause occurs before and after.
  package struct Causes: Hashable, Sendable, Codable {
    /// The cause.
    package let cause: String
    /// How often with the policy that one starts from.
    package let today: Int
    /// How often with the chosen one.
    package let chosen: Int
  }

  /// A day on which much is wrong with the chosen policy.
  package struct Day: Hashable, Sendable, Codable {
    /// Name of the person-day.
    package let id: String
    /// How bad positions were.
    package let noise: String
    /// How often the phone measured.
    package let sampling: String
    /// Visits that were missed, by why.
    package let missed: [CauseCount]
    /// What was told and is not true, or not the first word, by why.
    package let untrue: [CauseCount]
    /// The way, the visits, and where it went wrong.
    package let map: DriveMap
    /// A link to the day's own page; nil where there is none.
    package var page: String?
  }

  /// On what the search was made.
  package let title: String
  /// What was looked for.
  package let goal: String
  /// How policies were tried.
  package let method: String
  /// The seed, as text: a page's numbers do not hold all of them.
  package let seed: String
  /// How many policies were tried.
  package let tried: Int
  /// How many policies the space has; nil if they cannot be counted.
  package let spaceCount: Int?
  /// How many person-days.
  package let dayCount: Int
  /// How many days were lived: fewer, where several phones recorded one.
  package let livedCount: Int
  /// Whether these are enough for intervals.
  package let hasIntervals: Bool
  /// Of how many people.
  package let personCount: Int
  /// What was found beside today's policy: ``TuningResult/Verdict``.
  package let verdict: String
  /// Why today's policy stays; nil where it does not.
  package let doubt: String?
  /// What the chosen policy makes worse, a sentence each.
  package let costs: [String]
  /// The chosen policy; where the one of today stays, the best that was tried.
  package let chosenSettings: [Candidate.Setting]
  /// By how much it misses the limits that it does not keep, a sentence each.
  package let shortfalls: [String]
  /// Whether the choice was tested on people that it was made without.
  package let hasLeftOut: Bool
  /// What people notice.
  package let noticed: [Row]
  /// The load on the person and on the battery.
  package let load: [Row]
  /// Nil where nothing was compared with the chosen policy.
  package let alike: Alike?
  /// What the points have values of.
  package let scores: [Score]
  /// Those of them that the front looks at.
  package let axes: [String]
  /// The plots.
  package let plots: [Plot]
  /// The policy that one starts from.
  package let today: Point
  /// The chosen one, or the best that was tried.
  package let chosen: Point
  /// Policies that no other one beats in everything.
  package let front: [Point]
  /// Places in the front that are enough for a table.
  package let frontRows: [Int]
  /// Others that were tried on every day, the best first.
  package let others: [Point]
  /// What each knob does.
  package let effects: [Effect]
  /// Visits, by why they were announced or not.
  package let visitCauses: [Causes]
  /// Arrivals that were told, by why.
  package let arrivalCauses: [Causes]
  /// The worst days, the worst first.
  package var worstDays: [Day]
}

extension TuningReport {
  /// So many of the worst days are shown.
  private static let worstCount = 6
  /// So many policies are shown beside the front.
  private static let mostPoints = 3_000
  /// So many rows of the front are enough, and one for its end.
  private static let frontRowCount = 24

  private static let noticedMetrics: [Metric] = [
    .recall5min, .recall, .falsePositiveRate, .falsePositiveRateCategory, .fprDriveBys,
    .fprNearStays, .fprDecoys, .falsePerDay, .delayMedian, .delayP95, .namedRight, .precision,
  ]
  private static let loadMetrics: [Metric] = [
    .notificationsPerDay, .mostInAnyHour, .repeatsPerDay, .ownRecall, .ownFalsePerDay,
    .ownRepeatsPerDay, .wrongPerDay, .quietHourLeaks, .wakesPerHour,
    .registrationsPerHour, .batteryPercentPerDay,
  ]
  private static let plotMetrics: [(x: Metric, y: Metric)] = [
    (.falsePositiveRate, .recall5min), (.delayMedian, .recall5min), (.wakesPerHour, .recall5min),
  ]

  /// Makes a report.
  ///
  /// - Parameter title: on what the search was made.
  /// - Parameter before: the ledger with the policy that one starts from.
  /// - Parameter after: the ledger with the chosen one.
  package init(
    _ result: TuningResult,
    _ search: Search,
    title: String,
    days: [PersonDay],
    before: [LedgerEntry],
    after: [LedgerEntry]
  ) {
    self.title = title
    goal = result.goal.text
    method = result.method.rawValue
    seed = String(result.seed)
    tried = result.tried
    spaceCount = result.spaceCount
    dayCount = result.folds.ofDay.count
    livedCount = result.draws.livedCount
    hasIntervals = result.hasIntervals
    personCount = result.folds.personCount
    verdict = result.verdict.rawValue
    let text = TuningText(hasIntervals: result.hasIntervals)
    doubt = result.verdict == .todayStays ? text.doubt(result) : nil
    costs = result.costs.map(text.sentence)
    chosenSettings = result.best.candidate.values
    shortfalls = result.unkept.map {
      $0.shortfall(
        result.draws.estimate($0.metric, result.best.days),
        hasInterval: result.hasIntervals
      )
    }
    hasLeftOut = result.leftOut != nil
    noticed = Self.noticedMetrics.map { Row($0, result) }
    load = Self.loadMetrics.map { Row($0, result) }
    alike =
      result.unkept.isEmpty && result.compared > 0
      ? Alike(
        score: result.goal.metric.rawValue,
        compared: result.compared,
        count: result.alike.count,
        nearest: result.alike.prefix(5).map { result.label($0.candidate) }
      ) : nil

    let axes = result.axes.map(\.metric)
    let plots = Self.plotMetrics.filter { result.best.value($0.x) != nil }
    var metrics = axes
    for metric in plots.flatMap({ [$0.x, $0.y] }) where !metrics.contains(metric) {
      metrics.append(metric)
    }
    func point(_ entry: TuningResult.Entry) -> Point {
      Point(
        settings: entry.candidate.values,
        label: result.label(entry.candidate),
        values: metrics.map(entry.value)
      )
    }
    scores = metrics.map(Score.init)
    self.axes = axes.map(\.rawValue)
    self.plots = plots.map { Plot(x: $0.x.rawValue, y: $0.y.rawValue) }
    today = point(result.base)
    chosen = point(result.best)
    front = result.front.map(point)
    let step = max(1, (result.front.count + Self.frontRowCount - 1) / Self.frontRowCount)
    frontRows = result.front.indices.filter { $0 % step == 0 || $0 == result.front.count - 1 }
    let shown = Set((result.front + [result.best]).map(\.candidate))
    others = search.ranked.prefix(Self.mostPoints)
      .filter { !shown.contains(search.candidates[$0]) }
      .compactMap { index in
        search.days(of: index)
          .map { point(TuningResult.Entry(candidate: search.candidates[index], days: $0)) }
      }
    effects = result.effects.map {
      Effect(sentence: $0.sentence(hasIntervals: result.hasIntervals), numbers: $0)
    }
    visitCauses = Self.causes(of: .visit, before, after)
    arrivalCauses = Self.causes(of: .arrival, before, after)
    worstDays = Self.worst(days, after)
  }

  private static func causes(
    of subject: LedgerEntry.Subject,
    _ before: [LedgerEntry],
    _ after: [LedgerEntry]
  ) -> [Causes] {
    Cause.allCases.compactMap { cause in
      func count(_ ledger: [LedgerEntry]) -> Int {
        ledger.count { $0.subject == subject && $0.cause == cause }
      }
      let (today, chosen) = (count(before), count(after))
      return today + chosen == 0
        ? nil : Causes(cause: cause.label, today: today, chosen: chosen)
    }
  }

  private static func worst(_ days: [PersonDay], _ ledger: [LedgerEntry]) -> [Day] {
    // Places of one's own are left out, as in the scores.
    let wrong = ledger.filter {
      $0.poi != nil && $0.delaySeconds == nil && ($0.subject == .visit || $0.subject == .arrival)
    }
    let entries = days.map { day in wrong.filter { $0.day == day.truth.id } }
    return days.indices.filter { !entries[$0].isEmpty }
      .sorted { (-entries[$0].count, $0) < (-entries[$1].count, $1) }
      .prefix(worstCount)
      .map { number in
        Day(
          days[number],
          missed: entries[number].filter { $0.subject == .visit },
          untrue: entries[number].filter { $0.subject == .arrival }
        )
      }
  }
}

extension TuningReport.Score {
  fileprivate init(_ metric: Metric) {
    name = metric.rawValue
    unit =
      switch metric.unit {
      case .share: "share"
      case .seconds: "seconds"
      case .meters: "meters"
      case .number: metric == .batteryPercentPerDay ? "percent" : "number"
      }
  }
}

extension TuningReport.Row {
  fileprivate init(_ metric: Metric, _ result: TuningResult) {
    let draws = result.draws
    score = TuningReport.Score(metric)
    today = draws.estimate(metric, result.base.days)
    chosen = draws.estimate(metric, result.best.days)
    leftOut = result.leftOut.flatMap { draws.estimate(metric, $0.days) }
    change = draws.difference(metric, from: result.base.days, to: result.best.days)
    mayBeChance = result.hasIntervals && change?.mayBeNone ?? false
  }
}

extension TuningReport.Day {
  fileprivate init(_ day: PersonDay, missed: [LedgerEntry], untrue: [LedgerEntry]) {
    func counts(_ entries: [LedgerEntry]) -> [TuningReport.CauseCount] {
      Cause.allCases.compactMap { cause in
        let count = entries.count { $0.cause == cause }
        return count == 0 ? nil : TuningReport.CauseCount(cause: cause.label, count: count)
      }
    }
    id = day.truth.id
    noise = day.truth.noise
    sampling = day.truth.sampling
    self.missed = counts(missed)
    self.untrue = counts(untrue)
    let way = day.path.rows.map(\.coordinate)
    let latitudes = way.map(\.latitude)
    let longitudes = way.map(\.longitude)
    let middle = Coordinate(
      uncheckedLatitude: ((latitudes.min() ?? 0) + (latitudes.max() ?? 0)) / 2,
      longitude: ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
    )
    let plane = LocalPlane(origin: middle)
    let reach =
      1.06
      * way.map(plane.project).reduce(500) { max($0, abs($1.eastMeters), abs($1.northMeters)) }
    map = DriveMap(middle: middle, reachMeters: reach) { pen in
      pen.addWay(Self.thinned(way, apartMeters: reach / 250), "way")
      for visit in day.truth.visits { pen.addSpot(visit.coordinate, "found") }
      for entry in missed { pen.addSpot(day.path.fix(at: entry.at).coordinate, "missed") }
      for entry in untrue { pen.addSpot(day.path.fix(at: entry.at).coordinate, "untrue") }
    }
  }

  /// A way without points that a small map cannot show apart.
  private static func thinned(_ way: [Coordinate], apartMeters: Double) -> [Coordinate] {
    var kept: [Coordinate] = []
    for point in way {
      if let last = kept.last, last.distanceMeters(to: point) < apartMeters { continue }
      kept.append(point)
    }
    return kept
  }
}
