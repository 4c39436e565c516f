import NearMeEngine
import Timeline

/// A group of a settings file: a name, what it is about, and its keys.
package struct SettingsGroup<Settings: Sendable>: Sendable {
  /// Its key in the file.
  package let name: String
  let comment: String
  /// Its keys, in the order of the file.
  package let keys: [SettingsKey<Settings>]
  /// Keys of earlier versions, and why they are gone.
  let retired: [String: String]

  /// Makes a group.
  package init(
    name: String,
    comment: String,
    keys: [SettingsKey<Settings>],
    retired: [String: String] = [:]
  ) {
    self.name = name
    self.comment = comment
    self.keys = keys
    self.retired = retired
  }

  /// The values that a file gives for this group, by key.
  package func values(in node: StrictNode) throws(SettingsError) -> [String: StrictNode] {
    try node.mapping(keys: keys.map(\.name), retired: retired)
  }
}

/// What a value of a settings file is, as far as values between two others have a meaning.
package enum SettingsKind: Sendable {
  /// Meters, such as `"150m"`.
  case length
  /// A span, such as `"60s"`.
  case duration
  /// A plain number.
  case number
  /// A whole number.
  case integer
  /// Anything else: no value lies between two others.
  case other
}

/// A number of a settings file: how it is printed and how it is read.
package struct SettingsKey<Settings: Sendable>: Sendable {
  /// Its name in its group.
  package let name: String
  /// What its value is.
  package let kind: SettingsKind
  /// What it means, and where its number comes from; one comment line each.
  let comments: [String]
  /// Its value as the file has it.
  package let print: @Sendable (Settings) -> String
  /// Reads a value of the file into the settings.
  package let read: @Sendable (inout Settings, StrictNode) throws(SettingsError) -> Void

  /// Makes a key.
  package init(
    name: String,
    kind: SettingsKind = .other,
    comments: [String],
    print: @escaping @Sendable (Settings) -> String,
    read: @escaping @Sendable (inout Settings, StrictNode) throws(SettingsError) -> Void
  ) {
    self.name = name
    self.kind = kind
    self.comments = comments
    self.print = print
    self.read = read
  }

  init(
    name: String,
    comment: String,
    print: @escaping @Sendable (Settings) -> String,
    read: @escaping @Sendable (inout Settings, StrictNode) throws(SettingsError) -> Void
  ) {
    self.init(name: name, comments: [comment], print: print, read: read)
  }
}

/// A kind of settings file, whose table is made of the kinds of keys below.
package protocol SettingsFileKind {
  /// What the file says.
  associatedtype Settings: Sendable
}

extension SettingsFileKind {
  /// A key of the file.
  package typealias Key = SettingsKey<Settings>
  /// A group of the file.
  package typealias Group = SettingsGroup<Settings>
  /// A number of the settings.
  package typealias Field<Value> = any WritableKeyPath<Settings, Value> & Sendable

  /// A key with a length.
  package static func length(_ name: String, _ field: Field<Double>, _ comments: String...) -> Key {
    Key(name: name, kind: .length, comments: comments) {
      "\"\(Tier.lengthName($0[keyPath: field]))\""
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.lengthMeters()
    }
  }

  /// A key with a span.
  package static func duration(
    _ name: String,
    _ field: Field<Milliseconds>,
    _ comments: String...
  ) -> Key {
    Key(name: name, kind: .duration, comments: comments) {
      "\"\($0[keyPath: field].name)\""
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.duration()
    }
  }

  /// A key with a number within a range.
  package static func number(
    _ name: String,
    _ field: Field<Double>,
    in range: ClosedRange<Double>,
    _ comments: String...
  ) -> Key {
    Key(name: name, kind: .number, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      let value = try node.number()
      guard range.contains(value) else {
        throw node.failure("must lie between \(range.lowerBound) and \(range.upperBound)")
      }
      settings[keyPath: field] = value
    }
  }

  /// A key with a whole number within a range.
  package static func integer(
    _ name: String,
    _ field: Field<Int>,
    in range: ClosedRange<Int>,
    _ comments: String...
  ) -> Key {
    Key(name: name, kind: .integer, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.integer(range)
    }
  }

  /// A key that is true or false.
  package static func bool(_ name: String, _ field: Field<Bool>, _ comments: String...) -> Key {
    Key(name: name, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.bool()
    }
  }

  /// A key with one of the values of an enum.
  package static func choice<Choice>(
    _ name: String,
    _ field: Field<Choice>,
    _ comment: String
  ) -> Key
  where Choice: RawRepresentable & CaseIterable & Sendable, Choice.RawValue == String {
    let names = Choice.allCases.map(\.rawValue).joined(separator: " or ")
    return Key(name: name, comment: "\(comment): \(names).") {
      $0[keyPath: field].rawValue
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.choice(Choice.self)
    }
  }
}

/// A settings file as one table, which drives reading and printing: what is printed can be read.
package struct SettingsTable<Settings: Sendable>: Sendable {
  let title: String
  /// The groups, in the order of the file.
  package let groups: [SettingsGroup<Settings>]

  /// Makes a table.
  package init(title: String, groups: [SettingsGroup<Settings>]) {
    self.title = title
    self.groups = groups
  }

  /// The complete file, with a comment for every key.
  package func show(_ settings: Settings) -> String {
    var text = "# \(title)\n"
    for group in groups {
      text += "\n# \(group.comment)\n\(group.name):\n"
      for key in group.keys {
        for comment in key.comments { text += "  # \(comment)\n" }
        text += "  \(key.name): \(key.print(settings))\n"
      }
    }
    return text
  }

  /// Reads a file's root; keys that are not there keep their values.
  package func read(_ root: StrictNode, into settings: inout Settings) throws(SettingsError) {
    let values = try root.mapping(keys: groups.map(\.name))
    for group in groups {
      guard let node = values[group.name] else { continue }
      let keys = try group.values(in: node)
      for key in group.keys {
        guard let value = keys[key.name] else { continue }
        try key.read(&settings, value)
      }
    }
  }
}
