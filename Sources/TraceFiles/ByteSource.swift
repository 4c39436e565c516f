import CZlib

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The bytes of a file or of standard input, unpacked if they are gzip.
///
/// - Complexity: holds 64 KiB of the file and zlib's window, whatever the size of the file.
final class ByteSource {
  /// The file as the caller named it.
  let path: String
  /// Whether the file can be read a second time.
  let isRegularFile: Bool

  private let descriptor: Int32
  private let input: UnsafeMutableRawBufferPointer
  /// The part of `input` that has been read and not yet used.
  private var available: Range<Int> = 0..<0
  private var hasEnded = false
  private var bytesRead = 0
  private var packing = Packing.unknown
  private var inflater = z_stream()

  private enum Packing {
    case unknown, plain, insideMember, betweenMembers, finished
  }

  private static let inputSize = 1 << 16

  /// Opens a file, or standard input for `-`.
  init(path: String) throws(TraceError) {
    var isRegularFile = false
    var descriptor = STDIN_FILENO
    if path != "-" {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw ByteSource.openFailure(path: path, number: errno) }
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        let failure = ByteSource.openFailure(path: path, number: errno)
        close(descriptor)
        throw failure
      }
      guard status.st_mode & S_IFMT != S_IFDIR else {
        close(descriptor)
        throw TraceError(
          .unreadable,
          file: path,
          problem: "it is a folder",
          advice: "name the trace files in it"
        )
      }
      isRegularFile = status.st_mode & S_IFMT == S_IFREG
    }
    self.path = path
    self.descriptor = descriptor
    self.isRegularFile = isRegularFile
    input = .allocate(byteCount: ByteSource.inputSize, alignment: 16)
  }

  deinit {
    if packing != .unknown, packing != .plain { inflateEnd(&inflater) }
    input.deallocate()
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  /// Fills a part of a buffer with the next bytes of the text; 0 at its end.
  func fill(_ output: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    if packing == .unknown { try recognise() }
    if packing != .plain { return try unpack(into: output) }
    guard available.isEmpty else {
      let count = min(available.count, output.count)
      output.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[available].prefix(count)))
      available = available.dropFirst(count)
      return count
    }
    return try readDescriptor(output)
  }

  // MARK: - Gzip

  /// Looks at the first two bytes, whatever the file is called.
  private func recognise() throws(TraceError) {
    try require(2)
    guard startsMember else {
      packing = .plain
      return
    }
    // 15 is the largest window; 16 more asks zlib for gzip's header and check sum.
    let status = inflateInit2_(&inflater, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      throw TraceError(
        .unreadable,
        file: path,
        problem: "zlib cannot start (status \(status))",
        advice: "free some memory and try again"
      )
    }
    packing = .insideMember
  }

  private var startsMember: Bool {
    available.count >= 2 && input[available.lowerBound] == 0x1F
      && input[available.lowerBound + 1] == 0x8B
  }

  private func unpack(into output: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while true {
      switch packing {
      case .insideMember:
        let count = try unpackMember(into: output)
        if count > 0 { return count }
      case .betweenMembers: try continueAfterMember()
      default: return 0
      }
    }
  }

  /// Unpacks some bytes; 0 only where the member has ended.
  private func unpackMember(into output: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while true {
      if available.isEmpty { try require(1) }
      let offered = available.count
      inflater.next_in = input.baseAddress?.advanced(by: available.lowerBound)
        .assumingMemoryBound(to: UInt8.self)
      inflater.avail_in = UInt32(offered)
      inflater.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      inflater.avail_out = UInt32(output.count)
      let status = inflate(&inflater, Z_NO_FLUSH)
      available = available.dropFirst(offered - Int(inflater.avail_in))
      let count = output.count - Int(inflater.avail_out)
      switch status {
      case Z_STREAM_END:
        packing = .betweenMembers
        return count
      case Z_OK, Z_BUF_ERROR:
        if count > 0 { return count }
        if available.isEmpty, hasEnded {
          throw damaged("the gzip data ends in the middle")
        }
      default:
        // What came out before the damage is good: hand it over, the next call meets the damage.
        if count > 0 { return count }
        throw damaged("the gzip data is damaged")
      }
    }
  }

  /// Starts the next member of a file made of several, or ends.
  private func continueAfterMember() throws(TraceError) {
    try require(2)
    if startsMember {
      inflateReset(&inflater)
      packing = .insideMember
      return
    }
    // Tapes and some tools fill up the last block with zeros.
    while !available.isEmpty {
      guard input[available].allSatisfy({ $0 == 0 }) else {
        throw damaged("something that is not gzip follows the gzip data")
      }
      available = 0..<0
      try require(1)
    }
    packing = .finished
  }

  private func damaged(_ problem: String) -> TraceError {
    TraceError(
      .malformed,
      file: path,
      byteOffset: bytesRead - available.count,
      problem: problem,
      advice: "copy or download the file again"
    )
  }

  // MARK: - Reading

  /// Reads on until so many bytes are available or the file ends.
  private func require(_ count: Int) throws(TraceError) {
    while available.count < count, !hasEnded {
      let rest = available.count
      // At most one byte is ever left over here: the first of a member's two magic bytes.
      for index in 0..<rest { input[index] = input[available.lowerBound + index] }
      let read = try readDescriptor(UnsafeMutableRawBufferPointer(rebasing: input[rest...]))
      available = 0..<(rest + read)
    }
  }

  private func readDescriptor(_ buffer: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    while true {
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        bytesRead += count
        if count == 0 { hasEnded = true }
        return count
      }
      let number = errno
      guard number == EINTR else {
        throw TraceError(
          .unreadable,
          file: path,
          byteOffset: bytesRead,
          problem: String(cString: strerror(number)),
          advice: "check the disk or the network share it lies on"
        )
      }
    }
  }

  private static func openFailure(path: String, number: Int32) -> TraceError {
    TraceError(
      number == ENOENT || number == ENOTDIR ? .missing : .unreadable,
      file: path,
      problem: String(cString: strerror(number)),
      advice: number == EACCES ? "allow reading it" : "check the path"
    )
  }
}
