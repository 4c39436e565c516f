/// What can be found at each token of one sentence, each looked for once.
///
/// - Complexity: at most ``most`` findings for a symbol at a token, so a sentence costs its length times what the
///   rules are worth.
struct Chart {
  /// Something found: where it ends, what it says, and how sure that is.
  struct Edge {
    let end: Int
    let value: Value
    let weakness: Int
    let rule: Int
  }

  let language: Language
  let tokens: [Token]
  let scalars: [Unicode.Scalar]
  let places: PlaceNames
  private var memo: [Int32]
  private var found: [[Edge]] = []
  private let symbolCount: Int
  private var depth = 0
  /// What has been found on the way that is being followed, of all symbols that are looked for, and how sure it is.
  private var kept: [(value: Value, weakness: Int)] = []
  private let flat: Grammar.Flat
  private let rules: [Grammar.Rule]
  /// The terms of all tokens, since a place in a vector is found more slowly than one in memory.
  private let bits: [UInt64]
  /// Which symbols can begin at each token.
  private let beginners: [UInt64]

  /// No more findings for a symbol at a token are kept; the longest are.
  static let most = 10
  /// Symbols inside symbols.
  private static let deepest = 24
  /// Items of a list.
  private static let longestList = 12

  init(_ language: Language, tokens: [Token], scalars: [Unicode.Scalar], places: PlaceNames) {
    self.language = language
    self.tokens = tokens
    self.scalars = scalars
    self.places = places
    symbolCount = language.grammar.roots.count
    memo = Array(repeating: -1, count: tokens.count * symbolCount)
    found.reserveCapacity(64)
    var bits: [UInt64] = []
    bits.reserveCapacity(tokens.count * TermSet.wordCount)
    for token in tokens { token.terms.append(to: &bits) }
    self.bits = bits
    flat = language.grammar.flat
    rules = language.grammar.rules
    beginners = Self.beginners(bits, flat, count: tokens.count)
  }

  private static func beginners(_ bits: [UInt64], _ flat: Grammar.Flat, count: Int) -> [UInt64] {
    var beginners = Array(repeating: UInt64(0), count: count * flat.wordCount)
    for index in bits.indices where bits[index] != 0 {
      let position = index / TermSet.wordCount
      var rest = bits[index]
      while rest != 0 {
        let term = index % TermSet.wordCount * 64 + rest.trailingZeroBitCount
        rest &= rest - 1
        for word in 0..<flat.wordCount {
          beginners[position * flat.wordCount + word] |= flat.starters[term * flat.wordCount + word]
        }
      }
    }
    return beginners
  }

  private func canBegin(_ symbol: Int, at position: Int) -> Bool {
    beginners[position * flat.wordCount + symbol >> 6] >> UInt64(symbol & 63) & 1 == 1
  }

  /// What a symbol finds from a token on.
  mutating func edges(_ symbol: Int, at position: Int) -> [Edge] {
    guard position < tokens.count, canBegin(symbol, at: position) else { return [] }
    let slot = position * symbolCount + symbol
    if memo[slot] >= 0 { return found[Int(memo[slot])] }
    guard depth < Self.deepest else { return [] }
    depth += 1
    var edges: [Edge] = []
    if symbol == language.groups.name {
      edges = nameEdges(at: position)
    } else if symbol == language.groups.place {
      edges = places.edges(at: position, tokens, scalars)
    } else if symbol == language.groups.shop {
      edges = shopEdges(at: position)
    } else if let series = language.grammar.series[symbol] {
      edges = seriesEdges(series, at: position)
    } else {
      walk(language.grammar.roots[symbol], at: position, from: kept.count, into: &edges)
    }
    depth -= 1
    memo[slot] = Int32(found.count)
    found.append(edges)
    return edges
  }

  /// Follows the rules from a node on.
  ///
  /// - Parameter base: where in ``kept`` the values of this symbol begin.
  private mutating func walk(
    _ node: Int,
    at position: Int,
    from base: Int,
    into edges: inout [Edge]
  ) {
    let (start, end) = (flat.starts[node], flat.starts[node + 1])
    for index in start.endings..<end.endings { take(index, end: position, base, into: &edges) }
    guard position < tokens.count else { return }
    for index in start.terms..<end.terms {
      let step = flat.terms[index]
      guard bits[position * TermSet.wordCount + step.term >> 6] >> UInt64(step.term & 63) & 1 == 1,
        !step.isGlued || tokens[position].isGlued
      else { continue }
      if step.isKept { kept.append((value(position, step.term), 0)) }
      walk(step.next, at: position + 1, from: base, into: &edges)
      if step.isKept { kept.removeLast() }
    }
    for index in start.symbols..<end.symbols {
      let step = flat.symbols[index]
      guard canBegin(step.symbol, at: position) else { continue }
      for edge in self.edges(step.symbol, at: position) {
        kept.append((edge.value, edge.weakness))
        walk(step.next, at: edge.end, from: base, into: &edges)
        kept.removeLast()
      }
    }
  }

