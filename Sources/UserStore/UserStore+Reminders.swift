import Foundation
import GRDB
import NearMeEngine
import Places
import Recurrence
import Timeline
import Tones

/// The user's reminders, as they make and change them.
///
/// Each change is one transaction: the table for people to look at, and an event in the inbox for the
/// engine, which a running host takes in at once and a sleeping one at its next launch. What a change
/// does to a reminder is asked of the engine itself, so that both always agree.
extension UserStore {
  /// A title or name has at most so many characters.
  public static let longestTitle = 500
  /// Notes have at most so many characters.
  public static let longestNotes = 10_000

  /// Makes a reminder.
  ///
  /// - Parameters:
  ///   - id: an id of the user's choice, which is not sealed; nil for the next of `r1`, `r2`, ….
  ///   - at: when; the reminder counts from then.
  ///   - zone: whose calendar has the month that reminders are counted in.
  ///   - admit: says why one more than so many is not taken; nil if it is.
  ///   - make: makes it, with the id it is to have.
  public func addReminder(
    id wanted: String? = nil,
    at now: Timestamp,
    zone: UTCOffsetTable = .utc,
    admit: (Reminder, ReminderCounts) -> EditRefusal? = { _, _ in nil },
    _ make: (String) -> Reminder
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      let serial = try nextSerial("reminder", database)
      let id = try newID(wanted, letter: "r", serial: serial, table: "reminder", database)
      let (made, event) = try taken(make(id), at: now, zone: zone, database)
      if made.isLive { try requireRoom(database) }
      if let refusal = admit(made, try counts(at: now, zone: zone, database)) { throw refusal }
      try store(made, serial: serial, database)
      try note(ReminderDates(made: now), of: id, database)
      _ = try nextSerial(Self.monthSeries(of: now, zone), database)
      try insertEvent(event, reminder: id, vault, database)
      return made
    }
  }

  /// Why a reminder would not be taken as a new one, whatever room there is; nil if it would.
  ///
  /// - Parameter zone: whose clock shows its times.
  public func refusal(
    of reminder: Reminder,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> EditRefusal? {
    try connection.read { database in
      do {
        _ = try taken(reminder, at: now, zone: zone, database)
        return nil
      } catch let refusal as EditRefusal {
        return refusal
      }
    }
  }

  /// A new reminder as the engine takes it, and the event that hands it over.
  private func taken(
    _ reminder: Reminder,
    at now: Timestamp,
    zone: UTCOffsetTable,
    _ database: Database
  ) throws -> (made: Reminder, event: Event) {
    let new = try checked(reminder)
    try requireTime(of: new, at: now, zone)
    let event = Event(at: now, .reminderSaved(new))
    let made = try consequence(of: event, for: nil, zone: zone, database)
    guard made.status == .active else {
      throw EditRefusal.cannotBeDone(reminder.id, .daysAreOver)
    }
    return (made, event)
  }

  /// Changes a reminder's title, notes, target, tiers, priority or window; what it is doing, such as
  /// being muted, is changed by ``act(_:on:at:zone:)``.
  ///
  /// - Parameter zone: whose clock shows the times of the reminder.
  public func editReminder(
    _ id: String,
    at now: Timestamp,
    zone: UTCOffsetTable = .utc,
    admit: (Reminder) -> EditRefusal? = { _ in nil },
    _ change: (inout Reminder) -> Void
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      let old = try known(id, database)
      var new = old
      change(&new)
      precondition(new.id == id, "a reminder keeps its id")
      guard new != old else { throw EditRefusal.nothingToChange(id) }
      if new.triggers != old.triggers || new.expires != old.expires {
        try requireTime(of: new, at: now, zone)
      }
      if let refusal = admit(new) { throw refusal }
      let event = Event(at: now, .reminderSaved(try checked(new)))
      let made = try consequence(of: event, for: old, zone: zone, database)
      guard !made.status.isOver else { throw EditRefusal.cannotBeDone(id, .daysAreOver) }
      try replace(old, by: made, database)
      try note(ReminderDates(changed: now), of: id, database)
      try insertEvent(event, reminder: id, vault, database)
      return made
    }
  }

  /// Completes, snoozes, mutes or unmutes a reminder.
  ///
  /// - Parameter zone: where "today" ends.
  public func act(
    _ action: ReminderAction,
    on id: String,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      if let ended = try archived(id, database) {
        guard action == .reopen else { throw Self.refusal(ofEnded: ended) }
        return try reopen(ended, at: now, zone: zone, database)
      }
      let old = try known(id, database)
      if action == .reopen, old.status == .active, old.snooze == nil,
        old.endsBy != .perOccurrence
      {
        throw EditRefusal.nothingToChange(id)
      }
      let event = Event(at: now, .action(reminder: id, action))
      // Which answer of a reminder that recurs is taken back is known to the host's engine alone.
      let new =
        action == .reopen && old.status == .active && old.snooze == nil
        ? old : try consequence(of: event, for: old, zone: zone, database)
      if action == .reopen, old.status == .active, old.snooze == nil,
        try !hasAnswer(of: id, database)
      {
        throw EditRefusal.nothingToChange(id)
      }
      // Done this time, a reminder that recurs is the same as before.
      let isAnswer = (action == .complete || action == .reopen) && old.endsBy == .perOccurrence
      guard new != old || isAnswer else { throw EditRefusal.nothingToChange(id) }
      if new.status.isOver {
        try archive(new, at: now, database)
      } else if new != old {
        try replace(old, by: new, database)
      }
      try insertEvent(event, reminder: id, vault, database)
      return new
    }
  }

  /// Whether a reminder that recurs has an answer that can be taken back: the last one can, once.
  private func hasAnswer(of id: String, _ database: Database) throws -> Bool {
    var isThere = try storedState(database)?.hasAnswer(ofReminder: id) ?? false
    for entry in try inbox(database) {
      switch entry.event.kind {
      case .action(reminder: id, .complete), .reminderAnswered(id, _): isThere = true
      case .action(reminder: id, .reopen): isThere = false
      default: break
      }
    }
    return isThere
  }

  /// Has a reminder that has ended begin again, changed: with a new end, say.
  ///
  /// - Parameter zone: whose clock shows its times.
  public func reopenReminder(
    _ id: String,
    at now: Timestamp,
    zone: UTCOffsetTable,
    _ change: (inout Reminder) -> Void
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      guard var ended = try archived(id, database) else {
        _ = try known(id, database)
        throw EditRefusal.nothingToChange(id)
      }
      change(&ended)
      try requireTime(of: ended, at: now, zone)
      return try reopen(ended, at: now, zone: zone, database)
    }
  }

  /// Has a reminder that has ended begin again.
  private func reopen(
    _ ended: Reminder,
    at now: Timestamp,
    zone: UTCOffsetTable,
    _ database: Database
  ) throws -> Reminder {
    let event = Event(at: now, .reminderReopened(ended))
    let again: Reminder
    do {
      again = try consequence(of: event, for: nil, zone: zone, database)
    } catch EditRefusal.cannotBeDone(_, .daysAreOver)
      where ended.expires.map({ $0.instant(in: zone) <= now }) ?? false
    {
      throw EditRefusal.hasExpired(ended.id)
    }
    if again.isLive { try requireRoom(database) }
    try unarchive(again, database)
    try insertEvent(event, reminder: ended.id, vault, database)
    return again
  }

  /// Deletes a reminder; it never speaks again.
  public func deleteReminder(
    _ id: String,
    at now: Timestamp
  ) throws(UserStoreError) -> Result<Reminder, EditRefusal> {
    try editing { database in
      let old = try archived(id, database) ?? known(id, database)
      try remove(old, at: now, database)
      return old
    }
  }

  // MARK: Parts

  /// Takes a reminder away, whether or not it has ended.
  func remove(_ reminder: Reminder, at now: Timestamp, _ database: Database) throws {
    let serial = try Int64.fetchOne(
      database,
      sql: "DELETE FROM archive WHERE id = ? RETURNING serial",
      arguments: [reminder.id]
    )
    guard let serial else { return try delete(reminder, at: now, database) }
    try forget(reminder.id, serial: serial, database)
    try tellOfDeletion(of: reminder.id, at: now, database)
  }

  func delete(_ reminder: Reminder, at now: Timestamp, _ database: Database) throws {
    let serial = try Int64.fetchOne(
      database,
      sql: "DELETE FROM reminder WHERE id = ? RETURNING serial",
      arguments: [reminder.id]
    )
    if let serial { try forget(reminder.id, serial: serial, database) }
    try tellOfDeletion(of: reminder.id, at: now, database)
  }

  /// Has the engine hear that a reminder is gone; of one that has ended, too, whose id it would not take again else.
  private func tellOfDeletion(of id: String, at now: Timestamp, _ database: Database) throws {
    try insertEvent(Event(at: now, .reminderDeleted(id)), reminder: id, vault, database)
  }

  /// Forgets what is kept of a reminder besides its row.
  private func forget(_ id: String, serial: Int64, _ database: Database) throws {
    try setTitle(of: id, serial: serial, nil, database)
    try database.execute(sql: "DELETE FROM reminder_date WHERE id = ?", arguments: [id])
  }

  /// Runs an edit as one transaction; a refusal undoes it.
  func editing<Value>(
    _ body: (Database) throws -> Value
  ) throws(UserStoreError) -> Result<Value, EditRefusal> {
    var refusal: EditRefusal?
    do throws(UserStoreError) {
      return .success(
        try connection.write { database in
          do {
            return try body(database)
          } catch let error as EditRefusal {
            refusal = error
            throw error
          }
        }
      )
    } catch {
      if let refusal { return .failure(refusal) }
      throw error
    }
  }

  /// The id of something new.
  func newID(
    _ wanted: String?,
    letter: String,
    serial: Int64,
    table: String,
    _ database: Database
  ) throws -> String {
    guard let wanted else { return letter + String(serial) }
    guard Self.isFreeID(wanted) else { throw EditRefusal.badID(wanted) }
    let isTaken =
      try [table, "archive"]
      .contains { table in
        try Bool.fetchOne(
          database,
          sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE id = ?)",
          arguments: [wanted]
        ) ?? false
      }
    guard !isTaken else { throw EditRefusal.idTaken(wanted) }
    return wanted
  }

  private func known(_ id: String, _ database: Database) throws -> Reminder {
    if let ended = try archived(id, database) { throw Self.refusal(ofEnded: ended) }
    return try known(.reminder(id), database) { .unknownReminder(id, nearest: $0) }
  }

  /// The place that was meant by a word that is no id: by its id or, with the id before it, by its name.
  static func nearest(to word: String, among places: [Place]) -> String? {
    if let id = nearestName(to: word, among: places.map(\.id)) { return id }
    let places = places.filter { place in
      !place.name.unicodeScalars.contains(where: \.properties.isUnseen)
    }
    let names = places.map { $0.name.lowercased() }
    guard let name = nearestName(to: word.lowercased(), among: names),
      let i = names.firstIndex(of: name)
    else { return nil }
    return "\(places[i].id) (\(places[i].name))"
  }

  /// Whether a word may be the id that somebody chooses: no number of ours, and nothing that a shell or a list splits.
  static func isFreeID(_ word: String) -> Bool {
    let isPlain = word.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
    }
    return isPlain && !isNumbered(word) && (1...32).contains(word.count) && word.first != "-"
  }

  /// Whether a word is one of the ids that we give, such as `p1`.
  static func isNumbered(_ word: String) -> Bool {
    (word.hasPrefix("r") || word.hasPrefix("p"))
      && word.count > 1 && word.dropFirst().allSatisfy(\.isNumber)
  }

  /// Why one that has ended takes no change.
  private static func refusal(ofEnded reminder: Reminder) -> EditRefusal {
    reminder.status == .expired ? .hasExpired(reminder.id) : .completed(reminder.id)
  }

  /// Refuses a reminder that speaks at times alone and ends before the first of them, or whose last one has passed.
  private func requireTime(
    of reminder: Reminder,
    at now: Timestamp,
    _ zone: UTCOffsetTable
  ) throws {
    let schedules = reminder.triggers.compactMap { trigger -> Schedule? in
      if case .schedule(let schedule) = trigger { schedule } else { nil }
    }
    if let first = schedules.first, schedules.count == reminder.triggers.count,
      schedules.allSatisfy({ $0.isOver(at: now, in: clock(of: $0, zone)) })
    {
      throw EditRefusal.isOver("\(first)")
    }
    guard let end = reminder.expires else { return }
    var first: String?
    for trigger in reminder.triggers {
      guard case .schedule(let schedule) = trigger, schedule.added.isEmpty else { return }
      let rings =
        schedule.start.instant(in: clock(of: schedule, zone))
        - (schedule.leads.first ?? Milliseconds(0))
      guard end.instant(in: zone) <= rings else { return }
      first = first ?? "\(schedule.start)"
    }
    if let first { throw EditRefusal.endsBefore(first, end: "\(end)") }
  }

  private func clock(of schedule: Schedule, _ zone: UTCOffsetTable) -> UTCOffsetTable {
    schedule.zone.flatMap { zones.zone(named: $0) } ?? zone
  }

  /// The reminder with its texts trimmed, if they can be.
  func checked(_ reminder: Reminder) throws -> Reminder {
    var checked = reminder
    checked.title = try checkedName(reminder.title)
    if let notes = reminder.notes {
      let trimmed = notes.trimmingCharacters(in: .whitespacesAndNewlines)
      guard trimmed.count <= Self.longestNotes else {
        throw EditRefusal.tooLong(limit: Self.longestNotes)
      }
      checked.notes = trimmed.isEmpty ? nil : trimmed
    }
    return checked
  }

  func checkedName(_ name: String) throws -> String {
    let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
    let isSeen = trimmed.unicodeScalars.contains {
      !$0.properties.isWhitespace && !$0.properties.isUnseen
    }
    guard isSeen else { throw EditRefusal.blank }
    guard trimmed.count <= Self.longestTitle else {
      throw EditRefusal.tooLong(limit: Self.longestTitle)
    }
    return trimmed
  }

  /// What an event makes of a reminder, by an engine that knows nothing else but the policy and the
  /// user's places.
  ///
  /// - Throws: ``EditRefusal`` if the engine refuses it.
  func consequence(
    of event: Event,
    for old: Reminder?,
    zone: UTCOffsetTable,
    _ database: Database
  ) throws -> Reminder {
    let places = try places(database)
    var engine = Engine(
      policy: policy,
      zone: zone,
      zones: zones,
      catalog: .empty,
      monitoring: .everyFix
    )
    do {
      try engine.load(places: places, reminders: [old].compactMap(\.self))
    } catch {
      throw EditRefusal.cannotBeWatched(error.reminder, error.reason)
    }
    for effect in engine.handle(event) {
      if case .archive(let ended) = effect { return ended }
      guard case .record(let record) = effect else { continue }
      switch record {
      case .reminderRefused(_, let error):
        if case .unknownPlace(let id) = error.reason {
          throw EditRefusal.missingPlace(id, nearest: Self.nearest(to: id, among: places))
        }
        throw EditRefusal.cannotBeWatched(error.reminder, error.reason)
      case .actionRefused(_, let id, let refusal): throw EditRefusal.cannotBeDone(id, refusal)
      default: continue
      }
    }
    guard let new = engine.state.currentReminders.first else {
      preconditionFailure("an engine that refuses nothing has taken the reminder in")
    }
    return new
  }

  func replace(_ old: Reminder, by new: Reminder, _ database: Database) throws {
    if new.isLive, !old.isLive { try requireRoom(database) }
    try write(new, over: old, database)
  }

  /// Puts a reminder in the place of what the table has of it.
  func write(_ new: Reminder, over old: Reminder, _ database: Database) throws {
    let serial = try Int64.fetchOne(
      database,
      sql: "UPDATE reminder SET is_live = ?, place = ?, body = ? WHERE id = ? RETURNING serial",
      arguments: [
        new.isLive, new.target?.place, try vault.seal(new, for: .reminder(new.id)), new.id,
      ]
    )
    if let serial, (new.title, new.notes ?? "") != (old.title, old.notes ?? "") {
      try setTitle(of: new.id, serial: serial, new, database)
    }
  }

  /// Refuses one more live reminder than the entitlement has room for.
  ///
  /// The transaction holds the right to write, so no other process can add one before it ends.
  func requireRoom(_ database: Database) throws {
    guard let limit = policy.plans.liveReminders(of: try entitlement(database)) else { return }
    let live = try Int.fetchOne(database, sql: "SELECT count(*) FROM reminder WHERE is_live") ?? 0
    guard live < limit else { throw EditRefusal.limitReached(live: live) }
  }
}

extension Reminder.Target {
  /// The id of the place that it names; nil for a category.
  var place: String? {
    switch self {
    case .category: nil
    case .place(let id): id
    }
  }
}
