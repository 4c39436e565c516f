import Foundation
import Geodesy
import GRDB
import Places
import Timeline

/// Builds a cache beside the file it will replace, and puts it in place in one step.
///
/// Until then the old file is untouched. Letting go of the writer before ``write(_:provenance:)``
/// has returned removes what it had written. A link stays; what it leads to is replaced.
package final class POICacheWriter {
  /// As the user named it, for messages.
  private let target: String
  /// The file itself, where the target is a link.
  private let destination: String
  private let temporary: String
  private let isInterrupted: @Sendable () -> Bool
  private var isFilled = false
  private var isDone = false
  /// False to have SpatiaLite make the index, as it does where the packed one is not sound.
  package var trustsPackedIndex = true
  /// Told how many rows of how many have been written.
  package var onProgress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }

  /// Prepares a build.
  ///
  /// - Parameter isInterrupted: asked between steps; true ends the build with `.interrupted`.
  /// - Throws: ``PlaceStoreError`` if the folder cannot be written to, or if the target exists and
  ///   is anything but a cache: a slip of the fingers must not cost the user a file.
  package init(
    target: String,
    isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws(PlaceStoreError) {
    self.target = target
    self.isInterrupted = isInterrupted
    destination = try Self.followingLinks(target)
    let url = URL(fileURLWithPath: destination)
    let folder = url.deletingLastPathComponent().path
    let prefix = ".\(url.lastPathComponent)."
    temporary =
      "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: .min ... .max))\(Self.suffix)"
    try Self.requireReplaceable(destination, named: target)
    try Self.refuseJournal(of: destination, named: target)
    Self.removeLeftovers(in: folder, prefix: prefix)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      // The message is about the file the user named; the temporary one means nothing to them.
      throw PlaceStoreError(
        .inputOutput,
        path: target,
        detail: String(cString: strerror(errno)),
        advice: "choose a folder that exists and can be written to"
      )
    }
    _ = Foundation.close(descriptor)
  }

  deinit { if !isDone { unlink(temporary) } }

  private static let suffix = ".building"

  /// Removes what builds of the same target left that were killed, not those that still run.
  private static func removeLeftovers(in folder: String, prefix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
      let digits = name.dropFirst(prefix.count).prefix { $0 != "-" }
      guard let process = pid_t(digits), kill(process, 0) != 0, errno == ESRCH else { continue }
      unlink("\(folder)/\(name)")
    }
  }

  /// Where a chain of links ends, whether there is a file or not.
  private static func followingLinks(_ target: String) throws(PlaceStoreError) -> String {
    var path = target
    // Linux follows 40 links and takes more for a circle.
    for _ in 0..<40 {
      guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
        return path
      }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      path = URL(fileURLWithPath: next, relativeTo: folder).path
    }
    throw PlaceStoreError(
      .inputOutput,
      path: target,
      detail: "a link that leads in a circle",
      advice: "name another file"
    )
  }

  /// Refuses a name that has a journal beside it, be there a file or not: SQLite would play what an old
  /// file left into the new one.
  private static func refuseJournal(
    of path: String,
    named target: String
  ) throws(PlaceStoreError) {
    for suffix in ["-journal", "-wal"] where access(path + suffix, F_OK) == 0 {
      throw PlaceStoreError(
        .busy,
        path: target,
        detail: "its journal \(path + suffix) is there",
        advice: access(path, F_OK) == 0
          ? "close the program that has it open; if there is none, `PRAGMA journal_mode = DELETE` in the "
            + "sqlite3 shell puts it away"
          : "its own file is gone: remove it, or name another file"
      )
    }
  }

  private static func requireReplaceable(
    _ path: String,
    named target: String
  ) throws(PlaceStoreError) {
    let found: FileIdentity?
    do throws(PlaceStoreError) {
      found = try FileIdentity.read(path: path)
    } catch {
      if error.code == .missing { return }
      throw PlaceStoreError(
        error.code,
        path: target,
        detail: error.detail,
        advice: "it is not a cache, so it will not be replaced: name another file"
      )
    }
    // An empty file holds nothing that could be lost: `mktemp` makes such files.
    guard let found else { return }
    guard found.applicationID == FileIdentity.poiCache else {
      throw PlaceStoreError(
        .foreignDatabase,
        path: target,
        advice: "it will not be replaced: name another file"
      )
    }
  }

  /// Writes the places and puts the file in place; may be called once.
  ///
  /// Rows are in the order of a Hilbert curve, then of source id; the same places give the same
  /// bytes as long as `provenance.builtAt` is the same.
  ///
  /// - Parameter places: no two with the same source id.
  /// - Parameter details: by source id, what else is known of a place, as JSON.
  /// - Complexity: O(n log n).
  package func write(
    _ places: [PointOfInterest],
    details: [String: String] = [:],
    categories: [CategoryID],
    provenance: CacheProvenance
  ) throws(PlaceStoreError) {
    do throws(PlaceStoreError) {
      try fill(with: places, details: details, categories: categories, provenance: provenance)
      try putInPlace()
    } catch {
      throw aboutTarget(error)
    }
    isDone = true
  }

  /// Says how large the file would be, by writing it and throwing it away; may be called once,
  /// instead of ``write(_:details:categories:provenance:)``.
  package func byteCount(
    of places: [PointOfInterest],
    details: [String: String] = [:],
    categories: [CategoryID],
    provenance: CacheProvenance
  ) throws(PlaceStoreError) -> Int64 {
    do throws(PlaceStoreError) {
      try fill(with: places, details: details, categories: categories, provenance: provenance)
      var status = stat()
      guard stat(temporary, &status) == 0 else { throw systemError(path: target) }
      return Int64(status.st_size)
    } catch {
      throw aboutTarget(error)
    }
  }

  private func fill(
    with places: [PointOfInterest],
    details: [String: String],
    categories: [CategoryID],
    provenance: CacheProvenance
  ) throws(PlaceStoreError) {
    precondition(!isFilled, "a writer builds one cache")
    isFilled = true
    let database = try SpatialDatabase(
      path: temporary,
      isReadOnly: false,
      isInterrupted: isInterrupted
    )
    try database.withoutTransaction { database in
      // A build that stops is thrown away, so there is nothing that a journal could save; and
      // the rows refer to rows that were written just before.
      try database.execute(
        sql: """
          PRAGMA page_size = \(CacheSchema.pageByteCount(places: places.count));
          PRAGMA journal_mode = OFF;
          PRAGMA synchronous = OFF;
          PRAGMA foreign_keys = OFF;
          PRAGMA cache_size = -4000;
          PRAGMA threads = 2;
          """
      )
    }
    try database.write { database in
      try CacheSchema.create(in: database)
      try requireOne(database, "SELECT CreateSpatialIndex('poi', 'geom')")
      try insert(places, details, categories: categories, into: database)
      try CacheSchema.createIndexes(in: database)
      try CacheSchema.createView(in: database)
      try insert(provenance, into: database)
      let time = RFC3339.format(provenance.builtAt)
      try CacheSchema.keepStatistics(
        of: database,
        rowCount: places.count,
        extent: extent(of: places),
        at: time
      )
      try fixTimes(of: database, at: time)
    }
    try database.close()
  }

  /// The error as one of the file that the user named.
  ///
  /// Nothing but the disk can damage a new file of our own. SpatiaLite keeps to itself that a disk is
  /// full, and what fails then is the next step, which trips over what is not there.
  private func aboutTarget(_ error: PlaceStoreError) -> PlaceStoreError {
    switch error.code {
    case .damaged, .notADatabase:
      PlaceStoreError(
        .inputOutput,
        path: target,
        // "Not a database" would be a riddle: the user knows nothing of the file it is about.
        detail: error.code == .damaged ? error.detail : "",
        advice: "check the disk's space and the folder's permissions"
      )
    default:
      PlaceStoreError(error.code, path: target, detail: error.detail, advice: error.advice)
    }
  }

  private func insert(
    _ places: [PointOfInterest],
    _ details: [String: String],
    categories: [CategoryID],
    into database: Database
  ) throws {
    // Neither needs the other, and each walks through all places.
    nonisolated(unsafe) var links: CategoryLinks?
    let linking = DispatchGroup()
    DispatchQueue.global().async(group: linking) { links = CategoryLinks(places, and: categories) }
    let order = fileOrder(places)
    linking.wait()
    guard let links else { preconditionFailure("the links are made by now") }
    for (index, category) in links.categories.enumerated() {
      try database.execute(
        sql: "INSERT INTO category (id, name) VALUES (?, ?)",
        arguments: [index + 1, category.name]
      )
    }
    // Each place is a row of the table and one of its index, and each of its categories is one.
    let total = Int64(2 * order.count + links.count)
    func tell(_ rows: Int) { onProgress(Int64(rows), total) }
    // SpatiaLite's triggers check each point, note the time, and insert into the index: the points
    // are valid, the time is set at the end, and the index is written at once.
    var index = PackedSpatialIndex(coordinates: [], name: "idx_poi_geom")
    nonisolated(unsafe) var rows = links
    try withoutTriggers(on: "poi", in: database) {
      index.coordinates = try insert(order, of: places, details, into: database, tell: tell)
      DispatchQueue.global().async(group: linking) { rows = links.inOrder(order) }
      defer { linking.wait() }
      try index.write(to: database, checkInterruption: checkInterruption)
    }
    tell(2 * order.count)
    try insert(rows, into: database)
    tell(2 * order.count + links.count)
    guard try !trustsPackedIndex || !index.checksOut(in: database) else { return }
    // A later SQLite may arrange its nodes in another way: then it makes them by itself.
    try requireOne(database, "SELECT DisableSpatialIndex('poi', 'geom')")
    try database.execute(sql: "DROP TABLE idx_poi_geom")
    try requireOne(database, "SELECT CreateSpatialIndex('poi', 'geom')")
  }

  /// - Returns: where the rows are, as the file has it.
  private func insert(
    _ order: [Int],
    of places: [PointOfInterest],
    _ details: [String: String],
    into database: Database,
    tell: (_ rows: Int) -> Void
  ) throws -> [Coordinate] {
    let table = try BulkInsert(
      database,
      into: "poi",
      ["source_id", "name", "brand", "footprint_radius_m", "attributes", "geom"],
      rowCount: order.count
    )
    // SQLite gives them the ids 1, 2, 3 and so on: of an id that it is told it first looks whether it is there.
    var coordinates: [Coordinate] = []
    coordinates.reserveCapacity(order.count)
    try forEachStage(rowCount: order.count) { stage, rows in
      stage.fill(rows, order, of: places, details)
    } _: { stage in
      try checkInterruption()
      tell(stage.rows.lowerBound)
      for slot in 0..<stage.rows.count {
        table.bind(1, text: stage.text(slot, .sourceID))
        table.bind(2, text: stage.text(slot, .name))
        table.bind(3, text: stage.text(slot, .brand))
        table.bind(4, stage.radiusMeters(slot))
        table.bind(5, text: stage.text(slot, .attributes))
        table.bind(6, blob: stage.point(slot))
        try table.endRow()
      }
      coordinates += stage.coordinates
    }
    return coordinates
  }

  private func insert(_ links: CategoryLinks, into database: Database) throws {
    let table = try BulkInsert(
      database,
      into: "poi_category",
      ["poi_id", "category_id"],
      rowCount: links.count
    )
    for row in 0..<links.placeCount {
      if row % 1_024 == 0 { try checkInterruption() }
      try links.forEachID(of: row) { id in
        table.bind(1, Int64(row + 1))
        table.bind(2, id)
        try table.endRow()
      }
    }
  }

  private func checkInterruption() throws {
    if isInterrupted() { throw DatabaseError(resultCode: .SQLITE_INTERRUPT) }
  }

  /// The box from the least to the greatest degrees, as SpatiaLite measures a layer; nil for no places.
  private func extent(of places: [PointOfInterest]) -> BoundingBox? {
    guard let first = places.first else { return nil }
    var (west, south) = (first.coordinate.longitudeE7, first.coordinate.latitudeE7)
    var (east, north) = (west, south)
    for index in places.indices {
      let coordinate = places[index].coordinate
      let (longitude, latitude) = (coordinate.longitudeE7, coordinate.latitudeE7)
      (west, east) = (min(west, longitude), max(east, longitude))
      (south, north) = (min(south, latitude), max(north, latitude))
    }
    let low = Coordinate(latitudeE7: south, longitudeE7: west)
    let high = Coordinate(latitudeE7: north, longitudeE7: east)
    return BoundingBox(
      west: low.longitude,
      south: low.latitude,
      east: high.longitude,
      north: high.latitude
    )
  }

  /// The indexes of the places in the order of the file.
  private func fileOrder(_ places: [PointOfInterest]) -> [Int] {
    let middle = places.count / 2
    nonisolated(unsafe) let curve = UnsafeMutableBufferPointer<UInt64>
      .allocate(capacity: places.count)
    defer { curve.deallocate() }
    @Sendable func place(_ indexes: Range<Int>) {
      for index in indexes { curve[index] = hilbertPosition(places[index].coordinate) }
    }
    let placing = DispatchGroup()
    DispatchQueue.global().async(group: placing) { place(middle..<places.count) }
    place(0..<middle)
    placing.wait()
    var order = ascendingOrder(of: UnsafeBufferPointer(curve))
    // Places at one spot, of which there are few.
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, curve[order[end]] == curve[order[start]] { end += 1 }
      if end - start > 1 {
        let sorted = SourceIDKey.order(of: Array(order[start..<end])) { places[$0].sourceID }
        order.replaceSubrange(start..<end, with: sorted.map { order[start + $0] })
      }
      start = end
    }
    return order
  }

  private func insert(_ provenance: CacheProvenance, into database: Database) throws {
    for input in provenance.inputs {
      try database.execute(
        sql: """
          INSERT INTO provenance (input_name, input_format, input_bytes, input_crc32,
            data_timestamp, licence, attribution, poi_count)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          input.name, input.format, input.byteCount, input.crc32, input.dataTimestamp,
          input.license, input.attribution, input.placeCount,
        ]
      )
    }
    try database.execute(
      sql: """
        INSERT INTO build (id, built_at, tool_version, selection, category_rules)
        VALUES (1, ?, ?, ?, ?)
        """,
      arguments: [
        RFC3339.format(provenance.builtAt), provenance.toolVersion, provenance.selection,
        provenance.categoryRules,
      ]
    )
  }

  /// SpatiaLite notes when each of its tables was made, to the millisecond: the time of the build
  /// stands for all of them, or no two builds would give the same bytes.
  private func fixTimes(of database: Database, at time: String) throws {
    try database.execute(
      sql: "UPDATE spatialite_history SET timestamp = ?",
      arguments: [time]
    )
    try database.execute(
      sql: """
        UPDATE geometry_columns_time
        SET last_insert = :time, last_update = :time, last_delete = :time
        """,
      arguments: ["time": time]
    )
  }

  /// Brings the bytes to the disk, then the name.
  private func putInPlace() throws(PlaceStoreError) {
    if isInterrupted() { throw PlaceStoreError(.interrupted, path: target) }
    // The new cache may be read by those who might read the old one, and by no other.
    var old = stat()
    if stat(destination, &old) == 0 {
      guard chmod(temporary, old.st_mode & 0o7777) == 0 else { throw systemError(path: target) }
    }
    try synchronize(temporary)
    guard rename(temporary, destination) == 0 else { throw systemError(path: target) }
    try synchronize(URL(fileURLWithPath: destination).deletingLastPathComponent().path)
  }

  private func synchronize(_ path: String) throws(PlaceStoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(path: path) }
    defer { _ = Foundation.close(descriptor) }
    // Some file systems cannot flush a directory and say so with EINVAL; the file itself they can.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw systemError(path: path) }
  }
}

/// The categories of places as numbers, found in one walk over the places as they lie in memory.
private struct CategoryLinks {
  /// In order of name; the first one has the id 1.
  let categories: [CategoryID]
  // Small numbers: they are put into the order of the file, in which neighbors are far apart in memory.
  /// The ids, place by place.
  private var ids: [Int32] = []
  /// For each place, the end of its ids.
  private var ends: [UInt32] = []

  /// - Parameter others: categories that have a number even without a place.
  init(_ places: [PointOfInterest], and others: [CategoryID]) {
    // There are few: a scan is faster than a hash.
    var found: [CategoryID] = []
    func slot(_ category: CategoryID) -> Int {
      if let index = found.firstIndex(of: category) { return index }
      found.append(category)
      return found.count - 1
    }
    var slots: [Int32] = []
    slots.reserveCapacity(places.count)
    ends.reserveCapacity(places.count)
    for index in places.indices {
      for category in places[index].categories { slots.append(Int32(slot(category))) }
      ends.append(UInt32(slots.count))
    }
    for category in others { _ = slot(category) }
    categories = found.sorted()
    var ranks = [Int32](repeating: 0, count: found.count)
    for (rank, category) in categories.enumerated() { ranks[slot(category)] = Int32(rank + 1) }
    ids = slots.map { ranks[Int($0)] }
  }

  /// How many there are for all places.
  var count: Int { ids.count }
  /// The places.
  var placeCount: Int { ends.count }

  /// The same for the places in another order.
  func inOrder(_ order: [Int]) -> CategoryLinks {
    var links = self
    links.ids.removeAll(keepingCapacity: true)
    links.ends.removeAll(keepingCapacity: true)
    for index in order {
      for position in start(of: index)..<Int(ends[index]) { links.ids.append(ids[position]) }
      links.ends.append(UInt32(links.ids.count))
    }
    return links
  }

  private func start(of place: Int) -> Int { place == 0 ? 0 : Int(ends[place - 1]) }

  /// Hands over the ids of a place; a slice of them would count references a million times.
  func forEachID(of place: Int, _ body: (Int64) throws -> Void) rethrows {
    for position in start(of: place)..<Int(ends[place]) { try body(Int64(ids[position])) }
  }
}
