import Timeline
import Traces

/// The shape of a track point that expat has read: bytes that stay, and values between them.
///
/// A device writes all its points alike. Where the bytes of a point are those of a template, and the
/// values between them are plain, an XML parser would report the same tags in the same order, so the
/// point is read without one. Whatever differs in a single byte is left to the parser.
struct PointTemplate {
  /// What a value is.
  enum Field: UInt8 {
    case latitude, longitude, time, accuracy, hdop, speed, course
    /// Nothing that is looked at.
    case ignored
  }

  /// A value in the bytes of a point.
  struct Slot {
    var field: Field
    var range: Range<Int>
  }

  /// What an accuracy is where a point has none.
  struct AccuracyRule {
    var defaultMeters: Double
    var metersPerHDOP: Double
    var hdopSource: AccuracySource
  }

  /// Bytes that stay, and the value behind them.
  private struct Part {
    /// Whole words, in ``words`` from here on.
    var firstWord: Int
    var wholeWords: Int
    /// What remains of less than a word.
    var rest: UInt64
    var restMask: UInt64
    var length: Int
    /// Nil behind the last part.
    var field: Field?
  }

  /// Bytes of the shortest point that could match.
  let leastLength: Int
  private let parts: [Part]
  private let words: [UInt64]
  /// Lines that end in the white space before the point, and in all of it.
  private let linesBefore: Int
  private let lines: Int

  /// The parts of a point and the bytes of it at most; no device writes as much.
  private static let mostParts = 48
  private static let mostBytes = 8_192

  // MARK: - Learning

