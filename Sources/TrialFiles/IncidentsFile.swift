import Replay
import SettingsFiles
import Timeline

/// What goes wrong with a phone during a replay, as a file.
package enum IncidentsFile {
  /// Reads an incidents file, YAML or JSON: a list of `at` and `kind` under `incidents`.
  package static func read(path: String) throws(SettingsError) -> [ReplayAction] {
    try read(StrictDocument(path: path).root)
  }

  /// Reads an incidents file's text.
  package static func read(text: String, file: String) throws(SettingsError) -> [ReplayAction] {
    try read(StrictDocument(text: text, file: file).root)
  }

  private static func read(_ root: StrictNode) throws(SettingsError) -> [ReplayAction] {
    let keys = try root.mapping(keys: ["incidents"])
    guard let list = keys["incidents"] else {
      throw root.failure("has no incidents: list them under \"incidents\"")
    }
    var incidents: [ReplayAction] = []
    for node in try list.list() {
      let keys = try node.mapping(keys: ["at", "kind"])
      guard let at = keys["at"], let kind = keys["kind"] else {
        throw node.failure("needs both at and kind")
      }
      incidents.append(
        ReplayAction(at: try at.instant(), .incident(try kind.choice(Incident.self)))
      )
    }
    return incidents
  }
}
