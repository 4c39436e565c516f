import Timeline

/// Makes instants of times of the day, which begin anew at every midnight.
struct DayClock {
  private static let day: Int64 = 86_400_000

  /// Days since 1970 of the last time; nil while no date is known.
  private(set) var days: Int?
  private var last: Int64?

  init(_ date: CivilDate? = nil) { days = date?.daysSinceEpoch }

  /// Sets the date of the next time.
  mutating func set(_ date: CivilDate) {
    days = date.daysSinceEpoch
    last = nil
  }

  /// The instant of a time of the day in milliseconds; nil while no date is known.
  ///
  /// A time that lies more than half a day before the last one is of the day after it; one that lies a
  /// little before it has come late.
  mutating func instant(_ milliseconds: Int64) -> Timestamp? {
    guard var days else { return nil }
    if let last, milliseconds < last - DayClock.day / 2 { days += 1 }
    self.days = days
    last = milliseconds
    return Timestamp(milliseconds: Int64(days) * DayClock.day + milliseconds)
  }
}
