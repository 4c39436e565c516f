import Basics
import Foundation
import GRDB
import GRDBSQLite

/// Reads the places of a GeoPackage: all its layers of features.
///
/// It is an SQLite file whose shapes are well-known bytes behind a header, so it needs no GDAL; see
/// docs/decisions/0015-what-people-have.md.
///
/// - Complexity: memory for the places and for one row.
/// - Source: OGC 12-128r18, "GeoPackage Encoding Standard", 1.1.3, 2.1.3 and 2.1.5.
func importGeoPackage(_ job: ImportJob) throws(ImportError) -> ImportResult {
  // As SQLite does: the journals of a file that a link names lie beside the file.
  let path = resolved(job.path)
  do {
    guard try !GeoPackageCopy.hasIdleLog(path) else { return try readCopy(job, of: path) }
    do {
      return try read(job, at: path, isReadOnly: true)
    } catch let error as DatabaseError
      where [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(error.resultCode)
      && GeoPackageCopy.hasJournal(path)
    {
      return try readCopy(job, of: path)
    }
  } catch let error as ImportError {
    throw error
  } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
    try job.checkInterruption()
    throw endless(job)
  } catch let error as DatabaseError where error.resultCode == .SQLITE_TOOBIG {
    throw ImportError(
      .malformed,
      path: job.path,
      "a value of more than 32 MiB in the GeoPackage: make a layer of the rows that are wanted"
    )
  } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
    throw ImportError(
      .inputOutput,
      path: job.path,
      "another program is writing to the GeoPackage: save and close it there first"
    )
  } catch let error as DatabaseError {
    throw ImportError(
      .malformed,
      path: job.path,
      "the GeoPackage cannot be read: \(error.message ?? error.resultCode.description); fetch it again"
    )
  } catch {
    throw ImportError(.inputOutput, path: job.path, "\(error)")
  }
}

/// Where a file lies, through links; what it is called where nothing is there.
private func resolved(_ path: String) -> String {
  guard let target = realpath(path, nil) else { return path }
  defer { free(target) }
  return String(cString: target)
}

private func readCopy(_ job: ImportJob, of path: String) throws -> ImportResult {
  let copy = try GeoPackageCopy(of: path, job)
  return try withExtendedLifetime(copy) { try read(job, at: copy.path, isReadOnly: false) }
}

private func read(_ job: ImportJob, at path: String, isReadOnly: Bool) throws -> ImportResult {
  var configuration = Configuration()
  configuration.readonly = isReadOnly
  configuration.busyMode = .timeout(5)
  let queue = try DatabaseQueue(path: path, configuration: configuration)
  let patience = Patience(job)
  return try withExtendedLifetime(patience) {
    try queue.read { database in
      patience.watch(database)
      return try GeoPackageReader(job, database, patience).read()
    }
  }
}

private func endless(_ job: ImportJob) -> ImportError {
  ImportError(
    .malformed,
    path: job.path,
    "a view in the GeoPackage goes on without an end: take it out, or make a layer of the rows that are wanted"
  )
}

/// Ends a query that goes on and on without a row, or that nobody wants any more.
///
/// A layer may be a view, and a view is a program.
private final class Patience {
  /// Between two looks, in steps of SQLite's machine.
  private static let span: Int32 = 10_000
  /// A shape has so many bytes at most: those of two million corners.
  private static let longestValue: Int32 = 32 << 20
  /// So many looks without a row are too many: some seconds.
  private static let mostLooks = 50_000

  private let isInterrupted: @Sendable () -> Bool
  private var looks = 0

  init(_ job: ImportJob) { isInterrupted = job.isInterrupted }

  /// Looks after all queries of a connection, which does not live longer than this.
  func watch(_ database: Database) {
    sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Self.longestValue)
    sqlite3_progress_handler(
      database.sqliteConnection,
      Self.span,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Patience>.fromOpaque(context).takeUnretainedValue().isOver ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Notes that a row has come.
  func noteRow() { looks = 0 }

  private var isOver: Bool {
    looks += 1
    return looks > Self.mostLooks || isInterrupted()
  }
}

private struct GeoPackageReader {
  private let job: ImportJob
  private let database: Database
  private let patience: Patience
  private let reader: FeatureReader
  /// More than anybody keeps in a file; the list of them may be a view, too.
  private static let mostLayers = 10_000

  init(_ job: ImportJob, _ database: Database, _ patience: Patience) {
    self.job = job
    self.database = database
    self.patience = patience
    reader = FeatureReader(rules: job.rules, notesOlderIDs: job.notesOlderIDs)
  }

