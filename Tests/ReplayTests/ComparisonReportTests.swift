import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import Testing
import Timeline
import Traces

/// Comparisons as data, of a walk past a shop: nearer edges than the shop's lie to the side, and are
/// never crossed.
@Suite struct ComparisonReportTests {
  private static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))

  private static func point(
    _ id: String,
    _ category: String,
    _ east: Double,
    _ north: Double,
    footprintMeters: Double = 0
  ) -> PointOfInterest {
    PointOfInterest(
      sourceID: id,
      categories: [CategoryID(category)],
      coordinate: plane.coordinate(eastMeters: east, northMeters: north),
      footprintRadiusMeters: footprintMeters
    )
  }

  /// - Parameter footprintMeters: how large the shop is.
  private static func report(
    _ name: LocationService.Name = .ideal,
    footprintMeters: Double = 0,
    slots: Int = 5,
    strategies: [RegionStrategy] = [.safeRegion, .nearestEdge]
  ) throws -> ComparisonReport {
    let shop = point("node/shop", "pharmacy", 0, 0, footprintMeters: footprintMeters)
    let others = (0..<100).map { point("node/\($0)", "bank", -3_600 + Double($0) * 50, 400) }
    let comparison = Comparison(
      strategies.map {
        Comparison.Service(name, name.policy, slots: slots, strategy: $0, seed: 1)
      },
      policy: Policy(),
      catalog: POICatalog([shop] + others),
      tolerance: .minutes(10)
    )
    func reminder(_ category: String, _ tiers: [Tier]) -> Reminder {
      Reminder(id: category, title: "go", target: .category(CategoryID(category)), tiers: tiers)
    }
    let person = Person(
      reminders: [
        reminder("pharmacy", [.approach(meters: 300), .arrival]), reminder("bank", [.arrival]),
      ]
    )
    let fixes = (0..<500)
      .map {
        Fix(
          at: Timestamp(seconds: 1_767_600_000 + Int64($0) * 5),
          coordinate: plane.coordinate(eastMeters: -3_600 + Double($0) * 10, northMeters: 0),
          horizontalAccuracyMeters: 5,
          speedMetersPerSecond: 2
        )
      }
    let outcome = try comparison.run(person, fixes)
    return try ComparisonReport(
      comparison.table([outcome], seed: 1),
      of: comparison,
      people: [("day.gpx", person)],
      outcomes: [outcome],
      fixes: { _ in fixes }
    )
  }

  /// The disc of a large place ends within the ring around it, for the page as for the engine.
  @Test func `the boundary of an arrival is the engine's`() throws {
    let drive = try #require(try Self.report(footprintMeters: 400).drive)
    #expect(drive.tier == "arrival" && drive.poi == "node/shop")
    #expect(drive.boundaryMeters == 240)
    for watch in [drive.rival, drive.ours] {
      #expect(watch.map.shapes.filter { $0.kind == "boundary" }.map(\.radiusMeters) == [240])
    }
    #expect(drive.ours.map.shapes.contains { $0.kind == "enter" && $0.radiusMeters == 240 })
    #expect(!drive.rival.map.shapes.contains { $0.kind == "enter" && $0.radiusMeters == 240 })
  }

  @Test func `a phone's circle reaches farther than the boundary that it watches`() throws {
    let drive = try #require(try Self.report(.ios).drive)
    #expect(drive.monitor == "ios")
    let circles = drive.ours.map.shapes.filter { $0.kind == "enter" }.compactMap(\.radiusMeters)
    #expect(circles.contains { $0 > drive.boundaryMeters + 10 }, "\(circles)")
  }

  @Test func `a report says what was missed, whether or not a drive shows it`() throws {
    let few = try Self.report(slots: 100)
    #expect(few.missedByOthers == 0 && few.lookedAt == 0 && few.drive == nil)
    let alone = try Self.report(strategies: [.safeRegion])
    #expect(alone.missedByOthers == nil && alone.drive == nil)
    let missed = try Self.report()
    let rival = try #require(missed.rows.first { !$0.isOurs })
    #expect(rival.missed == 4 && rival.missedEnters == 2)
    #expect(missed.missedByOthers == rival.missed)
    #expect(missed.lookedAt == 1 && missed.drive != nil)
  }

  @Test func `a report survives as JSON`() throws {
    let report = try Self.report(footprintMeters: 400)
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(ComparisonReport.self, from: json) == report)
    for row in report.rows { #expect(row.isOurs == (row.strategy == .safeRegion)) }
  }
}
