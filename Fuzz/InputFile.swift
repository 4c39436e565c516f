import Glibc

/// A file in memory that the readers open by its path, since they read files.
struct InputFile {
  private let descriptor: Int32

  /// The path under which this process finds the file.
  var path: String { "/proc/self/fd/\(descriptor)" }

  /// Makes an empty file.
  init() {
    var name = Array("/dev/shm/nearme-fuzz-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "no file in memory can be made")
    // The descriptor keeps it; nothing is left behind by a run that crashes.
    unlink(name)
  }

  /// Replaces its contents.
  func fill(_ parts: UnsafeRawBufferPointer...) {
    precondition(ftruncate(descriptor, 0) == 0, "the file cannot be emptied")
    var offset = 0
    for part in parts where !part.isEmpty {
      let count = pwrite(descriptor, part.baseAddress, part.count, offset)
      precondition(count == part.count, "the file cannot be filled")
      offset += count
    }
  }
}
