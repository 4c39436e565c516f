import Basics
import CacheBuilder
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import TraceFiles
import Traces

/// All points of a file as columns.
func readColumns(_ path: String) throws -> FixColumns {
  let all = FixColumns()
  let reader = try TraceReader(path: path)
  while true {
    let columns = try reader.nextColumns()
    if columns.pointCount == 0 { return all }
    all.append(contentsOf: columns)
  }
}

/// Prints what a file adds up to, as the other readers do.
func printSums(gpx path: String) throws {
  let reader = try TraceReader(path: path)
  var points = 0
  var (latitudes, longitudes) = (0.0, 0.0)
  var milliseconds: Int64 = 0
  while true {
    let columns = try reader.nextColumns()
    if columns.pointCount == 0 { break }
    points += columns.count
    for row in 0..<columns.count {
      latitudes += columns.rows.latitude[row]
      longitudes += columns.rows.longitude[row]
      milliseconds += columns.rows.at[row]
    }
  }
  print(
    "\(points) points, latitudes \(fixed(latitudes, 6)), longitudes \(fixed(longitudes, 6)), "
      + "seconds \(milliseconds / 1_000)"
  )
}

/// Some traces with the world in which they are replayed; each begins anew.
struct ReplayLoad {
  let name: String
  let catalog: POICatalog
  let reminders: [Reminder]
  /// One for each trace.
  var days: [(columns: FixColumns, places: [Place])]

  var fixCount: Int { days.reduce(0) { $0 + $1.columns.count } }

  /// One fresh session for each trace.
  func sessions(_ service: ReplayedService) throws -> [ReplaySession] {
    try days.map { day in
      try service.session(for: Person(places: day.places, reminders: reminders), catalog)
    }
  }

  /// Measures a replay from memory.
  ///
  /// - Returns: the summaries.
  @discardableResult
  func measureMemory(_ service: ReplayedService) throws -> [ReplaySummary] {
    let fresh = try sessions(service)
    var last = fresh
    let figure = try measure(
      "memory to notifications, \(service.rawValue)",
      size: "\(fixCount) fixes, \(name)",
      work: Double(fixCount),
      unit: "fixes"
    ) {
      last = fresh
      for i in last.indices {
        try last[i].consume(days[i].columns) { lines, _ in keep(lines) }
        keep(try last[i].finish())
      }
    }
    func sum(_ count: (ReplaySession) -> Int) -> Int { last.reduce(0) { $0 + count($1) } }
    let share = Double(sum(\.exactFixes)) / Double(fixCount) * 100
    report(
      figure,
      note: "\(fixed(share, 2)) % one by one, \(sum { $0.engine.effort.evaluations }) evaluations, "
        + "\(sum { $0.summary.rises + $0.summary.falls }) changes, "
        + "\(sum { $0.summary.wakeCount }) wakes, \(sum { $0.summary.notificationCount }) told"
    )
    return last.map(\.summary)
  }
}

/// The services that a file is replayed with, by the names of the rows: with the policy that ships, and a
/// stream in which a plain radius decides.
enum ReplayedService: String, CaseIterable {
  case stream, ios, ideal, radius

  /// A session before the first fix.
  func session(for person: Person, _ catalog: POICatalog) throws -> ReplaySession {
    let name = LocationService.Name(rawValue: rawValue) ?? .stream
    let policy = self == .radius ? .measuring : name.policy
    return try ReplaySetup(
      policy: policy,
      catalog: catalog,
      service: name.service(slots: policy.monitor.slots)
    )
    .session(for: person)
  }
}

