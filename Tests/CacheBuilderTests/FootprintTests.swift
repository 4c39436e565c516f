import Basics
import CacheBuilder
import Geodesy
import TestSupport
import Testing

@Suite struct FootprintTests {
  private static func ring(_ points: [(Double, Double)], scale: Double = 1e-4) -> [Coordinate] {
    points.map { Coordinate(uncheckedLatitude: 48 + $0.1 * scale, longitude: 11 + $0.0 * scale) }
  }

  /// Whether the turns seen from the point add up to a whole one: not the method of the code.
  private static func winds(_ ring: [Coordinate], around point: Coordinate) -> Bool {
    var turns = 0
    for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
      let side =
        (b.longitude - a.longitude) * (point.latitude - a.latitude)
        - (point.longitude - a.longitude) * (b.latitude - a.latitude)
      if a.latitude <= point.latitude, b.latitude > point.latitude, side > 0 { turns += 1 }
      if a.latitude > point.latitude, b.latitude <= point.latitude, side < 0 { turns -= 1 }
    }
    return turns != 0
  }

  @Test func `the point of a C lies on the C`() throws {
    let c = Self.ring([
      (0, 0), (10, 0), (10, 2), (2, 2), (2, 8), (10, 8), (10, 10), (0, 10), (0, 0),
    ])
    let found = try #require(footprint(ofArea: c))
    #expect(Self.winds(c, around: found.coordinate))
    let farthest = c.map { found.coordinate.distanceMeters(to: $0) }.max() ?? 0
    #expect(abs(found.radiusMeters - farthest) < 0.2)
  }

  @Test func `the point of a ring lies beside its hole`() throws {
    let outer = Self.ring([(0, 0), (10, 0), (10, 10), (0, 10)])
    let hole = Self.ring([(1, 1), (1, 9), (9, 9), (9, 1)])
    let found = try #require(footprint(ofArea: outer, holes: [hole]))
    #expect(Self.winds(outer, around: found.coordinate))
    #expect(!Self.winds(hole, around: found.coordinate))
  }

  @Test(arguments: (0..<300).map { UInt64($0) })
  func `the point of any star lies in it`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let corners = generator.integer(3...40)
    let star = Self.ring(
      (0..<corners)
        .map { index in
          let radius = generator.uniform(1...20)
          let angle = (Double(index) + generator.uniform(0...0.5)) / Double(corners) * 360
          let (sine, cosine) = sineAndCosine(degrees: angle)
          return (radius * cosine, radius * sine)
        }
    )
    let found = try #require(footprint(ofArea: star))
    #expect(Self.winds(star, around: found.coordinate), "seed \(seed)")
  }

  /// A park of 300 km, one beside a pole, and a house at it.
  @Test(arguments: [
    [(58.0, 10.0), (58, 16), (62, 16), (62, 10)], [(85, 0), (85, 60), (87, 60), (87, 0)],
    [(-89.9995, 0), (-89.9995, 90), (-89.9995, 180), (-89.9995, -90)],
  ])
  func `a large outline reaches as far as its corners are, and so does one at a pole`(
    corners: [(Double, Double)]
  ) throws {
    let ring = corners.map { Coordinate(uncheckedLatitude: $0.0, longitude: $0.1) }
    let found = try #require(footprint(ofArea: ring))
    let farthest = ring.map { found.coordinate.distanceMeters(to: $0) }.max() ?? 0
    #expect(abs(found.radiusMeters - farthest) < 0.1)
  }

  @Test func `shapes without a surface`() throws {
    #expect(footprint(ofArea: []) == nil)
    #expect(footprint(ofLine: []) == nil)
    let point = Self.ring([(1, 1)])
    #expect(footprint(ofArea: point)?.coordinate == point[0])
    #expect(footprint(ofLine: point)?.radiusMeters == 0)
    let line = Self.ring([(0, 0), (0, 10), (0, 0)])
    #expect(try #require(footprint(ofArea: line)).radiusMeters < 112)
  }

  @Test func `an area across 180 degrees`() throws {
    let ring = [(179.999, -17.0), (-179.999, -17), (-179.999, -16.999), (179.999, -16.999)]
      .map { Coordinate(uncheckedLatitude: $0.1, longitude: $0.0) }
    let found = try #require(footprint(ofArea: ring))
    #expect(abs(abs(found.coordinate.longitude) - 180) < 1e-6)
    #expect(found.radiusMeters < 130)
  }

  @Test func `lines join at their ends, whichever way they run`() {
    #expect(joinedRings([[1, 2, 3], [1, 5, 4], [3, 4]]) == [[1, 2, 3, 4, 5, 1]])
    // A line that finds no partner was turned round to look at its other end.
    #expect(joinedRings([[1, 2, 3, 1], [7, 8], []]) == [[1, 2, 3, 1], [8, 7]])
    #expect(joinedRings([[2, 3], [1, 2]]) == [[3, 2, 1]])
    #expect(joinedRings([[1, 2], [1, 2]]).map(\.count) == [3])
  }
}
