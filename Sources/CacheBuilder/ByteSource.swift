import CDeflate
import CZlib
import Foundation

/// The bytes of a file from its start, unpacked if it is gzip or bzip2.
final class ByteSource {
  let path: String
  private let descriptor: Int32
  /// The size of the file in bytes.
  let byteCount: Int64
  /// Bytes of the file that have been read so far.
  private(set) var fileOffset: Int64 = 0
  private let isGzip: Bool
  private let bzip2: Bzip2Stream?
  // zlib remembers the address of its stream, so that it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private var packed: [UInt8] = []
  private var isInMember = false

  /// Opens a file.
  ///
  /// - Throws: ``ImportError`` for a file that is missing, no file, unreadable or empty.
  init(path: String) throws(ImportError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw errno == ENOENT || errno == ENOTDIR
        ? ImportError(.missing, path: path, "there is no such file")
        : ImportError(.inputOutput, path: path, String(cString: strerror(errno)))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      _ = close(descriptor)
      throw ImportError(.inputOutput, path: path, String(cString: strerror(errno)))
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      _ = close(descriptor)
      throw ImportError(.notAFile, path: path, "this is not a file; name the file inside it")
    }
    guard status.st_size > 0 else {
      _ = close(descriptor)
      throw ImportError(.empty, path: path, "the file is empty; fetch it again")
    }
    byteCount = Int64(status.st_size)
    var magic: [UInt8] = [0, 0, 0, 0]
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    _ = pread(descriptor, &magic, 4, 0)
    isGzip = magic.starts(with: [0x1F, 0x8B])
    bzip2 = Bzip2Stream.starts(magic) ? Bzip2Stream() : nil
    guard isGzip else { return }
    packed = [UInt8](repeating: 0, count: 1 << 16)
    // 15 + 16: the largest window, and a gzip header.
    let result = inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else {
      // Everything is set by now: `deinit` closes the file.
      throw ImportError(.inputOutput, path: path, "zlib cannot start")
    }
  }

  deinit {
    if isGzip { inflateEnd(stream) }
    stream.deallocate()
    _ = close(descriptor)
  }

  /// The program that unpacks the file; nil for one that is not compressed.
  var unpacker: String? { isGzip ? "gunzip" : bzip2 == nil ? nil : "bunzip2" }

  /// Reads bytes at a place of the file itself, as many as the buffer holds.
  ///
  /// - Throws: `.truncated` where the file ends before that.
  func readExactly(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(ImportError) {
    var done = 0
    while done < buffer.count {
      let count = pread(
        descriptor,
        buffer.baseAddress.map { $0 + done },
        buffer.count - done,
        off_t(offset) + off_t(done)
      )
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ImportError(
          .inputOutput,
          path: path,
          at: .byte(offset),
          String(cString: strerror(errno))
        )
      }
      guard count > 0 else {
        throw ImportError(
          .truncated,
          path: path,
          at: .byte(offset + Int64(done)),
          "the file ends in the middle; fetch it again"
        )
      }
      done += count
    }
  }

  /// Reads the next bytes, unpacked.
  ///
  /// - Returns: 0 at the end only.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    if let bzip2 { return try read(bzip2, into: buffer) }
    guard isGzip else { return try readFile(into: buffer) }
    guard let base = buffer.baseAddress else { return 0 }
    stream.pointee.next_out = base.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = uInt(clamping: buffer.count)
    let wanted = stream.pointee.avail_out
    while stream.pointee.avail_out > 0 {
      if stream.pointee.avail_in == 0 {
        let count = try readPacked()
        if count == 0 { break }
      }
      try inflateSome()
    }
    return Int(wanted - stream.pointee.avail_out)
  }

  private func read(
    _ bzip2: Bzip2Stream,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(ImportError) -> Int {
    let result = try bzip2.read(into: buffer) { packed throws(ImportError) in
      try readFile(into: packed)
    }
    let offset = fileOffset - Int64(bzip2.unreadCount)
    switch result {
    case .success(let count): return count
    case .failure(.truncated):
      throw ImportError(
        .truncated,
        path: path,
        at: .byte(offset),
        "the bzip2 data ends in the middle; fetch the file again"
      )
    case .failure(.damaged):
      throw ImportError(
        .malformed,
        path: path,
        at: .byte(offset),
        "the bzip2 data is damaged; fetch the file again"
      )
    case .failure(.noMemory):
      throw ImportError(.inputOutput, path: path, "there is no memory left for libbz2")
    }
  }

  // zlib's input pointer must stay valid between calls: the bytes are copied only for one call.
  private func inflateSome() throws(ImportError) {
    let start = packedCount - Int(stream.pointee.avail_in)
    if !isInMember {
      // Zero padding after the last member, as tape tools leave it, is no member.
      if packed[start] == 0 {
        stream.pointee.avail_in -= 1
        return
      }
      inflateReset(stream)
      isInMember = true
    }
    let result = packed.withUnsafeMutableBufferPointer { bytes -> Int32 in
      stream.pointee.next_in = bytes.baseAddress.map { $0 + start }
      return inflate(stream, Z_NO_FLUSH)
    }
    switch result {
    case Z_STREAM_END: isInMember = false
    case Z_OK, Z_BUF_ERROR: break
    default:
      let message = stream.pointee.msg.map { String(cString: $0) } ?? "wrong data"
      throw ImportError(
        .malformed,
        path: path,
        at: .byte(fileOffset - Int64(stream.pointee.avail_in)),
        "the gzip data is damaged (\(message)); fetch the file again"
      )
    }
  }

  private var packedCount = 0

  private func readPacked() throws(ImportError) -> Int {
    var count = 0
    let result = packed.withUnsafeMutableBytes { buffer -> Result<Int, ImportError> in
      do throws(ImportError) { return .success(try readFile(into: buffer)) } catch {
        return .failure(error)
      }
    }
    count = try result.get()
    guard count > 0 || !isInMember else {
      throw ImportError(
        .truncated,
        path: path,
        at: .byte(fileOffset),
        "the gzip data ends in the middle; fetch the file again"
      )
    }
    packedCount = count
    stream.pointee.avail_in = uInt(count)
    return count
  }

  private func readFile(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(fileOffset))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ImportError(
          .inputOutput,
          path: path,
          at: .byte(fileOffset),
          String(cString: strerror(errno))
        )
      }
      fileOffset += Int64(count)
      return count
    }
  }

  /// Reads everything, unpacked, up to a limit of bytes.
  func readAll(limit: Int) throws(ImportError) -> [UInt8] {
    var bytes: [UInt8] = []
    try forEachChunk { chunk throws(ImportError) in
      bytes.append(contentsOf: chunk)
      guard bytes.count <= limit else {
        throw ImportError(.malformed, path: path, "the file is larger than \(limit) bytes")
      }
      return true
    }
    return bytes
  }

  /// Hands over the bytes in pieces of up to 256 KiB until the body returns false.
  func forEachChunk(
    _ body: (UnsafeRawBufferPointer) throws(ImportError) -> Bool
  ) throws(ImportError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try read(into: buffer)
      guard count > 0 else { return }
      guard try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
    }
  }

  /// CRC-32 of the file as it lies on the disk, in 8 hexadecimal digits.
  static func crc32(path: String) throws(ImportError) -> String {
    let source = try ByteSource(path: path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    var crc: UInt32 = 0
    while true {
      let count = try source.readFile(into: buffer)
      guard count > 0 else { break }
      crc = libdeflate_crc32(crc, buffer.baseAddress, count)
    }
    let digits = String(crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
