/// A language as its file has it: words, rules, and phrases for saying things back; nothing is checked yet.
public struct LanguageDefinition: Hashable, Sendable {
  /// A word of a class, with the number that stands for it, such as 2 for `tuesday` among the weekdays.
  public struct Word: Hashable, Sendable {
    /// The class, such as `weekday`.
    public let group: String
    /// What the word says.
    public let value: Int
    /// The word, in lower case.
    public let text: String

    /// Makes a word.
    public init(group: String, value: Int, text: String) {
      self.group = group
      self.value = value
      self.text = text
    }
  }

  /// A rule: a phrase, and what it says.
  public struct Rule: Hashable, Sendable {
    /// What it makes, such as `clock`.
    public let symbol: String
    /// The phrase and its meaning, such as `half past <h12> => past 30 $1`.
    public let text: String

    /// Makes a rule.
    public init(symbol: String, text: String) {
      self.symbol = symbol
      self.text = text
    }
  }

  /// Its name, such as `en`.
  public var name: String
  /// Whether hours without am and pm are those of the morning where they are written with minutes.
  public var usesClock24: Bool
  /// The locales by name, and whether the day stands before the month; the first is the usual one.
  public var locales: [(name: String, isDayFirst: Bool)] {
    get { localeNames.indices.map { (localeNames[$0], localeOrders[$0]) } }
    set {
      localeNames = newValue.map(\.name)
      localeOrders = newValue.map(\.isDayFirst)
    }
  }
  private var localeNames: [String] = []
  private var localeOrders: [Bool] = []
  /// The words.
  public var words: [Word] = []
  /// What stays text, whatever is in it.
  public var idioms: [String] = []
  /// The rules, of those for one place the better first.
  public var rules: [Rule] = []
  /// Small words that lead from a part of a sentence to its title and go with the part.
  ///
  /// One with a `+` before it does so only after "remind me".
  public var leading: [String] = []
  /// Those at the end of what stands before a part.
  ///
  /// One with a `+` before it stays where the part begins with a small word of its own: "turn the lights on at 5".
  public var trailing: [String] = []
  /// Phrases for saying a reminder back, by their keys.
  public var phrases: [String: String] = [:]

  /// Makes a language without words.
  public init(name: String, usesClock24: Bool = false) {
    self.name = name
    self.usesClock24 = usesClock24
  }
}

/// Why a language cannot be used.
public struct LanguageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule, word or phrase that is wrong.
  public let place: String
  /// What is wrong with it, and what to do.
  public let reason: String

  /// Both.
  public var description: String { "\(place): \(reason)" }
}
