import GRDB
import GRDBSQLite

/// The rows of a query, for reading very many.
///
/// It goes past GRDB as ``BulkInsert`` does: its checks and boxes for each value cost several times what SQLite takes to
/// hand it over.
final class PlainRows {
  private let statement: Statement
  private var row: OpaquePointer { statement.sqliteStatement }

  init(_ statement: Statement, _ arguments: StatementArguments = []) throws {
    self.statement = statement
    try statement.setArguments(arguments)
  }

  deinit { sqlite3_reset(row) }

  /// Goes on to the next row; false if there is none.
  func next() throws -> Bool {
    switch sqlite3_step(row) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let result:
      throw DatabaseError(
        resultCode: ResultCode(rawValue: result & 0xFF),
        message: String(cString: sqlite3_errmsg(sqlite3_db_handle(row)))
      )
    }
  }

  /// A whole number; nil for anything else.
  func integer(_ column: Int32) -> Int64? {
    sqlite3_column_type(row, column) == SQLITE_INTEGER ? sqlite3_column_int64(row, column) : nil
  }

  /// A number; nil for none, and for a text.
  func number(_ column: Int32) -> Double? {
    switch sqlite3_column_type(row, column) {
    case SQLITE_FLOAT, SQLITE_INTEGER: sqlite3_column_double(row, column)
    default: nil
    }
  }

  /// A value as a text; nil for none.
  func text(_ column: Int32) -> String? {
    isNull(column) ? nil : sqlite3_column_text(row, column).map { String(cString: $0) }
  }

  /// The bytes of a value, until the next row is asked for; none where there is none.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(row, column)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(row, column)))
  }

  private func isNull(_ column: Int32) -> Bool { sqlite3_column_type(row, column) == SQLITE_NULL }
}
