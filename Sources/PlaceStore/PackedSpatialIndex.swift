import Geodesy
import GRDB
import GRDBSQLite

/// Fills the empty R*Tree of a table with points at once, from the leaves to the root.
///
/// SQLite inserts one by one, 8 to 11 µs each, and leaves nodes two thirds full. Points in the order
/// of a Hilbert curve need no search: each run of them is a leaf, each run of leaves a node above.
///
/// - Source: sqlite.org/rtree.html, "Shadow Tables", and the head comment of SQLite's rtree.c: a
///   node is its depth (at the root, otherwise 0) and its number of cells, 16 bits each, then the
///   cells: 64 bits of id, and 32-bit floats for the least and greatest x, then y. Big-endian.
struct PackedSpatialIndex {
  /// Whose rows have the ids 1, 2, 3 and so on.
  var coordinates: [Coordinate]
  /// The R*Tree.
  let name: String

  private struct Cell {
    var id: Int64
    var (west, east, south, north): (Float, Float, Float, Float)

    init(id: Int64, _ coordinate: Coordinate) {
      self.id = id
      (west, east) = Self.around(coordinate.longitude)
      (south, north) = Self.around(coordinate.latitude)
    }

    init(id: Int64, around cells: some Collection<Cell>) {
      self.id = id
      (west, south) = (.infinity, .infinity)
      (east, north) = (-.infinity, -.infinity)
      for cell in cells {
        west = min(west, cell.west)
        east = max(east, cell.east)
        south = min(south, cell.south)
        north = max(north, cell.north)
      }
    }

    /// The floats next to a number, on both sides unless one of them is it.
    private static func around(_ value: Double) -> (below: Float, above: Float) {
      let nearest = Float(value)
      return (
        Double(nearest) > value ? nearest.nextDown : nearest,
        Double(nearest) < value ? nearest.nextUp : nearest
      )
    }
  }

  /// Writes the nodes.
  ///
  /// - Parameter checkInterruption: called now and then.
  func write(to database: Database, checkInterruption: () throws -> Void) throws {
    guard !coordinates.isEmpty else { return }
    // The module made the root; its size holds for all nodes.
    let nodeByteCount =
      try Int.fetchOne(
        database,
        sql: "SELECT length(data) FROM \(name)_node WHERE nodeno = 1"
      ) ?? 0
    let capacity = (nodeByteCount - 4) / 24
    guard capacity > 1 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }

    var cells = coordinates.enumerated().map { Cell(id: Int64($0 + 1), $1) }
    var depth = 0
    var nextNode: Int64 = 2
    // The module made an empty root, which another takes the place of.
    try database.execute(sql: "DELETE FROM \(name)_node")
    var parents: [(child: Int64, node: Int64)] = []
    while true {
      let count = (cells.count + capacity - 1) / capacity
      let nodes = try BulkInsert(
        database,
        into: "\(name)_node",
        ["nodeno", "data"],
        rowCount: count,
        rowsAtOnce: 1
      )
      var above: [Cell] = []
      above.reserveCapacity(count)
      // Equally full, so that none is too small to be one.
      for index in 0..<count {
        if index % 256 == 0 { try checkInterruption() }
        let members = cells[cells.count * index / count..<cells.count * (index + 1) / count]
        let number = count == 1 ? 1 : nextNode
        if count > 1 { nextNode += 1 }
        try write(
          members,
          depth: count == 1 ? depth : 0,
          number: number,
          nodeByteCount: nodeByteCount,
          to: nodes
        )
        above.append(Cell(id: number, around: members))
        if depth > 0 { parents += members.map { ($0.id, number) } }
      }
      if depth == 0 {
        let holders = try BulkInsert(
          database,
          into: "\(name)_rowid",
          ["nodeno"],
          rowCount: cells.count
        )
        // SQLite gives the rows their ids: 1, 2, 3 and so on, as those of the table.
        for (index, node) in above.enumerated() {
          for _ in cells.count * index / count..<cells.count * (index + 1) / count {
            holders.bind(1, node.id)
            try holders.endRow()
          }
        }
      } else {
        let holders = try BulkInsert(
          database,
          into: "\(name)_parent",
          ["nodeno", "parentnode"],
          rowCount: parents.count
        )
        for (child, node) in parents {
          holders.bind(1, child)
          holders.bind(2, node)
          try holders.endRow()
        }
        parents.removeAll(keepingCapacity: true)
      }
      if count == 1 { return }
      cells = above
      depth += 1
    }
  }

  private func write(
    _ cells: ArraySlice<Cell>,
    depth: Int,
    number: Int64,
    nodeByteCount: Int,
    to nodes: BulkInsert
  ) throws {
    try withUnsafeTemporaryAllocation(byteCount: nodeByteCount, alignment: 8) { node in
      node.initializeMemory(as: UInt8.self, repeating: 0)
      func store(_ value: some FixedWidthInteger, at offset: Int) {
        node.storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
      }
      store(UInt16(depth), at: 0)
      store(UInt16(cells.count), at: 2)
      var offset = 4
      for cell in cells {
        store(cell.id, at: offset)
        store(cell.west.bitPattern, at: offset + 8)
        store(cell.east.bitPattern, at: offset + 12)
        store(cell.south.bitPattern, at: offset + 16)
        store(cell.north.bitPattern, at: offset + 20)
        offset += 24
      }
      nodes.bind(1, number)
      nodes.bind(2, blob: UnsafeRawBufferPointer(node))
      try nodes.endRow()
    }
  }

  /// Whether SQLite finds the points by the tree: a hundred of them, and the number of all.
  ///
  /// Cheap next to `rtreecheck`, which `nearme cache verify` runs.
  func checksOut(in database: Database) throws -> Bool {
    let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(name)")
    guard count == coordinates.count else { return false }
    let step = max(1, coordinates.count / 100)
    for index in stride(from: 0, to: coordinates.count, by: step) {
      let coordinate = coordinates[index]
      let found = try Bool.fetchOne(
        database,
        sql: """
          SELECT EXISTS (SELECT 1 FROM \(name) WHERE xmin <= :x AND xmax >= :x AND ymin <= :y
            AND ymax >= :y AND +pkid = :id)
          """,
        arguments: ["x": coordinate.longitude, "y": coordinate.latitude, "id": index + 1]
      )
      guard found == true else { return false }
    }
    return true
  }
}

/// Runs a body while the triggers of a table are put aside; they come back as they were.
func withoutTriggers(on table: String, in database: Database, _ body: () throws -> Void) throws {
  let triggers = try Row.fetchAll(
    database,
    sql: """
      SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? ORDER BY rowid
      """,
    arguments: [table]
  )
  for trigger in triggers {
    let name: String = trigger["name"]
    try database.execute(sql: "DROP TRIGGER \(name.quotedDatabaseIdentifier)")
  }
  try body()
  for trigger in triggers { try database.execute(sql: trigger["sql"]) }
}
