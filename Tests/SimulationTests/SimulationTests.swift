import Geodesy
import Places
import Simulation
import Streets
import Testing
import Timeline
import Traces

@Suite("Simulated days")
struct SimulationTests {
  static func settings(seed: UInt64 = 1) throws -> SimulationSettings {
    var settings = SimulationSettings(
      firstDate: try #require(CivilDate(year: 2026, month: 1, day: 5)),
      zone: .utc
    )
    settings.seed = seed
    return settings
  }

  static func town() throws -> Neighborhood {
    try Neighborhood.town(around: Coordinate(latitude: 39.3, longitude: -76.6), seed: 5)
      .neighborhood
  }

  @Test func `the same seed gives the same bytes, another one others`() throws {
    let town = try Self.town()
    let days = try [1, 1, 2]
      .map {
        SimulatedDay(person: 1, day: 1, in: town, try Self.settings(seed: $0))
      }
    #expect(days[0].gpx == days[1].gpx)
    #expect(days[0].truth == days[1].truth)
    #expect(days[0].truePath == days[1].truePath)
    #expect(days[0].gpx != days[2].gpx)
  }

  @Test func `what comes out agrees with what was asked for`() throws {
    let town = try Self.town()
    var statistics = SimulationStatistics()
    var settings = try Self.settings()
    settings.sampling = .everySecond
    for person in 1...12 {
      statistics.add(SimulationStatistics(SimulatedDay(person: person, day: 1, in: town, settings)))
    }
    print(
      "visits \(statistics.visits), passes \(statistics.driveBys), near \(statistics.nearStays)"
    )
    #expect(statistics.lines.count >= 8)
    for line in statistics.lines {
      print(line.name, line.asked, line.measured, line.count)
      #expect(line.agrees, "\(line.name): \(line.asked) asked, \(line.measured) measured")
    }
    #expect(statistics.visits >= 12)
    #expect(statistics.driveBys > statistics.visits)
  }

  @Test func `without noise every fix is where the person is`() throws {
    var settings = try Self.settings()
    settings.noise = .none
    settings.sampling = .everySecond
    let day = SimulatedDay(person: 2, day: 1, in: try Self.town(), settings)
    #expect(day.fixes.count > 500)
    #expect(day.fixes.allSatisfy { $0.error == PlanePoint(0, 0) })
  }

  @Test func `a town across the 180th meridian is as wide as any`() throws {
    let (town, places) = try Neighborhood.town(
      around: try Coordinate(latitude: 0, longitude: 180),
      blocks: 20,
      seed: 5
    )
    #expect(places.contains { $0.coordinate.longitude > 0 })
    #expect(places.contains { $0.coordinate.longitude < 0 })
    let day = SimulatedDay(person: 1, day: 1, in: town, try Self.settings())
    #expect(day.fixes.count > 100)
    #expect(day.fixes.allSatisfy { abs($0.fix.coordinate.longitude) > 179.9 })
  }

  @Test func `white errors know nothing of each other, and correlated ones do`() throws {
    let town = try Self.town()
    var correlations: [Double] = []
    for isWhite in [true, false] {
      var settings = try Self.settings()
      settings.isWhiteNoise = isWhite
      settings.sampling = .everySecond
      var statistics = SimulationStatistics()
      statistics.add(SimulationStatistics(SimulatedDay(person: 1, day: 1, in: town, settings)))
      let line = try #require(statistics.lines.first { $0.name.hasPrefix("open: correlation") })
      correlations.append(line.measured)
    }
    #expect(abs(correlations[0]) < 0.1)
    #expect(correlations[1] > 0.7)
  }

  @Test func `the harsher realities are there when asked for`() throws {
    let town = try Self.town()
    var settings = try Self.settings()
    settings.sampling = .every5Seconds
    settings.speed = SpeedReport.none
    settings.hasConstantCadence = true
    settings.stopOffsetMeters = 40
    var statistics = SimulationStatistics()
    for person in 1...12 {
      let day = SimulatedDay(person: person, day: 1, in: town, settings)
      #expect(day.fixes.allSatisfy { $0.fix.speedMetersPerSecond == nil })
      // At rest in the open the fixes go on as before.
      let pairs = zip(day.fixes, day.fixes.dropFirst())
      #expect(pairs.contains { $1.fix.at - $0.fix.at == .seconds(5) })
      statistics.add(SimulationStatistics(day))
    }
    let offset = try #require(statistics.lines.first { $0.name.hasPrefix("distance of stops") })
    #expect(offset.asked == 40)
    #expect(offset.agrees, "\(offset.measured)")
  }

  @Test func `a map without streets or places is refused`() throws {
    #expect(throws: SimulationFault.noStreets) {
      try Neighborhood(StreetMap(lines: [], nodes: []), places: [])
    }
    let corner = { (east: Double) in try Coordinate(latitude: 39, longitude: -76 + east) }
    let map = StreetMap(
      lines: [StreetLine(nodes: [1, 2], kind: .residential)],
      nodes: [(1, try corner(0)), (2, try corner(0.001))]
    )
    #expect(throws: SimulationFault.noPlaces) { try Neighborhood(map, places: []) }
    let paths = StreetMap(lines: [StreetLine(nodes: [1, 2], kind: .path)], nodes: map.nodes)
    #expect(throws: SimulationFault.noStreets) { try Neighborhood(paths, places: []) }
  }
}
