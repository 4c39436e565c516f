extension QRCode {
  /// Light modules that a code needs on each side (section 9.1).
  private static let quietModules = 4

  /// How many columns of a terminal it takes.
  package var columnCount: Int { size + 2 * Self.quietModules }

  /// It as lines of text, two rows of modules in each.
  ///
  /// - Parameter isColored: sets black on white for each line, whatever the terminal's colors are. Without, dark modules
  ///   are ink: right on paper and on light terminals.
  package func lines(isColored: Bool) -> [String] {
    let range = -Self.quietModules..<size + Self.quietModules
    return stride(from: range.lowerBound, to: range.upperBound, by: 2)
      .map { y in
        let text = range.map { x in
          switch (self[x, y], self[x, y + 1]) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        }
        let line = text.joined()
        // Black on white of the 256 colors, which themes leave alone.
        return isColored ? "\u{1B}[38;5;16;48;5;231m\(line)\u{1B}[0m" : line
      }
  }
}
