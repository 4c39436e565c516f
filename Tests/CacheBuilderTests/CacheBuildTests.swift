import CZlib
import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

@Suite struct CacheBuildTests {
  private static let now = Timestamp(seconds: 1_767_633_600)

  private func write(_ bytes: [UInt8], _ path: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private func build(_ inputs: [String], _ output: String) -> CacheBuild {
    CacheBuild(inputs: inputs, output: output, builtAt: Self.now, toolVersion: "test")
  }

  @Test func `several inputs make one cache, and what it exports reads back the same`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    try write(
      Array("lat,lon,category,id,name\n1,2,bank,x,X\n3,4,bank,node/10,Moved\n".utf8),
      folder.path("mine")
    )
    let report = try build([folder.path("town"), folder.path("mine")], folder.path("a")).run()
    #expect(report.placeCount == 7)
    #expect(report.replacedCount == 1)
    #expect(report.skipped.count == 5)
    #expect(report.provenance.inputs.map(\.placeCount) == [5, 2])
    let cache = try POICache.open(folder.path("a"))
    #expect(try cache.problems() == [])
    let places = try cache.allPointsOfInterest()
    #expect(places.first { $0.sourceID == "node/10" }?.name == "Moved")
    let csv = csvHeader + places.map { csvRow($0) }.joined()
    #expect(try readPlaces(csv).places == places)
    let features = places.map { geoJSONFeature($0) }
    let json = geoJSONStart + features.joined(separator: ",\n") + geoJSONEnd
    // Ids of our own making gain a prefix only if they are bare: `x` stays `x`.
    #expect(try readPlaces(json).places == places)
  }

  @Test func `a selection takes what lies in it`() throws {
    let folder = try TemporaryFolder()
    try write(Scene.pbf(), folder.path("town"))
    var some = build([folder.path("town")], folder.path("a"))
    let centre = Coordinate(uncheckedLatitude: 39.2905, longitude: -76.6095)
    some.selection.circles = [.init(centre: centre, radiusMeters: 100)]
    #expect(try some.run().placeCount == 3)
    some.selection.box = BoundingBox(west: -77, south: 39.2902, east: -76, north: 40)
    let report = try some.run()
    #expect(report.placeCount == 2)
    #expect(report.outsideCount == 4)
    some.rules = try #require(CategoryRules.standard.limited(to: ["bank"]))
    #expect(try some.run().placeCount == 1)
  }

  @Test func `strict, missing and damaged inputs leave the old cache`() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("a.sqlite")
    try write(Scene.pbf(), folder.path("town"))
    _ = try build([folder.path("town")], output).run()
    let before = try Data(contentsOf: URL(fileURLWithPath: output))
    var strict = build([folder.path("town")], output)
    strict.isStrict = true
    #expect(#expect(throws: ImportError.self) { try strict.run() }?.code == .badRow)
    try write(Array(Scene.pbf().dropLast(9)), folder.path("cut"))
    let cut = build([folder.path("town"), folder.path("cut")], output)
    #expect(#expect(throws: ImportError.self) { try cut.run() }?.code == .truncated)
    let missing = build([folder.path("nowhere")], output)
    #expect(#expect(throws: ImportError.self) { try missing.run() }?.code == .missing)
    var stopped = build([folder.path("town")], output)
    stopped.isInterrupted = { true }
    #expect(throws: ImportError.self) { try stopped.run() }
    #expect(try Data(contentsOf: URL(fileURLWithPath: output)) == before)
    #expect(folder.names == ["a.sqlite", "cut", "town"])
  }

  @Test func `gzip of every text format, in several members, and cut short`() throws {
    let folder = try TemporaryFolder()
    let text = Array(Scene.xml.utf8)
    let halves = [Array(text[..<200]), Array(text[200...])]
    var packed: [UInt8] = []
    for (index, half) in halves.enumerated() {
      let path = folder.path("part\(index)")
      let file = gzopen(path, "wb")
      #expect(gzwrite(file, half, UInt32(half.count)) == Int32(half.count))
      gzclose(file)
      packed += try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }
    #expect(try readPlaces(packed).places == readPlaces(Scene.xml).places)
    #expect(try readPlaces(packed + [0, 0, 0]).places.count == 6)
    for count in stride(from: 1, to: packed.count, by: 7) {
      #expect(throws: ImportError.self) { try readPlaces(Array(packed[..<count])) }
    }
    var flipped = packed
    flipped[packed.count / 2] ^= 0x40
    #expect(throws: ImportError.self) { try readPlaces(flipped) }
  }
}
