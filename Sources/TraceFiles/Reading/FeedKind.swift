import Basics
import Traces

/// What a feed brings: fixes line by line for as long as it lasts, or one whole trace.
///
/// Lines are what a receiver, a tracker or a broker sends, where one that is broken is passed over. A trace is a
/// file that somebody hands in, where what is broken ends it.
package enum FeedKind: Hashable, Sendable {
  case lines, trace

  /// Bytes that are enough: the first line of a table, a document or a batch is no longer, and blanks before it are few.
  package static let headSize = FormatRecognition.headSize

  /// Decides by the first bytes; nil while they are too few.
  ///
  /// It depends on the bytes and not on the pieces they come in: what more of a feed decides is what less of it
  /// does, if that decides at all.
  ///
  /// - Parameter isAll: whether no more bytes come.
  package init?(_ head: UnsafeRawBufferPointer, isAll: Bool, options: TraceOptions) {
    // Times that are to be made up are those of a whole way.
    if options.assumedMotion != nil {
      self = .trace
      return
    }
    let isAll = isAll || head.count >= Self.headSize
    let head = UnsafeRawBufferPointer(rebasing: head.prefix(Self.headSize))
    for begin in FeedKind.binary where head.starts(with: begin) {
      self = .trace
      return
    }
    let isShort = head.count < 12 && !isAll
    if let first = head.first, FeedKind.binaryBegins.contains(first) {
      if isShort { return nil }
      let isMark = FormatRecognition.isUTF16(marked: head)
      if FormatRecognition.isBinary(head) || isMark {
        self = .trace
        return
      }
    }
    // What lines may begin with: blanks, a mark of UTF-8, those of a sequence of JSON texts.
    let text = head.drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    guard !text.isEmpty else {
      if !isAll { return nil }
      self = .lines
      return
    }
    var lines = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
    let isOpen = text.last != 0x0A && text.last != 0x0D
    if isOpen, !isAll { lines.removeLast() }
    guard let first = lines.first else { return nil }
    if FeedKind.isWhole(
      first,
      isLong: isOpen && lines.count == 1 && head.count == Self.headSize,
      options
    ) {
      self = .trace
    } else if let decided = FeedKind.isFlight(lines, isAll: isAll) {
      self = decided ? .trace : .lines
    } else {
      return nil
    }
  }

  /// Files of tracks and of other things, which ``TraceReader`` reads or calls by their names.
  private static let binary: [[UInt8]] = [
    [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x28, 0xB5, 0x2F, 0xFD], [0x1F, 0x8B], Array("BZh".utf8),
    Array("SQLite format 3".utf8), [0x3C, 0], [0, 0x3C],
  ]
  /// What FIT and the marks of UTF-16 begin with.
  private static let binaryBegins: [UInt8] = [0x0C, 0x0E, 0xFE, 0xFF]

  /// What Google's exports have, also where they are one line.
  private static let exports = ["\"timelineObjects\"", "\"semanticSegments\""]
  /// What a line has that goes on and begins a file of GeoJSON; a short file of one line is as well read as a line.
  private static let longExports = exports + ["\"FeatureCollection\"", "\"features\""]

  /// Whether a line is the beginning of a document, or the header of a table or a track.
  ///
  /// - Parameter isLong: whether it goes on behind the head.
  private static func isWhole(
    _ line: Slice<UnsafeRawBufferPointer>,
    isLong: Bool,
    _ options: TraceOptions
  ) -> Bool {
    guard let first = line.first else { return false }
    let last = line.last { $0 > 0x20 }
    switch first {
    case UInt8(ascii: "<"):
      return FormatRecognition.isDocument(line)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // A batch that a tracker sends is a line; what goes on behind its first line was written to be read by people.
      if !isLong, last == UInt8(ascii: "{") || last == UInt8(ascii: "[") { return true }
      // A list with an object on each line.
      if !isLong, first == UInt8(ascii: "["), last == UInt8(ascii: ",") { return true }
      let text = String(decoding: line, as: UTF8.self)
      let isWholeLine = last == UInt8(ascii: "}") || last == UInt8(ascii: "]")
      return (isLong || !isWholeLine ? longExports : exports).contains { text.contains($0) }
    default:
      guard !line.contains(UInt8(ascii: "{")), !line.contains(UInt8(ascii: "$")),
        first != UInt8(ascii: "!")
      else { return false }
      return options.columns != nil || FormatRecognition.isPLT(line)
        || TableSeparator.named(by: Array(line)) != nil
        || CSVParser.isTable(UnsafeRawBufferPointer(rebasing: line))
    }
  }

  /// Whether the lines are a flight's log; nil while they could become one.
  private static func isFlight(_ lines: [Slice<UnsafeRawBufferPointer>], isAll: Bool) -> Bool? {
    guard let first = lines.first, FormatRecognition.isIGCMaker(first) else { return false }
    for line in lines.dropFirst().prefix(7) {
      if FormatRecognition.isIGCRecord(line) { return true }
      guard let letter = line.first, (UInt8(ascii: "A")...UInt8(ascii: "L")).contains(letter) else {
        return false
      }
    }
    return isAll || lines.count >= 8 ? false : nil
  }
}
