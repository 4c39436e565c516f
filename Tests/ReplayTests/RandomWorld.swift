import Geodesy
import NearMeEngine
import Places
import TestSupport
import Timeline
import Traces

/// A seeded world with a walk through it: everything a planner might stumble over.
struct RandomWorld {
  let pois: [PointOfInterest]
  let places: [Place]
  let reminders: [Reminder]
  let fixes: [Fix]

  /// Makes the world of a seed.
  ///
  /// - Parameter isSmall: fewer points and a shorter way, for trying very many.
  /// - Parameter middle: where it is, instead of anywhere.
  /// - Parameter extents: how far it reaches in meters, one of four.
  init(
    seed: UInt64,
    isSmall: Bool = false,
    around middle: Coordinate? = nil,
    extents: [Double] = [300, 3_000, 20_000, 60_000]
  ) {
    var random = SeededGenerator(seed: seed)
    let origin = middle ?? Self.origin(&random)
    let plane = LocalPlane(origin: origin)
    let extent = extents[random.integer(0...3)]
    func spot(_ spread: Double) -> Coordinate {
      plane.coordinate(
        eastMeters: random.uniform(-spread...spread),
        northMeters: random.uniform(-spread...spread)
      )
    }
    let categories = ["bank", "gas_station", "pharmacy"].map { CategoryID($0) }
    var pois: [PointOfInterest] = []
    for i in 0..<random.integer(0...(isSmall ? 50 : 120)) {
      pois.append(
        PointOfInterest(
          sourceID: "node/\(i + 1)",
          categories: [categories[random.integer(0...2)]],
          name: i % 3 == 0 ? nil : "P\(i)",
          coordinate: spot(extent),
          footprintRadiusMeters: i % 7 == 0 ? random.uniform(0...300) : 0
        )
      )
    }
    let places = [
      Place(id: "home", name: "Home", kind: .home, coordinate: spot(extent)),
      Place(
        id: "gym",
        name: "Gym",
        kind: .other,
        coordinate: spot(extent),
        arrivalRadiusMeters: random.uniform(30...400)
      ),
    ]
    var reminders = categories.map {
      Reminder(id: $0.name, title: "do \($0)", target: .category($0))
    }
    reminders.append(Reminder(id: "at-home", title: "rest", target: .place("home")))
    reminders.append(Reminder(id: "at-gym", title: "train", target: .place("gym")))
    if random.integer(0...1) == 0 {
      reminders.append(
        Reminder(
          id: "second-bank",
          title: "pay",
          target: .category(categories[0]),
          tiers: [.approach(meters: 700), .arrival]
        )
      )
    }
    self.pois = pois
    self.places = places
    self.reminders = reminders
    fixes = Self.walk(&random, plane, extent, anchors: pois.map(\.coordinate), isSmall)
  }

  /// The same world with every coordinate put somewhere else.
  init(_ world: RandomWorld, moving move: (Coordinate) -> Coordinate) {
    pois = world.pois.map {
      PointOfInterest(
        sourceID: $0.sourceID,
        categories: $0.categories,
        name: $0.name,
        brand: $0.brand,
        coordinate: move($0.coordinate),
        footprintRadiusMeters: $0.footprintRadiusMeters
      )
    }
    places = world.places.map { place in
      Place(
        id: place.id,
        name: place.name,
        kind: place.kind,
        coordinate: move(place.coordinate),
        arrivalRadiusMeters: place.arrivalRadiusMeters
      )
    }
    reminders = world.reminders
    fixes = world.fixes.map {
      Fix(
        at: $0.at,
        coordinate: move($0.coordinate),
        horizontalAccuracyMeters: $0.horizontalAccuracyMeters,
        speedMetersPerSecond: $0.speedMetersPerSecond
      )
    }
  }

  /// Anywhere, and now and then at a pole or on the antimeridian.
  private static func origin(_ random: inout SeededGenerator) -> Coordinate {
    switch random.integer(0...9) {
    case 0: Coordinate(uncheckedLatitude: random.uniform(-60...60), longitude: 179.999)
    case 1: Coordinate(uncheckedLatitude: 0.0001, longitude: -179.9999)
    case 2: Coordinate(uncheckedLatitude: 84.5, longitude: random.uniform(-180...180))
    default:
      Coordinate(
        uncheckedLatitude: random.uniform(-70...70),
        longitude: random.uniform(-170...170)
      )
    }
  }

  /// Drives between anchors with stops, noise, gaps, poor fixes, jumps, doubles and late fixes.
  private static func walk(
    _ random: inout SeededGenerator,
    _ plane: LocalPlane,
    _ extent: Double,
    anchors: [Coordinate],
    _ isSmall: Bool
  ) -> [Fix] {
    var fixes: [Fix] = []
    var now = Timestamp(seconds: 1_760_000_000)
    var (x, y) = (0.0, 0.0)
    let cadence = [1.0, 5, 15, 60, 300][random.integer(0...4)]
    let sigma = [0.0, 5, 15, 60][random.integer(0...3)]
    for _ in 0..<random.integer(2...(isSmall ? 4 : 8)) {
      var goal = (random.uniform(-extent...extent), random.uniform(-extent...extent))
      if !anchors.isEmpty, random.integer(0...2) > 0 {
        let anchor = plane.project(anchors[random.integer(0...(anchors.count - 1))])
        goal = (anchor.eastMeters, anchor.northMeters)
      }
      let speed = [1.4, 8, 15, 30][random.integer(0...3)]
      let length = ((goal.0 - x) * (goal.0 - x) + (goal.1 - y) * (goal.1 - y)).squareRoot()
      let steps = min(isSmall ? 60 : 300, Int(length / (speed * cadence)) + 1)
      let stay = random.integer(0...Int(min(40, 600 / cadence + 3)))
      let (fromX, fromY) = (x, y)
      for step in 1...(steps + stay) {
        let share = min(1, Double(step) / Double(steps))
        x = fromX + (goal.0 - fromX) * share
        y = fromY + (goal.1 - fromY) * share
        let gap = random.integer(0...60) == 0 ? random.uniform(30...2_000) : 0
        let seconds = max(cadence, length / (speed * Double(steps))) + gap
        now = now + Milliseconds(Int64(seconds * 1_000))
        var (noiseX, noiseY) = (0.0, 0.0)
        for _ in 0..<4 {
          noiseX += random.uniform(-sigma...sigma)
          noiseY += random.uniform(-sigma...sigma)
        }
        var accuracy = max(3, sigma)
        switch random.integer(0...80) {
        case 0:
          accuracy = random.uniform(100...3_000)
          noiseX += random.uniform(-1_500...1_500)
        case 1: noiseY += random.uniform(-4_000...4_000)
        default: break
        }
        let fix = Fix(
          at: now,
          coordinate: plane.coordinate(eastMeters: x + noiseX, northMeters: y + noiseY),
          horizontalAccuracyMeters: accuracy,
          speedMetersPerSecond: random.integer(0...9) == 0 ? nil : step > steps ? 0 : speed
        )
        fixes.append(fix)
        if random.integer(0...99) == 0 { fixes.append(fix) }
        if fixes.count > 3, random.integer(0...99) == 0 {
          fixes.swapAt(fixes.count - 1, fixes.count - 2)
        }
      }
    }
    return fixes
  }
}
