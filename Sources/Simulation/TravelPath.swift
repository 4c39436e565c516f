import Geodesy
import Streets

/// What the person is doing.
enum PersonState: String {
  case car, foot, bike
  case home, work, poi, address
  case curbWait = "kerb_wait"
  case parking
}

/// Where the person is from one second on, and for how long.
struct Moment {
  var second: Int
  var seconds: Int
  var point: PlanePoint
  var metersPerSecond: Double
  var courseDegrees: Double
  var state: PersonState
  var isIndoors = false
  var isTunnel = false
}

/// A way with the speed that is gone on each piece of it, and the stops on it.
struct TravelPath {
  struct Stop {
    let index: Int
    let seconds: Int
    let kind: String
  }

  private(set) var points: [PlanePoint]
  /// The highest speed on the way to each of the points, in m/s.
  private(set) var limits: [Double] = [0]
  private(set) var tunnels: [Bool] = [false]
  private(set) var stops: [Stop] = []
  let state: PersonState
  /// What one speeds up and slows down by, in m/s².
  let acceleration: Double
  /// The speed around corners, in m/s.
  let cornerMetersPerSecond: Double

  init(from start: PlanePoint, _ mode: TravelMode) {
    points = [start]
    switch mode {
    case .car: (state, acceleration, cornerMetersPerSecond) = (.car, 1.6, 6.5)
    case .bike: (state, acceleration, cornerMetersPerSecond) = (.bike, 0.9, 3.5)
    case .foot: (state, acceleration, cornerMetersPerSecond) = (.foot, 1, 2)
    }
  }

  mutating func go(to point: PlanePoint, _ metersPerSecond: Double, isTunnel: Bool = false) {
    guard point.distanceMeters(to: points[points.count - 1]) > 0.5 else { return }
    points.append(point)
    limits.append(metersPerSecond)
    tunnels.append(isTunnel)
  }

  mutating func wait(_ seconds: Int, _ kind: String) {
    guard points.count > 1 else { return }
    stops.append(Stop(index: points.count - 1, seconds: seconds, kind: kind))
  }

  var meters: Double {
    zip(points, points.dropFirst()).reduce(0) { $0 + $1.0.distanceMeters(to: $1.1) }
  }

  /// The moments of the way from a second on, and when each stop began.
  ///
  /// Second by second: speeds up, and brakes in time for corners, slower pieces, stops and the end.
  func moments(from start: Int) -> (moments: [Moment], stops: [(second: Int, stop: Stop)]) {
    var distances = [0.0]
    for (a, b) in zip(points, points.dropFirst()) {
      distances.append(distances[distances.count - 1] + a.distanceMeters(to: b))
    }
    let ceilings = points.indices.map(ceiling)
    let end = distances[distances.count - 1]
    var moments: [Moment] = []
    var begun: [(second: Int, stop: Stop)] = []
    var (second, at, speed, piece, nextStop) = (start, 0.0, 0.0, 1, 0)
    while at < end - 0.5 {
      var allowed = limits[piece]
      for index in piece..<distances.count where distances[index] - at < 250 {
        let room = max(0, distances[index] - at - speed / 2)
        let ceiling = ceilings[index]
        allowed = min(allowed, (ceiling * ceiling + 2 * acceleration * room).squareRoot())
      }
      speed = min(speed + acceleration, max(0.6, allowed))
      at = min(end, at + speed)
      while piece < distances.count - 1, distances[piece] <= at {
        if nextStop < stops.count, stops[nextStop].index == piece {
          let stop = stops[nextStop]
          at = distances[piece]
          moments.append(
            moment(
              second,
              lasting: stop.seconds,
              at: at,
              speed: 0,
              piece: piece,
              distances: distances
            )
          )
          begun.append((second, stop))
          second += stop.seconds
          speed = 0
          nextStop += 1
        }
        piece += 1
      }
      guard speed > 0 else { continue }
      moments.append(
        moment(second, lasting: 1, at: at, speed: speed, piece: piece, distances: distances)
      )
      second += 1
    }
    return (moments, begun)
  }

  /// The speed at which a point may be passed.
  private func ceiling(at index: Int) -> Double {
    guard index > 0, index < points.count - 1, !stops.contains(where: { $0.index == index })
    else { return 0 }
    let (a, b, c) = (points[index - 1], points[index], points[index + 1])
    let dot = (b.east - a.east) * (c.east - b.east) + (b.north - a.north) * (c.north - b.north)
    let isCorner = dot < 0.8 * a.distanceMeters(to: b) * b.distanceMeters(to: c)
    return min(isCorner ? cornerMetersPerSecond : .infinity, limits[index + 1])
  }

  private func moment(
    _ second: Int,
    lasting seconds: Int,
    at: Double,
    speed: Double,
    piece: Int,
    distances: [Double]
  ) -> Moment {
    let (a, b) = (points[piece - 1], points[piece])
    let share = (at - distances[piece - 1]) / (distances[piece] - distances[piece - 1])
    return Moment(
      second: second,
      seconds: seconds,
      point: a.toward(b, share: share),
      metersPerSecond: speed,
      courseDegrees: courseDegrees(
        eastMeters: b.east - a.east,
        northMeters: b.north - a.north
      ),
      state: state,
      isTunnel: tunnels[piece]
    )
  }
}