  private func value(_ position: Int, _ term: Int) -> Value {
    let token = tokens[position]
    if term == Shape.quote.rawValue { return .text(Self.unquoted(scalars, token)) }
    if term < Shape.allCases.count { return .int(token.value) }
    return language.lexicon.value(of: token.entry, term: term).map { .int($0) } ?? .none
  }

  /// Takes the end of a rule, unless there is a better reading of the same words.
  private func take(
    _ ending: Int,
    end: Int,
    _ base: Int,
    into edges: inout [Edge]
  ) {
    let number = flat.endings[ending].rule
    let known = edges.firstIndex { $0.end == end }
    let weakness =
      switch rules[number].weakness {
      case .fixed(let weakness): weakness
      case .ofParts: weakest(base)
      case .ofSurest: min(2, surestTime(base) ?? weakest(base))
      }
    // The surer reading first, then the earlier rule.
    if let known, (edges[known].weakness, edges[known].rule) <= (weakness, number) { return }
    let action = rules[number].action
    var arguments = rules[number].arguments
      .map { argument -> Value in
        switch argument {
        case .constant(let value): return value
        case .place(let place):
          let index = flat.endings[ending].places[place]
          return index < 0 ? .none : kept[base + index].value
        }
      }
    if action.namesOwnPlace, case .text(let word)? = arguments.first {
      arguments[0] = .text(places.id(of: word))
    }
    guard let value = action.value(Arguments(arguments)) else { return }
    let edge = Edge(end: end, value: value, weakness: weakness, rule: number)
    if let known {
      edges[known] = edge
    } else if edges.count < Self.most {
      edges.append(edge)
    } else if let shortest = edges.indices.min(by: { edges[$0].end < edges[$1].end }),
      edges[shortest].end < end
    {
      edges[shortest] = edge
    }
  }

  private func weakest(_ base: Int) -> Int {
    kept[base...].reduce(0) { max($0, $1.weakness) }
  }

  /// How sure the surest of the times is.
  private func surestTime(_ base: Int) -> Int? {
    kept[base...]
      .reduce(nil) { least, next in
        next.value.isTime ? min(least ?? next.weakness, next.weakness) : least
      }
  }

  private mutating func seriesEdges(_ series: Grammar.Series, at position: Int) -> [Edge] {
    var result: [Edge] = []
    var values: [Value] = []
    var weakness = 0
    var position = position
    while values.count < Self.longestList {
      guard let item = edges(series.item, at: position).max(by: { $0.end < $1.end }) else { break }
      values.append(item.value)
      weakness = max(weakness, item.weakness)
      result.append(Edge(end: item.end, value: .list(values), weakness: weakness, rule: 0))
      guard let separator = edges(series.separator, at: item.end).max(by: { $0.end < $1.end })
      else { break }
      position = separator.end
    }
    return result
  }

  // MARK: - Names

  /// Words that may name a place or an app: up to four, ending where something else begins.
  private mutating func nameEdges(at position: Int) -> [Edge] {
    // "24 Hour Fitness" is one, whatever its words mean elsewhere.
    if let idiom = language.groups.idiom,
      let end = edges(idiom, at: position).map(\.end).max()
    {
      return [nameEdge(position, end)]
    }
    guard tokens[position].kind != .number, !isOrder(position) else { return [] }
    var end = position
    while end < tokens.count, end < position + 4,
      tokens[end].kind == .word || tokens[end].kind == .number,
      end == position || tokens[end - 1].kind != .sign
    {
      let terms = tokens[end].terms
      if terms.contains(language.groups.connector) || terms.contains(language.groups.nameStop) {
        break
      }
      if end > position,
        terms.contains(language.groups.verb) || terms.contains(language.groups.determiner)
      {
        break
      }
      if edges(language.groups.piece, at: end).contains(where: { $0.weakness < 3 }),
        !isCapitalized(end) || !isCapitalized(end + 1)
      {
        break
      }
      end += 1
      if end == position + 1, isWholeName(position) { break }
    }
    return end > position ? [nameEdge(position, end)] : []
  }

