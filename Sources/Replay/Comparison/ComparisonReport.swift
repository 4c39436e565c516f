import OutputLines
import Fencing
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

/// A comparison as data: the table, and a drive on which another strategy misses what ours does not.
public struct ComparisonReport: Hashable, Sendable, Codable {
  /// One strategy on one phone with so many regions.
  public struct Row: Hashable, Sendable, Codable {
    /// The name of the location service.
    public let monitor: String
    /// How regions were chosen.
    public let strategy: RegionStrategy
    /// Whether that is how we choose them.
    public let isOurs: Bool
    /// How many there were; nil where there is no limit.
    public let slots: Int?
    /// Transitions of an engine that sees every fix.
    public let expected: Int
    /// Of these, those that came nearer.
    public let expectedEnters: Int
    /// Expected and not found.
    public let missed: Int
    /// Of these, those that came nearer.
    public let missedEnters: Int
    /// Found and not expected.
    public let spurious: Int
    /// How late half of the found ones are at most, and 95 %, in seconds.
    public let lateSeconds: [Double]
    /// How far the phone had gone on then, in meters.
    public let lateMeters: [Double]
    /// Wakes by the location service in an hour.
    public let wakesPerHour: Double
    /// Wakes by the location service for each expected change of level.
    public let wakesPerChange: Double
    /// Regions started in an hour.
    public let registrationsPerHour: Double
    /// The most regions at once.
    public let heldMost: Int
    /// For how long some boundary could have been crossed without a wake.
    public let minutesAtRisk: Double

    init(_ row: ComparisonTable.Row) {
      monitor = row.monitor
      strategy = row.strategy
      isOurs = row.strategy == .safeRegion
      slots = row.slots
      expected = row.tally.expected
      expectedEnters = row.tally.expectedEnters
      missed = row.tally.missed
      missedEnters = row.tally.missedEnters
      spurious = row.tally.spurious
      lateSeconds = [0.5, 0.95].map { row.tally.lateSeconds($0) }
      lateMeters = [0.5, 0.95].map { row.tally.lateMeters($0) }
      wakesPerHour = row.tally.wakesPerHour
      wakesPerChange = row.tally.wakesPerChange
      registrationsPerHour = row.tally.registrationsPerHour
      heldMost = row.tally.heldMost
      minutesAtRisk = row.tally.atRisk.seconds / 60
    }
  }

  /// A transition that a rival missed and ours found, with what both watched just before.
  public struct Drive: Hashable, Sendable, Codable {
    /// A strategy with the regions that it watched.
    public struct Watch: Hashable, Sendable, Codable {
      /// How regions are chosen.
      public let strategy: RegionStrategy
      /// How many there were.
      public let regionCount: Int
      /// The regions around the phone.
      public let map: DriveMap
    }

    /// The name of the trace.
    public let trace: String
    /// When the boundary was crossed, as RFC 3339.
    public let at: String
    /// The name of the location service.
    public let monitor: String
    /// How many regions there were.
    public let slots: Int
    /// The tier that was missed.
    public let tier: String
    /// Whose.
    public let reminder: String
    /// Of which point.
    public let poi: String?
    /// The circle that was crossed: the radius around the target.
    public let boundaryMeters: Double
    /// What missed it.
    public let rival: Watch
    /// What found it.
    public let ours: Watch
    /// A link to the page of the day, with our regions; nil where there is none.
    public var page: String?
  }

  /// What was compared, in a line.
  public let summary: String
  /// The rows, those of a location service together.
  public let rows: [Row]
  /// What the columns mean.
  public let legend: String
  /// How often another strategy missed what ours found, on the same phone with as many regions; nil
  /// where ours was compared with no other.
  public let missedByOthers: Int?
  /// How many of those were looked at for a drive to show.
  public let lookedAt: Int
  /// The drive; nil where none of those that were looked at shows in the regions why it was missed.
  public var drive: Drive?
}

