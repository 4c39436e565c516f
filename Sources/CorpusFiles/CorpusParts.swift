import Foundation
import Simulation

/// One of several parts of a corpus, which machines make side by side.
package struct CorpusPart: Hashable, Sendable {
  /// From 1 on.
  package let number: Int
  /// How many there are.
  package let count: Int

  /// The name of the file that makes a folder a part.
  static let fileName = "part.json"
  /// More would be folders without a day.
  private static let most = 100_000

  /// The only part.
  package static let whole = CorpusPart(number: 1, count: 1)

  private init(number: Int, count: Int) {
    self.number = number
    self.count = count
  }

  /// Reads a part, such as `3/8`; nil if it is none.
  package init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard words.count == 2, let number = words[0], let count = words[1],
      (1...Self.most).contains(count), (1...count).contains(number)
    else { return nil }
    self.init(number: number, count: count)
  }

  /// Which of all days are in it.
  package func days(of total: Int) -> Range<Int> {
    (total * (number - 1) / count)..<(total * number / count)
  }
}

/// What a part of a corpus says of itself, in a file beside its days.
package struct CorpusPartFile: Codable {
  package let part: Int
  package let parts: Int
  /// What all parts were made of: parts of two corpora do not go together.
  package let asked: String
  /// The phone that sees the days; nil where each day has one of its own, whose errors are known.
  package let phone: String?
  /// Whether the days are those of another corpus, seen again.
  package let isSeenAgain: Bool
  /// A day after the other: sums are added up in the order of all days, whoever made them.
  package let days: [SimulationStatistics]

  private enum CodingKeys: String, CodingKey {
    case part, parts, asked, phone, days
    case isSeenAgain = "seen_again"
  }

  /// Whether it can be what this version wrote.
  var isSound: Bool {
    CorpusPart("\(part)/\(parts)") != nil && days.allSatisfy(\.isSound)
  }

  /// Describes a part.
  package init(
    _ part: CorpusPart,
    asked: String,
    phone: String?,
    isSeenAgain: Bool,
    days: [SimulationStatistics]
  ) {
    self.part = part.number
    parts = part.count
    self.asked = asked
    self.phone = phone
    self.isSeenAgain = isSeenAgain
    self.days = days
  }
}

/// The parts of a corpus, in a folder with a folder for each.
package struct CorpusParts {
  /// What each says, in their order.
  package let files: [CorpusPartFile]
  private let folders: [String]

  /// Finds them.
  ///
  /// A part that is there twice was made twice, and is the same: the first by name is taken.
  ///
  /// - Throws: ``CorpusError`` if one is missing, cannot be read, or belongs to another corpus.
  package init(path: String) throws(CorpusError) {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw CorpusError(.unreadable, path, "it is no folder that can be read")
    }
    var found: [Int: (folder: String, file: CorpusPartFile)] = [:]
    for name in names.sorted() where !name.contains(CorpusWriter.unfinishedMark) {
      let folder = path + "/" + name
      let described = folder + "/" + CorpusPart.fileName
      guard FileManager.default.fileExists(atPath: described) else { continue }
      guard let data = FileManager.default.contents(atPath: described),
        let file = try? JSONDecoder().decode(CorpusPartFile.self, from: data), file.isSound
      else {
        throw CorpusError(.malformed, described, "it is not what `nearme simulate --part` wrote")
      }
      if found[file.part] == nil { found[file.part] = (folder, file) }
    }
    let sorted = found.sorted { $0.key < $1.key }.map(\.value)
    guard let first = sorted.first?.file else {
      throw CorpusError(
        .malformed,
        path,
        "there is no part in it: make them with --part 1/8 and so on"
      )
    }
    for (folder, file) in sorted where file.asked != first.asked || file.parts != first.parts {
      throw CorpusError(
        .malformed,
        folder,
        "it is a part of another corpus: \(file.asked), and the first one: \(first.asked)"
      )
    }
    guard sorted.map(\.file.part) == Array(1...first.parts) else {
      let missing = (1...first.parts).first { found[$0] == nil } ?? 0
      throw CorpusError(
        .malformed,
        path,
        "part \(missing) of \(first.parts) is missing: make it with --part \(missing)/\(first.parts)"
      )
    }
    files = sorted.map(\.file)
    folders = sorted.map(\.folder)
  }

  /// Puts the days of all parts together; the parts stay as they are.
  package func collect(into writer: inout CorpusWriter) throws(CorpusError) {
    for folder in folders { try writer.add(daysOf: folder) }
  }
}
