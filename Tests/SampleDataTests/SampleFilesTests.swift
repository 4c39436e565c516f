import CacheBuilder
import Foundation
import Places
import SampleWorld
import Testing

/// The committed files are what the generator writes, and small.
@Suite struct SampleFilesTests {
  private static func committed(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: SampleDay.root.appendingPathComponent(path)))
  }

  @Test func `the committed files come out again`() throws {
    for file in SampleDay.samples.files {
      let committed = try Self.committed(file.path)
      // Another version of the packing library may pack the same contents into other bytes.
      let isEqual =
        switch file.path {
        case SampleFiles.mapPath:
          try Unpacking.pbf(committed).elementsEqual(try Unpacking.pbf(file.bytes)) { $0 == $1 }
        case SampleFiles.tracePath, SampleFiles.truePathPath:
          try Unpacking.gzip(committed) == Unpacking.gzip(file.bytes)
        default: committed == file.bytes
        }
      #expect(isEqual, "\(file.path) differs: run make-samples")
    }
  }

  @Test func `they come out the same twice`() {
    let again = SampleFiles()
    let isEqual = zip(again.files, SampleDay.samples.files).allSatisfy { $0.bytes == $1.bytes }
    #expect(isEqual)
    #expect(again.fixes == SampleDay.samples.fixes)
  }

  @Test func `they are small`() throws {
    #expect(try Self.committed(SampleFiles.mapPath).count < 100_000)
    #expect(try Self.committed(SampleFiles.tracePath).count < 400_000)
  }

  @Test func `the trace has no time of its own making`() throws {
    #expect(try Self.committed(SampleFiles.tracePath)[4..<8].allSatisfy { $0 == 0 })
  }

  @Test func `the map has every kind of element and what must be left out`() throws {
    let map = try importPlaces(path: SampleDay.path(SampleFiles.mapPath))
    #expect(map.skipped.count == 0)
    #expect(map.places.count == 57)
    for category in ["gas_station", "pharmacy", "grocery", "bank", "post_office"] {
      let count = map.places.count { $0.categories.map(\.name) == [category] }
      #expect(count >= 4, "\(category)")
    }
    for kind in ["node/", "way/", "relation/"] {
      #expect(map.places.contains { $0.sourceID.hasPrefix(kind) }, "\(kind)")
    }
    #expect(map.places.contains { $0.footprintRadiusMeters > 100 })
    #expect(map.places.contains { $0.name == nil })
    #expect(map.places.contains { $0.brand != nil })
    #expect(!map.places.contains { ["Boat Club Pump", "Old Pharmacy"].contains($0.name) })
  }

  @Test func `the truth has visits, passes, near stays and a decoy`() throws {
    let truth = try SampleTruth()
    #expect(truth.visits.map(\.category) == ["pharmacy", "grocery", "bank", "gas_station"])
    #expect(!truth.driveBys.isEmpty)
    #expect(truth.nearStayCount > 0)
    #expect(truth.decoyStopCount == 1)
  }
}
