import Crypto
import Foundation
import GRDBSQLite

/// The form of a sealed value, once more and apart from the store's own code.
enum StateSeal {
  /// Opens a state, changes its text and seals it again.
  static func replace(
    _ sealed: Data,
    key: Data,
    _ change: (String) -> String
  ) throws -> Data {
    let context = Data("7:near-me1:15:state1:14:body".utf8)
    let symmetric = SymmetricKey(data: key)
    let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
    let text = String(
      decoding: try AES.GCM.open(box, using: symmetric, authenticating: context),
      as: UTF8.self
    )
    let changed = try AES.GCM.seal(
      Data(change(text).utf8),
      using: symmetric,
      authenticating: context
    )
    return Data([1]) + (changed.combined ?? Data())
  }
}

extension Data {
  /// Reads hexadecimal digits; nil for anything else.
  init?(hex: some StringProtocol) {
    let digits = hex.compactMap(\.hexDigitValue)
    guard digits.count == hex.count, digits.count.isMultiple(of: 2) else { return nil }
    self.init(
      stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    )
  }

  /// As hexadecimal digits.
  var hex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

  /// The first value of a query's first row.
  static func query(_ database: OpaquePointer?, _ sql: String) -> Data? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let blob = sqlite3_column_blob(statement, 0)
    else { return nil }
    return Data(bytes: blob, count: Int(sqlite3_column_bytes(statement, 0)))
  }
}
