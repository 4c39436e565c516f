import Geodesy
import Basics
import Places
import Streets
import Timeline

/// Lives one day of a person, from stay to stay.
///
/// Seconds are counted from 1970, in UTC.
struct DayLife {
  /// A time in one place.
  struct Stay {
    let kind: PersonState
    /// The shop that was visited.
    let shop: Int?
    let point: PlanePoint
    let isIndoors: Bool
    let mode: TravelMode
    let arrival: Int
    let departure: Int
  }

  /// A way, with what held it up.
  struct Trip {
    let mode: TravelMode
    let departure: Int
    let arrival: Int
    let meters: Double
    let stops: [(kind: String, second: Int, seconds: Int, point: PlanePoint)]
  }

  let person: Person
  let start: Int
  private(set) var moments: [Moment] = []
  private(set) var stays: [Stay] = []
  private(set) var trips: [Trip] = []

  private let area: Neighborhood
  private let settings: SimulationSettings
  private let midnight: Int
  private var random: SplitMix64
  private var now: Int
  private var at: PlanePoint
  /// Where on the streets one is.
  private var street: Int

  /// How long cars wait at a red light, each second as likely as another.
  static let redLightSeconds = 2...70

  /// How late people go to bed, in minutes of the day.
  private static let bedtime = 22 * 60 + 30

  init(_ person: Person, day: Int, in area: Neighborhood, _ settings: SimulationSettings) {
    self.person = person
    self.area = area
    self.settings = settings
    random = SplitMix64.stream(settings.seed, 2, person.number, day)
    let date = CivilDate(daysSinceEpoch: settings.firstDate.daysSinceEpoch + day)
    midnight = Int(settings.zone.instant(of: date, minuteOfDay: 0).milliseconds / 1_000)
    start = midnight + 6 * 3_600 + random.integer(0...1_800)
    now = start
    at = person.home
    street = person.homeStreet
    live()
  }

  var end: Int { now }

  // MARK: The plan

  private mutating func live() {
    switch person.kind {
    case .commuter, .cyclist: work()
    case .walker: walk()
    case .courier: deliver()
    case .home: errandsFromHome()
    }
    evening()
    if now < minute(Self.bedtime) { stay(.home, until: minute(Self.bedtime), isIndoors: true) }
  }

  private func minute(_ minuteOfDay: Int) -> Int { midnight + minuteOfDay * 60 }

  private mutating func atHome(until second: Int) {
    stay(.home, until: max(second, now + 300), isIndoors: true)
  }

  private mutating func work() {
    guard let office = person.work, let officeStreet = person.workStreet else { return }
    let mode = person.kind.mode
    atHome(until: minute(random.integer(430...520)))
    if random.chance(0.15) { errand(mode) }
    travel(to: officeStreet, mode)
    step(to: office)
    let leave = minute(random.integer(16 * 60...18 * 60))
    if random.chance(0.25) {
      stay(.work, until: minute(random.integer(11 * 60 + 30...13 * 60)), isIndoors: true)
      step(to: area.streets.points[officeStreet])
      lunch()
      travel(to: officeStreet, .foot)
      step(to: office)
    }
    stay(.work, until: max(leave, now + 1_800), isIndoors: true)
    step(to: area.streets.points[officeStreet])
    street = officeStreet
    for _ in 0..<random.pick(weights: [25, 45, 30]) { errand(mode) }
    goHome(mode)
  }

  private mutating func lunch() {
    let near = area.shops(within: 600, of: at)
    guard !near.isEmpty else { return }
    visit(near[random.integer(0...min(near.count, 5) - 1)], by: .foot)
  }

  private mutating func walk() {
    for hour in [10, 14, 17] {
      atHome(until: minute(hour * 60 + random.integer(0...70)))
      for _ in 0..<random.integer(1...2) { errand(.foot, within: 1_800) }
      goHome(.foot)
    }
  }

  private mutating func deliver() {
    atHome(until: minute(random.integer(7 * 60 + 30...8 * 60 + 30)))
    let round = area.streets.places(within: 4_000, of: at, by: .car)
    for number in 0..<random.integer(10...20) where !round.isEmpty && now < minute(17 * 60) {
      if number % 8 == 5 { errand(.car) }
      travel(to: round[random.integer(0...round.count - 1)], .car)
      let door = at.offset(random.uniform(-18...18), random.uniform(8...18))
      let curb = at
      step(to: door)
      stay(.address, until: now + random.integer(60...300), isIndoors: random.chance(0.5))
      step(to: curb)
    }
    goHome(.car)
  }

  private mutating func errandsFromHome() {
    for hour in [10, 15].prefix(random.integer(1...2)) {
      atHome(until: minute(hour * 60 + random.integer(0...90)))
      for _ in 0..<random.integer(1...2) { errand(.car) }
      goHome(.car)
    }
  }

