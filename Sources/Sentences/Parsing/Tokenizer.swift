import Timeline

/// Cuts a text into tokens.
///
/// - Complexity: linear in the text.
struct Tokenizer {
  private let scalars: [Unicode.Scalar]
  private let lexicon: Lexicon?
  private(set) var tokens: [Token] = []
  private var position = 0

  /// No more tokens are looked at; what follows is text.
  static let most = 256

  init(_ scalars: [Unicode.Scalar], lexicon: Lexicon?) {
    self.scalars = scalars
    self.lexicon = lexicon
    tokens.reserveCapacity(min(scalars.count / 3 + 4, Self.most))
  }

  /// The pieces of a phrase of a language's file, in lower case.
  static func keys(of text: String) -> [String] {
    let scalars = Array(text.unicodeScalars)
    var tokenizer = Tokenizer(scalars, lexicon: nil)
    tokenizer.run()
    return tokenizer.tokens.map { tokenizer.key($0.start, $0.end) }
  }

  private func key(_ start: Int, _ end: Int) -> String {
    var key = ""
    let isPointed = Lexicon.isPointed(scalars, start, end)
    for scalar in scalars[start..<end] {
      if isPointed, scalar == "." { continue }
      if let folded = Self.folded(scalar) { key.unicodeScalars.append(folded) }
    }
    return key
  }

