/// What goes on with the part right before it: one more hour, one more day, one more place.
extension PartFinder {
  /// Whether something goes on that has just been said, such as one more place, or one more day of the month.
  mutating func isMore(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let last = items.last, last.end == position, case .part(let part) = edge.value else {
      return false
    }
    switch (part, last.part) {
    case (.exceptDays, .repetition), (.exceptDays, .time): return true
    // "Except on Sundays and holidays."
    case (.unsupported, .exceptDays), (.unsupported, .repetition): return true
    case (.count, .repetition): return true
    // "When I'm near the library on a weekday."
    case (.onlyDays, .place), (.onlyDays, .leave), (.onlyDays, .signal): return true
    // "Meditate every day for 20 minutes" is no end; "every 20 minutes for 2 hours" has one.
    case (.lasting(let span), .repetition(let said)): return span.isOfDays || said.unit < .day
    case (.lasting(let span), .time(let moment)):
      // "Take the pill at 8 for 5 days" is each day at 8.
      return span.isOfDays && (moment.isClock || items.contains(where: \.isRepetition))
    case (.either, _):
      return chart.edges(groups.piece, at: edge.end).contains { $0.weakness < 3 }
    case (.corrected(let next), _): return isCorrection(edge, next, of: last)
    case (.interval, _) where last.part.takesHours: return isHours(edge, at: position)
    case (.alternative, .place), (.alternative, .leave), (.alternative, .source): return true
    case (.time(let next), .time(let before)):
      guard !isOfMonth(edge, at: position) else { return false }
      guard edge.weakness == 4 else {
        if case .dayOfMonth? = before.day { return true }
        return false
      }
      return next.goingOn(from: before) != nil && isClearlyMore(edge, at: position)
    default: return false
    }
  }

  /// Whether one more day or hour is meant, and not a number of something: "on the 5th and 7 people come".
  private mutating func isClearlyMore(_ edge: Chart.Edge, at position: Int) -> Bool {
    let isBare = tokens[edge.end - 1].kind == .number
    let isAfterSign = tokens[position].kind == .sign && chart.scalars[tokens[position].start] == ","
    guard isBare || isAfterSign else { return true }
    guard edge.end < tokens.count else { return !isAfterSign }
    // A comma alone goes on only where the list does.
    if isAfterSign, edge.end == position + (isBare ? 2 : 3) {
      return groups.joiner.map { !chart.edges($0, at: edge.end).isEmpty } ?? false
    }
    return !isMeasure(edge.end) && !isSecondDose(edge)
      && (isFollowedWell(edge.end) || tokens[edge.end].terms.contains(groups.verb)
        || isBeforeVerb(edge.end))
  }

  /// Whether a month of its own follows: "the 3rd and 1 May", "5 March and the 7th of April".
  private mutating func isOfMonth(_ edge: Chart.Edge, at position: Int) -> Bool {
    if let month = groups.month, edge.end < tokens.count, tokens[edge.end].terms.contains(month) {
      return true
    }
    for start in (position + 1)..<max(edge.end, position + 1) {
      let isLonger = chart.edges(groups.piece, at: start)
        .contains { longer in
          guard longer.end > edge.end, case .part(.time(let moment)) = longer.value,
            case .date? = moment.day
          else { return false }
          return true
        }
      if isLonger { return true }
    }
    return false
  }

  /// Gives the days of a list the month that its last has: "on the 5th and 7th of June".
  mutating func takeMonths() {
    for place in items.indices.dropLast().reversed() {
      // "The 5th or the 7th of June."
      let after = items[place + 1].part == .either ? place + 2 : place + 1
      guard after < items.count, case .time(var moment) = items[place].part,
        case .dayOfMonth(let number, nil)? = moment.day, case .time(let next) = items[after].part,
        case .date(let year, let month, let day)? = next.day, month > 0, number < day,
        after > place + 1 || isList(items[place].end..<items[after].start)
      else { continue }
      moment.day = .date(year: year, month: month, day: number)
      items[place].part = .time(moment)
    }
  }

  /// Gives the weekdays of a list the week that is said with one of them: "next week Wednesday and Friday", "Thursday and
  /// Friday next week".
  mutating func takeWeeks() {
    for place in items.indices.dropFirst() { takeWeek(of: place - 1, for: place) }
    for place in items.indices.dropFirst().reversed() { takeWeek(of: place, for: place - 1) }
  }

  /// Gives a weekday the week of the one beside it.
  private mutating func takeWeek(of giver: Int, for taker: Int) {
    guard case .time(let given) = items[giver].part, case .time(var moment) = items[taker].part,
      case .weekday(let weekday, .plain)? = moment.day,
      isList(items[min(giver, taker)].end..<items[max(giver, taker)].start)
    else { return }
    switch given.day {
    case .weekdayIn(let other, .unit(.week, let count))?:
      // What comes behind may be of the week before: "Friday and Monday next week".
      guard giver < taker || weekday < other else { return }
      moment.day = .weekdayIn(weekday, .unit(.week, count))
    case .weekday(let other, .next)? where giver < taker && other < weekday:
      moment.day = .weekday(weekday, .next)
    default: return
    }
    items[taker].part = .time(moment)
  }

  /// Whether nothing, or the small word of a list, stands between two parts.
  mutating func isList(_ words: Range<Int>) -> Bool {
    guard !words.isEmpty else { return true }
    guard let joiner = groups.joiner else { return false }
    return chart.edges(joiner, at: words.lowerBound).contains { $0.end == words.upperBound }
  }

