import Foundation
import GRDB
import NearMeEngine
import Timeline

/// A reminder that has ended, or a time of one that recurs that was answered.
public struct PastReminder: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// The reminder as it was when it ended; nil for an answer to a reminder that has been deleted since.
  public let reminder: Reminder?
  /// Its id.
  public let id: String
  /// The time that was answered; nil where the reminder ended.
  public let due: Timestamp?
  /// Its place in the order; those of equal instants differ in it.
  let serial: Int64

  /// Where a page ends: the next one begins after it.
  public var cursor: Cursor { Cursor(at: at, serial: serial, isAnswer: due != nil) }

  /// A place in the history.
  public struct Cursor: Hashable, Sendable, Comparable {
    let at: Timestamp
    let serial: Int64
    let isAnswer: Bool

    private var key: (Timestamp, Int, Int64) { (at, isAnswer ? 1 : 0, serial) }

    /// Orders by time.
    public static func < (a: Cursor, b: Cursor) -> Bool { a.key < b.key }

    /// It as a word for a command line.
    public var text: String { "\(at.milliseconds)-\(isAnswer ? "a" : "e")\(serial)" }

    /// Reads such a word.
    public init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let at = Int64(parts[0]), let kind = parts[1].first,
        kind == "a" || kind == "e", let serial = Int64(parts[1].dropFirst())
      else { return nil }
      self.init(at: Timestamp(milliseconds: at), serial: serial, isAnswer: kind == "a")
    }

    init(at: Timestamp, serial: Int64, isAnswer: Bool) {
      self.at = at
      self.serial = serial
      self.isAnswer = isAnswer
    }
  }
}

/// What has ended: it is out of the engine's state and of the way, for as long as anybody wants it.
extension UserStore {
  /// What has ended and what was answered, the newest first.
  ///
  /// - Parameter cursor: where the page before ended; nil for the first page.
  /// - Complexity: O(log history + page): however much there is.
  public func history(
    after cursor: PastReminder.Cursor? = nil,
    limit: Int = 20
  ) throws(UserStoreError) -> [PastReminder] {
    try connection.read { database in
      let before = cursor?.at.milliseconds ?? .max
      let ended = try endedPage(after: cursor, among: nil, limit: limit, database)
        .map { place, ended in
          PastReminder(
            at: place.at,
            reminder: ended,
            id: ended.id,
            due: nil,
            serial: place.serial
          )
        }
      let answered =
        try Row.fetchAll(
          database,
          sql: """
            SELECT serial, reminder, due, at FROM completion
            WHERE at <= ?1 AND NOT (at = ?1 AND serial >= ?2)
            ORDER BY at DESC, serial DESC LIMIT ?3
            """,
          arguments: [before, cursor.map { $0.isAnswer ? $0.serial : .min } ?? .max, limit]
        )
        .map { row in
          let serial = try row.decode(Int64.self, forColumn: "serial")
          let id = try row.decode(String.self, forColumn: "reminder")
          return PastReminder(
            at: try instant(row.decode(forColumn: "at"), "completion \(serial)"),
            reminder: try present(id, database) ?? archived(id, database),
            id: id,
            due: try instant(row.decode(forColumn: "due"), "completion \(serial)"),
            serial: serial
          )
        }
      return Array((ended + answered).sorted { $0.cursor > $1.cursor }.prefix(limit))
    }
  }

