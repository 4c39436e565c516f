import CacheBuilder
import Foundation
import Geodesy
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

@Suite struct CellBuildTests {
  private static let marginMeters = 50_000.0

  private func build(_ input: String, _ output: String, degrees: Int = 5) throws -> CellBuild {
    CellBuild(
      CacheBuild(
        inputs: [input],
        output: output,
        builtAt: Timestamp(seconds: 1_767_633_600),
        toolVersion: "test"
      ),
      grid: try #require(CellGrid(degrees: degrees)),
      marginMeters: Self.marginMeters
    )
  }

  /// Shops as nodes and as buildings, some of both as one, around corners of cells and on ±180°; and at poles, where all
  /// cells of a row are near.
  private func map(seed: UInt64, isSorted: Bool = true, atPoles: Bool = false) -> [UInt8] {
    var corners = [(0.0, 0.0), (45, 5), (-35, 180), (60, -180)]
    if atPoles { corners += [(89.9, 0), (-89.95, 90)] }
    var random = SeededGenerator(seed: seed)
    var nodes: [PBFWriter.Node] = []
    var ways: [PBFWriter.Way] = []
    var relations: [PBFWriter.Relation] = []
    func add(_ latitude: Double, _ longitude: Double, _ tags: [(String, String)] = []) -> Int64 {
      let east = longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
      let id = Int64(nodes.count + 1)
      nodes.append(
        PBFWriter.Node(
          id: id,
          latitudeE7: Int64((min(90, max(-90, latitude)) * 1e7).rounded()),
          longitudeE7: Int64((east * 1e7).rounded()),
          tags: tags
        )
      )
      return id
    }
    for _ in 0..<120 {
      let corner = corners[random.integer(0...corners.count - 1)]
      let latitude = corner.0 + random.uniform(-1.2...1.2)
      let longitude = corner.1 + random.uniform(-1.5...1.5)
      let tags = [("amenity", "bank"), ("name", "B\(random.integer(0...9))")]
      switch random.integer(0...3) {
      case 0, 1: _ = add(latitude, longitude, tags)
      default:
        let side = 0.0004
        let outline = [(0.0, 0.0), (side, 0), (side, side), (0, side)]
          .map { add(min(89.99, max(-89.99, latitude)) + $0.0, longitude + $0.1) }
        // A node that says the same as the building around it.
        if random.integer(0...2) == 0 {
          _ = add(latitude + side / 2, longitude + side / 2, tags)
        }
        let way = PBFWriter.Way(id: Int64(ways.count + 1), refs: outline + [outline[0]])
        ways.append(way)
        if random.integer(0...3) == 0 {
          relations.append(
            PBFWriter.Relation(
              id: Int64(relations.count + 1),
              members: [PBFWriter.Member(type: 1, id: way.id, role: "outer")],
              tags: tags + [("type", "multipolygon")]
            )
          )
        } else {
          ways[ways.count - 1].tags = tags
        }
      }
    }
    if !isSorted { nodes.swapAt(0, nodes.count - 1) }
    return PBFWriter().file(nodes: nodes, ways: ways, relations: relations)
  }

