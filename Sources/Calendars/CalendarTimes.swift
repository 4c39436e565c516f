import Basics
import Recurrence
import Timeline

// Times and spans as iCalendar has them.

extension WrittenTime {
  /// As iCalendar writes it: `20260302`, `20260302T070000`, `20260302T070000Z`; another offset is none of its own, so
  /// the same instant stands in its place.
  var iCalendarText: String {
    if isDate { return String(local.compact.prefix(8)) }
    guard let offsetSeconds else { return local.compact }
    return LocalDateTime(clamping: local.wallSeconds - Int64(offsetSeconds)).compact + "Z"
  }
}

extension Timestamp {
  /// The instant as `20260308T023000Z`, parts of a second cut.
  var iCalendarText: String {
    LocalDateTime(clamping: wholeSeconds).compact + "Z"
  }
}

/// A span with its sign, as `-PT15M` (RFC 5545, section 3.3.6).
enum CalendarDuration {
  /// A century.
  static let longestSeconds: Int64 = 100 * 366 * 86_400

  /// Reads a span.
  ///
  /// - Returns: seconds; nil for what is none, or longer than a century.
  static func seconds(_ text: String) -> Int64? {
    var rest = text[...]
    let isNegative = rest.first == "-"
    if isNegative || rest.first == "+" { rest.removeFirst() }
    guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
    var isTime = false
    var sum: Int64 = 0
    while let next = rest.first {
      if next == "T", !isTime, rest.count > 1 {
        isTime = true
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix { "0123456789".contains($0) }
      rest = rest.dropFirst(digits.count)
      guard let number = Int64(digits), number < 4_000_000_000, let unit = rest.popFirst(),
        let scale = scale(unit, isTime: isTime)
      else { return nil }
      sum += number * scale
      // Each time, for a long span of many parts would overflow.
      guard sum <= longestSeconds else { return nil }
    }
    return isNegative ? -sum : sum
  }

  private static func scale(_ unit: Character, isTime: Bool) -> Int64? {
    switch (unit, isTime) {
    case ("W", false): 604_800
    case ("D", false): 86_400
    case ("H", true): 3_600
    case ("M", true): 60
    case ("S", true): 1
    default: nil
    }
  }

  /// Writes a span in the largest unit that fits.
  static func text(seconds: Int64) -> String {
    let sign = seconds < 0 ? "-" : ""
    let span = seconds.magnitude
    switch span {
    case 0: return "PT0S"
    case _ where span % 86_400 == 0: return sign + "P\(span / 86_400)D"
    case _ where span % 3_600 == 0: return sign + "PT\(span / 3_600)H"
    case _ where span % 60 == 0: return sign + "PT\(span / 60)M"
    default: return sign + "PT\(span)S"
    }
  }
}

/// A zone as a part of a calendar, for programs that do not know its name.
enum CalendarZone {
  /// No observances later than this are written: zones are changed by law before then.
  private static let lastYear = 2_037

  /// Makes the part of a zone from the first instant that matters on.
  ///
  /// Changes between the same two offsets are one observance with a date for each of them. The data say how far clocks
  /// are from UTC and not which of two is called daylight saving time: it is the one that is farther east.
  static func component(_ zone: UTCOffsetTable, from first: Timestamp) -> CalendarComponent {
    var component = CalendarComponent("VTIMEZONE")
    component.lines.append(CalendarLine("TZID", text: zone.identifier))
    let eras = zone.eras.filter { year($0.start) <= lastYear }
    let known = eras.lastIndex { $0.start <= first }
    var offset = known.map { eras[$0].offsetSeconds } ?? zone.initialOffsetSeconds
    add(
      from: offset,
      to: offset,
      at: ["16010101T000000"],
      isDaylight: false,
      to: &component
    )
    var pairs: [(from: Int, to: Int, at: [String])] = []
    for era in eras[((known ?? -1) + 1)...] where era.offsetSeconds != offset {
      let local = LocalDateTime(clamping: era.start.wholeSeconds + Int64(offset))
      if let i = pairs.firstIndex(where: { $0.from == offset && $0.to == era.offsetSeconds }) {
        pairs[i].at.append(local.compact)
      } else {
        pairs.append((offset, era.offsetSeconds, [local.compact]))
      }
      offset = era.offsetSeconds
    }
    for pair in pairs {
      add(
        from: pair.from,
        to: pair.to,
        at: pair.at,
        isDaylight: pair.to > pair.from,
        to: &component
      )
    }
    return component
  }

  private static func year(_ instant: Timestamp) -> Int {
    CivilDate(daysSinceEpoch: Int(instant.milliseconds / 86_400_000)).year
  }

  private static func add(
    from: Int,
    to: Int,
    at times: [String],
    isDaylight: Bool,
    to component: inout CalendarComponent
  ) {
    var part = CalendarComponent(isDaylight ? "DAYLIGHT" : "STANDARD")
    part.lines = [
      CalendarLine("DTSTART", value: times[0]), CalendarLine("TZOFFSETFROM", value: offset(from)),
      CalendarLine("TZOFFSETTO", value: offset(to)),
    ]
    if times.count > 1 {
      part.lines.append(CalendarLine("RDATE", value: times.dropFirst().joined(separator: ",")))
    }
    component.components.append(part)
  }

  private static func offset(_ seconds: Int) -> String {
    let span = seconds.magnitude
    let rest = span % 60 == 0 ? "" : twoDigits(Int(span % 60))
    return (seconds < 0 ? "-" : "+") + twoDigits(Int(span / 3_600))
      + twoDigits(Int(span / 60 % 60)) + rest
  }
}
