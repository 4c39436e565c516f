import NearMeEngine
import Timeline

/// A group of a settings file: a name, what it is about, and its keys.
struct SettingsGroup<Settings: Sendable>: Sendable {
  let name: String
  let comment: String
  let keys: [SettingsKey<Settings>]
}

/// A number of a settings file: how it is printed and how it is read.
struct SettingsKey<Settings: Sendable>: Sendable {
  typealias Field<Value> = any WritableKeyPath<Settings, Value> & Sendable

  let name: String
  /// What it means, and where its number comes from; one comment line each.
  let comments: [String]
  let print: @Sendable (Settings) -> String
  let read: @Sendable (inout Settings, StrictNode) throws(SettingsError) -> Void

  static func length(_ name: String, _ field: Field<Double>, _ comments: String...) -> Self {
    Self(name: name, comments: comments) {
      "\"\(Tier.lengthName($0[keyPath: field]))\""
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.lengthMeters()
    }
  }

  static func duration(_ name: String, _ field: Field<Milliseconds>, _ comments: String...) -> Self
  {
    Self(name: name, comments: comments) {
      "\"\(durationName($0[keyPath: field]))\""
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.duration()
    }
  }

  static func number(
    _ name: String,
    _ field: Field<Double>,
    _ range: ClosedRange<Double>,
    _ comments: String...
  ) -> Self {
    Self(name: name, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      let value = try node.number()
      guard range.contains(value) else {
        throw node.failure("must lie between \(range.lowerBound) and \(range.upperBound)")
      }
      settings[keyPath: field] = value
    }
  }

  static func integer(
    _ name: String,
    _ field: Field<Int>,
    _ range: ClosedRange<Int>,
    _ comments: String...
  ) -> Self {
    Self(name: name, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.integer(range)
    }
  }

  static func bool(_ name: String, _ field: Field<Bool>, _ comments: String...) -> Self {
    Self(name: name, comments: comments) {
      "\($0[keyPath: field])"
    } read: { (settings, node) throws(SettingsError) in
      settings[keyPath: field] = try node.bool()
    }
  }
}

/// A settings file as one table, which drives reading and printing: what is printed can be read.
struct SettingsTable<Settings: Sendable>: Sendable {
  let title: String
  let groups: [SettingsGroup<Settings>]

  func show(_ settings: Settings) -> String {
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
  func read(_ root: StrictNode, into settings: inout Settings) throws(SettingsError) {
    let values = try root.mapping(keys: groups.map(\.name))
    for group in groups {
      guard let node = values[group.name] else { continue }
      let keys = try node.mapping(keys: group.keys.map(\.name))
      for key in group.keys {
        guard let value = keys[key.name] else { continue }
        try key.read(&settings, value)
      }
    }
  }
}
