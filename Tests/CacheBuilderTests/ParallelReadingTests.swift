import CacheBuilder
import Foundation
import TestSupport
import Testing

/// A PBF file is read on several threads, and nobody can tell.
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
