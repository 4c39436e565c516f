import Fencing
import Foundation
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// Cells of a list of points, as a folder of caches has them.
struct DrawnCells: CatalogSource {
  let pois: [PointOfInterest]
  let grid: CellGrid
  var marginMeters = 50_000.0

  func part(around coordinate: Coordinate) -> CatalogPart? {
    let cell = grid.cell(at: coordinate)
    return CatalogPart(
      pois.filter { grid.meters(from: $0.coordinate, to: cell) <= marginMeters },
      cell: cell,
      grid: grid,
      marginMeters: marginMeters,
      largestFootprintMeters: pois.map(\.footprintRadiusMeters).max() ?? 0
    )
  }
}

/// A world across the corner of four cells: anywhere, at a pole or on the antimeridian.
private struct CornerWorld {
  let world: RandomWorld
  let grid: CellGrid

  init(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed &* 7919)
    let degrees = [1, 2, 5, 10][random.integer(0...3)]
    grid = try #require(CellGrid(degrees: degrees))
    func edge(_ low: Int, _ high: Int) -> Double {
      Double(random.integer((low / degrees)...(high / degrees)) * degrees)
    }
    let middle: (latitude: Double, longitude: Double)
    switch seed % 5 {
    case 0: middle = (90, 0)
    case 1: middle = (seed % 2 == 0 ? -90 : edge(-80, 80), 180)
    case 2: middle = (edge(-70, 70), 180)
    default: middle = (edge(-80, 80), edge(-170, 170))
    }
    let off = (random.uniform(-0.1...0.1), random.uniform(-0.1...0.1))
    let world = RandomWorld(
      seed: seed,
      isSmall: seed % 10 != 0,
      around: Coordinate(uncheckedLatitude: off.0, longitude: off.1),
      extents: [3_000, 20_000, 60_000, 150_000]
    )
    // 0°N 0°E is turned to the middle, so that the plane the world was drawn on has no pole in it.
    let (b, l) = (middle.latitude * .pi / 180, middle.longitude * .pi / 180)
    self.world = RandomWorld(world) { coordinate in
      let (p, q) = (coordinate.latitude * .pi / 180, coordinate.longitude * .pi / 180)
      let (x, y, z) = (cos(p) * cos(q), cos(p) * sin(q), sin(p))
      let (u, w) = (x * cos(b) - z * sin(b), x * sin(b) + z * cos(b))
      let (east, north) = (u * sin(l) + y * cos(l), u * cos(l) - y * sin(l))
      return Coordinate(
        uncheckedLatitude: min(90, max(-90, asin(max(-1, min(1, w))) * 180 / .pi)),
        longitude: min(180, max(-180, atan2(east, north) * 180 / .pi))
      )
    }
  }
}

@Suite struct CellTests {
  /// What a replay comes to, and in how many cells the engine was.
  private static func run(
    _ world: RandomWorld,
    policy: Policy,
    service: LocationService,
    cells: DrawnCells?
  ) throws -> (lines: [String], moves: [String], cells: Int, mostPoints: Int) {
    var setup = ReplaySetup(
      policy: policy,
      catalog: cells == nil ? POICatalog(world.pois) : .empty,
      service: service
    )
    setup.parts = cells
    var session = try setup.session(
      for: Person(places: world.places, reminders: world.reminders)
    )
    let format = NDJSONFormat()
    var lines: [String] = []
    var moves: [String] = []
    var (changes, most) = (0, 0)
    var cell: CellGrid.Cell?
    func keep(_ new: [ReplayLine]) {
      for line in new {
        lines.append(format.text(line))
        if case .transition(let t) = line, t.kind != .dwell {
          moves.append("\(t.at.milliseconds) \(t.reminder) \(t.step.name) \(t.kind)")
        }
      }
    }
    // As columns, so that fixes of which nothing comes are passed over together.
    for start in stride(from: 0, to: world.fixes.count, by: 16) {
      let some = FixColumns(Array(world.fixes[start...].prefix(16)))
      try session.consume(some) { new, _ in keep(new) }
      if session.cell != cell { changes += 1 }
      cell = session.cell
      most = max(most, session.engine.catalog.points.count)
    }
    keep(try session.finish())
    return (lines, moves.sorted(), changes, most)
  }

  /// Ten thousand worlds across borders: with every fix, all that is said, decided and refused is the
  /// same to the byte, and with regions that are never late every ring is crossed at the same fix.
  @Test(arguments: 0..<20)
  func `a drive across cells says the same as on one cache`(_ chunk: Int) throws {
    var (cells, said) = (0, 0)
    for seed in UInt64(chunk * 500 + 1)...UInt64(chunk * 500 + 500) {
      let corner = try CornerWorld(seed: seed)
      let drawn = DrawnCells(pois: corner.world.pois, grid: corner.grid)
      // Weighed arrivals and measured ones in turn.
      let policy = seed % 2 == 0 ? Policy() : .measuring
      let whole = try Self.run(corner.world, policy: policy, service: .stream, cells: nil)
      let parts = try Self.run(corner.world, policy: policy, service: .stream, cells: drawn)
      #expect(whole.lines == parts.lines, "seed \(seed), every fix")
      cells += parts.cells
      said += whole.lines.count
      let slots = [20, 5, 3][Int(seed % 3)]
      let asleep = try Self.run(
        corner.world,
        policy: .measuring,
        service: .ideal(slots: slots),
        cells: nil
      )
      let asleepInParts = try Self.run(
        corner.world,
        policy: .measuring,
        service: .ideal(slots: slots),
        cells: drawn
      )
      #expect(asleep.moves == asleepInParts.moves, "seed \(seed), \(slots) regions")
    }
    #expect(cells > 700, "the ways lead through several cells: \(cells)")
    #expect(said > 5_000, "something is said: \(said)")
  }
}