/// Replays a file, from memory and from the file, as `make bench` and a profiler want it.
///
/// - Parameter only: the one to take; nil for each of them.
func measureReplay(gpx path: String, only: ReplayedService? = nil) throws {
  let world = World(points: 10_000)
  let load = ReplayLoad(
    name: "10,000 POIs, \(world.reminders.count) reminders",
    catalog: POICatalog(world.pois),
    reminders: world.reminders,
    days: [(try readColumns(path), world.places)]
  )
  let far = ReplayLoad(
    name: "nothing near",
    catalog: POICatalog(world.pois.map(\.moved)),
    reminders: world.reminders.filter { if case .category = $0.target { true } else { false } },
    days: [(load.days[0].columns, [])]
  )
  for service in ReplayedService.allCases where only ?? service == service {
    let expected = try load.measureMemory(service)
    try far.measureMemory(service)
    report(
      try measure(
        "GPX file to notifications, \(service.rawValue)",
        size: "\(load.fixCount) fixes",
        work: Double(load.fixCount),
        unit: "fixes"
      ) {
        for var session in try load.sessions(service) {
          let reader = try TraceReader(path: path)
          while true {
            let columns = try reader.nextColumns()
            if columns.pointCount == 0 { break }
            try session.consume(columns) { lines, _ in keep(lines) }
          }
          keep(try session.finish())
          precondition([session.summary] == expected, "file and memory differ")
        }
      }
    )
  }
}

extension PointOfInterest {
  /// The same on the other side of the earth.
  fileprivate var moved: PointOfInterest {
    PointOfInterest(
      sourceID: sourceID,
      categories: categories,
      name: name,
      coordinate: Coordinate(
        uncheckedLatitude: -coordinate.latitude,
        longitude: coordinate.longitude + 180
      )
    )
  }
}

/// Replays the person-days of the corpus with a fix a second, and a real drive, with the places of
/// their towns.
///
/// - Parameter only: the service to take; nil for each of them.
func measureRealReplays(data: URL, only: ReplayedService? = nil) throws {
  let corpus = data.appendingPathComponent("corpus-dev")
  let index = try String(
    contentsOf: corpus.appendingPathComponent("index.csv"),
    encoding: .utf8
  )
  var load = ReplayLoad(
    name: "days in Baltimore",
    catalog: try catalog(data.appendingPathComponent("osm/us-baltimore.osm.pbf")),
    reminders: World(points: 5).reminders,
    days: []
  )
  for row in index.split(whereSeparator: \.isNewline).map({ $0.split(separator: ",") })
  where row.count > 6 && row[6] == "1hz" {
    let places = try homeAndWork(corpus.appendingPathComponent("\(row[0]).truth.json"))
    guard places.count == 2 else { continue }
    let path = corpus.appendingPathComponent("\(row[0]).gpx.gz").path
    load.days.append((try readColumns(path), places))
  }
  for service in ReplayedService.allCases where only ?? service == service {
    try load.measureMemory(service)
  }

  let drive = data.appendingPathComponent(
    "traces-real/us-seattle-newson-krumm/seattle-drive.gpx"
  )
  let seattle = ReplayLoad(
    name: "a drive in Seattle",
    catalog: try catalog(data.appendingPathComponent("osm/us-seattle-university.osm.gz")),
    reminders: World(points: 5).reminders
      .filter { if case .category = $0.target { true } else { false } },
    days: [(try readColumns(drive.path), [])]
  )
  for service in [ReplayedService.stream, .ios, .ideal] where only ?? service == service {
    try seattle.measureMemory(service)
  }
}

func catalog(_ extract: URL) throws -> POICatalog {
  POICatalog(try importPlaces(path: extract.path, rules: .standard).places)
}

/// Home and work of a person-day, by its truth; who works nowhere works at home.
func homeAndWork(_ truth: URL) throws -> [Place] {
  struct Truth: Decodable {
    struct Spot: Decodable {
      let lat: Double
      let lon: Double

      var coordinate: Coordinate { Coordinate(uncheckedLatitude: lat, longitude: lon) }
    }
    let home: Spot?
    let work: Spot?
  }
  let truth = try JSONDecoder().decode(Truth.self, from: Data(contentsOf: truth))
  return Person(
    home: truth.home?.coordinate,
    work: (truth.work ?? truth.home)?.coordinate,
    categories: []
  )
  .places
}
