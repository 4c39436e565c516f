import Timeline

/// When something recurs: a start, a rule, dates added and left out, and the zone that makes instants
/// of them.
///
/// The start is an occurrence only if the rule makes it.
public struct RecurrenceSet: Sendable {
  /// The first local time that can count.
  public let start: LocalDateTime
  /// Whether the start was given as a date.
  public let startsAtDate: Bool
  /// The zone, or nil where the wall clock of wherever one is counts.
  public let zone: UTCOffsetTable?
  /// The rule, or nil where there are only dates added.
  public let rule: RecurrenceRule?
  /// What becomes of local times that the clocks jump over.
  public let gap: GapRule

  let resolvedStart: ResolvedStart
  /// Instants in seconds, ascending, each once.
  let added: [Int]
  /// Spans of seconds that are left out, both ends included, in order of their first.
  let excluded: [ClosedRange<Int>]

  /// The most places that are looked at for one answer; more is an error, never a wrong answer.
  ///
  /// Only rules in elapsed time whose steps and BY parts hardly ever meet come near it, and those with
  /// a COUNT that are asked for something far from their start.
  public static let maximumSteps = 5_000_000

  /// Makes a set.
  ///
  /// - Parameters:
  ///   - start: a date is its midnight. An offset says which instant it is; without a zone it is
  ///     ignored, as that of every other time.
  ///   - added: RDATE. A date has the start's time of day.
  ///   - excluded: EXDATE. A date is the whole day.
  /// - Throws: ``RecurrenceError`` for a rule that never fires.
  public init(
    start: WrittenTime,
    zone: UTCOffsetTable? = nil,
    rule: RecurrenceRule?,
    added: [WrittenTime] = [],
    excluded: [WrittenTime] = [],
    gap: GapRule = .shift
  ) throws(RecurrenceError) {
    var local = start.local
    let reading = TimeReading(zone: zone, gap: gap)
    let instant = reading.shiftedInstant(start)
    if let zone, start.offsetSeconds != nil {
      local = LocalDateTime(
        clamping: Int64(instant + zone.offsetSeconds(at: Timestamp(seconds: Int64(instant))))
      )
    }
    self.start = local
    startsAtDate = start.isDate
    self.zone = zone
    self.rule = rule
    self.gap = gap
    resolvedStart = ResolvedStart(
      wall: local.wall,
      instant: instant,
      isExplicit: zone != nil && start.offsetSeconds != nil
    )
    let timeOfDay = local.secondOfDay
    self.added = Self.ascending(added.compactMap { reading.instant($0, timeOfDay: timeOfDay) })
    self.excluded = excluded.compactMap { reading.span($0) }
      .sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }
    if let rule { try refuseIfItNeverFires(rule) }
  }

  private static func ascending(_ numbers: [Int]) -> [Int] {
    var result: [Int] = []
    for number in numbers.sorted() where number != result.last { result.append(number) }
    return result
  }

  /// Looks for one occurrence of the rule until the end of year 9999.
  private func refuseIfItNeverFires(_ rule: RecurrenceRule) throws(RecurrenceError) {
    let date = start.date
    // Near the end of the calendar nothing is sure.
    if date.year < 9_990, rule.surelyFires(startDay: date.day) { return }
    let endless = rule.endless
    if rule.frequency.isElapsed {
      var series = ElapsedSeries(self, endless, from: resolvedStart.instant)
      if series.next() != .max { return }
      if series.isGivenUp { throw Self.tooManySteps }
    } else {
      var series = LocalSeries(rule: endless, start: start, from: start.wall)
      if series.next() != .max { return }
    }
    throw RecurrenceError(
      .neverFires,
      part: "rule",
      "no date from \(start) to the end of year 9999 fits \(endless): change the parts that exclude "
        + "each other"
    )
  }

  static let tooManySteps = RecurrenceError(
    .tooManySteps,
    part: "rule",
    "the answer would take more than \(maximumSteps) steps: use a longer FREQ, a smaller COUNT or a "
      + "later start"
  )
}

/// Makes instants of written times.
struct TimeReading {
  let zone: UTCOffsetTable?
  let gap: GapRule

  /// The instant in seconds; nil for a time that the clocks jump over and that is to be left out.
  ///
  /// - Parameter timeOfDay: the second of the day that a date has.
  func instant(_ time: WrittenTime, timeOfDay: Int = 0) -> Int? {
    if zone != nil, let instant = time.instant { return instant }
    let (instant, isInGap) = instant(ofWall: time.local.wall + (time.isDate ? timeOfDay : 0))
    return isInGap && gap == .skip ? nil : instant
  }

  /// The instant in seconds, also of a time that the clocks jump over.
  func shiftedInstant(_ time: WrittenTime) -> Int {
    if zone != nil, let instant = time.instant { return instant }
    return instant(ofWall: time.local.wall).instant
  }

  /// The span that an exclusion covers: a second, or a whole day.
  func span(_ time: WrittenTime) -> ClosedRange<Int>? {
    guard time.isDate else { return instant(time).map { $0...$0 } }
    let begin = instant(ofWall: time.local.wall).instant
    let end = instant(ofWall: time.local.wall + secondsInDay).instant
    return end > begin ? begin...end - 1 : nil
  }

  private func instant(ofWall wall: Int) -> (instant: Int, isInGap: Bool) {
    var cursor = ZoneCursor(zone)
    // Two days before, so that no change that matters is passed already.
    cursor.seek(wall - 2 * secondsInDay)
    return cursor.instant(ofWall: wall)
  }
}
