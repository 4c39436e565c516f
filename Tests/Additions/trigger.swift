import Foundation
import NearMeEngine
import Timeline

/// A countdown: a trigger that is no place, no schedule and no signal.
@main struct TriggerCheck {
  static func reminder(_ id: String, _ title: String, minutes: Int64) -> Reminder {
    Reminder(id: id, title: title, triggers: [.countdown(.minutes(minutes))])
  }

  static func main() throws {
    try form()
    try ringsOnce()
    try waits()
    try beginsAnew()
    try keepsWhatIsLeft()
  }

  static func form() throws {
    let tea = reminder("tea", "take out the tea", minutes: 4)
    let text =
      #"{"id":"tea","status":"active","title":"take out the tea","#
      + #""triggers":[{"countdown":"4m"}]}"#
    expect(try Check.json(tea), is: text, "the stored form of a reminder")
    expect(try Check.reread(tea), is: tea, "a reminder that was read back")
    let odd = Data(#"{"countdown":"soon"}"#.utf8)
    expect((try? JSONDecoder().decode(Trigger.self, from: odd)) == nil, "\"soon\" is no span")
    let step = Step.countdown(Check.instant(4))
    expect(step.name, is: "countdown:2026-01-05T08:04:00Z", "the name of a step")
    expect(Step(step.name), is: step, "a step of that name")
  }

  static func ringsOnce() throws {
    var check = try Check([reminder("tea", "take out the tea", minutes: 4)])
    expect(check.wake, is: 4, "the minute to be woken at")
    expect(check.scheduled, is: [4], "what the system shows by itself")
    try check.restart(1)
    expect(check.wake, is: 4, "the minute to be woken at after a restart")
    expect(check.scheduled, is: [], "what is scheduled anew")
    try check.send(.timer, 4)
    expect(check.heard, is: ["Time to take out the tea."], "what is heard")
    let name = "countdown:2026-01-05T08:04:00Z"
    expect(check.records, is: ["due " + name, "delivered " + name], "the log")
    expect(check.wake, is: nil, "the next minute to be woken at")
    for minute: Int64 in [5, 60] {
      try check.restart(minute)
      try check.send(.timer, minute + 1)
      expect(check.heard, is: [], "what is heard again")
      expect(check.wake, is: nil, "the minute to be woken at when all is over")
    }
  }

  static func waits() throws {
    var check = try Check([reminder("tea", "take out the tea", minutes: 10)])
    try check.send(.focus(true), 1)
    expect(check.unscheduledCount, is: 1, "the number of notifications taken back for a focus")
    try check.send(.timer, 10)
    let name = "countdown:2026-01-05T08:10:00Z"
    expect(check.records, is: ["due " + name, "deferred " + name + " focus"], "the log")
    try check.restart(11)
    try check.send(.focus(false), 20)
    expect(check.heard, is: ["Time to take out the tea."], "what is heard after the focus")
    try check.send(.action(reminder: "tea", .snoozeFor(.minutes(15))), 21)
    try check.send(.timer, 36)
    expect(check.heard, is: ["Time to take out the tea."], "what a snooze says again")
    try check.send(.action(reminder: "tea", .complete), 40)
    expect(check.wake, is: nil, "the minute to be woken at when it is done")
  }

  static func beginsAnew() throws {
    var check = try Check([])
    try check.send(.reminderSaved(reminder("bread", "look at the bread", minutes: 30)), 100)
    expect(check.wake, is: 130, "the minute to be woken at")
    try check.send(.reminderSaved(reminder("bread", "turn the bread", minutes: 30)), 105)
    expect(check.wake, is: 130, "the minute to be woken at with another title")
    try check.send(.reminderSaved(reminder("bread", "turn the bread", minutes: 5)), 110)
    expect(check.wake, is: 115, "the minute to be woken at with another span")
    try check.send(.timer, 140)
    expect(check.heard, is: ["Time to turn the bread."], "what is heard of a changed countdown")
    try check.send(.reminderDeleted("bread"), 141)
    try check.send(.reminderSaved(reminder("bread", "turn the bread", minutes: 5)), 150)
    expect(check.wake, is: 155, "the minute to be woken at when it was made anew")
  }

  static func keepsWhatIsLeft() throws {
    var check = try Check([reminder("tea", "take out the tea", minutes: 10)])
    try check.send(.clockChanged(by: .minutes(60)), 64)
    expect(check.wake, is: 70, "the minute to be woken at by a clock that was set")
    try check.send(.timer, 70)
    expect(check.heard, is: ["Time to take out the tea."], "what is heard by a clock that was set")
  }
}
