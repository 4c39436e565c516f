/// Takes what is left of a text when its parts are taken away.
struct TitleTaker {
  let tokens: [Token]
  let scalars: [Unicode.Scalar]
  let items: [Item]
  /// Where phrases begin that stay whole.
  let wholes: [Int]
  let language: Language

  var title: String {
    var pieces: [Range<Int>] = []
    var position = 0
    for index in 0...items.count {
      let isLast = index == items.count
      var piece = trimmed(position..<(isLast ? scalars.count : items[index].from))
      if index > 0 {
        piece = withoutHead(piece, afterCarrier: asks(items[..<index]) && pieces.isEmpty)
      }
      if !isLast {
        piece = withoutTail(piece, before: items[index])
        position = items[index].to
      }
      if !piece.isEmpty { pieces.append(piece) }
    }
    if let last = pieces.last { pieces[pieces.count - 1] = withoutClosing(last) }
    // A title that is in quotes as a whole stands without them.
    if pieces.count == 1,
      let quote = tokens.first(where: { $0.kind == .quote && $0.start..<$0.end == pieces[0] })
    {
      return Chart.unquoted(scalars, quote)
    }
    var title = ""
    for piece in pieces {
      if !title.isEmpty, !Self.closing.contains(scalars[piece.lowerBound]) { title += " " }
      title += String(scalars: scalars[piece])
    }
    return title
  }

  /// Whether parts ask to be reminded: "starting Monday remind me every day to jog", "nag me at 8 to take the trash out".
  private func asks(_ parts: ArraySlice<Item>) -> Bool {
    parts.contains { item in
      if case .nag = item.part { true } else { item.part == .carrier }
    }
  }

  /// Without the verb that closes a question: "kannst du mich um drei ans Telefonat erinnern".
  private func withoutClosing(_ piece: Range<Int>) -> Range<Int> {
    guard let closing = language.groups.closing, let first = items.first, first.part == .carrier,
      tokens[first.start].terms.contains(closing),
      !tokens[first.end - 1].terms.contains(closing),
      let last = tokens.last(where: { $0.kind == .word }), last.end == piece.upperBound,
      last.start > piece.lowerBound, last.terms.contains(closing)
    else { return piece }
    return trimmed(piece.lowerBound..<last.start)
  }

  private static let edges: [Unicode.Scalar] = [",", ";", ":", "-", "–", "—", ".", "(", ")", "/"]
  /// Signs before which no blank stands.
  private static let closing: [Unicode.Scalar] = [",", ".", ";", ":", "!", "?", ")"]

  /// Without blanks at either end.
  private func trimmed(_ piece: Range<Int>) -> Range<Int> {
    var (start, end) = (piece.lowerBound, piece.upperBound)
    while start < end, Tokenizer.isBlank(scalars[start]) { start += 1 }
    while start < end, Tokenizer.isBlank(scalars[end - 1]) { end -= 1 }
    return start..<end
  }

  /// Without the comma and the small word that led from a part to the title: `tomorrow, to …`.
  private func withoutHead(_ piece: Range<Int>, afterCarrier: Bool) -> Range<Int> {
    var (start, end) = (piece.lowerBound, piece.upperBound)
    while start < end,
      Tokenizer.isBlank(scalars[start])
        || (scalars[start] != "(" && Self.edges.contains(scalars[start]))
    {
      start += 1
    }
    if wholes.contains(start) { return trimmed(start..<end) }
    let lists =
      afterCarrier ? [language.leading, language.leadingAfterCarrier] : [language.leading]
    if let word = lists.joined().first(where: { begins(start..<end, with: $0) }) {
      start += word.count
    }
    return trimmed(start..<end)
  }

  private func withoutTail(_ piece: Range<Int>, before item: Item) -> Range<Int> {
    let words =
      hasSmallWord(item) ? language.trailing : language.trailing + language.trailingBareParts
    var (start, end) = (piece.lowerBound, piece.upperBound)
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      while start < end, isTrailing(scalars[end - 1]) {
        end -= 1
        hasChanged = true
      }
      for word in words where ends(start..<end, with: word) {
        end -= word.count
        hasChanged = true
      }
    }
    return start..<end
  }

  /// Whether a part begins with a small word of its own, or with a day that takes none: "turn the lights on at 5".
  private func hasSmallWord(_ item: Item) -> Bool {
    let first = tokens[item.start].terms
    return first.contains(language.groups.connector)
      || language.groups.dayWord.map(first.contains) ?? false
  }

  private func isTrailing(_ scalar: Unicode.Scalar) -> Bool {
    Tokenizer.isBlank(scalar) || (scalar != ")" && scalar != "." && Self.edges.contains(scalar))
  }

  private func begins(_ piece: Range<Int>, with word: [Unicode.Scalar]) -> Bool {
    piece.count > word.count && holds(word, at: piece.lowerBound)
      && Tokenizer.isBlank(scalars[piece.lowerBound + word.count])
  }

  private func ends(_ piece: Range<Int>, with word: [Unicode.Scalar]) -> Bool {
    guard piece.count >= word.count, holds(word, at: piece.upperBound - word.count) else {
      return false
    }
    return piece.count == word.count
      || Tokenizer.isBlank(scalars[piece.upperBound - word.count - 1])
  }

  private func holds(_ word: [Unicode.Scalar], at start: Int) -> Bool {
    word.indices.allSatisfy { Tokenizer.folded(scalars[start + $0]) == word[$0] }
  }
}

extension String {
  /// The text of some scalars.
  init(scalars: ArraySlice<Unicode.Scalar>) {
    let capacity = scalars.reduce(0) { $0 + UTF8.width($1) }
    self.init(unsafeUninitializedCapacity: capacity) { bytes in
      var end = 0
      for scalar in scalars {
        if scalar.value < 0x80 {
          bytes[end] = UInt8(truncatingIfNeeded: scalar.value)
          end += 1
        } else {
          for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            bytes[end] = byte
            end += 1
          }
        }
      }
      return end
    }
  }
}
