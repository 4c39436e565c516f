import Foundation

/// The lock that lets one host at a time run on a database.
///
/// The system lets go of it when the process ends, however it ends. The file names the process that
/// holds it, for the message to a second one; it stays.
package final class HostLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock beside a database.
  ///
  /// - Throws: `.busy` with the holder's process number if there is one.
  package init(database path: String) throws(HostFailure) {
    let lock = path + ".lock"
    descriptor = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(lock, "cannot be opened", errno, advice: "check the folder's permissions")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      // What is thrown from here on ends in `deinit`, which closes the file. Once: its number may be another's by then.
      let number = errno
      let holder = Self.holder(descriptor)
      guard number == EWOULDBLOCK else {
        throw .system(lock, "cannot be locked", number, advice: "use a local disk")
      }
      throw HostFailure(
        .busy,
        "\(path): process \(holder) runs a host on it: stop that one first, or name another database"
      )
    }
    let text = "\(getpid())\n"
    _ = ftruncate(descriptor, 0)
    _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
  }

  deinit {
    // Before closing: a process that is being started holds a copy until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  private static func holder(_ descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
    return digits.isEmpty ? "of unknown number" : String(decoding: digits, as: UTF8.self)
  }
}

/// What the system says of an error.
func systemError(_ number: Int32) -> String { String(cString: strerror(number)) }