  func read() throws -> ImportResult {
    let byteCount = try ByteSource(path: job.path).byteCount
    var rows = RowCollector(job: job, format: .geoPackage, byteCount: byteCount)
    let layers = try Row.fetchAll(
      database,
      sql: """
        SELECT g.table_name AS name, g.column_name AS shape, g.srs_id AS srs,
          s.srs_name AS srs_name, s.organization AS organization,
          s.organization_coordsys_id AS number
        FROM gpkg_geometry_columns AS g
        JOIN gpkg_contents AS c ON c.table_name = g.table_name AND c.data_type = 'features'
        LEFT JOIN gpkg_spatial_ref_sys AS s ON s.srs_id = g.srs_id
        ORDER BY g.table_name
        LIMIT \(Self.mostLayers)
        """
    )
    guard !layers.isEmpty else {
      throw ImportError(.empty, path: job.path, "a GeoPackage without a layer of features")
    }
    guard layers.count < Self.mostLayers else { throw endless(job) }
    for layer in layers {
      try refuseForeignCoordinates(layer)
      guard let name = String.fromDatabaseValue(layer["name"]),
        let shape = String.fromDatabaseValue(layer["shape"])
      else {
        throw ImportError(
          .malformed,
          path: job.path,
          "gpkg_geometry_columns has a layer without a name, or without a column of shapes; fetch it again"
        )
      }
      // A row of a layer takes more than a byte of the file; a view can have as many as it likes.
      try read(layer: name, shape: shape, most: byteCount, &rows)
    }
    guard rows.count > 0 else {
      throw ImportError(.empty, path: job.path, "a GeoPackage whose layers have no features")
    }
    return rows.result
  }

  private func refuseForeignCoordinates(_ layer: Row) throws {
    // A row read as a type that it does not have would end the program.
    let stored: DatabaseValue = layer["srs"]
    let id = Int64.fromDatabaseValue(stored)
    // 0 is said of degrees that nobody has named.
    if stored.isNull || id == 0 || id == 4326 { return }
    let organization = String.fromDatabaseValue(layer["organization"])
    let number = Int64.fromDatabaseValue(layer["number"]) ?? id
    let named = String.fromDatabaseValue(layer["srs_name"])
    let digits = number.map(String.init) ?? stored.description
    let code = organization.map { "\($0.uppercased()):\(digits)" } ?? "SRS \(digits)"
    if code == "EPSG:4326" || code == "OGC:84" { return }
    let name = named.map { "\(code) (\($0))" } ?? code
    try InputFormat.refuseForeignCoordinates(named: name, job.path)
  }

  private func read(
    layer: String,
    shape: String,
    most: Int64,
    _ rows: inout RowCollector
  ) throws {
    let statement = try database.makeStatement(
      sql: "SELECT * FROM \(layer.quotedDatabaseIdentifier)"
    )
    let cursor = try Row.fetchCursor(statement)
    var number = 0
    while let row = try cursor.next() {
      number += 1
      rows.count += 1
      patience.noteRow()
      guard number <= most else { throw endless(job) }
      if number & 1_023 == 0 {
        try job.checkInterruption()
        try rows.check(line: number)
      }
      rows.take(outcome(of: row, statement, shape: shape), "\(layer), row \(number)")
    }
    try rows.check(line: number)
  }

  private func outcome(of row: Row, _ statement: Statement, shape: String) -> RowOutcome {
    var members: JSONValue.Members = []
    var geometry: JSONValue?
    var textBytes = 0
    var isTooLong = false
    for (index, column) in statement.columnNames.enumerated() {
      let place = Int32(index)
      // Before it is touched: a view may have any number of columns as long as can be.
      switch sqlite3_column_type(statement.sqliteStatement, place) {
      case SQLITE_BLOB where column != shape: continue
      case SQLITE_BLOB:
        isTooLong =
          sqlite3_column_bytes(statement.sqliteStatement, place) > GeoJSONScanner.longestFeature
        if isTooLong { continue }
      case SQLITE_TEXT:
        textBytes += Int(sqlite3_column_bytes(statement.sqliteStatement, place))
        guard textBytes <= GeoJSONScanner.longestFeature else { return .bad(.tooLong) }
      default: break
      }
      let value: DatabaseValue = row[index]
      if column == shape {
        if case .blob(let data) = value.storage { geometry = Self.geometry(Array(data)) }
        continue
      }
      switch value.storage {
      // That a column is there says what the others mean.
      case .null: members.append((column, .null))
      case .blob: break
      case .int64(let whole): members.append((column, .number(String(whole))))
      case .double(let real): members.append((column, .number("\(real)")))
      case .string(let text): members.append((column, .string(text)))
      }
    }
    let feature = JSONValue.object([
      ("type", .string("Feature")), ("properties", .object(members)),
      ("geometry", geometry ?? .null),
    ])
    let outcome = reader.read(feature)
    return isTooLong ? outcome.withoutShape(.tooLong) : outcome
  }

  /// `GP`, version, flags, the number of the coordinates' system, perhaps a box, then the shape.
  private static func geometry(_ bytes: [UInt8]) -> JSONValue? {
    guard bytes.count > 8, bytes.starts(with: [0x47, 0x50]) else { return nil }
    let boxes = [0, 32, 48, 48, 64]
    let box = Int(bytes[3] >> 1 & 7)
    guard box < boxes.count, bytes[3] & 0x10 == 0, bytes.count > 8 + boxes[box] else { return nil }
    return WellKnown.geometry(bytes: bytes[(8 + boxes[box])...])
  }
}
