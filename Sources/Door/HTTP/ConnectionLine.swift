import NIOConcurrencyHelpers
import NIOCore

/// The open connections by how long each has had nothing whole to ask; where they are too many, the first of the line is
/// closed for the newest.
///
/// Whoever opens connections and holds on to them loses them to whoever comes and asks: an app asks at once, and asks
/// again where its connection was closed. A request that is being answered is never cut off.
package final class ConnectionLine: Sendable {
  private struct Place {
    var channel: any Channel
    /// Its newest entry in the line; 0: it is being answered, and not in the line.
    var ticket: Int
  }

  private struct Line {
    var places: [ObjectIdentifier: Place] = [:]
    /// Who waits, longest first; entries whose ticket is no longer their connection's are passed over.
    var waiting = CircularBuffer<(id: ObjectIdentifier, ticket: Int)>()
    var lastTicket = 0

    /// Gives a connection the newest ticket; passed entries are let go of as they come to outnumber the others.
    mutating func enter(_ id: ObjectIdentifier) {
      guard places[id] != nil else { return }
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
      line.places[ObjectIdentifier(channel)] = Place(channel: channel, ticket: 0)
      line.enter(ObjectIdentifier(channel))
      return line.places.count > most ? line.takeFirst() : nil
    }
    // Outside the lock: a connection that is closed leaves the line at once where it is of the same event loop.
    first?.close(promise: nil)
  }

  /// Takes a connection out of the line while its request is answered.
  package func begin(_ channel: any Channel) {
    line.withLockedValue { $0.places[ObjectIdentifier(channel)]?.ticket = 0 }
  }

  /// Puts a connection that has its answer at the end of the line.
  package func finish(_ channel: any Channel) {
    line.withLockedValue { $0.enter(ObjectIdentifier(channel)) }
  }

  /// Forgets a connection that is closed.
  package func leave(_ channel: any Channel) {
    line.withLockedValue { line in
      line.places[ObjectIdentifier(channel)] = nil
    }
  }
}
