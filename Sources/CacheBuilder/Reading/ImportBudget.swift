import Foundation

/// How much of one file's contents may be held in memory, by the file's size.
///
/// Packed data can be a thousand times larger unpacked. What is kept of an honest file, its places and
/// the nodes of their outlines, takes bytes of the file, however well it is packed: far more places
/// than that are a file made to fill the memory.
///
/// Unchecked: everything is touched under the lock only.
final class ImportBudget: @unchecked Sendable {
  private let lock = NSLock()
  private var places: Int64
  private var references: Int64
  private var textBytes: Int64

  /// - Parameter byteCount: the size of the file as it lies on the disk.
  init(byteCount: Int64) {
    // A place has a coordinate, and a reference differs from the one before: a byte or two of each
    // remain. The first part lets small files be as repetitive as they like.
    places = 250_000 + byteCount / 2
    references = 1_000_000 + byteCount * 2
    // A real place has some hundred bytes of names and details, of which tens remain when they are packed.
    textBytes = 64 << 20 + byteCount * 16
  }

  /// Whether one more place with so many nodes or members, and so many bytes of texts, may be kept.
  func takePlace(references count: Int, textBytes bytes: Int) -> Bool {
    lock.withLock {
      places -= 1
      references -= Int64(count)
      textBytes -= Int64(bytes)
      return places >= 0 && references >= 0 && textBytes >= 0
    }
  }

  /// Whether so many nodes or members more may be kept; fewer than none are given back.
  func take(references count: Int) -> Bool {
    lock.withLock {
      references -= Int64(count)
      return references >= 0
    }
  }

  /// Whether so many bytes of texts more may be kept; fewer than none are given back.
  func take(textBytes count: Int) -> Bool {
    lock.withLock {
      textBytes -= Int64(count)
      return textBytes >= 0
    }
  }

  /// Whether one more element with its texts may be kept.
  func takes(_ element: OSMElement) -> Bool {
    takePlace(references: element.shape.referenceCount, textBytes: textBytes(of: element))
  }

  /// Has room again for what an element held that is kept no longer; that there was one is kept.
  func giveBack(_ element: OSMElement) {
    lock.withLock {
      references += Int64(element.shape.referenceCount)
      textBytes += Int64(textBytes(of: element))
    }
  }

  private func textBytes(of element: OSMElement) -> Int {
    byteCount(of: element.name) + byteCount(of: element.brand) + byteCount(of: element.details)
  }

  static let refusal =
    "more places, outlines and texts than a file of its size can hold; it is made to fill the memory"
}

/// What a text takes of a budget; 0 for none.
func byteCount(of text: String?) -> Int { text?.utf8.count ?? 0 }

/// Lets threads unpack large blocks as long as they fit into the memory that all of them share.
///
/// Unchecked: everything is touched under the lock only.
final class MemoryBudget: @unchecked Sendable {
  private let condition = NSCondition()
  private var free: Int

  init(byteCount: Int) { free = byteCount }

  /// Waits until so many bytes are free, and takes them; a thread that holds some must not ask for more.
  ///
  /// - Parameter count: at most what the budget has in all.
  func take(_ count: Int) {
    condition.withLock {
      while free < count { condition.wait() }
      free -= count
    }
  }

  /// Gives bytes back.
  func give(_ count: Int) {
    condition.withLock {
      free += count
      condition.broadcast()
    }
  }
}
