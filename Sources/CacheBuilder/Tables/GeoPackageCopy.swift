import Foundation

/// A GeoPackage with its journals in a folder of its own, where SQLite can read what it could not where the file lies.
///
/// What a program wrote last may stand in a journal still: a log beside the file, or what a program that died did not
/// take back. To read either, SQLite writes beside the file, which may be on something that cannot be written to, and
/// is nothing that reading should do. The copy goes with the object.
final class GeoPackageCopy {
  let path: String
  private let folder: PrivateFolder

  /// What SQLite calls the log of what was written, and the journal of what is to be taken back.
  private static let suffixes = ["-wal", "-journal"]

  /// Whether a file has a journal beside it with something in it.
  static func hasJournal(_ path: String) -> Bool {
    suffixes.contains { size(path + $0) > 0 }
  }

  /// Whether a file is written to by a log that no program has open: to read it there would make one, or a table of it.
  ///
  /// - Source: sqlite.org/fileformat.html, 1.3: the versions at bytes 18 and 19 are 2; sqlite.org/walformat.html, 2: the
  ///   table of a log is there as long as a program has it open.
  static func hasIdleLog(_ path: String) throws(ImportError) -> Bool {
    let versions = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
    defer { versions.deallocate() }
    try ByteSource(path: path).readExactly(versions, at: 18)
    return versions.allSatisfy { $0 == 2 } && (size(path + "-wal") == 0 || size(path + "-shm") == 0)
  }

  private static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// Copies a package with its journals.
  ///
  /// - Parameter package: where it lies itself, and no link to it: its journals are beside it.
  /// - Throws: ``ImportError`` if there is no room, or it was stopped.
  init(of package: String, _ job: ImportJob) throws(ImportError) {
    do {
      folder = try PrivateFolder()
      path = folder.path("places.gpkg")
      for suffix in [""] + Self.suffixes where Self.size(package + suffix) > 0 {
        try Self.copy(package + suffix, to: path + suffix, job)
      }
    } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError(
        .inputOutput,
        path: job.path,
        "it has, or had, a log or a journal, and the copy that is read with it cannot be kept in "
          + PrivateFolder.sentence(error)
      )
    }
  }

  private static func copy(_ from: String, to: String, _ job: ImportJob) throws {
    let source = try ByteSource(path: from)
    _ = FileManager.default.createFile(atPath: to, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: to))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < source.byteCount {
      try job.checkInterruption()
      let count = Int(min(Int64(buffer.count), source.byteCount - offset))
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      try source.readExactly(piece, at: offset)
      try file.write(contentsOf: Data(piece))
      offset += Int64(count)
    }
    try file.close()
  }
}
