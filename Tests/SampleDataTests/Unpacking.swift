import CDeflate
import Foundation

/// What packed bytes say, whichever version of the packing library made them.
enum Unpacking {
  /// The bytes are not what their format promises.
  struct Damaged: Error {}

  static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    guard bytes.count > 18 else { throw Damaged() }
    // The last four bytes of gzip are the size of the contents.
    return try unpack(bytes, count: littleEndian(bytes.suffix(4)), libdeflate_gzip_decompress)
  }

  /// The blocks of a PBF file, each as its type and its contents.
  static func pbf(_ bytes: [UInt8]) throws -> [(type: String, contents: [UInt8])] {
    var blocks: [(type: String, contents: [UInt8])] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let length = littleEndian(rest.prefix(4).reversed())
      let header = try fields(rest.dropFirst(4).prefix(length))
      rest = rest.dropFirst(4 + length)
      guard case .bytes(let type)? = header[1], case .number(let count)? = header[3] else {
        throw Damaged()
      }
      let blob = try fields(rest.prefix(count))
      rest = rest.dropFirst(count)
      guard case .number(let size)? = blob[2], case .bytes(let packed)? = blob[3] else {
        throw Damaged()
      }
      let contents = try unpack(packed, count: size, libdeflate_zlib_decompress)
      blocks.append((String(decoding: type, as: UTF8.self), contents))
    }
    return blocks
  }

  private enum Field {
    case number(Int)
    case bytes([UInt8])
  }

  private static func fields(_ message: ArraySlice<UInt8>) throws -> [Int: Field] {
    var rest = message
    func varint() throws -> Int {
      var (value, shift) = (0, 0)
      while let byte = rest.popFirst() {
        value |= Int(byte & 0x7F) << shift
        if byte < 0x80 { return value }
        shift += 7
      }
      throw Damaged()
    }
    var fields: [Int: Field] = [:]
    while !rest.isEmpty {
      let key = try varint()
      let value = try varint()
      if key & 7 == 2 {
        fields[key >> 3] = .bytes(Array(rest.prefix(value)))
        rest = rest.dropFirst(value)
      } else {
        fields[key >> 3] = .number(value)
      }
    }
    return fields
  }

  private static func littleEndian(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private typealias Unpack = (
    OpaquePointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int,
    UnsafeMutablePointer<Int>?
  ) -> libdeflate_result

  private static func unpack(
    _ bytes: [UInt8],
    count: Int,
    _ decompress: Unpack
  ) throws -> [UInt8] {
    guard let decompressor = libdeflate_alloc_decompressor() else { throw Damaged() }
    defer { libdeflate_free_decompressor(decompressor) }
    var unpacked = [UInt8](repeating: 0, count: count)
    let result = unpacked.withUnsafeMutableBytes { output in
      bytes.withUnsafeBytes { input in
        decompress(
          decompressor,
          input.baseAddress,
          input.count,
          output.baseAddress,
          output.count,
          nil
        )
      }
    }
    guard result == LIBDEFLATE_SUCCESS else { throw Damaged() }
    return unpacked
  }
}
