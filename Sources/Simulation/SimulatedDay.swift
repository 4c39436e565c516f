import Basics
import Geodesy
import Places
import Streets
import Timeline
import Traces

/// One person's day: what the phone saw, and what was true.
package struct SimulatedDay: Sendable {
  /// Its name, `p03-d2`.
  package let name: String
  /// What the phone saw, in order of time.
  package let fixes: [SeenFix]

  let life: DayLife
  let receiver: Receiver.Day
  let silences: [(start: Int, end: Int, reason: String)]
  let passes: [Pass]
  let day: Int
  let settings: SimulationSettings
  let area: Neighborhood

  /// A time within 100 m of a shop that was not visited then.
  struct Pass: Sendable {
    let shop: Int
    let from: Int
    let to: Int
    let closest: Int
    let closestMeters: Double
    let speedAtClosest: Double
    let secondsStopped: Int
    let mode: String
    /// What the person was there for, if they stopped for something; nil for passing by.
    let stayKind: String?
  }

  /// Lives a day.
  ///
  /// - Parameter person: its number, from 1.
  /// - Parameter day: its number, from 1.
  /// - Complexity: O(seconds of the day) and a search for each trip.
  package init(person number: Int, day: Int, in area: Neighborhood, _ settings: SimulationSettings)
  {
    let person = Person(number: number, in: area, seed: settings.seed)
    name = "\(person.name)-d\(day)"
    self.day = day
    self.settings = settings
    self.area = area
    let offset = (number - 1) * 3 % 28 + day - 1
    life = DayLife(person, day: offset, in: area, settings)
    let receiver = Receiver(
      ReceiverPath(life, in: area),
      SplitMix64.stream(settings.seed, 3, number, day),
      settings
    )
    fixes = receiver.fixes
    self.receiver = receiver.day
    silences = receiver.silences
    passes = Self.passes(of: life, area)
  }

  static let nearMeters = 100.0

  private static func passes(of life: DayLife, _ area: Neighborhood) -> [Pass] {
    var open: [Int: [Int]] = [:]
    var runs: [(shop: Int, moments: [Int])] = []
    for (index, moment) in life.moments.enumerated() {
      let near = area.shops(within: nearMeters, of: moment.point)
      for shop in open.keys.sorted() where !near.contains(shop) {
        runs.append((shop, open.removeValue(forKey: shop) ?? []))
      }
      for shop in near { open[shop, default: []].append(index) }
    }
    for shop in open.keys.sorted() { runs.append((shop, open[shop] ?? [])) }
    runs.sort { ($0.moments[0], $0.shop) < ($1.moments[0], $1.shop) }
    return runs.compactMap { pass($0.shop, during: $0.moments, of: life, in: area) }
  }

  private static func pass(
    _ shop: Int,
    during run: [Int],
    of life: DayLife,
    in area: Neighborhood
  ) -> Pass? {
    let moments = life.moments
    let last = moments[run[run.count - 1]]
    let (from, to) = (moments[run[0]].second, last.second + last.seconds)
    let stays = life.stays.filter { $0.arrival < to && $0.departure > from }
    guard !stays.contains(where: { $0.shop == shop }) else { return nil }
    let point = area.shops[shop].point
    var closest = run[0]
    for index in run
    where moments[index].point.distanceMeters(to: point)
      < moments[closest].point.distanceMeters(to: point)
    {
      closest = index
    }
    let moment = moments[closest]
    return Pass(
      shop: shop,
      from: from,
      to: to,
      closest: moment.second,
      closestMeters: moment.point.distanceMeters(to: point),
      speedAtClosest: moment.metersPerSecond,
      secondsStopped: run.map { moments[$0] }.filter { $0.metersPerSecond < 0.5 }
        .reduce(0) { $0 + $1.seconds },
      mode: TravelMode(rawValue: moment.state.rawValue)?.rawValue ?? life.person.kind.mode.rawValue,
      stayKind: stays.first { $0.kind != .parking }.map(\.kind.rawValue)
        ?? stays.first?.kind.rawValue
    )
  }
}

extension SimulatedDay {
  /// When it begins and ends.
  package var start: Timestamp { Timestamp(seconds: Int64(life.start)) }
  package var end: Timestamp { Timestamp(seconds: Int64(life.end)) }

  /// How often the person went to a place on purpose.
  package var visitCount: Int { visits.count }

  var visits: [DayLife.Stay] { life.stays.filter { $0.shop != nil } }
  var curbWaits: [DayLife.Stay] { life.stays.filter { $0.kind == .curbWait } }
  var driveBys: [Pass] { passes.filter { $0.stayKind == nil } }
  var nearStays: [Pass] { passes.filter { $0.stayKind != nil } }
}
