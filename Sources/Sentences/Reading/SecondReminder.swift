/// Finds a second reminder in a sentence: "call mom at 5 and pick up milk at 6".
///
/// Both read as one would be told twice, with both titles run together. The first stands; the second is marked as what
/// it is.
enum SecondReminder {
  /// The parts of the first reminder, and what is left as one part that is not supported.
  static func apart(_ finder: inout PartFinder) -> [Item] {
    let items = finder.withoutOccasion(finder.withoutFact(finder.items))
    // Between two times, a small word and what is to be done then.
    for place in items.indices.dropLast() where items[place].part.saysWhen {
      let (first, next) = (items[place], items[place + 1])
      // "Remind me on Monday to submit the report by Friday": the deadline is that of the report.
      if next.part.isLastDay, finder.orderEnd(place, of: items) == next.start {
        return Array(items[...place] + items[(place + 2)...])
      }
      // "Call mom at 5 buy milk by 6."
      let isDeadline = first.part.saysClock && next.part.isDeadline
      guard next.part.saysWhen || isDeadline else { continue }
      let isOther = isDeadline || first.part.excludes(next.part)
      if isOther, finder.isClause(first.end) {
        // "Remind me at 9 that the meeting is at 10": what is so is said, and no time to speak.
        return Array(items[...place])
      }
      // "Oma um drei anrufen und Opa um fünf": the verb is the first one's.
      let start = finder.isEndVerb(first.end) ? first.end + 1 : first.end
      let words = min(start, next.start)..<next.start
      if let start = finder.secondStart(after: first, before: next)
        ?? finder.orderStart(after: first, before: next)
      {
        return items[...place] + [finder.rest(from: start, as: .unsupported("another_reminder"))]
      }
      if isOther, let end = finder.orderEnd(place, of: items) {
        guard end < next.start else { return Array(items[...place] + items[(place + 2)...]) }
        return items[...place] + [finder.rest(from: end, as: .unsupported("another_reminder"))]
      }
      guard finder.hasTitle(within: 0..<first.start),
        finder.isAnotherOrder(words)
          || isOther
            && (finder.isAnotherThing(words, isWithoutJoiner: first.part.saysClock)
              || first.part.isWhole && next.part.isWhole && finder.hasTitle(within: words)
                && !finder.isList(words))
      else { continue }
      return items[...place]
        + [finder.rest(from: words.lowerBound, as: .unsupported("another_reminder"))]
    }
    return items
  }
}

extension PartFinder {
  /// Without the time of what a deadline is for: in "movie at 7:15 leave by 6:45" one is to leave, and the movie has its
  /// hour in its name.
  ///
  /// Its day is that of both.
  fileprivate func withoutOccasion(_ items: [Item]) -> [Item] {
    guard let place = items.indices.dropLast().first(where: { items[$0].part.saysWhen }),
      case .time(let moment) = items[place].part,
      hasTitle(within: items[place].end..<tokens.count),
      let first = tokens.indices.first(where: isOfTitle), first < items[place].start,
      !tokens[first].terms.contains(groups.verb)
    else { return items }
    var items = items
    // "The match is at 3 Saturday, leave at 1:15."
    if case .time(var leaving) = items[place + 1].part, isDeparture(items[place + 1].start),
      Self.isBefore(leaving, moment)
    {
      leaving.day = leaving.day ?? moment.day
      items[place + 1].part = .time(leaving)
      items.remove(at: place)
      return items
    }
    guard case .interval(var interval) = items[place + 1].part,
      interval.kind == .by || interval.kind == .before, let to = interval.to,
      moment.clock != nil && to.clock != nil || moment.day != nil && to.day != nil
    else { return items }
    if to.day == nil {
      interval.to?.day = moment.day
      items[place + 1].part = .interval(interval)
    }
    items.remove(at: place)
    return items
  }

  /// Whether one hour lies before another one by less than half of a round of the clock.
  private static func isBefore(_ leaving: Moment, _ event: Moment) -> Bool {
    guard let first = leaving.clock, let last = event.clock else { return false }
    let gap = (last.second - first.second + 86_400) % 43_200
    return gap > 0 && gap <= 21_600
  }

