import Basics
import NearMeEngine
import SettingsFiles
import Timeline
import Tuning

extension PolicyFile {
  /// A policy in which some keys have other values.
  ///
  /// - Parameter settings: keys with their group, such as `persistence.arrival`, and values as the
  ///   file writes them.
  package static func policy(
    _ settings: [Candidate.Setting],
    over base: Policy
  ) throws(SettingsError) -> Policy {
    guard !settings.isEmpty else { return base }
    return try read(text: text(settings + otherEnd(settings, base)), file: "policy", over: base)
  }

  /// The end of the quiet hours that a candidate does not name, where `base` has some: a policy file has both or none.
  private static func otherEnd(
    _ settings: [Candidate.Setting],
    _ base: Policy
  ) -> [Candidate.Setting] {
    guard let quiet = base.quietHours else { return [] }
    let ends = [("quiet_hours.start", quiet.startMinute), ("quiet_hours.end", quiet.endMinute)]
    let missing = ends.filter { end in !settings.contains { $0.name == end.0 } }
    guard missing.count == 1 else { return [] }
    return missing.map { Candidate.Setting(name: $0.0, value: timeOfDay(minute: $0.1)) }
  }

  /// A policy file that says what `base` says, with other values for some keys.
  ///
  /// - Parameter base: the path of a policy file; nil for the defaults.
  package static func text(
    _ settings: [Candidate.Setting],
    over base: String?
  ) throws(SettingsError) -> String {
    var values: [Candidate.Setting] = []
    if let base {
      let nodes = try StrictDocument(path: base).root.mapping(keys: table.groups.map(\.name))
      for group in table.groups {
        guard let keys = try nodes[group.name]?.mapping(keys: group.keys.map(\.name)) else {
          continue
        }
        for key in group.keys {
          guard let node = keys[key.name] else { continue }
          values.append(
            Candidate.Setting(name: "\(group.name).\(key.name)", value: node.oneLine)
          )
        }
      }
      values.removeAll { value in settings.contains { $0.name == value.name } }
    }
    return text(values + settings)
  }

  private static func text(_ settings: [Candidate.Setting]) -> String {
    var text = ""
    for group in table.groups {
      let lines = group.keys.compactMap { key in
        settings.last { $0.name == "\(group.name).\(key.name)" }
          .map {
            "  \(key.name): \($0.value.hasPrefix("[") ? $0.value : StrictNode.quoted($0.value))\n"
          }
      }
      if !lines.isEmpty { text += "\(group.name):\n" + lines.joined() }
    }
    return text
  }
}
