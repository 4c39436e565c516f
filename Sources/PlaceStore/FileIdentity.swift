import Foundation

/// What an SQLite file says about itself in its first 100 bytes.
///
/// - Source: sqlite.org/fileformat.html, section 1.3.
struct FileIdentity {
  /// The bytes "NMpc": a cache of points of interest.
  static let poiCache: UInt32 = 0x4E4D_7063
  /// The bytes "NM", with which the ids of all databases of Near Me begin.
  private static let ours: UInt32 = 0x4E4D

  let applicationID: UInt32
  let schemaVersion: Int

  /// Reads the header of a file.
  ///
  /// - Returns: nil for an empty file, which SQLite takes for an empty database.
  /// - Throws: ``PlaceStoreError`` for a file that is missing, no file, unreadable or no database.
  static func read(path: String) throws(PlaceStoreError) -> FileIdentity? {
    // A pipe that no process writes to would be waited for.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw systemError(path: path) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw systemError(path: path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw PlaceStoreError(
        .notAFile,
        path: path,
        detail: isFolder ? "it is a folder" : "",
        advice: isFolder
          ? "name a cache in it; of a folder of cells, `nearme cache index` lists and checks all"
          : "name a file"
      )
    }
    var header = [UInt8](repeating: 0, count: 100)
    let count = header.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    guard count >= 0 else { throw systemError(path: path) }
    if count == 0 { return nil }
    guard count == 100, header.starts(with: Array("SQLite format 3\0".utf8)) else {
      throw PlaceStoreError(.notADatabase, path: path, advice: "name another file")
    }
    func bigEndian(_ offset: Int) -> UInt32 {
      header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    return FileIdentity(applicationID: bigEndian(68), schemaVersion: Int(bigEndian(60)))
  }

  /// Reads the header and refuses whatever is not of the wanted kind and version.
  static func require(
    _ applicationID: UInt32,
    schemaVersion: Int,
    path: String,
    advice: String
  ) throws(PlaceStoreError) {
    guard let found = try read(path: path) else {
      throw PlaceStoreError(.notADatabase, path: path, detail: "it is empty", advice: advice)
    }
    guard found.applicationID == applicationID else {
      if found.applicationID >> 16 == ours {
        throw PlaceStoreError(
          .otherKind,
          path: path,
          advice: "name the cache that `nearme cache build` has made"
        )
      }
      throw PlaceStoreError(.foreignDatabase, path: path, advice: advice)
    }
    guard found.schemaVersion == schemaVersion else {
      throw PlaceStoreError(
        .otherSchemaVersion(found: found.schemaVersion, supported: schemaVersion),
        path: path,
        advice: found.schemaVersion > schemaVersion ? "update Near Me, or \(advice)" : advice
      )
    }
  }
}

/// The error for the last system call that failed.
func systemError(path: String, advice: String = "") -> PlaceStoreError {
  let number = errno
  if number == ENOENT || number == ENOTDIR {
    return PlaceStoreError(.missing, path: path, advice: advice)
  }
  return PlaceStoreError(
    .inputOutput,
    path: path,
    detail: String(cString: strerror(number)),
    advice: advice
  )
}
