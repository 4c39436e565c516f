import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline

/// When something happened to a reminder; nil where the file does not know.
public struct ReminderDates: Hashable, Sendable {
  /// When it was made.
  public var made: Timestamp?
  /// When its owner last changed it.
  public var changed: Timestamp?
  /// When it was completed.
  public var completed: Timestamp?

  /// Makes one.
  public init(made: Timestamp? = nil, changed: Timestamp? = nil, completed: Timestamp? = nil) {
    self.made = made
    self.changed = changed
    self.completed = completed
  }
}

extension ReminderDates {
  /// Those that can be written: the others are as if the file did not know them.
  fileprivate var writable: ReminderDates {
    ReminderDates(
      made: made?.writable,
      changed: changed?.writable,
      completed: completed?.writable
    )
  }
}

extension Timestamp {
  /// The instant, if it can be written.
  fileprivate var writable: Timestamp? { RFC3339.writable.contains(self) ? self : nil }
}

/// What became of something that was to be taken in from elsewhere.
public enum Intake: Hashable, Sendable {
  /// It was new.
  case added
  /// It took the place of another one with its id.
  case replaced
  /// It was there already, the same.
  case unchanged
}

/// Reminders and places from elsewhere, under the ids that they have there.
extension UserStore {
  /// An id from elsewhere has at most so many characters; calendars have longer ones than we make.
  public static let longestID = 255

  /// Whether something can have an id: visible ASCII, no `-` at its beginning.
  public static func isID(_ text: String) -> Bool {
    (1...longestID).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
      && text.first != "-"
  }

