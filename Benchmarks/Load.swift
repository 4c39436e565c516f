import Basics
import Foundation
import Geodesy
import NearMeEngine
import PlaceStore
import Places
import Timeline
import Traces

/// Writes points of interest into a cache from memory, and prints how long it took.
///
/// - Parameter csv: gets the same rows for other tools.
func measureLoad(rows: Int, csv: String, cache: String) throws {
  let world = World(points: rows)
  var text = "id,lat,lon,category,name\n"
  for poi in world.pois {
    text += "\(poi.sourceID),\(fixed(poi.coordinate.latitude, 7)),"
    text += "\(fixed(poi.coordinate.longitude, 7)),\(poi.categories[0]),\(poi.name ?? "")\n"
  }
  try text.write(toFile: csv, atomically: true, encoding: .utf8)
  text = ""
  let provenance = CacheProvenance(
    inputs: [],
    builtAt: Timestamp(seconds: 0),
    toolVersion: "bench",
    selection: ""
  )
  for _ in 0..<3 {
    let elapsed = try ContinuousClock()
      .measure {
        try POICacheWriter(target: cache)
          .write(world.pois, categories: [], provenance: provenance)
      }
      .components
    print(fixed(Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18, 3))
  }
}
