import Timeline
import Traces

/// Why a line of a live feed was passed over.
///
/// The names are part of the output.
package enum GarbageLine: String, Hashable, Sendable, CaseIterable {
  /// It is neither a JSON object nor a sentence of NMEA 0183.
  case unknown = "unknown_line"
  /// The JSON on it is broken.
  case badJSON = "bad_json"
  /// A JSON object without a position, or a sentence of a receiver that has none.
  case noPosition = "no_position"
  /// A sentence whose check sum is wrong.
  case badCheckSum = "bad_check_sum"
  /// It is longer than any fix.
  case tooLong = "too_long"
  /// A signal without a name, or one whose words are longer than any.
  case badSignal = "bad_signal"
  /// Its topic is of another phone than the first position's: a feed is one person's.
  case anotherDevice = "another_device"
}

/// Reads fixes from a feed that comes bit by bit and need not end: JSON or NMEA 0183, line by line.
///
/// JSON is an object with a position or a signal of the phone, a batch of them as Overland sends it, or
/// a message of OwnTracks, also with something before it: `mosquitto_sub -v` puts the topic there, the
/// recorder's logs time and kind.
/// Messages that are no locations are counted by their own names.
///
/// Each line is looked at by itself, so the two may be mixed, as `gpspipe -r` does. Whatever a line
/// holds, reading goes on with the next one. Nothing is held back but the sentences of one instant of
/// NMEA, which ``settle()`` completes, and fixes of NMEA before the first date.
///
/// - Complexity: O(bytes) in time; memory for one line of at most ``longestLine`` bytes.
package struct FixLineReader {
  /// No batch of fixes takes as much; the rest of a longer line is passed over.
  package static let longestLine = 1 << 22

  /// How many lines were passed over, by reason.
  package private(set) var garbage: [GarbageLine: Int] = [:]
  /// The first line that was passed over for a reason.
  package private(set) var firstGarbage: [GarbageLine: Int] = [:]
  /// Messages that are no locations, such as `encrypted` and `transition`, by kind.
  package private(set) var messages: [String: Int] = [:]
  /// The first line with a message of a kind.
  package private(set) var firstMessage: [String: Int] = [:]
  /// More kinds than OwnTracks has; what follows is counted together.
  private static let mostKinds = 32
  /// Fixes that have been read.
  package private(set) var fixes = 0
  /// Signals that have been read.
  package private(set) var signals = 0
  /// Whose topic the first position had; nil where none had one.
  private var device: [UInt8]?
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

  /// Whether a time of JSON has named no zone; where none is assumed the first tells.
  package var haveTimesNoZone: Bool { json.times.haveNoZone }

  /// Which times of JSON were left out as they may be of two days, as a sentence.
  package var doubts: [String] { json.times.refusedDates.map { [$0] } ?? [] }

  /// Takes the next bytes.
  ///
  /// - Returns: what they complete, in order.
  package mutating func read(_ bytes: UnsafeRawBufferPointer) -> [FeedItem] {
    var items: [FeedItem] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) {
      keep(rest[..<end])
      finishLine(isCounted: rest[end] == 0x0A, &items)
      rest = rest[(end + 1)...]
    }
    keep(rest)
    return items
  }

  /// Takes a pause: what is known of the present instant is all that comes.
  package mutating func settle() -> [FeedItem] {
    var items: [FeedItem] = []
    nmea.complete(&sink)
    take(from: sink, &items)
    return items
  }

  /// Takes the end.
  package mutating func finish() -> [FeedItem] {
    var items: [FeedItem] = []
    if !line.isEmpty || isTooLong { finishLine(isCounted: true, &items) }
    _ = nmea.finish(into: &sink)
    take(from: sink, &items)
    return items
  }

  private mutating func keep(_ bytes: Slice<UnsafeRawBufferPointer>) {
    if line.count + bytes.count > Self.longestLine {
      isTooLong = true
      line.removeAll(keepingCapacity: true)
    } else if !isTooLong {
      line.append(contentsOf: bytes)
    }
  }

  private mutating func finishLine(isCounted: Bool, _ items: inout [FeedItem]) {
    // A carriage return before a line feed ends the same line.
    if isCounted { lines += 1 }
    let number = isCounted ? lines : lines + 1
    if isTooLong {
      pass(over: .tooLong, number)
    } else if let reason = understand(number, &items) {
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
    _ items: inout [FeedItem]
  ) -> GarbageLine? {
    // A mark of UTF-8 at the beginning of a file, and marks between the texts of a JSON sequence.
    let head = line.firstIndex {
      !($0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF)
    }
    guard let head else { return nil }
    let bracket = UInt8(ascii: "{")
    if line[head] == bracket { return understandJSON(from: head, number, &items) }
    if let object = line.firstIndex(of: bracket), !line[..<object].contains(UInt8(ascii: "$")) {
      let isList = line[head] == UInt8(ascii: "[")
      let topic = isList ? nil : MessageTopic.device(of: line[head..<object])
      let reason = understandJSON(from: isList ? head : object, of: topic, number, &items)
      // Text with a bracket in it need not be meant as JSON.
      return reason == .badJSON && !isList ? .unknown : reason
    }
    // Loggers put their own time before a sentence.
    guard line.contains(UInt8(ascii: "$")) || line[head] == UInt8(ascii: "!") else {
      return .unknown
    }
    let badBefore = nmea.badSums.count
    let (sentencesBefore, voidsBefore) = (nmea.sentences, nmea.voids)
    let line = line
    line.withUnsafeBufferPointer { _ = nmea.take($0, number: number, into: &sink) }
    take(from: sink, &items)
    if nmea.badSums.count > badBefore { return .badCheckSum }
    if nmea.voids > voidsBefore { return .noPosition }
    return nmea.sentences > sentencesBefore || line[head] == UInt8(ascii: "!") ? nil : .unknown
  }

  private mutating func understandJSON(
    from start: Int,
    of topic: [UInt8]? = nil,
    _ number: Int,
    _ items: inout [FeedItem]
  ) -> GarbageLine? {
    var scanner = JSONScanner()
    var builder = JSONNodeBuilder(json.times)
    var nodes: [JSONNode] = []
    var count = 0
    let body = { (token: JSONScanner.Token, text: UnsafeBufferPointer<UInt8>, _: Int) in
      if builder.isOpen {
        if let complete = builder.take(token, text, line: number) { nodes.append(complete) }
      } else if token == .beginObject {
        count += 1
        builder.begin(line: number)
      }
    }
    let isList = line[start] == UInt8(ascii: "[")
    line.withUnsafeBytes { scanner.scan(UnsafeRawBufferPointer(rebasing: $0[start...]), body) }
    scanner.finish(body)
    guard scanner.failure == nil, builder.refusal == nil, !builder.isOpen, count == nodes.count,
      isList || count == 1
    else { return .badJSON }
    // What the sentences before it were about is over.
    items += settle()
    let before = items.count
    var hasMessage = false
    for node in nodes {
      if let kind = node["_type"]?.text, kind != "location" {
        note(message: kind, number)
        hasMessage = true
      } else if node["signal"] != nil {
        guard let signal = FeedSignal(node, json.times) else {
          pass(over: .badSignal, number)
          hasMessage = true
          continue
        }
        signals += 1
        items.append(.signal(signal))
      } else if let topic, let device, !MessageTopic.areSame(topic, device) {
        pass(over: .anotherDevice, number)
        hasMessage = true
      } else {
        json.addMessage(node, line: number)
      }
    }
    json.finish()
    take(from: json.sink, &items)
    if device == nil, items[before...].contains(where: { $0.point?.fix != nil }) { device = topic }
    return items.count == before && !hasMessage ? .noPosition : nil
  }

  private mutating func note(message kind: String, _ number: Int) {
    // The kinds are those of OwnTracks; anything else in their place is not repeated.
    let isName =
      kind.utf8.allSatisfy { (0x61...0x7A).contains($0) } && (1...20).contains(kind.count)
    var name = isName ? kind : "other"
    if messages[name] == nil, messages.count >= Self.mostKinds { name = "other" }
    messages[name, default: 0] += 1
    if firstMessage[name] == nil { firstMessage[name] = number }
  }

  /// Points that are part of the way; waypoints of a message are not.
  private mutating func take(from sink: RecordSink, _ items: inout [FeedItem]) {
    sink.takePoints(into: columns)
    fixes += columns[PointKind.track.rawValue].count
    var records: [TraceRecord] = []
    columns[PointKind.track.rawValue].appendRecords(to: &records)
    items += records.map { .point($0) }
    for columns in columns { columns.removeAll() }
  }
}
