import Foundation
import Geodesy
import NearMeEngine
import ParallelWork
import Replay
import Scoring
import SettingsFiles
import Timeline
import Traces
import Tuning

/// A search as one page that needs nothing else: plots, what each knob does, the ledger before and
/// after, and the worst days as maps.
struct TuningPage {
  private(set) var html: String

  /// So many of the worst days are drawn.
  private static let worstCount = 6
  /// So many policies are drawn beside the front.
  private static let mostPoints = 3_000

  private let result: TuningResult
  private let format = TuningText()
  /// The ledger with today's policy and with the chosen one.
  private let before: CorpusScore
  private let after: CorpusScore
  private let trials: PolicyTrials

  init(
    _ result: TuningResult,
    _ search: Search,
    _ trials: PolicyTrials,
    _ chart: ChartLibrary,
    jobs: Int,
    title: String
  ) throws {
    self.result = result
    self.trials = trials
    let chosen = try PolicyFile.policy(result.chosen.candidate.values, over: trials.base)
    before = try Self.score(trials.base, trials, jobs, result.seed, "ledger of today")
    after = try Self.score(chosen, trials, jobs, result.seed, "ledger of the chosen")
    html = ""
    let body = [
      head(title), scores(), plots(search, chart), knobs(chart), ledger(chart), load(), worst(),
    ]
    .joined(separator: "\n")
    html = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Tuned on \(Self.escaped(title))</title>
      <style>\(Self.style)</style>
      <body>
      \(chart.script.map { "<script>\($0)</script>\n<script>\(Self.defaults)</script>" } ?? "")
      \(body)
      <footer>Made by nearme tune. Days, people and truth are those of the corpus; nothing here is a \
      promise for a phone.</footer>
      </body>
      </html>

      """
  }

  private static func score(
    _ policy: Policy,
    _ trials: PolicyTrials,
    _ jobs: Int,
    _ seed: UInt64,
    _ task: String
  ) throws -> CorpusScore {
    let setup = ReplaySetup(
      policy: policy,
      catalog: trials.catalog,
      service: trials.service(policy)
    )
    let progress = ProgressLine(total: trials.days.count, unit: task)
    defer { progress.clear() }
    let days = try resultsInOrder(
      count: trials.days.count,
      threads: jobs,
      done: progress.show
    ) { number in
      try DayScore(trials.days[number].day, setup, keepsLedger: true)
    }
    return CorpusScore(days, seed: seed)
  }

  // MARK: Text and tables

  private func head(_ title: String) -> String {
    let goal = Self.escaped(result.goal.text)
    let space = result.spaceCount.map { " of \($0)" } ?? ""
    var html = "<h1>Tuned on \(Self.escaped(title))</h1>\n<p>"
    html += "\(result.tried)\(space) policies were tried on \(result.folds.ofDay.count) "
    html += "person-days of \(result.folds.personCount) people (\(result.method.rawValue), "
    html += "seed \(result.seed)). "
    if result.unkept.isEmpty {
      html += "For <b>\(goal)</b> this one was chosen:</p>\n"
    } else {
      html += "<b>No policy keeps \(goal)</b>; the nearest one misses "
      let misses = result.unkept.map {
        Self.escaped($0.shortfall(result.draws.estimate($0.metric, result.chosen.days)))
      }
      html += misses.joined(separator: "; ")
      html += ".</p>\n"
    }
    html += "<pre>" + Self.escaped(policyLines(result.chosen.candidate)) + "</pre>\n"
    if result.leftOut == nil {
      html += "<p class=\"warn\">All days are of one person: nobody is left to test the choice on, "
      html += "and the figures flatter it.</p>\n"
    }
    return html
  }

  private func policyLines(_ candidate: Candidate) -> String {
    candidate.values.isEmpty
      ? "the policy of today"
      : candidate.values.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }

  private func scores() -> String {
    table(
      [
        .recall5min, .recall, .falsePositiveRate, .falsePositiveRateCategory, .fprDriveBys,
        .fprNearStays, .fprDecoys, .falsePerDay, .delayMedian, .delayP95, .namedRight, .precision,
      ],
      "What people notice"
    )
      + "<p>In brackets 95 % intervals over person-days. The last column is the honest one: each "
      + "person was scored by what was chosen without them.</p>\n" + alike()
  }

  private func load() -> String {
    table(
      [
        .notificationsPerDay, .mostInAnyHour, .repeatsPerDay, .quietHourLeaks, .wakesPerHour,
        .registrationsPerHour, .batteryPercentPerDay,
      ],
      "The load on the person and on the battery"
    )
  }

  private func table(_ metrics: [Metric], _ title: String) -> String {
    var columns = [("today", result.base.days), ("chosen", result.chosen.days)]
    if let leftOut = result.leftOut { columns.append(("people not tuned for", leftOut.days)) }
    var html = "<h2>\(title)</h2>\n<div class=\"scroll\"><table>\n<tr><th></th>"
    html += columns.map { "<th>\($0.0)</th>" }.joined() + "<th>chosen − today</th></tr>\n"
    for metric in metrics {
      let cells = columns.map { column in
        result.draws.estimate(metric, column.1)
          .map { "\(format.value($0.value, metric)) <i>\(format.interval($0, metric))</i>" } ?? "–"
      }
      let difference = result.draws.difference(
        metric,
        from: result.base.days,
        to: result.chosen.days
      )
      let change = difference.map {
        "\(format.value($0.value, metric)) <i>\(format.interval($0, metric))</i>"
          + ($0.mayBeNone ? " <i>may be chance</i>" : "")
      }
      html += "<tr><td>\(Self.escaped(metric.rawValue))</td>"
      html += (cells + [change ?? "–"]).map { "<td>\($0)</td>" }.joined() + "</tr>\n"
    }
    return html + "</table></div>\n"
  }

  private func alike() -> String {
    guard result.unkept.isEmpty, result.compared > 0 else { return "" }
    let name = Self.escaped(result.goal.metric.rawValue)
    guard !result.alike.isEmpty else {
      return "<p>None of the \(result.compared) next best is as good in \(name).</p>\n"
    }
    var html = "<p>\(result.alike.count) of the \(result.compared) next best within the limits "
    html += "<b>cannot be told apart</b> from the chosen one in \(name) (paired bootstrap). The "
    html += "nearest:</p>\n<ul>\n"
    for entry in result.alike.prefix(5) {
      html += "<li><code>\(Self.escaped(result.label(entry.candidate)))</code></li>\n"
    }
    return html + "</ul>\n"
  }

  // MARK: Plots

  private func plots(_ search: Search, _ chart: ChartLibrary) -> String {
    var html = "<h2>The front</h2>\n<p>Each point is a policy; nothing that was tried beats those "
    html += "on the front in \(result.axes.map(\.metric.rawValue).joined(separator: ", ")) at "
    html += "once. Point at one to see it.</p>\n"
    guard chart.script != nil else { return html + frontTable() }
    let plans = [
      ("front1", Metric.falsePositiveRate, Metric.recall5min),
      ("front2", .delayMedian, .recall5min), ("front3", .wakesPerHour, .recall5min),
    ]
    html += "<div class=\"plots\">\n"
    for (id, x, y) in plans where result.chosen.value(x) != nil {
      html += "<div class=\"plot\"><canvas id=\"\(id)\"></canvas></div>\n"
      let sets = [
        ("today", "#57606a", 7, "rectRot", [result.base]),
        ("chosen", "#cf222e", 8, "star", [result.chosen]),
        ("front", "#0969da", 4, "circle", result.front),
        ("tried", "#b8c0cb", 2, "circle", others(search)),
      ]
      let data = sets.map { name, color, radius, style, entries in
        var json = JSONText()
        json.add("label", name)
        json.add("backgroundColor", color)
        json.add("borderColor", color)
        json.add("radius", radius)
        json.add("hoverRadius", radius + 2)
        json.add("pointStyle", style)
        json.add("borderWidth", style == "star" ? 3 : 0)
        json.add("data", json: JSONText.array(entries.compactMap { point($0, x, y) }))
        return json.closed
      }
      html += "<script>scatter(\(JSONText.quoted(id)), \(JSONText.array(data)), "
      html += "\(JSONText.quoted(axis(x))), \(JSONText.quoted(axis(y))))</script>\n"
    }
    return html + "</div>\n" + frontTable()
  }

  private func others(_ search: Search) -> [TuningResult.Entry] {
    let shown = Set((result.front + [result.chosen]).map(\.candidate))
    return search.ranked.prefix(Self.mostPoints)
      .filter { !shown.contains(search.candidates[$0]) }
      .compactMap { index in
        search.days(of: index).map { .init(candidate: search.candidates[index], days: $0) }
      }
  }

  private func axis(_ metric: Metric) -> String {
    switch metric.unit {
    case .share: metric.rawValue + ", %"
    case .seconds: metric.rawValue + ", s"
    case .meters: metric.rawValue + ", m"
    case .number: metric.rawValue
    }
  }

  private func point(_ entry: TuningResult.Entry, _ x: Metric, _ y: Metric) -> String? {
    guard let a = entry.value(x), let b = entry.value(y) else { return nil }
    func number(_ value: Double, _ metric: Metric) -> String {
      fixed(metric.unit == .share ? value * 100 : value, 3)
    }
    var lines =
      entry.candidate.values.isEmpty
      ? ["the policy of today"] : entry.candidate.values.map { "\($0.name): \($0.value)" }
    lines += result.axes.compactMap { axis in
      entry.value(axis.metric)
        .map { "\(axis.metric.rawValue) \(format.value($0, axis.metric))" }
    }
    return "{\"x\":\(number(a, x)),\"y\":\(number(b, y)),\"t\":"
      + JSONText.array(lines.map(JSONText.quoted)) + "}"
  }

  private func frontTable() -> String {
    let step = max(1, (result.front.count + 23) / 24)
    var html = "<details><summary>The front as a table</summary><div class=\"scroll\"><table>\n<tr>"
    html += result.axes.map { "<th>\($0.metric.rawValue)</th>" }.joined() + "<th>policy</th></tr>\n"
    for (i, entry) in result.front.enumerated() where i % step == 0 || i == result.front.count - 1 {
      html += "<tr>"
      for axis in result.axes {
        html += "<td>\(entry.value(axis.metric).map { format.value($0, axis.metric) } ?? "–")</td>"
      }
      let label = Self.escaped(result.label(entry.candidate))
      html += "<td class=\"left\"><code>\(label)</code></td></tr>\n"
    }
    return html + "</table></div></details>\n"
  }

  // MARK: Knobs

  private func knobs(_ chart: ChartLibrary) -> String {
    guard !result.effects.isEmpty else { return "" }
    var html = "<h2>What each knob does</h2>\n<p>One step away from the chosen policy, all else as "
    html += "it is; in brackets 95 % intervals.</p>\n<ul>\n"
    for effect in result.effects { html += "<li>\(Self.escaped(effect.sentence))</li>\n" }
    html += "</ul>\n"
    guard chart.script != nil else { return html }
    html += "<div class=\"plots\">\n"
    let plans: [(String, String, (KnobEffect) -> Estimate?)] = [
      ("knobs1", "false arrivals a week, more or fewer", \.falseArrivalsPerWeek),
      ("knobs2", "told so many s later or earlier", \.delaySeconds),
      ("knobs3", "visits found or lost", \.visits),
    ]
    for (id, title, field) in plans {
      let labels = result.effects.map { "\($0.knob) \($0.from) → \($0.to)" }
      let bars = result.effects.map { effect in
        field(effect).map { "[\(fixed($0.low, 3)),\(fixed($0.high, 3))]" } ?? "null"
      }
      let values = result.effects.map { field($0).map { fixed($0.value, 3) } ?? "null" }
      let height = 90 + result.effects.count * 26
      html += "<div class=\"plot wide\" style=\"height:\(height)px\">"
      html += "<canvas id=\"\(id)\"></canvas></div>"
      html += "<script>intervals(\(JSONText.quoted(id)), \(JSONText.quoted(title)), "
      html += "\(JSONText.array(labels.map(JSONText.quoted))), \(JSONText.array(bars)), "
      html += "\(JSONText.array(values)))</script>\n"
    }
    return html + "</div>\n"
  }

  // MARK: Ledger

  private func ledger(_ chart: ChartLibrary) -> String {
    var html = "<h2>The ledger before and after</h2>\n<p>Every visit and every arrival has one "
    html += "cause; docs/scores.md explains them.</p>\n<div class=\"plots\">\n"
    for (subject, title) in [
      (LedgerEntry.Subject.visit, "visits, by why they were announced or not"),
      (.arrival, "arrivals that were told, by why"),
    ] {
      let old = before.causes(of: subject)
      let new = after.causes(of: subject)
      let causes = Cause.allCases.filter { cause in
        old.contains { $0.cause == cause } || new.contains { $0.cause == cause }
      }
      func count(_ rows: [(cause: Cause, count: Int, share: Double)], _ cause: Cause) -> Int {
        rows.first { $0.cause == cause }?.count ?? 0
      }
      if chart.script != nil {
        let id = "ledger-\(subject.rawValue)"
        let height = 110 + causes.count * 34
        html += "<div class=\"plot\" style=\"height:\(height)px\">"
        html += "<canvas id=\"\(id)\"></canvas></div>"
        html += "<script>bars(\(JSONText.quoted(id)), \(JSONText.quoted(title)), "
        html += "\(JSONText.array(causes.map { JSONText.quoted($0.label) })), "
        html += "\(JSONText.array(causes.map { String(count(old, $0)) })), "
        html += "\(JSONText.array(causes.map { String(count(new, $0)) })))</script>\n"
      } else {
        html += "<table><tr><th>\(title)</th><th>today</th><th>chosen</th></tr>\n"
        for cause in causes {
          html += "<tr><td>\(cause.label)</td><td>\(count(old, cause))</td>"
          html += "<td>\(count(new, cause))</td></tr>\n"
        }
        html += "</table>\n"
      }
    }
    return html + "</div>\n"
  }

  // MARK: The worst days

  /// What was wrong on a day with the chosen policy.
  private struct Wrong {
    let number: Int
    let missed: [LedgerEntry]
    let untrue: [LedgerEntry]
  }

  private func worst() -> String {
    var days: [Wrong] = []
    for (number, day) in trials.days.enumerated() {
      // Places of one's own are left out, as in the scores.
      let own = after.ledger.filter { $0.day == day.day.truth.id && $0.poi != nil }
      let wrong = Wrong(
        number: number,
        missed: own.filter { $0.subject == .visit && $0.delaySeconds == nil },
        untrue: own.filter { $0.subject == .arrival && $0.delaySeconds == nil }
      )
      if !wrong.missed.isEmpty || !wrong.untrue.isEmpty { days.append(wrong) }
    }
    days.sort {
      (-$0.missed.count - $0.untrue.count, $0.number)
        < (-$1.missed.count - $1.untrue.count, $1.number)
    }
    guard !days.isEmpty else { return "<h2>The worst days</h2>\n<p>Nothing went wrong.</p>\n" }
    var html = "<h2>The worst days</h2>\n<p class=\"key\"><span class=\"k way\"></span> the way "
    html += "<span class=\"k found\"></span> visit announced <span class=\"k missed\"></span> "
    html += "visit missed <span class=\"k untrue\"></span> told, and not true or not the first "
    html += "word</p>\n"
    html += "<div class=\"maps\">\n"
    for wrong in days.prefix(Self.worstCount) { html += figure(wrong) }
    return html + "</div>\n"
  }

  private func figure(_ wrong: Wrong) -> String {
    let day = trials.days[wrong.number].day
    let way = day.path.rows.map(\.coordinate)
    let latitudes = way.map(\.latitude)
    let longitudes = way.map(\.longitude)
    let middle = Coordinate(
      uncheckedLatitude: ((latitudes.min() ?? 0) + (latitudes.max() ?? 0)) / 2,
      longitude: ((longitudes.min() ?? 0) + (longitudes.max() ?? 0)) / 2
    )
    let plane = LocalPlane(origin: middle)
    var reach = 500.0
    for point in way {
      let at = plane.project(point)
      reach = max(reach, abs(at.eastMeters), abs(at.northMeters))
    }
    reach *= 1.06
    var map = DriveMap(middle: middle, reachMeters: reach)
    map.addWay(Self.thinned(way, apartMeters: reach / 250), class: "way")
    for visit in day.truth.visits { map.addPlace(visit.coordinate, class: "found") }
    for entry in wrong.missed {
      map.addPlace(day.path.fix(at: entry.at).coordinate, class: "missed")
    }
    for entry in wrong.untrue {
      map.addPlace(day.path.fix(at: entry.at).coordinate, class: "untrue")
    }
    func list(_ entries: [LedgerEntry], _ word: String) -> [String] {
      var counts: [Cause: Int] = [:]
      for entry in entries { counts[entry.cause, default: 0] += 1 }
      return Cause.allCases.compactMap { cause in
        counts[cause].map { "\($0) \(word) (\(cause.label))" }
      }
    }
    let what = (list(wrong.missed, "missed") + list(wrong.untrue, "untrue"))
      .joined(separator: ", ")
    return "<figure>\(map.svg)<figcaption><b>\(Self.escaped(day.truth.id))</b> "
      + "(\(Self.escaped(day.truth.noise)), \(Self.escaped(day.truth.sampling))): "
      + "\(Self.escaped(what))</figcaption></figure>\n"
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

  private static func escaped(_ text: String) -> String { ComparisonTable.escaped(text) }
}
