import CacheBuilder
import Foundation
import PlaceStore
import Places
import TestSupport
import Testing
import Timeline

/// What the map knows of a place beyond its name.
@Suite struct AttributeTests {
  private static let xml = """
    <osm>
      <node id='1' lat='39.29' lon='-76.61'>
        <tag k='amenity' v='pharmacy'/>
        <tag k='opening_hours' v='Mo-Fr 08:00-18:00; PH off'/>
        <tag k='contact:phone' v='+1 410 555 0100'/>
        <tag k='website' v='https://example.org/?a="b"'/>
        <tag k='addr:street' v='Light Street'/><tag k='addr:housenumber' v='12'/>
        <tag k='addr:city' v='Baltimore'/><tag k='addr:postcode' v='21202'/>
        <tag k='operator' v='Example &amp; Sons'/>
      </node>
      <node id='2' lat='39.30' lon='-76.61'>
        <tag k='amenity' v='bank'/><tag k='addr:postcode' v='21202'/><tag k='phone' v=' '/>
      </node>
      <node id='3' lat='39.31' lon='-76.61'>
        <tag k='amenity' v='bank'/><tag k='addr:city' v='Baltimore'/>
      </node>
    </osm>
    """

  private static let first = [
    "address": "Light Street 12, Baltimore 21202", "opening_hours": "Mo-Fr 08:00-18:00; PH off",
    "operator": "Example & Sons", "phone": "+1 410 555 0100",
    "website": "https://example.org/?a=\"b\"",
  ]

  @Test func `details go into the file, and come out of it and of both exports`() throws {
    let folder = try TemporaryFolder()
    try Data(Self.xml.utf8).write(to: URL(fileURLWithPath: folder.path("town.osm")))
    _ = try CacheBuild(
      inputs: [folder.path("town.osm")],
      output: folder.path("a.sqlite"),
      builtAt: Timestamp(seconds: 0),
      toolVersion: "test"
    )
    .run()
    let cache = try POICache.open(folder.path("a.sqlite"))
    #expect(try cache.problems() == [])
    #expect(try cache.attributes(of: "node/1") == Self.first)
    #expect(try cache.attributes(of: "node/2") == [:])
    #expect(try cache.attributes(of: "node/3") == ["address": "Baltimore"])
    #expect(try cache.attributes(of: "node/4") == [:])
    let all = try cache.allAttributes()
    #expect(all.count == 2)
    #expect(all["node/1"]?.hasPrefix("{\"address\":\"Light Street 12, Baltimore 21202\",") == true)

    let places = try cache.allPointsOfInterest()
    let csv = csvHeader + places.map { csvRow($0, details: all[$0.sourceID]) }.joined()
    let features = places.map { geoJSONFeature($0, details: all[$0.sourceID]) }
    let json = geoJSONStart + features.joined(separator: ",\n") + geoJSONEnd
    for text in [csv, json] {
      let result = try readPlaces(text)
      #expect(result.places == places)
      #expect(result.details == all)
    }
  }

  @Test func `verify and the reader find attributes that are not JSON`() throws {
    #expect(PlaceDetails.values("{\"phone\":") == [:])
    #expect(PlaceDetails.values("{\"phone\":\"1\",\"x\":2}") == ["phone": "1"])
  }
}
