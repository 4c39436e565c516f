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
      let next = place + 1
      var first = items[place].end
      guard items[next].part.saysWhen else { continue }
      if let start = finder.secondStart(after: items[place], before: items[next]) {
        first = start
      } else {
        guard finder.hasTitle(before: items[place].start),
          finder.isAnotherOrder(first..<items[next].start)
        else { continue }
      }
      return items[...place] + [finder.rest(from: first, as: .unsupported("another_reminder"))]
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
}
