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
}

extension TonePack.Template {
  /// The values of its other placeholders by which it gives a sentence about a title, as they stand there; nil if there
  /// are none.
  fileprivate func values(in sentence: String, title: String) -> [String: String]? {
    values(in: sentence[...], parts[...], before: "", [:], title: title)
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
      guard name == "title" else { return values[name] }
      return beginsSentence ? capitalized(title) : title
    }
  }
}
