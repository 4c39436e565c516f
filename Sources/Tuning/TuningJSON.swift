import Basics
import NearMeEngine
import Scoring

/// A search for programs: one JSON object.
package struct TuningJSON: Sendable {
  /// Makes the format.
  package init() {}

  /// The whole result, without an end of line.
  package func text(_ result: TuningResult) -> String {
    var json = JSONText()
    json.add("goal", result.goal.text)
    json.add("is_within_limits", json: result.unkept.isEmpty ? "true" : "false")
    json.add("verdict", result.verdict.rawValue)
    json.add("method", result.method.rawValue)
    json.add("seed", json: String(result.seed))
    json.add("tried", result.tried)
    json.add("space", result.spaceCount)
    json.add("days", result.folds.ofDay.count)
    json.add("people", result.folds.personCount)
    json.add("today", json: entry(result.base, result))
    json.add("chosen", json: entry(result.chosen, result))
    json.add("best_tried", json: entry(result.best, result))
    json.add("gain", json: result.gain.map(Self.estimate) ?? "null")
    json.add("costs", json: JSONText.array(result.costs.map { cost($0, result) }))
    json.add("left_out", json: result.leftOut.map { leftOut($0, result) } ?? "null")
    json.add("front", json: JSONText.array(result.front.map { front($0, result) }))
    json.add("cannot_be_told_apart", json: JSONText.array(result.alike.map { front($0, result) }))
    json.add("compared", result.compared)
    json.add("effects", json: JSONText.array(result.effects.map { effect($0, result) }))
    return json.closed
  }

  /// The scores of one policy as one line.
  package static func scores(_ sum: Tally, withTruePath: Bool) -> String {
    var scores = JSONText()
    for metric in Metric.allCases where withTruePath || !metric.needsTruePath {
      scores.add(metric.rawValue, json: metric.value(of: sum).map(JSONText.number) ?? "null")
    }
    return scores.closed
  }

  private func entry(_ entry: TuningResult.Entry, _ result: TuningResult) -> String {
    var json = JSONText()
    json.add("policy", json: policy(entry.candidate))
    json.add("scores", json: estimates(entry.days, result))
    return json.closed
  }

  private func leftOut(
    _ leftOut: (chosen: [Candidate], days: [Tally]),
    _ result: TuningResult
  ) -> String {
    var json = JSONText()
    json.add("groups", json: JSONText.array(leftOut.chosen.map(policy)))
    json.add("is_within_limits", json: result.unkeptLeftOut.isEmpty ? "true" : "false")
    json.add("scores", json: estimates(leftOut.days, result))
    return json.closed
  }

  private func estimates(_ days: [Tally], _ result: TuningResult) -> String {
    var scores = JSONText()
    for metric in TuningResult.shown {
      scores.add(
        metric.rawValue,
        json: result.draws.estimate(metric, days).map(Self.estimate) ?? "null"
      )
    }
    return scores.closed
  }

  private func front(_ entry: TuningResult.Entry, _ result: TuningResult) -> String {
    var json = JSONText()
    json.add("policy", json: policy(entry.candidate))
    for axis in result.axes {
      json.add(axis.metric.rawValue, json: entry.value(axis.metric).map(JSONText.number) ?? "null")
    }
    return json.closed
  }

  private func policy(_ candidate: Candidate) -> String {
    Self.policy(candidate.values.map { ($0.name.split(separator: ".")[...], $0.value) })
  }

  /// Settings as a policy file has them: each group an object, and numbers as such.
  private static func policy(_ settings: [(path: ArraySlice<Substring>, value: String)]) -> String {
    var json = JSONText()
    var groups: [Substring] = []
    for (path, value) in settings {
      guard let key = path.first else { continue }
      if path.count == 1 {
        let number = Double(value).flatMap { $0.isFinite ? JSONText.number($0) : nil }
        json.add(String(key), json: number ?? JSONText.quoted(value))
      } else if !groups.contains(key) {
        groups.append(key)
        let inner = settings.filter { $0.path.count > 1 && $0.path.first == key }
        json.add(String(key), json: policy(inner.map { ($0.path.dropFirst(), $0.value) }))
      }
    }
    return json.closed
  }

  private func cost(_ cost: TuningResult.Cost, _ result: TuningResult) -> String {
    var json = JSONText()
    json.add("score", cost.metric.rawValue)
    json.add("change", json: Self.estimate(cost.change))
    json.add("sentence", TuningText(hasIntervals: result.hasIntervals).sentence(cost))
    return json.closed
  }

  private func effect(_ effect: KnobEffect, _ result: TuningResult) -> String {
    var json = JSONText()
    json.add("knob", effect.knob)
    json.add("from", effect.from)
    json.add("to", effect.to)
    for (name, estimate) in [
      ("false_arrivals_per_week", effect.falseArrivalsPerWeek), ("delay", effect.delaySeconds),
      ("visits", effect.visits), ("wakes_per_hour", effect.wakesPerHour),
    ] {
      json.add(name, json: estimate.map(Self.estimate) ?? "null")
    }
    json.add("sentence", effect.sentence(hasIntervals: result.hasIntervals))
    return json.closed
  }

  private static func estimate(_ estimate: Estimate) -> String {
    var json = JSONText()
    json.add("value", json: JSONText.number(estimate.value))
    json.add("low", json: JSONText.number(estimate.low))
    json.add("high", json: JSONText.number(estimate.high))
    return json.closed
  }
}
