/// What a rule asks for at one place of a sentence.
enum PatternItem: Hashable {
  /// A word or a sign.
  case literal(String)
  /// A class of words, a symbol, or one of the reader's own with a `$`.
  case named(String)
  /// The next item stands without a blank before it.
  case glued
  /// One of several.
  case choice([[PatternItem]])
  /// It may be missing.
  case optional([PatternItem])
}

/// Reads the phrase of a rule: words, `<names>`, `(one|or another)`, a `?` after what may be missing, a `+` before
/// what follows without a blank.
struct PatternReader {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private let rule: String

  init(_ text: String, rule: String) {
    scalars = Array(text.unicodeScalars)
    self.rule = rule
  }

  mutating func items() throws(LanguageError) -> [PatternItem] {
    let items = try sequence()
    guard position == scalars.count else { throw failure("there is a `)` or `|` too many") }
    return items
  }

  private mutating func sequence() throws(LanguageError) -> [PatternItem] {
    var items: [PatternItem] = []
    while position < scalars.count {
      switch scalars[position] {
      case " ":
        position += 1
        continue
      case "|", ")": if position > 0 || !items.isEmpty { return items }
      default: break
      }
      var found = try item()
      if position < scalars.count, scalars[position] == "?", found != [.literal("?")] {
        position += 1
        found = [.optional(found)]
      }
      items += found
    }
    return items
  }

  private mutating func item() throws(LanguageError) -> [PatternItem] {
    switch scalars[position] {
    case "(":
      position += 1
      var choices = [try sequence()]
      while position < scalars.count, scalars[position] == "|" {
        position += 1
        choices.append(try sequence())
      }
      guard position < scalars.count, scalars[position] == ")" else {
        throw failure("a `(` is not closed")
      }
      position += 1
      return choices.count == 1 ? choices[0] : [.choice(choices)]
    case "<":
      guard let end = scalars[position...].firstIndex(of: ">") else {
        throw failure("a `<` is not closed")
      }
      let name = text(position + 1, end)
      position = end + 1
      return [.named(name)]
    case "+":
      position += 1
      return [.glued]
    default: break
    }
    var word = ""
    while position < scalars.count {
      var scalar = scalars[position]
      if " |)?(<".unicodeScalars.contains(scalar) { break }
      if scalar == "\\", position + 1 < scalars.count {
        position += 1
        scalar = scalars[position]
      }
      word.unicodeScalars.append(scalar)
      position += 1
    }
    guard !word.isEmpty else { throw failure("a `?` belongs to nothing") }
    let pieces = Tokenizer.keys(of: word)
    guard pieces.count == 1 else { return pieces.map { .literal($0) } }
    return [.literal(pieces[0])]
  }

  private func text(_ start: Int, _ end: Int) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars[start..<end])
    return text
  }

  private func failure(_ reason: String) -> LanguageError {
    LanguageError(place: rule, reason: reason)
  }
}
