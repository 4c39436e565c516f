import Basics
import Foundation
import Places

/// Which tags make which categories.
package struct CategoryRules: Hashable, Sendable {
  /// A tag that must be there, with one of the values.
  package struct Condition: Hashable, Sendable {
    /// The key, exactly; of a wildcard such as `disused:*`, what the key begins with.
    package let key: String
    /// Whether more may follow the key.
    package let isPrefix: Bool
    /// The values, each exactly; empty for any, which the rules write as `*`.
    package let values: [String]

    func holds(for tags: some TagLookup) -> Bool {
      guard isPrefix else { return tags[key].map(isWanted) ?? false }
      return tags.hasTag { $0.utf8.starts(with: key.utf8) && isWanted($1) }
    }

    private func isWanted(_ value: String) -> Bool {
      values.isEmpty ? !value.isEmpty : values.contains(value)
    }
  }

  /// The rules of one category.
  package struct Category: Hashable, Sendable {
    /// The category.
    package let id: CategoryID
    /// What data without OpenStreetMap's tags may call it.
    package let aliases: [String]
    /// Its name and its aliases, as words are compared with them.
    package let words: [String]
    /// One of these must hold; each is a list of tags that must all be there.
    package let any: [[Condition]]
    /// None of these may hold.
    package let except: [[Condition]]
  }

  /// What to write in a table that names other categories, or none.
  package var categorySentence: String {
    "the categories are " + categories.map(\.id.name).sorted().joined(separator: ", ")
      + ": name them in a column `category`, several with ; between, or make others with --categories"
  }

  /// The most categories that one set of rules may have: a place's fit the bits of a word.
  package static let limit = 64

  /// The most keys and values that one set of rules may have: each text of a map is looked up there.
  package static let wordLimit = 10_000

  /// The categories, in the order of the file.
  package let categories: [Category]

  /// The text they were read from; nil for the rules that are compiled in.
  package let json: String?

  /// The words for those that were there before ``limited(to:)``.
  private var leftOut: Set<String> = []

  /// The rules that are compiled in.
  package static let standard: CategoryRules = {
    do {
      let rules = try CategoryRules(json: defaultCategoriesJSON, path: "data/categories.json")
      return CategoryRules(categories: rules.categories, json: nil)
    } catch { preconditionFailure("the compiled-in categories are wrong: \(error)") }
  }()

  /// Reads rules from a file.
  ///
  /// - Throws: ``ImportError`` that names the wrong key and the nearest known one.
  package init(path: String) throws(ImportError) {
    let source = try ByteSource(path: path)
    let bytes = try source.readAll(limit: 1 << 20).withoutByteOrderMark
    guard let text = String(ifUTF8: bytes) else {
      throw ImportError(.badRules, path: path, "the file is not UTF-8")
    }
    try self.init(json: text, path: path)
  }

  /// Reads rules from JSON text.
  package init(json: String, path: String) throws(ImportError) {
    let value: JSONValue
    do { value = try JSONValue.parse(json) } catch {
      let line = json.utf8.prefix(error.offset).count { $0 == 0x0A } + 1
      throw ImportError(.badRules, path: path, at: .line(line), error.reason)
    }
    let reader = RulesReader(path: path)
    let top = try reader.members(of: value, "the file", known: ["categories"])
    guard let list = top["categories"]?.elements, !list.isEmpty else {
      throw reader.error("`categories` must be a list with at least one category")
    }
    guard list.count <= Self.limit else {
      throw reader.error("there are \(list.count) categories; at most \(Self.limit) are possible")
    }
    var categories: [Category] = []
    var names: Set<String> = []
    var folded: Set<String> = []
    for element in list {
      let category = try reader.category(element)
      for name in [category.id.name] + category.aliases where !names.insert(name).inserted {
        throw reader.error("the name `\(name)` is there twice")
      }
      // Words are looked up folded; those of one category may say the same in two ways.
      if let word = category.words.first(where: folded.contains) {
        throw reader.error("two categories have the name `\(word)`")
      }
      folded.formUnion(category.words)
      categories.append(category)
    }
    let words = categories.flatMap { $0.any.joined().map { $0.values.count + 1 } }.reduce(0, +)
    guard words <= Self.wordLimit else {
      throw reader.error(
        "there are \(words) keys and values; at most \(Self.wordLimit) are possible"
      )
    }
    self.categories = categories
    self.json = json
  }

  private init(categories: [Category], json: String?) {
    self.categories = categories
    self.json = json
  }

  /// The rules of some of the categories only.
  ///
  /// - Returns: nil if one of the names is unknown.
  package func limited(to names: [String]) -> CategoryRules? {
    let wanted = names.compactMap { name in categories.first { $0.id.name == name } }
    guard wanted.count == names.count else { return nil }
    var some = CategoryRules(
      categories: categories.filter { names.contains($0.id.name) },
      json: json
    )
    some.leftOut = leftOut.union(
      categories.filter { !names.contains($0.id.name) }.flatMap(\.words)
    )
    return some
  }

  /// The category that a word such as `Supermarkets` or `gas station` stands for, by its index.
  func index(named word: String) -> Int? {
    let word = Self.folded(word)
    return categories.firstIndex { $0.words.contains(word) }
  }

  /// Whether a word stands for a category that is known and not wanted.
  func leavesOut(_ word: String) -> Bool { leftOut.contains(Self.folded(word)) }

  /// A word as it is compared: people write capitals, blanks and hyphens as they like.
  package static func folded(_ word: String) -> String {
    String(word.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
  }

  /// What tags say.
  func match(_ tags: some TagLookup) -> TagMatch {
    var match = TagMatch()
    for (index, category) in categories.enumerated() {
      func holds(_ conditions: [Condition]) -> Bool {
        conditions.allSatisfy { $0.holds(for: tags) }
      }
      guard category.any.contains(where: holds) else { continue }
      if category.except.contains(where: holds) {
        match.isExcluded = true
      } else {
        match.categories.insert(index)
      }
    }
    return match
  }

  func ids(_ set: CategorySet) -> [CategoryID] {
    categories.indices.filter(set.contains).map { categories[$0].id }
  }
}

/// The tags of an element, wherever they lie.
protocol TagLookup {
  /// The value of a key; nil where it is not there.
  subscript(key: String) -> String? { get }
  func hasTag(where isWanted: (_ key: String, _ value: String) -> Bool) -> Bool
}

/// Categories by their index in the rules.
struct CategorySet: Hashable, Sendable {
  var bits: UInt64 = 0
  var isEmpty: Bool { bits == 0 }
  mutating func insert(_ index: Int) { bits |= 1 << UInt64(index) }
  func contains(_ index: Int) -> Bool { bits & (1 << UInt64(index)) != 0 }
}

/// What the tags of one element say.
struct TagMatch {
  var categories = CategorySet()
  /// Whether a category was taken away by one of its exceptions.
  var isExcluded = false
}

/// Reads the parts of a rules file strictly: a misspelled key would otherwise be a rule that is
/// silently not there.
private struct RulesReader {
  let path: String

  func error(_ detail: String) -> ImportError { ImportError(.badRules, path: path, detail) }

  func members(
    of value: JSONValue,
    _ what: String,
    known: [String]
  ) throws(ImportError) -> [String: JSONValue] {
    guard let members = value.members else { throw error("\(what) must be an object") }
    var byKey: [String: JSONValue] = [:]
    for member in members {
      guard known.contains(member.key) else {
        let hint = nearestName(to: member.key, among: known).map { "; did you mean `\($0)`?" }
        throw error("unknown key `\(member.key)` in \(what)\(hint ?? "")")
      }
      guard byKey.updateValue(member.value, forKey: member.key) == nil else {
        throw error("the key `\(member.key)` is twice in \(what)")
      }
    }
    return byKey
  }

  func category(_ value: JSONValue) throws(ImportError) -> CategoryRules.Category {
    let members = try members(
      of: value,
      "a category",
      known: ["name", "aliases", "any", "except"]
    )
    guard let name = members["name"]?.text, isName(name) else {
      throw error("a category's `name` must be lower-case letters, digits and _")
    }
    guard let any = members["any"] else { throw error("the category `\(name)` has no `any`") }
    let alternatives = try self.alternatives(any, "`any` of \(name)")
    guard !alternatives.isEmpty else { throw error("`any` of \(name) is empty") }
    let aliases = try texts(members["aliases"] ?? .array([]), "`aliases` of \(name)")
    if let alias = aliases.first(where: { $0.contains("*") }) {
      throw error("the alias `\(alias)` of \(name): a * has no meaning in a name")
    }
    return CategoryRules.Category(
      id: CategoryID(name),
      aliases: aliases,
      words: ([name] + aliases).map(CategoryRules.folded),
      any: alternatives,
      except: try self.alternatives(members["except"] ?? .array([]), "`except` of \(name)")
    )
  }

  private func isName(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
      }
  }

  private func alternatives(
    _ value: JSONValue,
    _ what: String
  ) throws(ImportError) -> [[CategoryRules.Condition]] {
    guard let list = value.elements else { throw error("\(what) must be a list") }
    var alternatives: [[CategoryRules.Condition]] = []
    for element in list {
      guard let members = element.members, !members.isEmpty else {
        throw error("\(what) must hold objects of tags such as {\"amenity\": \"fuel\"}")
      }
      var conditions: [CategoryRules.Condition] = []
      for member in members {
        let values: [String]
        if let text = member.value.text {
          values = [text]
        } else {
          values = try texts(member.value, "`\(member.key)` in \(what)")
        }
        conditions.append(try condition(member.key, values, what))
      }
      alternatives.append(conditions)
    }
    return alternatives
  }

  private func condition(
    _ key: String,
    _ values: [String],
    _ what: String
  ) throws(ImportError) -> CategoryRules.Condition {
    guard !values.isEmpty, !values.contains(""), !key.isEmpty else {
      throw error("a tag in \(what) has no key or no value")
    }
    let isPrefix = key.last == "*"
    let stem = isPrefix ? String(key.dropLast()) : key
    guard !stem.isEmpty, !stem.contains("*") else {
      throw error(
        "`\(key)` in \(what): a * stands at the end of a key only, as in `disused:*`"
      )
    }
    let isAny = values == ["*"]
    guard isAny || !values.contains(where: { $0.contains("*") }) else {
      throw error(
        "`\(key)` in \(what): a * stands alone and means any value; else list the values"
      )
    }
    return CategoryRules.Condition(key: stem, isPrefix: isPrefix, values: isAny ? [] : values)
  }

  private func texts(_ value: JSONValue, _ what: String) throws(ImportError) -> [String] {
    guard let elements = value.elements else { throw error("\(what) must be a list of texts") }
    var texts: [String] = []
    for element in elements {
      guard let text = element.text else { throw error("\(what) must be a list of texts") }
      texts.append(text)
    }
    return texts
  }
}
