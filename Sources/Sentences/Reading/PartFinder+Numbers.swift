/// Numbers that are no times, whatever they look like.
extension PartFinder {
  /// Whether a number of what looks like a time is a part of the title.
  mutating func isNumberOfTitle(_ edge: Chart.Edge, at position: Int) -> Bool {
    isCounted(position) || isCountedFurther(position) || isBehindNumber(edge, at: position)
      || isHeat(edge, at: position) || isPrice(edge, at: position) || isRate(edge, at: position)
      || isYearWithMonth(position)
      || isSecondDose(edge) || isTonight(edge, at: position) || isOnOtherWeekday(edge)
  }

  /// Whether a weekday and a number make no date, as that falls on another weekday: "Dienstag 4.12", a price perhaps.
  private func isOnOtherWeekday(_ edge: Chart.Edge) -> Bool {
    guard case .part(let part) = edge.value else { return false }
    let moments: [Moment?] =
      switch part {
      case .time(let moment): [moment]
      case .interval(let interval): [interval.from, interval.to]
      default: []
      }
    return moments.contains { moment in
      guard let day = moment?.day, case .weekdayDate = day else { return false }
      return resolver.range(day) == nil
    }
  }

  /// Whether the last number of a list of hours, or a number behind "and", has an hour of its own: "1 pill at 8 and 2 at 9".
  mutating func isSecondDose(_ edge: Chart.Edge) -> Bool {
    guard case .part(let part) = edge.value, isDigits(edge.end - 1), edge.end - 2 >= 0,
      let joiner = groups.joiner
    else { return false }
    let isAfterJoiner = chart.edges(joiner, at: edge.end - 2).contains { $0.end == edge.end - 1 }
    guard isAfterJoiner else { return false }
    switch part {
    case .time(let moment) where moment.isClock:
      return (items.last?.part.saysClock ?? false) && isBeforeHour(edge)
    case .clocks: return isBeforeHour(edge)
    default: return false
    }
  }

  /// Whether an hour with a small word follows: "at 9".
  private mutating func isBeforeHour(_ edge: Chart.Edge) -> Bool {
    guard edge.end < tokens.count, tokens[edge.end].kind == .word else { return false }
    return chart.edges(groups.piece, at: edge.end)
      .contains { next in
        guard next.weakness <= 1, case .part(.time(let moment)) = next.value else { return false }
        return moment.isClock
      }
  }

  /// Whether a number belongs to the word before it: "chapter 5 tonight", "vitamin b12 tonight".
  private func isCounted(_ position: Int) -> Bool {
    guard position > 0, tokens[position].kind == .number, items.last?.end != position,
      tokens[position - 1].kind == .word
    else { return false }
    let before = tokens[position - 1].terms
    if let counted = groups.counted, before.contains(counted) { return !isLength(position) }
    if let titled = groups.titled, before.contains(titled), isLongNumber(position) { return true }
    return tokens[position].isGlued && !before.contains(groups.connector)
  }

  /// Whether a number counts units of time: "check in for the flight 24 hours before 3 pm".
  private func isLength(_ position: Int) -> Bool {
    guard let unit = groups.unit, position + 1 < tokens.count else { return false }
    return tokens[position + 1].terms.contains(unit)
  }

  /// Whether a second number is counted with the first: "pages 10 to 20 tonight", from "to" or from "20" on.
  private func isCountedFurther(_ position: Int) -> Bool {
    guard let counted = groups.counted else { return false }
    let number = tokens[position].kind == .number ? position : position + 1
    guard number >= 3, number < tokens.count, tokens[number].kind == .number,
      items.last.map({ $0.end <= number - 3 }) ?? true, isDigits(number), isDigits(number - 2)
    else { return false }
    let between = tokens[number - 1]
    return tokens[number - 3].terms.contains(counted)
      && (between.kind == .sign || groups.spans.map(between.terms.contains) ?? false)
  }

  /// Whether it is one more group of digits of a number: "call 800 555 1234 tomorrow".
  private func isBehindNumber(_ edge: Chart.Edge, at position: Int) -> Bool {
    position > 0 && tokens[position].kind == .number && tokens[position - 1].kind == .number
      && items.last?.end != position && isDigits(position - 1)
      && tokens[position].end - tokens[position].start >= 3 && isDigits(position)
      && !(edge.end > position + 1 && tokens[position + 1].isGlued)
  }

