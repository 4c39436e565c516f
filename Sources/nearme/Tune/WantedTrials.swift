import Foundation
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
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let file = try OutputFile(path: path)
    try file.writeLine(
      String(decoding: try encoder.encode(Head(withTruePath: withTruePath)), as: UTF8.self)
    )
    for (candidate, days) in wanted {
      let line = Line(settings: candidate.values, days: days)
      try file.writeLine(String(decoding: try encoder.encode(line), as: UTF8.self))
    }
    try file.finish()
  }

  static func read(
    _ path: String
  ) throws -> (wanted: [(candidate: Candidate, days: [Int])], withTruePath: Bool) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CommandFailure(.inputMissing, "\(path): cannot be read as text")
    }
    let lines = text.split(separator: "\n")
    func bad(_ number: Int) -> CommandFailure {
      CommandFailure(
        .badInput,
        "\(path): line \(number): is no line that `nearme tune --wanted` wrote"
      )
    }
    guard let first = lines.first,
      let head = try? JSONDecoder().decode(Head.self, from: Data(first.utf8))
    else { throw bad(1) }
    let wanted = try lines.dropFirst().enumerated()
      .map { number, line in
        guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else {
          throw bad(number + 2)
        }
        return (candidate: Candidate(line.settings), days: line.days)
      }
    return (wanted, head.withTruePath)
  }
}
