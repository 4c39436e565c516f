import OutputLines
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

/// Replays every person-day of both development corpora with the policy that ships and prints a
/// checksum of all that was said and stored, one for each location service.
///
/// A change that is to change nothing prints what the commit before it prints.
///
/// - Parameter data: a folder of corpora and extracts.
func printFingerprints(data: URL) throws {
  let pairs = [("corpus-dev", "us-baltimore"), ("corpus-dev-wide", "us-virgin-islands")]
  let worlds = try pairs.map { corpus, map in
    (
      days: try personDays(data.appendingPathComponent(corpus)),
      catalog: POICatalog(
        try importPlaces(
          path: data.appendingPathComponent("osm/\(map).osm.pbf").path,
          rules: .standard
        )
        .places
      )
    )
  }
  for service in ["stream", "ideal", "ios", "android"] {
    var said = Fingerprint()
    var stored = Fingerprint()
    var counts = (days: 0, lines: 0, states: 0)
    for world in worlds {
      for day in world.days {
        try replay(day, service, world.catalog, &said, &stored, &counts)
        counts.days += 1
      }
    }
    print(
      "\(service): \(counts.days) days, \(counts.lines) lines \(said.text), "
        + "\(counts.states) states \(stored.text)"
    )
  }
}

private struct PersonTrace {
  let path: String
  let places: [Place]
}

private func personDays(_ corpus: URL) throws -> [PersonTrace] {
  struct Truth: Decodable {
    struct Spot: Decodable {
      let lat: Double
      let lon: Double
    }
    let home: Spot?
    let work: Spot?
  }
  let names = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
  return try names.filter { $0.hasSuffix(".truth.json") }.sorted()
    .map { name in
      let truth = try JSONDecoder()
        .decode(Truth.self, from: Data(contentsOf: corpus.appendingPathComponent(name)))
      let day = name.dropLast(".truth.json".count)
      let spots = [("home", PlaceKind.home, truth.home), ("work", .work, truth.work ?? truth.home)]
      return PersonTrace(
        path: corpus.appendingPathComponent("\(day).gpx.gz").path,
        places: spots.compactMap { id, kind, spot in
          spot.map {
            Place(
              id: id,
              name: id,
              kind: kind,
              coordinate: Coordinate(uncheckedLatitude: $0.lat, longitude: $0.lon)
            )
          }
        }
      )
    }
}

private func replay(
  _ day: PersonTrace,
  _ service: String,
  _ catalog: POICatalog,
  _ said: inout Fingerprint,
  _ stored: inout Fingerprint,
  _ counts: inout (days: Int, lines: Int, states: Int)
) throws {
  var policy = Policy()
  if service == "ios" { policy.monitor = .ios }
  if service == "android" { policy.monitor = .android }
  var engine = Engine(
    policy: policy,
    zone: .utc,
    catalog: catalog,
    monitoring: service == "stream" ? .everyFix : .regions(MonitorLimits(slots: 20))
  )
  let reminders = World(points: 5).reminders
    .filter { reminder in
      if case .place(let id) = reminder.target { day.places.contains { $0.id == id } } else { true }
    }
  try engine.load(places: day.places, reminders: reminders)
  let fresh = ReplaySession(
    engine: engine,
    twin: service == "ideal" ? IdealTwin(slots: 20) : nil,
    phone: service == "ios"
      ? PhoneTwin(.ios, seed: 1) : service == "android" ? PhoneTwin(.android, seed: 1) : nil
  )
  let columns = try readColumns(day.path)
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  func store(_ session: ReplaySession) throws {
    stored.add(try encoder.encode(session.engine.state))
    counts.states += 1
  }

  var session = fresh
  func note(_ lines: [ReplayLine]) {
    for line in lines { said.add(NDJSONFormat().text(line).utf8) }
    counts.lines += lines.count
  }
  try session.consume(columns) { lines, _ in note(lines) }
  note(try session.finish())
  try store(session)

  // Once more fix by fix, for the states on the way.
  session = fresh
  var batches = 0
  for row in 0..<columns.count where try !session.consume(columns.rows.fix(row)).isEmpty {
    batches += 1
    if batches % 8 == 0 { try store(session) }
  }
}

/// A checksum of many pieces in order: FNV-1a, 64 bits (isthe.com/chongo/tech/comp/fnv).
private struct Fingerprint {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
  }

  var text: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
