import Simulation

/// Where the person is from one second on, and for how long.
struct Moment {
  enum Mode: String {
    case car
    case foot
    case still
  }

  let second: Int
  let seconds: Int
  let spot: Spot
  let metersPerSecond: Double
  let courseDegrees: Double
  let mode: Mode
  let isIndoors: Bool
}

/// A way with the speed that is driven, or walked, on each piece of it.
struct Way {
  struct Stop {
    let index: Int
    let seconds: Int
    let kind: String
  }

  private(set) var spots: [Spot]
  /// The highest speed on the way to each of the spots, in m/s.
  private(set) var limits: [Double] = [0]
  private(set) var stops: [Stop] = []

  static let walking = 1.3

  init(from start: Spot) { spots = [start] }

  mutating func walk(to spot: Spot) { go(to: spot, Self.walking) }

  mutating func drive(to spot: Spot, _ metersPerSecond: Double = 10) {
    go(to: spot, metersPerSecond)
  }

  /// Along the main road, slower in town.
  mutating func mainRoad(from start: Double, to end: Double) {
    for spot in Island.mainRoad(from: start, to: end) {
      let isTown = spot.east > 8.6 || spots[spots.count - 1].east > 8.6
      go(to: spot, isTown ? 12.5 : 16.5)
    }
  }

  mutating func wait(_ seconds: Int, _ kind: String) {
    stops.append(Stop(index: spots.count - 1, seconds: seconds, kind: kind))
  }

  private mutating func go(to spot: Spot, _ metersPerSecond: Double) {
    guard spot != spots[spots.count - 1] else { return }
    spots.append(spot)
    limits.append(metersPerSecond)
  }

  var meters: Double {
    zip(spots, spots.dropFirst()).reduce(0) { $0 + $1.0.distanceMeters(to: $1.1) }
  }
}

/// Moves along a way second by second: speeds up, brakes for corners and stops.
struct Mover {
  private let way: Way
  private var distances: [Double] = [0]
  /// The speed at which each spot may be passed.
  private var ceilings: [Double] = []

  init(_ way: Way) {
    self.way = way
    let spots = way.spots
    for (a, b) in zip(spots, spots.dropFirst()) {
      distances.append(distances[distances.count - 1] + a.distanceMeters(to: b))
    }
    for index in spots.indices { ceilings.append(ceiling(at: index)) }
  }

  private func ceiling(at index: Int) -> Double {
    let spots = way.spots
    guard index > 0, index < spots.count - 1, !way.stops.contains(where: { $0.index == index })
    else { return 0 }
    let (a, b, c) = (spots[index - 1], spots[index], spots[index + 1])
    let dot = (b.east - a.east) * (c.east - b.east) + (b.north - a.north) * (c.north - b.north)
    let lengths = a.distanceMeters(to: b) * b.distanceMeters(to: c) / 1_000_000
    let isCorner = dot < 0.8 * lengths
    let next = way.limits[index + 1]
    return min(isCorner ? 6.5 : 99, next)
  }

  /// The moments of the trip from a second on, and when each stop began.
  func moments(from start: Int) -> (moments: [Moment], stops: [(second: Int, stop: Way.Stop)]) {
    var moments: [Moment] = []
    var stops: [(second: Int, stop: Way.Stop)] = []
    var (second, at, speed, piece) = (start, 0.0, 0.0, 1)
    let end = distances[distances.count - 1]
    while at < end - 0.5 {
      speed = min(speed + 1.4, max(0.6, allowed(at, piece)))
      at = min(end, at + speed)
      while piece < distances.count - 1, distances[piece] <= at {
        if let stop = way.stops.first(where: { $0.index == piece }) {
          at = distances[piece]
          moments.append(moment(second, lasting: stop.seconds, at: at, speed: 0, piece: piece))
          stops.append((second, stop))
          second += stop.seconds
          speed = 0
        }
        piece += 1
      }
      guard speed > 0 else { continue }
      moments.append(moment(second, lasting: 1, at: at, speed: speed, piece: piece))
      second += 1
    }
    return (moments, stops)
  }

  /// What leaves room to brake at 1.6 m/s² for everything ahead.
  private func allowed(_ at: Double, _ piece: Int) -> Double {
    var speed = way.limits[piece]
    for index in piece..<distances.count where distances[index] - at < 150 {
      let room = max(0, distances[index] - at - speed / 2)
      let ceiling = ceilings[index]
      speed = min(speed, (ceiling * ceiling + 2 * 1.6 * room).squareRoot())
    }
    return speed
  }

  private func moment(
    _ second: Int,
    lasting seconds: Int,
    at: Double,
    speed: Double,
    piece: Int
  ) -> Moment {
    let (a, b) = (way.spots[piece - 1], way.spots[piece])
    let share = (at - distances[piece - 1]) / (distances[piece] - distances[piece - 1])
    let (x, y) = (b.east - a.east, b.north - a.north)
    return Moment(
      second: second,
      seconds: seconds,
      spot: Spot(a.east + x * share, a.north + y * share),
      metersPerSecond: speed,
      courseDegrees: courseDegrees(eastMeters: x, northMeters: y),
      mode: speed == 0 ? .still : way.limits[piece] <= Way.walking ? .foot : .car,
      isIndoors: false
    )
  }
}
