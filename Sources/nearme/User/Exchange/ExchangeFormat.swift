import ArgumentParser
import Basics
import Calendars
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import ReminderForms
import SettingsFiles
import Timeline
import TrialFiles
import UserStore

/// The forms in which reminders go out and come in.
enum ExchangeFormat: String, ExpressibleByArgument, CaseIterable {
  /// The reminders file, with the places: everything is in it.
  case reminders
  /// iCalendar.
  case ics
  /// The documents' own, an object of JSON a line.
  case context, yomo, yourmom, morning

  /// Which form a file has, by what is in it.
  static func recognize(_ bytes: [UInt8]) -> ExchangeFormat {
    let head = String(decoding: bytes.prefix(200), as: UTF8.self).uppercased()
    if head.contains("BEGIN:VCALENDAR") { return .ics }
    guard let text = String(ifUTF8: bytes),
      let first = formObjects(text).first(where: { $0.json != nil }),
      let object = first.json.flatMap({ try? JSONValue.parse($0) })
    else { return .reminders }
    func has(_ keys: String...) -> Bool { keys.allSatisfy { object[$0] != nil } }
    if has("momTone") { return .yourmom }
    if has("triggerDate") { return .yomo }
    if has("triggers", "createdAt") { return .context }
    return has("text") ? .morning : .reminders
  }

  private var form:
    (read: (String) throws -> PlainReminder, write: (PlainReminder) throws -> String)?
  {
    let here = localZone()
    return switch self {
    case .reminders, .ics: nil
    case .context: ({ try ContextForm.read($0, here: here) }, ContextForm.write)
    case .yomo: ({ try YomoForm.read($0, here: here, zones: SystemZones()) }, YomoForm.write)
    case .yourmom: ({ try YourMomForm.read($0, here: here) }, YourMomForm.write)
    case .morning: ({ try MorningForm.read($0, here: here) }, MorningForm.write)
    }
  }
}

/// What goes out or comes in.
struct Exchange {
  struct Item {
    var reminder: Reminder
    var dates = ReminderDates()
    /// The times of it that were answered.
    var answers: [ReminderAnswer] = []
  }

  var places: [Place] = []
  var items: [Item] = []
  /// What does not come through, and why.
  var refusals: [String] = []
  /// Whether reading has refused a reminder.
  private(set) var hasRefusedReminders = false
  /// What comes through otherwise than it was.
  var notices: [String] = []

  private static let zones = SystemZones()

  /// What reminders are called where they need other names; nil where they come in.
  private var names: YourMomNames?

  // MARK: - Out

  /// All that a database holds.
  ///
  /// - Parameter names: what its reminders are called where they need other names.
  init(_ store: UserStore, names: YourMomNames) throws {
    self.names = names
    let dates = try store.reminderDates()
    let answers = try store.answers(at: presentInstant(), zone: localZone())
    places = try store.places()
    items = try store.everyReminder()
      .map { reminder in
        var known = dates[reminder.id] ?? ReminderDates()
        // It may have been reopened since.
        if reminder.status != .completed { known.completed = nil }
        let answered = (answers[reminder.id] ?? [])
          .filter { RFC3339.writable.contains($0.due) && RFC3339.writable.contains($0.at) }
        return Item(reminder: reminder, dates: known, answers: answered)
      }
  }

  /// The text of a form; what it has no place for goes to the refusals and notices.
  mutating func text(_ format: ExchangeFormat) throws -> String {
    switch format {
    case .reminders: return try remindersFile()
    case .ics: return try calendar()
    case .context, .yomo, .yourmom, .morning:
      var lines = ""
      for item in items {
        do {
          lines += try line(item, format) + "\n"
        } catch let error as FormError {
          refusals.append("\(item.reminder.id): \(error)")
        }
      }
      return lines
    }
  }

