import Basics
import Traces

/// What a format does with its lines.
protocol LineHandler {
  /// Takes a line without its end.
  ///
  /// - Returns: why reading must stop, or nil.
  mutating func take(
    _ line: UnsafeBufferPointer<UInt8>,
    number: Int,
    into sink: inout RecordSink
  ) -> ParseFailure?

  /// Notes the end.
  mutating func finish(into sink: inout RecordSink) -> ParseFailure?

  /// How the file was understood, where that is a guess.
  var understanding: String? { get }

  /// Whether a time has named no zone, where times of the format may.
  var haveTimesNoZone: Bool { get }

  /// What the file could mean as well, and how it was taken, as sentences.
  var doubts: [String] { get }

  /// The format, where only reading it shows which it is.
  var format: TraceFormat? { get }
}

extension LineHandler {
  mutating func finish(into sink: inout RecordSink) -> ParseFailure? { nil }
  var understanding: String? { nil }
  var haveTimesNoZone: Bool { false }
  var doubts: [String] { [] }
  var format: TraceFormat? { nil }
}

/// Reads a format of lines.
///
/// - Complexity: O(bytes) in time; memory for one line of at most ``longestLine`` bytes.
final class LineParser<Handler: LineHandler>: TraceParser {
  /// No line of any of the formats is longer; it would be kept in memory.
  private let longestLine = 1 << 20

  private var handler: Handler
  private var sink: RecordSink
  private var line: [UInt8] = []
  private var lineNumber = 1
  private var byteOffset = 0
  private(set) var failure: ParseFailure?

  init(_ handler: Handler, _ options: TraceOptions) {
    self.handler = handler
    sink = RecordSink(options)
  }

  var pointCounts: [Int] { sink.pointCounts }
  var timedCounts: [Int] { sink.timedCounts }
  var understanding: String? { handler.understanding }
  var haveTimesNoZone: Bool { handler.haveTimesNoZone }
  var doubts: [String] { handler.doubts }
  var format: TraceFormat? { handler.format }

  var details: DetailColumns? { sink.details }
  func takePoints(into columns: [FixColumns]) { sink.takePoints(into: columns) }

  func skip(bytes: Int, lines: Int) {
    byteOffset += bytes
    lineNumber += lines
  }

  func parse(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes.bindMemory(to: UInt8.self)[...]
    while failure == nil, let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      // A carriage return alone ends a line, too; before a line feed it makes an empty one more.
      let isFeed = rest[end] == 0x0A
      if line.isEmpty {
        take(UnsafeBufferPointer(rebasing: rest[..<end]))
      } else {
        line.append(contentsOf: rest[..<end])
        line.withUnsafeBufferPointer { take($0) }
        line.removeAll(keepingCapacity: true)
      }
      if isFeed { lineNumber += 1 }
      byteOffset += end + 1 - rest.startIndex
      rest = rest[(end + 1)...]
    }
    guard failure == nil else { return }
    line.append(contentsOf: rest)
    byteOffset += rest.count
    if line.count > longestLine {
      failure = ParseFailure(
        code: .excessive,
        problem: "the line is longer than \(longestLine) bytes",
        advice: "export the file again",
        line: lineNumber,
        byteOffset: byteOffset
      )
    }
  }

  func finish() {
    guard failure == nil else { return }
    if !line.isEmpty { line.withUnsafeBufferPointer { take($0) } }
    line = []
    if failure == nil { failure = handler.finish(into: &sink) }
  }

  func abandon() { _ = handler.finish(into: &sink) }

  private func take(_ line: UnsafeBufferPointer<UInt8>) {
    guard line.contains(where: { $0 > 0x20 }) else { return }
    failure = handler.take(line, number: lineNumber, into: &sink)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The parts between commas.
  func split(comma: UInt8 = UInt8(ascii: ",")) -> [UnsafeBufferPointer<UInt8>] {
    split(separator: comma, omittingEmptySubsequences: false).map { .init(rebasing: $0) }
  }

  /// A number, an empty text being none.
  var field: PointBuilder.NumberField {
    if allSatisfy({ $0 <= 0x20 }) { return .absent }
    return DecimalText.parse(self).map { .value($0) } ?? .unreadable
  }

  /// So many digits as a number; nil for more than a number can hold, 18.
  func digits(_ start: Int, _ count: Int) -> Int? {
    guard count <= 18, start + count <= self.count else { return nil }
    var value = 0
    for index in start..<(start + count) {
      let digit = self[index] &- 0x30
      guard digit <= 9 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }
}
