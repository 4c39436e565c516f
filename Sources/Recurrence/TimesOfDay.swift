/// The times of a day that a rule has: every hour with every minute with every second of it.
struct TimesOfDay {
  let hours: UInt32
  let minutes: UInt64
  let seconds: UInt64
  /// The earliest, in seconds after midnight.
  let first: Int
  /// How many there are.
  let count: Int

  init(hours: UInt32, minutes: UInt64, seconds: UInt64) {
    self.hours = hours
    self.minutes = minutes
    self.seconds = seconds
    first =
      hours.trailingZeroBitCount * 3_600 + minutes.trailingZeroBitCount * 60
      + seconds.trailingZeroBitCount
    count = hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
  }

  /// The times of a rule: what a part does not say comes from the start, or for a rule that steps in
  /// elapsed time is left to the steps.
  init(rule: RecurrenceRule, start: LocalDateTime) {
    let isElapsed = rule.frequency.isElapsed
    let everyMinute: UInt64 = 1 << 60 - 1
    let onlySecond: UInt64 = 1 << UInt64(start.second)
    // HOURLY with minutes and without seconds has the start's second.
    let fixesSecond = !isElapsed || rule.frequency == .hourly && rule.minutes != 0
    self.init(
      hours: rule.hours != 0
        ? rule.hours : isElapsed ? 1 << 24 - 1 : 1 << UInt32(start.hour),
      minutes: rule.minutes != 0
        ? rule.minutes : isElapsed ? everyMinute : 1 << UInt64(start.minute),
      seconds: rule.seconds != 0 ? rule.seconds : fixesSecond ? onlySecond : everyMinute
    )
  }

  /// The first time at or after a second of the day, or nil if the day has none.
  @inline(__always)
  func next(onOrAfter second: Int) -> Int? {
    if count == 1 { return second <= first ? first : nil }
    let hour = second / 3_600
    let inHour = second - hour * 3_600
    let minute = inHour / 60
    if hours >> UInt32(hour) & 1 == 1 {
      if minutes >> UInt64(minute) & 1 == 1 {
        let left = seconds >> UInt64(inHour - minute * 60)
        if left != 0 { return second + left.trailingZeroBitCount }
      }
      let left = minutes >> UInt64(minute + 1)
      if left != 0 {
        return hour * 3_600 + (minute + 1 + left.trailingZeroBitCount) * 60
          + seconds.trailingZeroBitCount
      }
    }
    let left = hours >> UInt32(hour + 1)
    guard left != 0 else { return nil }
    return first + (hour + 1 + left.trailingZeroBitCount - hours.trailingZeroBitCount) * 3_600
  }

  /// The n-th time, from 0.
  func time(at index: Int) -> Int {
    let (rest, second) = index.quotientAndRemainder(dividingBy: seconds.nonzeroBitCount)
    let (hour, minute) = rest.quotientAndRemainder(dividingBy: minutes.nonzeroBitCount)
    return UInt64(hours).bit(hour) * 3_600 + minutes.bit(minute) * 60 + seconds.bit(second)
  }
}

extension UInt64 {
  /// Where the n-th set bit is, from 0.
  fileprivate func bit(_ index: Int) -> Int {
    var rest = self
    for _ in 0..<index { rest &= rest - 1 }
    return rest.trailingZeroBitCount
  }
}
