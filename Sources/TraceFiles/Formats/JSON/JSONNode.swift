import Basics
import Timeline
import Traces

/// A piece of JSON that is small enough to be kept: one point, one feature, one visit.
indirect enum JSONNode {
  case null
  case number(Double)
  /// A whole number that a `Double` does not hold to its last digit, with its text.
  case wholeNumber(Double, String)
  /// A number that cannot be used.
  case badNumber
  case string(String)
  case truth(Bool)
  case array([JSONNode])
  case object([(key: String, value: JSONNode)])
  /// The positions below a key `coordinates`, however deep.
  case positions([JSONPosition])
  /// The times below a key that names times of positions.
  case instants([Timestamp?])

  /// The value of a key, the first one where it is there twice.
  subscript(_ keys: String...) -> JSONNode? { self[keys] }

  /// The value of the first of some keys that has one which is not null.
  subscript(_ keys: [String]) -> JSONNode? {
    guard case .object(let members) = self else { return nil }
    for key in keys {
      if let value = members.first(where: { $0.key == key })?.value {
        if case .null = value { continue }
        return value
      }
    }
    return nil
  }

  /// Its elements; empty if it is not an array.
  var elements: [JSONNode] { if case .array(let elements) = self { elements } else { [] } }
  var isTruth: Bool { if case .truth = self { true } else { false } }
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value as text, if it is a number, a text or a truth.
  var scalar: String? {
    switch self {
    case .number(let number): plain(number)
    case .wholeNumber(_, let text): text
    case .string(let text): text
    case .truth(let isTrue): isTrue ? "true" : "false"
    default: nil
    }
  }

  /// The value as text, also that of a short list of such, which is written as JSON: a long one is of the points of a
  /// line, one each.
  var detail: String? {
    guard case .array(let elements) = self else { return scalar }
    guard (1...Self.longestList).contains(elements.count) else { return nil }
    var texts: [String] = []
    for element in elements {
      guard let text = element.scalar else { return nil }
      if case .string = element { texts.append(JSONText.quoted(text)) } else { texts.append(text) }
    }
    return JSONText.array(texts)
  }

  private static let longestList = 64

  /// The value as a number, also if it is a number written as text.
  var field: PointBuilder.NumberField {
    switch self {
    case .number(let number), .wholeNumber(let number, _): .value(number)
    case .string(let text): DecimalText.parse(text).map { .value($0) } ?? .unreadable
    // As a speed, `false` is none.
    case .null, .truth: .absent
    default: .unreadable
    }
  }

  /// The value as an instant.
  func time(_ times: LocalTimes) -> PointBuilder.TimeField {
    switch self {
    case .number(let number), .wholeNumber(let number, _):
      return times.instant(unix: number).map { .value($0) } ?? .unreadable
    case .string(let text) where text.isEmpty: return .absent
    case .string(var text):
      return text.withUTF8 { times.instant($0) }.map { .value($0) } ?? .unreadable
    case .null, .truth: return .absent
    default: return .unreadable
    }
  }
}

/// A position of GeoJSON; a number that cannot be read is NaN.
struct JSONPosition {
  var longitude: Double
  var latitude: Double
  /// Meters; not a number where there are none.
  var elevation: Double
  var line: Int32
  /// Whether it is the first of a line of several.
  var startsPart: Bool
}

/// Builds a piece of JSON from its tokens.
///
/// - Complexity: refuses to hold more than ``mostBytes`` of it, or ``mostPositions``.
struct JSONNodeBuilder {
  static let mostBytes = 4 << 20
  static let mostPositions = 1 << 21

  /// Why it will not hold more.
  private(set) var refusal: String?
  private(set) var firstLine = 0

  /// An open bracket, and where its values begin in `values`.
  private struct Frame {
    let isObject: Bool
    let start: Int
    var key = ""
  }

  private let times: LocalTimes
  private var frames: [Frame] = []
  /// The values of all open brackets, and the keys of those in objects.
  private var values: [(key: String, value: JSONNode)] = []
  private var byteCount = 0
  /// How many arrays are open below a key of positions or times; 0 outside of one.
  private var compactDepth = 0
  private var isCompactTimes = false
  private var positions: [JSONPosition] = []
  private var numbers: [Double] = []
  private var partStarts = true
  private var instants: [Timestamp?] = []

  init(_ times: LocalTimes) { self.times = times }

  /// Whether tokens belong to a piece that has begun.
  var isOpen: Bool { !frames.isEmpty }

  /// Begins a piece.
  mutating func begin(line: Int) {
    frames = [Frame(isObject: true, start: 0)]
    values = []
    byteCount = 0
    firstLine = line
  }

