import Basics
import Foundation
import Geodesy
import NearMeEngine
import Places
import Recurrence
import ReminderForms
import Timeline
import UserStore

/// Reminders and places as text for people, and as JSON for programs.
struct UserText {
  let places: [Place]
  let reminders: [Reminder]
  let entitlement: Entitlement
  let plans: Policy.Plans
  let now: Timestamp
  let zone: UTCOffsetTable

  init(_ store: UserStore, at now: Timestamp) throws {
    places = try store.places()
    reminders = try store.reminders()
    entitlement = try store.entitlement()
    plans = store.policy.plans
    self.now = now
    zone = localZone()
  }

  // MARK: Reminders

  /// What a reminder is doing, in a word that programs can rely on.
  func standing(_ reminder: Reminder) -> String {
    if reminder.status != .active { return reminder.status.rawValue }
    if reminder.isMuted { return "muted" }
    if UserStore.waiting(reminders, entitlement, plans).contains(where: { $0.id == reminder.id }) {
      return "waiting"
    }
    switch reminder.snooze {
    case .until(let end) where end > now: return "snoozed"
    case .untilNextArrival: return "snoozed"
    default: return "live"
    }
  }

  /// The same for people.
  func standingText(_ reminder: Reminder) -> String {
    switch standing(reminder) {
    case "completed": "done"
    case "fired": "told once"
    case "waiting": "waits (free plan)"
    case "snoozed":
      if case .until(let end) = reminder.snooze {
        "snoozed until \(time(end))"
      } else {
        "snoozed until next arrival"
      }
    case let word: word
    }
  }

  /// What a reminder aims at.
  func target(_ reminder: Reminder) -> String {
    switch reminder.target {
    case .category(let category)? where reminder.triggers.count == 1: "any \(category.label)"
    case .place(let id)? where reminder.triggers.count == 1:
      (places.first { $0.id == id }.map { "\(shown($0.name)) (\(id))" }) ?? id
    case _ where reminder.triggers.isEmpty: "-"
    case _ where reminder.isWokenByWindow: "in its hours"
    default: reminder.triggers.map(trigger).joined(separator: ", ")
    }
  }

  private func trigger(_ trigger: Trigger) -> String {
    switch trigger {
    case .place(.category(let category), _): "any \(category.label)"
    case .place(.place(let id), _): id
    case .leave(.category(let category)): "leaving any \(category.label)"
    case .leave(.place(let id)):
      "leaving " + (places.first { $0.id == id }.map { shown($0.name) } ?? id)
    case .schedule(let schedule): "at \(schedule)"
    case .signal(let name, let from, let to):
      "on \(name)" + (from.map { " from \($0)" } ?? "") + (to.map { " to \($0)" } ?? "")
    }
  }

  /// A condition in words.
  private func words(_ condition: Condition) -> String {
    switch condition {
    case .window(let window): window.text
    case .dates(let from, let until):
      [from.map { "from \(WrittenTime($0))" }, until.map { "until \(WrittenTime($0))" }]
        .compactMap { $0 }.joined(separator: " ")
    case .inside(let target): "at \(words(target))"
    case .outside(let target): "not at \(words(target))"
    case .signal(let name, let level): level == "true" ? name : "\(name)=\(level)"
    case .lasting(let part, let span): "\(words(part)) for \(span.name)"
    case .all(let parts): "(" + parts.map(words).joined(separator: " and ") + ")"
    case .any(let parts): "(" + parts.map(words).joined(separator: " or ") + ")"
    case .not(let part): "not (\(words(part)))"
    }
  }

  private func words(_ target: Reminder.Target) -> String {
    switch target {
    case .category(let category): "any \(category.label)"
    case .place(let id): places.first { $0.id == id }.map { shown($0.name) } ?? id
    }
  }

  /// A reminder on a line, as answer to a command that made or changed it.
  func line(_ reminder: Reminder) -> String {
    var line = "\(reminder.id): \(shown(reminder.title)), \(target(reminder))"
    if let tiers = reminder.tiers { line += ", \(tiers.map(\.name).joined(separator: " "))" }
    for case .schedule(let schedule) in reminder.triggers { line += manner(schedule) }
    if let window = reminder.window { line += ", \(window.text)" }
    // The first window is what `--when` sets; each further one is one more condition.
    var others = reminder.conditions
    let first = others.firstIndex { if case .window = $0 { true } else { false } }
    if let first { others.remove(at: first) }
    for condition in others { line += ", if \(words(condition))" }
    if reminder.persistence == .once { line += ", once" }
    if let nag = reminder.nag { line += ", again every \(nag.every.name)" }
    if let expires = reminder.expires {
      // A date alone would look as if that day were among its days.
      let end = WrittenTime(local: expires.local, offsetSeconds: expires.offsetSeconds)
      line += ", until \(end)"
    }
    if let minute = reminder.fallbackMinute {
      line += ", at \(WeeklyWindow.text(ofMinute: minute)) where the position is unknown"
    }
    if reminder.priority != 0 { line += ", priority \(reminder.priority)" }
    if let tone = reminder.tone { line += ", in the tone \(shown(tone))" }
    return line + ": \(standingText(reminder))"
  }

  /// What was done of a reminder that recurs, on a line: `r4: gym: done for 2026-05-04 18:00, next 2026-05-06 18:00`.
  func line(_ reminder: Reminder, doneFor times: [Timestamp], next: Timestamp?) -> String {
    "\(reminder.id): \(shown(reminder.title)): done for "
      + times.map(time).joined(separator: " and ") + (next.map { ", next \(time($0))" } ?? "")
  }

