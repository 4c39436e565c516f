/// Says of places that something comes from, or is done at, whether they are where to speak.
///
/// "Get cash from the bank" is told near a bank. "Pick up Tom from school at 3" is told at three, wherever one is: who is
/// at school by then needs no reminder, and who is not would never hear of it.
struct Sources {
  private let items: [Item]

  static func settled(_ items: [Item]) -> [Item] { Sources(items: items).settled() }

  private func settled() -> [Item] {
    let hasEdge = items.contains { $0.part.isEdge }
    let hasClock = items.contains { $0.part.saysClock }
    let hasTime = items.contains { $0.part.isTime }
    return items.compactMap { item in
      switch item.part {
      case .source(let target):
        var isOwn = false
        if case .place = target { isOwn = true }
        guard !hasEdge, !hasClock, !(isOwn && hasTime) else { return nil }
        var item = item
        item.part = .place(target, tiers: nil, isSoft: true)
        return item
      case .place(.category, _, isSoft: true) where hasClock: return nil
      default: return item
      }
    }
  }
}

extension Part {
  /// Whether it says when.
  var isTime: Bool {
    switch self {
    case .time, .interval, .clocks, .repetition: true
    default: false
    }
  }

  /// Whether it says on which day.
  var saysDay: Bool {
    switch self {
    case .time(let moment): moment.day != nil
    case .interval(let interval): interval.from?.day != nil || interval.to?.day != nil
    case .repetition(let said): said.choosesDays
    default: false
    }
  }

  /// Whether it is a place, or something of the phone, at which to speak.
  var isEdge: Bool {
    switch self {
    case .place, .leave, .signal: true
    default: false
    }
  }

  /// Whether it says an hour at which to speak.
  fileprivate var saysClock: Bool {
    switch self {
    case .time(let moment): moment.clock.map { !$0.isPart } ?? (moment.later != nil)
    case .clocks: true
    case .repetition(let said): said.unit < .day || said.clocks.contains { !$0.isPart }
    default: false
    }
  }
}
