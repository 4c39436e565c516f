import Basics
import NearMeEngine
import Scoring

/// A search for people, in one screen or two.
package struct TuningText: Sendable {
  /// So many lines of a list are enough.
  private static let most = 12

  /// Whether there are intervals: a few days leave none.
  private let hasIntervals: Bool

  /// Makes the format.
  ///
  /// - Parameter hasIntervals: ``TuningResult/hasIntervals``.
  init(hasIntervals: Bool) { self.hasIntervals = hasIntervals }

  /// The whole report.
  package static func text(_ result: TuningResult) -> String {
    TuningText(hasIntervals: result.hasIntervals).report(result)
  }

  private func report(_ result: TuningResult) -> String {
    [
      head(result), choice(result), scores(result), costs(result), folds(result), front(result),
      alike(result),
      effects(result),
    ]
    .compactMap(\.self).joined(separator: "\n\n")
  }

  private func head(_ result: TuningResult) -> String {
    let space = result.spaceCount.map { " of \($0)" } ?? ""
    let people = result.folds.personCount
    let (recordings, days) = (result.folds.ofDay.count, result.draws.livedCount)
    return "\(result.tried)\(space) \(result.tried == 1 ? "policy" : "policies") tried on "
      + (recordings == days ? "" : "\(recordings) recordings of ")
      + "\(days) \(days == 1 ? "person-day" : "person-days") of "
      + "\(people) \(people == 1 ? "person" : "people") "
      + "(\(result.method.rawValue), seed \(result.seed)); "
      + intervalsTold(days: days)
  }

  private func choice(_ result: TuningResult) -> String {
    var lines: [String]
    switch result.verdict {
    case .better:
      lines = ["chosen for \"\(result.goal.text)\""]
      // Only then can it be chosen without being better on the people left out.
      lines += result.unkeptToday.map {
        "  not met today: " + shortfall($0, result.base.days, result)
      }
      lines += leftOutShortfalls(result).map { "  not met on people not tuned for: " + $0 }
    case .todayStays:
      lines = [
        "nothing better than the policy of today was found for \"\(result.goal.text)\": "
          + doubt(result),
        "the policy of today stays; the best that was tried",
      ]
    case .outsideLimits: lines = ["no policy keeps \"\(result.goal.text)\"; the nearest one"]
    }
    lines += result.unkept.map { "  not met: " + shortfall($0, result.best.days, result) }
    for setting in result.best.candidate.values {
      lines.append("  \(setting.name): \(setting.value)")
    }
    return lines.joined(separator: "\n")
  }

  private func shortfall(
    _ limit: Requirement,
    _ days: [Tally],
    _ result: TuningResult
  ) -> String {
    limit.shortfall(
      result.draws.estimate(limit.metric, days),
      hasInterval: hasIntervals
    )
  }

  private func leftOutShortfalls(_ result: TuningResult) -> [String] {
    result.leftOut
      .map { leftOut in result.unkeptLeftOut.map { shortfall($0, leftOut.days, result) } } ?? []
  }

  /// Why the best that was tried is not better.
  func doubt(_ result: TuningResult) -> String {
    let metric = result.goal.metric
    guard let gain = result.gain else { return "there is no \(metric.rawValue) to compare" }
    if !result.unkeptLeftOut.isEmpty,
      result.goal.isBetter(by: gain) || !result.unkeptToday.isEmpty
    {
      return "on people that it was not chosen on the best "
        + (result.unkeptToday.isEmpty ? "does not keep" : "comes no nearer to") + " the limits: "
        + leftOutShortfalls(result).joined(separator: "; ")
    }
    let people =
      result.leftOut == nil
      ? "" : " on people that it was not chosen on"
    let change =
      "changes \(metric.rawValue) by \(signed(gain.value, metric))\(bracketed(gain, metric))"
    let best = "the best that was tried \(change)\(people)"
    if result.goal.isBetter(by: gain) || gain.value != 0, !hasIntervals {
      let days = result.draws.livedCount
      return best
        + ", and of \(days == 1 ? "one day" : "\(days) days") nobody can say whether that is chance: give more days"
    }
    return best + (gain.mayBeNone && gain.value != 0 ? ", which may be chance" : "")
  }

  /// What gets worse, loads first of all in words.
  private func costs(_ result: TuningResult) -> String? {
    guard !result.costs.isEmpty else { return nil }
    let name = result.verdict == .better ? "the chosen policy" : "the best that was tried"
    return
      ([
        "what \(name) costs beside the policy of today"
          + (hasIntervals ? " (more than chance)" : "")
      ]
      + result.costs.map { "  " + sentence($0) })
      .joined(separator: "\n")
  }

  /// A score that gets worse, in words.
  package func sentence(_ cost: TuningResult.Cost) -> String {
    "\(cost.metric.worsening) from \(cost.metric.text(cost.before)) to "
      + "\(cost.metric.text(cost.after)), by \(signed(cost.change.value, cost.metric))"
      + bracketed(cost.change, cost.metric)
  }

  // MARK: Scores

  private func scores(_ result: TuningResult) -> String {
    let leftOut = result.leftOut?.days
    var head =
      padded("", 26) + padded("today", 26)
      + padded(result.verdict == .better ? "chosen" : "best tried", 26)
    if leftOut != nil { head += "on people not tuned for" }
    let lines = TuningResult.shown.compactMap { metric -> String? in
      let columns = [result.base.days, result.best.days] + (leftOut.map { [$0] } ?? [])
      let estimates = columns.map { result.draws.estimate(metric, $0) }
      guard estimates.contains(where: { $0 != nil }) else { return nil }
      return trimmed(
        padded("  " + metric.rawValue, 26)
          + estimates.map { padded($0.map { cell($0, metric) } ?? "–", 26) }.joined()
      )
    }
    return ([trimmed(head)] + lines).joined(separator: "\n")
  }

  private func folds(_ result: TuningResult) -> String? {
    guard let leftOut = result.leftOut else {
      return "all days are of one person, so nobody is left to test the choice on: the figures "
        + "above flatter it; add days of other people"
    }
    let same = leftOut.chosen.count { $0 == result.best.candidate }
    let name = result.verdict == .better ? "the chosen policy" : "the best policy"
    var text =
      "people not tuned for: of \(leftOut.chosen.count) groups each was scored by what was chosen "
      + "without it; \(same) times that was \(name)"
    if let gap = result.draws.difference(
      result.goal.metric,
      from: leftOut.days,
      to: result.best.days
    ) {
      text +=
        "; from their \(result.goal.metric.rawValue) to \(name)'s own it is "
        + "\(signed(gap.value, result.goal.metric))\(bracketed(gap, result.goal.metric))"
    }
    return text
  }

  // MARK: Policies

  private func front(_ result: TuningResult) -> String {
    let head =
      "the front: nothing that was tried beats these in everything "
      + "(\(result.axes.map(\.metric.rawValue).joined(separator: ", ")))"
    let step = max(1, (result.front.count + Self.most - 1) / Self.most)
    let picked = result.front.indices.filter { $0 % step == 0 || $0 == result.front.count - 1 }
    var lines = [head]
    lines += picked.map { line(result.front[$0], result) }
    if picked.count < result.front.count {
      lines.append("  … \(result.front.count) in all: --format json has them")
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ entry: TuningResult.Entry, _ result: TuningResult) -> String {
    let values = result.axes.map { axis in
      leading(entry.value(axis.metric).map { axis.metric.text($0) } ?? "–", 9)
    }
    let mark = entry.candidate == result.best.candidate ? "*" : " "
    return " \(mark)" + values.joined() + "  " + result.label(entry.candidate)
  }

  private func alike(_ result: TuningResult) -> String? {
    guard result.unkept.isEmpty, result.compared > 0 else { return nil }
    let metric = result.goal.metric
    let name = result.verdict == .better ? "chosen" : "best"
    guard !result.alike.isEmpty else {
      let rest = "as good as the \(name) one in \(metric.rawValue)"
      guard hasIntervals else {
        return result.compared == 1
          ? "the next best within the limits is not \(rest)"
          : "none of the \(result.compared) next best within the limits is \(rest)"
      }
      let side = result.goal.isMost ? "below 0" : "above 0"
      return result.compared == 1
        ? "the next best within the limits is not \(rest): the interval of the difference lies \(side)"
        : "none of the \(result.compared) next best within the limits is \(rest): all intervals of the "
          + "difference lie \(side)"
    }
    var lines = [
      (result.compared == 1
        ? "the next best" : "\(result.alike.count) of the \(result.compared) next best")
        + " within the limits "
        + (hasIntervals
          ? "cannot be told apart from the \(name) one in \(metric.rawValue) (paired bootstrap over person-days):"
          : "\(result.alike.count == 1 ? "is" : "are") as good as the \(name) one in \(metric.rawValue) on \(result.draws.livedCount == 1 ? "this day" : "these days"):")
    ]
    for entry in result.alike.prefix(5) {
      let difference = result.draws.difference(metric, from: result.best.days, to: entry.days)
      lines.append(
        "  " + leading(difference.map { signed($0.value, metric) } ?? "", 8) + " "
          + (hasIntervals ? padded(difference.map { interval($0, metric) } ?? "", 18) : "")
          + result.label(entry.candidate)
      )
    }
    if result.alike.count > 5 { lines.append("  …") }
    return lines.joined(separator: "\n")
  }

  private func effects(_ result: TuningResult) -> String? {
    guard !result.effects.isEmpty else { return nil }
    let lines = result.effects.map { "  " + $0.sentence(hasIntervals: hasIntervals) }
    let name = result.verdict == .better ? "chosen" : "best"
    return (["what each knob of the \(name) policy does"] + lines).joined(separator: "\n")
  }

  // MARK: Figures

  /// A score with its interval.
  func cell(_ estimate: Estimate, _ metric: Metric) -> String {
    metric.text(estimate.value) + bracketed(estimate, metric)
  }

  private func signed(_ number: Double, _ metric: Metric) -> String {
    (number > 0 ? "+" : "") + metric.text(number)
  }

  private func bracketed(_ estimate: Estimate, _ metric: Metric) -> String {
    hasIntervals ? " " + interval(estimate, metric) : ""
  }

  /// An interval without units.
  package func interval(_ estimate: Estimate, _ metric: Metric) -> String {
    "[\(metric.number(estimate.low)) … \(metric.number(estimate.high))]"
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