  /// Whether one is to leave at a time: "leave at 1:15", but not "and leave at 6", which is one thing more.
  private func isDeparture(_ start: Int) -> Bool {
    guard let departs = groups.departs, start > 1, tokens[start - 1].terms.contains(departs) else {
      return false
    }
    return !tokens[start - 2].terms.contains(groups.connector)
  }

  /// Without the time of what is so, where it is said when to speak: "trash day is Friday, remind me Thursday", "the game
  /// starts at 1, remind me at 12:30".
  ///
  /// A day that is not said again is that of both. What begins with something to do, and has something to do behind, is
  /// two: "call mom at 5, remind me at 6 to buy milk".
  fileprivate func withoutFact(_ items: [Item]) -> [Item] {
    guard
      let carrier = items.indices.dropFirst().dropLast()
        .first(where: { items[$0].part == .carrier }),
      items[carrier + 1].start == items[carrier].end, var said = point(items[carrier + 1]),
      hasTitle(within: 0..<items[carrier].start)
    else { return items }
    let facts = items[..<carrier].compactMap(point)
    let isSaidAgain = facts.contains { fact in
      fact.day != nil && said.day != nil || fact.clock != nil && said.clock != nil
    }
    let isOrder = tokens.indices.first(where: isOfTitle)
      .map { tokens[$0].terms.contains(groups.verb) }
    let isTwo = (isOrder ?? false) && hasTitle(within: items[carrier + 1].end..<tokens.count)
    guard isSaidAgain else { return items }
    if isTwo {
      let second = rest(from: items[carrier].start, as: .unsupported("another_reminder"))
      return items[..<carrier] + [second]
    }
    var items = items
    said.day = said.day ?? facts.lazy.compactMap(\.day).last
    items[carrier + 1].part = .time(said)
    return items[..<carrier].filter { point($0) == nil } + items[carrier...]
  }

  /// The point in time that a part is; nil where it is none, or a span from now.
  private func point(_ item: Item) -> Moment? {
    guard case .time(let moment) = item.part, moment.later == nil else { return nil }
    return moment
  }

  /// Where a second time begins with a small word: "um 17 Uhr Oma anrufen und um 18 Uhr Milch kaufen"; nil if the words
  /// before it and behind it are not both something to do.
  fileprivate mutating func secondStart(after first: Item, before next: Item) -> Int? {
    guard let joiner = groups.joiner, !hasTitle(within: 0..<first.start), next.end < tokens.count,
      let start = (first.end..<next.start)
        .first(where: { position in
          chart.edges(joiner, at: position).contains { $0.end == next.start }
        }),
      start > first.end
    else { return nil }
    // "Remind me at 5 to call Ann and at 6 to call Joe."
    let verb = tokens[next.end].terms.contains(groups.connector) ? next.end + 1 : next.end
    let isOrder =
      verb < tokens.count && tokens[verb].terms.contains(groups.verb)
      || groups.ends.map { tokens[tokens.count - 1].terms.contains($0) } ?? false
    return isOrder ? start : nil
  }

  /// Where a second time begins right behind a small word, with what is to be done then: "feed the cat at 7 and when I
  /// get home feed the fish"; nil if there is none.
  fileprivate mutating func orderStart(after first: Item, before next: Item) -> Int? {
    guard let joiner = groups.joiner, hasTitle(within: 0..<first.start), next.end < tokens.count,
      chart.edges(joiner, at: first.end).contains(where: { $0.end == next.start }),
      tokens[next.end].terms.contains(groups.verb)
    else { return nil }
    return first.end
  }

  /// Whether some words are a small word and one more thing to do: "and pick up milk".
  fileprivate mutating func isAnotherOrder(_ words: Range<Int>) -> Bool {
    guard let words = behindJoiner(words) else { return false }
    var start = words.lowerBound
    if let carrier = chart.edges(groups.carrier, at: start).map(\.end).max() { start = carrier }
    guard start < words.upperBound else { return false }
    if tokens[start].kind == .word, tokens[start].terms.contains(groups.verb) { return true }
    guard let ends = groups.ends else { return false }
    return tokens[words.upperBound - 1].terms.contains(ends)
  }

