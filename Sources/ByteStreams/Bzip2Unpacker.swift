import CBzip2

/// Unpacks bzip2 as the bytes come; one or several members, as pbzip2 writes them.
///
/// - Complexity: less than 4 MiB of memory, whatever comes out.
final class Bzip2Unpacker: ByteLayer {
  private let window: ByteWindow
  // libbz2 remembers the address of its stream, so that it must not move.
  private let stream: UnsafeMutablePointer<bz_stream>
  private var isInMember = false
  private var hasFinished = false

  init(_ window: ByteWindow) {
    self.window = window
    stream = .allocate(capacity: 1)
    stream.initialize(to: bz_stream())
  }

  deinit {
    if isInMember { BZ2_bzDecompressEnd(stream) }
    stream.deallocate()
  }

  /// Whether data starts like bzip2.
  static func starts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 4 && bytes.starts(with: "BZh".utf8)
      && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(bytes[3])
  }

  var path: String { window.path }
  var fileOffset: Int64 { window.fileOffset }

  func read(into output: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    while !hasFinished {
      if !isInMember {
        try startMember()
        continue
      }
      try window.require(1)
      let offered = window.bytes
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: offered.baseAddress?.assumingMemoryBound(to: CChar.self)
      )
      stream.pointee.avail_in = UInt32(offered.count)
      let room = UInt32(clamping: output.count)
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
      stream.pointee.avail_out = room
      let status = BZ2_bzDecompress(stream)
      window.drop(offered.count - Int(stream.pointee.avail_in))
      let count = Int(room - stream.pointee.avail_out)
      switch status {
      case BZ_OK:
        guard count > 0 || !offered.isEmpty else {
          throw damage(.truncated, "the bzip2 data ends in the middle")
        }
      case BZ_STREAM_END:
        BZ2_bzDecompressEnd(stream)
        isInMember = false
      case BZ_MEM_ERROR: throw outOfMemory
      default: if count == 0 { throw damage(.damaged, "the bzip2 data is damaged") }
      }
      if count > 0 { return count }
    }
    return 0
  }

  private func startMember() throws(ByteStreamError) {
    try window.require(4)
    guard Bzip2Unpacker.starts(window.bytes) else {
      try skipPadding(window, after: "bzip2")
      hasFinished = true
      return
    }
    guard BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else { throw outOfMemory }
    isInMember = true
  }

  private var outOfMemory: ByteStreamError {
    ByteStreamError(
      .unreadable,
      path: path,
      "there is no memory left for libbz2",
      advice: "free some memory and try again"
    )
  }

  private func damage(_ code: ByteStreamError.Code, _ problem: String) -> ByteStreamError {
    ByteStreamError(
      code,
      path: path,
      byteOffset: fileOffset,
      problem,
      advice: "copy or download the file again"
    )
  }
}
