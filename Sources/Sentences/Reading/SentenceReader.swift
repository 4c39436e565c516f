import NearMeEngine
import Timeline

/// Reads sentences in a language.
///
/// It is deterministic and total: every text has an answer, at worst a title and nothing else.
public struct SentenceReader: Sendable {
  /// The language.
  public let language: Language

  /// Makes a reader.
  public init(_ language: Language) { self.language = language }

  /// What a text says.
  ///
  /// - Parameter context: when and where it is said.
  /// - Complexity: linear in the text; no more than ``Tokenizer/most`` words are looked at, the rest is title.
  public func understand(_ text: String, in context: SentenceContext) -> Understanding {
    let scalars = Array(text.unicodeScalars)
    var tokenizer = Tokenizer(scalars, lexicon: language.lexicon)
    tokenizer.run()
    var resolver = Resolver(context, usesClock24: language.definition.usesClock24)
    var finder = PartFinder(
      Chart(
        language,
        tokens: tokenizer.tokens,
        scalars: scalars,
        places: PlaceNames(context.places)
      ),
      resolver
    )
    finder.run()
    finder.leaveHeat()
    finder.leavePurposes()
    finder.leaveEvents()
    finder.leaveMeals()
    finder.leaveWork()
    finder.takeFeasts()
    finder.takeMonths()
    finder.takeWeeks()
    resolver.leaning = finder.leaning
    let places = PlaceNames(context.places)
    let home = places.id(of: "home")
    let said = Sources.settled(finder.withoutNumber(SecondReminder.apart(&finder)), home: home)
    var assembly = Assembly(resolver, language: language, places: places)
    assembly.take(said.flatMap(\.apart))
    var result = assembly.understanding
    let titleTaker = TitleTaker(
      tokens: tokenizer.tokens,
      scalars: scalars,
      items: said,
      wholes: finder.wholes,
      language: language
    )
    result.title = titleTaker.title
    return result
  }
}

/// A part of the sentence, and its tokens.
struct Item {
  var part: Part
  /// The first token, and the one after the last.
  var start: Int
  var end: Int
  /// Where it lies in the text.
  var from: Int
  var to: Int
}

extension Item {
  /// Those that are said within one another, each by itself.
  var apart: [Item] {
    guard case .several(let parts) = part else { return [self] }
    return parts.map { part in
      var item = self
      item.part = part
      return item
    }
  }

  /// Whether it says how often.
  var isRepetition: Bool { if case .repetition = part { true } else { false } }
}

/// Finds the parts of a sentence from left to right, the longest at each place.
struct PartFinder {
  var chart: Chart
  var items: [Item] = []
  /// Where what stays text begins, such as idioms, in scalars.
  private(set) var wholes: [Int] = []
  /// Says which numbers are dates at all.
  let resolver: Resolver
  /// The last verb behind which a part ends the sentence, where verbs come last: the one of "samstag Rasen mähen außer es
  /// regnet".
  private var lastOrder: Int?

  init(_ chart: Chart, _ resolver: Resolver) {
    self.chart = chart
    self.resolver = resolver
  }

  var tokens: [Token] { chart.tokens }
  var groups: Language.Groups { chart.language.groups }

  mutating func run() {
    // From the end on, so that what a name asks of the words after it is known already.
    for position in tokens.indices.reversed() { _ = chart.edges(groups.piece, at: position) }
    findLastOrder()
    var position = 0
    while position < tokens.count {
      if let idiom = groups.idiom,
        let end = chart.edges(idiom, at: position).map(\.end).max()
      {
        wholes.append(tokens[position].start)
        position = end
        continue
      }
      if let edge = best(at: position) {
        if case .part(.corrected(let moment)) = edge.value {
          correct(by: moment, until: edge.end)
          position = edge.end
          continue
        }
        if case .part(let part) = edge.value, part != .text {
          items.append(
            Item(
              part: asBefore(edge, part, at: position),
              start: position,
              end: edge.end,
              from: tokens[position].start,
              to: tokens[edge.end - 1].end
            )
          )
        }
        position = edge.end
      } else {
        position += 1
      }
    }
  }

  private mutating func best(at position: Int) -> Chart.Edge? {
    let edges = chart.edges(groups.piece, at: position).sorted { $0.end > $1.end }
    var isDoubtful = false
    for edge in edges where edge.weakness == 0 || edge.weakness == 4 || !isDoubtful {
      if isMeant(edge, at: position) { return edge }
      // Half of what is doubtful as a whole is no better; but "or" may still stand between two parts.
      if edge.weakness > 0, edge.weakness < 4, !isSecondDose(edge), !splitsSpan(edge) {
        isDoubtful = true
      }
    }
    return nil
  }

