import NearMeEngine
import SettingsFiles
import Timeline
import Tuning

/// Which policies are tried, as a file: the keys of a policy file with several values each.
///
/// The values of a key are a list, or a range `{from: 20s, to: 180s, step: 20s}`; `count: 9` may
/// stand for the step, with `scale: log` for even factors. A range without either is drawn from
/// freely. One value fixes the key. Keys and limits are those of `PolicyFile`.
package enum SpaceFile {
  /// Reads a space file, YAML or JSON.
  package static func read(path: String) throws(SettingsError) -> PolicySpace {
    try read(StrictDocument(path: path).root)
  }

  /// Reads a space file's text.
  package static func read(text: String, file: String) throws(SettingsError) -> PolicySpace {
    try read(StrictDocument(text: text, file: file).root)
  }

  /// More values of one key are a mistake.
  private static let mostValues = 10_000

  private static func read(_ root: StrictNode) throws(SettingsError) -> PolicySpace {
    let groups = PolicyFile.table.groups
    let nodes = try root.mapping(keys: groups.map(\.name))
    var knobs: [Knob] = []
    for group in groups {
      guard let node = nodes[group.name] else { continue }
      let values = try group.values(in: node)
      for key in group.keys {
        guard let value = values[key.name] else { continue }
        let name = "\(group.name).\(key.name)"
        knobs.append(Knob(name: name, domain: try domain(value, key)))
      }
    }
    guard !knobs.isEmpty else {
      throw root.failure("has no key: name those of a policy file, such as persistence.arrival")
    }
    return PolicySpace(knobs)
  }

  private static func domain(
    _ node: StrictNode,
    _ key: SettingsKey<Policy>
  ) throws(SettingsError) -> Knob.Domain {
    do throws(SettingsError) {
      _ = try read(node, key)
      return .values([node.oneLine])
    } catch {
      // A list of values, a range of them, or indeed a wrong value.
      if node.isList { return .values(try list(node, key)) }
      if node.isMapping { return try range(node, key) }
      throw error
    }
  }

  /// Reads a value as the policy file would.
  ///
  /// - Returns: a policy that has it and is the default one else: two values are equal if theirs are.
  private static func read(
    _ node: StrictNode,
    _ key: SettingsKey<Policy>
  ) throws(SettingsError) -> Policy {
    guard !node.isMapping else { throw node.failure("must be a value") }
    var policy = Policy()
    try key.read(&policy, node)
    return policy
  }

  private static func list(
    _ node: StrictNode,
    _ key: SettingsKey<Policy>
  ) throws(SettingsError) -> [String] {
    var values: [String] = []
    var meant: [Policy: String] = [:]
    for item in try node.list() {
      let value = item.oneLine
      // However it is written: 60s is 1m.
      if let other = meant.updateValue(value, forKey: try read(item, key)) {
        throw item.failure("comes twice" + (other == value ? "" : ": it is the same as \(other)"))
      }
      values.append(value)
    }
    guard !values.isEmpty else { throw node.failure("is empty: list at least one value") }
    return values
  }

  // MARK: Ranges

  private static func range(
    _ node: StrictNode,
    _ key: SettingsKey<Policy>
  ) throws(SettingsError) -> Knob.Domain {
    let keys = try node.mapping(keys: ["from", "to", "step", "count", "scale"])
    guard let from = keys["from"], let to = keys["to"] else {
      throw node.failure("needs both from and to, or is a list of values")
    }
    guard let unit = unit(key.kind) else {
      throw node.failure("has no values between two others: list them")
    }
    for end in [from, to] { _ = try read(end, key) }
    let (low, high) = (try number(from, key.kind), try number(to, key.kind))
    guard low <= high else {
      throw node.failure("is an empty range: from is more than to")
    }
    let isLogarithmic = try keys["scale"]
      .map { node throws(SettingsError) in
        try node.choice(Scale.self) == .log
      }
    if isLogarithmic ?? false, low <= 0 {
      throw from.failure("must be more than 0 with scale: log")
    }
    guard low < high else { return .values([written(low, key.kind, unit)]) }
    if let step = keys["step"] {
      guard keys["count"] == nil, keys["scale"] == nil else {
        throw step.failure("cannot be given together with count or scale")
      }
      return .values(
        try stepped(low...high, by: try number(step, key.kind), at: step)
          .map {
            written($0, key.kind, unit)
          }
      )
    }
    if let count = keys["count"] {
      let number = try count.integer(2...mostValues)
      let values = (0..<number)
        .map { i in
          let share = Double(i) / Double(number - 1)
          guard isLogarithmic ?? false else { return low + share * (high - low) }
          return low * power(high / low, share)
        }
      var texts: [String] = []
      for value in values {
        let text = written(value, key.kind, unit)
        // Whole numbers may come together.
        if texts.last != text { texts.append(text) }
      }
      return .values(texts)
    }
    guard key.kind != .integer else {
      throw node.failure("needs step or count: whole numbers only lie between")
    }
    return .range(low...high, isLogarithmic: isLogarithmic ?? false, unit: unit)
  }

  private enum Scale: String, CaseIterable {
    case linear, log
  }

  private static func stepped(
    _ range: ClosedRange<Double>,
    by step: Double,
    at node: StrictNode
  ) throws(SettingsError) -> [Double] {
    guard step > 0 else { throw node.failure("must be more than 0") }
    // The end counts even if steps of a tenth add up to a hair more.
    let count = Int(min(((range.upperBound - range.lowerBound) / step + 1e-9).rounded(.down), 1e9))
    guard count < mostValues else {
      throw node.failure("gives more than \(mostValues) values: take a larger step")
    }
    return (0...count).map { range.lowerBound + Double($0) * step }
  }

  /// A power with an exponent from 0 to 1, by square roots.
  private static func power(_ base: Double, _ exponent: Double) -> Double {
    var (result, root, rest) = (1.0, base, exponent)
    for _ in 0..<52 where rest > 0 {
      if rest >= 1 {
        result *= root
        rest -= 1
      }
      rest *= 2
      root = root.squareRoot()
    }
    return result
  }

  private static func unit(_ kind: SettingsKind) -> String? {
    switch kind {
    case .length: "m"
    case .duration: "s"
    case .number, .integer: ""
    case .other: nil
    }
  }

  private static func number(
    _ node: StrictNode,
    _ kind: SettingsKind
  ) throws(SettingsError) -> Double {
    switch kind {
    case .length: try node.lengthMeters()
    case .duration: try node.duration().seconds
    case .number, .integer, .other: try node.number()
    }
  }

  /// A number without the dust of adding steps, with its unit.
  private static func written(_ value: Double, _ kind: SettingsKind, _ unit: String) -> String {
    let scale = kind == .integer ? 1.0 : kind == .number ? 1e9 : 1e3
    let rounded = (value * scale).rounded() / scale
    let isWhole = rounded == rounded.rounded() && rounded.magnitude < 1e15
    return (isWhole ? String(Int64(rounded)) : "\(rounded)") + unit
  }
}
