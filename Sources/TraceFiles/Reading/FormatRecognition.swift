import Basics
import Timeline
import Traces

/// What the first bytes of a file say about it.
struct FormatRecognition {
  /// How the characters are stored.
  enum Encoding {
    /// UTF-8, or anything else that has ASCII in its lower half.
    case bytes
    case utf16Little, utf16Big
  }

  let format: TraceFormat
  /// For XML always `bytes`: expat sees for itself.
  let encoding: Encoding
  /// Bytes of the mark before the text that are not of the text.
  let markSize: Int

  /// Why a file is not a trace.
  struct Unrecognized: Error {
    let problem: String
    let advice: String
  }

  /// Bytes that are enough, blanks at the beginning and what stands before the root of XML aside.
  static let headSize = 4_096

  /// Recognizes a format by the first bytes of a file.
  init(_ head: UnsafeRawBufferPointer, _ options: TraceOptions) throws(Unrecognized) {
    guard !head.isEmpty else {
      throw Unrecognized(problem: "the file is empty", advice: "give a trace")
    }
    if FormatRecognition.isFIT(head) {
      self.init(format: .fit, encoding: .bytes, markSize: 0)
      return
    }
    let (encoding, markSize) = FormatRecognition.mark(of: head)
    let text = FormatRecognition.firstLetters(head)
    if text.first == UInt8(ascii: "<") {
      // The reader of GPX says what a document of another root is.
      self.init(format: FormatRecognition.xml(head) ?? .gpx, encoding: .bytes, markSize: 0)
      return
    }
    let format = text.withUnsafeBytes { FormatRecognition.textFormat($0, options) }
    guard let format else { throw FormatRecognition.refusal(head, text) }
    self.init(format: format, encoding: encoding, markSize: markSize)
  }

  /// How the characters are stored, and the bytes of the mark that says so.
  private static func mark(of head: UnsafeRawBufferPointer) -> (encoding: Encoding, size: Int) {
    if head.starts(with: byteOrderMark) { return (.bytes, byteOrderMark.count) }
    if head.starts(with: [0xFF, 0xFE]) { return (.utf16Little, 2) }
    if head.starts(with: [0xFE, 0xFF]) { return (.utf16Big, 2) }
    // XML needs no mark.
    if head.starts(with: [0x3C, 0]) { return (.utf16Little, 0) }
    return (head.starts(with: [0, 0x3C]) ? .utf16Big : .bytes, 0)
  }

  /// The letters that are enough.
  private static func firstLetters(_ head: UnsafeRawBufferPointer) -> [UInt8] {
    letters(UnsafeRawBufferPointer(rebasing: head.prefix(mark(of: head).size + headSize)))
  }

