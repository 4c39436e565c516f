import Channels
import Timeline

/// A mail a day with what is to be done, as a person has set it.
package struct DailyMail: Hashable, Sendable {
  /// What becomes of a reminder that was mailed and is not done.
  package enum Mode: String, Hashable, Sendable, CaseIterable {
    /// It is in one mail, and the page List shows it folded away; it speaks as ever.
    case freshStart = "fresh_start"
    /// It is in every mail until it is done, with the day since when.
    case carryOver = "carry_over"
  }

  /// When it is mailed where nobody has said otherwise, in minutes after midnight.
  package static let usualMinute = 6 * 60

  /// Who reads it.
  package let to: MailAddress
  /// When it is mailed, in minutes after midnight of the person's clock.
  package let minuteOfDay: Int
  /// What becomes of what is not done.
  package let mode: Mode

  /// Makes settings.
  package init(to: MailAddress, minuteOfDay: Int = usualMinute, mode: Mode = .carryOver) {
    self.to = to
    self.minuteOfDay = minuteOfDay
    self.mode = mode
  }

  /// When the next one is due: at its time of the first date for which none was mailed.
  ///
  /// A date has one mail at most, whatever becomes of clocks and zones.
  package func next(
    after now: Timestamp,
    mailedFor last: CivilDate?,
    in zone: UTCOffsetTable
  ) -> Timestamp {
    var date = zone.local(at: now).date
    if let last, Self.hasHadIts(date, last) { date = last.next }
    let due = due(on: date, in: zone)
    return due > now ? due : self.due(on: date.next, in: zone)
  }

  /// When the mail of a date is due: where clocks jump over the time, at the first instant after the jump or, if that
  /// is of the next date, in the last minute before; where they show it twice, the first time.
  func due(on date: CivilDate, in zone: UTCOffsetTable) -> Timestamp {
    let due = zone.instant(of: date, minuteOfDay: minuteOfDay)
    return zone.local(at: due).date > date ? due - .minutes(1) : due
  }

  /// Whether a date needs no mail any more, after that of the newest one.
  ///
  /// Dates of two zones are a day apart at most: a mail of a much later date is of a clock that was wrong, and counts
  /// for nothing.
  static func hasHadIts(_ date: CivilDate, _ last: CivilDate?) -> Bool {
    guard let last else { return false }
    return (date.daysSinceEpoch...date.daysSinceEpoch + 2).contains(last.daysSinceEpoch)
  }
}

extension CivilDate {
  fileprivate var next: CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch + 1) }
}
