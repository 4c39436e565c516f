/// A language that sentences can be read and written in.
///
/// It is made once of its definition, which comes from a file, and has no state: one value serves all threads.
public struct Language: Sendable {
  /// Its name, such as `en`.
  public let name: String
  /// Its locales; the first is the usual one.
  public let locales: [String]

  let definition: LanguageDefinition
  /// Words that go with a part, at the beginning and at the end of what is left.
  let leading: [[Unicode.Scalar]]
  let trailing: [[Unicode.Scalar]]
  /// Those of them that go with a part only where that begins with no small word of its own.
  let trailingBareParts: [[Unicode.Scalar]]
  /// Words that go with a part only where "remind me" stands before it.
  let leadingAfterCarrier: [[Unicode.Scalar]]
  let grammar: Grammar
  let lexicon: Lexicon
  /// The terms of classes of words that the reader itself asks about.
  let groups: Groups

  /// Classes of words that say whether what is found may be what it looks like.
  struct Groups: Sendable {
    let connector: Int
    let determiner: Int
    let verb: Int
    let measure: Int
    let nameStop: Int
    let piece: Int
    let idiom: Int?
    /// Words between two of a kind, such as "and".
    let joiner: Int?
    /// What is done in the morning, and in the evening, where an hour does not say which it is.
    let early: Int?
    let late: Int?
    /// Meals, and what is done as late as dinner; then other events of an evening, at whatever place of a name they stand.
    let breakfasts: Int?
    let lunches: Int?
    let dinners: Int?
    let events: Int?
    /// What is had over a meal, behind its name: "dinner meeting".
    let overMeal: Int?
    /// How people are fetched for an event, and what is fetched for it that is nobody.
    let fetches: Int?
    let goods: Int?
    let nights: Int?
    /// Where one goes in the morning, and what takes one there: "school bus".
    let schools: Int?
    let rides: Int?
    /// What stands before a meal beside which something is done: "before", "with".
    let beside: Int?
    /// What stands before what one meets for, or goes to.
    let toward: Int?
    /// What one does at an event, and what is done for it at another time.
    let attends: Int?
    let arranges: Int?
    let leans: Int?
    /// Words that with those of `up` are a rising: "get up at 6".
    let rising: Int?
    let up: Int?
    /// What one goes to late: "go to bed at 11".
    let bed: Int?
    let month: Int?
    let weekday: Int?
    let unit: Int?
    /// What is to be done, where that ends a sentence.
    let ends: Int?
    /// What a number behind it counts, such as "chapter", and no hour.
    let counted: Int?
    /// What stands between two numbers of it: "pages 10 to 20".
    let spans: Int?
    /// What is done with heat, so that "at 350" is none of an hour.
    let heats: Int?
    /// What is bought at a price, which is none either.
    let shares: Int?
    /// What has its price behind "at", and what has a number for a title.
    let priced: Int?
    let sold: Int?
    let titled: Int?
    let oclock: Int?
    /// Words before a day that is what is spoken of, and no time to speak: "about".
    let topic: Int?
    /// What rings at an hour: "an alarm for 7".
    let rings: Int?
    /// With what the hour of that begins: "for".
    let ringsFor: Int?
    /// What rings after a while: "a timer for 10 minutes".
    let timers: Int?
    /// What stands before the day for which something is done on another: "for".
    let purpose: Int?
    /// What one does for an event at an hour of its own: "leave".
    let departs: Int?
    /// Days that have a word of their own, before which no small word stands: "tomorrow".
    let dayWord: Int?
    /// Names of places that end with the word, as "home" does but before a word of `longerName`.
    let wholeName: Int?
    let longerName: Int?
    /// What begins a clause of what is so: "that".
    let that: Int?
    /// What money is counted in.
    let money: Int?
    /// Behind what is so, before what is to be done about it: "so".
    let therefore: Int?
    let name: Int
    let place: Int
    let shop: Int
    let carrier: Int
    /// The first words of shops' names, each with how many words the name has, and the last of those of two.
    let shops: Int?
    let shopEnd: Int?
    /// What is booked for an hour of its own: "book a table for 4 at 7".
    let tables: Int?
    /// What closes a question to be reminded, behind what is to be done: "kannst du mich ans Telefonat erinnern".
    let closing: Int?
  }

