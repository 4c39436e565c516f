import Foundation
import NearMeEngine
import Places
import Recurrence
import SettingsFiles
import Timeline

/// What an engine with many scheduled reminders costs: taking them in, a wake in which one is due, and memory.
///
/// - Parameter count: how many reminders, each with a schedule of its own: daily, on weekdays, monthly, or once.
func measureSchedules(count: Int) throws {
  guard let zone = UTCOffsetTable(systemZone: "America/New_York") else {
    throw BenchFailure(status: 66, message: "this system has no zone America/New_York")
  }
  let rules = try ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYDAY=-1FR"]
    .map { try RecurrenceRule($0) }
  // 2026-01-01T00:00 on the wall, and the same instant there.
  let (wall, begin) = (Int64(1_767_225_600), Timestamp(seconds: 1_767_225_600 + 18_000))
  let reminders = (0..<count)
    .map { i in
      // Spread over the day and, those that come once, over the year.
      let spread = Int64(i) * 7_919 % 86_400
      let day = i % 4 == 3 ? Int64(i / 4 % 365) * 86_400 : 0
      let start = WrittenTime(local: LocalDateTime(clamping: wall + day + spread))
      let schedule = Schedule(start: start, rule: i % 4 == 3 ? nil : rules[i % 4])
      return Reminder(id: "r\(i)", title: "task \(i)", triggers: [.schedule(schedule)])
    }
  func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = secondsNow()
    try body()
    return secondsNow() - start
  }
  var engine = Engine(policy: Policy(), zone: zone, catalog: .empty, monitoring: .everyFix)
  let loading = try seconds { try engine.load(places: [], reminders: reminders) }
  let first = seconds { keep(engine.handle(Event(at: begin, .launched))) }
  var effects = 0
  let turns = 20
  let waking = seconds {
    for minute in 1...turns {
      let now = begin + .minutes(Int64(minute))
      effects += engine.handle(Event(at: now, .timer)).count
    }
  }
  func shown(_ seconds: Double) -> String { String(format: "%.3f s", seconds) }
  print("\(count) reminders with schedules")
  print("  taken in          \(shown(loading))")
  print("  first event       \(shown(first))")
  print("  a wake            \(shown(waking / Double(turns))), \(effects) effects in \(turns)")
  let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let peak = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  if let peak { print("  memory at most   \(peak.dropFirst(6).filter { $0 != "\t" })") }
}
