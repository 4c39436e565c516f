import Foundation
import Geodesy
import Places

/// What a folder of caches, one for each cell of a grid, says of itself: the file `index.json` in it.
public struct CellIndex: Hashable, Sendable, Codable {
  /// The name of the file.
  public static let fileName = "index.json"
  /// What `format` says.
  public static let format = "nearme-cells-1"

  /// One cell.
  public struct Cell: Hashable, Sendable, Codable {
    /// Its name, such as `n35w080`.
    public let cell: String
    /// Its cache, without the folder.
    public let file: String
    /// The places in it, those in its margin included.
    public let places: Int
    /// The size of the cache.
    public let bytes: Int64
    /// CRC-32 of the cache, in 8 hexadecimal digits.
    public let crc32: String

    /// Makes an entry.
    public init(cell: String, file: String, places: Int, bytes: Int64, crc32: String) {
      self.cell = cell
      self.file = file
      self.places = places
      self.bytes = bytes
      self.crc32 = crc32
    }
  }

  /// ``format``.
  public let format: String
  /// The height and the width of a cell.
  public let degrees: Int
  /// How far around its cell a cache has all places.
  public let marginMeters: Double
  /// How far the largest outline of all places reaches.
  public let largestFootprintMeters: Double
  /// The categories of all caches.
  public let categories: [String]
  /// All places, each once.
  public let places: Int
  /// The cells, in order; one that has none here has no place within the margin.
  public let cells: [Cell]

  private enum CodingKeys: String, CodingKey {
    case format, degrees, categories, places, cells
    case marginMeters = "margin_m"
    case largestFootprintMeters = "largest_footprint_m"
  }

  /// Makes an index.
  public init(
    grid: CellGrid,
    marginMeters: Double,
    largestFootprintMeters: Double,
    categories: [CategoryID],
    places: Int,
    cells: [Cell]
  ) {
    format = Self.format
    degrees = grid.degrees
    self.marginMeters = marginMeters
    self.largestFootprintMeters = largestFootprintMeters
    self.categories = categories.map(\.name)
    self.places = places
    self.cells = cells
  }

  /// Whether a path leads to a folder with an index.
  public static func isThere(_ folder: String) -> Bool {
    access(folder + "/" + fileName, F_OK) == 0
  }

  /// Whether a file's name is that of a cell's cache, finished or not: `n35w080-5ec0c24a.sqlite`.
  public static func isCache(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1] == "sqlite" else { return false }
    let halves = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    // The finest grid has the corners of all.
    guard CellGrid(degrees: 1)?.cell(named: String(halves[0])) != nil else { return false }
    let checksum = halves.dropFirst()
    return checksum.isEmpty
      || checksum.count == 1
        && checksum.allSatisfy { $0.utf8.count == 8 && UInt32($0, radix: 16) != nil }
  }

  /// Reads the index of a folder.
  ///
  /// - Throws: ``PlaceStoreError`` if there is none, or it is not sound.
  public static func read(folder: String) throws(PlaceStoreError) -> CellIndex {
    let path = folder + "/" + fileName
    guard let data = FileManager.default.contents(atPath: path) else {
      throw PlaceStoreError(
        .missing,
        path: path,
        advice: "make the folder with `nearme cache build MAP --tiles 5 -o FOLDER`"
      )
    }
    func damaged(_ detail: String) -> PlaceStoreError {
      PlaceStoreError(.damaged, path: path, detail: detail, advice: "build the cells again")
    }
    let index: CellIndex
    do { index = try JSONDecoder().decode(CellIndex.self, from: data) } catch {
      throw damaged("it is no index of cells")
    }
    guard index.format == format else { throw damaged("its format is \(index.format)") }
    guard let grid = CellGrid(degrees: index.degrees) else {
      throw damaged("cells of \(index.degrees)° leave a rest")
    }
    guard index.marginMeters.isFinite, leastMarginMeters...mostMarginMeters ~= index.marginMeters,
      0...PointOfInterest.mostFootprintMeters ~= index.largestFootprintMeters
    else { throw damaged("its margin or its footprint is no length") }
    guard index.places >= 0 else { throw damaged("it has \(index.places) places") }
    var last: CellGrid.Cell?
    for entry in index.cells {
      guard let cell = grid.cell(named: entry.cell), last.map({ $0 < cell }) ?? true,
        !entry.file.contains("/"), entry.file.hasPrefix(entry.cell), entry.bytes > 0,
        entry.places >= 0
      else { throw damaged("the entry of \(entry.cell.prefix(20))") }
      last = cell
    }
    return index
  }

  /// The least margin: what is known around a position must reach as far as an arrival detector sleeps.
  public static let leastMarginMeters = 35_000.0
  /// The largest margin.
  public static let mostMarginMeters = 450_000.0

  /// The index as it stands in the file.
  public var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
  }
}

