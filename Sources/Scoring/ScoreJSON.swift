import Basics
import NearMeEngine
import Timeline

/// Scores for programs: one JSON object.
///
/// Shares, seconds, meters and plain numbers with six digits after the point; a score that does not
/// exist is null.
public struct ScoreJSON: Sendable {
  /// Makes the format.
  public init() {}

  /// The whole report, without an end of line.
  ///
  /// - Parameters:
  ///   - draws: the scores of each draw, where there are several.
  ///   - requirements: limits, with whether they are kept.
  public func text(
    _ score: CorpusScore,
    seed: UInt64,
    draws: ScoreDraws? = nil,
    requirements: [(text: String, isKept: Bool)] = []
  ) -> String {
    var json = JSONText()
    json.add("days", score.days.count)
    json.add("people", score.personCount)
    json.add("seed", json: String(seed))
    if let draws {
      json.add("draws", json: JSONText.array(draws.seeds.indices.map { draw($0, of: draws) }))
    }
    json.add("parts", json: JSONText.array(score.parts.map(part)))
    var ledger = JSONText()
    for subject in LedgerEntry.Subject.allCases {
      ledger.add(subject.rawValue, json: JSONText.array(score.causes(of: subject).map(cause)))
    }
    json.add("ledger", json: ledger.closed)
    json.add("entries", json: JSONText.array(score.ledger.map(entry)))
    json.add("unasked_categories", score.unaskedCategories)
    json.add("absent_pois", json: JSONText.array(score.absentPOIs.map { JSONText.quoted($0.poi) }))
    json.add("fixes_outside", score.fixesOutside.fixes)
    json.add(
      "requirements",
      json: JSONText.array(
        requirements.map { requirement in
          var item = JSONText()
          item.add("requirement", requirement.text)
          item.add("kept", json: requirement.isKept ? "true" : "false")
          return item.closed
        }
      )
    )
    return json.closed
  }

  private func draw(_ draw: Int, of draws: ScoreDraws) -> String {
    var json = JSONText()
    json.add("seed", json: String(draws.seeds[draw]))
    for metric in Metric.allCases {
      let value = draws.value(metric, ofDraw: draw)
      json.add(metric.rawValue, json: value.map { JSONText.number($0) } ?? "null")
    }
    return json.closed
  }

  private func part(_ part: CorpusScore.Part) -> String {
    var json = JSONText()
    json.add("by", part.slice.dimension.name)
    json.add("name", part.slice.name)
    var counts = JSONText()
    // Said only where there are any.
    for count in Tally.Count.allCases where count != .daysWithoutStays || part.total[count] > 0 {
      counts.add(count.name, json: JSONText.number(part.total[count]))
    }
    json.add("counts", json: counts.closed)
    var scores = JSONText()
    for metric in Metric.allCases {
      guard let estimate = part[metric] else {
        scores.add(metric.rawValue, json: "null")
        continue
      }
      var item = JSONText()
      item.add("value", json: JSONText.number(estimate.value))
      item.add("low", json: JSONText.number(estimate.low))
      item.add("high", json: JSONText.number(estimate.high))
      scores.add(metric.rawValue, json: item.closed)
    }
    json.add("scores", json: scores.closed)
    return json.closed
  }

  private func cause(_ row: (cause: Cause, count: Int, share: Double)) -> String {
    var json = JSONText()
    json.add("cause", row.cause.rawValue)
    json.add("count", row.count)
    json.add("share", json: JSONText.number(row.share))
    return json.closed
  }

  private func entry(_ entry: LedgerEntry) -> String {
    var json = JSONText()
    json.add("subject", entry.subject.rawValue)
    json.add("day", entry.day)
    json.add("reminder", entry.reminder)
    json.add("poi", entry.poi)
    json.add("at", RFC3339.format(entry.at))
    json.add("cause", entry.cause.rawValue)
    json.add("delay", json: entry.delaySeconds.map(JSONText.number) ?? "null")
    return json.closed
  }
}

extension Tally.Count {
  /// The name in output: `visits_found`.
  public var name: String {
    var name = ""
    var isInWord = true
    for letter in "\(self)" {
      if letter.isUppercase, isInWord { name += "_" }
      isInWord = letter.isLowercase
      name += letter.lowercased()
    }
    return name
  }
}
