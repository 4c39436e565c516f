import Foundation

/// How far a build is.
package struct BuildProgress: Hashable, Sendable {
  /// What a build is at.
  package enum Step: Hashable, Sendable {
    /// A file is read, for the first time or again; counted in bytes.
    case reading(path: String, look: Int)
    /// What several entries say of one place is made one; not counted.
    case merging
    /// The cache is written; counted in rows.
    case writing
    /// The caches of cells are written; counted in cells.
    case cells
  }

  /// What it is at.
  package let step: Step
  /// How much of it is done; never more than ``total``.
  package let done: Int64
  /// How much there is to do; 0 for what is not counted.
  package let total: Int64

  package init(step: Step, done: Int64 = 0, total: Int64 = 0) {
    self.step = step
    self.done = min(done, total)
    self.total = total
  }
}

/// Counts the bytes of one file that threads have read, and tells.
///
/// Unchecked: everything is touched under the lock only.
final class ReadingProgress: @unchecked Sendable {
  private let lock = NSLock()
  private let path: String
  private let tell: @Sendable (BuildProgress) -> Void
  private var total: Int64 = 0
  private var done: Int64 = 0
  private var look = 0

  init(path: String, tell: @escaping @Sendable (BuildProgress) -> Void) {
    self.path = path
    self.tell = tell
  }

  /// Begins to read the file, or some of it, once more.
  func begin(_ byteCount: Int64) {
    lock.withLock {
      look += 1
      total = byteCount
      done = 0
    }
    add(0)
  }

  /// More bytes have been read.
  func add(_ byteCount: Int64) {
    let progress = lock.withLock {
      done += byteCount
      return BuildProgress(step: .reading(path: path, look: look), done: done, total: total)
    }
    tell(progress)
  }
}
