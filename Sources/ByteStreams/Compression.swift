import CDeflate

/// Bytes packed at a fixed level.
package enum Compression {
  /// The zlib format, as in PBF files.
  package static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    pack(bytes, bound: libdeflate_zlib_compress_bound, libdeflate_zlib_compress)
  }

  /// The gzip format; libdeflate leaves the time and the name out, so that the bytes repeat.
  package static func gzip(_ bytes: [UInt8]) -> [UInt8] {
    pack(bytes, bound: libdeflate_gzip_compress_bound, libdeflate_gzip_compress)
  }

  private typealias Bound = (OpaquePointer?, Int) -> Int
  private typealias Pack = (
    OpaquePointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int
  ) -> Int

  private static func pack(_ bytes: [UInt8], bound: Bound, _ compress: Pack) -> [UInt8] {
    guard let compressor = libdeflate_alloc_compressor(9) else {
      preconditionFailure("libdeflate cannot start")
    }
    defer { libdeflate_free_compressor(compressor) }
    var packed = [UInt8](repeating: 0, count: bound(compressor, bytes.count))
    let count = packed.withUnsafeMutableBytes { output in
      bytes.withUnsafeBytes { input in
        compress(compressor, input.baseAddress, input.count, output.baseAddress, output.count)
      }
    }
    precondition(count > 0, "the bound is large enough for any input")
    return Array(packed[..<count])
  }
}
