/// Cuts a stream of GeoJSON into its features without holding more than one of them.
///
/// Knows strings, braces and brackets, and nothing else: each piece is parsed by itself, so that a
/// bad feature costs only that feature.
///
/// - Source: RFC 7946 (collections), RFC 8142 (a feature a line, with or without marks).
struct GeoJSONScanner {
  /// A feature longer than this is skipped.
  ///
  /// Its values take some forty times its bytes; an outline of 100,000 points has about half of it.
  static let longestFeature = 4 << 20

  /// A piece of the file that should be a feature.
  enum Piece {
    case feature
    case tooLong
    case unterminated
  }

  /// Why the file as a whole cannot be cut.
  struct Failure: Error {
    let line: Int
    let reason: String
  }

  /// The bytes of the piece that is handed over.
  private(set) var buffer: [UInt8] = []
  /// The line on which the piece starts.
  private(set) var pieceLine = 1

  private var line = 1
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isTooLong = false
  private var isInCollection = false
  private var hasSeenCollection = false
  private var hasLineFeed = false
  /// Whether every feature so far has been on a line of its own.
  private var isLineDelimited = false
  /// The depth at which features begin: 2 in a collection.
  private var featureDepth: Int { isInCollection ? 2 : 0 }
  /// The last text at depth 1, to know the key `features`.
  private var key: [UInt8] = []
  private static let features = Array("features".utf8)

  /// Takes the next bytes.
  mutating func scan<Thrown: Error>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void,
    fail: (Failure) -> Thrown
  ) throws(Thrown) {
    for byte in bytes {
      if byte == 0x0A {
        try endLine(body)
        line += 1
      }
      if isInString {
        keep(byte)
        scanString(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "\""):
        guard depth > 0 else { throw fail(failure("text outside of a feature")) }
        keep(byte)
        isInString = true
        if depth == 1 { key.removeAll(keepingCapacity: true) }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if byte == UInt8(ascii: "["), depth == 0 {
          throw fail(failure("a list where an object is needed"))
        }
        open(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard depth > 0 else { throw fail(failure("a bracket too many")) }
        depth -= 1
        keep(byte)
        if isInCollection, depth == 1 {
          isInCollection = false
          buffer.removeAll(keepingCapacity: true)
        } else if depth == featureDepth, byte == UInt8(ascii: "}") {
          try finish(body)
        }
      default:
        keep(byte)
        guard depth == 0 else { continue }
        let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0x1E
        let isMark = line == 1 && [0xEF, 0xBB, 0xBF].contains(byte)
        guard isBlank || isMark else { throw fail(failure("text outside of a feature")) }
      }
    }
  }

  private func failure(_ reason: String) -> Failure { Failure(line: line, reason: reason) }

  private mutating func keep(_ byte: UInt8) {
    guard depth > featureDepth || byte == UInt8(ascii: "}"), !isTooLong else { return }
    buffer.append(byte)
    if buffer.count > Self.longestFeature {
      isTooLong = true
      buffer.removeAll()
    }
  }

  private mutating func scanString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      return
    }
    if depth == 1, key.count < 16 { key.append(byte) }
  }

  private mutating func open(_ byte: UInt8) {
    if depth == 1, byte == UInt8(ascii: "["), key == Self.features {
      isInCollection = true
      hasSeenCollection = true
      buffer.removeAll(keepingCapacity: true)
      isTooLong = false
      depth = 2
      return
    }
    if depth == featureDepth {
      buffer.removeAll(keepingCapacity: true)
      isTooLong = false
      pieceLine = line
      hasLineFeed = false
    }
    depth += 1
    keep(byte)
  }

  private mutating func finish<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    // The closing brace of a collection: what came before its features is not one.
    if !isInCollection, hasSeenCollection {
      hasSeenCollection = false
      buffer.removeAll(keepingCapacity: true)
      return
    }
    if !isInCollection { isLineDelimited = !hasLineFeed }
    try body(isTooLong ? .tooLong : .feature, &self)
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  /// Where each feature has its line, one that does not end there is broken; the next may be sound.
  private mutating func endLine<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    guard depth > 0 else { return }
    hasLineFeed = true
    guard isLineDelimited, !isInCollection, !hasSeenCollection else { return }
    depth = 0
    isInString = false
    isEscaped = false
    try body(.unterminated, &self)
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  /// Whether the file may end here.
  var isComplete: Bool { depth == 0 }
  /// The line that was reached.
  var currentLine: Int { line }
}
