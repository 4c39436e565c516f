/// The keys and values that the rules name, as small numbers.
///
/// A block of a PBF file lists its texts once: looking each of them up here tells at once whether
/// the block can hold a place at all. Exceptions are not looked at: they take places away only.
struct TagVocabulary: Sendable {
  /// What the rules say of a text, as bits.
  enum Mark {
    /// The key of the first tag of a rule.
    static let leadingKey: UInt8 = 1
    /// The key of the first tag of a rule that takes any value.
    static let loneKey: UInt8 = 2
    static let named: UInt8 = 4
  }

  private struct Tag {
    let key: Int
    /// Empty for any value.
    let values: [Int]
  }

  private typealias Word = (bytes: [UInt8], token: Int)
  private var words: [Word] = []
  /// For each first byte, the lengths that a word may have, as bits.
  private var lengthsByFirstByte = [UInt64](repeating: 0, count: 256)
  /// What texts may begin with, and the number that stands for all of them.
  private var prefixes: [Word] = []
  /// The marks of each number.
  private var marks: [UInt8] = [0]
  private var rules: [[Tag]] = []

  init(_ categories: CategoryRules) {
    for category in categories.categories {
      for conditions in category.any {
        var rule: [Tag] = []
        for condition in conditions {
          let key = Array(condition.key.utf8)
          rule.append(
            Tag(
              key: condition.isPrefix ? add(key, to: \.prefixes) : add(key, to: \.words),
              values: condition.values.map { add(Array($0.utf8), to: \.words) }
            )
          )
        }
        if let lead = rule.first {
          marks[lead.key] |= lead.values.isEmpty ? Mark.loneKey : Mark.leadingKey
        }
        rules.append(rule)
      }
    }
  }

  /// The number of words and prefixes, and one for "any other".
  var tokenCount: Int { marks.count }

  private mutating func add(_ bytes: [UInt8], to list: WritableKeyPath<Self, [Word]>) -> Int {
    if let word = self[keyPath: list].first(where: { $0.bytes == bytes }) { return word.token }
    let token = marks.count
    self[keyPath: list].append((bytes, token))
    marks.append(Mark.named)
    if list == \.words {
      lengthsByFirstByte[Int(bytes.first ?? 0)] |= 1 << UInt64(min(bytes.count, 63))
    }
    return token
  }

  /// The marks of a text; notes in a list of every word and prefix that it is there.
  @inline(__always)
  func mark(_ text: UnsafeRawBufferPointer, _ isPresent: inout [Bool]) -> UInt8 {
    guard let first = text.first else { return 0 }
    var mark: UInt8 = 0
    if lengthsByFirstByte[Int(first)] & 1 << UInt64(min(text.count, 63)) != 0 {
      let token = search(text)
      isPresent[token] = true
      mark = marks[token]
    }
    for prefix in prefixes where text.starts(with: prefix.bytes) {
      isPresent[prefix.token] = true
      mark |= marks[prefix.token]
    }
    return mark
  }

  /// The number of a word; 0 for one that the rules do not name.
  private func search(_ text: UnsafeRawBufferPointer) -> Int {
    for word in words where word.bytes.count == text.count && word.bytes.elementsEqual(text) {
      return word.token
    }
    return 0
  }

  /// Whether words that are there could fulfill a rule.
  func canMatch(_ isPresent: [Bool]) -> Bool {
    rules.contains { rule in
      rule.allSatisfy { tag in
        isPresent[tag.key] && (tag.values.isEmpty || tag.values.contains { isPresent[$0] })
      }
    }
  }
}
