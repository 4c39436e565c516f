import NearMeEngine
import SettingsFiles
import Testing
import Timeline
import TrialFiles

/// Windows and priorities of the reminders file, right and wrong.
@Suite struct ReminderWindowTests {
  private func read(_ extra: String) throws -> RemindersFile {
    try RemindersFile(
      text: "reminders: [{id: a, title: b, target: {category: bank}, \(extra)}]",
      file: "r.yaml"
    )
  }

  @Test func `a window has days and times, or one of the two`() throws {
    let both = try read(#"window: {days: [fri, mon], start: "22:00", end: "02:30"}"#).reminders[0]
    #expect(
      both.window == WeeklyWindow(days: [.monday, .friday], startMinute: 1_320, endMinute: 150)
    )
    let times = try read(#"window: {start: "00:00", end: "24:00"}"#).reminders[0]
    #expect(times.window == WeeklyWindow())
    let days = try read("window: {days: [sun]}").reminders[0]
    #expect(days.window == WeeklyWindow(days: [.sunday]))
    let plain = try read("priority: 3").reminders[0]
    #expect(plain.window == nil)
    #expect(plain.priority == 3)
  }

  @Test func `what is wrong is named with its place and what to write`() throws {
    let cases: [(String, String)] = [
      (#"window: {days: [freitag]}"#, "\"freitag\" is none of mon, tue"),
      (#"window: {days: []}"#, "names no day"),
      (#"window: {start: "17:00"}"#, "needs both start and end"),
      (#"window: {start: "17:00", end: "17:00"}"#, "never opens"),
      (#"window: {start: "24:00", end: "17:00"}"#, "must be a time of day"),
      (#"window: {start: "+7:00", end: "17:00"}"#, "must be a time of day"),
      (#"window: {from: "7:00"}"#, "unknown key \"from\""),
      ("window: always", "\"always\" is no window such as"),
      ("priority: high", "must be a whole number"),
    ]
    for (text, reason) in cases {
      let error = #expect(throws: SettingsError.self) { try read(text) }
      let said = error.map { "\($0)" } ?? ""
      #expect(said.contains("r.yaml:1: reminders[0].") && said.contains(reason), "\(said)")
    }
  }
}
