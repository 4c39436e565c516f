/// Cuts a stream of JSON texts, one after the other, into its tokens.
///
/// - Complexity: O(bytes) in time; memory for one string of at most ``longestString`` bytes, of which
///   the rest is left out, and a byte for each open bracket.
/// - Source: RFC 8259; RFC 8142 and 7464 for texts one after the other, with or without marks.
struct JSONScanner {
  /// A token; strings and numbers have their text.
  enum Token {
    case beginObject, endObject, beginArray, endArray
    case key, string, number
    case null, truth
  }

  static let longestString = 1 << 16
  static let deepest = 512

  /// What is wrong, and in which line.
  private(set) var failure: (code: TraceError.Code, problem: String)?
  private(set) var line = 1

  private enum Expected { case text, value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd }
  private enum State { case between, string, escape, unicode, number, word }

  private var expected = Expected.text
  private var state = State.between
  private var isKey = false
  /// For each open bracket, whether it is an object's.
  private var open: [Bool] = []
  private var text: [UInt8] = []
  private var code: UInt32 = 0
  private var codeDigits = 0
  private var highHalf: UInt32 = 0

  /// Whether the stream may end here.
  var isComplete: Bool { open.isEmpty && (state == .between || state == .number) }

  mutating func skip(lines: Int) { line += lines }

  /// Takes the next bytes.
  mutating func scan(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void
  ) {
    var index = 0
    while index < bytes.count, failure == nil {
      let byte = bytes[index]
      switch state {
      case .between:
        between(byte, body)
      case .string:
        // Most bytes of a string are plain: take them at once.
        var end = index
        while end < bytes.count, bytes[end] != 0x22, bytes[end] != 0x5C, bytes[end] >= 0x20 {
          end += 1
        }
        if end > index {
          if text.count < JSONScanner.longestString { text.append(contentsOf: bytes[index..<end]) }
          index = end
          continue
        }
        inString(byte, body)
      case .escape: escaped(byte)
      case .unicode: hexadecimal(byte)
      case .number, .word:
        let isPart =
          byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte &- 0x30 <= 9 || byte == 0x2B
          || byte == 0x2D || byte == 0x2E
        guard isPart, text.count < 64 else {
          finishBare(body)
          continue
        }
        text.append(byte)
      }
      if byte == 0x0A { line += 1 }
      index += 1
    }
  }

  /// Notes the end of the stream.
  mutating func finish(_ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void) {
    if failure == nil, state == .number || state == .word { finishBare(body) }
    if failure == nil, !isComplete { fail("the JSON ends in the middle") }
  }

  private mutating func fail(_ problem: String, _ code: TraceError.Code = .malformed) {
    if failure == nil { failure = (code, problem) }
  }

  // MARK: - Between tokens

  private mutating func between(
    _ byte: UInt8,
    _ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void
  ) {
    if byte == 0x20 || (0x09...0x0D).contains(byte) { return }
    // A mark before each text of a sequence.
    if byte == 0x1E, open.isEmpty { return }
    switch (byte, expected) {
    case (UInt8(ascii: "{"), .text), (UInt8(ascii: "{"), .value), (UInt8(ascii: "{"), .valueOrEnd):
      push(isObject: true)
      emit(.beginObject, body)
    case (UInt8(ascii: "["), .text), (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .valueOrEnd):
      push(isObject: false)
      emit(.beginArray, body)
    case (UInt8(ascii: "}"), .keyOrEnd),
      (UInt8(ascii: "}"), .commaOrEnd) where open.last == true:
      open.removeLast()
      emit(.endObject, body)
      afterValue()
    case (UInt8(ascii: "]"), .valueOrEnd),
      (UInt8(ascii: "]"), .commaOrEnd) where open.last == false:
      open.removeLast()
      emit(.endArray, body)
      afterValue()
    case (UInt8(ascii: ","), .commaOrEnd): expected = open.last == true ? .key : .value
    case (UInt8(ascii: ":"), .colon): expected = .value
    case (0x22, .key), (0x22, .keyOrEnd): begin(.string, isKey: true)
    case (0x22, .value), (0x22, .valueOrEnd): begin(.string, isKey: false)
    case (_, .value), (_, .valueOrEnd):
      begin(byte &- 0x30 <= 9 || byte == UInt8(ascii: "-") ? .number : .word, isKey: false)
      text.append(byte)
    default: fail(open.isEmpty ? "text outside of any JSON object" : "the JSON is wrong here")
    }
  }

