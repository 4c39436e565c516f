import Foundation
import Geodesy

/// A point as SpatiaLite stores it, without a call of its functions for every row.
///
/// - Source: gaia-gis.it, "BLOB-Geometry" of SpatiaLite 4 and 5: start, byte order, SRID, bounding
///   box, mark, class, x, y, end; 60 bytes.
enum PointBlob {
  static let byteCount = 60

  /// Writes the bytes of a point into a buffer that holds as many.
  static func write(_ coordinate: Coordinate, to bytes: UnsafeMutableRawBufferPointer) {
    func store(_ number: some FixedWidthInteger, at offset: Int) {
      bytes.storeBytes(of: number.littleEndian, toByteOffset: offset, as: type(of: number))
    }
    let x = coordinate.longitude.bitPattern
    let y = coordinate.latitude.bitPattern
    bytes[0] = 0x00
    bytes[1] = 0x01
    store(UInt32(4_326), at: 2)
    store(x, at: 6)
    store(y, at: 14)
    store(x, at: 22)
    store(y, at: 30)
    bytes[38] = 0x7C
    store(UInt32(1), at: 39)
    store(x, at: 43)
    store(y, at: 51)
    bytes[59] = 0xFE
  }

  /// Reads a point.
  ///
  /// - Returns: nil for any other blob, for a point that is not on the earth, and for one whose box is
  ///   around something else, as other programs would see it.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> Coordinate? {
    guard bytes.count == byteCount, bytes[0] == 0x00, bytes[1] == 0x01, bytes[38] == 0x7C,
      bytes[59] == 0xFE,
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt32.self)) == 4_326,
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 39, as: UInt32.self)) == 1
    else { return nil }
    let x = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 43, as: UInt64.self))
    let y = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 51, as: UInt64.self))
    for (offset, value) in [(6, x), (14, y), (22, x), (30, y)] {
      let edge = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard UInt64(littleEndian: edge) == value else { return nil }
    }
    return try? Coordinate(latitude: Double(bitPattern: y), longitude: Double(bitPattern: x))
  }

  /// Reads a point; see ``decode(_:)-(UnsafeRawBufferPointer)``.
  static func decode(_ blob: Data) -> Coordinate? { blob.withUnsafeBytes { decode($0) } }
}