  private mutating func evening() {
    guard person.kind.mode == .car, now < minute(20 * 60) else { return }
    atHome(until: max(minute(18 * 60 + 30 + random.integer(0...75)), now + 600))
    if random.chance(0.2) { errand(.car) }
    if random.chance(0.35) {
      // A drive past places, without a visit to any.
      let around = area.streets.places(within: 3_500, of: at, by: .car)
      for _ in 0..<2 where !around.isEmpty {
        travel(to: around[random.integer(0...around.count - 1)], .car)
        curbWait()
      }
    }
    goHome(.car)
  }

  private mutating func goHome(_ mode: TravelMode) {
    travel(to: person.homeStreet, mode)
    step(to: person.home)
    street = person.homeStreet
  }

  // MARK: Errands

  /// Sees to something at a place of any category, perhaps next door as well.
  private mutating func errand(_ mode: TravelMode, within meters: Double = .infinity) {
    let category = area.categories[random.integer(0...area.categories.count - 1)]
    let candidates = area.nearest(category, to: at, count: 8)
      .filter { area.shops[$0].point.distanceMeters(to: at) < meters }
    guard !candidates.isEmpty else { return }
    let weights = candidates.indices.map { 1 / Double($0 + 1) }
    if random.chance(0.2) { curbWait(onWayTo: candidates[0], mode) }
    let shop = candidates[random.pick(weights: weights)]
    visit(shop, by: mode)
    if random.chance(0.2) {
      let next = area.shops(within: 150, of: area.shops[shop].point)
        .first { $0 != shop && area.shops[$0].category != area.shops[shop].category }
      if let next { visit(next, by: .foot) }
    }
    if random.chance(0.05) {
      let way = area.streets.places(within: 900, of: at, by: mode)
      if !way.isEmpty { travel(to: way[random.integer(0...way.count - 1)], mode) }
      visit(shop, by: mode)
    }
  }

  /// Waits in the car some way before a place without going in.
  private mutating func curbWait(onWayTo shop: Int? = nil, _ mode: TravelMode = .car) {
    guard mode == .car else { return }
    let shop = shop ?? area.shops(within: 500, of: at).first
    guard let shop else { return }
    let curbs = area.streets.places(within: 90, of: area.shops[shop].point, by: .car)
      .filter { area.streets.points[$0].distanceMeters(to: area.shops[shop].point) >= 25 }
    guard !curbs.isEmpty else { return }
    travel(to: curbs[random.integer(0...curbs.count - 1)], .car)
    stay(.curbWait, until: now + random.integer(60...720), isIndoors: false)
  }

  private mutating func visit(_ index: Int, by mode: TravelMode) {
    let shop = area.shops[index]
    guard let curb = area.streets.nearest(to: shop.point, by: mode) else { return }
    travel(to: curb, mode)
    let entry = area.streets.points[curb]
    let isFuel = shop.category.name == "gas_station"
    let spot = stop(at: shop, from: entry, isFuel: isFuel)
    let drivesThrough =
      mode == .car && ["bank", "pharmacy"].contains(shop.category.name) && random.chance(0.2)
    if mode == .car, !isFuel, !drivesThrough {
      let parking = spot.toward(entry, meters: random.uniform(12...60))
      drive(to: parking)
      stay(.parking, until: now + random.integer(5...40), isIndoors: false)
      step(to: spot)
      dwell(shop, index, mode, isIndoors: true)
      step(to: parking)
      stay(.parking, until: now + random.integer(8...40), isIndoors: false)
      drive(to: entry)
    } else if mode == .car {
      drive(to: spot)
      dwell(shop, index, mode, isIndoors: false)
      drive(to: entry)
    } else {
      step(to: spot)
      dwell(shop, index, mode, isIndoors: !isFuel)
      step(to: entry)
    }
    street = curb
  }

  /// Where one stops: not at the place's point.
  private mutating func stop(
    at shop: Neighborhood.Shop,
    from entry: PlanePoint,
    isFuel: Bool
  ) -> PlanePoint {
    let median = settings.stopOffsetMeters
    let meters =
      isFuel
      ? random.uniform(4...25) * median / 11
      : min(max(random.logNormal(median: median, spread: 0.6), 2), 40 * max(1, median / 11))
    let (x, y) = (random.normal(), random.normal())
    let length = max((x * x + y * y).squareRoot(), 0.1)
    return shop.point.offset(x / length * meters, y / length * meters)
  }

