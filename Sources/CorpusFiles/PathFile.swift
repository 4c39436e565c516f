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
    var rows: [TruePath.Row] = []
    var columns: [Int]?
    var line = 0
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      let text = text.last == UInt8(ascii: "\r") ? text.dropLast() : text
      guard !text.isEmpty else { continue }
      let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard let columns else {
        columns = try header(fields.map { String(decoding: $0, as: UTF8.self) }, path)
        continue
      }
      guard let row = row(fields, columns) else {
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
    do {
      return try TruePath(rows)
    } catch {
      throw CorpusError(.malformed, path, "\(error)")
    }
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

  private static func row(_ fields: [ArraySlice<UInt8>], _ columns: [Int]) -> TruePath.Row? {
    var values: [Double] = []
    for column in columns {
      guard column < fields.count,
        let value = fields[column].withUnsafeBufferPointer({ DecimalText.parse($0) })
      else { return nil }
      values.append(value)
    }
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
