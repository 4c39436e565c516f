import NIOConcurrencyHelpers
import NIOCore

/// The open connections by how long each has had nothing whole to ask; where they are too many, the first of the line is
/// closed for the newest.
///
/// Whoever opens connections and holds on to them loses them to whoever comes and asks: an app asks at once, and asks
/// again where its connection was closed. A request that is being answered is never cut off.
package final class ConnectionLine: Sendable {
  private struct Place {
    let channel: any Channel
    /// What was asked and not yet answered; below zero where the answer came before the end of what was asked.
    var owed = 0
    /// Its newest entry in the line; 0: it is being answered, and not in the line.
    var ticket = 0
  }

  private struct Line {
    var places: [ObjectIdentifier: Place] = [:]
    /// Who waits, longest first; entries whose ticket is no longer their connection's are passed over.
    var waiting = CircularBuffer<(id: ObjectIdentifier, ticket: Int)>()
    var lastTicket = 0

    /// Notes that a connection owes so many answers more, and puts it at the end of the line where it owes none.
    ///
    /// Passed entries are let go of as they come to outnumber the others.
    mutating func owe(_ change: Int, _ id: ObjectIdentifier) {
      guard let owed = places[id]?.owed else { return }
      places[id]?.owed = owed + change
      places[id]?.ticket = 0
      guard owed + change <= 0 else { return }
      lastTicket += 1
      places[id]?.ticket = lastTicket
      waiting.append((id, lastTicket))
      if waiting.count > 2 * places.count + 64 {
        waiting.removeAll { places[$0.id]?.ticket != $0.ticket }
      }
    }

    /// Takes the connection out that waits longest.
    mutating func takeFirst() -> (any Channel)? {
      while let entry = waiting.popFirst() {
        guard let place = places[entry.id], place.ticket == entry.ticket else { continue }
        places[entry.id] = nil
        return place.channel
      }
      return nil
    }
  }

  private let most: Int
  private let line = NIOLockedValueBox(Line())

  /// - Parameter most: so many connections stay open, beside those that are being answered.
  package init(most: Int) {
    self.most = most
  }

  /// Takes in a connection at the end of the line, and closes the first where it is one too many.
  package func join(_ channel: any Channel) {
    let first: (any Channel)? = line.withLockedValue { line in
      line.places[ObjectIdentifier(channel)] = Place(channel: channel)
      line.owe(0, ObjectIdentifier(channel))
      return line.places.count > most ? line.takeFirst() : nil
    }
    // Outside the lock: a connection that is closed leaves the line at once where it is of the same event loop.
    first?.close(promise: nil)
  }

  /// Takes a connection out of the line while what it has asked is answered.
  package func begin(_ channel: any Channel) {
    line.withLockedValue { $0.owe(1, ObjectIdentifier(channel)) }
  }

  /// Puts a connection that has its answer at the end of the line.
  package func finish(_ channel: any Channel) {
    line.withLockedValue { $0.owe(-1, ObjectIdentifier(channel)) }
  }

  /// Forgets a connection that is closed.
  package func leave(_ channel: any Channel) {
    line.withLockedValue { $0.places[ObjectIdentifier(channel)] = nil }
  }
}
