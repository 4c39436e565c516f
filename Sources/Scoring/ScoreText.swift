import Basics
import NearMeEngine

/// Scores for people: what would have been noticed, in one screen and a half.
public struct ScoreText: Sendable {
  /// Makes the format.
  public init() {}

  /// The whole report.
  ///
  /// - Parameter draws: the scores of each draw, where there are several.
  public func text(_ score: CorpusScore, draws: ScoreDraws? = nil) -> String {
    var blocks = [
      head(score), heard(score.whole), arrivals(score.whole), falsePositives(score.whole),
    ]
    if let draws { blocks.insert(spread(draws), at: 1) }
    if let own = score.own {
      blocks.append(rows("arrivals at places of one's own", own, Self.ownPlaces))
    }
    blocks.append(rows("after arriving", score.whole, Self.afterArrival))
    blocks.append(rows("on the way, beside a perfect monitor", score.whole, Self.onTheWay))
    blocks.append(rows("load", score.whole, Self.load))
    blocks.append(parts(score))
    if !score.ledger.isEmpty { blocks.append(ledger(score)) }
    if let absent = absent(score) { blocks.append(absent) }
    if let unasked = unasked(score) { blocks.append(unasked) }
    if let outside = outside(score) { blocks.append(outside) }
    blocks += Self.unjudged(score)
    return blocks.joined(separator: "\n\n")
  }

  private func head(_ score: CorpusScore) -> String {
    let days = score.livedCount
    return (score.days.count == days ? "" : "\(score.days.count) recordings of ")
      + "\(days) person-day\(days == 1 ? "" : "s") of \(score.personCount) "
      + "\(score.personCount == 1 ? "person" : "people"), "
      + "\(fixed(score.whole.total[.hours] / Double(score.draws), 1)) h; "
      + intervalsTold(days: days)
      + (score.draws > 1
        ? "; all of \(score.draws) draws is counted, and the causes are the first draw's" : "")
  }

  /// From which to which value the draws are.
  private func spread(_ draws: ScoreDraws) -> String {
    let rows: [(String, Metric)] = [
      ("recall, visits of 5 min or more", .recall5min),
      ("told of the place itself (fpr)", .falsePositiveRate),
      ("false arrivals a day", .falsePerDay), ("delay after arriving, half", .delayMedian),
      ("one's own places found", .ownRecall), ("battery a day (model)", .batteryPercentPerDay),
    ]
    let last = draws.seeds[draws.seeds.count - 1]
    let title = "from draw to draw, seeds \(draws.seeds[0]) to \(last)"
    let head = padded(title, 34) + leading("mean", 10) + leading("least", 10) + leading("most", 10)
    let lines = rows.compactMap { label, metric -> String? in
      let values = draws.values(metric)
      guard let least = values.min(), let most = values.max() else { return nil }
      let mean = values.reduce(0, +) / Double(values.count)
      return "  " + padded(label, 32)
        + [mean, least, most].map { leading(precise($0, metric), 10) }.joined()
    }
    return ([head] + lines).joined(separator: "\n")
  }

  // MARK: Figures

  private typealias Row = (label: String, metric: Metric, counts: [Tally.Count])

  private static let ownPlaces: [Row] = [
    ("found", .recall, [.visitsFound, .visits]),
    ("repeated a day", .repeatsPerDay, [.arrivalsRepeated]),
    ("false a day", .falsePerDay, [.arrivalsFalse]),
    ("delay after arriving, half", .delayMedian, []),
  ]

  private static let afterArrival: [Row] = [
    ("recall, visits of 5 min or more", .postRecall, [.postVisitsFound, .postVisits]),
    ("precision", .postPrecision, [.postsTrue, .posts]),
    ("F1", .postF1, []),
    ("delay after arriving, half", .postDelayMedian, []),
    ("delay after arriving, 95 %", .postDelayP95, []),
  ]

  private static let onTheWay: [Row] = [
    ("missed", .approachMissed, []),
    ("spurious", .approachSpurious, [.approachesSpurious, .approaches]),
    ("late, half", .approachLateMedian, []),
    ("late, 95 %", .approachLateP95, []),
    ("traveled meanwhile, half", .approachLateMetersMedian, []),
    ("traveled meanwhile, 95 %", .approachLateMetersP95, []),
    ("a visit within 60 min", .approachUsed, [.approachesUsed, .approaches]),
  ]