extension ComparisonReport {
  /// At most so many misses are looked at for one to draw.
  private static let mostTried = 40

  /// Makes a report.
  ///
  /// - Parameter people: the names of the traces, and who made them.
  /// - Parameter outcomes: what came of each.
  /// - Parameter fixes: reads a trace again, by its number.
  /// - Complexity: two replays for each miss that is looked at.
  public init(
    _ table: ComparisonTable,
    of comparison: Comparison,
    people: [(trace: String, person: Person)],
    outcomes: [Comparison.Outcome],
    fixes: (Int) throws -> [Fix]
  ) throws {
    let misses = Miss.all(comparison, outcomes)
    var drive: Drive?
    var lookedAt = 0
    var read: (number: Int, fixes: [Fix])?
    for miss in misses ?? [] where miss.record.kind == .enter && drive == nil {
      guard lookedAt < Self.mostTried else { break }
      lookedAt += 1
      if read?.number != miss.trace { read = (miss.trace, try fixes(miss.trace)) }
      let (trace, person) = people[miss.trace]
      drive = try Drive(
        miss,
        of: comparison,
        trace: trace,
        person: person,
        fixes: read?.fixes ?? []
      )
    }
    summary = table.summary
    rows = table.rows.map(Row.init)
    legend = table.legend
    missedByOthers = misses?.count
    self.lookedAt = lookedAt
    self.drive = drive
  }
}

/// A transition that a rival missed and ours found on the same phone with as many regions.
private struct Miss {
  let rival: Comparison.Service
  let ours: Comparison.Service
  let trace: Int
  let record: TransitionRecord

  /// The clearest first: with 20 regions, by the strategy that comes nearest to ours, an arrival before
  /// an approach.
  ///
  /// - Returns: nil where ours was compared with no other.
  static func all(_ comparison: Comparison, _ outcomes: [Comparison.Outcome]) -> [Miss]? {
    let services = comparison.services
    let strategies: [RegionStrategy] = [.nearestEdge, .nearestCenter, .serverBubble]
    let pairs = services.indices
      .compactMap { s -> (key: (Int, Int, Int), rival: Int, ours: Int)? in
        let service = services[s]
        guard let rank = strategies.firstIndex(of: service.strategy),
          let ours = services.firstIndex(where: {
            $0.strategy == .safeRegion && $0.name == service.name && $0.slots == service.slots
          })
        else { return nil }
        return ((service.slots == 20 ? 0 : 1, rank, s), s, ours)
      }
      .sorted { $0.key < $1.key }
    guard !pairs.isEmpty else { return nil }
    return pairs.flatMap { _, rival, ours in
      [true, false]
        .flatMap { isArrival in
          outcomes.enumerated()
            .flatMap { trace, outcome in
              let own = Set(outcome.missed[ours])
              return outcome.missed[rival]
                .filter { ($0.tier == .arrival) == isArrival && !own.contains($0) }
                .map {
                  Miss(rival: services[rival], ours: services[ours], trace: trace, record: $0)
                }
            }
        }
    }
  }
}

