import NearMeEngine
import SettingsFiles
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
    return try read(text: text(settings), file: "policy", over: base)
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