  /// Whether something may be what it looks like, by what stands around it.
  private mutating func isMeant(_ edge: Chart.Edge, at position: Int) -> Bool {
    let isAtStart = items.allSatisfy { $0.part == .carrier } && position == (items.last?.end ?? 0)
    if case .part(.carrier) = edge.value {
      // "Tomorrow is garbage day, so remind me tonight."
      let follows = groups.therefore.map { position > 0 && tokens[position - 1].terms.contains($0) }
      guard
        isAtStart || items.last?.end == position || isSign(position - 1) || follows ?? false
      else { return false }
      // A text of nothing else has that for its title.
      return edge.weakness == 0 || isAtStart && edge.end < tokens.count
    }
    // Glued to a sign that makes one word of it, such as 5-year-old.
    if edge.end < tokens.count, tokens[edge.end].isGlued, isJoiner(edge.end),
      edge.end + 1 < tokens.count, tokens[edge.end + 1].isGlued
    {
      return false
    }
    if position > 0, tokens[position].isGlued, isJoiner(position - 1), tokens[position - 1].isGlued
    {
      return false
    }
    guard !splitsSpan(edge), !splitsDays(edge), !isNumberOfTitle(edge, at: position),
      !isTopic(edge, at: position), !splitsLength(edge), !splitsName(edge)
    else { return false }
    if timed(edge, at: position) != nil { return isFollowedWell(edge.end) }
    switch edge.weakness {
    case 0: return !isOfSomething(edge, at: position)
    case 1 where isPlain(edge, at: position): return true
    case 1, 2:
      if isMore(edge, at: position) || isRange(edge, at: position) || isBeforeHours(edge) {
        return true
      }
      if isAtStart, case .part(.repetition) = edge.value, isOrder(edge.end) { return true }
      if case .part(.lasting(let span)) = edge.value, !span.isOfDays { return false }
      if isNamed(position) { return false }
      if edge.weakness == 1, isBeforeAnotherOrder(edge, at: position) { return true }
      if isFollowedWell(edge.end) { return true }
      if edge.weakness == 1, isEndVerb(edge.end), case .part(.time(let moment)) = edge.value,
        moment.isClock || moment.isWeekday
      {
        return true
      }
      // "Tonight at home fix the sink."
      let isBehind =
        items.last.map { $0.end == position && (isPlace(edge) || !$0.part.isTime) } ?? false
      return edge.weakness == 1 && (isAtStart || isBehind)
        && (isVerb(edge.end) || isBeforeVerb(edge.end))
    case 4: return isMore(edge, at: position)
    case 5, 6:
      if isAtStart, isPlace(edge) || !isMeasure(edge.end) { return true }
      if isPlain(edge, at: position) { return true }
      return edge.weakness == 6 && !isNamed(position)
        && (isFollowedWell(edge.end) || isBeforeVerb(edge.end))
    case 7:
      guard position > 0, let rings = groups.rings, !isMeasure(edge.end) else { return false }
      return tokens[position - 1].terms.contains(rings) && isFollowedWell(edge.end)
    default:
      return isAtStart && isEnd(edge.end)
    }
  }

  /// "The Monday": something has that name.
  private func isNamed(_ position: Int) -> Bool {
    position > 0 && tokens[position - 1].terms.contains(groups.determiner)
      && items.last?.end != position
      && (tokens[position].kind == .word || tokens[position].kind == .number)
  }

  /// Whether a number is measured in what comes next.
  func isMeasure(_ position: Int) -> Bool {
    position < tokens.count && tokens[position].terms.contains(groups.measure)
  }

  /// Whether a day is what something is about: "tell Sue about Saturday".
  private func isTopic(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let topic = groups.topic, position > 0, items.last?.end != position,
      tokens[position - 1].terms.contains(topic),
      case .part(.time(let moment)) = edge.value
    else { return false }
    return moment.day != nil && moment.clock == nil
  }

