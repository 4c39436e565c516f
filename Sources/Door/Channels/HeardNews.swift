import Foundation
import Timeline

/// Which news were opened, and which channel gave one up: what channels that come later ask.
///
/// It need not survive a kill: a person is then told once more, and not less.
final class HeardNews: Sendable {
  /// So many are known of each person.
  private static let most = 200

  /// One notification.
  struct Mark: Sendable {
    var seenAt: Timestamp?
    var failed: Set<String> = []
    /// Channels that were not told of it, as it had been seen.
    var spared: Set<String> = []
  }

  private struct Room {
    var marks: [String: Mark] = [:]
    var order: [String] = []
  }

  private let lock = NSLock()
  private nonisolated(unsafe) var rooms: [Int64: Room] = [:]

  /// What is known of a notification.
  func mark(_ notification: String, of person: DoorPerson) -> Mark {
    lock.withLock { rooms[person.id]?.marks[notification] ?? Mark() }
  }

  /// Notes something of a notification.
  func note(_ notification: String, of person: DoorPerson, _ change: (inout Mark) -> Void) {
    lock.withLock {
      var room = rooms[person.id] ?? Room()
      if room.marks[notification] == nil { room.order.append(notification) }
      change(&room.marks[notification, default: Mark()])
      if room.order.count > Self.most { room.marks[room.order.removeFirst()] = nil }
      rooms[person.id] = room
    }
  }
}
