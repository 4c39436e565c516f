import Foundation
import GRDBSQLite

/// A database in memory that a harness alters: values in any column, bits flipped, bytes overwritten, the end cut off.
///
/// What is done to it are steps of 6 bytes each; the lowest two bits of the first tell whether a value or bytes are
/// altered.
struct AlteredDatabase {
  private let folder = "/dev/shm/nearme-fuzz-\(getpid())"
  /// Where the file is.
  let path: String

  /// Makes the folder, and no file yet.
  init(named name: String) {
    path = folder + "/" + name
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// The file as it is; empty if there is none.
  var bytes: [UInt8] { [UInt8](FileManager.default.contents(atPath: path) ?? Data()) }

  /// Does what the input says to a whole database: values first, then bytes.
  ///
  /// - Parameter prelude: run before values are put in, so that nothing keeps them sound.
  /// - Parameter statement: how a step puts a value in.
  /// - Returns: false for a file that is too large to be looked at.
  func alter(
    _ whole: [UInt8],
    _ input: ArraySlice<UInt8>,
    prelude: [String] = [],
    _ statement: (_ step: [UInt8]) -> String?
  ) -> Bool {
    let steps = stride(from: input.startIndex, to: input.endIndex - 5, by: 6)
      .map { Array(input[$0..<$0 + 6]) }
    write(whole)
    let statements = steps.filter { $0[0] % 4 == 3 }.prefix(8).compactMap(statement)
    if !statements.isEmpty {
      // A schema that was written is read by the next connection.
      if !prelude.isEmpty { execute(prelude) }
      execute(
        [
          "PRAGMA ignore_check_constraints = 1", "PRAGMA foreign_keys = 0",
          "PRAGMA journal_mode = OFF",
        ] + statements
      )
    }
    // Several long values are no more than one, and the memory would be that of this harness.
    var status = stat()
    guard stat(path, &status) == 0, status.st_size < 40_000_000 else { return false }
    var file = bytes
    for step in steps where step[0] % 4 != 3 && !file.isEmpty {
      let at = (Int(step[1]) << 16 | Int(step[2]) << 8 | Int(step[3])) % file.count
      switch step[0] % 16 {
      case 0, 4, 8: file[at] ^= 1 << (step[4] & 7)
      case 1, 5, 9: file[at] = step[4]
      case 2, 6, 10: for i in at..<min(at + 8, file.count) { file[i] = step[4] }
      default: file.removeLast(file.count - at)
      }
    }
    write(file)
    return true
  }

  private func write(_ bytes: [UInt8]) {
    // A journal left behind by the input before would be played back into this one.
    for end in ["-journal", "-wal", "-shm"] { unlink(path + end) }
    precondition(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
  }

  // MARK: Values

  private static let outOfRange = [
    "NULL", "0", "-1", "9223372036854775807", "-9223372036854775807 - 1", "9e999", "-9e999",
    "1e308", "5e-324", "''", "'x'", "'node/1'", "x''", "zeroblob(60)", "zeroblob(17000000)",
    "printf('%.*c', 70000, '[')", "CAST(x'C328' AS TEXT)", "CAST(x'65CC81' AS TEXT)", "1", "'r1'",
    "'p1'",
  ]
  private static let withoutRowID = ["poi_category", "setting", "counter", "reminder_date"]

  /// Puts a value into a column of one row, or of all.
  ///
  /// - Parameter rows: so many of them are reached.
  /// - Parameter value: nil for one that is out of range.
  func update(
    _ column: (table: String, name: String),
    _ step: [UInt8],
    rows: UInt8,
    to value: String? = nil
  ) -> String {
    let value = value ?? Self.outOfRange[Int(step[4]) % Self.outOfRange.count]
    let (table, name) = column
    let isLong = value.contains("000")
    let row =
      if step[5] % 4 == 0, !isLong {
        ""
      } else if isLong, !Self.withoutRowID.contains(table) {
        " WHERE rowid = (SELECT max(rowid) FROM \(table))"
      } else {
        " WHERE \(name) IN (SELECT \(name) FROM \(table) LIMIT 1 OFFSET \(step[2] % rows))"
      }
    return "UPDATE OR REPLACE \(table) SET \(name) = \(value)\(row)"
  }

  // MARK: SQLite by itself

  /// Runs statements on one connection; one that fails is passed over.
  func execute(_ statements: [String]) {
    withConnection { connection -> Void in
      for sql in statements { sqlite3_exec(connection, sql, nil, nil, nil) }
    }
  }

  /// The first value of a query's first row, a number as its digits; nil if there is none.
  func value(_ sql: String) -> Data? {
    withConnection { connection in
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW, let blob = sqlite3_column_blob(statement, 0)
      else { return nil }
      return Data(bytes: blob, count: Int(sqlite3_column_bytes(statement, 0)))
    }
  }

  private func withConnection<Value>(_ body: (OpaquePointer) -> Value?) -> Value? {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open(path, &connection) == SQLITE_OK, let connection else { return nil }
    return body(connection)
  }
}
