import CacheBuilder
import Foundation
import Places
import TestSupport
import Testing

/// A PBF file is read on several threads, a table is read on one and gathered on another, and nobody can tell.
@Suite struct ParallelReadingTests {
  private static let townCount = 60

  /// Copies of the little town, each a file of its own with ids of its own, one behind the other.
  private static func towns() -> [[UInt8]] {
    (0..<townCount)
      .map { town in
        let shift = Int64(town) * 1_000_000
        func moved<Element>(_ element: Element, _ change: (inout Element) -> Void) -> Element {
          var element = element
          change(&element)
          return element
        }
        return PBFWriter(packing: .zlib)
          .file(
            nodes: Scene.nodes.map { moved($0) { $0.id += shift } },
            ways: Scene.ways.map { way in
              moved(way) {
                $0.id += shift
                $0.refs = $0.refs.map { $0 + shift }
              }
            },
            relations: Scene.relations.map { relation in
              moved(relation) {
                $0.id += shift
                $0.members = $0.members.map { member in moved(member) { $0.id += shift } }
              }
            }
          )
      }
  }

  private func write(_ bytes: [UInt8], _ folder: TemporaryFolder) throws -> String {
    let path = folder.path("towns.osm.pbf")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func `the places and their order do not depend on the number of threads`() throws {
    let folder = try TemporaryFolder()
    let path = try write(Self.towns().flatMap { $0 }, folder)
    let expected = try importPlaces(path: path, threadCount: 1)
    #expect(expected.places.count == Self.townCount * (try readPlaces(Scene.pbf()).places.count))
    for threads in [2, 3, 16, 500] {
      let result = try importPlaces(path: path, threadCount: threads)
      #expect(result.places == expected.places, "\(threads) threads")
      #expect(result.skipped.rows == expected.skipped.rows, "\(threads) threads")
    }
  }

  @Test func `a table of many pieces is gathered in the order of its rows`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("places.csv")
    // Some 100 bytes a row, 20 pieces of 256 KiB; each seventh row is bad, each fifth id comes again far below.
    let padding = String(repeating: "x", count: 60)
    let rowCount = 50_000
    func id(_ row: Int) -> Int { row % 5 == 0 ? row % 10_000 : row }
    func isBad(_ row: Int) -> Bool { row % 7 == 0 }
    var text = "id,lat,lon,category,name\n"
    for row in 0..<rowCount {
      text += "node/\(id(row)),\(isBad(row) ? "?" : "39.3"),-76.6,pharmacy,\(padding) \(row)\n"
    }
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let skipped = Told()
    let result = try importPlaces(path: path, onSkip: { skipped.add($0) })

    var (order, newest): ([Int], [Int: Int]) = ([], [:])
    var told: [String] = []
    for row in 0..<rowCount {
      if isBad(row) || newest[id(row)] != nil { told.append("line \(row + 2)") }
      guard !isBad(row) else { continue }
      if newest.updateValue(row, forKey: id(row)) == nil { order.append(id(row)) }
    }
    #expect(result.places.map(\.sourceID) == order.map { "node/\($0)" })
    #expect(result.places.map(\.name) == order.map { "\(padding) \(newest[$0] ?? -1)" })
    #expect(skipped.rows == told)
    #expect(result.skipped.count == told.count)
  }

  private final class Told: @unchecked Sendable {
    private let lock = NSLock()
    private var lines: [String] = []
    var rows: [String] { lock.withLock { lines } }
    func add(_ row: SkippedRow) { lock.withLock { lines.append(row.row) } }
  }

  @Test func `of several damaged blocks the first one is named, whoever finds his first`() throws {
    let folder = try TemporaryFolder()
    var bytes: [UInt8] = []
    var firstDamage = 0
    for (index, town) in Self.towns().enumerated() {
      bytes += town
      guard index % 7 == 6 else { continue }
      if firstDamage == 0 { firstDamage = bytes.count }
      bytes += PBFWriter(packing: .zlib).blob("OSMData", [0xFF])
    }
    let path = try write(bytes, folder)
    for threads in [1, 2, 3, 16] {
      for _ in 0..<10 {
        let error = #expect(throws: ImportError.self) {
          try importPlaces(path: path, threadCount: threads)
        }
        guard case .byte(let offset) = error?.position else {
          Issue.record("no byte: \(String(describing: error))")
          return
        }
        // The place is that of the packed bytes, behind a header of a few bytes.
        #expect((firstDamage + 4...firstDamage + 30).contains(Int(offset)), "\(threads) threads")
      }
    }
  }

  @Test func `an interruption ends all threads`() throws {
    let folder = try TemporaryFolder()
    let path = try write(Self.towns().flatMap { $0 }, folder)
    let error = #expect(throws: ImportError.self) {
      try importPlaces(path: path, threadCount: 4, isInterrupted: { true })
    }
    #expect(error?.code == .interrupted)
  }
}
