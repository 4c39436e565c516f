import Foundation
import Recurrence
import SettingsFiles
import Timeline

/// Occurrences a second of this process's time: daily rules in a zone whose clocks change, and
/// others; then all rules of a file, read and followed.
///
/// - Parameter file: lines of a start, a tab and a rule, such as those of another library's tests.
func measureRecurrence(file: String?) throws {
  setenv("BENCH_CLOCK", "cpu", 1)
  guard let zone = UTCOffsetTable(wholeSystemZone: "America/New_York") else {
    throw BenchFailure(status: 66, message: "this system has no zone America/New_York")
  }
  for (rule, isZoned) in [
    ("FREQ=DAILY", true), ("FREQ=DAILY;BYHOUR=9,12,15,18", true),
    ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", true), ("FREQ=DAILY", false), ("FREQ=HOURLY", true),
    ("FREQ=MONTHLY;BYDAY=-1FR", true), ("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", true),
  ] {
    let set = try RecurrenceSet(
      start: WrittenTime(local: LocalDateTime(clamping: 946_693_800)),
      zone: isZoned ? zone : nil,
      rule: try RecurrenceRule(rule)
    )
    let count = set.occurrences().prefix(500_000).reduce(0) { count, _ in count + 1 }
    let size = "\(count), \(isZoned ? zone.identifier : "no zone")"
    report(
      measure(
        "recurrence: \(rule)",
        size: size,
        work: Double(count),
        unit: "occurrences",
        runs: 5
      ) {
        var sum: Int64 = 0
        for occurrence in set.occurrences().prefix(count) { sum &+= occurrence.local.wallSeconds }
        keep(sum)
      }
    )
  }
  if let file { try measureRules(of: file) }
}

private func measureRules(of file: String) throws {
  let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
  let rules = lines.compactMap { line -> (start: String, rule: String)? in
    let columns = line.split(separator: "\t")
    return columns.count == 2 ? (String(columns[0]), String(columns[1])) : nil
  }
  var found = 0
  let figure = try measure(
    "rules read and followed",
    size: file,
    work: Double(rules.count),
    unit: "rules",
    runs: 9
  ) {
    found = 0
    for (start, rule) in rules {
      guard let start = WrittenTime(start) else { continue }
      let set = try RecurrenceSet(start: start, rule: try RecurrenceRule(rule))
      found += try set.occurrences(limit: 100).count
    }
  }
  report(figure)
  print("rules \(rules.count) occurrences \(found) seconds \(figure.medianSeconds)")
}
