import Basics

/// Where and why something in a calendar's text cannot be taken.
public struct CalendarError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line on which it stands, the first of a folded one, counted from 1.
  public let line: Int
  /// What is wrong, and what to write instead.
  public let reason: String

  init(_ line: Int, _ reason: String) {
    self.line = line
    self.reason = reason
  }

  /// The line and what is wrong with it.
  public var description: String { "line \(line): \(reason)" }
}

/// A property of a calendar: `DTSTART;TZID=Europe/Malta:20260302T070000`.
struct CalendarLine {
  /// In capital letters.
  var name: String
  /// In the order in which they are written, names in capital letters.
  var parameters: [(name: String, value: String)]
  /// As it is written, escapes and all.
  var value: String
  /// The line of the file, 0 for one that is to be written.
  var number = 0

  init(_ name: String, _ parameters: [(name: String, value: String)] = [], value: String) {
    self.name = name
    self.parameters = parameters
    self.value = value
  }

  /// A property whose value is a text for people.
  init(_ name: String, text: String) {
    self.init(name, value: Self.escaped(text))
  }

  /// The first value of a parameter.
  subscript(parameter: String) -> String? {
    parameters.first { $0.name == parameter }?.value
  }
}

// MARK: - Texts

extension CalendarLine {
  /// The value as a text for people (RFC 5545, section 3.3.11); an escape that is none stays as it is.
  var text: String { Self.unescaped(value) }

  /// The value as a list of texts, parted by commas that are not escaped.
  var texts: [String] {
    var parts: [String] = []
    var part = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if scalar == ",", !isEscaped {
        parts.append(Self.unescaped(String(part)))
        part = String.UnicodeScalarView()
      } else {
        part.append(scalar)
      }
      isEscaped = scalar == "\\" && !isEscaped
    }
    return parts + [Self.unescaped(String(part))]
  }

  private static func unescaped(_ value: String) -> String {
    guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in value.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "\\"):
        isEscaped = true
        continue
      case (true, "n"), (true, "N"): text.append("\n")
      case (true, "\\"), (true, ";"), (true, ","): text.append(scalar)
      case (true, _):
        text.append("\\")
        text.append(scalar)
      case (false, _): text.append(scalar)
      }
      isEscaped = false
    }
    if isEscaped { text.append("\\") }
    return String(text)
  }

  /// A text as a value; control characters, which no value may have, become blanks.
  static func escaped(_ text: String) -> String {
    var value = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",":
        value.append("\\")
        value.append(scalar)
      case "\n" where isAfterReturn: break
      case "\n", "\r":
        value.append("\\")
        value.append("n")
      case "\t": value.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: value.append(" ")
      default: value.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    return String(value)
  }
}

// MARK: - Reading

extension CalendarLine {
  /// Reads an unfolded line.
  ///
  /// - Throws: ``CalendarError`` for a line that is no property.
  init(_ bytes: ArraySlice<UInt8>, number: Int) throws(CalendarError) {
    guard let line = String(ifUTF8: bytes) else {
      throw CalendarError(number, "is not UTF-8: save the file as UTF-8")
    }
    var reader = LineReader(scalars: Array(line.unicodeScalars), number: number)
    let name = try reader.name("a property")
    self.init(name, try reader.parameters(), value: reader.rest)
    self.number = number
  }
}

private struct LineReader {
  let scalars: [Unicode.Scalar]
  let number: Int
  var position = 0

  var rest: String { text(position, scalars.count) }