  /// Whether some words are one more thing, where two times cannot be of the same: a small word and whatever comes
  /// behind it ("and dad"), or something to do ("pay Bob at 6:45").
  ///
  /// - Parameter isWithoutJoiner: whether a verb alone is enough.
  fileprivate mutating func isAnotherThing(_ words: Range<Int>, isWithoutJoiner: Bool) -> Bool {
    guard !words.isEmpty else { return false }
    if isWithoutJoiner, tokens[words.lowerBound].terms.contains(groups.verb) { return true }
    return behindJoiner(words).map { hasTitle(within: $0) } ?? false
  }

  /// The words behind the small word that some begin with; nil if they begin with none, or nothing follows it.
  private mutating func behindJoiner(_ words: Range<Int>) -> Range<Int>? {
    guard let joiner = groups.joiner,
      let start = chart.edges(joiner, at: words.lowerBound).map(\.end).max(),
      start < words.upperBound
    else { return nil }
    return start..<words.upperBound
  }

  /// Whether any of some words is of what is to be done.
  fileprivate func hasTitle(within words: Range<Int>) -> Bool { words.contains(where: isOfTitle) }

  /// Whether a clause of what is so begins at a word: "that tomorrow is trash day".
  fileprivate func isClause(_ position: Int) -> Bool {
    guard position < tokens.count, let that = groups.that else { return false }
    return tokens[position].terms.contains(that)
  }

  /// Where what is to be done ends that has a time of its own, behind the one to speak at: at that time in "remind me at 5
  /// to leave at 5:30", before it in "remind me at 5 to call mom and pick up milk at 6"; nil where it is no such order.
  fileprivate mutating func orderEnd(_ place: Int, of items: [Item]) -> Int? {
    let (first, next) = (items[place], items[place + 1])
    guard case .time = first.part, place > 0, items[place - 1].part == .carrier,
      items[place - 1].end == first.start, !hasTitle(within: 0..<first.start),
      first.end + 1 < next.start,
      tokens[first.end].terms.contains(groups.connector),
      hasTitle(within: first.end + 1..<next.start),
      !items[(place + 2)...].contains(where: \.part.saysWhen)
    else { return nil }
    // With a day of its own it is a time to speak: "to leave at 5:30 on Friday".
    if case .time(let moment) = next.part, moment.day != nil { return nil }
    guard let joiner = groups.joiner else { return next.start }
    let joiners = (first.end..<next.start).filter { !chart.edges(joiner, at: $0).isEmpty }
    return joiners.isEmpty ? next.start : joiners.first { isAnotherOrder($0..<next.start) }
  }

  /// All that is said from a word on, as one part.
  fileprivate func rest(from position: Int, as part: Part) -> Item {
    Item(
      part: part,
      start: position,
      end: tokens.count,
      from: tokens[position].start,
      to: tokens[tokens.count - 1].end
    )
  }
}

extension Part {
  /// Whether it says by itself when to speak.
  fileprivate var saysWhen: Bool {
    switch self {
    case .time(let moment): moment.day != nil || moment.clock != nil || moment.later != nil
    case .repetition, .place, .leave, .signal: true
    default: false
    }
  }

  /// Whether it is an hour until which something is to be done.
  var isDeadline: Bool {
    guard case .interval(let interval) = self, let clock = interval.to?.clock else { return false }
    return interval.kind == .by && !clock.isPart
  }

  /// Whether it is a day until which something is to be done.
  fileprivate var isLastDay: Bool {
    guard case .interval(let interval) = self, interval.to?.day != nil else { return false }
    return interval.kind == .by || interval.kind == .before
  }

  /// Whether it is a day with its time.
  fileprivate var isWhole: Bool {
    guard case .time(let moment) = self else { return false }
    return moment.day != nil && moment.clock != nil
  }

  /// Whether two times cannot be of one thing that is to be done once.
  fileprivate func excludes(_ other: Part) -> Bool {
    switch (self, other) {
    case (.time(let a), .time(let b)):
      a.later != nil || b.later != nil || a.clock != nil && b.clock != nil
        || a.day != nil && b.day != nil
    case (.repetition, .repetition): true
    default: false
    }
  }
}