  private func remindersFile() throws -> String {
    let places = places.map { place in
      var members: [(key: String, value: JSONValue)] = [
        ("id", .string(place.id)), ("name", .string(place.name)),
        ("kind", .string(place.kind.rawValue)),
        ("lat", .number(plainText(place.coordinate.latitude))),
        ("lon", .number(plainText(place.coordinate.longitude))),
      ]
      if let radius = place.arrivalRadiusMeters {
        members.append(("arrival_radius", .string(Tier.lengthName(radius))))
      }
      return JSONValue.object(members)
    }
    let reminders = try items.map { item in
      let reminder = try JSONValue(encoding: item.reminder)
      guard !item.answers.isEmpty, case .object(let members) = reminder else { return reminder }
      return .object(members + [("answers", try JSONValue(encoding: item.answers))])
    }
    return JSONValue.object([("places", .array(places)), ("reminders", .array(reminders))]).document
  }

  private mutating func calendar() throws -> String {
    let document = CalendarDocument(
      items: items.map { item in
        var written = CalendarDocument.Item(
          item.reminder,
          createdAt: item.dates.made,
          changedAt: item.dates.changed,
          completedAt: item.dates.completed
        )
        written.answers = item.answers
        return written
      },
      places: places
    )
    let writer = CalendarWriter(zones: Self.zones, stamp: try buildTime(), here: localZone())
    let written = writer.write(document)
    notices += written.notices.map(\.description)
    return written.text
  }

  private func line(_ item: Item, _ format: ExchangeFormat) throws -> String {
    var plain = try PlainReminder(item.reminder, here: localZone(), zones: Self.zones)
    if format == .yourmom, let names { plain = names.named(plain) }
    // Those dates that the form has a place for.
    if format != .yourmom { plain.createdAt = item.dates.made }
    if format == .yomo { plain.updatedAt = item.dates.changed }
    if format == .yomo || format == .morning { plain.completedAt = item.dates.completed }
    return try format.written(plain)
  }

  // MARK: - In

  /// Reads a file.
  ///
  /// - Parameter file: its name, for messages.
  /// - Throws: ``CommandFailure`` if it as a whole cannot be read.
  init(_ bytes: [UInt8], _ format: ExchangeFormat, file: String) throws {
    if format == .ics {
      // Folded within a letter, its lines are text once they are whole.
      try read(calendar: bytes, file)
    } else if let text = String(ifUTF8: bytes) {
      try read(text, format, file)
    } else {
      throw CommandFailure(.badInput, "\(file): is not UTF-8: save it as UTF-8")
    }
  }

  private mutating func read(_ text: String, _ format: ExchangeFormat, _ file: String) throws {
    switch format {
    case .ics: preconditionFailure("calendars are read by their bytes")
    case .reminders:
      try mappingSettingsFailures {
        let read = try RemindersFile.items(text: text, file: file)
        places = read.places
        items = read.reminders.map { Item(reminder: $0, answers: read.answers[$0.id] ?? []) }
        refusals = read.refusals.map(\.description)
        hasRefusedReminders = read.hasRefusedReminders
        notices = read.unused.map { "\(file): \"\($0)\" is for replays, and was passed over" }
      }
    case .context, .yomo, .yourmom, .morning:
      for (place, json) in formObjects(text) {
        guard let json else {
          refusals.append("\(file):\(place): is no object of JSON")
          continue
        }
        do {
          let plain = try format.read(json)
          items.append(
            Item(
              reminder: try plain.reminder(here: localZone(), zones: Self.zones),
              dates: ReminderDates(
                made: plain.createdAt,
                changed: plain.updatedAt,
                completed: plain.completedAt
              )
            )
          )
        } catch let error as FormError {
          refusals.append("\(file):\(place): \(error)")
        }
      }
    }
  }