  /// Learns from a point that expat has found well-formed.
  ///
  /// - Parameter bytes: white space before the point, and its element.
  /// - Parameter start: where the element begins in them.
  /// - Parameter captured: where the values of interest were, apart from the coordinates.
  /// - Returns: nil for what has comments, entities and the like, or too much of anything.
  init?(_ bytes: UnsafeRawBufferPointer, start: Int, captured: [Slot]) {
    guard bytes.count <= Self.mostBytes, !bytes.contains(UInt8(ascii: "&")), !bytes.contains(0),
      let slots = Self.slots(bytes, start: start, captured: captured)
    else { return nil }
    var parts: [Part] = []
    var words: [UInt64] = []
    var position = 0
    for (range, field) in slots.map({ ($0.range, Optional($0.field)) }) + [
      (bytes.count..<bytes.count, nil)
    ] {
      guard range.lowerBound >= position, field == nil || !range.isEmpty else { return nil }
      let literal = bytes[position..<range.lowerBound]
      var part = Part(
        firstWord: words.count,
        wholeWords: literal.count / 8,
        rest: 0,
        restMask: 0,
        length: literal.count,
        field: field
      )
      for word in 0..<part.wholeWords {
        words.append(Self.word(bytes, literal.startIndex + word * 8, 8))
      }
      let restCount = literal.count % 8
      part.rest = Self.word(bytes, literal.endIndex - restCount, restCount)
      part.restMask = (1 << UInt64(restCount * 8)) - 1
      parts.append(part)
      position = range.upperBound
    }
    guard parts.count <= Self.mostParts else { return nil }
    self.parts = parts
    self.words = words
    leastLength = parts.reduce(0) { $0 + $1.length + ($1.field == nil ? 0 : 1) }
    linesBefore = Self.countLines(bytes[..<start])
    lines = Self.countLines(bytes[...])
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64($1 * 8) }
  }

  /// Lines as expat counts them: LF, CR, or both together.
  private static func countLines(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var lines = 0
    var before: UInt8 = 0
    for byte in bytes {
      if byte == 0x0D || (byte == 0x0A && before != 0x0D) { lines += 1 }
      before = byte
    }
    return lines
  }

  /// All values of a point in their order; nil where the point should stay with the parser.
  private static func slots(
    _ bytes: UnsafeRawBufferPointer,
    start: Int,
    captured: [Slot]
  ) -> [Slot]? {
    guard let (coordinates, contentStart) = coordinates(bytes, start: start) else { return nil }
    var slots = coordinates
    var fields: [Field] = []
    for var slot in captured {
      // The parser takes the first of several; the others may be anything.
      if fields.contains(slot.field) { slot.field = .ignored }
      fields.append(slot.field)
      slots.append(slot)
    }
    guard fields.contains(.time) else { return nil }
    // Other texts may vary, too.
    var position = contentStart
    while position < bytes.count {
      guard bytes[position] == UInt8(ascii: "<") else {
        let textStart = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") { position += 1 }
        let range = trimmed(bytes, textStart..<position)
        if !range.isEmpty, !slots.contains(where: { $0.range.overlaps(range) }) {
          slots.append(Slot(field: .ignored, range: range))
        }
        continue
      }
      guard let end = endOfTag(bytes, position) else { return nil }
      position = end
    }
    return slots.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  private static func trimmed(
    _ bytes: UnsafeRawBufferPointer,
    _ range: Range<Int>
  ) -> Range<Int> {
    var range = range
    while let first = range.first, bytes[first] <= 0x20 { range = range.dropFirst() }
    while let last = range.last, bytes[last] <= 0x20 { range = range.dropLast() }
    return range
  }

  /// Behind the `>` of a tag; nil for comments, CDATA and instructions.
  private static func endOfTag(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    guard start + 1 < bytes.count, bytes[start + 1] != UInt8(ascii: "!"),
      bytes[start + 1] != UInt8(ascii: "?")
    else { return nil }
    var quote: UInt8 = 0
    for position in start..<bytes.count {
      let byte = bytes[position]
      if quote != 0 {
        if byte == quote { quote = 0 }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: ">") {
        return position + 1
      }
    }
    return nil
  }

  /// The values of `lat` and `lon`, and where the element's content begins.
  private static func coordinates(
    _ bytes: UnsafeRawBufferPointer,
    start: Int
  ) -> (slots: [Slot], contentStart: Int)? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "<"),
      let end = endOfTag(bytes, start)
    else { return nil }
    var slots: [Slot] = []
    var position = start
    while position < end {
      let byte = bytes[position]
      position += 1
      guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
      let valueStart = position
      while position < end, bytes[position] != byte { position += 1 }
      switch attributeName(bytes, before: valueStart - 1) {
      case "lat": slots.append(Slot(field: .latitude, range: valueStart..<position))
      case "lon": slots.append(Slot(field: .longitude, range: valueStart..<position))
      default: break
      }
      position += 1
    }
    return slots.count == 2 ? (slots, end) : nil
  }

  private static func attributeName(_ bytes: UnsafeRawBufferPointer, before quote: Int) -> String {
    var end = quote
    while end > 0, bytes[end - 1] <= 0x20 || bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
    var start = end
    while start > 0, bytes[start - 1] > 0x20 { start -= 1 }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  // MARK: - Reading

  /// How far a run of points went.
  struct Run {
    var points = 0
    var position: UnsafeRawPointer
    var lines = 0
  }

  /// Reads points as long as they match.
  ///
  /// - Parameter start: where the white space before a point begins; zeros must follow the text.
  /// - Parameter row: the row of the first point; there must be room for `limit`.
  func read(
    from start: UnsafeRawPointer,
    into rows: FixColumns.Rows,
    row firstRow: Int,
    limit: Int,
    line firstLine: Int,
    _ rule: AccuracyRule,
    _ values: inout PlainValues
  ) -> Run {
    parts.withUnsafeBufferPointer { parts in
      words.withUnsafeBufferPointer { words in
        var run = Run(position: start)
        var position = start
        var row = firstRow
        var line = firstLine &+ linesBefore
        points: while run.points < limit {
          var latitude = 0.0
          var longitude = 0.0
          var instant: Int64 = 0
          var accuracy = 0.0
          var hdop = 0.0
          var speed = Double.nan
          var course = Double.nan
          for part in parts {
            guard Self.matches(part, words, position) else { break points }
            position += part.length
            switch part.field {
            case .latitude:
              guard let value = values.number(&position) else { break points }
              latitude = value
            case .longitude:
              guard let value = values.number(&position) else { break points }
              longitude = value
            case .time:
              guard let value = values.instant(&position) else { break points }
              instant = value
            case .accuracy:
              guard let value = values.number(&position) else { break points }
              accuracy = value
            case .hdop:
              guard let value = values.number(&position) else { break points }
              hdop = value
            case .speed:
              guard let value = values.number(&position) else { break points }
              speed = value
            case .course:
              guard let value = values.number(&position) else { break points }
              course = value
            case .ignored:
              guard values.skipText(&position) else { break points }
            case nil: break
            }
          }
          // From here on as in `PointBuilder.outcome`; what it refuses is left to it.
          guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180, accuracy >= 0
          else { break }
          var source = AccuracySource.assumed
          var meters = rule.defaultMeters
          if accuracy > 0 {
            source = .reported
            meters = accuracy
          } else if hdop > 0 {
            source = rule.hdopSource
            meters = min(hdop * rule.metersPerHDOP, PointBuilder.farthestMeters)
          }
          guard meters <= PointBuilder.farthestMeters else { break }
          rows.at[row] = instant
          rows.latitude[row] = latitude
          rows.longitude[row] = longitude
          rows.accuracyMeters[row] = meters
          rows.speedMetersPerSecond[row] =
            speed >= 0 && speed <= PointBuilder.fastest ? speed : .nan
          rows.courseDegrees[row] =
            course >= 0 && course <= 360 ? (course == 360 ? 0 : course) : .nan
          rows.line[row] = line
          rows.marks[row] = source.rawValue
          row &+= 1
          line &+= lines
          run.points &+= 1
          run.position = position
        }
        run.lines = run.points * lines
        return run
      }
    }
  }

  @inline(__always)
  private static func matches(
    _ part: Part,
    _ words: UnsafeBufferPointer<UInt64>,
    _ position: UnsafeRawPointer
  ) -> Bool {
    var position = position
    var word = part.firstWord
    let end = word &+ part.wholeWords
    while word < end {
      guard UInt64(littleEndian: position.loadUnaligned(as: UInt64.self)) == words[word] else {
        return false
      }
      word &+= 1
      position += 8
    }
    return UInt64(littleEndian: position.loadUnaligned(as: UInt64.self)) & part.restMask
      == part.rest
  }
}
