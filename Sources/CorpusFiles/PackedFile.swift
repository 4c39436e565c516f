import CZlib
import Foundation

/// Reads a whole file, plain or in gzip.
enum PackedFile {
  /// More than a hundred times what a day's files are; reading on could exhaust memory.
  static let largest = 512 << 20

  /// - Throws: ``CorpusError`` if there is no such file, or its gzip data is damaged.
  static func read(_ path: String) throws(CorpusError) -> [UInt8] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CorpusError(.missing, path, "there is no such file")
    }
    guard !isFolder.boolValue else {
      throw CorpusError(.unreadable, path, "it is a folder, not a file")
    }
    guard let file = gzopen(path, "rb") else {
      throw CorpusError(.unreadable, path, "\(String(cString: strerror(errno))): allow reading it")
    }
    defer { gzclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = gzread(file, &piece, UInt32(piece.count))
      guard count >= 0, bytes.count + Int(count) <= largest else {
        throw damaged(path, count)
      }
      bytes += piece[..<Int(count)]
      if count < piece.count {
        var status: Int32 = 0
        _ = gzerror(file, &status)
        // A file that was cut off ends without complaint, but not at the end of its gzip data.
        guard status == Z_OK || status == Z_STREAM_END else { throw damaged(path, -1) }
        if count == 0 { return bytes }
      }
    }
  }

  private static func damaged(_ path: String, _ count: Int32) -> CorpusError {
    count < 0
      ? CorpusError(.malformed, path, "the gzip data is damaged: copy or download it again")
      : CorpusError(.malformed, path, "it has more than \(largest >> 20) MB: no day is so long")
  }
}
