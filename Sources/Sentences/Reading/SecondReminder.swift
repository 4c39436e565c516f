/// Finds a second reminder in a sentence: "call mom at 5 and pick up milk at 6".
///
/// Both read as one would be told twice, with both titles run together. The first stands; the second is marked as what
/// it is.
enum SecondReminder {
  /// The parts of the first reminder, and what is left as one part that is not supported.
  static func apart(_ finder: inout PartFinder) -> [Item] {
    let items = finder.items
    // Between two times, a small word and what is to be done then.
    for place in items.indices.dropLast() where items[place].part.saysWhen {
      let (first, next) = (items[place], items[place + 1])
      guard next.part.saysWhen else { continue }
      let isOther = first.part.excludes(next.part)
      if isOther, finder.isClause(first.end) {
        // "Remind me at 9 that the meeting is at 10": what is so is said, and no time to speak.
        return Array(items[...place])
      }
      let words = first.end..<next.start
      if let start = finder.secondStart(after: first, before: next)
        ?? finder.orderStart(after: first, before: next)
      {
        return items[...place] + [finder.rest(from: start, as: .unsupported("another_reminder"))]
      }
      guard finder.hasTitle(before: first.start),
        finder.isAnotherOrder(words)
          || isOther
            && (finder.isAnotherThing(words, isWithoutJoiner: first.part.saysClock)
              || first.part.isWhole && next.part.isWhole && finder.hasTitle(within: words))
      else { continue }
      return items[...place] + [finder.rest(from: first.end, as: .unsupported("another_reminder"))]
    }
    return items
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
