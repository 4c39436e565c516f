import CorpusFiles

/// The days of corpora as lines of JSON, so that other machines can be given some of them.
enum DayList {
  private struct Line: Codable {
    let number: Int
    let id: String
    let name: String
    let corpus: String?
    let trace: String
    let truth: String
    let path: String?
  }

  static func line(_ day: CorpusFolder.Day) throws -> String {
    try JSONLines.line(
      Line(
        number: day.number,
        id: day.id,
        name: day.name,
        corpus: day.corpus,
        trace: day.trace,
        truth: day.truth,
        path: day.path
      )
    )
  }

  /// Reads the lines of a file.
  ///
  /// - Returns: the days with the numbers that they have in the whole.
  /// - Throws: ``CommandFailure`` that names the line.
  static func read(_ path: String) throws -> [CorpusFolder.Day] {
    let days = try JSONLines.lines(of: path).enumerated()
      .map { number, line in
        guard let line = JSONLines.value(line, as: Line.self) else {
          throw CommandFailure(
            .badInput,
            "\(path): line \(number + 1): is no line that `nearme score --list-days` printed"
          )
        }
        return CorpusFolder.Day(
          name: line.name,
          corpus: line.corpus,
          number: line.number,
          trace: line.trace,
          truth: line.truth,
          path: line.path
        )
      }
    guard !days.isEmpty else { throw CommandFailure(.badInput, "\(path): no day is in it") }
    return days
  }
}
