/// Takes what is left of a text when its parts are taken away.
struct TitleTaker {
  private let tokens: [Token]
  private let scalars: [Unicode.Scalar]
  private let items: [Item]
  private let language: Language

  init(tokens: [Token], scalars: [Unicode.Scalar], items: [Item], language: Language) {
    self.tokens = tokens
    self.scalars = scalars
    self.items = items
    self.language = language
  }

  var title: String {
    var pieces: [[Unicode.Scalar]] = []
    var position = 0
    for item in items {
      pieces.append(Array(scalars[position..<item.from]))
      position = item.to
    }
    pieces.append(Array(scalars[position...]))
    if items.isEmpty { return Self.text(unquoted(Self.trimmed(pieces[0]))) }
    var all: [Unicode.Scalar] = []
    for (index, piece) in pieces.enumerated() {
      var piece = Self.trimmed(piece)
      if index > 0 { piece = withoutHead(piece, afterCarrier: isCarrier(0) && all.isEmpty) }
      if index < pieces.count - 1 { piece = withoutTail(piece) }
      if piece.isEmpty { continue }
      if !all.isEmpty, !(piece.first.map { ",.;:!?)".unicodeScalars.contains($0) } ?? false) {
        all.append(" ")
      }
      all += piece
    }
    return Self.text(unquoted(Self.trimmed(all)))
  }

  private func isCarrier(_ index: Int) -> Bool { items[index].part == .carrier }

  private static let edges: [Unicode.Scalar] = [",", ";", ":", "-", "–", "—", ".", "(", ")", "/"]

  private static func text(_ scalars: [Unicode.Scalar]) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  /// Without blanks at either end.
  private static func trimmed(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var rest = scalars[...]
    while let first = rest.first, Tokenizer.isBlank(first) { rest = rest.dropFirst() }
    while let last = rest.last, Tokenizer.isBlank(last) { rest = rest.dropLast() }
    return Array(rest)
  }

  /// Without the comma and the small word that led from a part to the title: `tomorrow, to …`.
  private func withoutHead(_ piece: [Unicode.Scalar], afterCarrier: Bool) -> [Unicode.Scalar] {
    var piece = piece[...]
    while let first = piece.first,
      Tokenizer.isBlank(first) || (first != "(" && Self.edges.contains(first))
    {
      piece = piece.dropFirst()
    }
    let words = language.leading + (afterCarrier ? language.leadingAfterCarrier : [])
    for word in words where Self.begins(piece, with: word) {
      piece = piece.dropFirst(word.count)
      break
    }
    return Self.trimmed(Array(piece))
  }

  private func withoutTail(_ piece: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var piece = piece[...]
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      while let last = piece.last,
        Tokenizer.isBlank(last) || (last != ")" && last != "." && Self.edges.contains(last))
      {
        piece = piece.dropLast()
        hasChanged = true
      }
      for word in language.trailing where Self.ends(piece, with: word) {
        piece = piece.dropLast(word.count)
        hasChanged = true
      }
    }
    return Array(piece)
  }

  private static func begins(
    _ piece: ArraySlice<Unicode.Scalar>,
    with word: [Unicode.Scalar]
  ) -> Bool {
    guard piece.count > word.count else { return false }
    return zip(piece, word).allSatisfy { Tokenizer.folded($0) == $1 }
      && Tokenizer.isBlank(piece[piece.startIndex + word.count])
  }

  private static func ends(_ piece: ArraySlice<Unicode.Scalar>, with word: [Unicode.Scalar]) -> Bool
  {
    guard piece.count >= word.count else { return false }
    guard zip(piece.suffix(word.count), word).allSatisfy({ Tokenizer.folded($0) == $1 }) else {
      return false
    }
    return piece.count == word.count
      || Tokenizer.isBlank(piece[piece.endIndex - word.count - 1])
  }

  /// A title that is in quotes as a whole stands without them.
  private func unquoted(_ title: [Unicode.Scalar]) -> [Unicode.Scalar] {
    let quote = tokens.first { token in
      token.kind == .quote && token.end - token.start == title.count
        && title.elementsEqual(scalars[token.start..<token.end])
    }
    guard let quote
    else { return title }
    return Array(Chart.unquoted(scalars, quote).unicodeScalars)
  }
}
