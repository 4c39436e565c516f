/// Puts times of day to the days beside them, where several days have times of their own.
///
/// "At 7 on weekdays and at 9 on weekends" is two things, and not four.
struct PairedTimes {
  private let items: [Item]
  /// The places of the times of day that belong to some days.
  private var taken: Set<Int> = []
  /// The days, each with its times, by their places.
  private var repetitions: [Int: Repetition] = [:]

  init(_ items: [Item]) { self.items = items }

  /// The items, each repetition with its own times; as they were where that is not said of all of them.
  static func paired(_ items: [Item]) -> [Item] {
    let items = exceptions(parts(ranges(items)))
    var times = PairedTimes(items)
    return times.pair() ?? items
  }

  /// "Monday through Thursday at 3 and Fridays at 2", "every hour Monday to Thursday": beside what comes each week or
  /// several times a day, or beside a day with an hour of its own, days from one to another come each week as well.
  private static func ranges(_ items: [Item]) -> [Item] {
    let isWeekly = items.contains { item in
      guard case .repetition(let said) = item.part else { return false }
      return said.weekdays != 0 && said.unit == .week && said.interval == 1 || said.unit < .day
    }
    guard isWeekly || hasHours(items) else { return items }
    return items.map { item in
      guard case .interval(let interval) = item.part, interval.kind == .between,
        let from = interval.from, let to = interval.to,
        case .weekday(let first, .plain)? = from.day, case .weekday(let last, .plain)? = to.day,
        first != last, var said = Action.weekly(Action.days(from: first, to: last), every: 1)
      else { return item }
      said.clocks = [from.clock ?? to.clock].compactMap(\.self)
      var item = item
      item.part = .repetition(said)
      return item
    }
  }

  /// Whether days from one to another have an hour, and are said in short ("Mon-Thu at 6") or beside one more day with
  /// another hour: "Monday to Thursday at 6 and Saturday at 9".
  private static func hasHours(_ items: [Item]) -> Bool {
    let hasDay = items.contains { item in
      guard case .time(let moment) = item.part, moment.clock != nil,
        case .weekday(_, .plain)? = moment.day
      else { return false }
      return true
    }
    return items.indices.contains { place in
      guard case .interval(let days) = items[place].part, days.kind == .between,
        case .weekday? = days.from?.day, case .weekday? = days.to?.day, hasDay || days.isShort
      else { return false }
      if days.from?.clock ?? days.to?.clock != nil { return true }
      return [place - 1, place + 1]
        .contains { beside in
          guard items.indices.contains(beside), saysHours(items[beside].part) else {
            return false
          }
          return beside < place
            ? items[beside].end == items[place].start : items[place].end == items[beside].start
        }
    }
  }

  /// Whether it says hours, or from which to which: "Mon-Sat 9am-5pm".
  private static func saysHours(_ part: Part) -> Bool {
    if case .interval(let hours) = part { return hours.kind == .between && hours.isOfClocks }
    return !clocks(part).isEmpty
  }

  /// "Every morning at 7 and every evening at 6": each part of the day with its own hour.
  private static func parts(_ items: [Item]) -> [Item] {
    guard items.count(where: { part(of: $0) != nil }) > 1 else { return items }
    var result: [Item] = []
    for item in items {
      if let last = result.last, last.end == item.start, let part = part(of: last),
        case .repetition(var said) = last.part, case let hours = clocks(item.part), !hours.isEmpty
      {
        said.clocks = hours.map { $0.in(part) }
        result[result.count - 1].part = .repetition(said)
        result[result.count - 1].end = item.end
        result[result.count - 1].to = item.to
      } else {
        result.append(item)
      }
    }
    return result
  }

  /// The one part of each day at which it comes.
  private static func part(of item: Item) -> PartOfDay? {
    guard case .repetition(let said) = item.part, said.weekdays == 0, said.clocks.count == 1,
      said.clocks[0].isPart
    else { return nil }
    return said.clocks[0].part
  }

  /// "Every weekday at 3 except Friday at 1": Friday is no exception, it has an hour of its own.
  private static func exceptions(_ items: [Item]) -> [Item] {
    guard
      let except = items.indices.first(where: { place in
        guard case .exceptDays = items[place].part, items.indices.contains(place + 1) else {
          return false
        }
        return items[place + 1].start == items[place].end && !clocks(items[place + 1].part).isEmpty
      }),
      case .exceptDays(let days) = items[except].part,
      let base = items[..<except]
        .lastIndex(where: { item in
          guard case .repetition(let said) = item.part else { return false }
          return said.unit <= .week && said.interval == 1
        }),
      case .repetition(var most) = items[base].part,
      // Without an hour before it, the one behind it is for all days.
      most.clocks.contains(where: { !$0.isPart })
        || items[..<except].contains(where: { !clocks($0.part).isEmpty }),
      let others = Action.weekly(days, every: 1)
    else { return items }
    var items = items
    most.weekdays = (most.weekdays == 0 ? 127 : most.weekdays) & ~days
    most.unit = .week
    guard most.weekdays != 0 else { return items }
    items[base].part = .repetition(most)
    items[except].part = .repetition(others)
    return items
  }

  private mutating func pair() -> [Item]? {
    let isEvery = items.contains {
      if case .repetition(let said) = $0.part { said.weekdays != 0 } else { false }
    }
    guard isEvery else { return nil }
    for (place, item) in items.enumerated() {
      guard let said = Self.days(item.part) else { continue }
      repetitions[place] = said
    }
    guard repetitions.count > 1 else { return nil }
    for place in repetitions.keys.sorted() where repetitions[place]?.clocks.isEmpty ?? false {
      guard let time = [place - 1, place + 1].first(where: { isTime($0, beside: place) }) else {
        return nil
      }
      taken.insert(time)
      repetitions[place]?.clocks = Self.clocks(items[time].part)
    }
    guard Set(repetitions.values.map(\.clocks)).count > 1 else { return nil }
    return items.enumerated()
      .compactMap { place, item in
        guard !taken.contains(place) else { return nil }
        guard let said = repetitions[place] else { return item }
        var item = item
        item.part = .repetition(said)
        return item
      }
  }

  /// Some days of every week; a single one, with its time, is one of them beside others.
  private static func days(_ part: Part) -> Repetition? {
    switch part {
    case .repetition(let said):
      return said.weekdays != 0 && said.unit <= .week && said.interval == 1 ? said : nil
    case .time(let moment):
      guard let clock = moment.clock, moment.later == nil, moment.shift == 0 else { return nil }
      var said = Repetition()
      said.unit = .week
      switch moment.day {
      case .weekday(let number, .plain): said.weekdays = 1 << (number - 1)
      case .weekend(0): said.weekdays = 0b1100000
      default: return nil
      }
      said.clocks = [clock]
      return said
    default: return nil
    }
  }

  private static func clocks(_ part: Part) -> [Clock] {
    switch part {
    case .time(let moment) where moment.isClock: moment.clock.map { [$0] } ?? []
    case .clocks(let clocks): clocks
    default: []
    }
  }

  private func isTime(_ place: Int, beside days: Int) -> Bool {
    guard items.indices.contains(place), !taken.contains(place),
      !Self.clocks(items[place].part).isEmpty
    else { return false }
    return place < days
      ? items[place].end == items[days].start : items[days].end == items[place].start
  }
}
