import Foundation
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

@testable import UserStore

// Databases are made once, one of each version; the input says which of them is taken and what is done to it.
// What is sealed cannot be reached by altered bytes, so that some values are opened, changed and sealed again, as
// another version of the program might have written them.

private let database = AlteredDatabase(named: "user.db")
private let path = database.path
private let key = StoreKey(bytes: Array(1...32))
private let vault = Vault(key)
private let start = Timestamp(seconds: 1_772_550_000)
private let home = Coordinate(uncheckedLatitude: 39.29, longitude: -76.61)
/// One of each version.
private let whole: [[UInt8]] = makeDatabases()

/// Alters a user's database: values out of range in any column, bits flipped, bytes overwritten, the end cut off,
/// and values sealed anew with other contents.
///
/// It is refused with a sentence, or opens, is edited and an engine lives on with what it holds.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let first = input.first else { return 0 }
  let isSmall = database.alter(whole[Int(first) % whole.count], input.dropFirst()) { step in
    step[0] % 8 == 7
      ? sealing(step) : database.update(columns[Int(step[1]) % columns.count], step, rows: 8)
  }
  if isSmall { use() }
  return 0
}

// MARK: What is altered

private func makeDatabases() -> [[UInt8]] {
  var made: [[UInt8]] = []
  do {
    let store = try UserStore(path: path, key: .key(key))
    try fill(store)
    try store.close()
  } catch {
    preconditionFailure("no database can be made: \(error)")
  }
  made.append(database.bytes)
  database.execute([
    "DROP TABLE archive", "DROP TABLE completion", "DROP TABLE title", "DROP TABLE reminder_date",
    "PRAGMA user_version = 2",
  ])
  made.append(database.bytes)
  let plain = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../Tests/UserStoreTests/OldFiles/version-1.sql")
  guard let text = try? String(contentsOf: plain, encoding: .utf8) else {
    preconditionFailure("there is no file of version 1 at \(plain.path)")
  }
  unlink(path)
  database.execute([text])
  made.append(database.bytes)
  return made
}

/// A day with an errand: reminders of each kind, one that has ended, and a turn of the host.
private func fill(_ store: UserStore) throws {
  _ = try store.addPlace(at: start) {
    Place(id: $0, name: "Home", kind: .home, coordinate: home)
  }
  let written = [
    ("Milk", [Trigger.place(.category(CategoryID("grocery")))]),
    ("Keys", [.leave(.place("p1")), .signal("charger")]),
    ("Pills", [.schedule(.instant(start + .minutes(60)))]),
    ("Done", [.place(.place("p1"))]),
  ]
  for (title, triggers) in written {
    _ = try store.addReminder(at: start) { Reminder(id: $0, title: title, triggers: triggers) }
  }
  _ = try store.act(.complete, on: "r4", at: start, zone: .utc)
  _ = try store.load()
  try take(store, turns: 1)
  _ = try store.act(.snoozeFor(.minutes(120)), on: "r1", at: start + .minutes(60), zone: .utc)
}

private let columns: [(table: String, name: String)] = [
  ("setting", "name"), ("setting", "value"), ("counter", "name"), ("counter", "value"),
  ("place", "id"), ("place", "serial"), ("place", "body"), ("reminder", "id"),
  ("reminder", "serial"), ("reminder", "is_live"), ("reminder", "place"), ("reminder", "body"),
  ("inbox", "serial"), ("inbox", "reminder"), ("inbox", "body"), ("state", "one"),
  ("state", "turn"), ("state", "body"), ("state", "host"), ("outbox", "serial"),
  ("outbox", "key"), ("outbox", "body"), ("outbox", "attempts"), ("outbox", "not_before"),
  ("decision", "serial"), ("decision", "at"), ("decision", "reminder"), ("decision", "tier"),
  ("decision", "outcome"), ("decision", "reason"), ("decision", "until"), ("analytics", "serial"),
  ("analytics", "at"), ("analytics", "event"), ("analytics", "subject"), ("archive", "id"),
  ("archive", "serial"), ("archive", "ended_at"), ("archive", "body"), ("completion", "serial"),
  ("completion", "reminder"), ("completion", "due"), ("completion", "at"),
  ("completion", "device"), ("title", "page"), ("title", "body"), ("reminder_date", "id"),
  ("reminder_date", "made"), ("reminder_date", "changed"), ("place", "name"),
  ("place", "kind"), ("place", "arrival_radius_m"), ("place", "geom"),
]

/// The engine's state has most in it, so it stands thrice.
private let sealed: [(table: String, row: String, column: String, cell: Vault.Cell)] = [
  ("state", "one = 1", "body", .state), ("state", "one = 1", "body", .state),
  ("state", "one = 1", "body", .state), ("reminder", "id = 'r1'", "body", .reminder("r1")),
  ("reminder", "id = 'r3'", "body", .reminder("r3")), ("place", "id = 'p1'", "body", .place("p1")),
  ("archive", "id = 'r4'", "body", .reminder("r4")),
  ("inbox", "serial = (SELECT max(serial) FROM inbox)", "body", .inbox(0)),
  ("title", "page = (SELECT min(page) FROM title)", "body", .title(0)),
]

/// What another version may have written in a place; numbers beyond all reason nobody without the key can write.
private let otherValues = [
  "null", "0", "1", "-1", "100", "0.5", "\"\"", "\"x\"", "\"nan\"", "[]", "{}", "true",
  "1772550000000",
]

