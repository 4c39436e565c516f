import CZlib

/// Unpacks gzip, of one member or of several, or the bare deflate data of an archive.
///
/// - Complexity: 64 KiB of packed data and zlib's window, whatever comes out.
final class Inflater: ByteLayer {
  /// How the data is wrapped.
  enum Wrapping {
    case gzip, bare
  }

  private enum State {
    case insideMember, betweenMembers, finished
  }

  private let window: ByteWindow
  private let wrapping: Wrapping
  // zlib remembers the address of its stream, so that it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var state = State.insideMember

  init(_ window: ByteWindow, _ wrapping: Wrapping) throws(ByteStreamError) {
    self.window = window
    self.wrapping = wrapping
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 is the largest window; 16 more asks for gzip's header and check sum, a minus for neither.
    let status = inflateInit2_(
      stream,
      wrapping == .gzip ? 15 + 16 : -15,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard status == Z_OK else {
      throw ByteStreamError(
        .unreadable,
        path: window.path,
        "zlib cannot start (status \(status))",
        advice: "free some memory and try again"
      )
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether data starts like gzip.
  static func starts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.count >= 2 && bytes[0] == 0x1F && bytes[1] == 0x8B
  }

  var path: String { window.path }
  var fileOffset: Int64 { window.fileOffset }

  func read(into output: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    while true {
      switch state {
      case .insideMember:
        let count = try unpackMember(into: output)
        if count > 0 { return count }
      case .betweenMembers: try continueAfterMember()
      case .finished: return 0
      }
    }
  }

  /// Unpacks some bytes; 0 only where the member has ended.
  private func unpackMember(
    into output: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> Int {
    while true {
      try window.require(1)
      let offered = window.bytes
      stream.pointee.next_in = UnsafeMutablePointer(
        mutating: offered.baseAddress?.assumingMemoryBound(to: UInt8.self)
      )
      stream.pointee.avail_in = UInt32(offered.count)
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(clamping: output.count)
      let room = Int(stream.pointee.avail_out)
      let status = inflate(stream, Z_NO_FLUSH)
      window.drop(offered.count - Int(stream.pointee.avail_in))
      let count = room - Int(stream.pointee.avail_out)
      switch status {
      case Z_STREAM_END:
        state = wrapping == .gzip ? .betweenMembers : .finished
        return count
      case Z_OK, Z_BUF_ERROR:
        if count > 0 { return count }
        if window.bytes.isEmpty, window.isAtEnd {
          throw damage(.truncated, "data ends in the middle")
        }
      default:
        // What came out before the damage is good: hand it over, the next call meets the damage.
        if count > 0 { return count }
        let reason = stream.pointee.msg.map { " (\(String(cString: $0)))" } ?? ""
        throw damage(.damaged, "data is damaged\(reason)")
      }
    }
  }

  /// Starts the next member of a file made of several, or ends.
  private func continueAfterMember() throws(ByteStreamError) {
    try window.require(2)
    if Inflater.starts(window.bytes) {
      inflateReset(stream)
      state = .insideMember
      return
    }
    try skipPadding(window, after: "gzip")
    state = .finished
  }

  private func damage(_ code: ByteStreamError.Code, _ problem: String) -> ByteStreamError {
    ByteStreamError(
      code,
      path: path,
      byteOffset: fileOffset,
      "the \(wrapping == .gzip ? "gzip" : "packed") \(problem)",
      advice: "copy or download the file again"
    )
  }
}

/// Skips the zeros with which tapes and some tools fill up the last block, to the end.
func skipPadding(_ window: ByteWindow, after name: String) throws(ByteStreamError) {
  while true {
    try window.require(1)
    let bytes = window.bytes
    if bytes.isEmpty { return }
    guard bytes.allSatisfy({ $0 == 0 }) else {
      throw ByteStreamError(
        .damaged,
        path: window.path,
        byteOffset: window.fileOffset,
        "something that is not \(name) follows the \(name) data",
        advice: "copy or download the file again"
      )
    }
    window.drop(bytes.count)
  }
}
