import OutputLines
import Basics
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

/// A person-day of the development corpora, with the reminders that everybody has there.
struct PersonDay {
  let name: String
  let fixes: [Fix]
  let places: [Place]

  static let reminders =
    ["bank", "gas_station", "grocery", "pharmacy", "post_office"]
    .map {
      Reminder(id: $0, title: "do \($0)", target: .category(CategoryID($0)))
    } + ["home", "work"].map { Reminder(id: $0, title: "do \($0)", target: .place($0)) }

  private struct Truth: Decodable {
    struct Spot: Decodable {
      let lat: Double
      let lon: Double
    }
    let home: Spot?
    let work: Spot?
  }

  init(_ name: String, in folder: URL) throws {
    self.name = name
    let truth = try JSONDecoder()
      .decode(
        Truth.self,
        from: Data(contentsOf: folder.appendingPathComponent(name + ".truth.json"))
      )
    var places: [Place] = []
    for (id, kind, spot) in [
      ("home", PlaceKind.home, truth.home), ("work", .work, truth.work ?? truth.home),
    ] {
      guard let spot else { continue }
      places.append(
        Place(
          id: id,
          name: id,
          kind: kind,
          coordinate: Coordinate(uncheckedLatitude: spot.lat, longitude: spot.lon)
        )
      )
    }
    self.places = places
    var fixes: [Fix] = []
    let reader = try TraceReader(path: folder.appendingPathComponent(name + ".gpx.gz").path)
    while let record = try reader.nextRecord() {
      if let fix = record.fix { fixes.append(fix) }
    }
    self.fixes = fixes
  }

  /// All days of a corpus, in order of name.
  static func all(in folder: URL) throws -> [PersonDay] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".truth.json") }
      .sorted()
      .map { try PersonDay(String($0.dropLast(".truth.json".count)), in: folder) }
  }
}

@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct CorpusTests {
  /// 20, 10 and 5 regions beside an oracle that sees every fix and tries every point.
  @Test(arguments: [
    ("corpus-dev", "us-baltimore.osm.pbf"), ("corpus-dev-wide", "us-virgin-islands.osm.pbf"),
  ])
  func `CTX-1.3: regions miss nothing on real roads`(_ corpus: String, _ extract: String) throws {
    let data = try #require(SharedData.folder)
    let imported = try importPlaces(
      path: data.appendingPathComponent("osm/" + extract).path,
      rules: .standard
    )
    let catalog = POICatalog(imported.places)
    let days = try PersonDay.all(in: data.appendingPathComponent(corpus))
    #expect(days.count == (corpus == "corpus-dev" ? 60 : 20))
    var expected: [[Move]] = []
    for day in days {
      var oracle = try Oracle(
        places: day.places,
        reminders: PersonDay.reminders,
        pois: imported.places,
        policy: .measuring
      )
      for fix in day.fixes { oracle.consume(fix) }
      oracle.finish()
      expected.append(oracle.moves.sorted(by: LosslessTests.inOrder))
    }
    for slots in [20, 10, 5] {
      var total = Totals()
      for (day, expected) in zip(days, expected) {
        let run = try Run(
          day.fixes,
          places: day.places,
          reminders: PersonDay.reminders,
          catalog: catalog,
          slots: slots,
          checksCertificates: slots == 20 && day.name.hasSuffix("d1")
        )
        let found = run.moves.sorted(by: LosslessTests.inOrder)
        let isEqual = found == expected
        #expect(isEqual, "\(corpus) \(day.name), \(slots) slots")
        #expect(run.violations.isEmpty, "\(day.name): \(run.violations.prefix(3))")
        #expect(run.summary.regionsHeldMost <= slots)
        #expect(run.summary.plansAtRisk == 0)
        total.add(run.summary)
      }
      print("\(corpus), \(slots) slots: \(total)")
      if slots == 20 {
        // What is promised (docs/regions.md): one wake for each change, and few registrations.
        #expect(total.wakesPerChange <= 1)
        #expect(total.registrationsPerHour <= (corpus == "corpus-dev" ? 45 : 19))
      }
    }
  }
}

/// Counts over a corpus, printed for the notes of a change.
struct Totals: CustomStringConvertible {
  private var rises = 0
  private var falls = 0
  private var wakes = 0
  private var timers = 0
  private var registrations = 0
  private var hours = 0.0
  private var followed = 0.0

  var wakesPerChange: Double { Double(wakes) / Double(rises + falls) }
  var registrationsPerHour: Double { Double(registrations) / hours }

  mutating func add(_ summary: ReplaySummary) {
    rises += summary.rises
    falls += summary.falls
    wakes += summary.locationWakes
    timers += summary.wakes[.scheduled, default: 0]
    registrations += summary.registrations
    hours += summary.hours
    followed += summary.followed.seconds
  }

  var description: String {
    "\(rises) rises, \(falls) falls, \(wakes) wakes by location "
      + "(\(fixed(wakesPerChange, 2)) per change, \(fixed(Double(wakes) / hours, 1))/h), "
      + "\(timers) timers, \(fixed(registrationsPerHour, 1)) registrations/h, "
      + "awake \(fixed(followed / hours, 0)) s/h"
  }
}
