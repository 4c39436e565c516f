import Basics

/// What the texts stand for by which data without OpenStreetMap's tags names its categories.
struct NamedCategories {
  /// The categories that are wanted.
  private(set) var known = CategorySet()
  /// Whether a word stands for one that is known and not wanted.
  private(set) var hasUnwanted = false
  /// Whether a word stands for none.
  private(set) var hasUnknown = false

  /// Reads texts of one category, or of several between `;` or `|`, or as a list of JSON, as which GDAL
  /// writes lists into tables.
  init(_ texts: [String], rules: CategoryRules) {
    for word in texts.flatMap(Self.words) {
      guard let word = cleaned(word) else { continue }
      if let index = rules.index(named: word) {
        known.insert(index)
      } else if rules.leavesOut(word) {
        hasUnwanted = true
      } else {
        hasUnknown = true
      }
    }
  }

  private static func words(_ text: String) -> [String] {
    if cleaned(text)?.first == "[", let list = (try? JSONValue.parse(text))?.elements {
      return list.compactMap(\.text)
    }
    return text.split(whereSeparator: { $0 == ";" || $0 == "|" }).map { String($0) }
  }
}
