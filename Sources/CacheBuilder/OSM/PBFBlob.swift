import CDeflate
import Foundation

/// One piece of a PBF file: where its packed bytes lie.
struct PBFBlob: Sendable {
  let type: String
  /// First byte of the blob in the file.
  let offset: Int64
  let byteCount: Int
}

/// - Source: wiki.openstreetmap.org/wiki/PBF_Format, "File format".
private let longestBlobHeader = 64 << 10
private let longestBlob = 32 << 20

/// The pieces of a PBF file, from their headers alone.
///
/// - Throws: ``ImportError`` at the byte where a header is damaged or the file ends too early.
func pbfBlobs(of source: ByteSource) throws(ImportError) -> [PBFBlob] {
  var blobs: [PBFBlob] = []
  var offset: Int64 = 0
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: longestBlobHeader, alignment: 16)
  defer { buffer.deallocate() }
  while offset < source.byteCount {
    let prefix = UnsafeMutableRawBufferPointer(rebasing: buffer[..<4])
    try source.readExactly(prefix, at: offset)
    let length = Int(UInt32(bigEndian: prefix.loadUnaligned(as: UInt32.self)))
    guard length > 0, length <= longestBlobHeader else {
      throw ImportError(
        .malformed,
        path: source.path,
        at: .byte(offset),
        "a block header of \(length) bytes; at most \(longestBlobHeader) are allowed"
      )
    }
    let header = UnsafeMutableRawBufferPointer(rebasing: buffer[..<length])
    try source.readExactly(header, at: offset + 4)
    var reader = WireReader(UnsafeRawBufferPointer(header), 0..<length)
    var type = ""
    var byteCount: UInt64?
    while let field = reader.field() {
      switch field.number {
      case 1: type = String(decoding: header[reader.bytes(field.type)], as: UTF8.self)
      case 3: byteCount = reader.number(field.type)
      default: reader.skip(field.type)
      }
    }
    guard !reader.isBroken, let byteCount, byteCount <= UInt64(longestBlob) else {
      throw ImportError(
        .malformed,
        path: source.path,
        at: .byte(offset),
        "the block header is damaged"
      )
    }
    let start = offset + 4 + Int64(length)
    guard start + Int64(byteCount) <= source.byteCount else {
      throw ImportError(
        .truncated,
        path: source.path,
        at: .byte(source.byteCount),
        "the file ends in the middle of a block; fetch it again"
      )
    }
    blobs.append(PBFBlob(type: type, offset: start, byteCount: Int(byteCount)))
    offset = start + Int64(byteCount)
  }
  return blobs
}

/// Unpacks blobs one after the other, into memory that it keeps.
///
/// Two of them share nothing but a budget: each thread may have its own.
final class PBFInflater {
  /// A budget in which the largest block has room.
  static var budget: MemoryBudget { MemoryBudget(byteCount: 2 * longestBlob) }

  /// Blocks of real files are smaller, packed and unpacked; larger ones wait for memory.
  private static let usualBlob = 4 << 20

  private let source: ByteSource
  private let budget: MemoryBudget
  private var granted = 0
  private let decompressor: OpaquePointer
  private var packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var unpacked = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  init(source: ByteSource, budget: MemoryBudget = PBFInflater.budget) throws(ImportError) {
    guard let decompressor = libdeflate_alloc_decompressor() else {
      throw ImportError(.inputOutput, path: source.path, "libdeflate cannot start")
    }
    self.source = source
    self.budget = budget
    self.decompressor = decompressor
  }

  deinit {
    finish()
    libdeflate_free_decompressor(decompressor)
    packed.deallocate()
    unpacked.deallocate()
  }

  /// Lets go of the contents that were given out last, and of the memory of an unusual block.
  func finish() {
    guard granted > 0 else { return }
    for buffer in [packed, unpacked] { buffer.deallocate() }
    packed = .allocate(byteCount: 1 << 16, alignment: 16)
    unpacked = .allocate(byteCount: 1 << 16, alignment: 16)
    budget.give(granted)
    granted = 0
  }

  private func take(_ byteCount: Int) {
    budget.take(byteCount)
    granted = byteCount
  }

  /// The contents of a blob, valid until the next call or ``finish()``.
  func contents(of blob: PBFBlob) throws(ImportError) -> UnsafeRawBufferPointer {
    finish()
    // At once for both: a thread that has some memory must not wait for more.
    if blob.byteCount > Self.usualBlob { take(blob.byteCount + longestBlob) }
    reserve(&packed, blob.byteCount)
    let bytes = UnsafeMutableRawBufferPointer(rebasing: packed[..<blob.byteCount])
    try source.readExactly(bytes, at: blob.offset)
    var reader = WireReader(UnsafeRawBufferPointer(bytes), 0..<bytes.count)
    var rawSize: UInt64 = 0
    var raw: Range<Int>?
    var zlib: Range<Int>?
    var other: String?
    while let field = reader.field() {
      switch field.number {
      case 1: raw = reader.bytes(field.type)
      case 2: rawSize = reader.number(field.type)
      case 3: zlib = reader.bytes(field.type)
      case 4, 5, 6, 7:
        other = ["lzma", "bzip2", "lz4", "zstd"][Int(field.number) - 4]
        reader.skip(field.type)
      default: reader.skip(field.type)
      }
    }
    guard !reader.isBroken else { throw damaged(blob, "the block is damaged") }
    if let raw { return UnsafeRawBufferPointer(rebasing: bytes[raw]) }
    if let zlib { return try inflate(bytes[zlib], rawSize: rawSize, blob) }
    if let other {
      throw ImportError(
        .unsupported,
        path: source.path,
        at: .byte(blob.offset),
        "\(other) blocks cannot be read; "
          + "convert with `osmium cat -f pbf,pbf_compression=zlib`"
      )
    }
    throw damaged(blob, "the block holds no data")
  }

  private func inflate(
    _ zlib: Slice<UnsafeMutableRawBufferPointer>,
    rawSize: UInt64,
    _ blob: PBFBlob
  ) throws(ImportError) -> UnsafeRawBufferPointer {
    guard rawSize <= UInt64(longestBlob) else {
      throw damaged(blob, "a block of \(rawSize) bytes; at most \(longestBlob) are allowed")
    }
    let size = Int(rawSize)
    if size > Self.usualBlob, granted == 0 { take(size) }
    reserve(&unpacked, size)
    let input = UnsafeMutableRawBufferPointer(rebasing: zlib)
    // Without a place for the actual size, anything but exactly `size` bytes is an error.
    let result = libdeflate_zlib_decompress(
      decompressor,
      input.baseAddress,
      input.count,
      unpacked.baseAddress,
      size,
      nil
    )
    guard result == LIBDEFLATE_SUCCESS else {
      throw damaged(blob, "the packed data of the block is damaged")
    }
    return UnsafeRawBufferPointer(rebasing: unpacked[..<size])
  }

  private func damaged(_ blob: PBFBlob, _ what: String) -> ImportError {
    ImportError(.malformed, path: source.path, at: .byte(blob.offset), what + "; fetch it again")
  }

  private func reserve(_ buffer: inout UnsafeMutableRawBufferPointer, _ count: Int) {
    guard buffer.count < count else { return }
    buffer.deallocate()
    let room = count > Self.usualBlob ? count : count + count / 2
    buffer = .allocate(byteCount: room, alignment: 16)
  }
}