  /// Takes the next token of the piece.
  ///
  /// - Returns: the piece, once it is complete.
  mutating func take(
    _ token: JSONScanner.Token,
    _ text: UnsafeBufferPointer<UInt8>,
    line: Int
  ) -> JSONNode? {
    if compactDepth > 0 {
      takeCompact(token, text, line)
      return nil
    }
    switch token {
    case .beginObject: frames.append(Frame(isObject: true, start: values.count))
    case .beginArray:
      if isCompactKey {
        compactDepth = 1
        positions = []
        instants = []
        numbers = []
        partStarts = true
      } else {
        frames.append(Frame(isObject: false, start: values.count))
      }
    case .endObject, .endArray:
      guard let frame = frames.popLast() else { return nil }
      let parts = values[frame.start...]
      let node: JSONNode = frame.isObject ? .object(Array(parts)) : .array(parts.map(\.value))
      values.removeSubrange(frame.start...)
      return add(node)
    case .key:
      spend(text.count)
      if !frames.isEmpty {
        frames[frames.count - 1].key = String(decoding: text, as: UTF8.self)
      }
    case .string:
      spend(text.count)
      return add(.string(String(decoding: text, as: UTF8.self)))
    case .number: return add(Self.number(text))
    case .truth: return add(.truth(text.first == UInt8(ascii: "t")))
    case .null: return add(.null)
    }
    return nil
  }

  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> JSONNode {
    guard let number = DecimalText.parse(text) else { return .badNumber }
    // Below 2^53 every whole number is its own.
    let isWide =
      number.magnitude >= 0x1p53
      && !text.contains { $0 > UInt8(ascii: "9") || $0 == UInt8(ascii: ".") }
    return isWide ? .wholeNumber(number, String(decoding: text, as: UTF8.self)) : .number(number)
  }

  /// Whether the array that begins is one of positions or of their times.
  private var isCompactKey: Bool {
    guard let frame = frames.last, frame.isObject else { return false }
    return frame.key == "coordinates" || JSONNodeBuilder.timeKeys.contains(frame.key)
  }

  /// - Source: `coordTimes` and `coordinateProperties.times` of togeojson, `times` and `timestamps`
  ///   of others.
  static let timeKeys = ["coordTimes", "times", "timestamps", "coordinateTimes"]

  private mutating func spend(_ count: Int) {
    // An element costs several times what it is long.
    byteCount += count + 16
    if byteCount > JSONNodeBuilder.mostBytes {
      refusal = "one object of more than \(JSONNodeBuilder.mostBytes) bytes"
    }
  }

  private mutating func add(_ node: JSONNode) -> JSONNode? {
    spend(0)
    guard let frame = frames.last else { return node }
    values.append((frame.key, node))
    return nil
  }

  // MARK: - Positions and times

  private mutating func takeCompact(
    _ token: JSONScanner.Token,
    _ text: UnsafeBufferPointer<UInt8>,
    _ line: Int
  ) {
    isCompactTimes = frames.last?.key != "coordinates"
    switch token {
    case .beginArray:
      compactDepth += 1
      numbers.removeAll(keepingCapacity: true)
    case .endArray:
      compactDepth -= 1
      if !isCompactTimes {
        if numbers.isEmpty {
          // The end of a list of positions: what follows is another line.
          partStarts = true
        } else {
          addPosition(line)
        }
        numbers.removeAll(keepingCapacity: true)
      }
      if compactDepth == 0 {
        _ = add(isCompactTimes ? .instants(instants) : .positions(positions))
        positions = []
        instants = []
      }
    case .number, .string:
      if isCompactTimes {
        instants.append(
          token == .string
            ? times.instant(text) : DecimalText.parse(text).flatMap(times.instant(unix:))
        )
      } else if numbers.count < 4 {
        numbers.append(DecimalText.parse(text) ?? .nan)
      }
    case .null:
      if isCompactTimes { instants.append(nil) } else if numbers.count < 4 { numbers.append(.nan) }
    default: break
    }
    if positions.count > JSONNodeBuilder.mostPositions
      || instants.count > JSONNodeBuilder.mostPositions
    {
      refusal = "one line of more than \(JSONNodeBuilder.mostPositions) positions"
    }
  }

  private mutating func addPosition(_ line: Int) {
    positions.append(
      JSONPosition(
        longitude: numbers[0],
        latitude: numbers.count > 1 ? numbers[1] : .nan,
        elevation: numbers.count > 2 ? numbers[2] : .nan,
        line: Int32(clamping: line),
        startsPart: partStarts
      )
    )
    partStarts = false
  }
}