  /// Whether a number before "tonight" is none of an hour of the evening: "Apollo 13 tonight".
  private func isTonight(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard position > 0, edge.end == position + 2, isDigits(position),
      !(6...12).contains(tokens[position].value), case .part(.time(let moment)) = edge.value
    else { return false }
    return tokens[position].end - tokens[position].start <= 2 && moment.day == .offset(0)
      && moment.clock != nil
  }

  /// Whether it is the heat of an oven, or a price: "bake at 350 for 40 minutes", "buy 100 shares at 20".
  private func isHeat(_ edge: Chart.Edge, at position: Int) -> Bool {
    if let shares = groups.shares, isDigits(edge.end - 1),
      tokens[..<position].contains(where: { $0.terms.contains(shares) })
    {
      return true
    }
    guard let heats = groups.heats, tokens.contains(where: { $0.terms.contains(heats) }) else {
      return false
    }
    return (position..<edge.end)
      .contains { index in
        let value = tokens[index].value
        return tokens[index].terms.contains(Shape.hmm.rawValue)
          && (value <= 500 || value <= 550 && value % 25 == 0)
      }
  }

  /// Whether it is what something costs: "gas at 3.50", "sell the shirts at 250".
  ///
  /// "Get petrol at 5.30" is an hour: one with a quarter of it, unless the price stands right behind its name.
  private func isPrice(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let priced = groups.priced, let sold = groups.sold, position > 0,
      let number = (position..<edge.end).first(where: { tokens[$0].kind == .number })
    else { return false }
    let terms = tokens[number].terms
    let isPointed = terms.contains(Shape.dotclock.rawValue)
    guard isPointed || terms.contains(Shape.hmm.rawValue),
      tokens[..<position]
        .contains(where: { $0.terms.contains(sold) || isPointed && $0.terms.contains(priced) })
    else { return false }
    // "Pay Ann Friday 230."
    let isBare =
      number > position && tokens[number - 1].kind == .word
      && !tokens[number - 1].terms.contains(groups.connector)
    if isBare { return true }
    let minute = isPointed ? tokens[number].value % 1_000 / 10 : tokens[number].value % 100
    return minute % 15 != 0 || isPointed && tokens.indices.first(where: isOfTitle) == position - 1
  }

  /// Whether it says how much is paid each day, and not how often something is done: "rent a car $40 a day for 3 days".
  private func isRate(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let money = groups.money, case .part(.several(let parts)) = edge.value,
      case .repetition? = parts.first, position > 0
    else { return false }
    return tokens[max(0, position - 2)..<position].contains { $0.terms.contains(money) }
  }

  /// Whether a year and the number of a month stand there: "invoice 2026-03".
  private func isYearWithMonth(_ position: Int) -> Bool {
    guard position + 2 < tokens.count, tokens[position].terms.contains(Shape.year.rawValue) else {
      return false
    }
    return tokens[position + 1].isGlued && isJoiner(position + 1) && tokens[position + 2].isGlued
      && tokens[position + 2].kind == .number
  }

  /// Whether it is a number that may be a title, such as that of a year.
  func isLongNumber(_ position: Int) -> Bool {
    isDigits(position) && tokens[position].end - tokens[position].start >= 3
  }

  private func isDigits(_ position: Int) -> Bool {
    tokens[position].kind == .number
      && chart.scalars[tokens[position].start..<tokens[position].end]
        .allSatisfy { ("0"..."9").contains($0) }
  }

  /// Without a time that begins the sentence as a bare number, where another one is said: "10:30 meeting prep tomorrow
  /// at 9" and "5 o'clock news at 5" are what it is called.
  func withoutNumber(_ items: [Item]) -> [Item] {
    guard let first = items.first, first.start == 0, case .time(let moment) = first.part,
      moment.isClock, isBare(first), items.dropFirst().contains(where: \.part.saysClock)
    else { return items }
    return Array(items.dropFirst())
  }

  /// Whether a time is a number alone, or one with "o'clock" that is not followed by what is to be done.
  private func isBare(_ item: Item) -> Bool {
    if chart.scalars[item.from..<item.to]
      .allSatisfy({ ("0"..."9").contains($0) || $0 == ":" })
    {
      return true
    }
    guard item.end == item.start + 2, item.end < tokens.count, isDigits(item.start),
      let oclock = groups.oclock
    else { return false }
    return tokens[item.start + 1].terms.contains(oclock) && isOfTitle(item.end)
      && !tokens[item.end].terms.contains(groups.verb)
  }
}
