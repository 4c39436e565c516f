import Traces

/// Why a line of a live feed was passed over.
///
/// The names are part of the output.
package enum GarbageLine: String, Hashable, Sendable, CaseIterable {
  /// It is neither a JSON object nor a sentence of NMEA 0183.
  case unknown = "unknown_line"
  /// The JSON on it is broken.
  case badJSON = "bad_json"
  /// A JSON object without a position.
  case noPosition = "no_position"
  /// A sentence whose check sum is wrong.
  case badCheckSum = "bad_check_sum"
  /// It is longer than any fix.
  case tooLong = "too_long"
}

/// Reads fixes from a feed that comes bit by bit and need not end: a JSON object a line, or NMEA 0183.
///
/// Each line is looked at by itself, so the two may be mixed, as `gpspipe -r` does. Whatever a line
/// holds, reading goes on with the next one. Nothing is held back but the sentences of one instant of
/// NMEA, which ``settle()`` completes, and fixes of NMEA before the first date.
///
/// - Complexity: O(bytes) in time; memory for one line of at most ``longestLine`` bytes.
package struct FixLineReader {
  /// No fix takes as much; the rest of a longer line is passed over.
  package static let longestLine = 1 << 16

  /// How many lines were passed over, by reason.
  package private(set) var garbage: [GarbageLine: Int] = [:]
  /// The first line that was passed over for a reason.
  package private(set) var firstGarbage: [GarbageLine: Int] = [:]
  /// Lines that have been read, empty ones too.
  package private(set) var lines = 0

  private var nmea: NMEAHandler
  private var sink: RecordSink
  private var json: JSONPoints
  private var line: [UInt8] = []
  private var isTooLong = false
  private let columns = [FixColumns(), FixColumns(), FixColumns()]

  /// Begins a feed.
  package init(_ options: TraceOptions = TraceOptions()) {
    nmea = NMEAHandler(options)
    sink = RecordSink(options)
    json = JSONPoints(options)
  }

  /// Whether some of what came could still be joined by what comes next.
  package var isHoldingBack: Bool { nmea.hasEpoch }

  /// Takes the next bytes.
  ///
  /// - Returns: the points that they complete, in order.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) -> [TraceRecord] {
    var records: [TraceRecord] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      keep(rest[..<end])
      finishLine(isCounted: rest[end] == 0x0A, &records)
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return records
  }

  /// Takes a pause: what is known of the present instant is all that comes.
  package mutating func settle() -> [TraceRecord] {
    var records: [TraceRecord] = []
    nmea.complete(&sink)
    take(from: sink, &records)
    return records
  }

  /// Takes the end.
  package mutating func finish() -> [TraceRecord] {
    var records: [TraceRecord] = []
    if !line.isEmpty || isTooLong { finishLine(isCounted: true, &records) }
    _ = nmea.finish(into: &sink)
    take(from: sink, &records)
    return records
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if line.count + bytes.count > Self.longestLine {
      isTooLong = true
      line.removeAll(keepingCapacity: true)
    } else if !isTooLong {
      line.append(contentsOf: bytes)
    }
  }

  private mutating func finishLine(isCounted: Bool, _ records: inout [TraceRecord]) {
    // A carriage return before a line feed ends the same line.
    if isCounted { lines += 1 }
    let number = isCounted ? lines : lines + 1
    if isTooLong {
      pass(over: .tooLong, number)
    } else if let reason = understand(number, &records) {
      pass(over: reason, number)
    }
    line.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  private mutating func pass(over reason: GarbageLine, _ number: Int) {
    garbage[reason, default: 0] += 1
    if firstGarbage[reason] == nil { firstGarbage[reason] = number }
  }

  /// - Returns: why the line is passed over, or nil.
  private mutating func understand(
    _ number: Int,
    _ records: inout [TraceRecord]
  ) -> GarbageLine? {
    // A mark of UTF-8 at the beginning of a file, and marks between the texts of a JSON sequence.
    let head = line.firstIndex {
      !($0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF)
    }
    guard let head else { return nil }
    if line[head] == UInt8(ascii: "{") { return understandJSON(number, &records) }
    // Loggers put their own time before a sentence.
    guard line.contains(UInt8(ascii: "$")) || line[head] == UInt8(ascii: "!") else {
      return .unknown
    }
    let badBefore = nmea.badSums.count
    let sentencesBefore = nmea.sentences
    let line = line
    line.withUnsafeBufferPointer { _ = nmea.take($0, number: number, into: &sink) }
    take(from: sink, &records)
    if nmea.badSums.count > badBefore { return .badCheckSum }
    return nmea.sentences > sentencesBefore || line[head] == UInt8(ascii: "!") ? nil : .unknown
  }

  private mutating func understandJSON(
    _ number: Int,
    _ records: inout [TraceRecord]
  ) -> GarbageLine? {
    var scanner = JSONScanner()
    var builder = JSONNodeBuilder()
    var node: JSONNode?
    var count = 0
    let body = { (token: JSONScanner.Token, text: UnsafeBufferPointer<UInt8>, _: Int) in
      if builder.isOpen {
        if let complete = builder.take(token, text, line: number) { node = complete }
      } else if token == .beginObject {
        count += 1
        builder.begin(line: number)
      }
    }
    line.withUnsafeBytes { scanner.scan($0, body) }
    scanner.finish(body)
    guard scanner.failure == nil, builder.refusal == nil, count == 1, let node else {
      return .badJSON
    }
    // What the sentences before it were about is over.
    records += settle()
    let before = records.count
    json.add(node, line: number, list: nil)
    json.finish()
    take(from: json.sink, &records)
    return records.count == before ? .noPosition : nil
  }

  /// Points that are part of the way; waypoints of a message are not.
  private func take(from sink: RecordSink, _ records: inout [TraceRecord]) {
    sink.takePoints(into: columns)
    columns[PointKind.track.rawValue].appendRecords(to: &records)
    for columns in columns { columns.removeAll() }
  }
}
