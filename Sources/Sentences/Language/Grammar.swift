/// The rules of a language, ready to be followed: for each symbol a tree of what may come next.
struct Grammar: Sendable {
  /// A step from a node along a word or a class.
  struct TermStep: Sendable {
    let term: Int
    /// No blank may stand before it.
    let isGlued: Bool
    /// What it says is kept.
    let isKept: Bool
    let next: Int
  }

  /// A step along something that has rules of its own.
  struct SymbolStep: Sendable {
    let symbol: Int
    let next: Int
  }

  /// The end of a rule.
  struct Ending: Sendable {
    let rule: Int
    /// For each value that the rule names, which of those found it is; -1 for one that is missing.
    let places: [Int]
  }

  struct Node: Sendable {
    var terms: [TermStep] = []
    var symbols: [SymbolStep] = []
    var endings: [Ending] = []
  }

  struct Rule: Sendable {
    let action: Action
    let arguments: [Argument]
    let weakness: Weakness
  }

  enum Argument: Sendable {
    case place(Int)
    case constant(Value)
  }

  /// How sure a rule is; see docs/sentences.md.
  enum Weakness: Hashable, Sendable {
    /// That of the least sure part.
    case ofParts
    /// That of the surest part.
    case ofSurest
    /// Set by the rule.
    case fixed(Int)
  }

  /// A list: items of one symbol, with one of another between them.
  struct Series: Sendable {
    let item: Int
    let separator: Int
  }

  var nodes: [Node] = []
  var rules: [Rule] = []
  /// The node at which each symbol begins.
  var roots: [Int] = []
  var series: [Series?] = []
  /// With what each symbol can begin.
  var firsts: [TermSet] = []
  var symbols: [String: Int] = [:]

  /// The steps and endings of all nodes, one after the other, and where those of each node begin.
  struct Flat: Sendable {
    var terms: [TermStep] = []
    var symbols: [SymbolStep] = []
    var endings: [Ending] = []
    var starts: [(terms: Int, symbols: Int, endings: Int)] = []
    /// For each term, which symbols can begin with it, as bits of so many words.
    var starters: [UInt64] = []
    var wordCount = 0
  }

  /// The rules as the reader follows them.
  var flat = Flat()

  /// Lays the nodes out one after the other.
  mutating func flatten() {
    flat = Flat()
    for node in nodes {
      flat.starts.append((flat.terms.count, flat.symbols.count, flat.endings.count))
      flat.terms += node.terms
      flat.symbols += node.symbols
      flat.endings += node.endings
    }
    flat.starts.append((flat.terms.count, flat.symbols.count, flat.endings.count))
    flat.wordCount = (roots.count + 63) / 64
    flat.starters = Array(repeating: 0, count: TermSet.capacity * flat.wordCount)
    for symbol in roots.indices {
      for term in 0..<TermSet.capacity where firsts[symbol].contains(term) {
        flat.starters[term * flat.wordCount + symbol >> 6] |= 1 << UInt64(symbol & 63)
      }
    }
  }

  /// Symbols that the reader finds by itself.
  enum Builtin: String, CaseIterable {
    /// Words up to where something else begins.
    case name
    /// One of the user's own places.
    case place = "$place"
    /// A shop that is known by its name: one of the language's class `shops`.
    case shop = "$shop"
  }
}

/// Makes a grammar of the rules of a definition.
struct GrammarBuilder {
  private(set) var grammar = Grammar()
  private(set) var lexicon = Lexicon()
  private var terms: [String: Int] = [:]
  private var classes: [String: Int] = [:]
  private var sets: [[String]: Int] = [:]
  private var termCount = Shape.allCases.count
  /// The rule that is being read, for errors.
  private var place = ""

