import Basics
import Geodesy
import Simulation
import Timeline
import Traces

/// What the phone sees of a day: first-order Gauss-Markov errors, slower when it lies still.
struct Receiver {
  static let seed: UInt64 = 42
  static let movingSeconds = 2
  static let settleSeconds = 90
  static let whiteMeters = 0.6

  /// Per axis, and how long an error lasts.
  enum Surroundings: CaseIterable {
    case open
    case town
    case indoors

    var name: String {
      switch self {
      case .open: "open"
      case .town: "urban"
      case .indoors: "indoor"
      }
    }

    var sigmaMeters: Double {
      switch self {
      case .open: 4
      case .town: 9
      case .indoors: 16
      }
    }

    var correlationSeconds: Double {
      switch self {
      case .open: 45
      case .town: 30
      case .indoors: 90
      }
    }
  }

  /// A silence of the receiver, in seconds since 1970.
  struct Gap {
    let start: Int
    let end: Int
    let reason: String
  }

  /// The supermarket's roof is of sheet metal.
  static let gaps = [
    Gap(start: ErrandDay.at(13, 51), end: ErrandDay.at(14, 3), reason: "indoors")
  ]

  private var random = SplitMix64(seed: Self.seed)
  private var east = 0.0
  private var north = 0.0
  private var sigma = 16.0
  private var lastFix = ErrandDay.start - 600
  private var lastErrorUpdate = ErrandDay.start - 600
  private var stillSince: Int?
  private var pauseSeconds = 0
  private(set) var fixes: [Fix] = []

  static func fixes(of day: ErrandDay) -> [Fix] {
    var receiver = Receiver()
    for moment in day.moments {
      for second in moment.second..<(moment.second + moment.seconds) {
        receiver.see(moment, at: second)
      }
    }
    return receiver.fixes
  }

  private mutating func see(_ moment: Moment, at second: Int) {
    if moment.mode == .still {
      stillSince = stillSince ?? second
    } else {
      if stillSince != nil { pauseSeconds = 0 }
      stillSince = nil
    }
    let isSettled = stillSince.map { second - $0 > Self.settleSeconds } ?? false
    let interval = isSettled ? max(pauseSeconds, 60) : Self.movingSeconds
    guard second - lastFix >= interval,
      !Self.gaps.contains(where: { $0.start < second && second < $0.end })
    else { return }
    lastFix = second
    pauseSeconds = random.integer(60...120)
    updateErrors(Self.surroundings(moment), at: second)
    fixes.append(fix(moment, at: second))
  }

  private static func surroundings(_ moment: Moment) -> Surroundings {
    moment.isIndoors ? .indoors : moment.spot.east > 8.6 ? .town : .open
  }

  private mutating func updateErrors(_ surroundings: Surroundings, at second: Int) {
    let elapsed = Double(second - lastErrorUpdate)
    lastErrorUpdate = second
    let kept = decay(elapsed / surroundings.correlationSeconds)
    let fresh = (1 - kept * kept).squareRoot()
    east = east * kept + random.normal() * fresh
    north = north * kept + random.normal() * fresh
    // A door does not change the reception at once.
    sigma += (surroundings.sigmaMeters - sigma) * (1 - decay(elapsed / 15))
  }

  private mutating func fix(_ moment: Moment, at second: Int) -> Fix {
    let x = moment.spot.east * 1_000 + east * sigma + random.normal() * Self.whiteMeters
    let y = moment.spot.north * 1_000 + north * sigma + random.normal() * Self.whiteMeters
    let exact = Island.plane.coordinate(eastMeters: x, northMeters: y)
    // 68 % of a circular normal distribution lie within 1.51 standard deviations of one axis.
    let accuracy = 1.51 * sigma * random.uniform(0.88...1.12)
    let isMoving = moment.metersPerSecond > 0
    let speed = isMoving ? max(0, moment.metersPerSecond + random.normal() * 0.3) : 0
    let course = moment.courseDegrees + random.normal() * 4
    return Fix(
      at: Timestamp(seconds: Int64(second)),
      coordinate: Coordinate(latitudeE7: exact.latitudeE7, longitudeE7: exact.longitudeE7),
      horizontalAccuracyMeters: rounded(accuracy, 1),
      speedMetersPerSecond: rounded(speed, 2),
      courseDegrees: isMoving ? Double((Int(course.rounded()) + 360) % 360) : nil
    )
  }
}
