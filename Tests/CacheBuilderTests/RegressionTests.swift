import CacheBuilder
import Foundation
import Geodesy
import Places
import TestSupport
import Testing

/// The inputs that fuzzing begins with and those that it once found, read as any other file.
@Suite struct RegressionTests {
  private static let fuzz: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder.appendingPathComponent("Fuzz")
  }()

  @Test(arguments: ["pbf", "osm-xml", "geojson", "csv", "overpass", "kml", "geopackage"])
  func `every input gives sound places or an error with a sentence`(target: String) throws {
    var count = 0
    for kind in ["seeds", "regressions"] {
      let folder = Self.fuzz.appendingPathComponent("\(kind)/\(target)")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names.sorted() {
        count += 1
        do {
          let result = try importPlaces(path: folder.appendingPathComponent(name).path)
          for place in result.places {
            #expect((-90.0...90.0).contains(place.coordinate.latitude), "\(name)")
            #expect((-180.0...180.0).contains(place.coordinate.longitude), "\(name)")
            let radius = place.footprintRadiusMeters
            #expect((0...WGS84.halfMeridianMeters).contains(radius), "\(name)")
            let known = CategoryRules.standard.categories.map(\.id)
            #expect(place.categories.allSatisfy(known.contains), "\(name)")
          }
        } catch {
          #expect(!error.description.isEmpty, "\(name)")
        }
      }
    }
    #expect(count > 0)
  }

  @Test func `a name is 255 code points at most, whatever its accents`() throws {
    let name = "e" + String(repeating: "\u{301}", count: 100_000)
    let result = try readPlaces("lat,lon,category,name\n1,2,bank,\(name)\n")
    #expect(result.places.first?.name?.unicodeScalars.count == 255)
  }
}
