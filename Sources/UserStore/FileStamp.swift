import Foundation

/// What a file looked like: cheap enough to ask for every second for thousands of them.
package struct FileStamp: Hashable, Sendable {
  private let size: Int
  private let seconds: Int
  private let nanoseconds: Int

  /// How the file looks now; nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    size = Int(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}
