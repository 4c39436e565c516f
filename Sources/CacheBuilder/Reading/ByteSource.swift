import ByteStreams
import CDeflate

/// The bytes of a map file from its start, unpacked if it is gzip, bzip2 or KMZ, and in UTF-8 if they are
/// text in UTF-16.
///
/// A ``ByteStream`` whose errors are those of an import, and which wants a file with something in it.
final class ByteSource {
  let path: String
  /// The size of the file in bytes.
  let byteCount: Int64
  private let stream: ByteStream
  private var hasBegun = false
  /// What makes UTF-8 of the bytes, if they began with a mark of UTF-16.
  private var decoder: UTF16Decoder?
  /// What it made, and was not yet asked for.
  private var decoded: [UInt8] = []

  /// Opens a file.
  ///
  /// - Throws: ``ImportError`` for a file that is missing, no file, unreadable or empty.
  init(path: String) throws(ImportError) {
    self.path = path
    // Asked before it is opened: a pipe that no process writes to would be waited for.
    guard !ByteStream.isPipe(path) else {
      throw ImportError(
        .notAFile,
        path: path,
        "this is a pipe; give it as standard input, with - for its name, or write it to a file first"
      )
    }
    do {
      stream = try ByteStream(path: path, selecting: Self.mainKML)
    } catch {
      throw ImportError(error)
    }
    guard stream.isRegularFile else {
      throw ImportError(.notAFile, path: path, "this is not a file; name the file inside it")
    }
    guard stream.byteCount > 0 else {
      throw ImportError(.empty, path: path, "the file is empty; fetch it again")
    }
    byteCount = stream.byteCount
  }

  /// The file of an archive that is meant: KMZ has one that may be called anything, and may have others
  /// in folders.
  ///
  /// - Source: OGC 12-007r2, "KML 2.3", chapter 8.
  private static func mainKML(_ names: [String]) -> [String] {
    let all = names.filter { $0.lowercased().hasSuffix(".kml") }
    let top = all.filter { !$0.contains("/") }
    return all.contains("doc.kml") ? ["doc.kml"] : top.isEmpty ? all : top
  }

  /// Bytes of the file that have been read so far, as it lies on the disk.
  var fileOffset: Int64 { stream.fileOffset }

  /// The program that unpacks the file, known after the first read; nil for one that is not packed.
  var unpacker: String? {
    switch stream.packing {
    case .plain: nil
    case .gzip: "gunzip"
    case .bzip2: "bunzip2"
    }
  }

  /// Whether the file is text in UTF-16, which is read as UTF-8; known after the first read.
  var isUTF16: Bool { decoder != nil }

  /// Reads bytes at a place of the file itself, as many as the buffer holds.
  ///
  /// - Throws: `.truncated` where the file ends before that.
  func readExactly(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(ImportError) {
    do { try stream.readExactly(buffer, at: offset) } catch { throw ImportError(error) }
  }

  /// Fills a buffer with the next bytes, unpacked.
  ///
  /// - Returns: less than the buffer's size at the end only.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ImportError) -> Int {
    do throws(ByteStreamError) {
      if decoder != nil { return try readDecoded(buffer) }
      let count = try stream.fill(buffer)
      guard !hasBegun else { return count }
      hasBegun = true
      let start = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      decoder = UTF16Decoder(start: start)
      guard decoder != nil else { return count }
      let text = UnsafeRawBufferPointer(rebasing: start[UTF16Decoder.markLength...])
      decoder?.decode(text, into: &decoded)
      return try readDecoded(buffer)
    } catch { throw ImportError(error) }
  }

  /// - Complexity: memory for the buffer and for what one piece of the file makes.
  private func readDecoded(
    _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> Int {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { piece.deallocate() }
    while decoded.count < buffer.count {
      let count = try stream.read(into: piece)
      guard count > 0 else {
        decoder?.finish(into: &decoded)
        break
      }
      decoder?.decode(UnsafeRawBufferPointer(rebasing: piece[..<count]), into: &decoded)
    }
    let count = min(buffer.count, decoded.count)
    decoded.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    }
    decoded.removeFirst(count)
    return count
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
    var offset: Int64 = 0
    while offset < source.byteCount {
      let count = Int(min(Int64(buffer.count), source.byteCount - offset))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try source.readExactly(piece, at: offset)
      crc = libdeflate_crc32(crc, piece.baseAddress, count)
      offset += Int64(count)
    }
    let digits = String(crc, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}

/// CRC-32 of a cache as it lies on the disk, in 8 hexadecimal digits.
package func cacheChecksum(path: String) throws(ImportError) -> String {
  try ByteSource.crc32(path: path)
}

extension ImportError {
  /// The same fault in the words of an import.
  fileprivate init(_ error: ByteStreamError) {
    let code: Code =
      switch error.code {
      case .missing: .missing
      case .folder: .notAFile
      case .unreadable: .inputOutput
      case .truncated: .truncated
      case .damaged: .malformed
      case .unsupported, .ambiguous: .unsupported
      }
    let detail: String =
      switch error.code {
      case .missing: "there is no such file"
      case .folder: "this is a folder; name the file inside it"
      case .unreadable: error.problem
      case .truncated, .damaged: "\(error.problem); fetch the file again"
      case .unsupported: "\(error.problem); \(error.advice)"
      case .ambiguous:
        // Of an archive: KML is all that is looked for in one.
        "\(error.problem); \(error.advice); KMZ has KML in it, and other things are unpacked with `unzip` first"
      }
    self.init(code, path: error.path, at: error.byteOffset.map { .byte($0) } ?? .file, detail)
  }
}
