import Geodesy
import Streets
import Testing

@Suite struct PointGridTests {
  @Test func `two towns far apart take no more memory than their points`() {
    let east = 7_000_000.0
    let north = 3_000_000.0
    let points = [
      PlanePoint(0, 0), PlanePoint(10, 0), PlanePoint(150, 0), PlanePoint(0, 150),
      PlanePoint(east, north), PlanePoint(east + 50, north),
    ]
    let grid = PointGrid(points, cellMeters: 100)
    var found: [Int] = []
    grid.forEach(within: 400, of: PlanePoint(0, 0)) { index, _ in found.append(index) }
    #expect(found == [0, 1, 2, 3])
    #expect(grid.nearest(to: PlanePoint(9, 0)) { _ in true } == 1)
    #expect(grid.nearest(to: PlanePoint(east + 20, north - 900)) { _ in true } == 4)
    #expect(grid.nearest(to: PlanePoint(0, 0)) { $0 > 4 } == 5)
    #expect(grid.nearest(to: PlanePoint(0, 0)) { _ in false } == nil)
    #expect(PointGrid([], cellMeters: 100).nearest(to: PlanePoint(0, 0)) { _ in true } == nil)
  }
}