  private static let load: [Row] = [
    ("notifications a day", .notificationsPerDay, [.notifications]),
    ("most in any hour", .mostInAnyHour, []),
    ("repeated arrivals a day", .repeatsPerDay, [.arrivalsRepeated]),
    ("in quiet hours (must be 0)", .quietHourLeaks, []),
    ("wakes an hour", .wakesPerHour, [.wakes]),
    ("registrations an hour", .registrationsPerHour, [.registrations]),
    ("battery a day (model)", .batteryPercentPerDay, []),
  ]

  /// Everything a person hears of arriving, whatever kind of place it is.
  private func heard(_ part: CorpusScore.Part) -> String {
    let t = part.total
    let right = t.arrivalsHeard - t.arrivalsInVain
    return [
      "arrivals that a person hears, of all kinds",
      row("precision", .precisionHeard, of: part, counts: [right, t.arrivalsHeard]),
      row("false or repeated a day", .wrongPerDay, of: part, counts: [t.arrivalsInVain]),
    ]
    .joined(separator: "\n")
  }

  private func arrivals(_ part: CorpusScore.Part) -> String {
    rows(
      "arrivals at places of a category",
      part,
      [
        ("recall", .recall, [.visitsFound, .visits]),
        ("recall, visits of 5 min or more", .recall5min, [.longVisitsFound, .longVisits]),
        ("precision", .precision, [.arrivalsTrue, .arrivals]),
        ("F1", .f1, []),
        ("right place named", .namedRight, [.arrivalsNamedRight, .arrivalsWithPOI]),
        ("delay after arriving, half", .delayMedian, []),
        ("delay after arriving, 95 %", .delayP95, []),
        ("false arrivals a day", .falsePerDay, [.arrivalsFalse]),
      ]
    )
  }

  private func falsePositives(_ part: CorpusScore.Part) -> String {
    let t = part.total
    let all = t[.driveBys] + t[.nearStays] + t[.decoys]
    let byPOI = t[.driveBysByPOI] + t[.nearStaysByPOI] + t[.decoysByPOI]
    let byCategory = t[.driveBysByCategory] + t[.nearStaysByCategory] + t[.decoysByCategory]
    var lines = ["notified at places that were not visited"]
    lines.append(
      row("told of the place itself (fpr)", .falsePositiveRate, of: part, counts: [byPOI, all])
    )
    lines += kinds(part, [.fprDriveBys, .fprNearStays, .fprDecoys], byCategory: false)
    lines.append(
      row("told of its category", .falsePositiveRateCategory, of: part, counts: [byCategory, all])
    )
    lines += kinds(
      part,
      [.fprCategoryDriveBys, .fprCategoryNearStays, .fprCategoryDecoys],
      byCategory: true
    )
    return lines.joined(separator: "\n")
  }

  private func kinds(
    _ part: CorpusScore.Part,
    _ metrics: [Metric],
    byCategory: Bool
  ) -> [String] {
    let names = ["  drive-bys", "  near stays", "  decoys"]
    let found: [Tally.Count] =
      byCategory
      ? [.driveBysByCategory, .nearStaysByCategory, .decoysByCategory]
      : [.driveBysByPOI, .nearStaysByPOI, .decoysByPOI]
    let all: [Tally.Count] = [.driveBys, .nearStays, .decoys]
    return (0..<3)
      .map {
        row(names[$0], metrics[$0], of: part, counts: [part.total[found[$0]], part.total[all[$0]]])
      }
  }

  private func rows(_ title: String, _ part: CorpusScore.Part, _ rows: [Row]) -> String {
    ([title]
      + rows.map { row($0.label, $0.metric, of: part, counts: $0.counts.map { part.total[$0] }) })
      .joined(separator: "\n")
  }

  private func row(
    _ label: String,
    _ metric: Metric,
    of part: CorpusScore.Part,
    counts: [Double]
  ) -> String {
    let head = "  " + padded(label, 32)
    guard let estimate = part[metric] else { return head + leading("–", 10) }
    let low = metric.number(estimate.low)
    let interval =
      part.hasIntervals ? padded("[\(low) … \(metric.number(estimate.high))]", 18) : ""
    let counted = counts.map { fixed($0, 0) }.joined(separator: " of ")
    let line = head + leading(metric.text(estimate.value), 10) + "  " + interval
    return (line + counted).trimmed
  }

  /// A small share with one more digit: what tells draws apart is less than a tenth of a percent of encounters.
  private func precise(_ value: Double, _ metric: Metric) -> String {
    metric.unit == .share && value < 0.1
      ? fixed(value * 100, 2) + " %" : metric.text(value)
  }

  // MARK: Parts

