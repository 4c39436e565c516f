import Geodesy
import PlaceStore
import Places
import TestSupport
import Timeline

let testCategories = ["bank", "grocery", "pharmacy"].map { CategoryID($0) }

/// Places where maps go wrong: dense towns, ±180°, both poles, 0,0, equal coordinates.
func randomWorld(seed: UInt64, count: Int) -> [PointOfInterest] {
  var generator = SeededGenerator(seed: seed)
  return (0..<count)
    .map { index in
      let coordinate = randomCoordinate(&generator)
      var categories = [testCategories[generator.integer(0...2)]]
      if generator.integer(0...9) == 0 { categories = Array(testCategories.prefix(2)) }
      let kind = ["node", "way", "relation", "mine"][generator.integer(0...3)]
      return PointOfInterest(
        sourceID: "\(kind)/\(count - index)",
        categories: categories,
        name: index % 3 == 0 ? nil : "Näme \(index) 'quoted'",
        brand: index % 4 == 0 ? "Brand" : nil,
        coordinate: coordinate,
        footprintRadiusMeters: Double(generator.integer(0...50))
      )
    }
}

func randomCoordinate(_ generator: inout SeededGenerator) -> Coordinate {
  let (latitude, longitude): (Double, Double)
  switch generator.integer(0...6) {
  case 0: (latitude, longitude) = (generator.uniform(89.9...90), generator.uniform(-180...180))
  case 1: (latitude, longitude) = (generator.uniform(-90 ... -89.9), generator.uniform(-180...180))
  case 2: (latitude, longitude) = (generator.uniform(-17 ... -16), generator.uniform(179.5...180))
  case 3:
    (latitude, longitude) = (generator.uniform(-17 ... -16), generator.uniform(-180 ... -179.5))
  case 4:
    // A coarse grid, so that some lie on the same spot.
    (latitude, longitude) =
      (39 + Double(generator.integer(0...9)) / 100, -76 - Double(generator.integer(0...9)) / 100)
  case 5:
    (latitude, longitude) = (
      generator.uniform(-90...90), generator.integer(0...1) == 0 ? 180 : -180
    )
  default: (latitude, longitude) = (generator.uniform(-90...90), generator.uniform(-180...180))
  }
  // What the file keeps: whole ten-millionths of a degree.
  let exact = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  return Coordinate(latitudeE7: exact.latitudeE7, longitudeE7: exact.longitudeE7)
}

func testProvenance(_ count: Int, builtAt seconds: Int64 = 1_767_633_600) -> CacheProvenance {
  CacheProvenance(
    inputs: [
      CacheProvenance.Input(
        name: "test.osm.pbf",
        format: "osm-pbf",
        byteCount: 12,
        crc32: "00000000",
        dataTimestamp: nil,
        license: "ODbL 1.0",
        attribution: "© OpenStreetMap contributors",
        placeCount: count
      )
    ],
    builtAt: Timestamp(seconds: seconds),
    toolVersion: "test",
    selection: ""
  )
}

func writeCache(_ places: [PointOfInterest], to path: String) throws {
  try POICacheWriter(target: path)
    .write(places, categories: testCategories, provenance: testProvenance(places.count))
}