  /// What a time has beside itself: how long before it speaks as well, and from when the next is counted.
  private func manner(_ schedule: Schedule) -> String {
    let leads = schedule.leads.map(\.name)
    return (leads.isEmpty ? "" : ", also \(leads.joined(separator: ", ")) before")
      + (schedule.recurs && schedule.anchor == .completion ? ", counted from when it was done" : "")
  }

  /// A reminder as it is stored, and what it is doing as `standing`.
  func json(_ reminder: Reminder) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let listed = ListedReminder(reminder: reminder, standing: standing(reminder))
    return String(decoding: try encoder.encode(listed), as: UTF8.self)
  }

  private struct ListedReminder: Encodable {
    let reminder: Reminder
    let standing: String

    private enum Key: String, CodingKey {
      case standing
    }

    func encode(to encoder: any Encoder) throws {
      try reminder.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(standing, forKey: .standing)
    }
  }

  /// All reminders of a list, a line each under a heading.
  ///
  /// - Parameter next: when each speaks next, as far as a time is known; without any, the column is left out.
  func table(_ reminders: [Reminder], next: [String: Timestamp] = [:]) -> [String] {
    let rows = reminders.map { reminder in
      [reminder.id] + (next.isEmpty ? [] : [next[reminder.id].map(time) ?? "-"])
        + [target(reminder), standingText(reminder), shown(reminder.title)]
    }
    return Self.aligned(
      [["ID"] + (next.isEmpty ? [] : ["NEXT"]) + ["WHERE", "STATE", "TITLE"]] + rows
    )
  }

  /// Something of the past on a line: `2026-01-05 08:30  r1  done  take the pills`.
  func line(_ past: PastReminder) -> String {
    let what: String
    switch (past.due, past.reminder?.status) {
    case (let due?, _): what = "done for \(time(due))"
    case (nil, .expired?): what = "its days were over"
    case (nil, .fired?): what = "told once"
    default: what = "done"
    }
    return
      "\(time(past.at))  \(past.id)  \(what)  \(past.reminder.map { shown($0.title) } ?? "(deleted)")"
  }

  /// The same for programs.
  func json(_ past: PastReminder) throws -> String {
    var object = JSONText()
    object.add("at", RFC3339.format(past.at))
    object.add("id", past.id)
    object.add("due", json: past.due.map { JSONText.quoted(RFC3339.format($0)) } ?? "null")
    object.add("reminder", json: try past.reminder.map(json) ?? "null")
    object.add("cursor", past.cursor.text)
    return object.closed
  }

  // MARK: Places

  func line(_ place: Place) -> String {
    "\(place.id): \(shown(place.name)), \(place.kind.rawValue), \(position(place))"
      + (place.arrivalRadiusMeters.map { ", arrival within \(Tier.lengthName($0))" } ?? "")
  }

  func json(_ place: Place) -> String {
    var object = JSONText()
    object.add("id", place.id)
    object.add("name", place.name)
    object.add("kind", place.kind.rawValue)
    object.add("lat", json: "\(place.coordinate.latitude)")
    object.add("lon", json: "\(place.coordinate.longitude)")
    object.add("arrival_radius", json: place.arrivalRadiusMeters.map { "\($0)" } ?? "null")
    object.add("reminders", json: JSONText.array(aiming(at: place).map(JSONText.quoted)))
    return object.closed
  }

  func table(_ places: [Place]) -> [String] {
    Self.aligned(
      [["ID", "KIND", "WHERE", "ARRIVAL", "REMINDERS", "NAME"]]
        + places.map { place in
          [
            place.id, place.kind.rawValue, position(place),
            place.arrivalRadiusMeters.map(Tier.lengthName) ?? "default",
            aiming(at: place).joined(separator: " "), shown(place.name),
          ]
        }
    )
  }

  private func position(_ place: Place) -> String {
    "\(fixed(place.coordinate.latitude, 5)),\(fixed(place.coordinate.longitude, 5))"
  }

  private func aiming(at place: Place) -> [String] {
    reminders.filter { $0.aims(at: .place(place.id)) && $0.status == .active }.map(\.id)
  }

  // MARK: Parts

  /// An instant on the user's clock: today's without the date.
  func time(_ instant: Timestamp) -> String {
    let (date, minute) = zone.local(at: instant)
    let time = timeOfDay(minute: minute)
    if date == zone.local(at: now).date { return time }
    return String(format: "%04d-%02d-%02d ", date.year, date.month, date.day) + time
  }

  /// Columns with two spaces between them; the last one is not padded.
  private static func aligned(_ rows: [[String]]) -> [String] {
    guard let columns = rows.first?.count else { return [] }
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, cell) in row.enumerated() {
        line += cell
        if column < columns - 1 {
          line += String(repeating: " ", count: widths[column] - cell.count + 2)
        }
      }
      return line
    }
  }
}

/// A text of the user's on one line, without what would move the terminal's cursor.
func shown(_ text: String) -> String {
  String(
    text.map { character in
      character.unicodeScalars.contains { $0.properties.generalCategory == .control }
        ? " " : character
    }
  )
}

/// Prints lines to standard output; a full disk or a closed pipe is an error.
func printLines(_ lines: [String]) throws {
  let output = try OutputFile(path: nil)
  for line in lines { try output.write(line + "\n") }
  try output.finish()
}

/// A number with its noun.
func counted(_ count: Int, _ noun: String) -> String {
  "\(count) \(noun)" + (count == 1 ? "" : "s")
}
