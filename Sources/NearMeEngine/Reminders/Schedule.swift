import Recurrence
import Timeline

/// When something is due: once, or again and again.
///
/// ```swift
/// let once = Schedule.instant(Timestamp(seconds: 1_772_539_200))
/// let daily = Schedule(start: once.start, rule: RecurrenceRule(.daily))
/// ```
public struct Schedule: Hashable, Sendable {
  /// The first time that can count, as it was written: a date, a wall time, or an instant.
  ///
  /// A date is due at the policy's time of day.
  public var start: WrittenTime
  /// The name of the zone whose clock counts; nil: that of wherever the phone is.
  public var zone: String?
  /// How it recurs; nil: not by a rule.
  public var rule: RecurrenceRule?
  /// Further times (RDATE).
  public var added: [WrittenTime]
  /// Times that are left out (EXDATE).
  public var excluded: [WrittenTime]
  /// What becomes of local times that the clocks jump over.
  public var gap: GapRule
  /// What the next time is counted from when one was answered.
  public var anchor: Anchor
  /// How long before each time it rings as well, the longest first.
  public var leads: [Milliseconds]

  /// Makes a schedule.
  public init(
    start: WrittenTime,
    zone: String? = nil,
    rule: RecurrenceRule? = nil,
    added: [WrittenTime] = [],
    excluded: [WrittenTime] = [],
    gap: GapRule = .shift,
    anchor: Anchor = .catchUp,
    leads: [Milliseconds] = []
  ) {
    self.start = start
    self.zone = zone
    self.rule = rule
    self.added = added
    self.excluded = excluded
    self.gap = gap
    self.anchor = anchor
    // At its time it rings anyway.
    self.leads = Set(leads).filter { $0.value != 0 }.sorted(by: >)
  }

  /// Once, at an instant, wherever the phone is; parts of a second are cut.
  public static func instant(_ instant: Timestamp) -> Schedule {
    Schedule(
      start: WrittenTime(local: LocalDateTime(clamping: instant.wholeSeconds), offsetSeconds: 0)
    )
  }

  /// Once, when the phone's clock shows a minute of a date.
  public static func local(_ date: CivilDate, minuteOfDay: Int) -> Schedule {
    Schedule(start: WrittenTime(local: LocalDateTime(date, minuteOfDay: minuteOfDay)))
  }

  /// The same times, before which nothing rings.
  var withoutLeads: Schedule {
    var schedule = self
    schedule.leads = []
    return schedule
  }

  /// The series that its rule makes: without its end, what is added or left out, and what rings before; nil without a rule.
  package var series: Schedule? {
    guard let rule else { return nil }
    var schedule = withoutLeads
    schedule.rule = rule.endless
    (schedule.added, schedule.excluded) = ([], [])
    return schedule
  }

  /// Whether it is due more than once.
  public var recurs: Bool { rule != nil || !added.isEmpty }

  /// Whether it is due by the clock of wherever the phone is.
  public var isFloating: Bool { zone == nil && start.offsetSeconds == nil }

  /// Whether it comes again, and the last of its times has passed; a single time that has passed is told at once.
  ///
  /// - Parameter zone: that of ``zone`` or, without a name, of the phone.
  package func isOver(at now: Timestamp, in zone: UTCOffsetTable) -> Bool {
    recurs && hasPassed(at: now, in: zone)
  }

  /// Whether the last of its times has passed, or the only one.
  ///
  /// - Parameters:
  ///   - zone: as of ``isOver(at:in:)``.
  ///   - timeOfDay: the second of the day at which a date has passed; it lasts until its end.
  package func hasPassed(
    at now: Timestamp,
    in zone: UTCOffsetTable,
    timeOfDay: Int = 86_399
  ) -> Bool {
    do throws(RecurrenceError) {
      return try times(in: zone, timeOfDay: timeOfDay).next(after: now) == nil
    } catch { return false }
  }

  /// Its times in a zone.
  ///
  /// - Parameters:
  ///   - zone: that of ``zone`` or, without a name, of the phone.
  ///   - timeOfDay: the second of the day that a date is due at.
  /// - Throws: ``RecurrenceError`` for a rule that never fires.
  package func times(
    in zone: UTCOffsetTable,
    timeOfDay: Int
  ) throws(RecurrenceError) -> RecurrenceSet {
    let first = dated(start, timeOfDay)
    return try RecurrenceSet(
      start: first,
      zone: zone,
      rule: rule,
      added: (rule == nil ? [first] : []) + added.map { dated($0, timeOfDay) },
      excluded: excluded,
      gap: gap
    )
  }

  private func dated(_ time: WrittenTime, _ timeOfDay: Int) -> WrittenTime {
    guard time.isDate else { return time }
    return WrittenTime(
      local: LocalDateTime(clamping: time.local.wallSeconds + Int64(timeOfDay))
    )
  }
}

extension Schedule {
  /// Those of the excluded times that may be ones of the series: none from a day and more before it begins.
  package var exceptions: [WrittenTime] {
    excluded.filter { $0.local.wallSeconds > start.local.wallSeconds - 86_400 }
  }
}

extension Schedule: CustomStringConvertible {
  /// It as people read it: `2026-03-02T07:00`, `2026-03-02T07:00, FREQ=DAILY (Europe/Malta)`.
  public var description: String {
    var text = start.description
    if let rule { text += ", " + words(rule) }
    if !added.isEmpty { text += ", and \(added.map(\.description).joined(separator: ", "))" }
    if !exceptions.isEmpty {
      text += ", without \(exceptions.map(\.description).joined(separator: ", "))"
    }
    return text + (zone.map { " (\($0))" } ?? "")
  }

  /// A rule as it is written, and where its day is missing in words.
  private func words(_ rule: RecurrenceRule) -> String {
    var plain = rule
    plain.skip = .omit
    guard rule.skip == .backward, plain == RecurrenceRule(rule.frequency, interval: rule.interval)
    else { return rule.description }
    switch rule.frequency {
    case .monthly: return "\(plain), in shorter months on the last day"
    case .yearly: return "\(plain), in other years on the day before"
    default: return rule.description
    }
  }
}