  /// Whether the last number of a time counts what comes next: "at 3 30 minutes before".
  private func splitsSpan(_ edge: Chart.Edge) -> Bool {
    guard case .part(let part) = edge.value, edge.end < tokens.count, let unit = groups.unit,
      tokens[edge.end - 1].kind == .number
    else { return false }
    switch part {
    // The day of a month counts nothing: "nov 30 day off".
    case .time(let moment) where moment.clock == nil: return false
    case .time, .clocks: return tokens[edge.end].terms.contains(unit)
    case .repetition(let said) where !said.clocks.isEmpty:
      return tokens[edge.end].terms.contains(unit)
    case .interval(let interval) where interval.isOfClocks:
      return tokens[edge.end].terms.contains(unit)
    default: return false
    }
  }

  /// Whether one more place ends within a name: "at Lowe's or Home Depot".
  private func splitsName(_ edge: Chart.Edge) -> Bool {
    guard case .part(.alternative) = edge.value, edge.end < tokens.count,
      let whole = groups.wholeName, let longer = groups.longerName
    else { return false }
    return tokens[edge.end - 1].terms.contains(whole) && tokens[edge.end].terms.contains(longer)
  }

  /// Whether an hour ends within a length of time: "run 1h30".
  private func splitsLength(_ edge: Chart.Edge) -> Bool {
    guard edge.end >= 2, edge.end < tokens.count else { return false }
    let (number, letter, next) = (tokens[edge.end - 2], tokens[edge.end - 1], tokens[edge.end])
    return number.kind == .number && letter.kind == .word && letter.isGlued
      && next.kind == .number && next.isGlued
  }

  /// Whether hours end with the first of several days: "from 9 to 5 Monday to Friday".
  private mutating func splitsDays(_ edge: Chart.Edge) -> Bool {
    guard case .part(.interval(let hours)) = edge.value, hours.kind == .between, hours.hasClocks,
      case .weekday? = hours.to?.day, edge.end < tokens.count
    else { return false }
    return chart.edges(groups.piece, at: edge.end - 1)
      .contains { longer in
        guard longer.end > edge.end, case .part(let part) = longer.value else { return false }
        switch part {
        case .repetition(let days): return days.weekdays != 0
        case .interval(let days):
          if case .weekday? = days.from?.day, case .weekday? = days.to?.day {
            return !days.hasClocks
          }
          return false
        default: return false
        }
      }
  }

  /// Whether the part before leaves no doubt, whatever comes next: "every day at 7", "Monday and Wednesday gym".
  private mutating func isPlain(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let last = items.last, last.part != .carrier, case .part(let part) = edge.value,
      part.isTime
    else { return false }
    if isMeasure(edge.end) { return false }
    guard last.end == position else {
      guard case .time = part, let joiner = groups.joiner, case .time = last.part else {
        return false
      }
      return chart.edges(joiner, at: last.end).contains { $0.end == position }
    }
    // "Tomorrow SAT exam": a second day is as likely a word of something else, unless both are one.
    guard case .time(let moment) = part, !moment.isClock, last.part.saysDay else { return true }
    guard case .time(let before) = last.part else { return false }
    return before.joined(with: moment) != nil
  }

  /// Gives the day of a feast, or of a first word, to a time of day that has none: "Christmas dinner at 4".
  mutating func takeFeasts() {
    // "Wrap the gifts for the Christmas party at 8" is done before.
    guard !isArranged, !items.contains(where: { $0.part.saysDay || $0.isRepetition }),
      let clock = items.firstIndex(where: { item in
        if case .time(let moment) = item.part { moment.isClock } else { false }
      })
    else { return }
    if let day = namedDay, case .time(var time) = items[clock].part {
      time.day = .weekday(day, .plain)
      items[clock].part = .time(time)
      return
    }
    for position in tokens.indices where isOfTitle(position) {
      // The longest: Christmas Eve is not Christmas Day.
      let edges = chart.edges(groups.piece, at: position).sorted { $0.end > $1.end }
      // "Friday dentist 3pm": the weekday that a sentence begins with is that of its hour, and may be a name, too.
      let isFirst = position == tokens.startIndex
      guard isFirst || edges.contains(where: { $0.weakness == 3 }) else { continue }
      for edge in edges where edge.end < tokens.count && isOfTitle(edge.end) {
        // "May call Bob at 5": a month is no feast.
        guard case .part(.time(let feast)) = edge.value, let day = feast.day, !day.isLong,
          case .time(let time) = items[clock].part, let both = feast.joined(with: time)
        else { continue }
        let isWeekday = if case .weekday = day { isFirst && !feast.isClock } else { false }
        guard isWeekday || (2...3).contains(edge.weakness) else { continue }
        items[clock].part = .time(both)
        return
      }
    }
  }

