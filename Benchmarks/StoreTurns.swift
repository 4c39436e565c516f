import Basics
import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline
import Traces
import UserStore

/// What a turn costs, and what lies beside the file afterward, for each way to keep a journal: the
/// figures of docs/decisions/0009-user-database.md.
///
/// - Parameter folder: on the disk that is to be measured.
func measureStoreTurns(folder: URL) throws {
  let modes = [
    ("WAL", "FULL"), ("WAL", "NORMAL"), ("TRUNCATE", "FULL"), ("DELETE", "EXTRA"),
  ]
  for (journal, synchronous) in modes {
    let path = folder.appendingPathComponent("\(journal)-\(synchronous).db").path
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = \(journal);
          PRAGMA synchronous = \(synchronous);
          PRAGMA secure_delete = ON;
          CREATE TABLE state (one INTEGER PRIMARY KEY, body BLOB);
          CREATE TABLE outbox (serial INTEGER PRIMARY KEY, body BLOB);
          """
      )
    }
    let state = Data(repeating: 7, count: 20_000)
    let milliseconds = try meanMilliseconds(of: 400) {
      try queue.inTransaction(.immediate) { database in
        try database.execute(sql: "INSERT OR REPLACE INTO state VALUES (1, ?)", arguments: [state])
        try database.execute(
          sql: "INSERT INTO outbox (body) VALUES (?)",
          arguments: [state.prefix(300)]
        )
        return .commit
      }
    }
    let kept = ["-wal", "-journal"]
      .map { FileManager.default.contents(atPath: path + $0)?.count ?? 0 }.reduce(0, +)
    print("\(journal), \(synchronous): \(fixed(milliseconds, 2)) ms a turn; \(kept) bytes beside")
  }
  try measureUserStore(folder: folder)
}

/// The whole of it: state to JSON, sealed, stored, with three reminders near a few places.
private func measureUserStore(folder: URL) throws {
  let path = folder.appendingPathComponent("user.db").path
  let store = try UserStore(path: path, key: .besides(path))
  _ = try store.load()
  var engine = Engine(policy: Policy(), zone: .utc, catalog: .empty, monitoring: .everyFix)
  let categories = ["pharmacy", "grocery", "bank"]
  try engine.load(
    places: [],
    reminders: categories.map {
      Reminder(id: $0, title: "do something there", target: .category(CategoryID($0)))
    }
  )
  let effect = OutboxDraft(key: "", payload: Data(repeating: 7, count: 300))
  var serial = 0
  let milliseconds = try meanMilliseconds(of: 400) {
    serial += 1
    let now = Timestamp(seconds: Int64(serial))
    _ = engine.handle(Event(at: now, .timer))
    try store.commit(
      Turn(
        state: engine.state,
        effects: [OutboxDraft(key: "\(serial)", payload: effect.payload)]
      )
    )
  }
  let bytes = try JSONEncoder().encode(engine.state).count
  print("UserStore.commit: \(fixed(milliseconds, 2)) ms a turn; the state has \(bytes) bytes")
}

private func meanMilliseconds(of rounds: Int, _ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let elapsed = try clock.measure { for _ in 0..<rounds { try body() } }
  return elapsed / .milliseconds(1) / Double(rounds)
}
