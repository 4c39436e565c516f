/// A word, a number, a sign or something in quotes, with its place in the text.
struct Token {
  enum Kind {
    case word, number, sign, quote, tag
  }

  var kind: Kind
  /// Where it begins and ends, in Unicode scalars.
  var start: Int
  var end: Int
  /// Whether no blank stands before it.
  var isGlued: Bool
  /// Its place in the lexicon; -1 if the language does not know it.
  var entry: Int
  /// What a number says, packed as ``Packed`` tells; 0 for the rest.
  var value: Int
  /// Which words, classes and shapes of numbers it is.
  var terms: TermSet
}

/// The shapes of numbers that rules may ask for with a `$`, each a term of its own.
enum Shape: Int, CaseIterable {
  case n, n12, n24, n31, year, hmm, hhmm, decimal, half, clock, clock24, clocksec
  case dotclock, dotdate, dotday, slash, iso, isotime, quarter, quote, word

  /// The name in rules.
  var name: String { "$\(self)" }
}

/// Numbers of several parts in one.
enum Packed {
  static func clock(_ hour: Int, _ minute: Int, _ second: Int = 0) -> Int {
    hour * 10_000 + minute * 100 + second
  }
  static func date(_ year: Int, _ month: Int, _ day: Int) -> Int {
    year * 10_000 + month * 100 + day
  }
  static func parts(_ value: Int) -> (Int, Int, Int) {
    (value / 10_000, value / 100 % 100, value % 100)
  }
}
