import Basics
import Foundation
import LiveHost
import NearMeEngine

/// Tells a person's open pages what happens.
///
/// The newest events of each person are kept for clients that come back; who has missed more is told to look at
/// everything again.
package final class EventHub: Sendable {
  /// So many events are kept for each person.
  private static let kept = 32
  /// A page that takes nothing for so many events is let go of: it comes back.
  private static let buffered = 64

  /// An event as it goes out.
  struct Item: Sendable {
    let serial: Int
    /// In the form of the stream.
    let text: String
  }

  private struct Room {
    var serial = 0
    var kept: [Item] = []
    var pages: [Int: AsyncStream<String>.Continuation] = [:]
    /// Which credential opened a page, by its hash.
    var sessions: [Int: Data] = [:]

    /// Takes a page out.
    mutating func remove(_ number: Int) -> AsyncStream<String>.Continuation? {
      sessions[number] = nil
      return pages.removeValue(forKey: number)
    }
  }

  /// Numbers of an earlier life say nothing in this one.
  private let life = String(UInt32.random(in: 0 ... .max), radix: 16)
  private let lock = NSLock()
  private nonisolated(unsafe) var rooms: [Int64: Room] = [:]
  private nonisolated(unsafe) var serial = 0
  private nonisolated(unsafe) var isClosed = false

  /// A hub that nobody listens to yet.
  package init() {}

  // MARK: Telling

  /// Tells that something of a person's was changed.
  package func publishEdit(of what: String, to person: DoorPerson) {
    var json = JSONText()
    json.add("what", what)
    publish("edit", json.closed, to: person)
  }

  /// Tells an event.
  ///
  /// - Parameter data: one line of JSON.
  package func publish(_ name: String, _ data: String, to person: DoorPerson) {
    lock.withLock {
      var room = rooms[person.id] ?? Room()
      room.serial += 1
      let text = "id: \(life)-\(room.serial)\nevent: \(name)\ndata: \(data)\n\n"
      room.kept.append(Item(serial: room.serial, text: text))
      if room.kept.count > Self.kept { room.kept.removeFirst() }
      for (number, page) in room.pages.sorted(by: { $0.key < $1.key }) {
        if case .dropped = page.yield(text) {
          page.finish()
          _ = room.remove(number)
        }
      }
      rooms[person.id] = room
    }
  }

  // MARK: Listening

  /// What a page is told from now on, and before it what it has missed.
  ///
  /// - Parameters:
  ///   - lastID: the newest event that it has seen; nil: it has just begun.
  ///   - session: the hash of the credential that it came with, whose end is its own.
  /// - Returns: nil where so many pages of the person are open.
  package func listen(
    _ person: DoorPerson,
    after lastID: String?,
    most: Int,
    session: Data? = nil
  ) -> (number: Int, events: AsyncStream<String>)? {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self,
      bufferingPolicy: .bufferingOldest(Self.buffered)
    )
    return lock.withLock {
      guard !isClosed, (rooms[person.id]?.pages.count ?? 0) < most else { return nil }
      var room = rooms[person.id] ?? Room()
      serial += 1
      room.pages[serial] = continuation
      room.sessions[serial] = session
      rooms[person.id] = room
      // The address to come back to, after how long; and what was missed.
      continuation.yield("retry: 2000\n: hello\n\n")
      if let lastID { for text in missed(room, after: lastID) { continuation.yield(text) } }
      return (serial, stream)
    }
  }

  private func missed(_ room: Room, after lastID: String) -> [String] {
    let parts = lastID.split(separator: "-")
    guard parts.count == 2, parts[0] == life, let last = Int(parts[1]), last <= room.serial,
      last == room.serial || room.kept.first.map({ $0.serial <= last + 1 }) ?? false
    else { return ["id: \(life)-\(room.serial)\nevent: reset\ndata: {}\n\n"] }
    return room.kept.filter { $0.serial > last }.map(\.text)
  }

  /// Tells a page something that is no event, so that the way to it stays open.
  func comment(to number: Int, of person: DoorPerson) {
    lock.withLock { _ = rooms[person.id]?.pages[number]?.yield(": still here\n\n") }
  }

  /// Whether it is the page of a person that has been open for longest.
  func isFirst(_ number: Int, of person: DoorPerson) -> Bool {
    lock.withLock { rooms[person.id]?.pages.keys.min() == number }
  }

  /// Lets go of a page.
  package func leave(_ number: Int, of person: DoorPerson) {
    lock.withLock {
      rooms[person.id]?.remove(number)?.finish()
    }
  }

  /// Ends the pages that came with some credentials.
  ///
  /// - Parameter sessions: their hashes.
  package func end(_ sessions: Set<Data>, of person: DoorPerson) {
    let ended = lock.withLock { () -> [AsyncStream<String>.Continuation] in
      let opened = rooms[person.id]?.sessions ?? [:]
      return opened.filter { sessions.contains($0.value) }.keys.sorted()
        .compactMap { rooms[person.id]?.remove($0) }
    }
    for page in ended { page.finish() }
  }

  /// Ends all pages of a person.
  package func end(_ person: DoorPerson) {
    let room = lock.withLock { rooms.removeValue(forKey: person.id) }
    for page in (room?.pages ?? [:]).values { page.finish() }
  }

  /// Ends all pages, and takes no more.
  package func close() {
    let rooms = lock.withLock { () -> [Int64: Room] in
      isClosed = true
      defer { self.rooms = [:] }
      return self.rooms
    }
    for room in rooms.values { for page in room.pages.values { page.finish() } }
  }

  /// How many pages of a person are open.
  package func count(of person: DoorPerson) -> Int {
    lock.withLock { rooms[person.id]?.pages.count ?? 0 }
  }

  /// How many pages are open.
  package var count: Int { lock.withLock { rooms.values.reduce(0) { $0 + $1.pages.count } } }
}

/// Tells a person's open pages its news; who looks later finds it on the screen.
struct PageSink: Sink {
  let person: DoorPerson
  let hub: EventHub

  var name: String { "pages" }
  var batchLimit: Int { 16 }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    for delivery in deliveries {
      var json = JSONText()
      json.add("id", delivery.notificationID)
      switch delivery.news {
      case .posted(let news), .replaced(let news, isNews: true):
        json.add("kind", news.kind.rawValue)
        json.add("text", news.text)
        hub.publish("news", json.closed, to: person)
      case .replaced(let news, isNews: false):
        json.add("text", news.text)
        hub.publish("changed", json.closed, to: person)
      case .withdrawn: hub.publish("withdrawn", json.closed, to: person)
      case .transition, .decision: break
      }
    }
    return .delivered
  }
}