  private mutating func dwell(
    _ shop: Neighborhood.Shop,
    _ index: Int,
    _ mode: TravelMode,
    isIndoors: Bool
  ) {
    let minutes =
      switch shop.category.name {
      case "gas_station": random.uniform(3...7)
      case "grocery": random.logNormal(median: 18, spread: 0.5)
      case "post_office": random.logNormal(median: 8, spread: 0.5)
      case "pharmacy": random.logNormal(median: 7, spread: 0.5)
      default: random.logNormal(median: 6.5, spread: 0.5)
      }
    let seconds = Int(min(max(minutes, 1), 75) * 60)
    let wander = isIndoors && shop.category.name == "grocery" ? 17.0 : 0
    stay(.poi, until: now + seconds, isIndoors: isIndoors, shop: index, mode: mode, wander: wander)
  }

  // MARK: Being somewhere, and going elsewhere

  private mutating func stay(
    _ kind: PersonState,
    until second: Int,
    isIndoors: Bool,
    shop: Int? = nil,
    mode: TravelMode? = nil,
    wander: Double = 0
  ) {
    guard second > now else { return }
    let arrival = now
    let middle = at
    while now < second {
      let seconds = wander > 0 ? min(second - now, random.integer(20...60)) : second - now
      if wander > 0 {
        at = middle.offset(
          random.uniform(-wander...wander) * 0.7,
          random.uniform(-wander...wander) * 0.7
        )
      }
      moments.append(
        Moment(
          second: now,
          seconds: seconds,
          point: at,
          metersPerSecond: 0,
          courseDegrees: 0,
          state: kind,
          isIndoors: isIndoors
        )
      )
      now += seconds
    }
    at = middle
    stays.append(
      Stay(
        kind: kind,
        shop: shop,
        point: middle,
        isIndoors: isIndoors,
        mode: mode ?? person.kind.mode,
        arrival: arrival,
        departure: now
      )
    )
  }

  /// The last steps on foot, to a door or from it.
  private mutating func step(to point: PlanePoint) {
    var path = TravelPath(from: at, .foot)
    path.go(to: point, 1.35 * person.pace)
    go(path, isTrip: false)
    at = point
  }

  /// Across a car park.
  private mutating func drive(to point: PlanePoint) {
    var path = TravelPath(from: at, .car)
    path.go(to: point, 4)
    go(path, isTrip: false)
    at = point
  }

  private mutating func travel(to goal: Int, _ mode: TravelMode) {
    let streets = area.streets
    let from =
      streets.isReachable(street, by: mode) ? street : streets.nearest(to: at, by: mode) ?? street
    guard streets.points[from].distanceMeters(to: at) < 400,
      let steps = streets.route(from: from, to: goal, by: mode)
    else { return }
    var path = TravelPath(from: at, mode)
    let walking = 1.35 * person.pace
    let cycling = 4.8 * person.pace
    // From the door to the street.
    path.go(to: streets.points[from], mode == .car ? 4 : walking)
    let jam =
      mode == .car && random.chance(0.06) ? random.integer(0...max(1, steps.count - 1)) : nil
    var sinceSignal = Double.infinity
    for (number, step) in steps.enumerated().dropFirst() {
      let speed =
        switch mode {
        case .car: step.kind.drivenMetersPerSecond * person.pace
        case .bike: cycling
        case .foot: walking
        }
      let point = streets.points[step.place]
      sinceSignal += point.distanceMeters(to: path.points[path.points.count - 1])
      path.go(to: point, speed, isTunnel: step.isTunnel)
      guard number < steps.count - 1 else { continue }
      if hasLight(step.place), sinceSignal > 40 {
        sinceSignal = 0
        // Half of the lights are red; on foot the wait is a little shorter.
        if random.chance(mode == .car ? 0.5 : 0.35) {
          path.wait(random.integer(mode == .foot ? 2...45 : Self.redLightSeconds), "signal")
        }
      } else if mode == .car, step.kind == .residential,
        streets.pieces(from: step.place).count >= 3,
        random.chance(0.12)
      {
        path.wait(random.integer(3...5), "stop_sign")
      } else if number == jam {
        path.wait(random.integer(60...300), "jam")
      }
    }
    go(path, isTrip: true)
    at = streets.points[goal]
    street = goal
  }

  private func hasLight(_ place: Int) -> Bool {
    area.streets.knowsSignals ? area.streets.hasSignal(place) : area.streets.isCrossing(place)
  }

  private mutating func go(_ path: TravelPath, isTrip: Bool) {
    let (moved, stops) = path.moments(from: now)
    guard let last = moved.last else { return }
    let departure = now
    moments += moved
    now = last.second + last.seconds
    guard isTrip else { return }
    let mode = TravelMode(rawValue: path.state.rawValue) ?? .car
    trips.append(
      Trip(
        mode: mode,
        departure: departure,
        arrival: now,
        meters: path.meters,
        stops: stops.map { ($0.stop.kind, $0.second, $0.stop.seconds, path.points[$0.stop.index]) }
      )
    )
  }
}
