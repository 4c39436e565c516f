import Basics
import Geodesy
import Streets

/// What a person's days are like.
package enum PersonKind: String, Hashable, Sendable, CaseIterable {
  /// Drives to work, and sees to things on the way back.
  case commuter
  /// The same by bicycle.
  case cyclist
  /// Goes on foot, in the quarter.
  case walker
  /// Drives to many addresses.
  case courier
  /// Is at home but for some drives.
  case home

  /// How many of a hundred people are like that.
  static let weights = [50.0, 10, 12, 10, 18]

  var mode: TravelMode {
    switch self {
    case .commuter, .courier, .home: .car
    case .cyclist: .bike
    case .walker: .foot
    }
  }
}

/// A person with a home.
struct Person {
  let number: Int
  let kind: PersonKind
  /// Where the street is left for the door.
  let homeStreet: Int
  let home: PlanePoint
  let workStreet: Int?
  let work: PlanePoint?
  /// How fast this one goes, against others.
  let pace: Double

  var name: String { "p" + twoDigits(number) }

  init(number: Int, in area: Neighborhood, seed: UInt64) {
    var random = SplitMix64.stream(seed, 1, number)
    self.number = number
    kind = PersonKind.allCases[random.pick(weights: PersonKind.weights)]
    let streets = area.streets
    // Near some shop, as people live, but not at its door.
    let shop = area.shops[random.integer(0...area.shops.count - 1)].point
    let mode = kind.mode
    let anywhere = streets.nearest(to: shop, by: mode) ?? 0
    let around = streets.places(within: kind == .walker ? 900 : 2_500, of: shop, by: mode)
      .filter { streets.points[$0].distanceMeters(to: shop) > 250 }
    homeStreet = around.isEmpty ? anywhere : around[random.integer(0...around.count - 1)]
    home = Self.door(streets.points[homeStreet], &random)
    pace = random.uniform(0.85...1.1)
    guard kind == .commuter || kind == .cyclist else {
      (workStreet, work) = (nil, nil)
      return
    }
    let reach: ClosedRange<Double> = kind == .cyclist ? 1_500...6_000 : 2_500...15_000
    let far = home
    let candidates = area.shops.indices.filter {
      reach.contains(area.shops[$0].point.distanceMeters(to: far))
    }
    let office =
      candidates.isEmpty
      ? area.shops[random.integer(0...area.shops.count - 1)].point
      : area.shops[candidates[random.integer(0...candidates.count - 1)]].point
    let near = streets.places(within: 400, of: office, by: mode)
    let street =
      near.isEmpty
      ? streets.nearest(to: office, by: mode) ?? anywhere
      : near[random.integer(0...near.count - 1)]
    workStreet = street
    work = Self.door(streets.points[street], &random)
  }

  private static func door(_ street: PlanePoint, _ random: inout SplitMix64) -> PlanePoint {
    let angle = random.integer(0...7)
    let meters = random.uniform(12...25)
    let directions = [
      (1.0, 0.0), (0.7, 0.7), (0, 1), (-0.7, 0.7), (-1, 0), (-0.7, -0.7), (0, -1), (0.7, -0.7),
    ]
    return street.offset(directions[angle].0 * meters, directions[angle].1 * meters)
  }
}