  func text(_ start: Int, _ end: Int) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars[start..<end])
    return String(view)
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard position < scalars.count, scalars[position] == scalar else { return false }
    position += 1
    return true
  }

  mutating func name(_ what: String) throws(CalendarError) -> String {
    let start = position
    while position < scalars.count, isNameScalar(scalars[position]) { position += 1 }
    guard position > start, position - start <= 100 else {
      throw CalendarError(number, "is not \(what): a name, such as SUMMARY, then : and a value")
    }
    return text(start, position).uppercased()
  }

  private func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "A"..."Z", "a"..."z", "0"..."9", "-", "_": true
    default: false
    }
  }

  mutating func parameters() throws(CalendarError) -> [(name: String, value: String)] {
    var parameters: [(name: String, value: String)] = []
    while !take(":") {
      guard take(";") else { throw CalendarError(number, "has no value: write : and a value") }
      let name = try name("a parameter")
      guard take("=") else { throw CalendarError(number, "the parameter \(name) has no value") }
      repeat { parameters.append((name, try parameterValue(of: name))) } while take(",")
    }
    return parameters
  }

  private mutating func parameterValue(of name: String) throws(CalendarError) -> String {
    if take("\"") {
      let start = position
      while position < scalars.count, scalars[position] != "\"" { position += 1 }
      let value = text(start, position)
      guard take("\"") else { throw CalendarError(number, "a quotation mark is not closed") }
      return Self.decoded(value)
    }
    let start = position
    let isOdd = name.hasPrefix("X-")
    while position < scalars.count, !Self.endsValue(scalars[position]) || isOdd && isOfAddress {
      position += 1
    }
    return Self.decoded(text(start, position))
  }

  /// Whether the colon here is one of an address such as `ab://Work`, which Apple writes without quotation marks.
  private var isOfAddress: Bool {
    guard scalars[position] == ":", scalars.count > position + 2 else { return false }
    guard scalars[position + 1] == "/", scalars[position + 2] == "/" else { return false }
    return scalars[(position + 3)...].contains(":")
  }

  private static func endsValue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "," || scalar == ";" || scalar == ":"
  }

  /// What carets stand for in parameters (RFC 6868).
  private static func decoded(_ value: String) -> String {
    guard value.utf8.contains(UInt8(ascii: "^")) else { return value }
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in value.unicodeScalars {
      switch (isEscaped, scalar) {
      case (false, "^"):
        isEscaped = true
        continue
      case (true, "n"): text.append("\n")
      case (true, "'"): text.append("\"")
      case (true, "^"): text.append("^")
      case (true, _):
        text.append("^")
        text.append(scalar)
      case (false, _): text.append(scalar)
      }
      isEscaped = false
    }
    if isEscaped { text.append("^") }
    return String(text)
  }
}

// MARK: - Writing

extension CalendarLine {
  /// No line is longer, in bytes without its end (RFC 5545, section 3.1).
  static let mostOctets = 75

  /// Appends the line to a text, folded, with CRLF.
  func write(to output: inout String) {
    var line = name
    for (name, value) in parameters {
      line += ";\(name)=" + Self.encoded(value)
    }
    line += ":" + value
    guard line.utf8.count > Self.mostOctets else {
      output += line + "\r\n"
      return
    }
    var width = 0
    for scalar in line.unicodeScalars {
      let bytes = UTF8.width(scalar)
      if width + bytes > Self.mostOctets {
        output += "\r\n "
        width = 1
      }
      output.unicodeScalars.append(scalar)
      width += bytes
    }
    output += "\r\n"
  }

  private static func encoded(_ value: String) -> String {
    var text = String.UnicodeScalarView()
    var needsQuotes = false
    for scalar in value.unicodeScalars {
      switch scalar {
      case "^": text.append(contentsOf: "^^".unicodeScalars)
      case "\"": text.append(contentsOf: "^'".unicodeScalars)
      case "\n": text.append(contentsOf: "^n".unicodeScalars)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: text.append(" ")
      default: text.append(scalar)
      }
      needsQuotes = needsQuotes || endsBareValue(scalar)
    }
    return needsQuotes ? "\"\(String(text))\"" : String(text)
  }

  private static func endsBareValue(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "," || scalar == ";" || scalar == ":" || scalar == " "
  }
}
