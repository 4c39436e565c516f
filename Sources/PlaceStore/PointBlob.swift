import Foundation
import Geodesy

/// A point as SpatiaLite stores it, without a call of its functions for every row.
///
/// - Source: gaia-gis.it, "BLOB-Geometry" of SpatiaLite 4 and 5: start, byte order, SRID, bounding
///   box, mark, class, x, y, end; 60 bytes.
enum PointBlob {
  static func encode(_ coordinate: Coordinate) -> Data {
    var blob = Data(capacity: 60)
    blob.append(0x00)
    blob.append(0x01)
    append(UInt32(4_326), to: &blob)
    for _ in 0..<2 {
      append(coordinate.longitude.bitPattern, to: &blob)
      append(coordinate.latitude.bitPattern, to: &blob)
    }
    blob.append(0x7C)
    append(UInt32(1), to: &blob)
    append(coordinate.longitude.bitPattern, to: &blob)
    append(coordinate.latitude.bitPattern, to: &blob)
    blob.append(0xFE)
    return blob
  }

  /// Reads a point.
  ///
  /// - Returns: nil for any other blob, and for a point that is not on the earth.
  static func decode(_ blob: Data) -> Coordinate? {
    blob.withUnsafeBytes { bytes -> Coordinate? in
      guard bytes.count == 60, bytes[0] == 0x00, bytes[1] == 0x01, bytes[38] == 0x7C,
        bytes[59] == 0xFE,
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)) == 4_326,
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 39, as: UInt32.self)) == 1
      else { return nil }
      let x = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 43, as: UInt64.self))
      let y = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 51, as: UInt64.self))
      return try? Coordinate(latitude: Double(bitPattern: y), longitude: Double(bitPattern: x))
    }
  }

  private static func append<Number: FixedWidthInteger>(_ number: Number, to blob: inout Data) {
    withUnsafeBytes(of: number.littleEndian) { blob.append(contentsOf: $0) }
  }
}
