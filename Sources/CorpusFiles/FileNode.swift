import Foundation

/// What a file or folder is, whatever names and links lead to it.
package struct FileNode: Hashable {
  private let device: UInt64
  private let node: UInt64

  /// Looks it up; nil if there is none.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    node = UInt64(truncatingIfNeeded: status.st_ino)
  }
}
