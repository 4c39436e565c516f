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
  /// Whether it is too much is looked after so many more.
  private static let bytesBetweenTrims = keptBytes / 8

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

    /// Takes back what was taken out before and could not be written.
    mutating func put(back older: Gathered) {
      counts.merge(older.counts) { ($0.count + $1.count, max($0.last, $1.last)) }
      seen.merge(older.seen) { max($0, $1) }
      // As where it was kept: what comes faster than it can be written must not fill the memory.
      guard unusableBytes + older.unusableBytes < 5 * DeviceLedger.keptBytes else { return }
      unusable = older.unusable + unusable
      unusableBytes += older.unusableBytes
    }
  }

  private struct Key: Hashable {
    let device: Int64
    let reason: String
  }

  private let store: DoorStore
  private let lock = NSLock()
  private nonisolated(unsafe) var gathered = Gathered()
  private nonisolated(unsafe) var keptSinceTrim: [Int64: Int] = [:]

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
    guard plain.count <= Self.keptBytes - Self.bytesBetweenTrims else { return }
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
  func tidy(at now: Timestamp) async throws(HostFailure) {
    var rest = lock.withLock { () -> Gathered in
      defer { gathered = Gathered() }
      return gathered
    }
    do throws(HostFailure) {
      try await write(&rest)
    } catch {
      lock.withLock { gathered.put(back: rest) }
      throw error
    }
    try store.write { database in
      try database.execute(
        sql: "DELETE FROM unusable WHERE received < ?",
        arguments: [(now - Self.keptFor).milliseconds]
      )
    }
  }

  /// Writes down what has gathered, of which the rest stays where it throws.
  private func write(_ gathered: inout Gathered) async throws(HostFailure) {
    let seen = gathered.seen.sorted { $0.key < $1.key }
    try await store.write(each: seen) { database, seen in
      try database.cachedStatement(sql: "UPDATE device SET seen = ? WHERE id = ?")
        .execute(arguments: [seen.value.milliseconds, seen.key])
    } done: { written in
      for (device, _) in written { gathered.seen[device] = nil }
    }
    let counts = gathered.counts.sorted {
      ($0.key.device, $0.key.reason) < ($1.key.device, $1.key.reason)
    }
    try await store.write(each: counts) { database, counted in
      let (key, value) = counted
      // A phone that was taken away meanwhile has no counts.
      try database.cachedStatement(
        sql: """
          INSERT INTO passed_over (device, reason, count, last)
          SELECT id, ?, ?, ? FROM device WHERE id = ?
          ON CONFLICT (device, reason)
          DO UPDATE SET count = count + excluded.count, last = excluded.last
          """
      )
      .execute(arguments: [key.reason, value.count, value.last.milliseconds, key.device])
    } done: { written in
      for (key, _) in written { gathered.counts[key] = nil }
    }
    let bodies = gathered.unusable
    try await store.write(each: bodies) { database, unusable in
      try database.cachedStatement(
        sql: """
          INSERT INTO unusable (device, received, reason, body)
          SELECT id, ?, ?, ? FROM device WHERE id = ?
          """
      )
      .execute(arguments: [
        unusable.received.milliseconds, unusable.reason, unusable.body, unusable.device,
      ])
    } done: { written in
      gathered.unusable.removeFirst(written.count)
      gathered.unusableBytes -= written.reduce(0) { $0 + $1.body.count }
      noteKept(written)
    }
    try await store.write(each: devicesToTrim) { database, device in
      try database.cachedStatement(
        sql: """
          DELETE FROM unusable WHERE device = ?1 AND serial IN (
            SELECT serial FROM (
              SELECT serial, sum(length(body)) OVER (ORDER BY serial DESC) AS bytes
              FROM unusable WHERE device = ?1
            ) WHERE bytes > ?2)
          """
      )
      .execute(arguments: [device, Self.keptBytes - Self.bytesBetweenTrims])
    } done: { trimmed in
      // Only now: what could not be trimmed is too much until it is.
      lock.withLock { for device in trimmed { keptSinceTrim[device] = 0 } }
    }
  }

  private func noteKept(_ unusable: ArraySlice<Unusable>) {
    lock.withLock {
      for one in unusable {
        // What an earlier life has kept is not known.
        keptSinceTrim[one.device, default: Self.bytesBetweenTrims] += one.body.count
      }
    }
  }

  /// The phones of which so much was kept since it was last looked how much there is that it must be looked again.
  private var devicesToTrim: [Int64] {
    lock.withLock {
      keptSinceTrim.filter { $0.value >= Self.bytesBetweenTrims }.map(\.key).sorted()
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
