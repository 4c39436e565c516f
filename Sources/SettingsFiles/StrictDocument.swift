import Foundation
import Geodesy
import NearMeEngine
import Places
import Timeline
import Yams

/// Why a settings file cannot be used: always with the file and, where there is one, the line.
package struct SettingsError: Error, CustomStringConvertible {
  /// What kind of failure it is, for the exit status.
  package enum Code: Sendable {
    /// There is no such file.
    case missing
    /// The file cannot be read.
    case unreadable
    /// The file can be read and is wrong.
    case invalid
  }

  package let code: Code
  package let file: String
  package let line: Int?
  package let message: String

  package var description: String {
    line.map { "\(file):\($0): \(message)" } ?? "\(file): \(message)"
  }
}

/// A YAML or JSON file that is read strictly: a key that is not known is an error.
package struct StrictDocument {
  /// The value of the whole file.
  package let root: StrictNode

  /// Reads a file.
  package init(path: String) throws(SettingsError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw SettingsError(code: .missing, file: path, line: nil, message: "there is no such file")
    }
    guard !isFolder.boolValue else {
      let message = "this is a folder: name a file"
      throw SettingsError(code: .invalid, file: path, line: nil, message: message)
    }
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SettingsError(
        code: .unreadable,
        file: path,
        line: nil,
        message: "cannot be read: check its permissions"
      )
    }
    try self.init(text: String(decoding: data, as: UTF8.self), file: path)
  }

  /// Reads a file's text.
  package init(text: String, file: String) throws(SettingsError) {
    do {
      let composed = try Yams.compose(yaml: Self.joiningSurrogates(text))
      // With all that it said behind #, a file leaves everything as it is.
      guard let node = composed ?? (text.contains("#") ? Node.mapping([:]) : nil) else {
        throw SettingsError(code: .invalid, file: file, line: nil, message: "the file is empty")
      }
      root = StrictNode(node: node, file: file, path: "")
    } catch let error as SettingsError {
      throw error
    } catch let error as YamlError {
      throw Self.invalid(error, file)
    } catch {
      throw SettingsError(code: .invalid, file: file, line: nil, message: "\(error)")
    }
  }

  /// JSON writes characters beyond 16 bits as two escapes; YAML knows only escapes of one.
  private static func joiningSurrogates(_ text: String) -> String {
    guard text.contains("\\u"), let first = text.first(where: { !$0.isWhitespace }),
      first == "{" || first == "["
    else { return text }
    var units = Array(text.utf8)[...]
    var joined: [UInt8] = []
    while let byte = units.popFirst() {
      guard byte == UInt8(ascii: "\\"), let next = units.first else {
        joined.append(byte)
        continue
      }
      if next == UInt8(ascii: "u"), let high = hex(units.dropFirst().prefix(4)),
        (0xD800..<0xDC00).contains(high), units.dropFirst(5).starts(with: Array("\\u".utf8)),
        let low = hex(units.dropFirst(7).prefix(4)), (0xDC00..<0xE000).contains(low),
        let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
      {
        joined.append(contentsOf: String(Character(scalar)).utf8)
        units = units.dropFirst(11)
      } else {
        // Another escape, perhaps of a backslash: both bytes go together.
        joined.append(byte)
        joined.append(next)
        units = units.dropFirst()
      }
    }
    return String(decoding: joined, as: UTF8.self)
  }

  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt32? {
    digits.count == 4 ? UInt32(String(decoding: digits, as: UTF8.self), radix: 16) : nil
  }

  private static func invalid(_ error: YamlError, _ file: String) -> SettingsError {
    var line: Int?
    var problem = "\(error)"
    switch error {
    case .scanner(_, let text, let mark, _), .parser(_, let text, let mark, _),
      .composer(_, let text, let mark, _):
      line = mark.line
      problem = text
    // Said in full it holds all that was to be read, whatever bytes these are.
    case .reader(let text, let offset, _, _):
      problem = text + (offset.map { " (byte \($0 + 1))" } ?? "")
    case .duplicatedKeysInMapping(let keys, let context):
      line = context.mark.line
      problem = "the key \(keys.map { "\"\($0)\"" }.joined(separator: ", ")) comes twice"
    default: break
    }
    return SettingsError(
      code: .invalid,
      file: file,
      line: line,
      message: "is neither YAML nor JSON: \(problem)"
    )
  }
}

