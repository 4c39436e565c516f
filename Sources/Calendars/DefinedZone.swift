import Recurrence
import Timeline

/// A zone as a file defines it: a VTIMEZONE (RFC 5545, section 3.6.5).
struct DefinedZone {
  /// From some times on, so far from UTC.
  private struct Observance {
    /// On the clock that was kept until then.
    let onsets: RecurrenceSet
    let from: Int
    let to: Int
    /// Whether it comes for ever.
    let isEndless: Bool
  }

  private let observances: [Observance]

  /// Reads a definition.
  ///
  /// - Returns: nil for one without observances, or with one that is not understood: of rules those of years are.
  init?(_ component: CalendarComponent) {
    var observances: [Observance] = []
    for part in component.components where part.name == "STANDARD" || part.name == "DAYLIGHT" {
      guard let observance = Self.observance(part) else { return nil }
      observances.append(observance)
    }
    guard !observances.isEmpty else { return nil }
    self.observances = observances
  }

  private static func observance(_ part: CalendarComponent) -> Observance? {
    guard let from = part["TZOFFSETFROM"].flatMap({ offset($0.value) }),
      let to = part["TZOFFSETTO"].flatMap({ offset($0.value) }),
      let start = part["DTSTART"].flatMap({ WrittenTime($0.value) })
    else { return nil }
    var rule: RecurrenceRule?
    if let line = part["RRULE"] {
      guard var read = try? RecurrenceRule(line.value), isPlain(line.value) else { return nil }
      if case .utc(let end) = read.until {
        read.until = .wall(LocalDateTime(clamping: end.wallSeconds + Int64(from)))
      }
      rule = read
    }
    var added = [WrittenTime(local: start.local)]
    for line in part.all("RDATE") {
      for text in line.value.split(separator: ",") {
        guard let time = WrittenTime(String(text)) else { return nil }
        added.append(WrittenTime(local: time.local))
      }
    }
    guard let onsets = try? RecurrenceSet(start: added[0], rule: rule, added: added) else {
      return nil
    }
    return Observance(
      onsets: onsets,
      from: from,
      to: to,
      isEndless: rule.map { $0.until == nil } ?? false
    )
  }

  /// Whether a rule has only what zones have, so that its times are found at once.
  private static func isPlain(_ rule: String) -> Bool {
    let parts = rule.uppercased().split(separator: ";")
    let plain = ["BYMONTH=", "BYDAY=", "BYMONTHDAY=", "UNTIL=", "WKST="]
    return parts.contains("FREQ=YEARLY")
      && parts.allSatisfy { part in
        part == "FREQ=YEARLY" || part == "INTERVAL=1" || plain.contains { part.hasPrefix($0) }
      }
  }

  /// Seconds of an offset such as `-0400`.
  private static func offset(_ text: String) -> Int? {
    let digits = text.dropFirst()
    guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
      digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits)
    else { return nil }
    let (hours, minutes, seconds) =
      digits.count == 4
      ? (number / 100, number % 100, 0) : (number / 10_000, number / 100 % 100, number % 100)
    guard hours < 24, minutes < 60, seconds < 60 else { return nil }
    let sum = hours * 3_600 + minutes * 60 + seconds
    return sign == "-" ? -sum : sum
  }

  // MARK: - Around a time

  /// A zone as it is defined for some years.
  struct Years {
    /// What clocks do in them.
    let zone: UTCOffsetTable
    fileprivate let begin: Timestamp
    fileprivate let end: Timestamp

    /// Whether another zone's clocks do the same in these years.
    func isAlike(_ other: UTCOffsetTable) -> Bool {
      var offset = other.offsetSeconds(at: begin - Milliseconds(1))
      guard offset == zone.initialOffsetSeconds else { return false }
      var eras: [UTCOffsetTable.Era] = []
      for era in other.eras where era.start >= begin && era.start <= end {
        if era.offsetSeconds != offset { eras.append(era) }
        offset = era.offsetSeconds
      }
      return eras == zone.eras
    }
  }

  /// The zone from a day before a time on, for that year and three more, or as far as it is defined.
  ///
  /// Many programs define a zone from the time on that they need it for.
  ///
  /// - Complexity: O(observances + RDATEs).
  func years(from time: LocalDateTime, named name: String) -> Years {
    let window = Self.window(from: time)
    var changes: [(at: Timestamp, offset: Int)] = []
    var before: (at: Timestamp, offset: Int)?
    var first: (at: Timestamp, offset: Int)?
    for observance in observances {
      func instant(_ onset: Occurrence) -> Timestamp {
        Timestamp(seconds: onset.local.wallSeconds - Int64(observance.from))
      }
      // Without a zone its times are as those of UTC.
      let shift = Milliseconds.seconds(Int64(observance.from))
      let (begin, end) = (window.begin + shift, window.end + shift)
      let last = (try? observance.onsets.previous(before: begin)).flatMap(\.self)
      if let at = last.map(instant), before.map({ $0.at < at }) ?? true {
        before = (at, observance.to)
      }
      let onsets = (try? observance.onsets.occurrences(between: begin, and: end, limit: 100)) ?? []
      for onset in onsets {
        let at = instant(onset)
        changes.append((at, observance.to))
        if first.map({ at < $0.at }) ?? true { first = (at, observance.from) }
      }
    }
    changes.sort { ($0.at, $0.offset) < ($1.at, $1.offset) }
    let initial = before?.offset ?? first?.offset ?? observances[0].from
    var eras: [UTCOffsetTable.Era] = []
    for change in changes
    where change.at > eras.last?.start ?? Timestamp(milliseconds: .min)
      && change.offset != eras.last?.offsetSeconds ?? initial
    {
      eras.append(UTCOffsetTable.Era(start: change.at, offsetSeconds: change.offset))
    }
    let isEndless = eras.isEmpty || observances.contains(where: \.isEndless)
    let zone = UTCOffsetTable(identifier: name, initialOffsetSeconds: initial, eras: eras)
    let end = isEndless ? window.end : eras.last?.start ?? window.end
    return Years(zone: zone, begin: window.begin, end: end)
  }

  private static func window(from time: LocalDateTime) -> (begin: Timestamp, end: Timestamp) {
    let last = CivilDate(year: min(time.date.year + 4, 9_999), month: 1, day: 1) ?? time.date
    return (
      Timestamp(seconds: time.wallSeconds - 86_400),
      Timestamp(seconds: Int64(last.daysSinceEpoch) * 86_400)
    )
  }
}
