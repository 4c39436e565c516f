import DayReports
import Geodesy
import Streets
import Testing
import TestSupport

/// What is drawn under the map.
@Suite struct BaseMapTests {
  private static let middle = Coordinate(uncheckedLatitude: 39.3, longitude: -76.6)
  private static let plane = LocalPlane(origin: middle)

  private static func spot(_ east: Double, _ north: Double) -> Coordinate {
    plane.coordinate(eastMeters: east, northMeters: north)
  }

  /// Two kilometers east.
  private static let way = stride(from: 0.0, through: 2_000, by: 20).map { spot($0, 0) }

  /// The points of a packed line.
  private static func points(_ numbers: [Int]) -> [Coordinate] {
    var (north, east) = (0, 0)
    return stride(from: 0, to: numbers.count, by: 2)
      .map { i in
        north += numbers[i]
        east += numbers[i + 1]
        return Coordinate(
          uncheckedLatitude: Double(north) * 1e-5,
          longitude: Double(east) * 1e-5
        )
      }
  }

  @Test func `streets far from the way are left out, and motorways are not`() throws {
    let line = [Self.spot(0, 4_000), Self.spot(500, 4_000)]
    let near = [Self.spot(0, 300), Self.spot(500, 300)]
    let map = try #require(
      BaseMap(
        [
          MapFeature(kind: .street, points: line), MapFeature(kind: .street, points: near),
          MapFeature(kind: .motorway, points: line),
        ],
        around: Self.way
      )
    )
    #expect(map.layers.map(\.kind) == ["street", "motorway"])
    #expect(map.layers.map(\.lines.count) == [1, 1])
    #expect(map.attribution.contains("OpenStreetMap contributors"))
  }

  @Test func `a map of elsewhere is no map`() {
    let line = [Self.spot(90_000, 0), Self.spot(91_000, 0)]
    #expect(BaseMap([MapFeature(kind: .street, points: line)], around: Self.way) == nil)
    #expect(BaseMap([MapFeature(kind: .street, points: Self.way)], around: []) == nil)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a line near the way keeps its shape to a few meters, with fewer points`(
    _ seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var north = 100.0
    let line = (0..<300)
      .map { i -> Coordinate in
        north += Double.random(in: -3...3, using: &random)
        return Self.spot(Double(i) * 5, north)
      }
    let map = try #require(
      BaseMap([MapFeature(kind: .street, points: line)], around: Self.way)
    )
    let kept = Self.points(map.layers[0].lines[0])
    #expect(kept.count < 200 && kept.count > 2, "seed \(seed): \(kept.count)")
    for point in line {
      let flat = Self.plane.project(point)
      let meters = zip(kept, kept.dropFirst())
        .map { a, b in Self.distance(flat, Self.plane.project(a), Self.plane.project(b)) }
        .min()
      // The tolerance, and a rounding to 1e-5 degrees.
      #expect(try #require(meters) < 4 + 1.2, "seed \(seed)")
    }
  }

  @Test func `a map of a whole city becomes coarser until it fits`() throws {
    var features: [MapFeature] = []
    var random = SeededGenerator(seed: 7)
    for row in 0..<1_500 {
      let north = Double(row) - 750
      features.append(
        MapFeature(
          kind: .street,
          points: (0..<120)
            .map { Self.spot(Double($0) * 15, north + Double.random(in: -9...9, using: &random)) }
        )
      )
    }
    let map = try #require(BaseMap(features, around: Self.way))
    let count = map.layers.reduce(0) { $0 + $1.lines.reduce(0) { $0 + $1.count / 2 } }
    #expect(count > 1_000 && count <= 60_000, "\(count) points of 180000")
  }

  private typealias Flat = (eastMeters: Double, northMeters: Double)

  private static func distance(_ point: Flat, _ a: Flat, _ b: Flat) -> Double {
    let (x, y) = (b.eastMeters - a.eastMeters, b.northMeters - a.northMeters)
    let length = max(x * x + y * y, 1e-9)
    let share =
      ((point.eastMeters - a.eastMeters) * x + (point.northMeters - a.northMeters) * y) / length
    let at = min(max(share, 0), 1)
    let (east, north) = (
      point.eastMeters - a.eastMeters - at * x, point.northMeters - a.northMeters - at * y
    )
    return (east * east + north * north).squareRoot()
  }
}