  /// What has ended and what was answered, the newest first; what no host has heard of yet, too, and what was told its
  /// one time and is still on the screen.
  ///
  /// - Parameters:
  ///   - cursor: where the page before ended; nil for the first page.
  ///   - now: the present.
  /// - Complexity: O(what the engine knows + log history + page).
  public func history(
    after cursor: PastReminder.Cursor? = nil,
    limit: Int = 20,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> [PastReminder] {
    let (answers, takenBack, told) = try recentHistory(at: now, zone: zone)
    let dates = try reminderDates()
    let heard = try history(after: cursor, limit: limit + takenBack.count)
      .filter { past in
        !takenBack.contains { $0.reminder == past.id && $0.due == past.due }
      }
    let unheard = try connection.read { database in
      try answers.enumerated()
        .compactMap { i, answer -> PastReminder? in
          // A host may have taken it in meanwhile.
          let isHeard = try Bool.fetchOne(
            database,
            sql: "SELECT 1 FROM completion WHERE at = ? AND reminder = ? AND due = ?",
            arguments: [answer.at.milliseconds, answer.reminder, answer.due.milliseconds]
          )
          guard isHeard == nil else { return nil }
          return PastReminder(
            at: answer.at,
            reminder: try present(answer.reminder, database)
              ?? archived(answer.reminder, database),
            id: answer.reminder,
            due: answer.due,
            // Behind all that hosts have heard of.
            serial: .max - Int64(answers.count - i)
          )
        }
    }
    let fired = try connection.read { database in
      try reminders(database).filter { $0.status == .fired }
        .compactMap { reminder -> PastReminder? in
          // What came in as told stands where it was changed last.
          let since = told[reminder.id] ?? dates[reminder.id]?.changed ?? dates[reminder.id]?.made
          guard let since, let serial = try serial(of: reminder.id, database) else { return nil }
          return PastReminder(
            at: since,
            reminder: reminder,
            id: reminder.id,
            due: nil,
            serial: serial
          )
        }
    }
    let news = (unheard + fired).filter { past in cursor.map { past.cursor < $0 } ?? true }
    // A host may have let go of what was told meanwhile.
    let page =
      heard
      + news.filter { past in
        past.due != nil || !heard.contains { $0.id == past.id && $0.due == nil }
      }
    return Array(page.sorted { $0.cursor > $1.cursor }.prefix(limit))
  }

  /// Whether a time of a reminder was answered at an instant or later, and that was not taken back.
  package func isAnswered(
    _ reminder: String,
    since instant: Timestamp
  ) throws(UserStoreError) -> Bool {
    try connection.read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT 1 FROM completion WHERE at >= ? AND reminder = ?",
        arguments: [instant.milliseconds, reminder]
      ) ?? false
    }
  }

  /// All reminders, those that have ended, too, in the order in which they were made.
  public func everyReminder() throws(UserStoreError) -> [Reminder] {
    try connection.read { try everyReminder($0) }
  }

  /// How many reminders have ended.
  public func archivedCount() throws(UserStoreError) -> Int {
    try connection.read { database in
      try Int.fetchOne(database, sql: "SELECT count(*) FROM archive") ?? 0
    }
  }

  /// Takes in reminders that have ended elsewhere, in one transaction; they get ids of ours.
  package func takeIn(
    ended: some Sequence<(title: String, at: Timestamp)>
  ) throws(UserStoreError) {
    try connection.write { database in
      var made: [(serial: Int64, reminder: Reminder)] = []
      for (title, at) in ended {
        let serial = try nextSerial("reminder", database)
        let reminder = Reminder(
          id: "r\(serial)",
          title: title,
          triggers: [],
          status: .completed
        )
        try insert(reminder, serial: serial, database)
        try archive(reminder, at: at, database)
        made.append((serial, reminder))
      }
      try addTitles(made, database)
    }
  }

  // MARK: Parts

  /// The reminder of an id that has not ended; nil if there is none.
  func present(_ id: String, _ database: Database) throws -> Reminder? {
    try Data.fetchOne(database, sql: "SELECT body FROM reminder WHERE id = ?", arguments: [id])
      .map { try vault.open(Reminder.self, $0, for: .reminder(id)) }
  }

  /// The reminder of an id that has ended; nil if there is none.
  func archived(_ id: String, _ database: Database) throws -> Reminder? {
    try Data.fetchOne(database, sql: "SELECT body FROM archive WHERE id = ?", arguments: [id])
      .map { try vault.open(Reminder.self, $0, for: .reminder(id)) }
  }

  func everyReminder(_ database: Database) throws -> [Reminder] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT id, serial, body FROM reminder UNION ALL SELECT id, serial, body FROM archive
        ORDER BY serial
        """
    )
    .map { try reminder(in: $0) }
  }

  /// The reminder of a row with its id and body.
  func reminder(in row: Row) throws -> Reminder {
    try vault.open(
      Reminder.self,
      try row.decode(Data.self, forColumn: "body"),
      for: .reminder(try row.decode(String.self, forColumn: "id"))
    )
  }

  /// Moves a reminder to those that have ended; one that lies there keeps when it ended.
  func archive(_ ended: Reminder, at now: Timestamp, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO archive (id, serial, ended_at, body)
        SELECT id, serial, ?, ? FROM reminder WHERE id = ?
        """,
      arguments: [now.milliseconds, try vault.seal(ended, for: .reminder(ended.id)), ended.id]
    )
    try database.execute(sql: "DELETE FROM reminder WHERE id = ?", arguments: [ended.id])
    if ended.status == .completed {
      try note(ReminderDates(completed: now), of: ended.id, database)
    }
  }

  /// Moves a reminder back.
  func unarchive(_ reminder: Reminder, _ database: Database) throws {
    let row = try Row.fetchOne(
      database,
      sql: "DELETE FROM archive WHERE id = ? RETURNING serial",
      arguments: [reminder.id]
    )
    guard let row else { preconditionFailure("what is reopened lies in the archive") }
    try store(reminder, serial: try row.decode(forColumn: "serial"), database)
  }

  /// Writes a reminder into the table of those that have not ended, and what is searched of it.
  func store(_ reminder: Reminder, serial: Int64, _ database: Database) throws {
    try insert(reminder, serial: serial, database)
    try setTitle(of: reminder.id, serial: serial, reminder, database)
  }

  private func insert(_ reminder: Reminder, serial: Int64, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO reminder (id, serial, is_live, place, body) VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [
        reminder.id, serial, reminder.isLive, reminder.target?.place,
        try vault.seal(reminder, for: .reminder(reminder.id)),
      ]
    )
  }

  /// The times of reminders that were answered, as far as hosts have heard of them.
  func answers(
    of reminder: String?,
    _ database: Database
  ) throws -> [String: [ReminderAnswer]] {
    var answers: [String: [ReminderAnswer]] = [:]
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT reminder, due, at FROM completion WHERE ?1 IS NULL OR reminder = ?1
        ORDER BY at, serial
        """,
      arguments: [reminder]
    )
    for row in rows {
      let answer = ReminderAnswer(
        due: Timestamp(milliseconds: try row.decode(Int64.self, forColumn: "due")),
        at: Timestamp(milliseconds: try row.decode(Int64.self, forColumn: "at"))
      )
      answers[try row.decode(String.self, forColumn: "reminder"), default: []].append(answer)
    }
    return answers
  }

  /// Keeps a time that was answered, once.
  ///
  /// - Returns: whether it was not kept yet.
  @discardableResult
  func keep(_ answer: ReminderAnswer, of reminder: String, _ database: Database) throws -> Bool {
    try database.execute(
      sql: """
        INSERT INTO completion (reminder, due, at, device) SELECT ?1, ?2, ?3, ?4
        WHERE NOT EXISTS
          (SELECT 1 FROM completion WHERE at = ?3 AND reminder = ?1 AND due = ?2)
        """,
      arguments: [reminder, answer.due.milliseconds, answer.at.milliseconds, identity]
    )
    return database.changesCount > 0
  }

  /// Keeps the times that were answered, and forgets those of which that was taken back.
  func keepAnswers(_ records: [NearMeEngine.Record], _ database: Database) throws {
    for record in records {
      switch record {
      case .answered(let at, let reminder, let times):
        // What was told of a place or a signal was due when it was told: when it was done is all there is to keep.
        for due in times.isEmpty ? [at] : times {
          try keep(ReminderAnswer(due: due, at: at), of: reminder, database)
        }
      case .answerTakenBack(_, let reminder, let times):
        for due in times {
          try database.execute(
            sql: "DELETE FROM completion WHERE reminder = ? AND due = ?",
            arguments: [reminder, due.milliseconds]
          )
        }
      default: break
      }
    }
  }
}

/// How many reminders a user has, by what plans count.
public struct ReminderCounts: Hashable, Sendable {
  /// Not done, not muted, not deleted.
  public let active: Int
  /// Not done and not deleted.
  public let open: Int
  /// Made in this calendar month, whatever became of them.
  public let createdThisMonth: Int
  /// Ever made.
  public let created: Int
}

extension UserStore {
  /// Counts reminders as plans do.
  ///
  /// - Parameter zone: whose calendar has the month.
  public func counts(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> ReminderCounts {
    try connection.read { try counts(at: now, zone: zone, $0) }
  }

  func counts(
    at now: Timestamp,
    zone: UTCOffsetTable,
    _ database: Database
  ) throws -> ReminderCounts {
    func counter(_ name: String) throws -> Int {
      try Int.fetchOne(
        database,
        sql: "SELECT value FROM counter WHERE name = ?",
        arguments: [name]
      ) ?? 0
    }
    return ReminderCounts(
      active: try Int.fetchOne(database, sql: "SELECT count(*) FROM reminder WHERE is_live") ?? 0,
      open: try Int.fetchOne(database, sql: "SELECT count(*) FROM reminder") ?? 0,
      createdThisMonth: try counter(Self.monthSeries(of: now, zone)),
      created: try counter("reminder")
    )
  }

  /// The counter of the reminders made in a month.
  static func monthSeries(of now: Timestamp, _ zone: UTCOffsetTable) -> String {
    let date = zone.local(at: now).date
    return "made \(date.year)-\(date.month)"
  }
}
