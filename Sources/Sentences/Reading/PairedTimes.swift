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
    var times = PairedTimes(items)
    return times.pair() ?? items
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
      guard case .weekday(let number, .plain)? = moment.day, let clock = moment.clock,
        moment.later == nil, moment.shift == 0
      else { return nil }
      var said = Repetition()
      said.unit = .week
      said.weekdays = 1 << (number - 1)
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
