import Foundation
import GRDB
import LiveHost
import Phones
import Timeline
import UserStore

/// What could not be used of what a phone sent, by its name, and for some days the bodies of which nothing could be.
///
/// Counts are gathered and written now and then: they are for looking at. A body that is no use now may be one after an
/// update of Near Me, and the app has deleted its own copy when it got its answer.
final class DeviceLedger: Sendable {
  /// Bodies of which nothing could be used are kept so long.
  static let keptFor = Milliseconds.minutes(3 * 24 * 60)
  /// So many bytes of them are kept for each phone, the newest.
  static let keptBytes = 1 << 20

  private struct Unusable: Sendable {
    let device: Int64
    let received: Timestamp
    let reason: String
    let body: Data
  }

  private struct Gathered {
    var counts: [Key: (count: Int, last: Timestamp)] = [:]
    var seen: [Int64: Timestamp] = [:]
    var unusable: [Unusable] = []
    var unusableBytes = 0
  }

  private struct Key: Hashable {
    let device: Int64
    let reason: String
  }

  private let store: DoorStore
  private let lock = NSLock()
  private nonisolated(unsafe) var gathered = Gathered()

  init(_ store: DoorStore) { self.store = store }

  /// Notes that something came in, and what of it was passed over.
  func note(_ reading: IntakeReading, _ body: IntakeBody, of device: DoorDevice) {
    let at = body.receivedAt
    lock.withLock {
      gathered.seen[device.id] = at
      for (reason, count) in reading.passedOver {
        let key = Key(device: device.id, reason: reason.rawValue)
        gathered.counts[key] = ((gathered.counts[key]?.count ?? 0) + count, at)
      }
    }
    guard reading.isUnusable else { return }
    let reason = reading.passedOver.map(\.key.rawValue).min() ?? "unusable"
    keep(body, reason, of: device)
  }

  /// Notes something that is counted by a name of the door's own.
  func note(_ reason: String, of device: DoorDevice, at now: Timestamp) {
    let key = Key(device: device.id, reason: reason)
    lock.withLock {
      gathered.counts[key] = ((gathered.counts[key]?.count ?? 0) + 1, now)
    }
  }

  private func keep(_ body: IntakeBody, _ reason: String, of device: DoorDevice) {
    let plain = body.stored
    guard plain.count <= Self.keptBytes else { return }
    let sealed = store.vault.seal(plain, for: .unusable(device.id))
    lock.withLock {
      // What a phone sends faster than it is written down is counted all the same.
      guard gathered.unusableBytes < 4 * Self.keptBytes else { return }
      gathered.unusableBytes += sealed.count
      gathered.unusable.append(
        Unusable(device: device.id, received: body.receivedAt, reason: reason, body: sealed)
      )
    }
  }

  /// Writes down what has gathered, and lets go of what is too old or too much.
  func tidy(at now: Timestamp) throws(HostFailure) {
    let gathered = lock.withLock { () -> Gathered in
      defer { self.gathered = Gathered() }
      return self.gathered
    }
    try store.write { database in
      for (device, at) in gathered.seen.sorted(by: { $0.key < $1.key }) {
        try database.execute(
          sql: "UPDATE device SET seen = ? WHERE id = ?",
          arguments: [at.milliseconds, device]
        )
      }
      let counts = gathered.counts.sorted {
        ($0.key.device, $0.key.reason) < ($1.key.device, $1.key.reason)
      }
      for (key, value) in counts {
        // A phone that was taken away meanwhile has no counts.
        try database.execute(
          sql: """
            INSERT INTO passed_over (device, reason, count, last)
            SELECT id, ?, ?, ? FROM device WHERE id = ?
            ON CONFLICT (device, reason)
            DO UPDATE SET count = count + excluded.count, last = excluded.last
            """,
          arguments: [key.reason, value.count, value.last.milliseconds, key.device]
        )
      }
      for unusable in gathered.unusable {
        try database.execute(
          sql: """
            INSERT INTO unusable (device, received, reason, body)
            SELECT id, ?, ?, ? FROM device WHERE id = ?
            """,
          arguments: [
            unusable.received.milliseconds, unusable.reason, unusable.body, unusable.device,
          ]
        )
      }
      try database.execute(
        sql: "DELETE FROM unusable WHERE received < ?",
        arguments: [(now - Self.keptFor).milliseconds]
      )
      for device in Set(gathered.unusable.map(\.device)).sorted() {
        try database.execute(
          sql: """
            DELETE FROM unusable WHERE device = ?1 AND serial IN (
              SELECT serial FROM (
                SELECT serial, sum(length(body)) OVER (ORDER BY serial DESC) AS bytes
                FROM unusable WHERE device = ?1
              ) WHERE bytes > ?2)
            """,
          arguments: [device, Self.keptBytes]
        )
      }
    }
  }

  /// How often what was passed over of a phone's, by name.
  func passedOver(
    _ device: Int64
  ) throws(HostFailure) -> [(reason: String, count: Int, last: Timestamp)] {
    try store.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT reason, count, last FROM passed_over WHERE device = ? ORDER BY reason",
        arguments: [device]
      )
      .map { ($0["reason"], $0["count"], Timestamp(milliseconds: $0["last"])) }
    }
  }
}
