import Foundation
import NearMeEngine
import Timeline

/// The opening of a window: a trigger that is no place, no schedule of its own and no signal.
@main struct TriggerCheck {
  static func window(_ hour: Int, _ days: [Weekday] = Weekday.allCases) throws -> WeeklyWindow {
    guard let window = WeeklyWindow(days: days, startMinute: hour * 60, endMinute: hour * 60 + 60)
    else { throw CocoaError(.featureUnsupported) }
    return window
  }

  static func reminder(_ window: WeeklyWindow) -> Reminder {
    Reminder(id: "post", title: "fetch the mail", triggers: [.opening(window)])
  }

  static func main() throws {
    try form()
    try ringsEachDay()
    try ringsOnItsDays()
    try waits()
  }

  static func form() throws {
    let post = reminder(try window(9, [.monday]))
    let text =
      #"{"id":"post","status":"active","title":"fetch the mail","#
      + #""triggers":[{"opening":{"days":["mon"],"end":"10:00","start":"09:00"}}]}"#
    expect(try Check.json(post), is: text, "the stored form of a reminder")
    expect(try Check.reread(post), is: post, "a reminder that was read back")
  }

  static func ringsEachDay() throws {
    var check = try Check([reminder(try window(9))])
    try check.restart(1)
    try check.send(.timer, 60)
    expect(check.heard, is: ["Fetch the mail."], "what is heard when it opens")
    try check.send(.action(reminder: "post", .complete), 61)
    try check.send(.timer, 60 + 1_440)
    expect(check.heard, is: ["Fetch the mail."], "what is heard on the next day")
  }

  static func ringsOnItsDays() throws {
    var check = try Check([reminder(try window(9, [.wednesday]))])
    try check.send(.timer, 60 + 1_440)
    expect(check.heard, is: [], "what is heard on a Tuesday")
    try check.send(.timer, 60 + 2 * 1_440)
    expect(check.heard, is: ["Fetch the mail."], "what is heard on a Wednesday")
    try check.send(.reminderDeleted("post"), 70 + 2 * 1_440)
    expect(check.wake, is: nil, "the minute to be woken at when it is gone")
  }

  static func waits() throws {
    var check = try Check([reminder(try window(9))])
    try check.send(.focus(true), 1)
    try check.send(.timer, 60)
    let name = "schedule:2026-01-05T09:00:00Z"
    expect(check.records, is: ["due " + name, "deferred " + name + " focus"], "the log")
    try check.restart(61)
    try check.send(.focus(false), 70)
    expect(check.heard, is: ["Fetch the mail."], "what is heard after the focus")
  }
}
