/// Bytes that are read once, from the first to the last.
package protocol UnpackedBytes: AnyObject {
  /// What errors call it.
  var path: String { get }
  /// Whether it can be read a second time.
  var isRegularFile: Bool { get }
  /// Puts the next bytes into a buffer; 0 at the end only.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int
}

/// The bytes of a file or of standard input, unpacked if they are gzip, bzip2 or in a zip archive.
///
/// What a file is packed with is seen from its content; its name does not matter.
///
/// - Complexity: at most 4 MiB of memory, whatever the size of the file or of what comes out.
package final class ByteStream: UnpackedBytes {
  /// How the bytes are packed in the file.
  package enum Packing: Hashable, Sendable {
    case plain, gzip, bzip2
  }

  /// The file as the caller named it; with the member, if it is an archive.
  package let path: String
  /// How the bytes are packed; known once the first of them have been read.
  package private(set) var packing = Packing.plain

  private let stored: StoredBytes
  private var top: any ByteLayer
  private var window: ByteWindow?

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameter selecting: the names of those files of an archive that could be meant; archives
  ///   are opened only if this is given. A path that goes on behind the archive names a file in it:
  ///   `takeout.zip/Records.json`. An archive that comes through a pipe is kept in a temporary file of
  ///   at most 1 GiB.
  /// - Throws: ``ByteStreamError`` if there is no such file, or if not exactly one is meant.
  package init(
    path: String,
    selecting select: ((_ names: [String]) -> [String])? = nil
  ) throws(ByteStreamError) {
    var memberName: String?
    var stored: StoredBytes
    do {
      stored = try StoredBytes(path: path)
    } catch {
      guard select != nil, error.code == .missing,
        let (archive, member) = ByteStream.insideArchive(path)
      else { throw error }
      stored = try StoredBytes(path: archive)
      memberName = member
    }
    var window: ByteWindow?
    if select != nil, !stored.isRegularFile {
      let pipe = ByteWindow(stored)
      try pipe.require(4)
      // The list of an archive's files is at its end.
      if ZipArchive.starts(pipe.bytes) {
        stored = try StoredBytes(spooling: pipe)
      } else {
        window = pipe
      }
    }
    self.stored = stored
    var path = path
    var layer: any ByteLayer = stored
    if let select, try ByteStream.isArchive(stored) {
      let member = try ZipArchive(stored).choose(path: stored.path, named: memberName, by: select)
      path = "\(stored.path)/\(member.name)"
      layer = try ZipArchive.open(member, of: stored)
    } else if memberName != nil {
      throw ByteStreamError(
        .missing,
        path: path,
        "\(stored.path) is no archive",
        advice: "check the path"
      )
    }
    self.path = path
    let top = window ?? ByteWindow(layer)
    self.window = top
    self.top = top
  }

  /// Whether the file can be read a second time.
  package var isRegularFile: Bool { stored.isRegularFile && !stored.isSpooled }
  /// The size of the file in bytes, as it lies on the disk; 0 for a pipe.
  package var byteCount: Int64 { stored.byteCount }
  /// Bytes of the file on the disk that have been used so far.
  package var fileOffset: Int64 { top.fileOffset }

  /// Reads the next bytes, unpacked.
  ///
  /// What came out before a damaged place is handed over before the damage is thrown.
  ///
  /// - Returns: 0 at the end only; else it may be less than the buffer holds.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> Int {
    if let window {
      try window.require(4)
      if Inflater.starts(window.bytes) {
        packing = .gzip
        top = try Inflater(window, .gzip)
      } else if Bzip2Unpacker.starts(window.bytes) {
        packing = .bzip2
        top = Bzip2Unpacker(window)
      }
      self.window = nil
    }
    return buffer.isEmpty ? 0 : try top.read(into: buffer)
  }

  /// Reads until a buffer is full or the end comes.
  ///
  /// - Returns: less than the buffer's size at the end only.
  package func fill(
    _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ByteStreamError) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Reads bytes at a place of the file itself, as many as the buffer holds.
  ///
  /// Several threads may call it at once.
  ///
  /// - Throws: `.truncated` where the file ends before that.
  package func readExactly(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(ByteStreamError) { try stored.readExactly(buffer, at: offset) }

  // MARK: - Archives

  private static func isArchive(_ stored: StoredBytes) throws(ByteStreamError) -> Bool {
    guard stored.isRegularFile, stored.byteCount >= 22 else { return false }
    let magic = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 4)
    defer { magic.deallocate() }
    try stored.readExactly(magic, at: 0)
    return ZipArchive.starts(UnsafeRawBufferPointer(magic))
  }

  /// Cuts a path after its first part that is a file.
  private static func insideArchive(_ path: String) -> (archive: String, member: String)? {
    var index = path.startIndex
    while let slash = path[index...].firstIndex(of: "/") {
      let next = path.index(after: slash)
      if slash > path.startIndex, next < path.endIndex,
        let file = try? StoredBytes(path: String(path[..<slash])), file.isRegularFile
      {
        return (String(path[..<slash]), String(path[next...]))
      }
      index = next
    }
    return nil
  }
}