  /// Every place of one cache is in exactly one cell of its own, as it is there, and in the margin of every
  /// cell that it is near; and cells have nothing else.
  @Test(arguments: 1...4)
  func `cells have what one cache has, and their margins`(_ seed: Int) throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    try Data(map(seed: UInt64(seed), isSorted: seed % 4 != 0, atPoles: true))
      .write(to: URL(fileURLWithPath: input))
    let cells = try build(input, folder.path("cells"), degrees: [1, 5, 10][seed % 3])
    let report = try cells.run()
    #expect(report.heldAll == false || seed % 4 == 0)
    var one = cells.build
    one.output = folder.path("one.sqlite")
    let whole = try one.run()
    #expect(report.index.places == whole.placeCount)
    #expect(report.skipped.count == whole.skipped.count)
    let opened = try CellFolder(folder.path("cells"))
    let order = { (a: PointOfInterest, b: PointOfInterest) in
      POICatalog.precedes(a.sourceID, b.sourceID)
    }
    let expected = try POICache.open(one.output).allPointsOfInterest().sorted(by: order)
    #expect(try opened.allPointsOfInterest().sorted(by: order) == expected)
    let byID = Dictionary(uniqueKeysWithValues: expected.map { ($0.sourceID, $0) })
    var seen = 0
    for entry in report.index.cells {
      let cell = try #require(cells.grid.cell(named: entry.cell))
      let points = try opened.points(of: cell)
      let ids = Set(points.map(\.sourceID))
      for point in expected
      where cells.grid.meters(from: point.coordinate, to: cell) <= Self.marginMeters {
        #expect(ids.contains(point.sourceID), "\(point.sourceID) is missing in \(entry.cell)")
        seen += 1
      }
      for point in points
      where cells.grid.meters(from: point.coordinate, to: cell) <= Self.marginMeters {
        #expect(byID[point.sourceID] == point)
      }
      let cache = try POICache.open(folder.path("cells/" + entry.file))
      #expect(try cache.problems() == [])
      #expect(try cacheChecksum(path: folder.path("cells/" + entry.file)) == entry.crc32)
    }
    #expect(seen > expected.count, "some lie in margins, too")
    for point in expected {
      for cell in cells.grid.cells(withinMeters: Self.marginMeters, of: point.coordinate) {
        #expect(report.index.cells.contains { $0.cell == cell.name })
      }
    }
  }

  /// What is not in the usual order is read a second time.
  @Test(arguments: [true, false])
  func `a row that is skipped is told once, in whatever order the map is`(isSorted: Bool) throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    let tags = [("amenity", "bank")]
    var nodes = [
      PBFWriter.Node(id: 1, latitudeE7: 0, longitudeE7: 0, tags: tags),
      PBFWriter.Node(id: 2, latitudeE7: 400_000_000, longitudeE7: 70_000_000, tags: tags),
    ]
    if !isSorted { nodes.reverse() }
    let ways = [PBFWriter.Way(id: 3, refs: [8, 9], tags: tags)]
    try Data(PBFWriter().file(nodes: nodes, ways: ways, relations: []))
      .write(to: URL(fileURLWithPath: input))
    let told = Counter()
    var cells = try build(input, folder.path("cells"))
    cells.build.onSkip = { _ in _ = told.next() }
    let report = try cells.run()
    #expect(report.heldAll == !isSorted)
    #expect(report.index.places == 1)
    #expect(report.skipped.rows.map(\.row) == ["node/1", "way/3"])
    #expect(told.next() == 3)
  }

  /// As two extracts are that were put one behind the other, whose ids rise all the same.
  @Test(arguments: [[2, 1], [4, 2, 1], [1, 4, 2], [2, 4, 1], [1, 2, 1, 2]])
  func `ways before nodes and relations before ways are places, too`(kinds: [Int]) throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    let tags = [("amenity", "bank")]
    let nodes = (1...8)
      .map { (id: Int) in
        let (north, east) = [(0, 0), (0, 1), (1, 1), (1, 0)][(id - 1) % 4]
        return PBFWriter.Node(
          id: Int64(id),
          latitudeE7: 400_000_000 + Int64(north * 5_000),
          longitudeE7: Int64(70_000_000 + (id - 1) / 4 * 1_000_000 + east * 5_000)
        )
      }
    let refs: [Int64] = [1, 2, 3, 4, 1]
    let ways = [
      PBFWriter.Way(id: 10, refs: refs, tags: tags),
      PBFWriter.Way(id: 11, refs: refs.map { $0 + 4 }),
    ]
    let relation = PBFWriter.Relation(
      id: 20,
      members: [PBFWriter.Member(type: 1, id: 11, role: "outer")],
      tags: tags + [("type", "multipolygon")]
    )
    let times = kinds.count { $0 == 1 }
    func part(_ kind: Int, _ number: Int) -> [UInt8] {
      PBFWriter()
        .file(
          nodes: kind == 1
            ? Array(nodes[nodes.count * number / times..<nodes.count * (number + 1) / times]) : [],
          ways: kind == 2
            ? Array(ways[ways.count * number / times..<ways.count * (number + 1) / times]) : [],
          relations: kind == 4 ? [relation] : []
        )
    }
    var seen: [Int: Int] = [:]
    var bytes: [UInt8] = []
    for kind in kinds {
      bytes += part(kind, seen[kind, default: 0])
      seen[kind, default: 0] += 1
    }
    try Data(bytes).write(to: URL(fileURLWithPath: input))
    let report = try build(input, folder.path("cells")).run()
    #expect(report.heldAll)
    #expect(report.skipped.count == 0)
    #expect(report.index.places == (kinds.contains(4) ? 2 : 1))
  }

  @Test func `a build that ends leaves the folder as it was, and a new one replaces it`() throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    try Data(map(seed: 1)).write(to: URL(fileURLWithPath: input))
    let first = try build(input, folder.path("cells")).run()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("cells")).sorted()
    try Data(map(seed: 2)).write(to: URL(fileURLWithPath: input))
    // After so many questions the person has pressed Ctrl-C.
    for patience in [0, 3, 40] {
      let asked = Counter()
      var stopped = try build(input, folder.path("cells"))
      stopped.build.isInterrupted = { asked.next() > patience }
      #expect(throws: (any Error).self) { _ = try stopped.run() }
      #expect(try CellIndex.read(folder: folder.path("cells")) == first.index)
      _ = try CellFolder(folder.path("cells")).allPointsOfInterest()
      var fresh = stopped
      fresh.build.output = folder.path("fresh")
      #expect(throws: (any Error).self) { _ = try fresh.run() }
      #expect(!FileManager.default.fileExists(atPath: folder.path("fresh")))
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path("cells")).sorted() == names
    )
    let second = try build(input, folder.path("cells")).run()
    #expect(second.index != first.index)
    let after = try FileManager.default.contentsOfDirectory(atPath: folder.path("cells")).sorted()
    #expect(after == (second.index.cells.map(\.file) + [CellIndex.fileName]).sorted())
    #expect(after != names)
    #expect(try build(input, folder.path("cells")).run().index == second.index, "the same bytes")
  }

  /// What a cell's cache is called is ours; other caches are somebody's, whether cells are there or not.
  @Test func `caches that are no cells are neither taken for ours nor removed`() throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    try Data(map(seed: 1)).write(to: URL(fileURLWithPath: input))
    let (mine, cells) = (folder.path("mine"), folder.path("cells"))
    try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: mine + "/pharmacies.sqlite"))
    #expect(throws: PlaceStoreError.self) { _ = try build(input, mine).run() }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: mine) == ["pharmacies.sqlite"]
    )
    _ = try build(input, cells).run()
    let others = ["pharmacies.sqlite", "n35w080-notes.sqlite", "n99w080.sqlite"]
    for name in others { try Data("mine".utf8).write(to: URL(fileURLWithPath: cells + "/" + name)) }
    // The cache of an older index, and one that was not finished.
    for name in ["n35w080-0badcafe.sqlite", "n35w080.sqlite"] {
      try Data().write(to: URL(fileURLWithPath: cells + "/" + name))
    }
    let index = try build(input, cells).run().index
    let left = try FileManager.default.contentsOfDirectory(atPath: cells).sorted()
    #expect(left == (index.cells.map(\.file) + others + [CellIndex.fileName]).sorted())
  }

  @Test func `folders of other people, bad indexes and missing cells are named`() throws {
    let folder = try TemporaryFolder()
    let input = folder.path("map.osm.pbf")
    try Data(map(seed: 1)).write(to: URL(fileURLWithPath: input))
    try FileManager.default.createDirectory(
      atPath: folder.path("mine"),
      withIntermediateDirectories: false
    )
    try Data("dear diary".utf8).write(to: URL(fileURLWithPath: folder.path("mine/diary.txt")))
    #expect(throws: PlaceStoreError.self) { _ = try build(input, folder.path("mine")).run() }
    #expect(throws: PlaceStoreError.self) { _ = try CellFolder(folder.path("mine")) }
    let cells = folder.path("cells")
    let index = try build(input, cells).run().index
    let path = cells + "/" + CellIndex.fileName
    let good = try String(contentsOfFile: path, encoding: .utf8)
    for (old, new) in [
      ("\"degrees\" : 5", "\"degrees\" : 7"), ("nearme-cells-1", "nearme-cells-9"),
      ("\"margin_m\" : 50000", "\"margin_m\" : 5"), (index.cells[0].file, "../x"),
      (index.cells[0].cell, "n99e999"), ("{", "["),
      ("\"places\" : ", "\"places\" : -"),
      ("\"places\" : \(index.cells[0].places)\n", "\"places\" : -1\n"),
      ("\"largest_footprint_m\" : ", "\"largest_footprint_m\" : 1000000"),
    ] {
      #expect(good.contains(old))
      try Data(good.replacing(old, with: new).utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: PlaceStoreError.self, "\(new)") { _ = try CellFolder(cells) }
    }
    try Data(good.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.removeItem(atPath: cells + "/" + index.cells[0].file)
    #expect(throws: PlaceStoreError.self) { _ = try CellFolder(cells) }
  }
}

/// Counts questions from any thread.
///
/// Unchecked: the number is touched under the lock only.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}
