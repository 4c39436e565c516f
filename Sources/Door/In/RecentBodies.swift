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
    var messages: [UInt64] = []
    var next = 0
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var rings: [Int64: Ring] = [:]

  /// Whether a body has been taken in, by its number.
  func knows(_ message: UInt64, of device: Int64) -> Bool {
    lock.withLock { rings[device]?.messages.contains(message) ?? false }
  }

  /// Notes a body that has been taken in, by its number.
  func note(_ message: UInt64, of device: Int64) {
    lock.withLock {
      var ring = rings[device] ?? Ring()
      if ring.messages.count < Self.most {
        ring.messages.append(message)
      } else {
        ring.messages[ring.next] = message
        ring.next = (ring.next + 1) % Self.most
      }
      rings[device] = ring
    }
  }
}

extension IntakeReading {
  /// Whether it means the same when it comes in once more, unlike a signal without a time.
  var isTheSameTwice: Bool { messageID != nil || items.allSatisfy(\.isTheSameTwice) }
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