  init(_ definition: LanguageDefinition) throws(LanguageError) {
    for word in definition.words where classes[word.group] == nil {
      classes[word.group] = try newTerm(word.group)
    }
    for word in definition.words {
      for key in Tokenizer.keys(of: word.text) {
        lexicon.insert(key, term: classes[word.group] ?? 0, value: word.value)
      }
    }
    for name in Grammar.Builtin.allCases { _ = symbol(name.rawValue) }
    for rule in definition.rules { _ = symbol(rule.symbol) }
    for rule in definition.rules { try add(rule) }
    for idiom in definition.idioms {
      try add(LanguageDefinition.Rule(symbol: "idiom", text: idiom + " => none"))
    }
    try findFirsts()
  }

  func classTerm(_ name: String) -> Int? { classes[name] }

  private mutating func symbol(_ name: String) -> Int {
    if let known = grammar.symbols[name] { return known }
    let number = grammar.roots.count
    grammar.symbols[name] = number
    grammar.roots.append(newNode())
    grammar.series.append(nil)
    return number
  }

  private mutating func newNode() -> Int {
    grammar.nodes.append(Grammar.Node())
    return grammar.nodes.count - 1
  }

  private mutating func newTerm(_ place: String) throws(LanguageError) -> Int {
    guard termCount < TermSet.capacity else {
      throw LanguageError(
        place: place,
        reason: "there are more than \(TermSet.capacity) words and sets of words in the rules"
      )
    }
    termCount += 1
    return termCount - 1
  }

  // MARK: - Rules

  private mutating func add(_ rule: LanguageDefinition.Rule) throws(LanguageError) {
    place = "\(rule.symbol): \(rule.text)"
    let symbol = symbol(rule.symbol)
    let words = rule.text.split(separator: " ").map(String.init)
    if words.count == 4, words[0] == "each", words[2] == "by" {
      guard let item = grammar.symbols[Self.bare(words[1])],
        let separator = grammar.symbols[Self.bare(words[3])]
      else { throw LanguageError(place: place, reason: "a list is `each <symbol> by <symbol>`") }
      grammar.series[symbol] = Grammar.Series(item: item, separator: separator)
      return
    }
    var pattern = rule.text
    var meaning: [String] = []
    if let arrow = words.firstIndex(of: "=>") {
      pattern = words[..<arrow].joined(separator: " ")
      meaning = words[(arrow + 1)...].map { $0 }
    } else if let last = words.last, words.count > 1, Self.isFlag(last) {
      meaning = [last]
      pattern = words.dropLast().joined(separator: " ")
    }
    var weakness = Grammar.Weakness.ofParts
    if let last = meaning.last, Self.isFlag(last) {
      meaning.removeLast()
      switch last {
      case "!": weakness = .fixed(0)
      case "^": weakness = .ofSurest
      default: weakness = .fixed(Int(last.dropFirst()) ?? 1)
      }
    }
    var reader = PatternReader(pattern, rule: place)
    let items = try reader.items()
    guard !items.isEmpty else { throw LanguageError(place: place, reason: "the phrase is empty") }
    let number = grammar.rules.count
    let captures = Self.captureCount(items)
    let action = try Self.action(meaning.first ?? "same", place)
    var arguments = try meaning.dropFirst()
      .map { word throws(LanguageError) in try Self.argument(word, captures, place) }
    // Where no value is named, all follow what is constant.
    if !meaning.contains(where: { $0.hasPrefix("$") }) {
      arguments += (0..<captures).map { .place($0) }
    }
    grammar.rules.append(Grammar.Rule(action: action, arguments: arguments, weakness: weakness))
    for sequence in try sequences(items) {
      guard sequence.contains(where: { $0.step != nil }) else { continue }
      try insert(sequence, at: grammar.roots[symbol], rule: number, captures: captures)
    }
  }

  private static func bare(_ word: String) -> String { String(word.dropFirst().dropLast()) }

  private static func isFlag(_ word: String) -> Bool {
    word == "!" || word == "^" || (word.count == 2 && word.hasPrefix("~"))
  }

