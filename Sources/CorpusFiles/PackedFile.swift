import ByteStreams

/// Reads a whole file, packed or not.
enum PackedFile {
  /// More than a hundred times what a day's files are; reading on could exhaust memory.
  static let largest = 512 << 20

  /// - Throws: ``CorpusError`` if there is no such file, or what it is packed in is damaged.
  static func read(_ path: String) throws(CorpusError) -> [UInt8] {
    var bytes: [UInt8] = []
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { piece.deallocate() }
    do {
      let stream = try ByteStream(path: path)
      while true {
        let count = try stream.read(into: piece)
        if count == 0 { return bytes }
        bytes.append(contentsOf: piece[..<count])
        if bytes.count > largest { break }
      }
    } catch {
      throw CorpusError(code(error), path, "\(error.problem): \(error.advice)")
    }
    throw CorpusError(.malformed, path, "it has more than \(largest >> 20) MB: no day is so long")
  }

  private static func code(_ error: ByteStreamError) -> CorpusError.Code {
    switch error.code {
    case .missing: .missing
    case .unreadable: .unreadable
    case .folder, .truncated, .damaged, .unsupported, .ambiguous: .malformed
    }
  }
}
