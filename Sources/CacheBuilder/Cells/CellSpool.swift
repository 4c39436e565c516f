import Geodesy
import Places

/// Places by cell, in one file.
final class CellSpool {
  private let file: SpoolFile
  private let grid: CellGrid
  private let marginMeters: Double
  private let categories: [CategoryID]
  private var indexByCategory: [CategoryID: UInt64] = [:]
  private var cells: [CellGrid.Cell: Content] = [:]
  private var writer = SpoolWriter()
  private(set) var largestFootprintMeters = 0.0
  /// Places, each once however many cells have it.
  private(set) var placeCount = 0

  private struct Content {
    var buffer: [UInt8] = []
    var chunks: [Range<Int>] = []
  }

  /// A cell keeps so many bytes in memory: with all 2,592 cells of 5° that are 10 MB.
  private static let bufferBytes = 4_096

  init(
    in folder: String,
    grid: CellGrid,
    marginMeters: Double,
    categories: [CategoryID]
  ) throws(ImportError) {
    file = try SpoolFile(in: folder)
    self.grid = grid
    self.marginMeters = marginMeters
    self.categories = categories
    for (index, category) in categories.enumerated() { indexByCategory[category] = UInt64(index) }
  }

  /// Adds a place to its cell and to all in whose margin it lies.
  func add(_ place: PointOfInterest, _ details: String?) throws(ImportError) {
    placeCount += 1
    largestFootprintMeters = max(largestFootprintMeters, place.footprintRadiusMeters)
    writer.removeAll()
    writer.add(place.sourceID)
    writer.add(UInt64(place.categories.count))
    for category in place.categories {
      guard let index = indexByCategory[category] else {
        preconditionFailure("a place has a category that no rule makes: \(category)")
      }
      writer.add(index)
    }
    writer.add(place.name)
    writer.add(place.brand)
    writer.add(details)
    writer.add(bits: place.coordinate.latitude)
    writer.add(bits: place.coordinate.longitude)
    writer.add(bits: place.footprintRadiusMeters)
    // One percent more: what lies just beyond may be one place with something that lies within.
    for cell in grid.cells(withinMeters: marginMeters * 1.01, of: place.coordinate) {
      cells[cell, default: Content()].buffer += writer.bytes
      if cells[cell]?.buffer.count ?? 0 >= Self.bufferBytes { try flush(cell) }
    }
  }

  private func flush(_ cell: CellGrid.Cell) throws(ImportError) {
    guard let buffer = cells[cell]?.buffer, !buffer.isEmpty else { return }
    cells[cell]?.chunks.append(try file.append(buffer))
    cells[cell]?.buffer.removeAll(keepingCapacity: true)
  }

  /// Ends the adding.
  ///
  /// - Returns: the cells that have a place, in order; one that has places in its margin only is one of
  ///   them, for a phone in it may be near them.
  func finish() throws(ImportError) -> [CellGrid.Cell] {
    let all = cells.keys.sorted()
    for cell in all { try flush(cell) }
    return all
  }

  /// The places of a cell and its margin, in the order in which they were added.
  ///
  /// May be called on several threads at a time, after ``finish()``.
  func places(
    of cell: CellGrid.Cell
  ) throws(ImportError) -> (places: [PointOfInterest], details: [String: String]) {
    var places: [PointOfInterest] = []
    var details: [String: String] = [:]
    for chunk in cells[cell]?.chunks ?? [] {
      var reader = SpoolReader(try file.read(chunk))
      while !reader.isAtEnd {
        guard let id = reader.text() else { preconditionFailure("a place without an id") }
        let own = (0..<reader.number()).map { _ in categories[Int(reader.number())] }
        let (name, brand) = (reader.text(), reader.text())
        details[id] = reader.text()
        places.append(
          PointOfInterest(
            sourceID: id,
            categories: own,
            name: name,
            brand: brand,
            coordinate: Coordinate(uncheckedLatitude: reader.bits(), longitude: reader.bits()),
            footprintRadiusMeters: reader.bits()
          )
        )
      }
    }
    return (places, details)
  }
}
