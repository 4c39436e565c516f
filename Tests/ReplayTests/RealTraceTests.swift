import CacheBuilder
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import TestSupport
import Testing
import Timeline
import TraceFiles
import Traces

/// Traces that people and cars recorded, with all that a simulation does not think of.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct RealTraceTests {
  @Test(arguments: [
    ("us-seattle-newson-krumm", "us-seattle-university.osm.gz", 1),
    ("pt-porto-taxi/gpx", "pt-porto-roads.osm.pbf", 30), ("cn-beijing-geolife", nil, 55),
    ("various-coregpx", nil, 1), ("various-gpsbabel", nil, 3), ("de-munich-barefoot", nil, 1),
  ])
  func `regions miss nothing on recorded ways`(
    _ folder: String,
    _ extract: String?,
    _ least: Int
  ) throws {
    let data = try #require(SharedData.folder)
    let real = try extract.map {
      try importPlaces(path: data.appendingPathComponent("osm/" + $0).path, rules: .standard).places
    }
    var count = 0
    var moves = 0
    var total = Totals()
    for (i, fixes) in try Self.traces(in: data.appendingPathComponent("traces-real/" + folder))
      .enumerated()
    {
      // Beside the real places, or instead of them, some drawn around the way.
      let pois = (real ?? []) + Self.drawn(around: fixes, seed: UInt64(i + 1))
      let catalog = POICatalog(pois)
      var oracle = try Oracle(
        places: [],
        reminders: Array(PersonDay.reminders.prefix(5)),
        pois: pois,
        policy: .measuring
      )
      for fix in fixes { oracle.consume(fix) }
      oracle.finish()
      let expected = oracle.moves.sorted(by: LosslessTests.inOrder)
      for slots in [20, 5] {
        let run = try Run(
          fixes,
          places: [],
          reminders: Array(PersonDay.reminders.prefix(5)),
          catalog: catalog,
          slots: slots
        )
        let isEqual = run.moves.sorted(by: LosslessTests.inOrder) == expected
        #expect(isEqual, "\(folder), trace \(i), \(slots) slots")
        #expect(run.summary.regionsHeldMost <= slots)
        if slots == 20 { total.add(run.summary) }
      }
      count += 1
      moves += expected.count
    }
    print("\(folder), \(count) traces, 20 slots: \(total)")
    #expect(count >= least)
    #expect(moves > 10 * count)
  }

  /// The traces of a folder that have times, in order of name, each cut to its first 20,000 fixes.
  private static func traces(in folder: URL) throws -> [[Fix]] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    var traces: [[Fix]] = []
    for name in names {
      let path = folder.appendingPathComponent(name).path
      var fixes: [Fix] = []
      if name.hasSuffix(".plt") {
        fixes = try plt(path)
      } else if name.hasSuffix(".gpx") {
        do {
          let reader = try TraceReader(path: path)
          while fixes.count < 20_000, let record = try reader.nextRecord() {
            if let fix = record.fix { fixes.append(fix) }
          }
        } catch {
          // Some have no times: they are the reader's business.
        }
      }
      if fixes.count > 20 { traces.append(fixes) }
    }
    return traces
  }

  /// GeoLife's own format: six lines of heading, then latitude, longitude, 0, feet, days, date, time.
  private static func plt(_ path: String) throws -> [Fix] {
    try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
      .dropFirst(6)
      .compactMap { line in
        let parts = line.split(separator: ",")
        guard parts.count == 7, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
          let at = RFC3339.parse("\(parts[5])T\(parts[6])Z"),
          let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        return Fix(at: at, coordinate: coordinate, horizontalAccuracyMeters: 10)
      }
  }

  private static func drawn(around fixes: [Fix], seed: UInt64) -> [PointOfInterest] {
    var random = SeededGenerator(seed: seed)
    return (0..<150)
      .map { i in
        let plane = LocalPlane(origin: fixes[random.integer(0...(fixes.count - 1))].coordinate)
        let spread = [100.0, 1_000, 10_000][random.integer(0...2)]
        return PointOfInterest(
          sourceID: "drawn/\(i)",
          categories: [CategoryID(PersonDay.reminders[random.integer(0...4)].id)],
          coordinate: plane.coordinate(
            eastMeters: random.uniform(-spread...spread),
            northMeters: random.uniform(-spread...spread)
          ),
          footprintRadiusMeters: i % 9 == 0 ? random.uniform(0...200) : 0
        )
      }
  }
}
