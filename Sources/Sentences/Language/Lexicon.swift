/// The words that a language knows, found by their letters without making a string of them.
struct Lexicon: Sendable {
  private var slots: [Int32]
  private var mask: Int
  private var words: [[Unicode.Scalar]] = []
  private var termSets: [TermSet] = []
  /// For each word, the classes that it is in, and what it says there.
  private var values: [[(term: Int, value: Int)]] = []

  init() {
    slots = Array(repeating: -1, count: 4_096)
    mask = 4_095
  }

  func terms(of entry: Int) -> TermSet { termSets[entry] }

  /// What a word says as one of a class.
  func value(of entry: Int, term: Int) -> Int? {
    for pair in values[entry] where pair.term == term { return pair.value }
    return nil
  }

  mutating func insert(_ word: String, term: Int, value: Int?) {
    let scalars = Array(word.unicodeScalars)
    var entry = find(scalars, 0, scalars.count)
    if entry < 0 {
      entry = words.count
      words.append(scalars)
      termSets.append(TermSet())
      values.append([])
      if words.count * 3 > slots.count { grow() }
      place(entry)
    }
    termSets[entry].insert(term)
    if let value { values[entry].append((term, value)) }
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: slots.count * 2)
    mask = slots.count - 1
    for entry in 0..<words.count - 1 { place(entry) }
  }

  private mutating func place(_ entry: Int) {
    var slot = Self.hash(words[entry], 0, words[entry].count) & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = Int32(entry)
  }

  /// The entry of a word of a text, whatever its case; -1 if there is none.
  func find(_ scalars: [Unicode.Scalar], _ start: Int, _ end: Int) -> Int {
    var slot = Self.hash(scalars, start, end) & mask
    while slots[slot] >= 0 {
      let entry = Int(slots[slot])
      if matches(words[entry], in: scalars, start, end) { return entry }
      slot = (slot + 1) & mask
    }
    return -1
  }

  private func matches(
    _ word: [Unicode.Scalar],
    in scalars: [Unicode.Scalar],
    _ start: Int,
    _ end: Int
  ) -> Bool {
    var index = 0
    let isPointed = Self.isPointed(scalars, start, end)
    for position in start..<end {
      if isPointed, scalars[position] == "." { continue }
      guard index < word.count, let folded = Tokenizer.folded(scalars[position]),
        folded == word[index]
      else { return false }
      index += 1
    }
    return index == word.count
  }

  /// FNV-1a over folded letters.
  private static func hash(_ scalars: [Unicode.Scalar], _ start: Int, _ end: Int) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let isPointed = isPointed(scalars, start, end)
    for position in start..<end {
      if isPointed, scalars[position] == "." { continue }
      guard let folded = Tokenizer.folded(scalars[position]) else { continue }
      hash = (hash ^ UInt64(folded.value)) &* 0x100_0000_01B3
    }
    return Int(truncatingIfNeeded: hash >> 1)
  }

  /// Whether points are to be passed over, as in p.m.
  static func isPointed(_ scalars: [Unicode.Scalar], _ start: Int, _ end: Int) -> Bool {
    end - start >= 3 && scalars[start + 1] == "." && Tokenizer.isLetter(scalars[start])
  }
}
