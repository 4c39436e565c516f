import Foundation
import GRDB
import LiveHost
import Phones
import Timeline
import UserStore

/// Puts bodies on the disk before they are answered, as many as have come in at once in one transaction.
///
/// While one group is being written the next gathers, so that under load a group grows and the disk is asked as often
/// as it can answer. What a group holds is handed on in the order of its serials: a person's bodies are taken in in
/// that order, in this life and in the next.
final class IntakeLog: Sendable {
  /// No more bodies wait for the disk; then the answer is "busy", and apps keep what they have.
  static let mostWaiting = 20_000

  private struct Draft: Sendable {
    let device: DoorDevice
    let body: IntakeBody
    let reading: IntakeReading
    let message: UInt64
    let done: @Sendable (Result<LoggedBody, HostFailure>) -> Void
  }

  private struct Pending {
    var drafts: [Draft] = []
    var isWriting = false
    /// People whose bodies up to a serial are in their own databases.
    var workedOff: [Int64: Int64] = [:]
  }

  private let store: DoorStore
  private let lock = NSLock()
  private nonisolated(unsafe) var pending = Pending()
  private let queue = DispatchQueue(label: "intake")

  /// Bodies up to this serial came in in an earlier life.
  let lastSerialBefore: Int64
  /// The newest serial that was ever given in an earlier life.
  let serialAtStart: Int64
  /// Which file it is: serials of another one say nothing here.
  let identity: String

  /// Makes a log over an open store.
  ///
  /// - Throws: ``HostFailure`` if its file cannot be read.
  init(_ store: DoorStore) throws(HostFailure) {
    self.store = store
    lastSerialBefore = try store.read {
      try Int64.fetchOne($0, sql: "SELECT max(serial) FROM intake") ?? 0
    }
    serialAtStart = try store.read {
      try Int64.fetchOne($0, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'intake'") ?? 0
    }
    identity = try store.secret("identity").prefix(9).base64EncodedString()
  }

  /// Puts a body on the disk.
  ///
  /// - Parameter message: the body's number.
  /// - Parameter done: is called in the order of serials, as soon as it is there; what it does must be short.
  /// - Returns: false if too many wait; then nothing is called.
  func append(
    _ body: IntakeBody,
    _ reading: IntakeReading,
    message: UInt64,
    of device: DoorDevice,
    done: @escaping @Sendable (Result<LoggedBody, HostFailure>) -> Void
  ) -> Bool {
    let draft = Draft(
      device: device,
      body: body,
      reading: reading,
      message: message,
      done: done
    )
    let (isTaken, begins) = lock.withLock { () -> (Bool, Bool) in
      guard pending.drafts.count < Self.mostWaiting else { return (false, false) }
      pending.drafts.append(draft)
      defer { pending.isWriting = true }
      return (true, !pending.isWriting)
    }
    if begins { queue.async { self.writeGroups() } }
    return isTaken
  }

  /// Notes that a person's bodies up to a serial need not be kept any more.
  func isWorkedOff(_ person: Int64, upTo serial: Int64) {
    lock.withLock { pending.workedOff[person] = max(serial, pending.workedOff[person] ?? 0) }
  }

  /// Deletes what is worked off, now and then.
  func tidy() async throws(HostFailure) {
    let workedOff = lock.withLock { () -> [Int64: Int64] in
      defer { pending.workedOff = [:] }
      return pending.workedOff
    }
    var left = workedOff.sorted { $0.key < $1.key }
    do throws(HostFailure) {
      try await store.write(each: left) { database, done in
        try database.cachedStatement(sql: "DELETE FROM intake WHERE person = ? AND serial <= ?")
          .execute(arguments: [done.key, done.value])
      } done: { deleted in
        left.removeFirst(deleted.count)
      }
    } catch {
      for (person, serial) in left { isWorkedOff(person, upTo: serial) }
      throw error
    }
  }

  /// Whose bodies wait to be worked off.
  func peopleWithRest() throws(HostFailure) -> [Int64] {
    try store.read {
      try Int64.fetchAll($0, sql: "SELECT DISTINCT person FROM intake ORDER BY person")
    }
  }

  /// What of a person's bodies is still in the log, in order.
  func rest(of person: Int64, _ devices: [Int64: DoorDevice]) throws(HostFailure) -> [LoggedBody] {
    try store.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT serial, device, received, body FROM intake WHERE person = ? ORDER BY serial",
        arguments: [person]
      )
      .compactMap { row -> LoggedBody? in
        let serial: Int64 = row["serial"]
        let sealed: Data = row["body"]
        let received: Int64 = row["received"]
        // A phone that was taken away has nothing to say any more.
        guard let device = devices[row["device"]] else { return nil }
        guard let plain = self.store.vault.open(sealed, for: .intake),
          let body = IntakeBody(
            stored: plain,
            receivedAt: Timestamp(milliseconds: received),
            settings: device.settings.source
          )
        else {
          throw HostFailure(
            .badInput,
            "\(self.store.folder.database): intake \(serial) does not open: restore door.sqlite and its key "
              + "together"
          )
        }
        return LoggedBody(
          body,
          Phones.read(body),
          serial: serial,
          message: body.message,
          of: device
        )
      }
    }
  }

  private func writeGroups() {
    while true {
      let drafts = lock.withLock { () -> [Draft] in
        defer { pending.drafts = [] }
        if pending.drafts.isEmpty { pending.isWriting = false }
        return pending.drafts
      }
      guard !drafts.isEmpty else { return }
      do throws(HostFailure) {
        let serials = try write(drafts)
        for (draft, serial) in zip(drafts, serials) {
          draft.done(
            .success(
              LoggedBody(
                draft.body,
                draft.reading,
                serial: serial,
                message: draft.message,
                of: draft.device
              )
            )
          )
        }
      } catch {
        for draft in drafts { draft.done(.failure(error)) }
      }
    }
  }

  private func write(_ drafts: [Draft]) throws(HostFailure) -> [Int64] {
    let sealed = drafts.map { store.vault.seal($0.body.stored, for: .intake) }
    return try store.write { database in
      let insert = try database.cachedStatement(
        sql: "INSERT INTO intake (person, device, received, body) VALUES (?, ?, ?, ?)"
      )
      return try zip(drafts, sealed)
        .map { draft, body in
          try insert.execute(arguments: [
            draft.device.person, draft.device.id, draft.body.receivedAt.milliseconds, body,
          ])
          return database.lastInsertedRowID
        }
    }
  }
}

extension Vault.Cell {
  /// Bodies are sealed before their serial is known.
  static let intake = Vault.Cell(table: "intake", row: "", column: "body")
  static func unusable(_ device: Int64) -> Self {
    Self(table: "unusable", row: String(device), column: "body")
  }
}
