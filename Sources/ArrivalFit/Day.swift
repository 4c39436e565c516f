import Foundation
import Geodesy
import Places
import Replay
import Timeline
import TraceFiles
import Traces

/// A person-day: what the phone saw, and what was true.
struct Day: Sendable {
  let id: String
  let person: String
  let sampling: String
  let speed: String
  let fixes: [Fix]
  let points: [SurfacePoint]
  let catalog: POICatalog
  let truth: Truth
  /// With home and work, which `nearme score` knows, too.
  let owner: Person
  /// What the app is given of the fixes; all of them where it does not sleep.
  var steps: [Step] = []

  var places: [Place] { owner.places }
}

/// A position that the detector is given.
struct Step: Sendable {
  let fix: Fix
  let point: SurfacePoint
  /// Up to when the silence since the position before was looked at, where the app slept; nil where it
  /// has been awake.
  var awakeUntil: Timestamp?

  /// Whether the app slept before it came.
  var isAfterSleep: Bool { awakeUntil != nil }
}

/// What is read of a truth file.
struct Truth: Decodable, Sendable {
  struct Spot: Decodable, Sendable {
    var lat: Double
    var lon: Double
  }
  struct Sampling: Decodable, Sendable { var name: String }
  struct Noise: Decodable, Sendable { var speed: String }
  struct Visit: Decodable, Sendable {
    var place_id: String
    var category: String
    var mode_in: String
    var indoor: Bool
    var arrive_utc: Instant
    var leave_utc: Instant
  }
  struct DriveBy: Decodable, Sendable {
    var place_id: String
    var category: String
    var within_100m_from_utc: Instant
    var within_100m_to_utc: Instant
  }
  struct NearStay: Decodable, Sendable {
    var place_id: String
    var category: String
    var within_100m_from_utc: Instant
    var within_100m_to_utc: Instant
    var stay_kind: String
  }
  struct Decoy: Decodable, Sendable {
    var near_place_id: String
    var category: String
    var arrive_utc: Instant
    var leave_utc: Instant
  }
  struct Stay: Decodable, Sendable {
    var kind: String
    var place_id: String?
    var arrive_utc: Instant
    var leave_utc: Instant
  }

  var id: String
  var person: String
  var city: String
  var home: Spot?
  var work: Spot?
  var sampling: Sampling
  var noise: Noise
  var visits: [Visit]
  var drive_bys: [DriveBy]
  var near_stays: [NearStay]
  var decoy_stops: [Decoy]
  var stays: [Stay]
}

/// An instant written as RFC 3339.
struct Instant: Decodable, Sendable {
  let at: Timestamp

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let at = RFC3339.parse(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is not an instant such as 2025-11-05T11:28:24Z"
      )
    }
    self.at = at
  }
}

/// Reads every day of a corpus folder, in order of their names.
func readDays(in folder: String, catalog: POICatalog) throws -> [Day] {
  let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    .filter { $0.hasSuffix(".truth.json") }
    .sorted()
  return try names.map { name in
    let stem = String(name.dropLast(".truth.json".count))
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
    let truth = try JSONDecoder().decode(Truth.self, from: data)
    var gate = FixGate()
    var fixes: [Fix] = []
    var points: [SurfacePoint] = []
    for fix in try TraceReader.fixes(path: "\(folder)/\(stem).gpx.gz") {
      let point = SurfacePoint(fix.coordinate)
      if gate.refuse(fix, at: point, FixGateSettings()) == nil {
        fixes.append(fix)
        points.append(point)
      }
    }
    return Day(
      id: stem,
      person: truth.city + "/" + truth.person,
      sampling: truth.sampling.name,
      speed: truth.noise.speed,
      fixes: fixes,
      points: points,
      catalog: catalog,
      truth: truth,
      owner: Person(
        home: try truth.home.map { try Coordinate(latitude: $0.lat, longitude: $0.lon) },
        work: try truth.work.map { try Coordinate(latitude: $0.lat, longitude: $0.lon) },
        categories: catalog.categories
      ),
      steps: zip(fixes, points).map { Step(fix: $0, point: $1) }
    )
  }
}
