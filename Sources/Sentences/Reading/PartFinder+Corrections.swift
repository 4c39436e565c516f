/// What people take back while they speak: "at 5, no wait, 6".
extension PartFinder {
  /// Whether a time is said anew right behind another one that it can stand for.
  mutating func isCorrection(_ edge: Chart.Edge, _ next: Moment, of last: Item) -> Bool {
    guard case .time(let before) = last.part, before.corrected(by: next) != nil else {
      return false
    }
    // "At 5 no 6 people" counts people.
    guard !isMeasure(edge.end) else { return false }
    return isFollowedWell(edge.end) || tokens[edge.end].terms.contains(groups.verb)
      || isBeforeVerb(edge.end)
  }

  /// Puts what is said anew in the place of the last part, which then covers the words of both.
  mutating func correct(by next: Moment, until end: Int) {
    guard let place = items.indices.last, case .time(let before) = items[place].part,
      let moment = before.corrected(by: next)
    else { return }
    items[place].part = .time(moment)
    items[place].end = end
    items[place].to = tokens[end - 1].end
  }
}

extension Chart.Edge {
  /// Whether it is something that is said anew.
  var isCorrection: Bool {
    if case .part(.corrected) = value { true } else { false }
  }
}

extension Moment {
  /// The day and hour where one of them, or both, are said anew; what is not said again stands.
  ///
  /// - Returns: nil where one of the two is no day and no hour.
  fileprivate func corrected(by next: Moment) -> Moment? {
    guard later == nil, shift == 0, day != nil || clock != nil, next.later == nil, next.shift == 0,
      next.day != nil || next.clock != nil
    else { return nil }
    if clock == nil, next.isClock {
      // The 7 of "March 5, no, 7" is no hour; which day it is, the rules for lists say better.
      switch day {
      case .date?, .dayOfMonth?: return nil
      default: break
      }
    }
    var both = Moment(day: next.day ?? day, clock: next.clock ?? clock)
    if let before = clock, let after = next.clock, after.isOpen, !before.isOpen {
      // "At 5 pm, no, 6" stays in the afternoon.
      both.clock = after.inHalf(of: before)
    }
    return both
  }
}

extension Clock {
  /// The same hour in the half of the day in which another one lies.
  fileprivate func inHalf(of other: Clock) -> Clock {
    guard isOpen, second < 43_200 else { return self }
    var clock = self
    clock.isOpen = false
    if other.second >= 43_200 { clock.second += 43_200 }
    return clock
  }
}