  /// When things happened to the reminders, by id; nil also for what no calendar has, such as the year 10000.
  public func reminderDates() throws(UserStoreError) -> [String: ReminderDates] {
    try connection.read { database in
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT id, made, changed, completed FROM reminder_date"
      )
      var dates: [String: ReminderDates] = [:]
      for row in rows {
        let id = try row.decode(String.self, forColumn: "id")
        func date(_ column: String) throws -> Timestamp? {
          try row.decode(Int64?.self, forColumn: column)
            .flatMap { Timestamp(milliseconds: $0).writable }
        }
        dates[id] = ReminderDates(
          made: try date("made"),
          changed: try date("changed"),
          completed: try date("completed")
        )
      }
      return dates
    }
  }

  /// Takes in a reminder as it is elsewhere, whatever it is doing there.
  ///
  /// - Parameters:
  ///   - dates: when things happened to it there; those beyond the years 0 to 9999 are passed over.
  ///   - replacing: whether it takes the place of a reminder with its id, which is refused otherwise.
  public func takeIn(
    _ reminder: Reminder,
    dates: ReminderDates = ReminderDates(),
    replacing: Bool = false,
    at now: Timestamp
  ) throws(UserStoreError) -> Result<Intake, EditRefusal> {
    try editing { database in
      try takeIn(Coming(reminder, dates: dates), replacing: replacing, at: now, .utc, database)
    }
  }

  /// A reminder from elsewhere.
  public struct Coming: Sendable {
    /// It, as it is there.
    public var reminder: Reminder
    /// When things happened to it there; those beyond the years 0 to 9999 are passed over.
    public var dates: ReminderDates

    /// The times of it that were answered there, in order of the answers.
    public var answers: [ReminderAnswer]

    /// Makes one.
    public init(
      _ reminder: Reminder,
      dates: ReminderDates = ReminderDates(),
      answers: [ReminderAnswer] = []
    ) {
      self.reminder = reminder
      self.dates = dates
      self.answers = answers
    }
  }

  /// Takes in reminders as they are elsewhere, in one transaction: a refusal undoes its own, and no other.
  ///
  /// Each commit waits for the disk; of ten thousand reminders that is all that takes long. One that is there but for
  /// alarms that have passed since is there already.
  ///
  /// - Parameter zone: the phone's, whose clock tells which alarms have passed.
  /// - Returns: what became of each, in their order.
  public func takeIn(
    _ coming: [Coming],
    replacing: Bool = false,
    at now: Timestamp,
    zone: UTCOffsetTable = .utc
  ) throws(UserStoreError) -> [Result<Intake, EditRefusal>] {
    try connection.write { database in
      try coming.map { one in
        var intake = Intake.unchanged
        do {
          try database.inSavepoint {
            intake = try takeIn(one, replacing: replacing, at: now, zone, database)
            return .commit
          }
          return .success(intake)
        } catch let refusal as EditRefusal {
          return .failure(refusal)
        }
      }
    }
  }

  private func takeIn(
    _ coming: Coming,
    replacing: Bool,
    at now: Timestamp,
    _ zone: UTCOffsetTable,
    _ database: Database
  ) throws -> Intake {
    let dates = coming.dates.writable
    guard Self.isID(coming.reminder.id) else { throw EditRefusal.badID(coming.reminder.id) }
    let new = try checked(coming.reminder)
    let old = try present(new.id, database) ?? archived(new.id, database)
    if let old,
      old == new || !replacing && old.isButForPast(new, at: now, zone: zone, zones)
    {
      // What was answered of it there may be news.
      return try goOn(old, from: coming.answers, at: now, database) ? .replaced : .unchanged
    }
    if let old {
      guard replacing else { throw EditRefusal.idTaken(new.id) }
      if try edit(old, to: new, at: now, database) {
        try note(dates, of: new.id, database)
        try goOn(new, from: coming.answers, at: now, database)
        return .replaced
      }
      try remove(old, at: now, database)
    }
    // One that is done is judged as if it were not: it may be reopened.
    var live = new
    live.status = .active
    _ = try consequence(
      of: Event(at: now, .reminderSaved(live)),
      for: nil,
      zone: .utc,
      database
    )
    if new.isLive { try requireRoom(database) }
    try passNumber(of: new.id, letter: "r", series: "reminder", database)
    try store(new, serial: nextSerial("reminder", database), database)
    if new.status.isOver {
      try archive(new, at: dates.completed ?? now, database)
    } else {
      try insertEvent(Event(at: now, .reminderSaved(new)), reminder: new.id, vault, database)
    }
    try note(dates, of: new.id, database)
    let answers =
      coming.answers.isEmpty && old?.triggers == new.triggers
      ? try self.answers(of: new.id, database)[new.id] ?? [] : coming.answers
    try goOn(new, from: answers, isNew: true, at: now, database)
    return old == nil ? .added : .replaced
  }

  /// Changes a reminder that is there: what was answered, told and reached of it stays so.
  ///
  /// - Returns: whether it can be had so; one that is muted or done elsewhere, or not here, is another one.
  private func edit(
    _ old: Reminder,
    to new: Reminder,
    at now: Timestamp,
    _ database: Database
  ) throws -> Bool {
    guard !old.status.isOver, !new.status.isOver else { return false }
    let event = Event(at: now, .reminderSaved(new))
    do {
      guard try consequence(of: event, for: old, zone: .utc, database) == new else { return false }
    } catch is EditRefusal {
      // It is judged as a new one.
      return false
    }
    try replace(old, by: new, database)
    try insertEvent(event, reminder: new.id, vault, database)
    return true
  }

  /// Has a reminder go on behind what was answered of it elsewhere.
  ///
  /// - Parameter isNew: whether nothing was answered of it since it is here.
  /// - Returns: whether one of the answers was not known here.
  @discardableResult
  private func goOn(
    _ reminder: Reminder,
    from answers: [ReminderAnswer],
    isNew: Bool = false,
    at now: Timestamp,
    _ database: Database
  ) throws -> Bool {
    let answers = answers.filter { $0.due.writable != nil && $0.at.writable != nil }
      .sorted { ($0.at, $0.due) < ($1.at, $1.due) }
    guard let last = answers.last else { return false }
    let kept = isNew ? [] : try self.answers(of: reminder.id, database)[reminder.id] ?? []
    if Set(kept).isSuperset(of: answers) { return false }
    let pending = isNew ? [] : try pendingAnswers(of: reminder.id, database)
    let newest = (kept.map(\.at) + pending).max()
    var isNews = false
    // What waits for a host is kept once one has heard of it.
    for answer in answers where !pending.contains(answer.at) {
      if try keep(answer, of: reminder.id, database) { isNews = true }
      // Of the others what comes does not depend.
      let counts = answer == last || answer.due > now
      guard counts, !reminder.status.isOver, newest.map({ $0 < answer.at }) ?? true else {
        continue
      }
      let event = Event(at: now, .reminderAnswered(reminder.id, answer))
      try insertEvent(event, reminder: reminder.id, vault, database)
    }
    return isNews
  }

  /// When a reminder was answered that no host has heard of yet, without what was taken back.
  private func pendingAnswers(of id: String, _ database: Database) throws -> [Timestamp] {
    var pending: [Timestamp] = []
    for entry in try inbox(of: id, database) {
      switch entry.event.kind {
      case .action(reminder: id, .complete): pending.append(entry.event.at)
      case .action(reminder: id, .reopen): _ = pending.popLast()
      case .reminderDeleted(id): pending = []
      default: break
      }
    }
    return pending
  }

  /// Takes in a place as it is elsewhere.
  ///
  /// - Parameter replacing: whether it takes the place of one with its id, which is refused otherwise.
  public func takeIn(
    _ place: Place,
    replacing: Bool = false,
    at now: Timestamp
  ) throws(UserStoreError) -> Result<Intake, EditRefusal> {
    guard Self.isID(place.id) else { return .failure(.badID(place.id)) }
    let taken = try editing { database -> (place: Place, intake: Intake?) in
      let new = try checked(place)
      if let old = try places(database).first(where: { $0.id == new.id }) {
        return (new, old == new ? .unchanged : nil)
      }
      try passNumber(of: new.id, letter: "p", series: "place", database)
      try insert(new, serial: nextSerial("place", database), vault, database)
      try insertEvent(Event(at: now, .placeSaved(new)), reminder: nil, vault, database)
      return (new, .added)
    }
    switch taken {
    case .failure(let refusal): return .failure(refusal)
    case .success((_, let intake?)): return .success(intake)
    case .success((let new, nil)):
      guard replacing else { return .failure(.idTaken(new.id)) }
      return try editPlace(new.id, at: now) { _ in new }.map { _ in .replaced }
    }
  }

  /// Has the numbers that we give go on behind one from elsewhere, such as `r7`.
  private func passNumber(
    of id: String,
    letter: Character,
    series: String,
    _ database: Database
  ) throws {
    guard let number = Self.number(of: id, letter: letter) else { return }
    try database.execute(
      sql: """
        INSERT INTO counter (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)
        """,
      arguments: [series, number]
    )
  }

  // MARK: Dates

  /// Writes down when something happened to a reminder; what is nil stays as it was.
  func note(_ dates: ReminderDates, of id: String, _ database: Database) throws {
    guard dates != ReminderDates() else { return }
    try database.execute(
      sql: """
        INSERT INTO reminder_date (id, made, changed, completed) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET made = coalesce(excluded.made, made),
          changed = coalesce(excluded.changed, changed),
          completed = coalesce(excluded.completed, completed)
        """,
      arguments: [
        id, dates.made?.milliseconds, dates.changed?.milliseconds, dates.completed?.milliseconds,
      ]
    )
  }
}

extension Schema {
  /// When a reminder was made, changed and completed, which the engine does not know.
  static let reminderDates = """
    CREATE TABLE reminder_date (
      id TEXT NOT NULL PRIMARY KEY,
      made INTEGER,
      changed INTEGER,
      completed INTEGER
    ) STRICT, WITHOUT ROWID;
    """
}
