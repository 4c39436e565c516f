/// Settles of which half of the day the hours of a list are: "at 8, 12, 4 and 8" goes on through one day.
///
/// Each hour by itself is the nearest that fits. Where that gives the same hour twice, or goes back, the list says more.
struct HourLists {
  private var items: [Item]
  private let resolver: Resolver

  /// The items, with the hours of lists settled.
  static func settled(_ items: [Item], _ resolver: Resolver) -> [Item] {
    var lists = HourLists(items: items, resolver: resolver)
    for places in lists.runs() { lists.settle(places) }
    return lists.items
  }

  /// Where a clock stands: of which item, and which of its clocks.
  private struct Place {
    let item: Int
    let clock: Int
  }

  /// More hours than people list.
  private static let most = 8

  /// Hours that stand beside each other, of which only the first may have a day.
  private func runs() -> [[Place]] {
    var runs: [[Place]] = []
    var run: [Place] = []
    for (index, item) in items.enumerated() {
      let clocks = Self.clocks(item.part)
      let goesOn =
        index > 0 && item.start - items[index - 1].end <= 2 && !Self.saysDay(item.part)
      if clocks.isEmpty || !goesOn {
        runs.append(run)
        run = []
      }
      run += clocks.indices.map { Place(item: index, clock: $0) }
    }
    runs.append(run)
    return runs.filter { (2...Self.most).contains($0.count) }
  }

  private static func clocks(_ part: Part) -> [Clock] {
    switch part {
    case .time(let moment) where moment.later == nil && moment.shift == 0:
      moment.clock.map { [$0] } ?? []
    case .clocks(let clocks): clocks
    default: []
    }
  }

  private static func saysDay(_ part: Part) -> Bool {
    if case .time(let moment) = part { moment.day != nil } else { false }
  }

  private mutating func settle(_ places: [Place]) {
    let clocks = places.map { Self.clocks(items[$0.item].part)[$0.clock] }
    guard clocks.contains(where: \.isOpen),
      clocks.allSatisfy({ $0.zone == nil && !$0.isPart }), let said = said(clocks, places),
      !Self.rises(said), let best = best(clocks, of: said)
    else { return }
    for (place, second) in zip(places, best) { set(place, to: second) }
  }

  /// When each of them would be by itself; nil where that is what is meant, as in a part of the day, or today.
  private func said(_ clocks: [Clock], _ places: [Place]) -> [Int]? {
    for case .repetition(let said) in items.map(\.part) {
      return said.clocks.isEmpty ? clocks.map(resolver.secondOfDay) : nil
    }
    // "Mon-Thu at 5 and 7" comes again, too.
    for case .interval(let days) in items.map(\.part) where days.isShort {
      return clocks.map(resolver.secondOfDay)
    }
    var day = items.lazy
      .compactMap { item -> Day? in
        if case .time(let moment) = item.part, moment.clock == nil { moment.day } else { nil }
      }
      .first
    if case .time(let moment) = items[places[0].item].part, let own = moment.day { day = own }
    let points = clocks.compactMap { resolver.point(Moment(day: day, clock: $0)) }
    guard points.count == clocks.count, day == nil || points[0].day != resolver.today else {
      return nil
    }
    return points.map(\.second)
  }

  private static func rises(_ seconds: [Int]) -> Bool {
    zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// The halves of the day with which each hour comes after the one before it: those with the least before one wakes,
  /// then those that are most as each would be by itself; nil if there are none.
  private func best(_ clocks: [Clock], of said: [Int]) -> [Int]? {
    let usual = clocks.map(resolver.secondOfDay)
    var best: [Int]?
    var least = Set(said).count < said.count ? (Int.max, 0) : (Self.early(usual), Int.max)
    for way in Self.ways(clocks.map(resolver.halves)) where Self.rises(way) {
      let cost = (Self.early(way), zip(way, usual).count { $0 != $1 })
      if cost < least {
        least = cost
        best = way
      }
    }
    return best
  }

  /// How many are at an hour at which people sleep.
  private static func early(_ seconds: [Int]) -> Int {
    seconds.count { $0 < Resolver.wakingSecond }
  }

  /// All ways to take one of each.
  private static func ways(_ halves: [[Int]]) -> [[Int]] {
    halves.reduce([[]]) { ways, options in ways.flatMap { way in options.map { way + [$0] } } }
  }

  private mutating func set(_ place: Place, to second: Int) {
    switch items[place.item].part {
    case .time(var moment):
      guard moment.clock?.isOpen ?? false else { return }
      moment.clock?.second = second
      moment.clock?.isOpen = false
      items[place.item].part = .time(moment)
    case .clocks(var clocks):
      guard clocks[place.clock].isOpen else { return }
      clocks[place.clock].second = second
      clocks[place.clock].isOpen = false
      items[place.item].part = .clocks(clocks)
    default: break
    }
  }
}

extension Assembly {
  /// Has several days each have all hours of a list behind them or before them: "Friday and Saturday at 5 and 7",
  /// "at 5 and 7 on Friday and Saturday".
  mutating func takeEachHour() {
    let days = moments.compactMap(\.day)
    let hours = moments.filter { $0.clock != nil }
    // At most one of them has both, where the list of days meets that of hours.
    guard days.count > 1, hours.count > 1, days.count + hours.count <= moments.count + 1,
      moments.allSatisfy({ $0.later == nil }),
      isList(moments.prefix(days.count), moments.suffix(hours.count))
        || isList(moments.suffix(days.count), moments.prefix(hours.count))
    else { return }
    moments = days.flatMap { day in
      hours.map { hour in
        var moment = hour
        moment.day = day
        return moment
      }
    }
  }

  private func isList(_ days: ArraySlice<Moment>, _ hours: ArraySlice<Moment>) -> Bool {
    days.allSatisfy { $0.day != nil } && hours.allSatisfy { $0.clock != nil }
  }
}