/// The statement that puts another value in the place of one number or word of a sealed text.
private func sealing(_ step: [UInt8]) -> String? {
  var (table, row, column, cell) = sealed[Int(step[1]) % sealed.count]
  if table == "inbox" || table == "title" {
    guard
      let digits = database.value(
        "SELECT \(table == "inbox" ? "max(serial)" : "min(page)") FROM \(table)"
      ),
      let number = Int64(String(decoding: digits, as: UTF8.self))
    else { return nil }
    cell = table == "inbox" ? .inbox(number) : .title(number)
  }
  guard let bytes = database.value("SELECT \(column) FROM \(table) WHERE \(row)"),
    let plain = vault.open(bytes, for: cell)
  else { return nil }
  let text = [UInt8](plain)
  // Where a value begins: after a colon, a comma or a bracket, outside of words.
  var starts: [Int] = []
  var isWord = false
  for (i, byte) in text.enumerated() {
    if byte == UInt8(ascii: "\""), i == 0 || text[i - 1] != UInt8(ascii: "\\") { isWord.toggle() }
    if !isWord, [UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: ",")].contains(byte) {
      starts.append(i + 1)
    }
  }
  guard !starts.isEmpty else { return nil }
  let at = starts[(Int(step[2]) << 8 | Int(step[3])) % starts.count]
  let end = valueEnd(text, at)
  guard end > at else { return nil }
  let other = otherValues[Int(step[4]) % otherValues.count]
  let changed = Data(text[..<at] + Array(other.utf8) + text[end...])
  let digits = vault.seal(changed, for: cell).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
  return "UPDATE \(table) SET \(column) = x'\(digits.joined())' WHERE \(row)"
}

/// Where the value that begins at an index ends: a word, a number, or all of a list or an object.
private func valueEnd(_ text: [UInt8], _ start: Int) -> Int {
  var depth = 0
  var isWord = false
  var i = start
  while i < text.count {
    let byte = text[i]
    if byte == UInt8(ascii: "\""), text[i - 1] != UInt8(ascii: "\\") { isWord.toggle() }
    if !isWord {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
        depth -= 1
        if depth < 0 { return i }
      }
      if byte == UInt8(ascii: ","), depth == 0 { return i }
    }
    i += 1
  }
  return i
}

// MARK: What is done with it

private func use() {
  func attempt(_ body: () throws(UserStoreError) -> Void) {
    do throws(UserStoreError) { try body() } catch {
      precondition(error.description.hasPrefix(path), "\(error)")
    }
  }
  attempt { () throws(UserStoreError) in
    let store = try UserStore(path: path, key: .key(key), access: .edit)
    defer { try? store.close() }
    let now = start + .minutes(120)
    attempt { () throws(UserStoreError) in _ = try store.history() }
    attempt { () throws(UserStoreError) in _ = try store.everyReminder() }
    attempt { () throws(UserStoreError) in _ = try store.decisions() }
    attempt { () throws(UserStoreError) in _ = try store.counts(at: now, zone: .utc) }
    attempt { () throws(UserStoreError) in _ = try store.search("mil") }
    attempt { () throws(UserStoreError) in _ = try store.reminderDates() }
    attempt { () throws(UserStoreError) in _ = try store.analyticsQueue() }
    attempt { () throws(UserStoreError) in _ = try store.inventory() }
    attempt { () throws(UserStoreError) in _ = try store.unperformed() }
    attempt { () throws(UserStoreError) in _ = try store.presentEngine(at: now, zone: .utc) }
    attempt { () throws(UserStoreError) in
      _ = try store.act(.snoozeToday, on: "r3", at: now, zone: .utc)
      _ = try store.act(.reopen, on: "r4", at: now, zone: .utc)
      _ = try store.addReminder(at: now) { Reminder(id: $0, title: "New", target: .place("p1")) }
      _ = try store.deletePlace("p1", withReminders: true, at: now)
    }
    attempt { () throws(UserStoreError) in try take(store, turns: 2) }
  }
}

/// Lives on from what is stored: in each turn some fixes on the way home.
private func take(_ store: UserStore, turns: Int) throws(UserStoreError) {
  for _ in 0..<turns {
    let user = try store.load()
    var engine = Engine(
      policy: Policy(),
      zone: .utc,
      catalog: .empty,
      monitoring: .everyFix,
      state: user.state ?? EngineState()
    )
    var effects: [Effect] = []
    for entry in user.inbox {
      let at = max(entry.event.at, engine.newestInstant ?? entry.event.at)
      effects += engine.handle(Event(at: at, entry.event.kind))
    }
    var at = max(start, engine.newestInstant ?? start)
    // The end of what instants there are has no next one.
    for step in 0..<20 where at.milliseconds < 200_000_000_000_000 {
      at = at + .seconds(30)
      let fix = Fix(
        at: at,
        coordinate: Coordinate(
          uncheckedLatitude: home.latitude + Double(20 - step) * 0.001,
          longitude: home.longitude
        ),
        horizontalAccuracyMeters: 8
      )
      effects += engine.handle(Event(at: at, .fix(fix)))
    }
    // What was sealed anew may be no state that an engine comes to: it must live on with it, not be sound.
    let told = effects.filter {
      switch $0 {
      case .post, .replace, .schedule: true
      default: false
      }
    }
    try store.commit(
      Turn(
        state: engine.state,
        host: Data("{}".utf8),
        effects: told.enumerated()
          .map { OutboxDraft(key: "\(at.milliseconds)-\($0.offset)", payload: Data("{}".utf8)) },
        archived: effects.compactMap { if case .archive(let ended) = $0 { ended } else { nil } },
        records: effects.compactMap { if case .record(let record) = $0 { record } else { nil } },
        usedInbox: user.inbox.map(\.serial)
      )
    )
  }
}