/// A folder of caches, of which one cell at a time is in memory.
///
/// Unchecked: everything that changes is touched under the lock only.
public final class CellFolder: CatalogSource, @unchecked Sendable {
  /// The folder.
  public let path: String
  /// What it says of itself.
  public let index: CellIndex
  private let grid: CellGrid
  private let lock = NSLock()
  private var fault: PlaceStoreError?

  /// Opens a folder, and no cell yet.
  ///
  /// - Throws: ``PlaceStoreError`` if its index is missing or not sound, or a cache of it has another size.
  public init(_ path: String) throws(PlaceStoreError) {
    self.path = path
    index = try CellIndex.read(folder: path)
    guard let grid = CellGrid(degrees: index.degrees) else {
      preconditionFailure("an index that was read has a grid")
    }
    self.grid = grid
    for cell in index.cells {
      var status = stat()
      let file = path + "/" + cell.file
      guard stat(file, &status) == 0 else {
        throw PlaceStoreError(
          .missing,
          path: file,
          detail: "the index names it",
          advice: "copy the whole folder, or build the cells again"
        )
      }
      guard Int64(status.st_size) == cell.bytes else {
        throw PlaceStoreError(
          .damaged,
          path: file,
          detail: "it has \(status.st_size) bytes, and \(cell.bytes) in the index",
          advice: "copy the whole folder, or build the cells again"
        )
      }
    }
  }

  /// Why the last cell could not be opened; nil if none failed.
  public var failure: PlaceStoreError? { lock.withLock { fault } }

  /// How far around a position all places are known.
  public var knownMeters: Double { CatalogPart.knownMeters(marginMeters: index.marginMeters) }

  /// The places of a cell and of its margin; none where the index has no such cell.
  ///
  /// - Throws: ``PlaceStoreError`` if its cache cannot be read.
  public func points(of cell: CellGrid.Cell) throws(PlaceStoreError) -> [PointOfInterest] {
    guard let entry = index.cells.first(where: { $0.cell == cell.name }) else { return [] }
    let places = try POICache.open(path + "/" + entry.file).allPointsOfInterest()
    guard places.count == entry.places else {
      throw PlaceStoreError(
        .damaged,
        path: path + "/" + entry.file,
        detail: "it has \(places.count) places, and \(entry.places) in the index",
        advice: "build the cells again"
      )
    }
    return places
  }

  /// All places of all cells, each once.
  public func allPointsOfInterest() throws(PlaceStoreError) -> [PointOfInterest] {
    var all: [PointOfInterest] = []
    for entry in index.cells {
      guard let cell = grid.cell(named: entry.cell) else { continue }
      // What lies in the margin is another cell's own.
      all += try points(of: cell).filter { grid.cell(at: $0.coordinate) == cell }
    }
    return all
  }

  /// The places of the cell of a coordinate; nil, and ``failure``, where its cache cannot be read.
  public func part(around coordinate: Coordinate) -> CatalogPart? {
    let cell = grid.cell(at: coordinate)
    do throws(PlaceStoreError) {
      return CatalogPart(
        try points(of: cell),
        cell: cell,
        grid: grid,
        marginMeters: index.marginMeters,
        largestFootprintMeters: index.largestFootprintMeters
      )
    } catch {
      lock.withLock { fault = error }
      return nil
    }
  }
}
