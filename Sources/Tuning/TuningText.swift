import Basics
import NearMeEngine
import Scoring

/// A search for people, in one screen or two.
package struct TuningText: Sendable {
  /// So many lines of a list are enough.
  private static let most = 12

  /// Makes the format.
  package init() {}

  /// The whole report.
  package func text(_ result: TuningResult) -> String {
    [
      head(result), choice(result), scores(result), folds(result), front(result), alike(result),
      effects(result),
    ]
    .compactMap(\.self).joined(separator: "\n\n")
  }

  private func head(_ result: TuningResult) -> String {
    let space = result.spaceCount.map { " of \($0)" } ?? ""
    let people = result.folds.personCount
    return "\(result.tried)\(space) policies tried on \(result.folds.ofDay.count) person-days of "
      + "\(people) \(people == 1 ? "person" : "people") "
      + "(\(result.method.rawValue), seed \(result.seed)); in brackets 95 % intervals over "
      + "person-days"
  }

  private func choice(_ result: TuningResult) -> String {
    var lines = ["chosen for \"\(result.goal.text)\""]
    if !result.unkept.isEmpty {
      lines[0] = "no policy keeps \"\(result.goal.text)\"; the nearest one"
      for limit in result.unkept {
        lines.append(
          "  not met: " + limit.shortfall(result.draws.estimate(limit.metric, result.chosen.days))
        )
      }
    }
    for setting in result.chosen.candidate.values {
      lines.append("  \(setting.name): \(setting.value)")
    }
    if result.chosen.candidate.values.isEmpty { lines.append("  the policy of today") }
    return lines.joined(separator: "\n")
  }

  // MARK: Scores

  private func scores(_ result: TuningResult) -> String {
    let leftOut = result.leftOut?.days
    var head = padded("", 26) + padded("today", 26) + padded("chosen", 26)
    if leftOut != nil { head += "on people not tuned for" }
    let lines = TuningResult.shown.compactMap { metric -> String? in
      let columns = [result.base.days, result.chosen.days] + (leftOut.map { [$0] } ?? [])
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
    let chosen = result.chosen.candidate
    let same = leftOut.chosen.count { $0 == chosen }
    var text =
      "people not tuned for: of \(leftOut.chosen.count) groups each was scored by what was chosen "
      + "without it; \(same) times that was the chosen policy"
    if let gap = result.draws.difference(
      result.goal.metric,
      from: leftOut.days,
      to: result.chosen.days
    ) {
      text +=
        "; from their \(result.goal.metric.rawValue) to the chosen policy's own it is "
        + "\(signed(gap.value, result.goal.metric)) \(interval(gap, result.goal.metric))"
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
      leading(entry.value(axis.metric).map { value($0, axis.metric) } ?? "–", 9)
    }
    let mark = entry.candidate == result.chosen.candidate ? "*" : " "
    return " \(mark)" + values.joined() + "  " + result.label(entry.candidate)
  }

  private func alike(_ result: TuningResult) -> String? {
    guard result.unkept.isEmpty, result.compared > 0 else { return nil }
    let metric = result.goal.metric
    guard !result.alike.isEmpty else {
      return "none of the \(result.compared) next best within the limits is as good as the chosen "
        + "one in \(metric.rawValue): all intervals of the difference lie below it"
    }
    var lines = [
      "\(result.alike.count) of the \(result.compared) next best within the limits cannot be told "
        + "apart from the chosen one in \(metric.rawValue) (paired bootstrap over person-days):"
    ]
    for entry in result.alike.prefix(5) {
      let difference = result.draws.difference(metric, from: result.chosen.days, to: entry.days)
      lines.append(
        "  " + leading(difference.map { signed($0.value, metric) } ?? "", 8) + " "
          + padded(difference.map { interval($0, metric) } ?? "", 18)
          + result.label(entry.candidate)
      )
    }
    if result.alike.count > 5 { lines.append("  …") }
    return lines.joined(separator: "\n")
  }

  private func effects(_ result: TuningResult) -> String? {
    guard !result.effects.isEmpty else { return nil }
    let lines = result.effects.map { "  " + $0.sentence }
    return (["what each knob of the chosen policy does"] + lines).joined(separator: "\n")
  }

  // MARK: Figures

  /// A score with its interval.
  func cell(_ estimate: Estimate, _ metric: Metric) -> String {
    "\(value(estimate.value, metric)) \(interval(estimate, metric))"
  }

  /// A score with its unit.
  package func value(_ value: Double, _ metric: Metric) -> String {
    switch metric.unit {
    case .share: fixed(value * 100, 1) + " %"
    case .seconds: fixed(value, 0) + " s"
    case .meters: fixed(value, 0) + " m"
    case .number: fixed(value, 2) + (metric == .batteryPercentPerDay ? " %" : "")
    }
  }

  private func signed(_ number: Double, _ metric: Metric) -> String {
    (number > 0 ? "+" : "") + value(number, metric)
  }

  /// An interval without units.
  package func interval(_ estimate: Estimate, _ metric: Metric) -> String {
    func number(_ value: Double) -> String {
      switch metric.unit {
      case .share: fixed(value * 100, 1)
      case .seconds, .meters: fixed(value, 0)
      case .number: fixed(value, 2)
      }
    }
    return "[\(number(estimate.low)) … \(number(estimate.high))]"
  }

  private func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }
}