  private static func action(_ name: String, _ place: String) throws(LanguageError) -> Action {
    guard let action = Action(rawValue: name) else {
      throw LanguageError(place: place, reason: "there is no meaning \"\(name)\"")
    }
    return action
  }

  private static func argument(
    _ word: String,
    _ captures: Int,
    _ place: String
  ) throws(LanguageError) -> Grammar.Argument {
    if word.hasPrefix("$"), let number = Int(word.dropFirst()) {
      guard (1...max(captures, 1)).contains(number), number <= captures else {
        throw LanguageError(place: place, reason: "the phrase has no \(word)")
      }
      return .place(number - 1)
    }
    if word == "none" { return .constant(.none) }
    return .constant(Int(word).map { .int($0) } ?? .text(word))
  }

  private static func captureCount(_ items: [PatternItem]) -> Int {
    items.reduce(0) { count, item in
      switch item {
      case .literal, .glued: count
      case .named(let name): name.hasPrefix("_") ? count : count + 1
      case .optional(let inner): count + captureCount(inner)
      case .choice(let choices): count + (choices.map(captureCount).max() ?? 0)
      }
    }
  }

  // MARK: - Sequences

  /// One place of a sequence: what is asked for there, or a value that is missing.
  private struct Place {
    enum Step {
      case term(Int, isKept: Bool)
      case symbol(Int)
    }

    var step: Step?
    var isGlued = false
    /// Which value of the rule it gives.
    var capture: Int?
  }

  /// Every way through a phrase.
  private mutating func sequences(_ items: [PatternItem]) throws(LanguageError) -> [[Place]] {
    var all: [[Place]] = [[]]
    var capture = 0
    var isGlued = false
    for item in items {
      if item == .glued {
        isGlued = true
        continue
      }
      var ways = try ways(item, capture)
      if isGlued { for i in ways.indices where !ways[i].isEmpty { ways[i][0].isGlued = true } }
      isGlued = false
      all = all.flatMap { head in ways.map { head + $0 } }
      capture += Self.captureCount([item])
      guard all.count <= 4_096 else {
        throw LanguageError(place: place, reason: "the phrase has more than 4096 forms: split it")
      }
    }
    return all
  }

  private mutating func ways(_ item: PatternItem, _ capture: Int) throws(LanguageError) -> [[Place]]
  {
    switch item {
    case .literal(let word): return [[Place(step: .term(try set([word]), isKept: false))]]
    case .named(let name): return [[try named(name, capture)]]
    case .glued: return [[]]
    case .optional(let inner):
      let ways = try shifted(try sequences(inner), by: capture)
      return ways + [[]]
    case .choice(let choices):
      var words: [String] = []
      var ways: [[Place]] = []
      for choice in choices {
        if choice.count == 1, case .literal(let word) = choice[0] {
          words.append(word)
        } else {
          ways += try shifted(try sequences(choice), by: capture)
        }
      }
      if !words.isEmpty { ways.append([Place(step: .term(try set(words), isKept: false))]) }
      return ways
    }
  }

  private func shifted(_ ways: [[Place]], by capture: Int) throws(LanguageError) -> [[Place]] {
    ways.map { way in
      way.map { place in
        var place = place
        place.capture = place.capture.map { $0 + capture }
        return place
      }
    }
  }

  private mutating func named(_ name: String, _ capture: Int) throws(LanguageError) -> Place {
    if name.hasPrefix("_") {
      guard let symbol = grammar.symbols[String(name.dropFirst())] else {
        throw LanguageError(place: place, reason: "there is no symbol \"\(name.dropFirst())\"")
      }
      return Place(step: .symbol(symbol))
    }
    if let shape = Shape.allCases.first(where: { $0.name == name }) {
      return Place(step: .term(shape.rawValue, isKept: true), capture: capture)
    }
    if let symbol = grammar.symbols[name] { return Place(step: .symbol(symbol), capture: capture) }
    if let term = classes[name] { return Place(step: .term(term, isKept: true), capture: capture) }
    throw LanguageError(place: place, reason: "there is no symbol and no class \"\(name)\"")
  }