  private func parts(_ score: CorpusScore) -> String {
    let head =
      padded("by part", 26) + leading("days", 6) + leading("visits", 8) + leading("recall", 9)
      + leading("5 min", 9) + leading("passed", 8) + leading("fpr", 8) + leading("category", 10)
      + leading("false/day", 11) + leading("half in", 9)
    let lines = score.parts.map { part in
      let t = part.total
      let label =
        "  \(part.slice.dimension.name) "
        + (part.slice.dimension.name == part.slice.name ? "" : part.slice.name)
      return padded(label, 26) + leading(fixed(t[.days], 0), 6)
        + leading(fixed(t[.visits], 0), 8) + cell(.recall, part, 9) + cell(.recall5min, part, 9)
        + leading(fixed(t[.driveBys] + t[.nearStays] + t[.decoys], 0), 8)
        + cell(.falsePositiveRate, part, 8) + cell(.falsePositiveRateCategory, part, 10)
        + cell(.falsePerDay, part, 11) + cell(.delayMedian, part, 9)
    }
    return ([head] + lines).joined(separator: "\n")
  }

  private func cell(_ metric: Metric, _ part: CorpusScore.Part, _ width: Int) -> String {
    leading(part[metric].map { metric.text($0.value) } ?? "–", width)
  }

  // MARK: Ledger

  private func ledger(_ score: CorpusScore) -> String {
    let titles: [(LedgerEntry.Subject, String)] = [
      (.visit, "why visits were announced as they were, or not"),
      (.arrival, "why arrivals were told"), (.postArrival, "why post-arrivals were told"),
      (.approach, "why approaches were told"),
    ]
    let blocks = titles.compactMap { subject, title -> String? in
      let causes = score.causes(of: subject)
      guard !causes.isEmpty else { return nil }
      let total = causes.reduce(0) { $0 + $1.count }
      let lines = causes.map {
        "  " + padded($0.cause.label, 32) + leading(fixed($0.share * 100, 1) + " %", 10)
          + leading(String($0.count), 7)
      }
      let sum = "  " + padded("all", 32) + leading("100.0 %", 10) + leading(String(total), 7)
      return ([title] + lines + [sum]).joined(separator: "\n")
    }
    return blocks.joined(separator: "\n\n")
  }

  private func absent(_ score: CorpusScore) -> String? {
    guard !score.absentPOIs.isEmpty else { return nil }
    let named = score.absentPOIs.prefix(3).map(\.poi).joined(separator: ", ")
    let more = score.absentPOIs.count > 3 ? " …" : ""
    return
      "note: the cache lacks \(score.absentPOIs.count) of the places that the truth names, or has them in other "
      + "categories (\(named)\(more)); missing visits to them is accounted as stale cache"
  }

  private func unasked(_ score: CorpusScore) -> String? {
    guard !score.unaskedCategories.isEmpty else { return nil }
    let names = score.unaskedCategories.joined(separator: ", ")
    return "note: no reminder asks for \(names), which the truth names; visits to them are left out"
  }

  /// Notes on what the truths say too little for.
  package static func unjudged(_ score: CorpusScore) -> [String] {
    let cut = PersonDay.sentence(
      wordsOutside: score.wordsUnjudged,
      visitsCutShort: score.visitsCutShort
    )
    let places = score.placesOffStays.map {
      PersonDay.sentence(place: $0.place, meters: $0.meters, days: $0.days)
    }
    return
      ([cut, PersonDay.sentence(daysWithoutStays: score.daysWithoutStays)].compactMap(\.self)
      + places)
      .map { "note: " + $0 }
  }

  private func outside(_ score: CorpusScore) -> String? {
    PersonDay.sentence(fixesOutside: score.fixesOutside.fixes, days: score.fixesOutside.days)
      .map { "note: " + $0 }
  }
}

/// What is said of intervals over so many days that were lived.
package func intervalsTold(days: Int) -> String {
  if days >= DayDraws.fewest { return "in brackets 95 % intervals over person-days" }
  return days == 1 ? "one day has no intervals" : "\(days) days are too few for intervals"
}

extension String {
  /// Without white space at its end.
  fileprivate var trimmed: String {
    var text = self[...]
    while text.last?.isWhitespace ?? false { text = text.dropLast() }
    return String(text)
  }
}

extension Metric {
  /// A value with its unit.
  package func text(_ value: Double) -> String {
    switch unit {
    case .share: number(value) + " %"
    case .seconds: number(value) + " s"
    case .meters: number(value) + " m"
    case .number: number(value) + (self == .batteryPercentPerDay ? " %" : "")
    }
  }

  /// A value without its unit.
  package func number(_ value: Double) -> String {
    switch unit {
    case .share: fixed(value * 100, 1)
    case .seconds, .meters: fixed(value, 0)
    case .number: fixed(value, 2)
    }
  }
}
