import Geodesy

/// Where a host finds the places around a position, when they are too many to be held at once.
public protocol CatalogSource: Sendable {
  /// The part of the whole for a position; nil while it cannot be had, and then the part before is kept.
  func part(around coordinate: Coordinate) -> CatalogPart?
}

/// The points of one cell of a grid and of a margin around it.
public struct CatalogPart: Sendable {
  /// The points, with ``POICatalog/knownMeters`` of what ``serves(_:)`` allows.
  public let catalog: POICatalog
  private let grid: CellGrid
  /// The cell.
  public let cell: CellGrid.Cell

  /// This share of a margin is for going on with a cell that has been left, so that a way along an edge
  /// does not change cells with every bend.
  ///
  /// - Source: judgment: the other three quarters of 50 km hold what rings and ways between two fixes need.
  private static let lingeringShare = 0.25

  private let lingerMeters: Double

  /// Makes a part.
  ///
  /// - Parameters:
  ///   - points: all points within `marginMeters` of the cell; more do no harm.
  ///   - largestFootprintMeters: how far the largest outline of the whole reaches.
  public init(
    _ points: [PointOfInterest],
    cell: CellGrid.Cell,
    grid: CellGrid,
    marginMeters: Double,
    largestFootprintMeters: Double
  ) {
    self.grid = grid
    self.cell = cell
    lingerMeters = marginMeters * Self.lingeringShare
    catalog = POICatalog(
      points,
      knownMeters: Self.knownMeters(marginMeters: marginMeters),
      largestFootprintMeters: largestFootprintMeters
    )
  }

  /// How far around every position that a part serves it has all points.
  public static func knownMeters(marginMeters: Double) -> Double {
    marginMeters * (1 - lingeringShare)
  }

  /// Whether everything around a position that counts is in this part.
  public func serves(_ coordinate: Coordinate) -> Bool {
    grid.cell(at: coordinate) == cell
      || grid.meters(from: coordinate, to: cell) <= lingerMeters
  }
}
