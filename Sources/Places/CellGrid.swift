import Geodesy

/// The earth cut along meridians and parallels into cells of equal degrees.
///
/// Every coordinate lies in exactly one cell: its south and west edges belong to it, both poles to the
/// outermost rows, and 180° east is 180° west.
public struct CellGrid: Hashable, Sendable {
  /// The height and the width of a cell.
  public let degrees: Int

  /// The sizes that leave no rest from pole to pole and once around.
  public static let allowedDegrees = [1, 2, 3, 4, 5, 6, 9, 10, 12, 15, 18, 20, 30, 36, 45, 60, 90]

  /// Makes a grid; nil for a size that is not one of ``allowedDegrees``.
  public init?(degrees: Int) {
    guard Self.allowedDegrees.contains(degrees) else { return nil }
    self.degrees = degrees
  }

  /// One cell, by its southwestern corner in whole degrees.
  public struct Cell: Hashable, Sendable, Comparable {
    /// Degrees north of its southern edge.
    public let south: Int
    /// Degrees east of its western edge, −180 … 179.
    public let west: Int

    /// The name in files: `n35w080`, `s05e175`.
    public var name: String {
      func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(abs(number))
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
      }
      return (south < 0 ? "s" : "n") + padded(south, 2) + (west < 0 ? "w" : "e") + padded(west, 3)
    }

    /// From south to north, then from west to east.
    public static func < (a: Cell, b: Cell) -> Bool { (a.south, a.west) < (b.south, b.west) }
  }

  /// The cell of a name; nil for what is no name of a cell of this grid.
  public func cell(named name: String) -> Cell? {
    let letters = Array(name.utf8)
    guard letters.count == 7, let north = Int(String(decoding: letters[1..<3], as: UTF8.self)),
      let east = Int(String(decoding: letters[4..<7], as: UTF8.self))
    else { return nil }
    let cell = Cell(
      south: letters[0] == UInt8(ascii: "s") ? -north : north,
      west: letters[3] == UInt8(ascii: "w") ? -east : east
    )
    return cell.name == name && all(cell) ? cell : nil
  }

  private func all(_ cell: Cell) -> Bool {
    (-90..<90).contains(cell.south) && (cell.south + 90).isMultiple(of: degrees)
      && (-180..<180).contains(cell.west) && (cell.west + 180).isMultiple(of: degrees)
  }

  /// The cell that a coordinate lies in.
  public func cell(at coordinate: Coordinate) -> Cell {
    cell(
      row: min(Int(coordinate.latitude + 90) / degrees, 180 / degrees - 1),
      column: Int(coordinate.longitude + 180) / degrees
    )
  }

  private func cell(row: Int, column: Int) -> Cell {
    let columns = 360 / degrees
    let around = ((column % columns) + columns) % columns
    return Cell(south: row * degrees - 90, west: around * degrees - 180)
  }

  /// The cells that have a part within a distance of a coordinate, in order; its own is one of them.
  ///
  /// - Parameter meters: at most 500 km.
  /// - Complexity: O(1) in the middle of a cell, O(cells of a row) beside a pole.
  public func cells(withinMeters meters: Double, of coordinate: Coordinate) -> [Cell] {
    precondition((0...500_000).contains(meters), "cells are looked for within 500 km")
    let own = cell(at: coordinate)
    // A degree of latitude has 110.57 km at least.
    // A little more, for a coordinate on an edge is within no distance of the cell beyond it.
    let reach = meters / 110_500 + 1e-9
    let rows = 180 / degrees
    let low = min(rows - 1, Int(max(0, coordinate.latitude + 90 - reach)) / degrees)
    let high = min(rows - 1, Int(coordinate.latitude + 90 + reach) / degrees)
    let farthest = max(abs(coordinate.latitude - reach), abs(coordinate.latitude + reach))
    let columns = 360 / degrees
    let column = (own.west + 180) / degrees
    // The widest circle of latitude that is reached has the fewest degrees for a kilometer; half as much
    // again covers what a geodesic gains on it.
    let aside =
      farthest > 85
      ? columns / 2 + 1
      : Int(1.5 * reach / cosine(farthest)) / degrees + 1
    var found: [Cell] = []
    for row in low...high {
      let around = 2 * aside + 1 >= columns ? 0..<columns : (column - aside)..<(column + aside + 1)
      for column in around {
        let cell = cell(row: row, column: column)
        if cell == own || self.meters(from: coordinate, to: cell) <= meters { found.append(cell) }
      }
    }
    return found.sorted()
  }

  /// The distance from a coordinate to the nearest part of a cell; 0 inside.
  ///
  /// - Precision: never too small, and at most 0.5 % too large up to 500 km: the nearest point of a
  ///   meridian is looked for on a sphere, and measured on the ellipsoid.
  public func meters(from coordinate: Coordinate, to cell: Cell) -> Double {
    let south = Double(cell.south)
    let north = south + Double(degrees)
    var east = coordinate.longitude - Double(cell.west)
    if east < 0 { east += 360 }
    if east >= 360 { east -= 360 }
    if east <= Double(degrees) {
      guard coordinate.latitude < south || coordinate.latitude > north else { return 0 }
      let nearest = Coordinate(
        uncheckedLatitude: coordinate.latitude < south ? south : north,
        longitude: coordinate.longitude
      )
      return SurfacePoint(coordinate).distanceMeters(to: SurfacePoint(nearest))
    }
    let here = SurfacePoint(coordinate)
    return min(
      meters(from: here, toMeridian: Double(cell.west), south, north),
      meters(from: here, toMeridian: Double(cell.west + degrees), south, north)
    )
  }

  /// The distance to a piece of a meridian: to the foot of the perpendicular if that lies on the piece,
  /// else to its nearer end.
  private func meters(
    from here: SurfacePoint,
    toMeridian longitude: Double,
    _ south: Double,
    _ north: Double
  ) -> Double {
    let low = SurfacePoint(Coordinate(uncheckedLatitude: south, longitude: longitude))
    let high = SurfacePoint(Coordinate(uncheckedLatitude: north, longitude: longitude))
    let ends = min(here.distanceMeters(to: low), here.distanceMeters(to: high))
    let equator = SurfacePoint(Coordinate(uncheckedLatitude: 0, longitude: longitude))
    let (alongX, alongY) = (
      equator.x / WGS84.equatorialRadiusMeters, equator.y / WGS84.equatorialRadiusMeters
    )
    let out = here.x * alongX + here.y * alongY
    // Beyond the poles the meridian is another one.
    guard out > 0 else { return ends }
    func axisDistance(_ point: SurfacePoint) -> Double {
      max(0, point.x * alongX + point.y * alongY)
    }
    guard here.z * axisDistance(low) >= low.z * out, here.z * axisDistance(high) <= high.z * out
    else { return ends }
    let (a, b) = (WGS84.equatorialRadiusMeters, WGS84.polarRadiusMeters)
    let scale = (out * out / (a * a) + here.z * here.z / (b * b)).squareRoot()
    let foot = SurfacePoint(
      x: out * alongX / scale,
      y: out * alongY / scale,
      z: here.z / scale
    )
    return min(ends, here.distanceMeters(to: foot))
  }

  private func cosine(_ degrees: Double) -> Double {
    let circle = SurfacePoint(Coordinate(uncheckedLatitude: degrees, longitude: 0))
    return circle.x / WGS84.equatorialRadiusMeters
  }
}
