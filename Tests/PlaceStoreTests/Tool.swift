import CSpatiaLite
import Testing

/// A connection as any tool with SpatiaLite has it.
final class Tool {
  private var connection: OpaquePointer?
  private let state = spatialite_alloc_connection()

  init(_ path: String) throws {
    try #require(sqlite3_open(path, &connection) == SQLITE_OK)
    spatialite_init_ex(connection, state, 0)
  }

  deinit {
    sqlite3_close(connection)
    spatialite_cleanup_ex(state)
  }

  /// Runs SQL and gives the first column of its rows.
  @discardableResult
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let message = Comment(rawValue: "\(sql): \(String(cString: sqlite3_errmsg(connection)))")
    try #require(sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, message)
    var rows: [String] = []
    var result = sqlite3_step(statement)
    while result == SQLITE_ROW {
      rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
      result = sqlite3_step(statement)
    }
    try #require(result == SQLITE_DONE, Comment(rawValue: sql))
    return rows
  }
}
