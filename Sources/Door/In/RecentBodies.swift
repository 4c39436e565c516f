import Crypto
import Foundation
import Phones

/// The newest bodies of each phone, so that one that is sent again is answered and nothing else.
///
/// It need not survive a kill: a repeat that is not recognized brings fixes that are not newer than what is known, and
/// signals with the ids of those that were heard.
final class RecentBodies: Sendable {
  /// So many are known of each phone.
  private static let most = 256

  private struct Ring {
    var keys: [SHA256Digest] = []
    var next = 0
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var rings: [Int64: Ring] = [:]

  /// The key of a body; nil for one that may mean something new each time, such as a signal without a time.
  static func key(of body: IntakeBody, _ reading: IntakeReading) -> SHA256Digest? {
    guard reading.messageID != nil || reading.items.allSatisfy(\.isTheSameTwice) else { return nil }
    var hash = SHA256()
    hash.update(data: Data(body.source.rawValue.utf8))
    if let id = reading.messageID { hash.update(data: Data("\0id\0\(id)".utf8)) }
    for (name, value) in body.query { hash.update(data: Data("\0\(name)=\(value)".utf8)) }
    hash.update(data: body.bytes)
    return hash.finalize()
  }

  /// Whether a body has been taken in.
  func knows(_ key: SHA256Digest, of device: Int64) -> Bool {
    lock.withLock { rings[device]?.keys.contains(key) ?? false }
  }

  /// Notes a body that has been taken in.
  func note(_ key: SHA256Digest, of device: Int64) {
    lock.withLock {
      var ring = rings[device] ?? Ring()
      if ring.keys.count < Self.most {
        ring.keys.append(key)
      } else {
        ring.keys[ring.next] = key
        ring.next = (ring.next + 1) % Self.most
      }
      rings[device] = ring
    }
  }
}

extension IntakeItem {
  /// Whether it means the same when it comes in once more.
  fileprivate var isTheSameTwice: Bool {
    switch self {
    case .signal(let signal): signal.at != nil || signal.id != nil
    case .held, .heldOne: false
    case .fix, .still, .crossing, .battery, .status: true
    }
  }
}
