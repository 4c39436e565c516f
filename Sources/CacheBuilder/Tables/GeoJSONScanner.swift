import Basics

/// Cuts a stream of GeoJSON into its features without holding more than one of them.
///
/// Knows strings, braces and brackets, and nothing else: each piece is parsed by itself, so that a
/// bad feature costs only that feature. Whatever stands where a feature should is a piece, too, and
/// is handed over: in a collection a member of its list, elsewhere the rest of the line.
///
/// - Source: RFC 7946 (collections), RFC 8142 (a feature a line, with or without marks).
struct GeoJSONScanner {
  /// A feature longer than this is skipped.
  ///
  /// Its values take some forty times its bytes; an outline of 100,000 points has about half of it.
  static let longestFeature = 4 << 20

  /// A piece of the file that should be a feature.
  enum Piece {
    /// Whole, as far as its brackets show; or something that is not even an object.
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
  /// Whether a list of features has been seen anywhere in the file.
  private(set) var hasFoundList = false
  /// What stands in collections before their lists of features, and behind them, each as an object.
  private(set) var surroundings: [JSONValue] = []

  private var line = 1
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var isTooLong = false
  /// Whether the piece is no object and no list: it has no end of its own.
  private var isBare = false
  private var isInCollection = false
  private var hasSeenCollection = false
  private var hasLineFeed = false
  /// Whether every feature so far has been on a line of its own.
  private var isLineDelimited = false
  /// The depth at which features begin: 2 in a collection.
  private var featureDepth: Int { isInCollection ? 2 : 0 }
  /// The last text at depth 1, to know the key `features`.
  private var key: [UInt8] = []
  /// How much of ``start`` the line began with; nil if it begins in another way.
  private var startCount: Int?

  private static let features = Array("features".utf8)
  /// What nearly every feature begins with, and no line within one; blanks aside.
  static let start = Array("{\"type\":\"Feature\"".utf8)

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
        // A feature that has not ended may have been cut off: the next line tells.
        let isBehindCollection = hasSeenCollection && !isInCollection
        startCount = depth > featureDepth && !isBehindCollection ? 0 : nil
      } else if startCount != nil {
        try followStart(byte, body)
      }
      if isInString {
        keep(byte)
        scanString(byte)
        continue
      }
      if depth == featureDepth, try scanBetween(byte, body) { continue }
      switch byte {
      case UInt8(ascii: "\""):
        keep(byte)
        isInString = true
        if depth == 1 { key.removeAll(keepingCapacity: true) }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth == 1, hasSeenCollection, !isInCollection, key.isEmpty {
          throw fail(failure("the list of features ends too early: a bracket too many before this"))
        }
        open(byte)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        keep(byte)
        if isInCollection, depth == 1 {
          isInCollection = false
          key.removeAll(keepingCapacity: true)
          buffer.removeAll(keepingCapacity: true)
        } else if depth == featureDepth {
          try finish(body)
        }
      default: keep(byte)
      }
    }
  }

  /// Takes what ends with the file.
  mutating func end<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    if isBare, !isInCollection { try finish(body) }
  }

  private func failure(_ reason: String) -> Failure { Failure(line: line, reason: reason) }

  private mutating func keep(_ byte: UInt8) {
    guard depth >= featureDepth, !isTooLong else { return }
    buffer.append(byte)
    if buffer.count > Self.longestFeature {
      isTooLong = true
      buffer.removeAll()
    }
  }

  private mutating func begin() {
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
    pieceLine = line
    hasLineFeed = false
  }

  /// Takes a byte where a feature may begin.
  ///
  /// - Returns: whether that is all there is to do about it.
  private mutating func scanBetween<Thrown: Error>(
    _ byte: UInt8,
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) -> Bool {
    if isBare, !isInCollection {
      keep(byte)
      return true
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if isBare { try finish(body) }
      return false
    case UInt8(ascii: "]") where isInCollection:
      if isBare { try finish(body) }
      return false
    case UInt8(ascii: ","):
      if isBare { try finish(body) }
      return true
    default:
      let isBlank = byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0x1E
      let isMark = line == 1 && byteOrderMark.contains(byte)
      if isBare {
        keep(byte)
      } else if !isBlank, !isMark {
        begin()
        isBare = true
        keep(byte)
      }
      isInString = isBare && isInCollection && byte == UInt8(ascii: "\"")
      return true
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
      hasFoundList = true
      noteSurroundings(before: "", behind: "0}")
      buffer.removeAll(keepingCapacity: true)
      isTooLong = false
      depth = 2
      return
    }
    if depth == featureDepth { begin() }
    depth += 1
    keep(byte)
  }

  /// A file of collections may have as many as it has lines; what stands around the lists is short.
  private static let (mostSurroundings, longestSurroundings) = (16, 1 << 16)

  /// Notes what has been read of a collection but for its list.
  private mutating func noteSurroundings(before: String, behind: String) {
    guard surroundings.count < Self.mostSurroundings, buffer.count <= Self.longestSurroundings,
      let text = String(ifUTF8: buffer),
      let members = try? JSONValue.parse(before + text + behind)
    else { return }
    surroundings.append(members)
  }

  private mutating func finish<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    // The closing brace of a collection: what came before its features is not one.
    if !isInCollection, hasSeenCollection, !isBare {
      hasSeenCollection = false
      noteSurroundings(before: "{\"features\":0", behind: "")
      buffer.removeAll(keepingCapacity: true)
      return
    }
    if !isInCollection, !isBare { isLineDelimited = !hasLineFeed }
    isBare = false
    try body(isTooLong ? .tooLong : .feature, &self)
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  /// Where each feature has its line, one that does not end there is broken; the next may be sound.
  private mutating func endLine<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    if isBare, !isInCollection { return try finish(body) }
    guard depth > 0 else { return }
    hasLineFeed = true
    guard isLineDelimited, !isInCollection, !hasSeenCollection else { return }
    try drop(body)
  }

  /// Hands over a piece that does not end, and is where the next one may begin.
  private mutating func drop<Thrown: Error>(
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    depth = featureDepth
    isInString = false
    isEscaped = false
    try body(.unterminated, &self)
    buffer.removeAll(keepingCapacity: true)
    isTooLong = false
  }

  /// Whether the line begins with a feature, although the one before has not ended: then that one is
  /// broken, and this is the next.
  private mutating func followStart<Thrown: Error>(
    _ byte: UInt8,
    _ body: (Piece, inout GeoJSONScanner) throws(Thrown) -> Void
  ) throws(Thrown) {
    guard let count = startCount, byte != 0x20, byte != 0x09, byte != 0x0D else { return }
    startCount = byte == Self.start[count] ? count + 1 : nil
    guard startCount == Self.start.count else { return }
    startCount = nil
    try drop(body)
    begin()
    depth += 1
    // All but the byte in hand, a quote, which is looked at next as any other.
    buffer = Array(Self.start.dropLast())
    isInString = true
  }

  /// Whether the file may end here.
  var isComplete: Bool { depth == 0 }
  /// The line that was reached.
  var currentLine: Int { line }
}
