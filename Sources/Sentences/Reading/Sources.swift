/// Says of places that something comes from, or is done at, whether they are where to speak.
///
/// "Get cash from the bank" is told near a bank. "Pick up Tom from school at 3" is told at three, wherever one is: who is
/// at school by then needs no reminder, and who is not would never hear of it.
struct Sources {
  private let items: [Item]
  /// The place that is called home: what is to be done there at an hour is told there, and nowhere else.
  private let home: String

  static func settled(_ items: [Item], home: String) -> [Item] {
    Sources(items: items, home: home).settled()
  }

  private func settled() -> [Item] {
    let hasEdge = items.contains { $0.part.isEdge }
    let hasClock = items.contains { $0.part.saysClock }
    let hasHour = items.contains { $0.part.saysClock && !$0.part.isWithinDay }
    let hasNext = items.contains { if case .nextOn = $0.part { true } else { false } }
    let hasTime = items.contains { $0.part.isTime }
    let (hasPlace, hasSignal) = (hasClause(\.isWhere), hasClause(\.isSignal))
    return items.compactMap { item in
      switch item.part {
      // How long before nothing is nobody's lead: "pack the day before the trip" stays as it is.
      case .leads, .eve: return hasTime || hasNext ? item : nil
      case .source(let target):
        var isOwn = false
        if case .place = target { isOwn = true }
        guard !hasEdge, !hasClock, !(isOwn && hasTime) else { return nil }
        var item = item
        item.part = .place(target, tiers: nil, isSoft: true)
        return item
      case .place(.category, _, isSoft: true) where hasClock || hasPlace || hasSignal: return nil
      case .place(.place, nil, isSoft: true) where hasPlace: return nil
      case .place(.place(let id), nil, isSoft: true) where hasHour && id != home: return nil
      default: return item
      }
    }
  }

  /// Whether something is said by itself to be where, or on what, to speak: "when I leave work stop at the bank".
  ///
  /// Where it is one of several that may be chosen from, it says nothing of the others.
  private func hasClause(_ isMeant: (Part) -> Bool) -> Bool {
    !items.contains { $0.part == .either || $0.part == .also }
      && items.contains { $0.apart.map(\.part).contains(where: isMeant) }
  }
}

extension Part {
  /// Whether it is a place at which to speak, and not only one at which something is to be done.
  fileprivate var isWhere: Bool {
    switch self {
    case .place(_, _, let isSoft): !isSoft
    case .leave: true
    default: false
    }
  }

  /// Whether it is what the phone says.
  fileprivate var isSignal: Bool { if case .signal = self { true } else { false } }

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
    case .several(let parts): parts.contains(where: \.isEdge)
    default: false
    }
  }

  /// Whether it comes several times a day, "every 30 minutes at the library": only there.
  fileprivate var isWithinDay: Bool {
    if case .repetition(let said) = self { said.unit < .day } else { false }
  }

  /// Whether it says an hour at which to speak.
  var saysClock: Bool {
    switch self {
    case .time(let moment): moment.clock.map { !$0.isPart } ?? (moment.later != nil)
    case .clocks: true
    case .repetition(let said): said.unit < .day || said.clocks.contains { !$0.isPart }
    default: false
    }
  }
}
