import Timeline

extension RecurrenceRule: CustomStringConvertible {
  /// The rule as text, in the order of RFC 5545's grammar, numbers ascending and each once.
  ///
  /// Equal rules have equal texts. What is so anyway (INTERVAL=1, WKST=MO, SKIP=OMIT) is left out.
  public var description: String {
    var parts: [String] = []
    if skip != .omit { parts.append("RSCALE=GREGORIAN") }
    parts.append("FREQ=" + frequency.name)
    switch until {
    case .wall(let time): parts.append("UNTIL=" + time.compact)
    case .utc(let time): parts.append("UNTIL=" + time.compact + "Z")
    case .day(let date):
      let day = paddedNumber(date.month, 2) + paddedNumber(date.day, 2)
      parts.append("UNTIL=" + paddedNumber(date.year, 4) + day)
    case nil: break
    }
    if let count { parts.append("COUNT=\(count)") }
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    add("BYSECOND", bySecond, to: &parts)
    add("BYMINUTE", byMinute, to: &parts)
    add("BYHOUR", byHour, to: &parts)
    let days = byDay.map { day in (day.number.map { "\($0)" } ?? "") + day.weekday.iCalendarName }
    if !days.isEmpty { parts.append("BYDAY=" + days.joined(separator: ",")) }
    add("BYMONTHDAY", byMonthDay, to: &parts)
    add("BYYEARDAY", byYearDay, to: &parts)
    add("BYWEEKNO", byWeekNumber, to: &parts)
    add("BYMONTH", byMonth, to: &parts)
    add("BYSETPOS", bySetPosition, to: &parts)
    if weekStart != .monday { parts.append("WKST=" + weekStart.iCalendarName) }
    if skip != .omit { parts.append("SKIP=" + skip.rawValue) }
    return parts.joined(separator: ";")
  }

  private func add(_ name: String, _ numbers: [Int], to parts: inout [String]) {
    guard !numbers.isEmpty else { return }
    parts.append(name + "=" + numbers.map { "\($0)" }.joined(separator: ","))
  }
}
