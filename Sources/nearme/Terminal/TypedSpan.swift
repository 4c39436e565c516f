import Timeline

/// The span that a person typed, with its unit; nil for anything else.
///
/// A plain number is seconds in our files, but whoever types `--before 10` hardly means ten of them.
func typedSpan(_ text: some StringProtocol) -> Milliseconds? {
  text.contains(where: \.isLetter) ? Milliseconds(String(text)) : nil
}
