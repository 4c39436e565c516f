import Foundation
import Geodesy
import GRDB
import Places
import Timeline

/// Builds a cache beside the file it will replace, and puts it in place in one step.
///
/// Until then the old file is untouched. Letting go of the writer before ``write(_:provenance:)``
/// has returned removes what it had written.
package final class POICacheWriter {
  private let target: String
  private let temporary: String
  private let isInterrupted: @Sendable () -> Bool
  private var isDone = false

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
    let url = URL(fileURLWithPath: target)
    let folder = url.deletingLastPathComponent().path
    let prefix = ".\(url.lastPathComponent)."
    temporary =
      "\(folder)/\(prefix)\(getpid())-\(UInt32.random(in: .min ... .max))\(Self.suffix)"
    try Self.requireReplaceable(target)
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

  private static func requireReplaceable(_ target: String) throws(PlaceStoreError) {
    let found: FileIdentity?
    do throws(PlaceStoreError) {
      found = try FileIdentity.read(path: target)
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
    for suffix in ["-journal", "-wal"] where access(target + suffix, F_OK) == 0 {
      // SQLite would play the old file's journal into the new one.
      throw PlaceStoreError(
        .busy,
        path: target,
        detail: "its journal \(target + suffix) is there",
        advice: "close the program that has it open"
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
    precondition(!isDone, "a writer builds one cache")
    do throws(PlaceStoreError) {
      let database = try SpatialDatabase(
        path: temporary,
        isReadOnly: false,
        isInterrupted: isInterrupted
      )
      try database.withoutTransaction { database in
        // A build that stops is thrown away, so there is nothing that a journal could save.
        try database.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      }
      try database.write { database in
        try CacheSchema.create(in: database)
        try insert(places, details, categories: categories, into: database)
        try requireOne(database, "SELECT CreateSpatialIndex('poi', 'geom')")
        try insert(provenance, into: database)
        try fixTimes(of: database, at: RFC3339.format(provenance.builtAt))
      }
      try database.close()
      try putInPlace()
    } catch {
      // As above: the user knows the target.
      throw PlaceStoreError(error.code, path: target, detail: error.detail, advice: error.advice)
    }
    isDone = true
  }

  private func insert(
    _ places: [PointOfInterest],
    _ details: [String: String],
    categories: [CategoryID],
    into database: Database
  ) throws {
    let names = Set(categories).union(places.flatMap(\.categories)).sorted()
    var ids: [CategoryID: Int64] = [:]
    for (index, category) in names.enumerated() {
      ids[category] = Int64(index + 1)
      try database.execute(
        sql: "INSERT INTO category (id, name) VALUES (?, ?)",
        arguments: [index + 1, category.name]
      )
    }
    let poi = try database.makeStatement(
      sql: """
        INSERT INTO poi (id, source_id, name, brand, footprint_radius_m, attributes, geom)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """
    )
    let link = try database.makeStatement(
      sql: "INSERT INTO poi_category (poi_id, category_id) VALUES (?, ?)"
    )
    for (index, place) in inFileOrder(places).enumerated() {
      if index % 1_024 == 0, isInterrupted() {
        throw DatabaseError(resultCode: .SQLITE_INTERRUPT)
      }
      let id = Int64(index + 1)
      let coordinate = Coordinate(
        latitudeE7: place.coordinate.latitudeE7,
        longitudeE7: place.coordinate.longitudeE7
      )
      try poi.execute(arguments: [
        id, place.sourceID, place.name, place.brand, place.footprintRadiusMeters,
        details[place.sourceID], PointBlob.encode(coordinate),
      ])
      for category in place.categories {
        try link.execute(arguments: [id, ids[category]])
      }
    }
  }

  private func inFileOrder(_ places: [PointOfInterest]) -> [PointOfInterest] {
    let keyed = places.map {
      (curve: hilbertPosition($0.coordinate), order: SourceIDKey($0.sourceID), place: $0)
    }
    let sorted = keyed.sorted { a, b in
      a.curve != b.curve ? a.curve < b.curve : a.order < b.order
    }
    return sorted.map(\.place)
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
          input.licence, input.attribution, input.placeCount,
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
    try synchronize(temporary)
    guard rename(temporary, target) == 0 else { throw systemError(path: target) }
    try synchronize(URL(fileURLWithPath: target).deletingLastPathComponent().path)
  }

  private func synchronize(_ path: String) throws(PlaceStoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw systemError(path: path) }
    defer { _ = Foundation.close(descriptor) }
    // Some file systems cannot flush a directory and say so with EINVAL; the file itself they can.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw systemError(path: path) }
  }
}
