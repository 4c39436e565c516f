import Tones

/// A tone as a file: templates for every kind of sentence.
package enum ToneFile {
  /// Reads a tone file, YAML or JSON.
  package static func read(path: String) throws(SettingsError) -> TonePack {
    try read(StrictDocument(path: path).root)
  }

  /// Reads a tone file's text.
  package static func read(text: String, file: String) throws(SettingsError) -> TonePack {
    try read(StrictDocument(text: text, file: file).root)
  }

  private static func read(_ root: StrictNode) throws(SettingsError) -> TonePack {
    let keys = try root.mapping(keys: ["name", "templates"])
    let name = try keys.needed("name", of: root).text()
    let node = try keys.needed("templates", of: root)
    let kinds = try node.mapping(keys: SentenceKind.allCases.map(\.rawValue))
    var items: [SentenceKind: [StrictNode]] = [:]
    var texts: [SentenceKind: [String]] = [:]
    for kind in SentenceKind.allCases {
      let list = try kinds[kind.rawValue]?.list() ?? []
      items[kind] = list
      for item in list { texts[kind, default: []].append(try item.text()) }
    }
    do throws(ToneError) {
      return try TonePack(name: name) { kind throws(ToneError) in texts[kind] ?? [] }
    } catch {
      let item = error.number.flatMap { items[error.kind]?[$0] }
      guard let item else { throw node.failure(error.description) }
      throw item.failure(error.reason)
    }
  }
}
