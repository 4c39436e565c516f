import Foundation
import Geodesy
import Places
import TestSupport

/// The fence work that other tools are given, too: for each fix of twenty stretches of a trace and each
/// category, whether a point of the category lies within a mile.
struct FenceWork {
  static let mileMeters = 1_609.344
  let catalog: POICatalog
  let positions: [SurfacePoint]

  /// - Parameter fixes: a file of ``BigTrace/writeBinary(to:)``.
  init(world: World, fixes path: String, count: Int) throws {
    catalog = POICatalog(world.pois)
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let all = data.count / 32
    let stretch = min(count, all) / 20
    positions = data.withUnsafeBytes { bytes in
      (0..<(stretch * 20))
        .map { i in
          let row = i / stretch * (all / 20) + i % stretch
          func value(_ column: Int) -> Double {
            let offset = row * 32 + column * 8
            let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            return Double(bitPattern: UInt64(littleEndian: bits))
          }
          return SurfacePoint(
            Coordinate(uncheckedLatitude: value(1), longitude: value(2))
          )
        }
    }
  }

  /// By the catalog's trees.
  func byIndex() -> Int {
    var within = 0
    for position in positions {
      for slot in catalog.categories.indices {
        guard let near = catalog.nearest(slot: slot, to: position) else { continue }
        if near.distanceMeters <= Self.mileMeters { within += 1 }
      }
    }
    return within
  }

  /// As the engine does: a category is measured anew only where the way since the last measure may
  /// have crossed the mile.
  func byRests() -> Int {
    struct Rest {
      var center = SurfacePoint(x: 0, y: 0, z: 0)
      var chordSquared = -1.0
      var isWithin = false
    }
    var rests = [Rest](repeating: Rest(), count: catalog.categories.count)
    var within = 0
    for position in positions {
      for slot in rests.indices {
        if rests[slot].center.chordSquared(to: position) > rests[slot].chordSquared {
          guard let near = catalog.nearest(slot: slot, to: position) else { continue }
          let slack = abs(near.distanceMeters - Self.mileMeters)
          let sure = max(0, slack - max(0.05, near.distanceMeters * 4e-5))
          rests[slot] = Rest(
            center: position,
            chordSquared: chordSquared(arcMeters: min(sure, 1_000_000)),
            isWithin: near.distanceMeters <= Self.mileMeters
          )
        }
        if rests[slot].isWithin { within += 1 }
      }
    }
    return within
  }

  /// As one writes it at first: every point for every fix.
  func byScan() -> Int {
    let members = catalog.categories.indices.map { slot in
      catalog.indices(slot: slot).map { catalog.positions[$0] }
    }
    let limit = chordSquared(arcMeters: Self.mileMeters)
    var within = 0
    for position in positions {
      for member in members
      where member.contains(where: { $0.chordSquared(to: position) <= limit }) {
        within += 1
      }
    }
    return within
  }
}

/// The points of a world as `category,latitude,longitude` behind a number, for other tools.
func writePoints(_ world: World, to path: String) throws {
  let output = try FileOutput(path)
  for (i, poi) in world.pois.enumerated() {
    guard let category = poi.categories.first,
      let number = World.categories.firstIndex(of: category.name)
    else { continue }
    output.write("\(i),\(number),\(poi.coordinate.latitude),\(poi.coordinate.longitude)\n")
  }
  try output.close()
}

/// Prints name, seconds, fixes and pairs, for ``scripts/bench-traces.sh``.
func measureFences(fixes path: String, count: Int) throws {
  let work = try FenceWork(world: World(points: 10_000), fixes: path, count: count)
  for (name, runs, find) in [
    ("ours: as the engine does it", 5, work.byRests),
    ("ours: a search for each fix", 5, work.byIndex),
    ("naive Swift scan", 3, work.byScan),
  ] {
    var within = 0
    let figure = measure("", size: "", work: Double(count), unit: "fixes", runs: runs) {
      within = find()
    }
    print("\(name)\t\(figure.medianSeconds)\t\(work.positions.count)\t\(within)")
  }
}
