/// A JSON text as values; the order and the spelling of the file are kept.
///
/// Our own, since Foundation's parser loses the order of keys, the spelling of long numbers and the
/// place of an error, and since each platform's has its own idea of what a number is.
package enum JSONValue: Sendable {
  /// Members in their order; a key may be there twice.
  package typealias Members = [(key: String, value: JSONValue)]

  case null
  case bool(Bool)
  /// A number as the file spells it: ids need more digits than a double has.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object(Members)

  /// A number with so many digits after the point.
  package static func number(_ value: Double, digits: Int) -> JSONValue {
    .number(fixed(value, digits))
  }

  /// A whole number.
  package static func integer(_ value: Int) -> JSONValue { .number(String(value)) }

  /// The value of a key, the last one where it is there twice.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  /// The value as text; nil if it is not text.
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  /// The value as a number; nil if it is not a number.
  package var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }
  /// The elements of a list; nil if the value is not a list.
  package var elements: [JSONValue]? {
    if case .array(let values) = self { values } else { nil }
  }
  /// The members of an object; nil if the value is not an object.
  package var members: Members? { if case .object(let members) = self { members } else { nil } }
}

// MARK: - Writing

extension JSONValue {
  /// A document with a line for each entry of the upper two levels.
  package var document: String { render(depth: 0) + "\n" }

  private func render(depth: Int) -> String {
    switch self {
    case .array(let items):
      guard depth < 2, !items.isEmpty else {
        return "[" + items.map { $0.render(depth: depth + 1) }.joined(separator: ", ") + "]"
      }
      return block("[", items.map { $0.render(depth: depth + 1) }, "]", depth: depth)
    case .object(let members):
      let lines = members.map { "\(Self.quoted($0.key)): \($0.value.render(depth: depth + 1))" }
      guard depth < 1 else { return "{" + lines.joined(separator: ", ") + "}" }
      return block("{", lines, "}", depth: depth)
    case .string(let text): return Self.quoted(text)
    case .number(let text): return text
    case .bool(let value): return value ? "true" : "false"
    case .null: return "null"
    }
  }

  private func block(_ open: String, _ lines: [String], _ close: String, depth: Int) -> String {
    let indent = String(repeating: "  ", count: depth)
    return "\(open)\n\(indent)  " + lines.joined(separator: ",\n\(indent)  ")
      + "\n\(indent)\(close)"
  }

  private static func quoted(_ text: String) -> String {
    JSONText.quoted(text, shortEscapes: false)
  }
}

// MARK: - Reading

extension JSONValue {
  /// Reads one JSON text.
  ///
  /// - Throws: ``JSONError`` with the byte at which it goes wrong.
  /// - Complexity: O(bytes); nesting deeper than 64 and more than 600,000 values are refused.
  package static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    let value = try parser.value(depth: 0)
    parser.skipBlanks()
    guard parser.position == bytes.count else { throw parser.error("more text after the end") }
    return value
  }

  /// Reads one JSON text; see ``parse(_:)-(UnsafeRawBufferPointer)``.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue {
    let bytes = Array(text.utf8)
    // `withUnsafeBytes` would lose the type of the error.
    let result = bytes.withUnsafeBytes { buffer -> Result<JSONValue, JSONError> in
      do throws(JSONError) { return .success(try parse(buffer)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

/// Where and why a text is not JSON.
package struct JSONError: Error, Hashable, Sendable {
  /// What is wrong with it.
  package enum Kind: Hashable, Sendable {
    case malformed, notUTF8, tooMany
  }

  /// What is wrong, roughly.
  package var kind = Kind.malformed
  /// The byte at which it goes wrong.
  package let offset: Int
  /// What is wrong, in words.
  package let reason: String
}

private struct JSONParser {
  let bytes: UnsafeRawBufferPointer
  var position = 0
  /// A value takes 16 bytes and often more; an outline of 200,000 points has fewer.
  private var valuesLeft = 600_000

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  func error(_ reason: String, _ kind: JSONError.Kind = .malformed) -> JSONError {
    JSONError(kind: kind, offset: position, reason: reason)
  }

  var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipBlanks() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      position += 1
    }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    position += 1
    return true
  }

  mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < 64 else { throw error("nested deeper than 64") }
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw error("more than 600,000 values", .tooMany) }
    skipBlanks()
    switch peek {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case nil: throw error("the text ends in the middle")
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in word.utf8 where !take(byte) { throw error("not a JSON value") }
    return value
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    while let byte = peek, isNumberByte(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard position > start, position - start <= 64, isNumber(bytes[start..<position]) else {
      position = start
      throw error("not a JSON value")
    }
    return .number(text)
  }

  /// Whether bytes are a number: no sign but a minus, no zeros before it, digits on both sides of a point.
  ///
  /// - Source: RFC 8259, section 6.
  private func isNumber(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    var rest = bytes
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    func takeDigits() -> Int {
      let count = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(count)
      return count
    }
    if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let hasZero = rest.first == UInt8(ascii: "0")
    let digits = takeDigits()
    guard digits > 0, digits == 1 || !hasZero else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard takeDigits() > 0 else { return false }
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest = rest.dropFirst()
      if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
        rest = rest.dropFirst()
      }
      guard takeDigits() > 0 else { return false }
    }
    return rest.isEmpty
  }

  private func isNumberByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E")
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    var values: [JSONValue] = []
    skipBlanks()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      values.append(try value(depth: depth + 1))
      skipBlanks()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { throw error("a comma or ] is missing") }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    position += 1
    var members: JSONValue.Members = []
    skipBlanks()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipBlanks()
      guard peek == UInt8(ascii: "\"") else { throw error("a key is missing") }
      let key = try string()
      skipBlanks()
      guard take(UInt8(ascii: ":")) else { throw error("a colon is missing") }
      members.append((key, try value(depth: depth + 1)))
      skipBlanks()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw error("a comma or } is missing") }
    }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    var text: [UInt8] = []
    var isPlain = true
    while let byte = peek {
      if byte == UInt8(ascii: "\"") {
        let end = position
        position += 1
        let decoded =
          isPlain
          ? String(ifUTF8: bytes[start..<end])
          : String(ifUTF8: text)
        guard let decoded else { throw error("a text is not UTF-8", .notUTF8) }
        return decoded
      }
      guard byte >= 0x20 else { throw error("a control character in a text") }
      if byte == UInt8(ascii: "\\") {
        if isPlain { text.append(contentsOf: bytes[start..<position]) }
        isPlain = false
        position += 1
        try escape(into: &text)
        continue
      }
      if !isPlain { text.append(byte) }
      position += 1
    }
    throw error("the text ends in the middle")
  }

  private mutating func escape(into text: inout [UInt8]) throws(JSONError) {
    guard let byte = peek else { throw error("the text ends in the middle") }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexadecimal()
      if (0xD800..<0xDC00).contains(code), take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw error("half of a character") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("half of a character") }
      text.append(contentsOf: String(Character(scalar)).utf8)
    default: throw error("an unknown escape")
    }
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count,
      // A number may have a sign, the digits of a character have none.
      peek != UInt8(ascii: "+"), peek != UInt8(ascii: "-"),
      let code = UInt32(
        String(decoding: bytes[position..<position + 4], as: UTF8.self),
        radix: 16
      )
    else { throw error("an unknown escape") }
    position += 4
    return code
  }
}
