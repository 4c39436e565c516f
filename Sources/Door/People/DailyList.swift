import Basics
import Timeline

/// What the daily mail remembers of those before it, sealed in the door's file.
package struct DailyMemory: Hashable, Sendable, Codable {
  /// Remembers nothing yet.
  package init() {}

  /// A reminder that was in a mail.
  package struct Mailed: Hashable, Sendable, Codable {
    package let id: String
    /// The date of the first one, in days since 1970.
    package let day: Int
  }

  /// The date of the newest mail that was taken, in days since 1970; nil before the first.
  package var lastDay: Int?
  /// What was mailed and is still open, by id.
  package var mailed: [Mailed] = []
  /// How often the mail of ``failedDay`` was tried in vain.
  package var failures = 0
  /// The date of the newest one that did not go out, in days since 1970; nil if all did since.
  package var failedDay: Int?
  /// Why; nil if all did.
  package var trouble: String?

  /// The date of the newest one that did not go out.
  var lastFailure: CivilDate? { failedDay.map(CivilDate.init(daysSinceEpoch:)) }

  /// Notes that the mail of a date was tried in vain.
  mutating func fail(_ date: CivilDate, because reason: String) {
    failures = failedDay == date.daysSinceEpoch ? failures + 1 : 1
    failedDay = date.daysSinceEpoch
    trouble = reason
  }

  /// Begins anew, with other settings.
  mutating func forgetFailures() {
    failures = 0
    failedDay = nil
    trouble = nil
  }

  /// The date of that mail.
  package var lastDate: CivilDate? { lastDay.map(CivilDate.init(daysSinceEpoch:)) }
}

/// The list of one daily mail.
package struct DailyList: Hashable, Sendable {
  /// A reminder that is open.
  package struct Task: Hashable, Sendable {
    let id: String
    let title: String
    /// When it is due next or, where nothing is to come, was; nil for one that waits for no time.
    let due: Timestamp?
    /// Whether its times come again and again.
    let recurs: Bool
    /// Whether its times are dates: the hour of ``due`` is the policy's, and nobody has said it.
    let isOfDates: Bool

    /// Makes one.
    package init(
      id: String,
      title: String,
      due: Timestamp?,
      recurs: Bool,
      isOfDates: Bool = false
    ) {
      self.id = id
      self.title = title
      self.due = due
      self.recurs = recurs
      self.isOfDates = isOfDates
    }
  }

  /// The lines of the mail: the date, and a line for each reminder that is in it.
  package let lines: [String]
  /// What is remembered once the mail was taken.
  package let memory: DailyMemory
  /// How many reminders are in it.
  package let count: Int

  /// Writes the list of a date.
  ///
  /// What recurs is open for ever, and carries no mark: each of its times is in the mail of its date, or of the first
  /// one after that; carried over, it is in those after it, too, until it is answered.
  package init(
    _ tasks: [Task],
    after old: DailyMemory,
    mode: DailyMail.Mode,
    on date: CivilDate,
    in zone: UTCOffsetTable
  ) {
    let known = Dictionary(
      old.mailed.map { ($0.id, $0.day) },
      uniquingKeysWith: { first, _ in first }
    )
    let today = date.daysSinceEpoch
    let told =
      tasks.filter { task in
        if task.recurs {
          guard let day = task.due.map({ zone.local(at: $0).date.daysSinceEpoch }) else {
            return false
          }
          let isNew = old.lastDay.map { day > $0 } ?? true
          return day <= today && (mode == .carryOver || isNew)
        }
        return mode == .carryOver || known[task.id] == nil
      }
      .sorted { a, b in
        let (dueA, dueB) = (a.due ?? .endOfTime, b.due ?? .endOfTime)
        return (dueA, a.title, a.id) < (dueB, b.title, b.id)
      }
    count = told.count
    lines =
      [Self.long(date), ""]
      + told.map { task in
        var line = "- \(task.title)"
        if let due = task.due {
          line += " — due \(Self.text(due, withTime: !task.isOfDates, on: date, zone))"
        }
        if !task.recurs, let day = known[task.id], day < today {
          line +=
            " (from \(Self.day(CivilDate(daysSinceEpoch: day), seenFrom: date, weekdays: -6...0)))"
        }
        return line
      }
    var memory = DailyMemory()
    memory.lastDay = today
    memory.mailed =
      tasks.filter { !$0.recurs }.map { DailyMemory.Mailed(id: $0.id, day: known[$0.id] ?? today) }
      .sorted { $0.id < $1.id }
    self.memory = memory
  }

  /// The mail's subject.
  package func subject(on date: CivilDate) -> String {
    "\(count) \(count == 1 ? "thing" : "things") to do: \(Self.long(date))"
  }

  /// `Sunday, November 29`.
  private static func long(_ date: CivilDate) -> String {
    "\(name(date.weekday)), \(months[date.month - 1]) \(date.day)"
  }

  private static func text(
    _ due: Timestamp,
    withTime: Bool,
    on date: CivilDate,
    _ zone: UTCOffsetTable
  ) -> String {
    let (day, minute) = zone.local(at: due)
    let words = Self.day(day, seenFrom: date, weekdays: 0...6)
    return withTime ? "\(words), \(timeOfDay(minute: minute))" : words
  }

  /// A day in a word or two.
  ///
  /// - Parameter near: so many days away a weekday alone says which one is meant.
  private static func day(
    _ day: CivilDate,
    seenFrom date: CivilDate,
    weekdays near: ClosedRange<Int>
  ) -> String {
    let away = day.daysSinceEpoch - date.daysSinceEpoch
    if away == 0 { return "today" }
    if away.magnitude == 1 { return away > 0 ? "tomorrow" : "yesterday" }
    let name = String(name(day.weekday).prefix(3))
    if near.contains(away) { return name }
    let year = day.year == date.year ? "" : " \(day.year)"
    return "\(name), \(months[day.month - 1].prefix(3)) \(day.day)\(year)"
  }

  private static func name(_ day: Weekday) -> String {
    switch day {
    case .monday: "Monday"
    case .tuesday: "Tuesday"
    case .wednesday: "Wednesday"
    case .thursday: "Thursday"
    case .friday: "Friday"
    case .saturday: "Saturday"
    case .sunday: "Sunday"
    }
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
}
