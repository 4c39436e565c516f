/// The keys and values that the rules name, as small numbers.
///
/// A block of a PBF file lists its texts once: looking each of them up here tells at once whether
/// the block can hold a place at all.
struct TagVocabulary: Sendable {
  private var words: [[UInt8]] = []
  /// For each first byte, the lengths that a word may have, as bits.
  private var lengthsByFirstByte = [UInt64](repeating: 0, count: 256)
  /// For each word, whether it is the key of the first tag of a rule.
  private(set) var isLeadingKey: [Bool] = [false]
  /// For each rule, and each of its tags, the key and the values.
  private var rules: [[(key: Int, values: [Int])]] = []

  init(_ categories: CategoryRules) {
    for category in categories.categories {
      for conditions in category.any {
        var rule: [(key: Int, values: [Int])] = []
        for condition in conditions {
          rule.append((token(adding: condition.key), condition.values.map { token(adding: $0) }))
        }
        if let lead = rule.first { isLeadingKey[lead.key] = true }
        rules.append(rule)
      }
    }
  }

  /// The number of words, and one for "any other".
  var tokenCount: Int { words.count + 1 }

  private mutating func token(adding word: String) -> Int {
    let bytes = Array(word.utf8)
    if let index = words.firstIndex(of: bytes) { return index + 1 }
    words.append(bytes)
    isLeadingKey.append(false)
    lengthsByFirstByte[Int(bytes.first ?? 0)] |= 1 << UInt64(min(bytes.count, 63))
    return words.count
  }

  /// The number of a word; 0 for one that the rules do not name.
  @inline(__always)
  func token(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    guard let first = bytes.first,
      lengthsByFirstByte[Int(first)] & 1 << UInt64(min(bytes.count, 63)) != 0
    else { return 0 }
    return search(bytes)
  }

  private func search(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
    for (index, word) in words.enumerated()
    where word.count == bytes.count && word.elementsEqual(bytes) {
      return UInt16(truncatingIfNeeded: index + 1)
    }
    return 0
  }

  /// Whether words that are there could fulfil a rule.
  func canMatch(_ isPresent: [Bool]) -> Bool {
    rules.contains { rule in
      rule.allSatisfy { tag in
        isPresent[tag.key] && tag.values.contains { isPresent[$0] }
      }
    }
  }
}
