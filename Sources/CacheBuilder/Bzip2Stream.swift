import CBzip2

/// Unpacks bzip2 as the bytes come; one or several members, as pbzip2 writes them.
///
/// - Complexity: less than 4 MiB of memory, whatever the file's size.
final class Bzip2Stream {
  /// Why bytes cannot be unpacked.
  enum Failure: Error { case damaged, truncated, noMemory }

  // libbz2 remembers the address of its stream, so that it must not move.
  private let stream: UnsafeMutablePointer<bz_stream>
  private let packed: UnsafeMutableRawBufferPointer
  private var isInMember = false

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: bz_stream())
    packed = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit {
    if isInMember { BZ2_bzDecompressEnd(stream) }
    stream.deallocate()
    packed.deallocate()
  }

  /// Bytes that were taken from the file and not yet unpacked.
  var unreadCount: Int { Int(stream.pointee.avail_in) }

  /// Whether a file starts like bzip2.
  static func starts(_ head: [UInt8]) -> Bool {
    head.count >= 4 && head.starts(with: Array("BZh".utf8))
      && (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(head[3])
  }

  /// Unpacks into a buffer until it is full.
  ///
  /// - Parameter more: puts the file's next bytes into a buffer; 0 at the end.
  /// - Returns: less than the buffer's size at the end only, or why it cannot.
  func read(
    into buffer: UnsafeMutableRawBufferPointer,
    more: (UnsafeMutableRawBufferPointer) throws(ImportError) -> Int
  ) throws(ImportError) -> Result<Int, Failure> {
    var done = 0
    while done < buffer.count {
      if stream.pointee.avail_in == 0 {
        let count = try more(packed)
        if count == 0 {
          if isInMember { return .failure(.truncated) }
          break
        }
        stream.pointee.next_in = packed.baseAddress?.assumingMemoryBound(to: CChar.self)
        stream.pointee.avail_in = UInt32(count)
      }
      if !isInMember {
        // Zero padding after the last member, as tape tools leave it, is no member.
        if stream.pointee.next_in.pointee == 0 {
          stream.pointee.next_in += 1
          stream.pointee.avail_in -= 1
          continue
        }
        guard BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else { return .failure(.noMemory) }
        isInMember = true
      }
      let room = UInt32(clamping: buffer.count - done)
      stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: CChar.self) + done
      stream.pointee.avail_out = room
      let result = BZ2_bzDecompress(stream)
      done += Int(room - stream.pointee.avail_out)
      switch result {
      case BZ_OK: break
      case BZ_STREAM_END:
        BZ2_bzDecompressEnd(stream)
        isInMember = false
      case BZ_MEM_ERROR: return .failure(.noMemory)
      default: return .failure(.damaged)
      }
    }
    return .success(done)
  }
}

private func + (base: UnsafeMutablePointer<CChar>?, offset: Int) -> UnsafeMutablePointer<CChar>? {
  base.map { $0 + offset }
}