extension ComparisonReport.Drive {
  /// A miss, if it can be seen in the regions why it was one: the rival does not watch the boundary that
  /// is crossed, and ours does.
  fileprivate init?(
    _ miss: Miss,
    of comparison: Comparison,
    trace: String,
    person: Person,
    fixes: [Fix]
  ) throws {
    guard let boundary = Boundary(miss.record, comparison.setup(miss.ours), person) else {
      return nil
    }
    // An arrival has held for a while when it is one; the boundary was crossed before that.
    guard
      let entered = fixes.lastIndex(where: { $0.at <= miss.record.at && boundary.contains($0) }),
      let last = fixes[..<entered].lastIndex(where: { !boundary.contains($0) }),
      miss.record.at - fixes[last].at <= .minutes(3)
    else { return nil }
    let before = fixes[last]
    /// The regions that were watched just before it was crossed.
    func regions(_ service: Comparison.Service) throws -> [Region] {
      var session = try comparison.setup(service).session(for: person)
      var watched: [Region] = []
      for fix in fixes where fix.at <= before.at {
        for case .regions(let at, let change) in try session.consume(fix) where at <= before.at {
          watched.removeAll { change.stop.contains($0.id) }
          watched += change.start
        }
      }
      return watched
    }
    let theirs = try regions(miss.rival)
    guard !theirs.contains(where: boundary.isWatched) else { return nil }
    let own = try regions(miss.ours)
    guard own.contains(where: boundary.isWatched) else { return nil }

    let here = before.coordinate
    // The boundary and both circles, as far as they fit.
    var reach =
      here.distanceMeters(to: boundary.center) + min(boundary.radiusMeters, 2_000)
    for region in theirs + own where region.kind == .safe {
      reach = max(reach, here.distanceMeters(to: region.center) + min(region.radiusMeters, 3_000))
    }
    func watch(_ service: Comparison.Service, _ regions: [Region]) -> Watch {
      let map = DriveMap(middle: here, reachMeters: min(max(reach * 1.1, 600), 12_000)) { pen in
        let near = fixes.filter {
          $0.at >= before.at - .minutes(12) && $0.at <= miss.record.at + .minutes(4)
            && $0.horizontalAccuracyMeters <= 100
        }
        pen.addWay(near.map(\.coordinate), "way")
        // Below the circles: a region around just this boundary is what sees it.
        pen.addCircle(boundary.center, radiusMeters: boundary.radiusMeters, "boundary")
        for region in regions {
          pen.addCircle(region.center, radiusMeters: region.radiusMeters, region.kind.rawValue)
        }
        for point in comparison.catalog.points { pen.addSpot(point.coordinate, "poi") }
        for place in person.places { pen.addSpot(place.coordinate, "place") }
        pen.addSpot(here, "phone")
      }
      return Watch(strategy: service.strategy, regionCount: regions.count, map: map)
    }
    self.trace = trace
    at = RFC3339.format(miss.record.at)
    monitor = miss.rival.name.rawValue
    slots = miss.rival.slots ?? 0
    tier = miss.record.step.name
    reminder = miss.record.reminder
    poi = miss.record.poi
    boundaryMeters = boundary.radiusMeters
    rival = watch(miss.rival, theirs)
    ours = watch(miss.ours, own)
  }
}

/// The circle that was crossed.
private struct Boundary {
  let center: Coordinate
  let radiusMeters: Double
  /// So much larger may the circle be that a late service is asked for.
  let anticipationMeters: Double

  init?(_ missed: TransitionRecord, _ setup: ReplaySetup, _ person: Person) {
    guard let reminder = person.reminders.first(where: { $0.id == missed.reminder }) else {
      return nil
    }
    var footprintMeters = 0.0
    if let poi = missed.poi, let i = setup.catalog.index(ofSourceID: poi) {
      center = setup.catalog.points[i].coordinate
      footprintMeters = setup.catalog.points[i].footprintRadiusMeters
    } else if case .place(let id) = reminder.target,
      let place = person.places.first(where: { $0.id == id })
    {
      center = place.coordinate
    } else {
      return nil
    }
    if case .approach(let meters) = missed.tier {
      radiusMeters = meters
    } else if let shape = setup.rings(of: reminder, for: person),
      let discs = setup.policy.fencing.arrivalDiscs(shape)
    {
      radiusMeters = discs.meters(footprintMeters: footprintMeters)
    } else {
      return nil
    }
    anticipationMeters = setup.policy.monitor.anticipationMeters
  }

  func contains(_ fix: Fix) -> Bool {
    fix.coordinate.distanceMeters(to: center) <= radiusMeters
  }

  func isWatched(_ region: Region) -> Bool {
    region.kind == .enter && region.center.distanceMeters(to: center) < 1
      && (radiusMeters - 1...radiusMeters + anticipationMeters + 1).contains(region.radiusMeters)
  }
}
