/// One layer of what lies between a file and its text: the file, a member of an archive, gzip.
protocol ByteLayer: AnyObject {
  /// The file as the caller named it, for errors.
  var path: String { get }
  /// Bytes of the file on the disk that have been used so far.
  var fileOffset: Int64 { get }
  /// Puts the next bytes into a buffer that is not empty; 0 at the end only.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int
}

/// A layer with its next bytes in sight.
///
/// - Complexity: 64 KiB of memory.
final class ByteWindow: ByteLayer {
  private let below: any ByteLayer
  private let buffer: UnsafeMutableRawBufferPointer
  /// The part of `buffer` that has been read and not yet used.
  private var available: Range<Int> = 0..<0
  private var hasEnded = false

  init(_ below: any ByteLayer) {
    self.below = below
    buffer = .allocate(byteCount: 1 << 16, alignment: 16)
  }

  deinit { buffer.deallocate() }

  var path: String { below.path }
  var fileOffset: Int64 { below.fileOffset - Int64(available.count) }

  /// The bytes in sight.
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[available])
  }

  /// Whether nothing follows the bytes in sight.
  var isAtEnd: Bool { hasEnded }

  /// Reads on until so many bytes are in sight or the end is.
  func require(_ count: Int) throws(ByteStreamError) {
    guard available.count < count, !hasEnded else { return }
    if available.lowerBound > 0 {
      let rest = available.count
      for index in 0..<rest { buffer[index] = buffer[available.lowerBound + index] }
      available = 0..<rest
    }
    while available.count < count, !hasEnded {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[available.upperBound...])
      let read = try below.read(into: room)
      if read == 0 { hasEnded = true }
      available = available.lowerBound..<(available.upperBound + read)
    }
  }

  /// Marks bytes in sight as used.
  func drop(_ count: Int) { available = available.dropFirst(count) }

  func read(into output: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    guard available.isEmpty else {
      let count = min(available.count, output.count)
      output.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
      drop(count)
      return count
    }
    if hasEnded { return 0 }
    let count = try below.read(into: output)
    if count == 0 { hasEnded = true }
    return count
  }
}
