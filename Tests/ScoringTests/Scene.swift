import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import Timeline
import Traces

/// A day on a straight road that leads east, drawn stop by stop: distances are meters along it.
///
/// The truth is exact, and the trace repeats it every five seconds in motion and every minute at
/// rest, unless a test spoils it.
struct Scene {
  static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 39.3, longitude: -76.6))
  /// Noon on a winter's day.
  static let noon = Timestamp(seconds: 1_767_614_400)

  private(set) var now = Scene.noon
  private var at = -5_000.0
  private var rows: [TruePath.Row] = []
  private var visits: [DayTruth.Visit] = []
  private var stays: [DayTruth.Stay] = []
  private var trips: [DayTruth.Trip] = []
  private var decoys: [Encounter] = []
  let shops: [PointOfInterest]

  /// Shops along the road: where, and what they are.
  init(_ shops: [(meters: Double, category: String)]) {
    self.shops = shops.enumerated()
      .map { i, shop in
        PointOfInterest(
          sourceID: "node/\(i + 1)",
          categories: [CategoryID(shop.category)],
          name: "\(shop.category) \(i + 1)",
          coordinate: Self.spot(shop.meters)
        )
      }
    // Ten minutes at home, so that no ladder begins unknown.
    stay("home", minutes: 10)
  }

  static func spot(_ east: Double, _ north: Double = 0) -> Coordinate {
    plane.coordinate(eastMeters: east, northMeters: north)
  }

  // MARK: Living

  mutating func drive(to meters: Double, metersPerSecond: Double = 10, _ mode: String = "car") {
    let start = now
    let step = metersPerSecond * (meters > at ? 1 : -1)
    while abs(meters - at) > metersPerSecond {
      at += step
      row(speed: metersPerSecond)
      now = now + .seconds(1)
    }
    at = meters
    trips.append(DayTruth.Trip(mode: mode, depart: start, arrive: now))
  }

  /// Stays at a shop, by its number from 1.
  mutating func visit(_ shop: Int, minutes: Double) {
    let poi = shops[shop - 1]
    let start = now
    stay("poi", minutes: minutes)
    visits.append(
      DayTruth.Visit(
        poi: poi.sourceID,
        category: poi.categories[0],
        coordinate: poi.coordinate,
        arrive: start,
        leave: now,
        mode: trips.last?.mode ?? "none"
      )
    )
  }

  /// Waits at the curb beside a shop.
  mutating func wait(beside shop: Int, minutes: Double) {
    let start = now
    stay("kerb_wait", minutes: minutes)
    let poi = shops[shop - 1]
    decoys.append(
      Encounter(
        kind: .decoy,
        poi: poi.sourceID,
        category: poi.categories[0],
        from: start,
        to: now
      )
    )
  }

  mutating func stay(_ kind: String, minutes: Double) {
    let start = now
    let end = now + Milliseconds(Int64(minutes * 60_000))
    while now < end {
      row(speed: 0)
      now = min(end, now + .seconds(10))
    }
    stays.append(
      DayTruth.Stay(kind: kind, coordinate: Self.spot(at), arrive: start, leave: end)
    )
  }

  private mutating func row(speed: Double) {
    guard rows.last.map({ $0.at < now }) ?? true else { return }
    rows.append(TruePath.Row(at: now, coordinate: Self.spot(at), speedMetersPerSecond: speed))
  }

  // MARK: The day

  /// The day as it was lived, with the trace that a phone without error records, spoiled by `spoil`:
  /// nil takes a fix away.
  func day(
    id: String = "day",
    person: Person? = nil,
    truthOfVisits: [DayTruth.Visit]? = nil,
    knowsStays: Bool = true,
    spoil: (Fix) -> Fix? = { $0 }
  ) throws -> PersonDay {
    let truth = try DayTruth(
      id: id,
      person: "p1",
      start: Self.noon,
      end: now,
      noise: "none",
      sampling: "5s",
      home: Self.spot(-5_000),
      visits: truthOfVisits ?? visits,
      encounters: decoys + encounters,
      stays: knowsStays ? stays : nil,
      trips: trips
    )
    let path = try TruePath(rows)
    var fixes: [Fix] = []
    var next = Self.noon
    for row in rows where row.at >= next {
      next = row.at + (row.speedMetersPerSecond > 0 ? .seconds(5) : .seconds(60))
      let fix = Fix(
        at: row.at,
        coordinate: row.coordinate,
        horizontalAccuracyMeters: 10,
        speedMetersPerSecond: row.speedMetersPerSecond
      )
      if let spoiled = spoil(fix) { fixes.append(spoiled) }
    }
    return try PersonDay(
      truth: truth,
      path: path,
      fixes: fixes,
      person: person ?? Self.person(truth)
    )
  }

  static func person(_ truth: DayTruth) -> Person {
    Person(standardFor: truth, zone: .utc)
  }

  /// Somebody with a reminder for pharmacies only.
  static func person(
    muted: Bool = false,
    actions: [ReplayAction] = []
  ) -> Person {
    Person(
      zone: .utc,
      places: [],
      reminders: [
        Reminder(
          id: "pharmacy",
          title: "do it",
          target: .category(CategoryID("pharmacy")),
          isMuted: muted
        )
      ],
      actions: actions
    )
  }

  /// Every time that the path came within 100 m of a shop outside a visit to it.
  private var encounters: [Encounter] {
    shops.flatMap { shop in
      var found: [Encounter] = []
      var run: (from: Timestamp, to: Timestamp)?
      func close() {
        defer { run = nil }
        guard let run else { return }
        let isVisit = visits.contains {
          $0.poi == shop.sourceID && $0.arrive <= run.to && $0.leave >= run.from
        }
        let isDecoy = decoys.contains {
          $0.poi == shop.sourceID && $0.from <= run.to && $0.to >= run.from
        }
        guard !isVisit, !isDecoy else { return }
        let isStay = stays.contains { $0.arrive <= run.to && $0.leave >= run.from }
        found.append(
          Encounter(
            kind: isStay ? .nearStay : .driveBy,
            poi: shop.sourceID,
            category: shop.categories[0],
            from: run.from,
            to: run.to
          )
        )
      }
      for row in rows {
        if row.coordinate.distanceMeters(to: shop.coordinate) <= 100 {
          run = (run?.from ?? row.at, row.at)
        } else {
          close()
        }
      }
      close()
      return found
    }
  }

  // MARK: Scoring

  func setup(
    _ service: LocationService = .stream,
    shops: [PointOfInterest]? = nil,
    _ change: (inout Policy) -> Void = { _ in }
  ) -> ReplaySetup {
    var policy = Policy.measuring
    change(&policy)
    return ReplaySetup(
      policy: policy,
      catalog: POICatalog(shops ?? self.shops),
      service: service
    )
  }
}

extension Policy {
  /// Rings of so many meters around points, and a time to hold.
  mutating func arriveWithin(_ meters: Double, hold: Milliseconds) {
    tiers.arrivalRadiusMeters = meters
    fencing.arrivalBeyondFootprintMeters = 0
    fencing.arrivalHold = hold
    fencing.slowSpeedMetersPerSecond = 1_000
  }
}

extension DayScore {
  /// The causes of everything of a kind, in order of time.
  func causes(_ subject: LedgerEntry.Subject) -> [Cause] {
    ledger.filter { $0.subject == subject }.sorted { $0.at < $1.at }.map(\.cause)
  }

  var all: Tally { tallies[.all] ?? Tally() }
}
