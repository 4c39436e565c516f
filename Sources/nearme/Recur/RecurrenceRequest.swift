import Basics
import Recurrence
import SettingsFiles
import Timeline

/// One line of `nearme recur --stdin`: a set, and what is asked of it.
struct RecurrenceRequest {
  let set: RecurrenceSet
  let after: WrittenTime?
  let limit: Int

  /// How many occurrences a line without `limit` is answered with, at most.
  static let usualLimit = 1_000
  /// The most that a line can ask for.
  static let maximumLimit = 1_000_000

  static let keys = [
    "id", "start", "zone", "rrule", "rdates", "exdates", "gap", "after", "limit",
  ]

  /// Reads a request.
  ///
  /// - Throws: ``RecurrenceError`` with the key that is wrong.
  init(_ line: JSONValue, zones: ZoneShelf) throws(RecurrenceError) {
    guard let members = line.members else {
      throw RecurrenceError(part: "line", "it is no JSON object: write {\"id\":…,\"start\":…}")
    }
    for (index, member) in members.enumerated() {
      guard Self.keys.contains(member.key) else {
        throw RecurrenceError(
          part: member.key,
          "there is no such key: write \(Self.keys.joined(separator: ", "))"
        )
      }
      if members[..<index].contains(where: { $0.key == member.key }) {
        throw RecurrenceError(part: member.key, "it is there twice: write it once")
      }
    }
    let zone = try Self.text("zone", in: line)
      .map { name throws(RecurrenceError) in
        try zones.zone(named: name)
      }
    let rule = try Self.text("rrule", in: line)
      .map { text throws(RecurrenceError) in
        try RecurrenceRule(text)
      }
    let added = try Self.times("rdates", in: line)
    let start: WrittenTime
    if let text = try Self.text("start", in: line) {
      start = try Self.time(text, "start")
    } else if rule == nil, let first = added.first {
      start = first
    } else {
      throw RecurrenceError(part: "start", "it is missing: write such as 2026-03-02T07:00")
    }
    var gap = GapRule.shift
    if let text = try Self.text("gap", in: line) {
      guard let named = GapRule(rawValue: text.lowercased()) else {
        throw RecurrenceError(part: "gap", "\"\(text)\" is not known: write shift or skip")
      }
      gap = named
    }
    after = try Self.text("after", in: line)
      .map { text throws(RecurrenceError) in
        try Self.time(text, "after")
      }
    limit = try Self.limit(in: line)
    set = try RecurrenceSet(
      start: start,
      zone: zone,
      rule: rule,
      added: added,
      excluded: try Self.times("exdates", in: line),
      gap: gap
    )
  }

  /// What is asked for.
  func answer() throws(RecurrenceError) -> [Occurrence] {
    try set.occurrences(after: after.map { set.instant(of: $0) }, limit: limit)
  }

  /// Reads a time.
  static func time(_ text: String, _ part: String) throws(RecurrenceError) -> WrittenTime {
    guard let time = WrittenTime(text) else {
      throw RecurrenceError(
        part: part,
        "\"\(text.prefix(40))\" is no time: write 2026-03-02, 2026-03-02T07:00 or "
          + "2026-03-02T07:00:00+01:00"
      )
    }
    return time
  }

  private static func text(
    _ key: String,
    in line: JSONValue
  ) throws(RecurrenceError) -> String? {
    switch line[key] {
    case nil, .null: return nil
    case .string(let text): return text
    default: throw RecurrenceError(part: key, "it is no text: write it in quotes, or null")
    }
  }

  private static func times(
    _ key: String,
    in line: JSONValue
  ) throws(RecurrenceError) -> [WrittenTime] {
    switch line[key] {
    case nil, .null: return []
    case .array(let values):
      var times: [WrittenTime] = []
      for value in values {
        guard let text = value.text else {
          throw RecurrenceError(part: key, "it holds something but texts: write times in quotes")
        }
        times.append(try time(text, key))
      }
      return times
    default: throw RecurrenceError(part: key, "it is no list: write [\"2026-03-02T07:00\", …]")
    }
  }

  private static func limit(in line: JSONValue) throws(RecurrenceError) -> Int {
    switch line["limit"] {
    case nil, .null: return usualLimit
    case .number(let text):
      if let limit = Int(text), (0...maximumLimit).contains(limit) { return limit }
    default: break
    }
    throw RecurrenceError(part: "limit", "write a whole number from 0 to \(maximumLimit)")
  }
}

/// The zones that were asked for, each read once.
final class ZoneShelf {
  private var zones: [String: UTCOffsetTable] = [:]
  /// A zone takes up to 400 kB.
  private static let most = 64

  /// A zone of this system by its name.
  ///
  /// - Throws: ``RecurrenceError`` if there is none.
  func zone(named name: String) throws(RecurrenceError) -> UTCOffsetTable {
    if let known = zones[name] { return known }
    guard let zone = UTCOffsetTable(wholeSystemZone: name) else {
      throw RecurrenceError(
        part: "zone",
        "this system has no zone \"\(name.prefix(60))\": write one such as Europe/Malta, or none"
      )
    }
    if zones.count >= Self.most { zones = [:] }
    zones[name] = zone
    return zone
  }
}
