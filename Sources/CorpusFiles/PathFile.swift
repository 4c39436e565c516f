import Basics
import Geodesy
import Scoring
import Timeline
import Traces

/// Reads a noise-free path: a table `t_unix,lat,lon,speed_mps,…`, plain or in gzip.
enum PathFile {
  /// - Throws: ``CorpusError`` that names the line.
  static func read(_ path: String) throws(CorpusError) -> TruePath {
    try parse(PackedFile.read(path), path)
  }

  static func parse(_ bytes: [UInt8], _ path: String) throws(CorpusError) -> TruePath {
    let rows = try bytes.withUnsafeBufferPointer { bytes throws(CorpusError) in
      try Self.rows(bytes, path)
    }
    do {
      return try TruePath(rows)
    } catch {
      throw CorpusError(.malformed, path, "\(error)")
    }
  }

  /// A day has a row for each second, so that nothing is allocated for one.
  private static func rows(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ path: String
  ) throws(CorpusError) -> [TruePath.Row] {
    var rows: [TruePath.Row] = []
    var columns: [Int]?
    var values = [Double](repeating: 0, count: 4)
    var line = 0
    var rest = bytes.withoutByteOrderMark
    while !rest.isEmpty {
      line += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var text = rest[..<end]
      rest = rest[min(end + 1, rest.endIndex)...]
      if text.last == UInt8(ascii: "\r") { text.removeLast() }
      guard !text.isEmpty else { continue }
      guard let columns else {
        let names = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        columns = try header(names.map { String(decoding: $0, as: UTF8.self) }, path)
        continue
      }
      guard numbers(of: text, columns, into: &values), let row = row(values) else {
        throw CorpusError(
          .malformed,
          path,
          line: line,
          "this is no row of numbers t_unix, lat, lon, speed_mps: correct or remove it"
        )
      }
      rows.append(row)
    }
    guard columns != nil else {
      throw CorpusError(.malformed, path, "the file is empty: make the corpus anew")
    }
    return rows
  }

  private static func header(_ names: [String], _ path: String) throws(CorpusError) -> [Int] {
    var columns: [Int] = []
    for wanted in ["t_unix", "lat", "lon", "speed_mps"] {
      guard let column = names.firstIndex(of: wanted) else {
        throw CorpusError(
          .malformed,
          path,
          line: 1,
          "there is no column \(wanted): the first line must name t_unix, lat, lon, speed_mps"
        )
      }
      columns.append(column)
    }
    return columns
  }

  /// Reads the numbers of a line.
  ///
  /// - Parameter columns: where each of the values stands.
  /// - Returns: false if one of them is no number, or not there.
  private static func numbers(
    of text: Swift.Slice<UnsafeBufferPointer<UInt8>>,
    _ columns: [Int],
    into values: inout [Double]
  ) -> Bool {
    var found = 0
    var column = 0
    var start = text.startIndex
    while start <= text.endIndex, found < columns.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: ",")) ?? text.endIndex
      for (i, wanted) in columns.enumerated() where wanted == column {
        guard let value = DecimalText.parse(UnsafeBufferPointer(rebasing: text[start..<end])) else {
          return false
        }
        values[i] = value
        found += 1
      }
      column += 1
      start = end + 1
    }
    return found == columns.count
  }

  private static func row(_ values: [Double]) -> TruePath.Row? {
    guard abs(values[0]) < 1e11, values[3] >= 0,
      let coordinate = try? Coordinate(latitude: values[1], longitude: values[2])
    else { return nil }
    return TruePath.Row(
      at: Timestamp(milliseconds: Int64((values[0] * 1_000).rounded())),
      coordinate: coordinate,
      speedMetersPerSecond: values[3]
    )
  }
}