  /// A letter or sign as the lexicon has it.
  @inline(__always)
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let value = scalar.value
    if value < 0x80 {
      if value >= 0x41, value <= 0x5A { return Unicode.Scalar(UInt8(value + 0x20)) }
      return scalar
    }
    switch value {
    case 0x2019, 0x2018, 0x02BC: return "'"
    case 0x2010...0x2015, 0x2212: return "-"
    case 0xC0...0xD6, 0xD8...0xDE: return Unicode.Scalar(value + 0x20)
    case 0x410...0x42F: return Unicode.Scalar(value + 0x20)
    default: return scalar
    }
  }

  mutating func run() {
    var hasBlank = true
    while position < scalars.count, tokens.count < Self.most {
      let scalar = scalars[position]
      if Self.isBlank(scalar) {
        hasBlank = true
        position += 1
        continue
      }
      let start = position
      if Self.isDigit(scalar) {
        readNumber()
      } else if Self.isLetter(scalar) {
        readWord()
      } else if let closing = Self.closing(scalar), let end = quoteEnd(closing) {
        position = end
        add(.quote, from: start, shape: .quote)
      } else if scalar == "#", position + 1 < scalars.count,
        Self.isLetter(scalars[position + 1]) || Self.isDigit(scalars[position + 1])
      {
        position += 1
        while position < scalars.count, !Self.isBlank(scalars[position]),
          scalars[position] != ",", scalars[position] != ";"
        {
          position += 1
        }
        add(.tag, from: start)
      } else if scalar == "½" {
        position += 1
        add(.number, from: start, shape: .half, value: 500)
      } else {
        position += 1
        if scalar == "!" {
          while position < scalars.count, scalars[position] == "!" { position += 1 }
        }
        add(.sign, from: start)
      }
      tokens[tokens.count - 1].isGlued = !hasBlank
      hasBlank = false
    }
  }

  private mutating func add(
    _ kind: Token.Kind,
    from start: Int,
    shape: Shape? = nil,
    value: Int = 0
  ) {
    var token = Token(
      kind: kind,
      start: start,
      end: position,
      isGlued: false,
      entry: -1,
      value: value,
      terms: TermSet()
    )
    if let lexicon {
      if kind != .quote {
        token.entry = lexicon.find(scalars, start, position)
        if token.entry >= 0 { token.terms = lexicon.terms(of: token.entry) }
      }
      if kind == .word { token.terms.insert(Shape.word.rawValue) }
      if let shape { token.terms.insert(shape.rawValue) }
    }
    tokens.append(token)
  }

  // MARK: - Words

  private mutating func readWord() {
    let start = position
    // Single letters with points, as in p.m.
    var pointed = position
    while pointed + 1 < scalars.count, Self.isLetter(scalars[pointed]), scalars[pointed + 1] == "."
    {
      pointed += 2
    }
    if pointed == start + 2, pointed < scalars.count, Self.isLetter(scalars[pointed]),
      pointed + 1 == scalars.count || !Self.isLetter(scalars[pointed + 1])
    {
      pointed += 1
    }
    if pointed > start + 2 {
      position = pointed
      add(.word, from: start)
      return
    }
    position += 1
    while position < scalars.count {
      if Self.isLetter(scalars[position]) {
        position += 1
      } else if Self.isApostrophe(scalars[position]), position + 1 < scalars.count,
        Self.isLetter(scalars[position + 1])
      {
        position += 2
      } else {
        break
      }
    }
    add(.word, from: start)
  }

  // MARK: - Numbers

  /// Reads a number with all its points, colons and strokes that leave it one thing.
  private mutating func readNumber() {
    let start = position
    let (first, count) = digits()
    if position < scalars.count {
      switch scalars[position] {
      case ":": if readClock(start, first, count) { return }
      case ".": if readPoint(start, first, count) { return }
      case ",": if readComma(start, first, count) { return }
      case "/": if readStroke(start, first, count) { return }
      case "-":
        if count == 4, readISO(start, first) { return }
        if count <= 2, readDashes(start, first) { return }
      default: break
      }
    }
    addInteger(start, first, count)
  }

  private mutating func addInteger(_ start: Int, _ value: Int, _ count: Int) {
    add(.number, from: start, shape: .n, value: value)
    guard lexicon != nil else { return }
    let last = tokens.count - 1
    if count <= 2 {
      if (1...12).contains(value) { tokens[last].terms.insert(Shape.n12.rawValue) }
      if (0...24).contains(value) { tokens[last].terms.insert(Shape.n24.rawValue) }
      if (1...31).contains(value) { tokens[last].terms.insert(Shape.n31.rawValue) }
    }
    // People say 915, and seldom 917.
    if count == 3, (1...9).contains(value / 100), value % 100 < 60, value % 5 == 0 {
      tokens[last].terms.insert(Shape.hmm.rawValue)
    }
    if count == 4 {
      if (1_900...2_199).contains(value) { tokens[last].terms.insert(Shape.year.rawValue) }
      if value / 100 < 24, value % 100 < 60 { tokens[last].terms.insert(Shape.hhmm.rawValue) }
    }
  }

  /// Digits, and how many they are; more than nine are no number that anything means.
  private mutating func digits() -> (value: Int, count: Int) {
    let start = position
    var value = 0
    while position < scalars.count, Self.isDigit(scalars[position]) {
      if position - start < 9 { value = value * 10 + Int(scalars[position].value - 0x30) }
      position += 1
    }
    let count = position - start
    return (count > 9 ? 1_000_000_000 : value, count)
  }

  /// Digits after a sign; nil, with nothing read, if there are none or another number of them.
  private mutating func digits(after sign: Unicode.Scalar, _ counts: ClosedRange<Int>) -> Int? {
    let back = position
    guard position + 1 < scalars.count, scalars[position] == sign,
      Self.isDigit(scalars[position + 1])
    else { return nil }
    position += 1
    let (value, count) = digits()
    guard counts.contains(count) else {
      position = back
      return nil
    }
    return value
  }

  private mutating func readClock(_ start: Int, _ hour: Int, _ count: Int) -> Bool {
    let back = position
    guard count <= 2, let minute = digits(after: ":", 2...2), hour < 25, minute < 60,
      hour < 24 || minute == 0
    else {
      position = back
      return false
    }
    if let second = digits(after: ":", 2...2) {
      add(.number, from: start, shape: .clocksec, value: Packed.clock(hour, minute, second))
      return true
    }
    add(.number, from: start, shape: .clock, value: Packed.clock(hour, minute))
    // 05:00 with its zero is written by people who count to 24.
    if lexicon != nil, count == 2, hour < 10 {
      tokens[tokens.count - 1].terms.insert(Shape.clock24.rawValue)
    }
    return true
  }

  private mutating func readPoint(_ start: Int, _ first: Int, _ count: Int) -> Bool {
    let back = position
    guard let second = digits(after: ".", 1...3) else {
      position = back
      return false
    }
    let secondCount = position - back - 1
    if let third = digits(after: ".", 2...4) {
      let year = third < 100 ? 2_000 + third : third
      add(.number, from: start, shape: .dotdate, value: Packed.date(year, second, first))
      return true
    }
    var token = (shape: Shape.decimal, value: first * 1_000)
    var scale = 100
    for index in back + 1..<position {
      token.value += Int(scalars[index].value - 0x30) * scale
      scale /= 10
    }
    // 25.12. and 3.3., with the point that ends the date.
    let isDate = (1...31).contains(first) && (1...12).contains(second) && secondCount <= 2
    let endsWithPoint =
      isDate && position < scalars.count && scalars[position] == "."
      && (position + 1 == scalars.count || !Self.isLetter(scalars[position + 1]))
    if endsWithPoint {
      position += 1
      if position < scalars.count, Self.isDigit(scalars[position]) {
        let begin = position
        let (year, digitCount) = digits()
        if digitCount == 4 {
          add(.number, from: start, shape: .dotdate, value: Packed.date(year, second, first))
          return true
        }
        position = begin
      }
      token = (.dotdate, Packed.date(0, second, first))
    }
    add(.number, from: start, shape: token.shape, value: token.value)
    if !endsWithPoint, lexicon != nil {
      let last = tokens.count - 1
      if first < 24, secondCount == 2, second < 60 {
        // The value of a decimal says all: 3.30 is 3,300.
        tokens[last].terms.insert(Shape.dotclock.rawValue)
      }
      // "8.12", without the point that ends the date.
      if isDate, secondCount == 2 { tokens[last].terms.insert(Shape.dotday.rawValue) }
    }
    return true
  }

  private mutating func readComma(_ start: Int, _ first: Int, _ count: Int) -> Bool {
    let back = position
    guard let second = digits(after: ",", 1...3) else {
      position = back
      return false
    }
    let isThousands = position - back - 1 == 3
    if isThousands {
      addInteger(start, first < 1_000 ? first * 1_000 + second : 1_000_000_000, 9)
      return true
    }
    guard position - back - 1 == 1 else {
      position = back
      return false
    }
    add(.number, from: start, shape: .decimal, value: first * 1_000 + second * 100)
    return true
  }

  private mutating func readStroke(_ start: Int, _ first: Int, _ count: Int) -> Bool {
    let back = position
    guard let second = digits(after: "/", 1...2) else {
      position = back
      return false
    }
    if count == 4 {
      guard let third = digits(after: "/", 1...2),
        CivilDate(year: first, month: second, day: third) != nil
      else {
        position = back
        return false
      }
      add(.number, from: start, shape: .iso, value: Packed.date(first, second, third))
      return true
    }
    guard count <= 2 else {
      position = back
      return false
    }
    var year = 0
    if let third = digits(after: "/", 2...4) { year = third < 100 ? 2_000 + third : third }
    add(.number, from: start, shape: .slash, value: Packed.date(year, first, second))
    return true
  }

  /// 12-25-2026: a date with its year, for two numbers with a dash are most often something else.
  private mutating func readDashes(_ start: Int, _ first: Int) -> Bool {
    let back = position
    guard let second = digits(after: "-", 1...2), let third = digits(after: "-", 2...4),
      position == scalars.count || scalars[position] != "-"
    else {
      position = back
      return false
    }
    let year = third < 100 ? 2_000 + third : third
    add(.number, from: start, shape: .slash, value: Packed.date(year, first, second))
    return true
  }

  private mutating func readISO(_ start: Int, _ year: Int) -> Bool {
    let back = position
    guard let month = digits(after: "-", 1...2), let day = digits(after: "-", 1...2),
      CivilDate(year: year, month: month, day: day) != nil
    else {
      position = back
      return false
    }
    let date = Packed.date(year, month, day)
    let dateEnd = position
    if position + 1 < scalars.count, scalars[position] == "T" || scalars[position] == "t",
      Self.isDigit(scalars[position + 1])
    {
      position += 1
      let (hour, count) = digits()
      if count == 2, hour < 24, let minute = digits(after: ":", 2...2), minute < 60 {
        let second = digits(after: ":", 2...2) ?? 0
        if second < 60 {
          let value = date * 1_000_000 + Packed.clock(hour, minute, second)
          add(.number, from: start, shape: .isotime, value: value)
          return true
        }
      }
      position = dateEnd
    }
    add(.number, from: start, shape: .iso, value: date)
    return true
  }

  // MARK: - Scalars

  private func quoteEnd(_ closing: Unicode.Scalar) -> Int? {
    // Text in quotes ends on its own line of thought: the search is bounded, so the whole stays linear.
    var index = position + 1
    let limit = min(scalars.count, position + 4_096)
    while index < limit {
      if scalars[index] == "\\" {
        index += 2
        continue
      }
      if scalars[index] == closing { return index > position + 1 ? index + 1 : nil }
      index += 1
    }
    return nil
  }

  private static func closing(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\"": "\""
    case "“": "”"
    case "„": "“"
    case "«": "»"
    default: nil
    }
  }

  @inline(__always)
  static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0xA0 || scalar.value == 0x3000
      || (0x2000...0x200B).contains(scalar.value) || scalar.value == 0x202F
      || scalar.value == 0x2028 || scalar.value == 0x2029 || scalar.value == 0xFEFF
      || scalar.value == 0x85
  }

  @inline(__always)
  static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value &- 0x30 <= 9
  }

  static func isApostrophe(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "'" || scalar.value == 0x2019 || scalar.value == 0x2BC
  }

  @inline(__always)
  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x80 { return value | 0x20 >= 0x61 && value | 0x20 <= 0x7A }
    if value < 0xC0 { return value == 0xAA || value == 0xB5 || value == 0xBA }
    if value == 0xD7 || value == 0xF7 { return false }
    if (0x2000...0x2BFF).contains(value) || (0x3000...0x3004).contains(value) { return false }
    if (0x1F000...0x1FAFF).contains(value) || (0xFE00...0xFE0F).contains(value) { return false }
    return true
  }
}