  private mutating func read(calendar bytes: [UInt8], _ file: String) throws {
    let read: CalendarReader.Reading
    do throws(CalendarError) {
      read = try CalendarReader(zones: Self.zones, now: presentInstant(), here: localZone())
        .read(bytes)
    } catch {
      throw CommandFailure(.badInput, "\(file):\(error.line): \(error.reason)")
    }
    places = read.document.places
    refusals = read.refusals.map { "\(file):\($0.line): \($0.reason)" }
    hasRefusedReminders = read.hasRefusedTasks
    notices = read.notices.map { "\(file): \($0)" }
    let (now, here) = (presentInstant(), localZone())
    let coming = read.document.items.filter { !$0.isOver(at: now, here: here, Self.zones) }
    if coming.count < read.document.items.count {
      let count = read.document.items.count - coming.count
      notices.append(
        "\(file): left out: \(counted(count, "event")) that \(count == 1 ? "is" : "are") over"
      )
    }
    items = coming.map { item in
      Item(
        reminder: item.withoutPast(at: now, here: here, Self.zones),
        dates: ReminderDates(
          made: item.createdAt,
          changed: item.changedAt,
          completed: item.completedAt
        ),
        answers: item.answers
      )
    }
  }
}

extension CalendarDocument.Item {
  /// Whether it is an event that has ended: it would ring at the next start of a host.
  fileprivate func isOver(
    at now: Timestamp,
    here: UTCOffsetTable,
    _ zones: any ZoneSource
  ) -> Bool {
    guard let eventEnd, reminder.status == .active else { return false }
    if eventEnd.recurs {
      // With the occurrences that were moved.
      let zone = eventEnd.zone.flatMap { zones.zone(named: $0) } ?? here
      return reminder.triggers.allSatisfy { trigger in
        guard case .schedule(let schedule) = trigger else { return false }
        return schedule.recurs
          ? schedule.isOver(at: now, in: zone) : schedule.hasPassed(at: now, here: here, zones)
      }
    }
    // The day of an end is the one after the last.
    if eventEnd.start.isDate { return eventEnd.start.local.date <= here.local(at: now).date }
    return eventEnd.hasPassed(at: now, here: here, zones)
  }

  /// The reminder of an event without those of its alarms that have passed, unless all have.
  fileprivate func withoutPast(
    at now: Timestamp,
    here: UTCOffsetTable,
    _ zones: any ZoneSource
  ) -> Reminder {
    guard eventEnd != nil else { return reminder }
    var coming = reminder
    coming.triggers.removeAll { trigger in
      guard case .schedule(let schedule) = trigger, !schedule.recurs else { return false }
      return schedule.hasPassed(at: now, here: here, zones)
    }
    return coming.triggers.isEmpty ? reminder : coming
  }
}

extension Schedule {
  /// Whether its one time is not after an instant; of a day, whether that is before today.
  fileprivate func hasPassed(
    at now: Timestamp,
    here: UTCOffsetTable,
    _ zones: any ZoneSource
  ) -> Bool {
    let zone = zone.flatMap { zones.zone(named: $0) } ?? here
    return start.isDate
      ? start.local.date < zone.local(at: now).date : start.instant(in: zone) <= now
  }
}

extension ExchangeFormat {
  fileprivate func read(_ text: String) throws -> PlainReminder {
    guard let form else { preconditionFailure("\(rawValue) is no form of single reminders") }
    return try form.read(text)
  }

  fileprivate func written(_ reminder: PlainReminder) throws -> String {
    guard let form else { preconditionFailure("\(rawValue) is no form of single reminders") }
    return try form.write(reminder)
  }
}

/// The objects of a text, each with the line on which it stands: one, a list of them, or one a line.
///
/// - Returns: nil in place of what is no JSON.
private func formObjects(_ text: String) -> [(place: String, json: String?)] {
  if let whole = try? JSONValue.parse(text) {
    guard let elements = whole.elements else { return [("1", whole.compact)] }
    return elements.enumerated().map { ("item \($0.offset + 1)", $0.element.compact) }
  }
  return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    .filter { !$0.element.allSatisfy(\.isWhitespace) }
    .map { ("\($0.offset + 1)", (try? JSONValue.parse(String($0.element))).map(\.compact)) }
}