  /// Makes a language.
  ///
  /// - Throws: ``LanguageError`` with the rule that is wrong.
  /// - Complexity: linear in the number of forms that the rules have; some milliseconds.
  public init(_ definition: LanguageDefinition) throws(LanguageError) {
    let builder = try GrammarBuilder(definition)
    name = definition.name
    locales = definition.locales.map(\.name)
    self.definition = definition
    leading = definition.leading.filter { !$0.hasPrefix("+") }.map { Array($0.unicodeScalars) }
    leadingAfterCarrier = definition.leading.filter { $0.hasPrefix("+") }
      .map { Array($0.unicodeScalars.dropFirst()) }
    trailing = definition.trailing.filter { !$0.hasPrefix("+") }.map { Array($0.unicodeScalars) }
    trailingBareParts = definition.trailing.filter { $0.hasPrefix("+") }
      .map { Array($0.unicodeScalars.dropFirst()) }
    grammar = builder.grammar
    lexicon = builder.lexicon
    groups = try Self.groups(builder)
  }

  /// The classes of words that the reader asks about, of which some may be missing.
  private static func groups(_ builder: GrammarBuilder) throws(LanguageError) -> Groups {
    func group(_ name: String) throws(LanguageError) -> Int {
      guard let term = builder.classTerm(name) else {
        throw LanguageError(place: "words", reason: "the class \"\(name)\" is missing")
      }
      return term
    }
    func symbol(_ name: String) throws(LanguageError) -> Int {
      guard let symbol = builder.grammar.symbols[name] else {
        throw LanguageError(place: "rules", reason: "the symbol \"\(name)\" is missing")
      }
      return symbol
    }
    return Groups(
      connector: try group("connector"),
      determiner: try group("determiner"),
      verb: try group("verb"),
      measure: try group("measure"),
      nameStop: try group("name_stop"),
      piece: try symbol("piece"),
      idiom: builder.grammar.symbols["idiom"],
      joiner: builder.grammar.symbols["and"],
      early: builder.classTerm("early"),
      late: builder.classTerm("late"),
      breakfasts: builder.classTerm("breakfasts"),
      lunches: builder.classTerm("lunches"),
      dinners: builder.classTerm("dinners"),
      events: builder.classTerm("events"),
      overMeal: builder.classTerm("overmeal"),
      fetches: builder.classTerm("fetches"),
      goods: builder.classTerm("goods"),
      nights: builder.classTerm("nights"),
      schools: builder.classTerm("schools"),
      rides: builder.classTerm("rides"),
      beside: builder.classTerm("beside"),
      toward: builder.classTerm("toward"),
      attends: builder.classTerm("attends"),
      arranges: builder.classTerm("arranges"),
      leans: builder.classTerm("leans"),
      rising: builder.classTerm("rising"),
      up: builder.classTerm("up"),
      bed: builder.classTerm("bed"),
      month: builder.classTerm("month"),
      weekday: builder.classTerm("fullday"),
      unit: builder.classTerm("unit"),
      ends: builder.classTerm("ends"),
      counted: builder.classTerm("counted"),
      spans: builder.classTerm("spans"),
      heats: builder.classTerm("heats"),
      shares: builder.classTerm("shares"),
      priced: builder.classTerm("priced"),
      sold: builder.classTerm("sold"),
      titled: builder.classTerm("titled"),
      oclock: builder.classTerm("oclock"),
      topic: builder.classTerm("topic"),
      rings: builder.classTerm("rings"),
      ringsFor: builder.classTerm("rings_for"),
      timers: builder.classTerm("timers"),
      purpose: builder.classTerm("purpose"),
      departs: builder.classTerm("departs"),
      dayWord: builder.classTerm("dayword"),
      wholeName: builder.classTerm("whole_name"),
      longerName: builder.classTerm("longer_name"),
      that: builder.classTerm("that"),
      money: builder.classTerm("money"),
      therefore: builder.classTerm("therefore"),
      name: try symbol(Grammar.Builtin.name.rawValue),
      place: try symbol(Grammar.Builtin.place.rawValue),
      shop: try symbol(Grammar.Builtin.shop.rawValue),
      carrier: try symbol("carrier"),
      shops: builder.classTerm("shops"),
      shopEnd: builder.classTerm("shopend"),
      tables: builder.classTerm("tables"),
      closing: builder.classTerm("closing")
    )
  }

  /// Whether the day stands before the month in 3/4; nil for a locale that the language has not.
  public func isDayFirst(_ locale: String?) -> Bool? {
    guard let locale else { return definition.locales.first?.isDayFirst ?? true }
    return definition.locales.first { $0.name == locale }?.isDayFirst
  }
}