  /// Whether a word is of no part.
  func isOfTitle(_ index: Int) -> Bool {
    tokens[index].kind == .word && !items.contains { $0.start <= index && index < $0.end }
  }

  /// "the 7pm show": a number between an article and a word is part of a name.
  private mutating func isOfSomething(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard position > 0, items.last?.end != position, tokens[position].kind == .number,
      tokens[position - 1].terms.contains(groups.determiner)
    else { return false }
    return !isFollowedWell(edge.end)
  }

  /// Whether the sentence ends with what is to be done, where verbs come last: "um 5 Oma anrufen".
  func isBeforeVerb(_ position: Int) -> Bool {
    guard position < tokens.count, !isMeasure(position), let ends = groups.ends,
      let last = tokens.last(where: { $0.kind == .word })
    else { return false }
    return last.terms.contains(ends) || lastOrder.map { position <= $0 } ?? false
  }

  private mutating func findLastOrder() {
    guard let ends = groups.ends else { return }
    for verb in tokens.indices.dropLast().reversed() where tokens[verb].terms.contains(ends) {
      let next = tokens[verb + 1].kind == .sign ? verb + 2 : verb + 1
      guard next < tokens.count else { continue }
      if chart.edges(groups.piece, at: next).contains(where: { $0.weakness <= 1 && isEnd($0.end) })
      {
        lastOrder = verb
        return
      }
    }
  }

  /// Whether what is to be done comes right behind, where verbs come last: "Oma um drei anrufen und Opa um fünf".
  func isEndVerb(_ position: Int) -> Bool {
    guard let ends = groups.ends, position < tokens.count else { return false }
    return tokens[position].terms.contains(ends)
  }

  private func isPlace(_ edge: Chart.Edge) -> Bool {
    if case .part(.place) = edge.value { true } else { false }
  }

  private func isSign(_ position: Int) -> Bool {
    tokens.indices.contains(position) && tokens[position].kind == .sign
  }

  func isJoiner(_ position: Int) -> Bool {
    guard tokens[position].kind == .sign else { return false }
    let scalar = chart.scalars[tokens[position].start]
    return scalar == "-" || scalar == "'" || scalar == "_" || scalar == "\u{2010}"
      || scalar == "\u{2011}"
  }

  /// Nothing but signs follows.
  private func isEnd(_ position: Int) -> Bool {
    tokens[position...].allSatisfy { $0.kind == .sign }
  }

  mutating func isFollowedWell(_ position: Int) -> Bool {
    guard position < tokens.count else { return true }
    let next = tokens[position]
    if next.terms.contains(groups.measure) { return false }
    if next.kind == .tag { return true }
    if next.kind == .sign {
      let scalar = chart.scalars[next.start]
      if ",.;:!?)-–—(…&".unicodeScalars.contains(scalar) { return true }
    }
    if next.terms.contains(groups.connector) { return true }
    if chart.edges(groups.piece, at: position)
      .contains(where: { $0.weakness < 3 || $0.weakness == 6 || $0.isCorrection })
    {
      return true
    }
    return false
  }

  /// Whether an order begins here that leaves no doubt: "weekly call dad", but not "weekly call with Ann".
  private mutating func isOrder(_ position: Int) -> Bool {
    guard position + 1 < tokens.count, tokens[position].terms.contains(groups.verb),
      tokens[position + 1].kind == .word
    else { return false }
    let next = tokens[position + 1].terms
    if next.contains(groups.determiner) { return true }
    guard !next.contains(groups.connector), !(groups.up.map(next.contains) ?? false) else {
      return false
    }
    // "Weekly call tomorrow at 3" is a call.
    guard !chart.edges(groups.piece, at: position + 1).contains(where: { $0.weakness < 3 }) else {
      return false
    }
    return chart.language.lexicon.value(of: tokens[position].entry, term: groups.verb) == 1
  }

  /// Whether an order begins here: with a verb that is known, or a word that an article follows.
  private func isVerb(_ position: Int) -> Bool {
    guard position < tokens.count, tokens[position].kind == .word else { return false }
    let next = tokens[position].terms
    if next.contains(groups.measure) { return false }
    if next.contains(groups.verb) { return true }
    return position + 1 < tokens.count && tokens[position + 1].terms.contains(groups.determiner)
  }
}