  /// The name of a shop that the language knows: "Costco", "Trader Joe's".
  private func shopEdges(at position: Int) -> [Edge] {
    let groups = language.groups
    guard let shops = groups.shops, tokens[position].terms.contains(shops) else { return [] }
    let count = language.lexicon.value(of: tokens[position].entry, term: shops)
    guard count == 2 else { return [nameEdge(position, position + 1)] }
    guard let last = groups.shopEnd, position + 1 < tokens.count,
      tokens[position + 1].terms.contains(last)
    else { return [] }
    return [nameEdge(position, position + 2)]
  }

  private func nameEdge(_ start: Int, _ end: Int) -> Edge {
    var text = ""
    for scalar in scalars[tokens[start].start..<tokens[end - 1].end] {
      if let folded = Tokenizer.folded(scalar) { text.unicodeScalars.append(folded) }
    }
    return Edge(end: end, value: .text(text), weakness: 0, rule: 0)
  }

  /// Whether a word is written as names are, with small letters behind a large one: the two of "Sunday Bakery".
  private func isCapitalized(_ position: Int) -> Bool {
    guard position < tokens.count, tokens[position].kind == .word,
      tokens[position].end - tokens[position].start > 2
    else { return false }
    let terms = tokens[position].terms
    return ("A"..."Z").contains(scalars[tokens[position].start])
      && ("a"..."z").contains(scalars[tokens[position].start + 1])
      && !terms.contains(language.groups.verb)
  }

  /// Whether a word is what is to be done beyond doubt, and no name: "when I get in call mum".
  private func isOrder(_ position: Int) -> Bool {
    let verb = language.groups.verb
    return tokens[position].terms.contains(verb) && !isLarge(position)
      && language.lexicon.value(of: tokens[position].entry, term: verb) == 1
  }

  /// Whether a word begins with a large letter.
  private func isLarge(_ position: Int) -> Bool {
    ("A"..."Z").contains(scalars[tokens[position].start])
  }

  /// Whether a name ends with its first word: "when I get home plug in the phone".
  private func isWholeName(_ position: Int) -> Bool {
    guard let whole = language.groups.wholeName, tokens[position].terms.contains(whole) else {
      return false
    }
    guard let longer = language.groups.longerName, position + 1 < tokens.count else { return true }
    return !tokens[position + 1].terms.contains(longer)
  }

  /// What stands in quotes, without them.
  static func unquoted(_ scalars: [Unicode.Scalar], _ token: Token) -> String {
    var text = ""
    var index = token.start + 1
    while index < token.end - 1 {
      if scalars[index] == "\\", index + 1 < token.end - 1 { index += 1 }
      text.unicodeScalars.append(scalars[index])
      index += 1
    }
    return text
  }
}

extension Value {
  /// Whether it says when.
  fileprivate var isTime: Bool {
    switch self {
    case .clock, .day, .moment, .interval: true
    default: false
    }
  }
}

/// The user's own places, by the words of their names.
struct PlaceNames {
  private var names: [(id: String, keys: [String])] = []

  init(_ places: [SentenceContext.Place]) {
    for place in places {
      for name in [place.name, place.id] {
        let keys = Tokenizer.keys(of: name)
        if !keys.isEmpty { names.append((place.id, keys)) }
      }
    }
  }

  /// The place that a word of the language such as `home` stands for: the one with that id or, as places
  /// get theirs in turn, with that name; the word itself where there is none.
  func id(of word: String) -> String {
    let keys = Tokenizer.keys(of: word)
    return names.first { $0.id == word }?.id ?? names.first { $0.keys == keys }?.id ?? word
  }

  func edges(at position: Int, _ tokens: [Token], _ scalars: [Unicode.Scalar]) -> [Chart.Edge] {
    guard !names.isEmpty else { return [] }
    var best: Chart.Edge?
    for (id, keys) in names where position + keys.count <= tokens.count {
      let end = position + keys.count
      if let best, best.end >= end { continue }
      let isMeant = keys.indices.allSatisfy { index in
        Self.matches(keys[index], tokens[position + index], scalars)
      }
      if isMeant { best = Chart.Edge(end: end, value: .text(id), weakness: 0, rule: 0) }
    }
    return best.map { [$0] } ?? []
  }

  private static func matches(_ key: String, _ token: Token, _ scalars: [Unicode.Scalar]) -> Bool {
    var rest = key.unicodeScalars[...]
    for scalar in scalars[token.start..<token.end] {
      guard let folded = Tokenizer.folded(scalar), rest.popFirst() == folded else { return false }
    }
    return rest.isEmpty
  }
}
