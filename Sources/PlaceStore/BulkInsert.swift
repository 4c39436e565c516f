import GRDB
import GRDBSQLite

/// Inserts very many rows into a table, many with each run of a statement.
///
/// It goes past GRDB, whose checks and boxes for each row cost more than SQLite itself; and to start
/// and end a statement costs SQLite more than a small row does.
final class BulkInsert {
  private let connection: OpaquePointer
  /// Rows that one run inserts, and rows that come one by one at the end.
  private let many: OpaquePointer
  private let one: OpaquePointer
  private let columnCount: Int32
  private let rowsAtOnce: Int
  private var rowsLeft: Int
  /// The statement that is filled, the rows that it takes, and those it has.
  private var statement: OpaquePointer
  private var capacity: Int
  private var rows = 0
  /// The parameter before the first one of the row.
  private var base: Int32 = 0

  /// - Parameters:
  ///   - rowCount: how many rows will come, exactly.
  ///   - rowsAtOnce: what is bound by address must stay where it is for as many rows.
  init(
    _ database: Database,
    into table: String,
    _ columns: [String],
    rowCount: Int,
    rowsAtOnce: Int = 64
  ) throws {
    guard let connection = database.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    let marks = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    func statement(_ rows: Int) throws -> OpaquePointer {
      let values = Array(repeating: marks, count: rows).joined(separator: ", ")
      let sql = "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(values)"
      var statement: OpaquePointer?
      let result = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
      guard result == SQLITE_OK, let statement else { throw bulkFailure(result, connection) }
      return statement
    }
    self.connection = connection
    self.rowsAtOnce = rowsAtOnce
    columnCount = Int32(columns.count)
    rowsLeft = rowCount
    one = try statement(1)
    do { many = try statement(rowsAtOnce) } catch {
      sqlite3_finalize(one)
      throw error
    }
    capacity = rowCount >= rowsAtOnce ? rowsAtOnce : 1
    self.statement = rowCount >= rowsAtOnce ? many : one
  }

  deinit {
    sqlite3_finalize(one)
    sqlite3_finalize(many)
  }

  /// Binds a value of the row; columns count from 1.
  @inline(__always)
  func bind(_ column: Int32, _ value: Int64) {
    sqlite3_bind_int64(statement, base &+ column, value)
  }

  @inline(__always)
  func bind(_ column: Int32, _ value: Double) {
    sqlite3_bind_double(statement, base &+ column, value)
  }

  /// Binds a text by its address; nil for none.
  @inline(__always)
  func bind(_ column: Int32, text: UnsafeRawBufferPointer?) {
    guard let text else {
      sqlite3_bind_null(statement, base &+ column)
      return
    }
    sqlite3_bind_text64(
      statement,
      base &+ column,
      text.baseAddress?.assumingMemoryBound(to: CChar.self),
      UInt64(text.count),
      nil,
      UInt8(SQLITE_UTF8)
    )
  }

  /// Binds a blob by its address.
  @inline(__always)
  func bind(_ column: Int32, blob: UnsafeRawBufferPointer) {
    sqlite3_bind_blob64(statement, base &+ column, blob.baseAddress, UInt64(blob.count), nil)
  }

  /// Ends a row; every column of it must have been bound.
  func endRow() throws {
    rows += 1
    base &+= columnCount
    guard rows == capacity else { return }
    let result = sqlite3_step(statement)
    guard result == SQLITE_DONE else {
      let error = bulkFailure(result, connection)
      sqlite3_reset(statement)
      throw error
    }
    sqlite3_reset(statement)
    rowsLeft -= rows
    rows = 0
    base = 0
    guard rowsLeft < rowsAtOnce else { return }
    statement = one
    capacity = 1
  }
}

private func bulkFailure(_ result: Int32, _ connection: OpaquePointer) -> DatabaseError {
  DatabaseError(
    resultCode: ResultCode(rawValue: result & 0xFF),
    message: String(cString: sqlite3_errmsg(connection))
  )
}
