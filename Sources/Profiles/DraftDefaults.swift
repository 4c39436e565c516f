import Timeline

/// What a new reminder begins with where nothing is said: today at the next full hour, and not again (YOMO-4.2b).
public struct DraftDefaults: Hashable, Sendable {
  /// The date; after 23:00 the next one.
  public let date: CivilDate
  /// Minutes after midnight.
  public let minuteOfDay: Int

  /// Makes the defaults of an instant.
  ///
  /// An hour that clocks jump over is the end of the jump.
  public init(now: Timestamp, zone: UTCOffsetTable) {
    let (today, minute) = zone.local(at: now)
    let next = (minute / 60 + 1) * 60
    let day = next == 1_440 ? CivilDate(daysSinceEpoch: today.daysSinceEpoch + 1) : today
    (date, minuteOfDay) = zone.local(at: zone.instant(of: day, minuteOfDay: next % 1_440))
  }
}
