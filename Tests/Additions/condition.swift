import Foundation
import NearMeEngine
import Timeline

/// How much the battery holds: a condition that no clock ends.
@main struct ConditionCheck {
  static func reminder(due minute: Int64, _ conditions: [Condition]) -> Reminder {
    Reminder(
      id: "sync",
      title: "copy the photos",
      triggers: [.schedule(.instant(Check.instant(minute)))],
      conditions: conditions
    )
  }

  static let half = Condition.battery(atLeast: 50)
  static let name = "schedule:2026-01-05T08:10:00Z"

  static func battery(_ percent: Int, id: String) -> Event.Kind {
    .signal(Signal(name: "battery", id: id, level: "\(percent)"))
  }

  static func main() throws {
    try form()
    try waitsForTheLevel()
    try isTakenBack()
    try isNegated()
    try waitsForOneAfterTheOther()
  }

  static func form() throws {
    let sync = reminder(due: 10, [half])
    let text =
      #"{"conditions":[{"battery":50}],"id":"sync","status":"active","#
      + #""title":"copy the photos","triggers":[{"schedule":{"start":"2026-01-05T08:10:00Z"}}]}"#
    expect(try Check.json(sync), is: text, "the stored form of a reminder")
    expect(try Check.reread(sync), is: sync, "a reminder that was read back")
    expect(Silence.batteryLow.rawValue, is: "battery_low", "the name of the silence")
  }

  static func waitsForTheLevel() throws {
    var check = try Check([reminder(due: 10, [half])])
    expect(check.names, is: [["battery"]], "what the host is to listen to")
    expect(check.scheduled, is: [], "what the system shows by itself")
    try check.send(.timer, 10)
    expect(check.records, is: ["due " + name, "deferred " + name + " battery_low"], "the log")
    expect(check.heard, is: [], "what is heard while the condition does not hold")
    expect(check.wake, is: nil, "the minute to be woken at for what no clock ends")
    try check.restart(11)
    try check.send(battery(49, id: "1"), 12)
    expect(check.records, is: [], "the log of another level")
    try check.send(battery(50, id: "2"), 14)
    expect(check.records, is: ["delivered " + name], "the log of the level")
    expect(check.heard, is: ["Copy the photos."], "what is heard once it holds")
    try check.send(battery(20, id: "3"), 15)
    try check.send(battery(90, id: "4"), 16)
    expect(check.heard, is: [], "what is heard again")
  }

  static func isTakenBack() throws {
    var check = try Check([reminder(due: 10, [half])])
    try check.send(battery(60, id: "1"), 1)
    expect(check.scheduled, is: [10], "what the system shows by itself while it holds")
    try check.restart(2)
    try check.send(battery(40, id: "2"), 3)
    expect(check.unscheduledCount, is: 1, "the number of notifications taken back")
  }

  static func isNegated() throws {
    var check = try Check([reminder(due: 10, [.not(half)])])
    try check.send(.timer, 10)
    expect(check.heard, is: ["Copy the photos."], "what is heard of an empty battery")
  }

  static func waitsForOneAfterTheOther() throws {
    guard let window = WeeklyWindow(startMinute: 9 * 60, endMinute: 10 * 60) else {
      return expect(false, "nine to ten is a window")
    }
    var check = try Check([reminder(due: 10, [.window(window), half])])
    try check.send(.timer, 10)
    let waits = "deferred " + name
    expect(check.records, is: ["due " + name, waits + " battery_low"], "the log")
    try check.send(battery(80, id: "1"), 20)
    expect(check.records, is: [waits + " outside_window until 60"], "the log of the level")
    try check.send(.timer, 60)
    expect(check.heard, is: ["Copy the photos."], "what is heard when both hold")
  }
}