  private mutating func push(isObject: Bool) {
    guard open.count < JSONScanner.deepest else {
      fail("more than \(JSONScanner.deepest) brackets inside each other", .excessive)
      return
    }
    open.append(isObject)
    expected = isObject ? .keyOrEnd : .valueOrEnd
  }

  private mutating func begin(_ state: State, isKey: Bool) {
    self.state = state
    self.isKey = isKey
    text.removeAll(keepingCapacity: true)
    highHalf = 0
  }

  private mutating func afterValue() { expected = open.isEmpty ? .text : .commaOrEnd }

  private func emit(
    _ token: Token,
    _ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void
  ) {
    guard failure == nil else { return }
    text.withUnsafeBufferPointer { body(token, $0, line) }
  }

  // MARK: - Strings, numbers and words

  private mutating func inString(
    _ byte: UInt8,
    _ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void
  ) {
    switch byte {
    case 0x22:
      state = .between
      emit(isKey ? .key : .string, body)
      if isKey { expected = .colon } else { afterValue() }
    case 0x5C: state = .escape
    default: fail("a control character in a text")
    }
  }

  private mutating func escaped(_ byte: UInt8) {
    state = .string
    switch byte {
    case 0x22, 0x5C, UInt8(ascii: "/"): keep(byte)
    case UInt8(ascii: "b"): keep(0x08)
    case UInt8(ascii: "f"): keep(0x0C)
    case UInt8(ascii: "n"): keep(0x0A)
    case UInt8(ascii: "r"): keep(0x0D)
    case UInt8(ascii: "t"): keep(0x09)
    case UInt8(ascii: "u"):
      state = .unicode
      code = 0
      codeDigits = 0
    default: fail("an unknown escape in a text")
    }
  }

  private mutating func keep(_ byte: UInt8) {
    if text.count < JSONScanner.longestString { text.append(byte) }
  }

  private mutating func hexadecimal(_ byte: UInt8) {
    let letter = byte | 0x20
    let digit: UInt32
    if byte &- 0x30 <= 9 {
      digit = UInt32(byte - 0x30)
    } else if letter >= 0x61, letter <= 0x66 {
      digit = UInt32(letter - 0x61) + 10
    } else {
      fail("an unknown escape in a text")
      return
    }
    code = code << 4 | digit
    codeDigits += 1
    guard codeDigits == 4 else { return }
    state = .string
    if (0xD800..<0xDC00).contains(code) {
      highHalf = code
      return
    }
    if (0xDC00..<0xE000).contains(code), highHalf != 0 {
      code = 0x1_0000 + (highHalf - 0xD800) << 10 + (code - 0xDC00)
    }
    highHalf = 0
    // Half of a character matters to no position.
    for byte in String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8 { keep(byte) }
  }

  private mutating func finishBare(
    _ body: (Token, UnsafeBufferPointer<UInt8>, _ line: Int) -> Void
  ) {
    let token: Token
    if state == .number {
      token = .number
    } else if ["null", "NaN", "Infinity"].contains(where: { text.elementsEqual($0.utf8) }) {
      // Python writes numbers that are none as JavaScript would, and not as JSON.
      token = .null
    } else if text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) {
      token = .truth
    } else {
      fail("the JSON is wrong here")
      return
    }
    state = .between
    emit(token, body)
    afterValue()
  }
}
