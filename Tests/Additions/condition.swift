import Foundation
import NearMeEngine
import Timeline

/// A signal at a level: a condition that no clock ends.
@main struct ConditionCheck {
  static func reminder(due minute: Int64, _ conditions: [Condition]) -> Reminder {
    Reminder(
      id: "sync",
      title: "copy the photos",
      triggers: [.schedule(.instant(Check.instant(minute)))],
      conditions: conditions
    )
  }

  static let charging = Condition.signal("charger", is: "on")
  static let name = "schedule:2026-01-05T08:10:00Z"

  static func charger(_ level: String, id: String) -> Event.Kind {
    .signal(Signal(name: "charger", id: id, level: level))
  }

  static func main() throws {
    try form()
    try waitsForTheLevel()
    try isTakenBack()
    try isEdited()
    try waitsForOneAfterTheOther()
  }

  static func form() throws {
    let sync = reminder(due: 10, [charging])
    let text =
      #"{"conditions":[{"is":"on","signal":"charger"}],"id":"sync","status":"active","#
      + #""title":"copy the photos","triggers":[{"schedule":{"start":"2026-01-05T08:10:00Z"}}]}"#
    expect(try Check.json(sync), is: text, "the stored form of a reminder")
    expect(try Check.reread(sync), is: sync, "a reminder that was read back")
    expect(Silence.signalLevel.rawValue, is: "signal_level", "the name of the silence")
  }

  static func waitsForTheLevel() throws {
    var check = try Check([reminder(due: 10, [charging])])
    expect(check.names, is: [["charger"]], "what the host is to listen to")
    expect(check.scheduled, is: [], "what the system shows by itself")
    try check.send(.timer, 10)
    expect(check.records, is: ["due " + name, "deferred " + name + " signal_level"], "the log")
    expect(check.heard, is: [], "what is heard while the condition does not hold")
    expect(check.wake, is: nil, "the minute to be woken at for what no clock ends")
    try check.restart(11)
    try check.send(charger("off", id: "1"), 12)
    expect(check.records, is: [], "the log of another level")
    try check.send(.zoneChanged(.utc), 13)
    expect(check.records, is: [], "the log of a zone that does not matter")
    try check.send(charger("on", id: "2"), 14)
    expect(check.records, is: ["delivered " + name], "the log of the level")
    expect(check.heard, is: ["Time to copy the photos."], "what is heard once it holds")
    try check.send(charger("off", id: "3"), 15)
    try check.send(charger("on", id: "4"), 16)
    expect(check.heard, is: [], "what is heard again")
  }

  static func isTakenBack() throws {
    var check = try Check([reminder(due: 10, [charging])])
    try check.send(charger("on", id: "1"), 1)
    expect(check.scheduled, is: [10], "what the system shows by itself while it holds")
    try check.restart(2)
    try check.send(charger("off", id: "2"), 3)
    expect(check.unscheduledCount, is: 1, "the number of notifications taken back")
    try check.send(.timer, 10)
    expect(check.records, is: ["due " + name, "deferred " + name + " signal_level"], "the log")
  }

  static func isEdited() throws {
    var check = try Check([reminder(due: 10, [])])
    try check.send(.reminderSaved(reminder(due: 10, [charging])), 5)
    expect(check.names, is: [["charger"]], "what the host is to listen to after an edit")
    expect(check.unscheduledCount, is: 1, "the number of notifications taken back after an edit")
    try check.send(.timer, 10)
    expect(check.heard, is: [], "what is heard while the condition does not hold")
    try check.send(.reminderSaved(reminder(due: 10, [])), 20)
    expect(check.names, is: [[]], "what the host is to listen to without the condition")
    expect(check.heard, is: ["Time to copy the photos."], "what is heard without the condition")
  }

  static func waitsForOneAfterTheOther() throws {
    guard let window = WeeklyWindow(startMinute: 9 * 60, endMinute: 10 * 60) else {
      return expect(false, "nine to ten is a window")
    }
    var check = try Check([reminder(due: 10, [.window(window), charging])])
    try check.send(.timer, 10)
    let waits = "deferred " + name
    expect(check.records, is: ["due " + name, waits + " outside_window until 60"], "the log")
    try check.send(.timer, 60)
    expect(check.records, is: [waits + " signal_level"], "the log when the window opens")
    try check.send(charger("on", id: "1"), 130)
    expect(check.records.last, is: waits + " outside_window until 1500", "the last of the log")
    try check.send(.timer, 1_500)
    expect(check.heard, is: ["Time to copy the photos."], "what is heard when both hold")
  }
}
