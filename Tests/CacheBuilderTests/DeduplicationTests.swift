import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

/// One place that is mapped twice.
@Suite struct DeduplicationTests {
  /// Meters are about 1e-5 degrees here: the equator.
  private static let header = "id,lat,lon,category,name,brand,footprint_radius_m,phone,website\n"

  private func build(
    _ rows: String,
    merges: Bool = true,
    preferred: Set<String> = []
  ) throws -> CacheBuild.Report {
    let folder = try TemporaryFolder()
    try Data((Self.header + rows).utf8).write(to: URL(fileURLWithPath: folder.path("a.csv")))
    var build = CacheBuild(
      inputs: [folder.path("a.csv")],
      output: folder.path("a.sqlite"),
      builtAt: Timestamp(seconds: 0),
      toolVersion: "test"
    )
    build.mergesDuplicates = merges
    build.preferredIDs = preferred
    let report = try build.run()
    #expect(try POICache.open(folder.path("a.sqlite")).problems() == [])
    return report
  }

  private static let pair = """
    way/1,1,1,pharmacy,,,30,,https://a.example
    node/2,1.0002,1,pharmacy,Löwen-Apotheke,Löwen,,123,https://b.example

    """

  @Test func `a node in its building is one place with it, and nothing that is known gets lost`()
    throws
  {
    let report = try build(Self.pair)
    let place = try #require(report.places.first)
    #expect(report.placeCount == 1)
    #expect(place.sourceID == "way/1")
    #expect(place.name == "Löwen-Apotheke")
    #expect(place.brand == "Löwen")
    #expect(place.footprintRadiusMeters == 30)
    #expect(place.coordinate.latitude == 1)
    #expect(
      PlaceDetails.values(report.details["way/1"])
        == ["phone": "123", "website": "https://a.example"]
    )
    #expect(report.details.count == 1)
    #expect(report.duplicates.map(\.kept) == ["way/1"])
    #expect(report.duplicates.map(\.dropped) == ["node/2"])
    #expect(report.provenance.inputs.map(\.placeCount) == [1])
    #expect(try build(Self.pair, merges: false).placeCount == 2)
  }

  @Test func `an id that reminders may know stays`() throws {
    let report = try build(Self.pair, preferred: ["node/2"])
    #expect(report.places.map(\.sourceID) == ["node/2"])
    #expect(report.places.first?.footprintRadiusMeters == 30)
    #expect(report.duplicates.map(\.dropped) == ["way/1"])
  }

  @Test(arguments: [
    // Names are equal without case, diacritics and punctuation.
    ("Löwen-Apotheke,,30", "pharmacy,LOWEN APOTHEKE,", 1),
    ("Shell,,30", "pharmacy,Esso,", 2),
    // Another brand, another category.
    (",Shell,30", "pharmacy,Esso,Esso", 2),
    (",,30", "bank,,", 2),
    (",,30", "bank;pharmacy,,", 1),
  ])
  func `names, brands and categories decide`(area: String, node: String, count: Int) throws {
    let rows = "way/1,1,1,pharmacy,\(area),,\nnode/2,1.0002,1,\(node),,,\n"
    #expect(try build(rows).placeCount == count)
  }

  @Test(arguments: [(0.0004, "10", 1), (0.0005, "10", 2), (0.0009, "110", 1), (0.0011, "110", 2)])
  func `fifty meters, or the footprint`(north: Double, radius: String, count: Int) throws {
    let rows = "way/1,1,1,pharmacy,A,,\(radius),,\nnode/2,\(1 + north),1,pharmacy,A,,,,\n"
    #expect(try build(rows).placeCount == count)
  }

  @Test func `two shops in a building without a name stay two shops`() throws {
    let rows = """
      way/1,1,1,pharmacy,,,80,,
      node/2,1.0002,1,pharmacy,A,,,,
      node/3,1.0003,1,pharmacy,B,,,,

      """
    #expect(try build(rows).placeCount == 3)
  }

  @Test func `a node between two buildings belongs to the nearer one, over ±180° too`() throws {
    let rows = """
      way/1,1,180,bank,,,80,,
      way/2,1,-179.999,bank,,,80,,
      node/3,1,-179.9997,bank,A,,,,

      """
    #expect(try build(rows).duplicates.map(\.kept) == ["way/1"])
  }

  @Test(
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)),
    arguments: ExtractTests.files
  )
  func `every merge in a real extract is listed, and nothing else is missing`(file: String) throws {
    let folder = try TemporaryFolder()
    let osm = try #require(SharedData.folder).appendingPathComponent("osm")
    var build = CacheBuild(
      inputs: [osm.appendingPathComponent(file).path],
      output: folder.path("a.sqlite"),
      builtAt: Timestamp(seconds: 0),
      toolVersion: "test"
    )
    build.mergesDuplicates = false
    let all = try build.prepare().places
    build.mergesDuplicates = true
    let report = try build.prepare()
    let kept = Set(report.places.map(\.sourceID))
    let dropped = report.duplicates.map(\.dropped)
    #expect(Set(dropped).count == dropped.count)
    #expect(kept.union(dropped) == Set(all.map(\.sourceID)))
    #expect(kept.isDisjoint(with: dropped))
    for duplicate in report.duplicates {
      #expect(kept.contains(duplicate.kept))
      let one = try #require(all.first { $0.sourceID == duplicate.kept })
      let other = try #require(all.first { $0.sourceID == duplicate.dropped })
      #expect(!Set(one.categories).isDisjoint(with: other.categories), "\(duplicate)")
      let reach = max(50, one.footprintRadiusMeters)
      #expect(one.coordinate.distanceMeters(to: other.coordinate) <= reach, "\(duplicate)")
    }
  }

  @Test func `the search asks for each area whether to stop`() throws {
    let folder = try TemporaryFolder()
    let rows = "a,1,2,bank,,,30,,\nb,3,4,bank,,,30,,\nc,5,6,bank,,,30,,\nd,7,8,bank,,,0,,\n"
    try Data((Self.header + rows).utf8).write(to: URL(fileURLWithPath: folder.path("input")))
    func questions(mergesDuplicates: Bool) throws -> Int {
      let counter = QuestionCounter()
      var build = CacheBuild(
        inputs: [folder.path("input")],
        output: folder.path("out"),
        rules: .standard,
        selection: CacheSelection(),
        selectionText: "",
        isStrict: false,
        builtAt: Timestamp(seconds: 0),
        toolVersion: "test",
        isInterrupted: { counter.ask() }
      )
      build.mergesDuplicates = mergesDuplicates
      _ = try build.prepare()
      return counter.count
    }
    #expect(try questions(mergesDuplicates: true) == questions(mergesDuplicates: false) + 3)
  }
}

/// Counts questions, and answers no.
///
/// Unchecked: the count is touched under the lock only.
private final class QuestionCounter: @unchecked Sendable {
  private let lock = NSLock()
  private var asked = 0

  var count: Int { lock.withLock { asked } }

  func ask() -> Bool {
    lock.withLock { asked += 1 }
    return false
  }
}