  /// The letters of a text, from the first that is no blank.
  private static func letters(_ head: UnsafeRawBufferPointer) -> [UInt8] {
    let (encoding, markSize) = mark(of: head)
    var text = Array(head.dropFirst(markSize))
    if encoding != .bytes {
      // All that tells formats apart is ASCII.
      text = stride(from: 0, to: text.count & ~1, by: 2)
        .map { text[$0] == 0 ? text[$0 + 1] : text[$0 + 1] == 0 ? text[$0] : 0x3F }
    }
    text.removeFirst(text.prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }.count)
    return text
  }

  private init(format: TraceFormat, encoding: Encoding, markSize: Int) {
    self.format = format
    self.encoding = encoding
    self.markSize = markSize
  }

  /// Whether a file is not text, so that no byte of it is a blank.
  static func isBinary(_ head: UnsafeRawBufferPointer) -> Bool { isFIT(head) }

  /// Whether the first bytes say already what whatever follows them cannot change: JSON, the first lines
  /// of NMEA or of a log of messages, or the header of a table.
  static func isDecided(by head: UnsafeRawBufferPointer, _ options: TraceOptions) -> Bool {
    guard let first = head.first, first != UInt8(ascii: "<") else { return false }
    if isJSON(first), !isBracketed(head) { return true }
    guard let end = head.lastIndex(of: 0x0A) else { return false }
    let lines = UnsafeRawBufferPointer(rebasing: head[..<end])
    return isNMEA(lines) || isMessages(lines) || isREC(lines.prefix { $0 != 0x0A && $0 != 0x0D })
      || textFormat(lines, options) == .csv
  }

  /// The marks of a sequence of JSON texts, then JSON.
  private static func isJSON(_ first: UInt8) -> Bool {
    first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == 0x1E
  }

  /// Whether a text may begin with a logger's own time, as `[2024-06-15 08:00:00]`, and not with a list of objects.
  private static func isBracketed(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.first == UInt8(ascii: "["),
      let next = text.dropFirst().first(where: { $0 > 0x20 })
    else { return text.first == UInt8(ascii: "[") }
    return next &- 0x30 <= 9 || (next | 0x20) &- UInt8(ascii: "a") < 26
  }

  /// Whether a text begins with a mark of UTF-16 and a letter of ASCII.
  static func isUTF16(marked head: UnsafeRawBufferPointer) -> Bool {
    guard head.count >= 4 else { return false }
    return head.starts(with: [0xFF, 0xFE]) && head[3] == 0
      || head.starts(with: [0xFE, 0xFF]) && head[2] == 0
  }

  private static func isFIT(_ head: UnsafeRawBufferPointer) -> Bool {
    head.count >= 12 && head[8..<12].elementsEqual(".FIT".utf8)
  }

  // MARK: - XML

  /// Whether a line begins a document of XML: a declaration, a comment, or a root that is known.
  static func isDocument(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let name = rootName(line)
    return ["?", "!"].contains(name.prefix(1))
      || ["gpx", "kml", "trainingcenterdatabase"].contains(name)
  }

  /// The local name of an element at whose beginning a text begins, in small letters.
  private static func rootName(_ text: some Collection<UInt8>) -> String {
    let name = text.dropFirst()
      .prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
    let local = name.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).last
    return String(decoding: local ?? name[...], as: UTF8.self).lowercased()
  }

  /// Whether a document's declarations and comments go on behind the bytes that are there.
  static func isBeforeRoot(_ head: UnsafeRawBufferPointer) -> Bool {
    firstLetters(head).first == UInt8(ascii: "<") && xml(head) == nil
  }

  /// The format of a document by its root element, which most have near their beginning.
  private static func xml(_ head: UnsafeRawBufferPointer) -> TraceFormat? {
    xml(firstLetters(head)) ?? xml(letters(head))
  }

  /// The format of a document by its root element, GPX for an unknown one; nil if the root is not there.
  private static func xml(_ text: [UInt8]) -> TraceFormat? {
    var rest = text[...]
    while rest.first == UInt8(ascii: "<") {
      let end: [UInt8]
      if rest.starts(with: "<?".utf8) {
        end = Array("?>".utf8)
      } else if rest.starts(with: "<!--".utf8) {
        end = Array("-->".utf8)
      } else if rest.starts(with: "<!".utf8) {
        end = Array(">".utf8)
      } else {
        // A name that goes on is not known yet.
        guard rest.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: ">") }) else { return nil }
        switch rootName(rest) {
        case "kml": return .kml
        case "trainingcenterdatabase": return .tcx
        default: return .gpx
        }
      }
      while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
      rest = rest.dropFirst(end.count).drop { $0 <= 0x20 }
    }
    return rest.isEmpty ? nil : .gpx
  }

  // MARK: - Text

  private static func textFormat(
    _ text: UnsafeRawBufferPointer,
    _ options: TraceOptions
  ) -> TraceFormat? {
    guard let first = text.first else { return nil }
    let line = text.prefix { $0 != 0x0A && $0 != 0x0D }
    if isJSON(first), !isBracketed(text) || !isNMEA(text) { return .json }
    if isNMEA(text) { return .nmea }
    if isPLT(line) { return .plt }
    if isIGC(text) { return .igc }
    if isREC(line) || options.columns == nil && isMessages(text) { return .ownTracks }
    guard isText(text) else { return nil }
    return options.columns != nil || CSVParser.isTable(text) ? .csv : nil
  }

  /// Whether one of the first lines is a sentence: loggers put their own lines before it.
  private static func isNMEA(_ text: UnsafeRawBufferPointer) -> Bool {
    let lines = text.split(maxSplits: 32, whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(32)
    return lines.contains { line in
      guard let start = line.prefix(40).firstIndex(of: UInt8(ascii: "$")) else { return false }
      let name = line[(start + 1)...].prefix { $0 != UInt8(ascii: ",") }
      return name.count == 5 && name.allSatisfy { (0x41...0x5A).contains($0) || $0 &- 0x30 <= 9 }
        && line[(start + 1)...].contains(UInt8(ascii: ","))
    }
  }

  /// Whether a line is the first of OziExplorer's tracks, or of GeoLife's.
  static func isPLT(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.starts(with: "Geolife trajectory".utf8)
      || line.starts(with: "OziExplorer Track Point File".utf8)
  }

  /// Whether it begins with the record `A` of the maker, and goes on with headers or fixes.
  private static func isIGC(_ text: UnsafeRawBufferPointer) -> Bool {
    let lines = text.split(maxSplits: 8, whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(8)
    return lines.first.map(isIGCMaker) ?? false && lines.dropFirst().contains(where: isIGCRecord)
  }

  /// Whether a line can be the record `A` of the maker.
  static func isIGCMaker(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.first == UInt8(ascii: "A") && line.count >= 4
      && line.prefix(4).allSatisfy { (0x41...0x5A).contains($0 & 0xDF) || $0 &- 0x30 <= 9 }
  }

  /// Whether a line is a header or a fix.
  static func isIGCRecord(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    line.starts(with: "HF".utf8) || line.starts(with: "HO".utf8) || line.starts(with: "HP".utf8)
      || line.first == UInt8(ascii: "B") && line.count > 6
        && line.dropFirst().prefix(6).allSatisfy { $0 &- 0x30 <= 9 }
  }

  /// Whether a line is an instant, a kind of message, and the message.
  private static func isREC(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
    let time = line.prefix { $0 > 0x20 }
    guard time.count >= 19, time.count <= 32, line.count > time.count else { return false }
    guard Array(time).withUnsafeBufferPointer(RFC3339.parse) != nil else { return false }
    let rest = line.dropFirst(time.count).drop { $0 <= 0x20 }
    return rest.contains(UInt8(ascii: "{")) || rest.first == UInt8(ascii: "*")
  }

  /// Whether one of the first lines is a topic and a message: there are messages that are no JSON.
  private static func isMessages(_ text: UnsafeRawBufferPointer) -> Bool {
    let lines = text.split(maxSplits: 32, whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(32)
    return lines.contains(where: MessageTopic.begins)
  }

  private static func isText(_ text: UnsafeRawBufferPointer) -> Bool {
    text.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
  }

  // MARK: - Refusals

  private static func refusal(_ head: UnsafeRawBufferPointer, _ text: [UInt8]) -> Unrecognized {
    func starts(_ bytes: some Sequence<UInt8>) -> Bool { head.starts(with: bytes) }
    let known =
      "known are GPX, CSV, GeoJSON, Google's location history, OwnTracks, Overland, NMEA, KML, TCX, "
      + "IGC, PLT and FIT, also in gzip, bzip2 or zip"
    if text.isEmpty { return Unrecognized(problem: "the file is empty", advice: "give a trace") }
    let looks: String
    if starts("PK".utf8) {
      looks = "a damaged zip archive; copy or download it again"
    } else if starts([0xFD, 0x37, 0x7A, 0x58, 0x5A]) {
      looks = "an xz file; unpack it first"
    } else if starts([0x28, 0xB5, 0x2F, 0xFD]) {
      looks = "a zstd file; unpack it first"
    } else if starts([0x1F, 0x8B]) || starts("BZh".utf8) {
      looks = "packed twice; unpack it first"
    } else if starts("SQLite format 3".utf8) {
      looks = "an SQLite database"
    } else if isUTF16(text) {
      looks = "UTF-16 text without a mark at its beginning; save it as UTF-8"
    } else if holdsTracks(text) {
      return Unrecognized(
        problem:
          "this is no trace that can be read; it looks like CSV with a whole track in each row, "
          + "whose points have no times of their own",
        advice: "write a row for each position, as time,lat,lon; " + known
      )
    } else if text.prefix(256).allSatisfy({ $0 >= 0x20 || (0x09...0x0D).contains($0) }) {
      return Unrecognized(
        problem: "this is no trace that can be read; it looks like plain text, or CSV whose header "
          + "names no columns for latitude and longitude",
        advice: "say which they are: --columns time=COLUMN,lat=COLUMN,lon=COLUMN; " + known
      )
    } else {
      looks = "binary data"
    }
    return Unrecognized(
      problem: "this is no trace that can be read; it looks like \(looks)",
      advice: known
    )
  }

  /// Whether every other byte is zero, as in ASCII text of two bytes a character.
  private static func isUTF16(_ text: [UInt8]) -> Bool {
    let some = text.prefix(256)
    guard some.count >= 8 else { return false }
    for offset in 0...1 {
      let zeros = stride(from: offset, to: some.count, by: 2).count { some[$0] == 0 }
      let others = stride(from: 1 - offset, to: some.count, by: 2).count { some[$0] == 0 }
      if zeros * 2 >= some.count * 4 / 5, others == 0 { return true }
    }
    return false
  }

  /// Whether the second row holds a list of positions: JSON, WKT, or pairs behind one another.
  private static func holdsTracks(_ text: [UInt8]) -> Bool {
    let rows = text.split(maxSplits: 2, whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    guard rows.count > 1, rows[0].contains(where: { $0 == 0x2C || $0 == 0x3B }),
      rows[0].first != UInt8(ascii: "{"), rows[0].first != UInt8(ascii: "[")
    else { return false }
    let row = String(decoding: rows[1], as: UTF8.self).uppercased()
    return row.contains("[[") || row.contains("LINESTRING")
  }

  /// The files of an archive that are traces, by the ends of their names; where none is, those of texts and logs.
  static func traces(among names: [String]) -> [String] {
    // What KMZ says which of its files it is.
    if names.contains("doc.kml") { return ["doc.kml"] }
    let found = files(among: names, ending: traceEndings)
    return found.isEmpty ? files(among: names, ending: ["txt", "log"]) : found
  }

  private static func files(among names: [String], ending known: Set<String>) -> [String] {
    names.filter { name in
      let file = name.split(separator: "/").last ?? ""
      guard !file.hasPrefix("."), !name.hasPrefix("__MACOSX/") else { return false }
      var endings = file.lowercased().split(separator: ".").dropFirst()
      if let last = endings.last, last == "gz" || last == "bz2" { endings.removeLast() }
      return endings.last.map { known.contains(String($0)) } ?? false
    }
  }

  private static let traceEndings: Set<String> = [
    "gpx", "csv", "tsv", "json", "geojson", "geojsonl", "jsonl", "ndjson", "rec", "nmea", "nma",
    "kml",
    "tcx", "igc", "plt", "fit",
  ]
}
