import Tuning

/// Policies and the days on which a search wants them tried, as lines of JSON: a line about all of them, then
/// one a policy.
enum WantedTrials {
  private struct Head: Codable {
    let withTruePath: Bool

    private enum CodingKeys: String, CodingKey { case withTruePath = "with_true_path" }
  }

  private struct Line: Codable {
    let settings: [Candidate.Setting]
    let days: [Int]
  }

  static func write(
    _ wanted: [(candidate: Candidate, days: [Int])],
    withTruePath: Bool,
    to path: String
  ) throws {
    let file = try OutputFile(path: path)
    try file.writeLine(JSONLines.line(Head(withTruePath: withTruePath)))
    for (candidate, days) in wanted {
      try file.writeLine(JSONLines.line(Line(settings: candidate.values, days: days)))
    }
    try file.finish()
  }

  static func read(
    _ path: String
  ) throws -> (wanted: [(candidate: Candidate, days: [Int])], withTruePath: Bool) {
    let lines = try JSONLines.lines(of: path)
    func bad(_ number: Int) -> CommandFailure {
      CommandFailure(
        .badInput,
        "\(path): line \(number): is no line that `nearme tune --wanted` wrote"
      )
    }
    guard let head = lines.first.flatMap({ JSONLines.value($0, as: Head.self) }) else {
      throw bad(1)
    }
    let wanted = try lines.dropFirst().enumerated()
      .map { number, line in
        guard let line = JSONLines.value(line, as: Line.self) else {
          throw bad(number + 2)
        }
        return (candidate: Candidate(line.settings), days: line.days)
      }
    return (wanted, head.withTruePath)
  }
}
