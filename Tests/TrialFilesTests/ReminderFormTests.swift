import Foundation
import NearMeEngine
import Places
import SettingsFiles
import TestSupport
import Testing
import Timeline
import TrialFiles

/// A reminder has one form: what is stored is a reminder of a reminders file.
@Suite struct ReminderFormTests {
  private static let places = ["home", "work"]

  private func read(_ reminder: String) throws -> Reminder {
    let places = Self.places.map { #"{"id":"\#($0)","lat":39.25,"lon":-76.5}"# }
    let text = "{\"places\":[\(places.joined(separator: ","))],\n\"reminders\":[\n\(reminder)]}"
    return try RemindersFile(text: text, file: "r.json").reminders[0]
  }

  @Test func `CTX-2.4: what is stored of a random reminder reads as the same one from a file`()
    throws
  {
    let seed: UInt64 = 5
    var generator = SeededGenerator(seed: seed)
    let encoder = JSONEncoder()
    for number in 0..<1_000 {
      let reminder = generator.reminder(places: Self.places)
      let text = String(decoding: try encoder.encode(reminder), as: UTF8.self)
      #expect(try read(text) == reminder, "seed \(seed), \(number): \(text)")
      #expect(try JSONDecoder().decode(Reminder.self, from: Data(text.utf8)) == reminder)
    }
  }

  @Test func `triggers and conditions may stand beside the short forms`() throws {
    let reminder = try read(
      #"{id: a, title: b, target: {place: home}, tiers: [arrival], triggers: [{signal: unlock}],"#
        + #" window: {days: [sun]}, conditions: [{window: {start: "9:00", end: "12:00"}}]}"#
    )
    #expect(reminder.triggers == [.place(.place("home"), tiers: [.arrival]), .signal("unlock")])
    let morning = try #require(WeeklyWindow(startMinute: 540, endMinute: 720))
    let sunday = try #require(WeeklyWindow(days: [.sunday]))
    #expect(reminder.conditions == [.window(morning), .window(sunday)])
  }

  @Test func `what is wrong is named with its line, its place and what to write`() throws {
    let start = "{id: a, title: b, "
    let cases: [(String, String)] = [
      ("}", "reminders[0]: needs the key \"target\", or at least one of \"triggers\""),
      ("tiers: [arrival], triggers: [{signal: x}]}", "reminders[0].tiers: belongs to a target"),
      ("triggers: [{}]}", "triggers[0]: needs exactly one of category, place, leave, schedule"),
      ("triggers: [{place: home, signal: x}]}", "triggers[0]: needs exactly one of"),
      ("triggers: [{place: hom}]}", "triggers[0].place: no place has the id \"hom\""),
      ("triggers: [{signal: x, tiers: [arrival]}]}", "triggers[0].tiers: belongs to a place"),
      ("triggers: [{signals: x}]}", "unknown key \"signals\": did you mean \"signal\"?"),
      ("triggers: [{schedule: {start: soon}}]}", "schedule.start: \"soon\" is no time such as"),
      (
        #"triggers: [{schedule: {start: "2026-03-02T25:00"}}]}"#,
        "schedule.start: \"2026-03-02T25:00\" is no time such as"
      ),
      (
        #"triggers: [{schedule: {start: "2026-03-02", rrule: "FREQ=NEVER"}}]}"#,
        "schedule.rrule: FREQ: "
      ),
      (
        #"triggers: [{schedule: {start: "2026-03-02", zone: "Europe/Nowhere"}}]}"#,
        "schedule.zone: \"Europe/Nowhere\" is no time zone"
      ),
      (
        #"triggers: [{schedule: {start: "2026-03-02", before: [soon]}}]}"#,
        "before[0]: must be a span"
      ),
      ("triggers: [{leave: {place: hom}}]}", "leave.place: no place has the id \"hom\""),
      ("triggers: [{schedule: {start: 2026-03-02}, to: on}]}", "to: belongs to a signal"),
      (
        "target: {place: home}, conditions: [{inside: {place: hom}}]}",
        "inside.place: no place has the id \"hom\""
      ),
      (
        "target: {place: home}, conditions: [{not: {signal: {a: b}}, for: 1m}]}",
        "only \"inside\" and \"signal\" can be asked to last"
      ),
      ("target: {place: home}, conditions: [{any: []}]}", "need a condition"),
      ("target: {place: home}, nag: {every: 5s}}", "nag.every: must be one minute at least"),
      ("target: {place: home}, persistence: ever}", "persistence: \"ever\" is none of once"),
      ("triggers: [{schedule: {}}]}", "triggers[0].schedule: needs the key \"start\""),
      (
        "target: {place: home}, conditions: [{}]}",
        "conditions[0]: needs exactly one of window, dates"
      ),
      (
        #"target: {place: home}, conditions: [{window: {start: "9:00"}}]}"#,
        "conditions[0].window: needs both start and end"
      ),
      ("target: {place: home}, status: done}", "status: \"done\" is none of active, completed"),
      ("target: {place: home}, snoozed_until: soon}", "snoozed_until: must be a time such as"),
      ("target: {place: home, category: bank}}", "target: needs exactly one of category and"),
    ]
    for (text, reason) in cases {
      let error = #expect(throws: SettingsError.self) { try read(start + text) }
      let said = error.map { "\($0)" } ?? ""
      #expect(said.hasPrefix("r.json:3: ") && said.contains(reason), "\(text): \(said)")
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func reminder(places: [String]) -> Reminder {
    Reminder(
      id: "r\(integer(1...99))",
      title: text(),
      notes: integer(0...2) == 0 ? text() : nil,
      triggers: (0..<integer(1...3)).map { _ in trigger(places) },
      conditions: (0..<integer(0...2)).map { _ in .window(window()) },
      status: integer(0...3) == 0 ? .completed : .active,
      isMuted: integer(0...3) == 0,
      snooze: snooze(),
      priority: integer(0...2) == 0 ? integer(-1_000...1_000) : 0
    )
  }

  private mutating func text() -> String {
    let words = [
      "milk", "\"quoted\"", "back\\slash", "a: b", "# none", "- x", "tab\there", "two\nlines",
      "true", "7:30", "{}", "Köln", "\u{1F6D2}", "1/2", "null", "'", "~", "é\u{301}",
    ]
    return (0..<integer(1...4)).map { _ in words[integer(0...words.count - 1)] }
      .joined(separator: " ")
  }

  private mutating func instant() -> Timestamp {
    Timestamp(milliseconds: 1_767_600_000_000 + Int64(integer(0...100_000_000)) * 250)
  }

  private mutating func trigger(_ places: [String]) -> Trigger {
    switch integer(0...4) {
    case 0: .schedule(.instant(instant()))
    case 1:
      .schedule(
        .local(
          CivilDate(daysSinceEpoch: integer(0...30_000)),
          minuteOfDay: integer(0...1_439)
        )
      )
    case 2: .signal(text())
    case 3: .place(.place(places[integer(0...places.count - 1)]), tiers: tiers())
    default: .place(.category(CategoryID(["bank", "pharmacy"][integer(0...1)])), tiers: tiers())
    }
  }

  private mutating func tiers() -> [Tier]? {
    let all: [Tier] = [
      .approach(miles: 5), .approach(meters: Double(integer(151...9_000)) + 0.25),
      .approach(meters: 150), .arrival, .postArrival(delay: .seconds(Int64(integer(1...9_000)))),
    ]
    return integer(0...1) == 0 ? nil : all.filter { _ in integer(0...1) == 0 }
  }

  private mutating func window() -> WeeklyWindow {
    while true {
      // Without days and with equal times it never opens.
      let window = WeeklyWindow(
        days: Weekday.allCases.filter { _ in integer(0...1) == 0 },
        startMinute: integer(0...1_439),
        endMinute: integer(0...1_440)
      )
      if let window { return window }
    }
  }

  private mutating func snooze() -> Reminder.Snooze? {
    switch integer(0...3) {
    case 0: .until(instant())
    case 1: .untilNextArrival
    default: nil
    }
  }
}
