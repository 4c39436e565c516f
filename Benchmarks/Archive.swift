import Basics
import Foundation
import NearMeEngine
import Places
import Timeline
import UserStore

/// What a page of history, a search and a turn cost where a million reminders are done, beside a database in which
/// none is: the figures of docs/decisions/0014-what-is-done.md.
///
/// - Parameter folder: on the disk that is to be measured.
func measureArchive(folder: URL) throws {
  for count in [0, 100_000, 1_000_000] {
    let path = folder.appendingPathComponent("\(count).db").path
    let store = try UserStore(path: path, key: .besides(path))
    let words = ["milk", "the dentist", "a present for Ann", "crème brûlée", "the fence"]
    let start = Timestamp(seconds: 1_767_600_000)
    for first in stride(from: 0, to: count, by: 50_000) {
      try store.takeIn(
        ended: (first..<min(first + 50_000, count))
          .map { ("\(words[$0 % 5]), number \($0)", start + .seconds(Int64($0))) }
      )
    }
    let first = try medianMilliseconds { _ = try store.history() }
    var cursor: PastReminder.Cursor?
    for _ in 0..<100 { cursor = try store.history(after: cursor).last?.cursor ?? cursor }
    let deep = try medianMilliseconds { _ = try store.history(after: cursor) }
    let search = try medianMilliseconds { _ = try store.search("number 4711") }
    print(
      "\(count) done: first page \(fixed(first, 2)) ms, hundredth \(fixed(deep, 2)) ms, "
        + "search of all titles \(fixed(search, 1)) ms, turn \(fixed(try turn(of: store), 2)) ms"
    )
    try store.close()
  }
}

/// A turn with three reminders that are to be done.
private func turn(of store: UserStore) throws -> Double {
  _ = try store.load()
  var engine = Engine(policy: Policy(), zone: .utc, catalog: .empty, monitoring: .everyFix)
  let reminders = ["pharmacy", "grocery", "bank"]
    .map { Reminder(id: $0, title: "go", triggers: [.signal($0)]) }
  try engine.load(places: [], reminders: reminders)
  var serial = 0
  return try medianMilliseconds {
    serial += 1
    _ = engine.handle(Event(at: Timestamp(seconds: Int64(serial)), .timer))
    try store.commit(Turn(state: engine.state))
  }
}

private func medianMilliseconds(_ body: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<31 { times.append(try clock.measure(body) / .milliseconds(1)) }
  return times.sorted()[15]
}
