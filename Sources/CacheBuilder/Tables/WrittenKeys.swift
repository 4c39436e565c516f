import Basics

/// How a key may be looked up that somebody wrote: without capitals and blanks, and with `_` between its words.
///
/// - Returns: `openinghours` and `opening_hours` for `Opening Hours`; one where both are the same.
func spellings(ofKey written: String) -> [String] {
  let lowered = written.lowercased()
  let squeezed = lowered.filter { !$0.isWhitespace }
  let joined = lowered.split { $0.isWhitespace || $0 == "-" }.joined(separator: "_")
  return joined == squeezed ? [squeezed] : [squeezed, joined]
}

/// The columns of a table, whose names people write as they like.
struct WrittenColumns: Sendable {
  /// By column, the name without capitals and blanks.
  let names: [String]
  /// Those of several words, with `_` between them.
  private let joined: [(name: String, column: Int)]

  init(_ written: [String]) {
    let spelled = written.map(spellings(ofKey:))
    names = spelled.map { $0[0] }
    joined = spelled.enumerated()
      .flatMap { column, names in names.dropFirst().map { ($0, column) } }
  }

  /// Whether a column has a name of several words.
  var hasJoined: Bool { !joined.isEmpty }

  /// The column of a key; nil where there is none.
  func column(of key: String) -> Int? {
    names.firstIndex(of: key) ?? joined.first { $0.name == key }?.column
  }

  /// The column of the first of several keys that has one.
  func column(ofFirst keys: [String]) -> Int? { keys.lazy.compactMap(column(of:)).first }
}

/// What a place may be called by, and its brand, in the order in which they count.
enum KeyAliases {
  static let name = ["name", "title"]
  static let brand = ["brand", "chain"]
}

/// The properties of a feature, whose keys people write as they like.
struct WrittenProperties {
  /// As they are written.
  let exact: JSONValue
  /// Those that are written otherwise than they are looked up, under each of their spellings.
  private let others: JSONValue.Members
  /// Whether they are looked up as they are written only, as older versions did.
  private let isExact: Bool

  init(_ properties: JSONValue) {
    exact = properties
    isExact = false
    others = (properties.members ?? []).filter { !Self.isPlain($0.key) }
      .flatMap { member in spellings(ofKey: member.key).map { ($0, member.value) } }
  }

  private init(exactly properties: JSONValue) {
    (exact, others, isExact) = (properties, [], true)
  }

  /// The same as older versions have read them.
  var asOlder: WrittenProperties { WrittenProperties(exactly: exact) }

  /// Whether a key is looked up as it is written.
  private static func isPlain(_ key: String) -> Bool {
    key.utf8.allSatisfy {
      (0x21..<0x80).contains($0) && !(0x41...0x5A).contains($0) && $0 != UInt8(ascii: "-")
    }
  }

  /// The value of a key, that of the very key before others; nil where it is not there.
  subscript(key: String) -> JSONValue? {
    switch exact[key] {
    case nil, .null: others.first { $0.key == key }?.value ?? exact[key]
    case let value: value
    }
  }

  /// The text of the first of several keys that is there, be it empty.
  ///
  /// As in a table: there, the first column counts for all rows.
  func text(ofFirst keys: [String]) -> String? {
    let wanted = isExact ? Array(keys.prefix(1)) : keys
    return CacheBuilder.text(wanted.lazy.compactMap { self[$0] }.first)
  }

  /// What stands under `id`, written so: programs for maps number all features with an `Id` of 0.
  var writtenID: JSONValue? { exact["id"] }

  /// The id of a place in the index of some service; older versions did not read it.
  var placeID: JSONValue? { isExact ? nil : self["place_id"] }

  /// Whether one of the properties, under one of its spellings, is wanted.
  func contains(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool {
    ((exact.members ?? []) + others)
      .contains { member in
        CacheBuilder.text(member.value).map { isWanted(member.key, $0) } ?? false
      }
  }
}

/// The text of a property: numbers are ids and house numbers, null is nothing.
func text(_ value: JSONValue?) -> String? {
  switch value {
  case .string(let text): text
  case .number(let text): text
  default: nil
  }
}
