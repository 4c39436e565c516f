import Traces

/// The formats of traces that can be read.
package enum TraceFormat: String, Hashable, Sendable, CaseIterable {
  /// GPX 1.0 and 1.1.
  case gpx

  /// Bytes of a file that are enough to recognise it, its first blanks aside.
  static let headSize = 4_096

  /// Why a file is none of them.
  struct Unrecognised: Error {
    let problem: String
    let advice: String
  }

  /// The words for messages.
  package var name: String {
    switch self {
    case .gpx: "GPX"
    }
  }

  // MARK: - Recognition

  /// Whether a file is no text, so that no byte of it is a blank.
  static func isBinary(_ head: UnsafeRawBufferPointer) -> Bool { isFIT(head) }

  /// Recognises a format by the first bytes of a file.
  static func recognise(_ head: UnsafeRawBufferPointer) throws(Unrecognised) -> TraceFormat {
    func starts(_ bytes: some Sequence<UInt8>) -> Bool { head.starts(with: bytes) }
    guard let first = head.first else {
      throw Unrecognised(problem: "the file is empty", advice: "give a trace")
    }
    let looks: String
    if first == UInt8(ascii: "<") || first == 0 || starts([0xEF, 0xBB, 0xBF])
      || starts([0xFF, 0xFE]) || starts([0xFE, 0xFF])
    {
      return .gpx
    } else if starts("PK".utf8) {
      looks = "a zip archive; unpack it first"
    } else if starts([0xFD, 0x37, 0x7A, 0x58, 0x5A]) {
      looks = "an xz file; unpack it first"
    } else if starts([0x28, 0xB5, 0x2F, 0xFD]) {
      looks = "a zstd file; unpack it first"
    } else if starts([0x1F, 0x8B]) || starts("BZh".utf8) {
      looks = "packed twice; unpack it first"
    } else if starts("SQLite format 3".utf8) {
      looks = "an SQLite database"
    } else if isFIT(head) {
      looks = "a FIT file"
    } else if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      looks = "JSON"
    } else if first == UInt8(ascii: "$") {
      looks = "NMEA sentences"
    } else if head.prefix(64).allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 9 || $0 == 10 }) {
      looks = "plain text or CSV"
    } else {
      looks = "binary data"
    }
    throw Unrecognised(
      problem: "this is no trace that can be read; it looks like \(looks)",
      advice: "give a GPX file, packed with gzip, bzip2 or zip, or not"
    )
  }

  private static func isFIT(_ head: UnsafeRawBufferPointer) -> Bool {
    head.count >= 12 && head[8..<12].elementsEqual(".FIT".utf8)
  }

  /// The files of an archive that are traces, by the ends of their names.
  static func traces(among names: [String]) -> [String] {
    names.filter { name in
      let file = name.split(separator: "/").last ?? ""
      guard !file.hasPrefix("."), !name.hasPrefix("__MACOSX/") else { return false }
      var endings = file.lowercased().split(separator: ".").dropFirst()
      if let last = endings.last, last == "gz" || last == "bz2" { endings.removeLast() }
      return endings.last.map { traceEndings.contains(String($0)) } ?? false
    }
  }

  private static let traceEndings: Set<String> = ["gpx"]

  // MARK: - Reading

  func makeParser(_ options: TraceOptions) throws(OutOfMemory) -> any TraceParser {
    switch self {
    case .gpx: try GPXParser(options: options)
    }
  }

  /// The kind of points to deliver of what a parser has counted; nil while it is not certain.
  func kind(_ parser: any TraceParser, isAtEnd: Bool) -> PointKind? {
    let order = PointKind.allCases
    if let first = order.first, parser.pointCounts[first.rawValue] > 0 { return first }
    guard isAtEnd else { return nil }
    return order.first { parser.pointCounts[$0.rawValue] > 0 }
  }

  /// What to do about a file without times.
  var adviceWithoutTimes: String {
    "a replay needs times: export the recorded track, not a planned route"
  }
}
