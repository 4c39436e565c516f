import Basics
import Calendars
import Testing
import TestSupport
import Timeline

/// Broken calendars: whatever is in them, they are read to an end.
@Suite struct CalendarFuzzTests {
  private static let words = [
    "BEGIN:VTODO", "END:VALARM", "RRULE:FREQ=DAILY", "DTSTART;VALUE=DATE:20260230", ";TZID=\"",
    "RECURRENCE-ID:20260101T000000Z", "TRIGGER:-P99999999999W", "\r\n ", "\\", "REPEAT:-1", "geo:",
    "GEO:1,2,3,4", "X-NEARME-REMINDER:{", "PRIORITY:99", ",", ":", "^", "\"", "UNTIL=0",
    "DTSTART:99991231T235959Z", "DTSTART:00010101T000000", "TRIGGER:PT9223372036854775807S",
  ]

  private static func broken(
    _ whole: [UInt8],
    _ way: Int,
    _ draws: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = whole
    func index(_ draws: inout SeededGenerator, _ count: Int) -> Int { draws.integer(0...count - 1) }
    func byte(_ draws: inout SeededGenerator) -> UInt8 { UInt8(draws.integer(0...255)) }
    switch way {
    case 0: return (0..<draws.integer(0...400)).map { _ in byte(&draws) }
    case 1: return Array(bytes.prefix(draws.integer(0...bytes.count)))
    case 2:
      for _ in 0...draws.integer(0...20) { bytes[index(&draws, bytes.count)] = byte(&draws) }
      return bytes
    case 3:
      for _ in 0...draws.integer(0...3) {
        let word = words[index(&draws, words.count)]
        bytes.insert(contentsOf: Array(word.utf8), at: index(&draws, bytes.count))
      }
      return bytes
    default:
      var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
      for _ in 0...draws.integer(0...5) {
        let i = index(&draws, lines.count)
        switch draws.integer(0...3) {
        case 0: lines.swapAt(i, index(&draws, lines.count))
        case 1: lines[i] = lines[index(&draws, lines.count)]
        case 2: lines[i] = Array(words[index(&draws, words.count)].utf8)
        default: if lines.count > 1 { lines.remove(at: i) }
        }
      }
      return Array(lines.joined(separator: [10]))
    }
  }

  @Test func `100,000 broken calendars end in tasks, in refusals with a line, or in an error`()
    throws
  {
    let seed: UInt64 = 9
    let writer = CalendarWriter(zones: NoZones(), stamp: Timestamp(seconds: 1_767_600_000))
    let reader = CalendarReader(zones: NoZones())
    let whole = try (1...50 as ClosedRange<UInt64>)
      .map { seed in
        var random = RandomCalendar(seed: seed)
        return Array(writer.write(try random.document(reminders: 2)).text.utf8)
      }
    var draws = SeededGenerator(seed: seed)
    var (taken, refused, failed) = (0, 0, 0)
    for number in 0..<100_000 {
      let bytes = Self.broken(whole[number / 5 % whole.count], number % 5, &draws)
      let lines = bytes.count { $0 == 10 } + 1
      do throws(CalendarError) {
        let reading = try reader.read(bytes)
        taken += reading.document.items.count
        refused += reading.refusals.count
        if let odd = reading.refusals.first(where: { !(1...lines).contains($0.line) }) {
          Issue.record("seed \(seed), \(number): \(odd)")
        }
        if number % 10 < 5 { _ = writer.write(reading.document) }
      } catch {
        failed += 1
        if !(1...lines).contains(error.line) { Issue.record("seed \(seed), \(number): \(error)") }
      }
    }
    #expect(taken > 20_000 && refused > 20_000 && failed > 20_000)
  }
}
