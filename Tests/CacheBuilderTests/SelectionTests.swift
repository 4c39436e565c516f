import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

/// Which part of the inputs a cache takes.
@Suite struct SelectionTests {
  private static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  }

  @Test func `the distance is to the way between the fixes, not to the fixes`() throws {
    let route = Route(runs: [[Self.at(1, 1), Self.at(1, 1.5)]])
    let beside = Self.at(1.01, 1.25)
    let meters = try #require(route.distanceMeters(to: beside, below: 2_000))
    #expect(abs(meters - beside.distanceMeters(to: Self.at(1, 1.25))) < 5)
    #expect(route.distanceMeters(to: beside, below: 1_000) == nil)
    #expect(route.distanceMeters(to: Self.at(1, 1.52), below: 1_000) == nil)
    let end = try #require(route.distanceMeters(to: Self.at(1, 1.501), below: 1_000))
    #expect(abs(end - Self.at(1, 1.501).distanceMeters(to: Self.at(1, 1.5))) < 0.01)
  }

  @Test func `there is no way between two runs, one fix is a way, and ±180° is no edge`() {
    let apart = Route(runs: [[Self.at(1, 1)], [Self.at(1, 1.5)]])
    #expect(apart.distanceMeters(to: Self.at(1, 1.25), below: 5_000) == nil)
    #expect(apart.distanceMeters(to: Self.at(1, 1.001), below: 5_000) != nil)
    let over = Route(runs: [[Self.at(-17, 179.9), Self.at(-17, -179.9)]])
    for longitude in [180.0, -180, 179.95, -179.95] {
      #expect(over.distanceMeters(to: Self.at(-17.001, longitude), below: 200) != nil)
    }
    #expect(over.distanceMeters(to: Self.at(-17.001, 179.8), below: 200) == nil)
    #expect(Route(runs: [[], []]).isEmpty)
  }

  @Test func `what lies on ±180° is on the edge of boxes on both sides of it`() {
    for longitude in [180.0, -180] {
      for (west, east) in [(170.0, 180.0), (-180, -170), (180, -170), (170, -180), (-180, 180)] {
        let box = BoundingBox(west: west, south: -1, east: east, north: 1)
        #expect(box.contains(Self.at(1, longitude)), "\(box)")
        #expect(!box.contains(Self.at(1.1, longitude)), "\(box)")
      }
      let middle = BoundingBox(west: -10, south: -1, east: 10, north: 1)
      #expect(!middle.contains(Self.at(0, longitude)))
    }
  }

  @Test func `the nearest piece is found like by trying each`() throws {
    for seed in UInt64(0)..<20 {
      var generator = SeededGenerator(seed: seed)
      var run = [Self.at(generator.uniform(-60...60), generator.uniform(-179...179))]
      for _ in 0..<300 {
        run.append(
          Self.at(
            run[run.count - 1].latitude + generator.uniform(-0.01...0.01),
            run[run.count - 1].longitude + generator.uniform(-0.01...0.01)
          )
        )
      }
      let whole = Route(runs: [run])
      let middle = run[150]
      for _ in 0..<20 {
        let place = Self.at(
          middle.latitude + generator.uniform(-0.1...0.1),
          middle.longitude + generator.uniform(-0.1...0.1)
        )
        let each = zip(run, run.dropFirst())
          .compactMap { Route(runs: [[$0, $1]]).distanceMeters(to: place, below: 1e7) }
        let found = try #require(whole.distanceMeters(to: place, below: 1e7))
        #expect(abs(found - (each.min() ?? 0)) < 1e-6, "seed \(seed)")
      }
    }
  }

  @Test func `a limit of the size drops the farthest, and holds`() throws {
    let folder = try TemporaryFolder()
    var csv = "id,lat,lon,category,name\n"
    for number in 1...3_000 {
      csv += "p\(number),1,\(1 + Double(number) * 0.0005),bank,Bank number \(number)\n"
    }
    try Data(csv.utf8).write(to: URL(fileURLWithPath: folder.path("a.csv")))
    var build = CacheBuild(
      inputs: [folder.path("a.csv")],
      output: folder.path("a.sqlite"),
      builtAt: Timestamp(seconds: 0),
      toolVersion: "test"
    )
    build.selection.circles = [.init(center: Self.at(1, 1), radiusMeters: 1e6)]
    func size() throws -> Int {
      try Data(contentsOf: URL(fileURLWithPath: folder.path("a.sqlite"))).count
    }
    #expect(try build.run().dropped == nil)
    let whole = try size()
    let limit = whole - 150_000
    build.limitBytes = Int64(limit)
    let report = try build.run()
    #expect(try size() <= limit)
    #expect(try size() > limit - 40_000)
    let dropped = try #require(report.dropped)
    #expect(report.placeCount + dropped.count == 3_000)
    let farthest = report.places.map { $0.coordinate.distanceMeters(to: Self.at(1, 1)) }.max()
    #expect(farthest ?? 0 < dropped.nearestMeters)
    #expect(report.places.last?.sourceID == "p\(report.placeCount)")
    #expect(report.provenance.inputs.map(\.placeCount) == [report.placeCount])
    // As little as one place takes is room for one, among thousands, too.
    try Data(csv.utf8.prefix { $0 != 0x0A } + "\np1,1,1,bank,Bank number 1\n".utf8)
      .write(to: URL(fileURLWithPath: folder.path("a.csv")))
    _ = try build.run()
    build.limitBytes = Int64(try size())
    try Data(csv.utf8).write(to: URL(fileURLWithPath: folder.path("a.csv")))
    #expect(try build.run().placeCount > 0)
    #expect(try size() <= build.limitBytes ?? 0)
    build.limitBytes = 1_000
    #expect(#expect(throws: ImportError.self) { try build.run() }?.code == .tooLarge)
    #expect(folder.names == ["a.csv", "a.sqlite"])
  }

  @Test(arguments: [
    ("5MB", 5_000_000), ("1.5 MiB", 1_572_864), ("300kb", 300_000), ("17", 17), ("17B", 17),
    ("", nil), ("MB", nil), ("-1MB", nil), ("0", nil), ("nanMB", nil), ("5 miles", nil),
  ])
  func `sizes`(text: String, bytes: Int64?) { #expect(parseByteCount(text) == bytes) }
}
