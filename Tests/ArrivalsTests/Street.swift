import Basics
import Arrivals
import Geodesy
import Places
import TestSupport
import Timeline
import Traces

/// A street on a plane, places on it, and someone with a phone: what the detector finds.
///
/// Positions are meters east and north of the origin; the clock runs on with every call.
struct Street {
  struct Spot {
    var east: Double
    var north: Double
    init(_ east: Double, _ north: Double) {
      self.east = east
      self.north = north
    }
  }

  let plane: LocalPlane
  private(set) var fixes: [Fix] = []
  private(set) var now = Timestamp(seconds: 1_767_600_000)
  private(set) var here: Spot
  private var noise: SeededGenerator
  private var error = Spot(0, 0)
  private var nextFix: Timestamp

  /// Seconds between fixes.
  var interval = 1.0
  /// Deviation per axis of the error that lasts.
  var sigma = 5.0
  /// Whether the receiver reports speed and course, and whether it says 0 at rest.
  var reportsSpeed = true
  var zeroAtRest = true
  /// What it says at rest instead.
  var speedAtRest: Double?
  /// Whether it says 0 in motion, too: it is broken.
  var isStuckAtZero = false
  /// A fix comes after a way of so many meters and none at rest; nil: by the clock.
  var spacing: Double?
  private var told: Spot?
  /// Whether a speed of 0 is left out.
  var leavesOutZero = false
  /// Whether the sky is seen.
  var hasSky = true
  /// How far positions by networks lie off where it is not, one after the other; none come if there are none.
  var networks: [Spot] = []
  /// For how long each of them is heard.
  var networkSeconds: Int64 = 60

  init(
    from here: Spot,
    seed: UInt64 = 1,
    origin: Coordinate = Coordinate(uncheckedLatitude: 39.29, longitude: -76.61)
  ) {
    self.here = here
    plane = LocalPlane(origin: origin)
    noise = SeededGenerator(seed: seed)
    nextFix = now
  }

  /// Goes straight to a spot.
  mutating func go(to spot: Spot, metersPerSecond: Double) {
    let (dx, dy) = (spot.east - here.east, spot.north - here.north)
    let length = (dx * dx + dy * dy).squareRoot()
    let seconds = max(1, (length / metersPerSecond).rounded())
    let course = compass(dx, dy)
    let start = here
    for second in 1...Int(seconds) {
      let share = Double(second) / seconds
      here = Spot(start.east + dx * share, start.north + dy * share)
      pass(speed: length / seconds, course: course)
    }
  }

  /// Stays where one is.
  mutating func stay(seconds: Int) {
    for _ in 0..<seconds { pass(speed: 0, course: 0) }
  }

  /// A fix from a cell tower or another that is far off and says so, or does not.
  mutating func addFix(off: Double, accuracy: Double, speed: Double? = nil, after seconds: Int = 1)
  {
    now = now + .seconds(Int64(seconds))
    fixes.append(
      Fix(
        at: now,
        coordinate: plane.coordinate(eastMeters: here.east + off, northMeters: here.north),
        horizontalAccuracyMeters: accuracy,
        speedMetersPerSecond: speed
      )
    )
  }

  private mutating func pass(speed: Double, course: Double) {
    now = now + .seconds(1)
    let kept = 1 - 1.0 / 40
    let fresh = sigma * (1 - kept * kept).squareRoot()
    error = Spot(error.east * kept + fresh * normal(), error.north * kept + fresh * normal())
    guard now >= nextFix else { return }
    guard hasSky else { return addNetworkFix() }
    if let spacing {
      guard speed > 0 else { return }
      let seen = Spot(here.east + error.east, here.north + error.north)
      let (dx, dy) = (seen.east - (told?.east ?? 1e9), seen.north - (told?.north ?? 1e9))
      guard dx * dx + dy * dy >= spacing * spacing else { return }
      told = seen
    }
    nextFix = now + Milliseconds(Int64(interval * 1_000))
    let reported =
      isStuckAtZero
      ? 0
      : speed == 0
        ? speedAtRest.map { max(0, $0 + 0.2 * normal()) } ?? (zeroAtRest ? 0 : abs(normal()) * 0.4)
        : max(0, speed + 0.3 * normal())
    fixes.append(
      Fix(
        at: now,
        coordinate: plane.coordinate(
          eastMeters: here.east + error.east,
          northMeters: here.north + error.north
        ),
        horizontalAccuracyMeters: sigma * 1.51,
        speedMetersPerSecond: reportsSpeed && !(leavesOutZero && reported == 0) ? reported : nil,
        courseDegrees: reportsSpeed ? course : nil
      )
    )
  }

  /// A position by the network that is heard: no speed, and an error of its own.
  private mutating func addNetworkFix() {
    guard !networks.isEmpty else { return }
    nextFix = now + .seconds(5)
    let turn = Int(now.milliseconds / (1_000 * networkSeconds))
    let off = networks[turn % networks.count]
    fixes.append(
      Fix(
        at: now,
        coordinate: plane.coordinate(
          eastMeters: here.east + off.east + normal(),
          northMeters: here.north + off.north + normal()
        ),
        horizontalAccuracyMeters: 30
      )
    )
  }

  private mutating func normal() -> Double {
    // Twelve evens have a variance of 1 and nearly a normal shape.
    (0..<12).reduce(-6) { sum, _ in sum + noise.unit() }
  }

  private func compass(_ dx: Double, _ dy: Double) -> Double {
    // The eight directions are enough for a street.
    let length = max((dx * dx + dy * dy).squareRoot(), 1e-9)
    var best = (0.0, -2.0)
    for degrees in stride(from: 0.0, to: 360, by: 5) {
      let (sine, cosine) = sineAndCosine(degrees: degrees)
      let match = (dx * sine + dy * cosine) / length
      if match > best.1 { best = (degrees, match) }
    }
    return best.0
  }

  /// A place.
  func poi(_ id: String, _ category: String, _ spot: Spot, outline: Double = 0) -> PointOfInterest {
    PointOfInterest(
      sourceID: id,
      categories: [CategoryID(category)],
      coordinate: plane.coordinate(eastMeters: spot.east, northMeters: spot.north),
      footprintRadiusMeters: outline
    )
  }

  /// What the detector finds: for each arrival, the place and the whole seconds since the start.
  func arrivals(
    at pois: [PointOfInterest],
    places: [Place] = [],
    settings: ArrivalSettings = ArrivalSettings()
  ) -> [String] {
    findings(at: pois, places: places, settings: settings)
      .compactMap { finding in
        guard case .arrived(let arrival) = finding else { return nil }
        switch arrival.place {
        case .pointOfInterest(let id): return id
        case .place(let id): return "own " + id
        }
      }
  }

  func findings(
    at pois: [PointOfInterest],
    places: [Place] = [],
    settings: ArrivalSettings = ArrivalSettings()
  ) -> [ArrivalFinding] {
    var detector = ArrivalDetector(
      settings: settings,
      catalog: POICatalog(pois),
      places: places
    )
    var findings: [ArrivalFinding] = []
    for fix in fixes { findings += detector.observe(fix, at: SurfacePoint(fix.coordinate)) }
    return findings + detector.advance(to: now + .minutes(20))
  }
}
