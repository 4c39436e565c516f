import Sentences
import Yams

/// A language as a file: words by class and value, rules by what they make, and phrases.
package enum LanguageFile {
  /// Reads a language file, YAML or JSON.
  package static func read(path: String) throws(SettingsError) -> Language {
    try read(StrictDocument(path: path).root)
  }

  /// Reads a language file's text.
  package static func read(text: String, file: String) throws(SettingsError) -> Language {
    try read(StrictDocument(text: text, file: file).root)
  }

  private static let keys = [
    "name", "clock24", "locales", "words", "leading", "trailing", "idioms", "rules", "phrases",
  ]

  private static func read(_ root: StrictNode) throws(SettingsError) -> Language {
    let keys = try root.mapping(keys: keys)
    var definition = LanguageDefinition(
      name: try keys.needed("name", of: root).text(),
      usesClock24: try keys["clock24"]?.bool() ?? false
    )
    for (name, node) in try keys.needed("locales", of: root).members() {
      let settings = try node.mapping(keys: ["day_first"])
      definition.locales.append((name, try settings["day_first"]?.bool() ?? true))
    }
    for (group, node) in try keys.needed("words", of: root).members() {
      for (number, words) in try node.members() {
        guard let value = Int(number) else { throw words.failure("the key must be a whole number") }
        for word in try words.string().split(whereSeparator: \.isWhitespace) {
          definition.words.append(.init(group: group, value: value, text: String(word)))
        }
      }
    }
    for item in try keys["idioms"]?.list() ?? [] { definition.idioms.append(try item.text()) }
    for item in try keys["leading"]?.list() ?? [] { definition.leading.append(try item.text()) }
    for item in try keys["trailing"]?.list() ?? [] { definition.trailing.append(try item.text()) }
    for (symbol, node) in try keys.needed("rules", of: root).members() {
      for item in try node.list() {
        definition.rules.append(.init(symbol: symbol, text: try item.text()))
      }
    }
    for (key, node) in try keys["phrases"]?.members() ?? [] {
      definition.phrases[key] = try node.string()
    }
    do throws(LanguageError) {
      return try Language(definition)
    } catch {
      throw root.failure(error.description)
    }
  }
}

extension StrictNode {
  /// The keys and values of a mapping whose keys are data, in their order.
  fileprivate func members() throws(SettingsError) -> [(String, StrictNode)] {
    guard let mapping = node.mapping else { throw failure("must be a mapping of keys to values") }
    var members: [(String, StrictNode)] = []
    for (key, value) in mapping {
      let name = key.scalar?.string ?? ""
      members.append((name, StrictNode(node: value, file: file, path: "\(path).\(name)")))
    }
    return members
  }
}
