#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The bytes of a file or of standard input as they are stored.
final class StoredBytes: ByteLayer {
  let path: String
  /// Whether the file has an end that is known, and can be read from any place.
  let isRegularFile: Bool
  /// Whether it is a copy of what came through a pipe, which cannot be opened again.
  let isSpooled: Bool
  /// The size in bytes; 0 for a pipe.
  let byteCount: Int64
  private(set) var fileOffset: Int64 = 0
  private let descriptor: Int32
  /// What may come through a pipe and be kept in a temporary file, in bytes.
  private static let longestSpool: Int64 = 1 << 30

  /// Opens a file, or standard input for `-`.
  ///
  /// - Parameter named: the name for errors, if it differs.
  init(path: String, named: String? = nil) throws(ByteStreamError) {
    self.path = named ?? path
    isSpooled = false
    guard path != "-" else {
      descriptor = STDIN_FILENO
      isRegularFile = false
      byteCount = 0
      return
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoredBytes.openFailure(path: path, number: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let failure = StoredBytes.openFailure(path: path, number: errno)
      close(descriptor)
      throw failure
    }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw ByteStreamError(
        .folder,
        path: path,
        "this is a folder",
        advice: "name the files in it"
      )
    }
    isRegularFile = status.st_mode & S_IFMT == S_IFREG
    byteCount = isRegularFile ? Int64(status.st_size) : 0
  }

  /// Copies what comes through a pipe into a file without a name, so that it can be read from any
  /// place.
  ///
  /// - Throws: ``ByteStreamError`` for more than ``longestSpool`` bytes, too.
  init(spooling pipe: ByteWindow) throws(ByteStreamError) {
    path = pipe.path
    guard let file = tmpfile() else { throw StoredBytes.spoolFailure(path, errno) }
    defer { fclose(file) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    var size: Int64 = 0
    while true {
      let count = try pipe.read(into: buffer)
      if count == 0 { break }
      size += Int64(count)
      guard size <= StoredBytes.longestSpool else {
        throw ByteStreamError(
          .unsupported,
          path: path,
          "a zip archive of more than \(StoredBytes.longestSpool >> 20) MiB cannot come through a pipe",
          advice: "save it as a file and name that"
        )
      }
      guard fwrite(buffer.baseAddress, 1, count, file) == count else {
        throw StoredBytes.spoolFailure(path, errno)
      }
    }
    guard fflush(file) == 0 else { throw StoredBytes.spoolFailure(path, errno) }
    descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard descriptor >= 0 else { throw StoredBytes.spoolFailure(path, errno) }
    isRegularFile = true
    isSpooled = true
    byteCount = size
  }

  private static func spoolFailure(_ path: String, _ number: Int32) -> ByteStreamError {
    ByteStreamError(
      .unreadable,
      path: path,
      "the zip archive could not be kept in a temporary file: "
        + String(cString: strerror(number)),
      advice: "make room there, or save it as a file and name that"
    )
  }

  deinit {
    if descriptor != STDIN_FILENO { close(descriptor) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    switch readSome(descriptor, into: buffer) {
    case .success(let count):
      fileOffset += Int64(count)
      return count
    case .failure(let failed): throw failure(failed.number, at: fileOffset)
    }
  }

  /// Reads bytes at a place of the file, as many as the buffer holds.
  ///
  /// Does not move the place at which ``read(into:)`` goes on; several threads may call it at once.
  ///
  /// - Throws: `.truncated` where the file ends before that.
  func readExactly(
    _ buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(ByteStreamError) {
    var done = 0
    while done < buffer.count {
      let count = pread(
        descriptor,
        buffer.baseAddress.map { $0 + done },
        buffer.count - done,
        off_t(offset) + off_t(done)
      )
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(errno, at: offset + Int64(done)) }
      guard count > 0 else {
        throw ByteStreamError(
          .truncated,
          path: path,
          byteOffset: offset + Int64(done),
          "the file ends in the middle",
          advice: "copy or download it again"
        )
      }
      done += count
    }
  }

  private func failure(_ number: Int32, at offset: Int64) -> ByteStreamError {
    ByteStreamError(
      .unreadable,
      path: path,
      byteOffset: offset,
      String(cString: strerror(number)),
      advice: "check the disk or the network share it lies on"
    )
  }

  private static func openFailure(path: String, number: Int32) -> ByteStreamError {
    ByteStreamError(
      number == ENOENT || number == ENOTDIR ? .missing : .unreadable,
      path: path,
      String(cString: strerror(number)),
      advice: number == EACCES ? "allow reading it" : "check the path"
    )
  }
}

extension ByteStream {
  /// Whether there is a pipe at a path, which to open may mean to wait without end.
  package static func isPipe(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }
}

/// The number of a call of the system that failed.
struct SystemFailure: Error {
  let number: Int32
}

/// Reads what a descriptor has, whatever interrupts it.
///
/// - Returns: how many bytes; 0 at the end only.
func readSome(
  _ descriptor: Int32,
  into buffer: UnsafeMutableRawBufferPointer
) -> Result<Int, SystemFailure> {
  while true {
    #if canImport(Darwin)
    let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
    #else
    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    #endif
    if count >= 0 { return .success(count) }
    let number = errno
    if number != EINTR { return .failure(SystemFailure(number: number)) }
  }
}
