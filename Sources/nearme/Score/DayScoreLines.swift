import CorpusFiles
import Scoring

/// The scores of days as lines of JSON, made on one machine and added up on another.
enum DayScoreLines {
  /// Reads the lines of a file.
  ///
  /// A day may be there twice, as a task that was tried again leaves it, if it says the same.
  ///
  /// - Parameters:
  ///   - days: the names of the days in their order, which is that of the result.
  ///   - skipsMissing: whether days may be missing; they are named on standard error.
  /// - Throws: ``CommandFailure`` for a line that is none, and a day that is unknown, missing or there in
  ///   two ways, or if all are missing.
  static func read(
    _ path: String,
    for days: [String],
    skipsMissing: Bool
  ) throws -> [DayScore] {
    var lineByDay: [String: Substring] = [:]
    var scores: [String: DayScore] = [:]
    let known = Set(days)
    for (number, line) in try JSONLines.lines(of: path).enumerated() {
      guard let score = JSONLines.value(line, as: DayScore.self) else {
        throw CommandFailure(
          .badInput,
          "\(path): line \(number + 1): is no line that `nearme score --days-only` of this version printed"
        )
      }
      guard known.contains(score.id) else {
        throw CommandFailure(
          .badInput,
          "\(path): line \(number + 1): the corpus has no day \(score.id)"
        )
      }
      guard lineByDay[score.id].map({ $0 == line }) ?? true else {
        throw CommandFailure(
          .badInput,
          "\(path): line \(number + 1): \(score.id) is there twice and not the same: were all scored with one "
            + "cache, policy and program?"
        )
      }
      lineByDay[score.id] = line
      scores[score.id] = score
    }
    let missing = days.filter { scores[$0] == nil }
    guard missing.isEmpty || skipsMissing else {
      throw CommandFailure(
        .badInput,
        "\(path): \(missing.count) days are missing, the first is \(missing[0])"
      )
    }
    guard days.isEmpty || missing.count < days.count else {
      throw CommandFailure(.badInput, "\(path): no day of the corpus is in it")
    }
    if !missing.isEmpty {
      printError(
        "nearme: note: \(path) has no score of \(missing.count) of \(days.count) days, left out here: "
          + missing.joined(separator: ", ")
      )
    }
    return days.compactMap { scores[$0] }
  }
}
