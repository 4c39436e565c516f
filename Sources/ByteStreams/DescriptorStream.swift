#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The bytes of a descriptor as they come, unpacked if they are gzip: for feeds that need not end.
///
/// Nothing is read ahead: what the other end has written is handed over at once, up to what gzip itself
/// holds back.
///
/// - Complexity: 128 KiB of memory, and zlib's window.
package final class DescriptorStream {
  private let window: ByteWindow
  private var text: (any ByteLayer)?

  /// Makes a stream; the caller keeps the descriptor open.
  ///
  /// - Parameter name: what errors call it.
  package init(_ descriptor: Int32, name: String) {
    window = ByteWindow(DescriptorLayer(descriptor, name))
  }

  /// Waits for the next bytes; 0 at the end only.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    if let text { return try text.read(into: buffer) }
    try window.require(2)
    let text: any ByteLayer =
      Inflater.starts(window.bytes) ? try Inflater(window, .gzip) : window
    self.text = text
    return try text.read(into: buffer)
  }
}

/// What a descriptor gives, also one that does not block.
private final class DescriptorLayer: ByteLayer {
  let path: String
  private(set) var fileOffset: Int64 = 0
  private let descriptor: Int32

  init(_ descriptor: Int32, _ path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    while true {
      switch readSome(descriptor, into: buffer) {
      case .success(let count):
        fileOffset += Int64(count)
        return count
      case .failure(let failure) where failure.number == EAGAIN:
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&wait, 1, -1)
      case .failure(let failure):
        throw ByteStreamError(
          .unreadable,
          path: path,
          "cannot be read: \(String(cString: strerror(failure.number)))",
          advice: "check what feeds it"
        )
      }
    }
  }
}
