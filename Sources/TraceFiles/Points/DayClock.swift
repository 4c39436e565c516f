import Timeline

/// Makes instants of times of the day, which begin anew at every midnight.
struct DayClock {
  private static let day: Int64 = 86_400_000
  /// What comes after midnight with a time that is this much before it, or less, has come late: who was silent for all
  /// but minutes of a day is rarer than sentences in the wrong order.
  private static let latest: Int64 = 600_000

  /// Days since 1970 of the last time; nil while no date is known.
  private(set) var days: Int?
  private var last: Int64?
  /// Whether the date that was said last was that of the day before.
  private var isLate = false

  init(_ date: CivilDate? = nil) { days = date?.daysSinceEpoch }

  /// Sets the date of the next time.
  mutating func set(_ date: CivilDate) {
    days = date.daysSinceEpoch
    last = nil
  }

  /// Sets the date of the next time, as a receiver says it beside that time.
  ///
  /// Some change it a moment after midnight: the old date with a time a little behind midnight, after times a little before it, is
  /// late, and the times tell.
  mutating func set(_ date: CivilDate, at milliseconds: Int64) {
    if let days, let last, milliseconds < DayClock.latest {
      let isOver = last >= DayClock.day - DayClock.latest && days == date.daysSinceEpoch
      let isStillOver =
        last < DayClock.latest && milliseconds >= last && isLate && days == date.daysSinceEpoch + 1
      if isOver || isStillOver {
        isLate = true
        return
      }
    }
    isLate = false
    set(date)
  }

  /// The instant of a time of the day in milliseconds; nil while no date is known.
  ///
  /// A time that lies more than half a day before the last one is of the day after it; one that lies a
  /// little before it has come late, also over midnight.
  mutating func instant(_ milliseconds: Int64) -> Timestamp? {
    guard let days else { return nil }
    let step = last.map { DayClock.daysAhead(from: $0, to: milliseconds) } ?? 0
    // Those that follow one of the day before are not.
    if step >= 0 {
      self.days = days + step
      last = milliseconds
    }
    return Timestamp(milliseconds: Int64(days + step) * DayClock.day + milliseconds)
  }

  /// How many days later a time of the day is than the one that came before it: 1 over midnight, -1 if it has come late
  /// over midnight, else 0.
  static func daysAhead(from last: Int64, to milliseconds: Int64) -> Int {
    if milliseconds < last - day / 2 { return 1 }
    return milliseconds > last + day - latest ? -1 : 0
  }
}
