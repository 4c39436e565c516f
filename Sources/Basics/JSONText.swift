/// One JSON object on one line, keys in the order in which they are added.
package struct JSONText {
  /// The object so far, open at its end.
  private var bytes: [UInt8]

  /// Begins an object.
  package init() {
    bytes = []
    bytes.reserveCapacity(256)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Whether nothing has been added.
  package var isEmpty: Bool { bytes.count == 1 }

  /// The finished object.
  package var closed: String {
    String(unsafeUninitializedCapacity: bytes.count + 1) { text in
      _ = text.initialize(from: bytes)
      text[bytes.count] = UInt8(ascii: "}")
      return bytes.count + 1
    }
  }

  /// Adds a string, or null.
  package mutating func add(_ key: String, _ value: String?) {
    begin(key)
    if let value { Self.quote(value, &bytes) } else { append("null") }
  }

  /// Adds a whole number, or null.
  package mutating func add(_ key: String, _ value: Int?) {
    begin(key)
    append(value.map(String.init) ?? "null")
  }

  /// Adds a number with so many digits after the point, or null.
  package mutating func add(_ key: String, _ value: Double?, digits: Int) {
    begin(key)
    if let value { appendFixed(value, digits, to: &bytes) } else { append("null") }
  }

  /// Adds something that is JSON already.
  package mutating func add(_ key: String, json: String) {
    begin(key)
    append(json)
  }

  /// Adds a list of strings.
  package mutating func add(_ key: String, _ values: some Sequence<String>) {
    addList(key, values) { value, bytes in Self.quote(value, &bytes) }
  }

  /// Adds a list of objects.
  ///
  /// - Parameter fill: adds what an element has to its object.
  package mutating func add<Element>(
    _ key: String,
    objects: some Sequence<Element>,
    _ fill: (_ element: Element, _ object: inout JSONText) -> Void
  ) {
    addList(key, objects) { element, bytes in
      // The object goes on in the same bytes.
      var object = JSONText(bytes: bytes)
      bytes = []
      object.bytes.append(UInt8(ascii: "{"))
      fill(element, &object)
      object.bytes.append(UInt8(ascii: "}"))
      bytes = object.bytes
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func addList<Element>(
    _ key: String,
    _ elements: some Sequence<Element>,
    _ write: (Element, inout [UInt8]) -> Void
  ) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for element in elements {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      write(element, &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func begin(_ key: String) {
    if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
    Self.quote(key, &bytes)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// A number with six digits after the point, or without any if it is whole.
  package static func number(_ value: Double) -> String {
    value == value.rounded() && value.magnitude < 1e15 ? String(Int64(value)) : fixed(value, 6)
  }

  /// A list of what is JSON already.
  package static func array(_ items: [String]) -> String {
    "[" + items.joined(separator: ",") + "]"
  }

  /// A string as JSON wants it (RFC 8259, section 7).
  package static func quoted(_ value: String) -> String { quoted(value, shortEscapes: true) }

  /// A string as JSON wants it.
  ///
  /// - Parameter shortEscapes: whether line feeds, carriage returns and tabs have their letters;
  ///   caches and truths have numbers for them as for all control characters.
  package static func quoted(_ value: String, shortEscapes: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.utf8.count + 2)
    quote(value, shortEscapes: shortEscapes, &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func quote(
    _ value: String,
    shortEscapes: Bool = true,
    _ bytes: inout [UInt8]
  ) {
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { utf8 in
      // Nearly every text has nothing to escape.
      let isPlain = utf8.allSatisfy {
        $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      }
      if isPlain {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { escape(byte, shortEscapes: shortEscapes, &bytes) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a byte of a text; all that must be escaped is ASCII.
  private static func escape(_ byte: UInt8, shortEscapes: Bool, _ bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "\n") where shortEscapes: bytes += "\\n".utf8
    case UInt8(ascii: "\r") where shortEscapes: bytes += "\\r".utf8
    case UInt8(ascii: "\t") where shortEscapes: bytes += "\\t".utf8
    case ..<0x20:
      bytes += (byte < 0x10 ? "\\u000" : "\\u00").utf8
      bytes += String(byte, radix: 16).utf8
    default: bytes.append(byte)
    }
  }
}
