import Geodesy
import Places
import TestSupport
import Testing

@Suite struct CellGridTests {
  /// Points anywhere, many of them at poles, on edges and on the antimeridian.
  private static func coordinate(_ random: inout SeededGenerator) -> Coordinate {
    var latitude = random.uniform(-90...90)
    var longitude = random.uniform(-180...180)
    switch random.integer(0...5) {
    case 0: latitude = random.uniform(0...1) < 0.5 ? 90 : -90
    case 1: latitude = random.uniform(88...90)
    case 2: longitude = random.uniform(179.9...180)
    case 3: longitude = Double(random.integer(-36...36) * 5)
    case 4: latitude = Double(random.integer(-18...18) * 5)
    default: break
    }
    return Coordinate(uncheckedLatitude: latitude, longitude: longitude)
  }

  @Test func `every coordinate has one cell, whose name leads back to it`() throws {
    var random = SeededGenerator(seed: 1)
    for degrees in CellGrid.allowedDegrees {
      let grid = try #require(CellGrid(degrees: degrees))
      for _ in 0..<500 {
        let coordinate = Self.coordinate(&random)
        let cell = grid.cell(at: coordinate)
        #expect(grid.cell(named: cell.name) == cell)
        #expect(grid.meters(from: coordinate, to: cell) == 0)
        #expect(Double(cell.south) <= coordinate.latitude)
        #expect(coordinate.latitude <= Double(cell.south + degrees))
      }
    }
    #expect(CellGrid(degrees: 7) == nil)
    let grid = try #require(CellGrid(degrees: 5))
    #expect(grid.cell(at: Coordinate(uncheckedLatitude: -90, longitude: 180)).name == "s90w180")
    #expect(grid.cell(at: Coordinate(uncheckedLatitude: 90, longitude: -0.1)).name == "n85w005")
    for name in ["", "n35w081", "n90e000", "x35w080", "n35w80", "n-5w080", "n35w0800"] {
      #expect(grid.cell(named: name) == nil, "\(name)")
    }
  }

  /// The distance to a cell beside the least of distances to points drawn all over its edge.
  @Test func `distances to cells are those to the nearest point of their edges`() throws {
    var random = SeededGenerator(seed: 2)
    var compared = 0
    for degrees in [1, 5, 20, 90] {
      let grid = try #require(CellGrid(degrees: degrees))
      for _ in 0..<150 {
        let coordinate = Self.coordinate(&random)
        let around = Coordinate(
          uncheckedLatitude: min(90, max(-90, coordinate.latitude + random.uniform(-4...4))),
          longitude: max(-180, min(180, coordinate.longitude + random.uniform(-4...4)))
        )
        let cell = grid.cell(at: around)
        guard grid.cell(at: coordinate) != cell else { continue }
        let here = SurfacePoint(coordinate)
        var least = Double.infinity
        for step in 0...2_000 {
          let share = Double(step) / 2_000
          let (low, high) = (Double(cell.south), Double(cell.south + degrees))
          let west = Double(cell.west)
          for (latitude, longitude) in [
            (low + share * Double(degrees), west),
            (low + share * Double(degrees), west + Double(degrees)),
            (low, west + share * Double(degrees)), (high, west + share * Double(degrees)),
          ] {
            let edge = Coordinate(uncheckedLatitude: latitude, longitude: longitude)
            least = min(least, here.distanceMeters(to: SurfacePoint(edge)))
          }
        }
        guard least < 500_000 else { continue }
        let meters = grid.meters(from: coordinate, to: cell)
        // The points on the edge are up to 5 km apart.
        let apart = Double(degrees) * 111_320 / 2_000
        #expect(meters <= least * 1.005 + 0.01, "\(coordinate) \(cell)")
        #expect(meters >= least - apart, "\(coordinate) \(cell)")
        compared += 1
      }
    }
    #expect(compared > 150)
  }

  /// The cells around a coordinate beside a look at every cell of the grid.
  @Test func `no cell within reach is left out`() throws {
    var random = SeededGenerator(seed: 3)
    for degrees in [3, 5, 12] {
      let grid = try #require(CellGrid(degrees: degrees))
      var all: [CellGrid.Cell] = []
      for latitude in stride(from: -90, to: 90, by: degrees) {
        for longitude in stride(from: -180, to: 180, by: degrees) {
          all.append(
            grid.cell(
              at: Coordinate(
                uncheckedLatitude: Double(latitude) + 0.5,
                longitude: Double(longitude) + 0.5
              )
            )
          )
        }
      }
      for _ in 0..<40 {
        let coordinate = Self.coordinate(&random)
        let meters = [0.0, 1_000, 50_000, 500_000][random.integer(0...3)]
        let own = grid.cell(at: coordinate)
        let expected = all.filter { $0 == own || grid.meters(from: coordinate, to: $0) <= meters }
        #expect(grid.cells(withinMeters: meters, of: coordinate) == expected.sorted())
      }
    }
  }
}
