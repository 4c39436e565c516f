extension TonePack {
  /// What was said of one title, as it is said of another one.
  ///
  /// - Returns: nil where no template of the pack says that of the old title.
  /// - Complexity: O(templates · length of the sentence²) at most; nobody edits titles often.
  package func retitled(
    _ sentence: String,
    from old: String,
    to new: String,
    longestName: Int
  ) -> String? {
    let old = cleaned(old, longest: longestName)
    for template in SentenceKind.allCases.flatMap({ ofKind($0) }) {
      guard let said = template.values(in: sentence, title: old) else { continue }
      return template.text(of: said, title: cleaned(new, longest: longestName))
    }
    return nil
  }

  /// What was said of a title and a place, as it is said of the place by another name.
  ///
  /// - Returns: nil where no template of the pack names the place so.
  /// - Complexity: as of a new title.
  package func renamed(
    _ sentence: String,
    title: String,
    placeFrom old: String,
    to new: String,
    longestName: Int
  ) -> String? {
    let title = cleaned(title, longest: longestName)
    let known = ["place": cleaned(old, longest: longestName)]
    for template in SentenceKind.allCases.flatMap({ ofKind($0) }) where template.asks(for: "place")
    {
      guard var said = template.values(in: sentence, title: title, known) else { continue }
      said["place"] = cleaned(new, longest: longestName)
      return template.text(of: said, title: title)
    }
    return nil
  }
}

extension TonePack.Template {
  /// Whether it has a placeholder of a name.
  fileprivate func asks(for name: String) -> Bool {
    parts.contains { if case .placeholder(name, _) = $0 { true } else { false } }
  }

  /// The values of its other placeholders by which it gives a sentence about a title, as they stand there; nil if there
  /// are none.
  fileprivate func values(
    in sentence: String,
    title: String,
    _ known: [String: String] = [:]
  ) -> [String: String]? {
    values(in: sentence[...], parts[...], before: "", known, title: title)
  }

  private func values(
    in rest: Substring,
    _ parts: ArraySlice<Part>,
    before: String,
    _ known: [String: String],
    title: String
  ) -> [String: String]? {
    guard let part = parts.first else { return rest.isEmpty ? known : nil }
    if let text = text(of: part, after: before, known, title: title) {
      guard rest.hasPrefix(text) else { return nil }
      return values(
        in: rest.dropFirst(text.count),
        parts.dropFirst(),
        before: before + text,
        known,
        title: title
      )
    }
    guard case .placeholder(let name, _) = part else { return nil }
    for count in stride(from: 1, through: rest.count, by: 1) {
      var guessed = known
      guessed[name] = String(rest.prefix(count))
      let found = values(
        in: rest.dropFirst(count),
        parts.dropFirst(),
        before: before + rest.prefix(count),
        guessed,
        title: title
      )
      if let found { return found }
    }
    return nil
  }

  /// The sentence with these values.
  fileprivate func text(of values: [String: String], title: String) -> String {
    parts.reduce(into: "") { text, part in
      text += self.text(of: part, after: text, values, title: title) ?? ""
    }
  }

  /// What a part says behind a text; nil where its value is not known.
  private func text(
    of part: Part,
    after text: String,
    _ values: [String: String],
    title: String
  ) -> String? {
    part.text(behind: text) { name, beginsSentence in
      let value = name == "title" ? title : values[name]
      return beginsSentence ? value.map(capitalized) : value
    }
  }
}