  /// Whether it is the hours of what comes again, as in "every hour from 9 to 5 stand up".
  mutating func isRange(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard let last = items.last, last.end == position,
      case .part(.interval(let interval)) = edge.value, interval.isOfClocks, !isMeasure(edge.end)
    else { return false }
    // "Mon-Thu from 9 to 5 work."
    if interval.kind == .between, last.part.takesHours { return true }
    guard case .repetition(let said) = last.part else { return false }
    return said.unit < .day || interval.kind == .between
  }

  /// Whether two numbers behind days are hours: "Mon-Sat 10-6", "Mon-Fri 9 to 5".
  private mutating func isHours(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard case .part(.interval(let hours)) = edge.value, hours.isOfClocks, hours.kind == .between,
      !isMeasure(edge.end)
    else { return false }
    return tokens[position + 1].isGlued || isFollowedWell(edge.end)
      || tokens[edge.end].terms.contains(groups.verb)
  }

  /// Whether such hours follow what takes them.
  mutating func isBeforeHours(_ edge: Chart.Edge) -> Bool {
    guard case .part(let part) = edge.value, part.takesHours, edge.end + 1 < tokens.count else {
      return false
    }
    return chart.edges(groups.piece, at: edge.end)
      .contains { $0.weakness == 4 && isHours($0, at: edge.end) }
  }

  /// Whether an order ends with an hour, since another one with an hour of its own follows: "call mom at 5 buy milk by 6".
  mutating func isBeforeAnotherOrder(_ edge: Chart.Edge, at position: Int) -> Bool {
    guard case .part(.time(let moment)) = edge.value, moment.isClock, edge.end < tokens.count,
      tokens[position].kind == .word, tokens[edge.end].terms.contains(groups.verb),
      let first = tokens.indices.first(where: isOfTitle), first < position,
      tokens[first].terms.contains(groups.verb)
    else { return false }
    for later in (edge.end + 1)..<tokens.count {
      let saysClock = chart.edges(groups.piece, at: later)
        .contains { next in
          guard next.weakness <= 1, case .part(let part) = next.value else { return false }
          return part.saysClock || part.isDeadline
        }
      if saysClock { return true }
    }
    return false
  }

  /// Whether an alarm is set: "set an alarm for 6:30".
  var isRinging: Bool {
    guard let rings = groups.rings, let ringsFor = groups.ringsFor else { return false }
    return items.contains { item in
      item.start > 0 && tokens[item.start - 1].terms.contains(rings)
        && tokens[item.start].terms.contains(ringsFor)
    }
  }

  /// When what rings after a while does: "a timer for 10 minutes"; nil where it is none.
  func timed(_ edge: Chart.Edge, at position: Int) -> Part? {
    guard let timers = groups.timers, position > 0, tokens[position - 1].terms.contains(timers),
      case .part(let part) = edge.value
    else { return nil }
    switch part {
    case .time(let moment) where moment.later != nil: return part
    case .lasting(let span) where !span.isOfDays: return .time(Moment(later: span))
    default: return nil
    }
  }

  /// What a part is behind the one before it: one more place, hour or day in the same way.
  func asBefore(_ edge: Chart.Edge, _ part: Part, at position: Int) -> Part {
    if let timed = timed(edge, at: position) { return timed }
    guard edge.weakness == 4, let last = items.last else { return part }
    switch (part, last.part) {
    case (.alternative(let target), .place(_, let tiers, let isSoft)):
      return .place(target, tiers: tiers, isSoft: isSoft)
    case (.alternative(let target), .leave): return .leave(target)
    case (.alternative(let target), _): return .source(target)
    case (.time(let next), .time(let before)):
      return next.goingOn(from: before).map { .time($0) } ?? part
    default: return part
    }
  }
}

extension Moment {
  /// One more hour or day, in the way of the one before it: the 7 of "at 5 and 7", of "March 5 and 7", of "the 5th and
  /// 7"; nil if it is neither.
  fileprivate func goingOn(from before: Moment) -> Moment? {
    guard shift == 0, later == nil, before.shift == 0, before.later == nil else { return nil }
    if let first = before.clock {
      return isClock && !first.isPart ? self : nil
    }
    guard clock == nil || day == nil else { return nil }
    var number: Int?
    if case .dayOfMonth(let said, nil)? = day {
      number = said
    } else if isClock, let clock {
      let hour = clock.second / 3_600
      number = hour == 0 ? clock.isNextDay ? 24 : 12 : hour
    }
    guard let number else { return nil }
    switch before.day {
    case .dayOfMonth(_, let month)?: return Moment(day: .dayOfMonth(number, month: month))
    case .date(let year, let month, let day)? where month > 0 && day < number:
      guard Action.isDay(month, number) else { return nil }
      return Moment(day: .date(year: year, month: month, day: number))
    default: return nil
    }
  }
}

extension Part {
  /// Whether it says some days of the week or comes several times a day, so that hours behind it are those of each day.
  fileprivate var takesHours: Bool {
    switch self {
    case .repetition(let said): return said.weekdays != 0 || said.unit < .day
    case .interval(let interval):
      guard interval.isShort, case .weekday? = interval.from?.day else { return false }
      return !interval.hasClocks
    default: return false
    }
  }
}
