/// One JSON object on one line, keys in the order in which they are added.
package struct JSONText {
  /// The object so far, open at its end.
  package private(set) var text = "{"

  /// Begins an object.
  package init() {}

  /// The finished object.
  package var closed: String { text + "}" }

  /// Adds a string, or null.
  package mutating func add(_ key: String, _ value: String?) {
    begin(key)
    text += value.map(Self.quoted) ?? "null"
  }

  /// Adds a whole number, or null.
  package mutating func add(_ key: String, _ value: Int?) {
    begin(key)
    text += value.map(String.init) ?? "null"
  }

  /// Adds something that is JSON already.
  package mutating func add(_ key: String, json: String) {
    begin(key)
    text += json
  }

  private mutating func begin(_ key: String) {
    if text.utf8.count > 1 { text += "," }
    text += Self.quoted(key) + ":"
  }

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
    var text = "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n" where shortEscapes: text += "\\n"
      case "\r" where shortEscapes: text += "\\r"
      case "\t" where shortEscapes: text += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.utf8.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