  /// The term of a set of words, the same for the same set.
  private mutating func set(_ words: [String]) throws(LanguageError) -> Int {
    let key = words.sorted()
    if let known = sets[key] { return known }
    let term = try newTerm(place)
    sets[key] = term
    for word in key { lexicon.insert(word, term: term, value: nil) }
    return term
  }

  private mutating func insert(
    _ sequence: [Place],
    at root: Int,
    rule: Int,
    captures: Int
  ) throws(LanguageError) {
    var node = root
    var places = Array(repeating: -1, count: captures)
    var kept = 0
    for place in sequence {
      guard let step = place.step else { continue }
      switch step {
      case .term(let term, let isKept):
        node = termStep(node, term, isGlued: place.isGlued, isKept: isKept)
        if let capture = place.capture, isKept {
          places[capture] = kept
          kept += 1
        }
      case .symbol(let symbol):
        node = symbolStep(node, symbol)
        if let capture = place.capture { places[capture] = kept }
        kept += 1
      }
    }
    grammar.nodes[node].endings.append(Grammar.Ending(rule: rule, places: places))
  }

  private mutating func termStep(_ node: Int, _ term: Int, isGlued: Bool, isKept: Bool) -> Int {
    let known = grammar.nodes[node].terms
      .first {
        $0.term == term && $0.isGlued == isGlued && $0.isKept == isKept
      }
    if let known { return known.next }
    let next = newNode()
    grammar.nodes[node].terms
      .append(Grammar.TermStep(term: term, isGlued: isGlued, isKept: isKept, next: next))
    return next
  }

  private mutating func symbolStep(_ node: Int, _ symbol: Int) -> Int {
    if let known = grammar.nodes[node].symbols.first(where: { $0.symbol == symbol }) {
      return known.next
    }
    let next = newNode()
    grammar.nodes[node].symbols.append(Grammar.SymbolStep(symbol: symbol, next: next))
    return next
  }

  // MARK: - First words

  private mutating func findFirsts() throws(LanguageError) {
    let count = grammar.roots.count
    grammar.firsts = Array(repeating: TermSet(), count: count)
    for name in Grammar.Builtin.allCases {
      guard let symbol = grammar.symbols[name.rawValue] else { continue }
      grammar.firsts[symbol].insert(Shape.word.rawValue)
      // "7-Eleven" and "24 Hour Fitness" begin with a number.
      if name == .place || name == .name { grammar.firsts[symbol].insert(Shape.n.rawValue) }
    }
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for symbol in 0..<count {
        var first = grammar.firsts[symbol]
        if let series = grammar.series[symbol] { first.formUnion(grammar.firsts[series.item]) }
        let root = grammar.nodes[grammar.roots[symbol]]
        for step in root.terms { first.insert(step.term) }
        for step in root.symbols { first.formUnion(grammar.firsts[step.symbol]) }
        if first != grammar.firsts[symbol] {
          grammar.firsts[symbol] = first
          hasChanged = true
        }
      }
    }
    try refuseLeftRecursion()
    grammar.flatten()
  }

  /// A symbol that can begin with itself would be looked for without end.
  private func refuseLeftRecursion() throws(LanguageError) {
    var state = Array(repeating: 0, count: grammar.roots.count)
    func visit(_ symbol: Int) -> Int? {
      if state[symbol] == 1 { return symbol }
      if state[symbol] == 2 { return nil }
      state[symbol] = 1
      var next = grammar.nodes[grammar.roots[symbol]].symbols.map(\.symbol)
      if let series = grammar.series[symbol] { next.append(series.item) }
      for inner in next { if let found = visit(inner) { return found } }
      state[symbol] = 2
      return nil
    }
    let names = grammar.symbols.sorted { $0.value < $1.value }
    for (name, symbol) in names {
      if visit(symbol) != nil {
        throw LanguageError(place: name, reason: "the symbol can begin with itself")
      }
    }
  }
}
