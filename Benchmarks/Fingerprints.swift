import Basics
import Foundation
import NearMeEngine
import OutputLines
import Places
import Replay
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
      catalog: try catalog(data.appendingPathComponent("osm/\(map).osm.pbf"))
    )
  }
  for service in [LocationService.Name.stream, .ideal, .ios, .android] {
    var said = FNV1a()
    var stored = FNV1a()
    var counts = (days: 0, lines: 0, states: 0)
    for world in worlds {
      for day in world.days {
        try replay(
          day,
          as: service,
          in: world.catalog,
          said: &said,
          stored: &stored,
          counts: &counts
        )
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
  let names = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
  let suffix = ".truth.json"
  return try names.filter { $0.hasSuffix(suffix) }.sorted()
    .map { name in
      PersonTrace(
        path: corpus.appendingPathComponent("\(name.dropLast(suffix.count)).gpx.gz").path,
        places: try homeAndWork(corpus.appendingPathComponent(name))
      )
    }
}

private func replay(
  _ day: PersonTrace,
  as service: LocationService.Name,
  in catalog: POICatalog,
  said: inout FNV1a,
  stored: inout FNV1a,
  counts: inout (days: Int, lines: Int, states: Int)
) throws {
  let reminders = World(points: 5).reminders
    .filter { reminder in
      if case .place(let id) = reminder.target { day.places.contains { $0.id == id } } else { true }
    }
  let setup = ReplaySetup(
    policy: service.policy,
    catalog: catalog,
    service: service.service(slots: 20)
  )
  let fresh = try setup.session(for: Person(places: day.places, reminders: reminders))
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