/// A value of a settings file with its place in it.
package struct StrictNode {
  let node: Node
  let file: String
  /// The keys that lead here, such as `reminders[2].target`.
  let path: String

  /// What is wrong with the value, with its place.
  package func failure(_ message: String) -> SettingsError {
    let place = path.isEmpty ? message : "\(path): \(message)"
    return SettingsError(code: .invalid, file: file, line: node.mark?.line, message: place)
  }

  /// The values of a mapping by key; every key must be one of those known.
  ///
  /// - Parameter retired: keys of earlier versions, and why they are gone. They are refused as unknown
  ///   ones are: a number without effect must not look as if it had one.
  package func mapping(
    keys known: [String],
    retired: [String: String] = [:]
  ) throws(SettingsError) -> [String: StrictNode] {
    guard let mapping = node.mapping else { throw failure("must be a mapping of keys to values") }
    var values: [String: StrictNode] = [:]
    for (keyNode, value) in mapping {
      let key = keyNode.scalar?.string ?? ""
      let inner = StrictNode(node: value, file: file, path: path.isEmpty ? key : "\(path).\(key)")
      if let reason = retired[key] {
        throw StrictNode(node: keyNode, file: file, path: path)
          .failure("\"\(key)\" is no key any more, since \(reason): remove the line")
      }
      guard known.contains(key) else {
        let hint = nearestName(to: key, among: known).map { ": did you mean \"\($0)\"?" } ?? ""
        throw StrictNode(node: keyNode, file: file, path: path)
          .failure("unknown key \"\(key)\"\(hint) (known here: \(known.joined(separator: ", ")))")
      }
      // null says that there is nothing, as leaving the key out does.
      if value.tag == Tag(.null) { continue }
      values[key] = inner
    }
    return values
  }

  /// Whether it is a single value, and no list or mapping.
  package var isScalar: Bool { node.scalar != nil }

  /// The items of a list.
  package func list() throws(SettingsError) -> [StrictNode] {
    guard let sequence = node.sequence else { throw failure("must be a list") }
    return sequence.enumerated()
      .map { i, item in
        StrictNode(node: item, file: file, path: "\(path)[\(i)]")
      }
  }

  /// A text, perhaps empty.
  package func string() throws(SettingsError) -> String {
    guard let scalar = node.scalar else { throw failure("must be a text") }
    return scalar.string
  }

  /// A text that is not empty.
  package func text() throws(SettingsError) -> String {
    let text = try string()
    guard text.contains(where: { !$0.isWhitespace }) else { throw failure("must not be empty") }
    return text
  }

  /// A finite number.
  package func number() throws(SettingsError) -> Double {
    guard let scalar = node.scalar, let value = Double(scalar.string), value.isFinite else {
      throw failure("must be a number")
    }
    return value
  }

  /// A whole number within a range.
  package func integer(_ range: ClosedRange<Int>) throws(SettingsError) -> Int {
    guard let scalar = node.scalar, let value = Int(scalar.string), range.contains(value) else {
      throw failure("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// `true` or `false`.
  package func bool() throws(SettingsError) -> Bool {
    switch node.scalar?.string {
    case "true": return true
    case "false": return false
    default: throw failure("must be true or false")
    }
  }

  /// Minutes after midnight.
  ///
  /// - Parameter latest: 1440 where midnight at the end of the day counts, as `24:00`.
  package func minuteOfDay(latest: Int = 1_439) throws(SettingsError) -> Int {
    let parts = try string().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2,
      parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy("0123456789".contains) }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), (0...59).contains(minute),
      (0...latest).contains(hour * 60 + minute)
    else { throw failure("must be a time of day such as \"22:00\" (in quotes)") }
    return hour * 60 + minute
  }

  /// A length, such as `150m`.
  package func lengthMeters() throws(SettingsError) -> Double {
    guard let scalar = node.scalar, let meters = parseLengthMeters(scalar.string),
      meters <= Tier.longestMeters
    else {
      throw failure("must be a length up to 1000km such as 150, \"500m\", \"3mi\" or \"2km\"")
    }
    return meters
  }

  /// The value as its stored form reads it, for what has no reader of its own here.
  package func decoded<Value: Decodable>(_: Value.Type) throws(SettingsError) -> Value {
    do {
      return try YAMLDecoder().decode(Value.self, from: node)
    } catch {
      switch error {
      case DecodingError.dataCorrupted(let context), DecodingError.valueNotFound(_, let context),
        DecodingError.typeMismatch(_, let context), DecodingError.keyNotFound(_, let context):
        throw failure(context.debugDescription)
      default: throw failure("\(error)")
      }
    }
  }

  /// A span, such as `20s`.
  package func duration() throws(SettingsError) -> Milliseconds {
    guard let scalar = node.scalar, let span = Milliseconds(scalar.string) else {
      throw failure("must be a span such as 20, \"20s\", \"5m\" or \"1h\"")
    }
    return span
  }

  /// The tiers of a reminder, by their names.
  package func tiers() throws(SettingsError) -> [Tier] {
    var tiers: [Tier] = []
    for item in try list() {
      let text = try item.text()
      guard let tier = Tier(text) else {
        throw item.failure(
          "\"\(text)\" is no tier: write a distance such as \"2mi\", arrival or post_arrival:5m"
        )
      }
      tiers.append(tier)
    }
    return tiers
  }

  /// An instant as RFC 3339 writes it.
  package func instant() throws(SettingsError) -> Timestamp {
    guard let scalar = node.scalar, let instant = RFC3339.parse(scalar.string) else {
      throw failure("must be a time such as 2026-01-05T17:20:00Z")
    }
    // Whose clock shows it is not to be guessed.
    guard
      scalar.string.contains(where: { "Zz+".contains($0) })
        || scalar.string.dropFirst("2026-01-05T".count).contains("-")
    else { throw failure("must have its zone behind it: Z, or such as -05:00") }
    return instant
  }

  /// One of the values of an enum.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _: Choice.Type
  ) throws(SettingsError) -> Choice where Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue)
    let text = try string()
    guard let choice = Choice(rawValue: text) else {
      let hint = nearestName(to: text, among: names).map { ": did you mean \"\($0)\"?" } ?? ""
      throw failure("\"\(text)\" is none of \(names.joined(separator: ", "))\(hint)")
    }
    return choice
  }
}

extension StrictNode {
  /// Whether it is a list.
  package var isList: Bool { node.sequence != nil }
  /// Whether it is a mapping.
  package var isMapping: Bool { node.mapping != nil }

  /// The value as one line of YAML without its quotes; a list in brackets.
  package var oneLine: String {
    if let sequence = node.sequence {
      return "[" + sequence.map { Self.quoted($0.scalar?.string ?? "") }.joined(separator: ", ")
        + "]"
    }
    return node.scalar?.string ?? ""
  }

  /// A scalar that YAML reads as it is meant.
  package static func quoted(_ value: String) -> String {
    let isWord = value.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
    let isPlain = Double(value) != nil || (isWord && value != "null" && !value.isEmpty)
    return isPlain ? value : "\"\(value)\""
  }
}
