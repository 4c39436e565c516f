import CSpatiaLite
import GRDB

/// A statement that is run for very many rows.
///
/// It goes past GRDB, whose checks and boxes for each row cost more than SQLite itself.
final class BulkStatement {
  private let connection: OpaquePointer
  private let statement: OpaquePointer
  /// The texts of a row.
  private let texts = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 1)
  private var textByteCount = 0

  init(_ database: Database, _ sql: String) throws {
    guard let connection = database.sqliteConnection else {
      throw DatabaseError(resultCode: .SQLITE_MISUSE)
    }
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
    guard result == SQLITE_OK, let statement else {
      throw Self.failure(result, connection)
    }
    self.connection = connection
    self.statement = statement
  }

  deinit {
    sqlite3_finalize(statement)
    texts.deallocate()
  }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(statement, index, value) }

  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(statement, index, value) }

  /// Binds a copy of a text, for one run.
  ///
  /// - Throws: for a text of more than 2 GB.
  func bind(_ index: Int32, _ value: String?) throws {
    guard var value else {
      sqlite3_bind_null(statement, index)
      return
    }
    try value.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      // SQLite would ask for memory for each copy; these are over before the next row is bound.
      let fits = bytes.count <= texts.count - textByteCount
      if fits {
        UnsafeMutableRawBufferPointer(rebasing: texts[textByteCount...]).copyMemory(from: bytes)
      }
      let start =
        fits ? texts.baseAddress.map { UnsafeRawPointer($0 + textByteCount) } : bytes.baseAddress
      let result = sqlite3_bind_text64(
        statement,
        index,
        start?.assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count),
        fits ? nil : copied,
        UInt8(SQLITE_UTF8)
      )
      if fits { textByteCount += bytes.count }
      guard result == SQLITE_OK else { throw Self.failure(result, connection) }
    }
  }

  /// Runs the statement with a blob that is not copied.
  func run(blob bytes: UnsafeRawBufferPointer, at index: Int32) throws {
    sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
    try run()
  }

  /// Runs the statement with what has been bound; numbers stay for the next run, texts do not.
  func run() throws {
    textByteCount = 0
    let result = sqlite3_step(statement)
    guard result == SQLITE_DONE else {
      let error = Self.failure(result, connection)
      sqlite3_reset(statement)
      throw error
    }
    sqlite3_reset(statement)
  }

  private static func failure(_ result: Int32, _ connection: OpaquePointer) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: result & 0xFF),
      message: String(cString: sqlite3_errmsg(connection))
    )
  }
}

/// SQLITE_TRANSIENT, a cast that C's header says and Swift does not see.
private nonisolated(unsafe) let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
