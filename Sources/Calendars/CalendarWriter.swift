import Basics
import NearMeEngine
import Places
import Recurrence
import Timeline

/// Writes reminders as a calendar of tasks: RFC 5545, places of RFC 9074, SKIP of RFC 7529.
///
/// What tasks have no property for goes along in one of ours, so that what is written is read back whole. A reminder of
/// which tasks can say everything has none.
public struct CalendarWriter: Sendable {
  private let zones: any ZoneSource
  private let stamp: Timestamp
  private let here: UTCOffsetTable?

  /// Makes one.
  ///
  /// - Parameters:
  ///   - zones: where the zones of schedules are found, which are written along.
  ///   - stamp: when this is written: the DTSTAMP of every task.
  ///   - here: the phone's zone, by whose clock times that name none were answered; nil: other programs do not see which
  ///     of those were.
  public init(zones: any ZoneSource, stamp: Timestamp, here: UTCOffsetTable? = nil) {
    self.zones = zones
    self.stamp = stamp
    self.here = here
  }

  /// Writes a calendar.
  ///
  /// - Returns: its text, lines of at most 75 bytes that end in CRLF; and of each reminder and place what other
  ///   programs will not see.
  /// - Complexity: O(bytes).
  public func write(_ document: CalendarDocument) -> (text: String, notices: [CalendarNotice]) {
    var calendar = CalendarComponent("VCALENDAR")
    calendar.lines = [
      CalendarLine("VERSION", value: "2.0"),
      CalendarLine("PRODID", value: "-//Near Me//nearme//EN"),
      CalendarLine("CALSCALE", value: "GREGORIAN"),
    ]
    calendar.components = self.zones(of: document)
    var notices: [CalendarNotice] = []
    var placed: Set<String> = []
    for item in document.items {
      let (task, unseen) = self.task(item, document.places)
      placed.formUnion(task.places)
      calendar.components.append(task.component)
      if !unseen.isEmpty {
        notices.append(
          CalendarNotice(
            item.reminder.id,
            "other programs do not see its " + unseen.joined(separator: ", ")
          )
        )
      }
    }
    for place in document.places where !placed.contains(place.id) {
      calendar.lines.append(Self.line(place))
      notices.append(CalendarNotice(place.id, "other programs do not see this place"))
    }
    var text = ""
    calendar.write(to: &text)
    return (text, notices)
  }

  private static func line(_ place: Place) -> CalendarLine {
    own(StandardTask.placeProperty, place)
  }

  /// The zones of all schedules, in the order in which they come.
  private func zones(of document: CalendarDocument) -> [CalendarComponent] {
    var firsts: [(name: String, first: Int64)] = []
    for item in document.items {
      guard let schedule = item.reminder.triggers.firstSchedule, let name = schedule.zone
      else { continue }
      // A day earlier than any offset: the zone must be known at the start.
      let first =
        ([schedule.start] + schedule.added).map(\.local.wallSeconds).min().map { $0 - 172_800 } ?? 0
      if let i = firsts.firstIndex(where: { $0.name == name }) {
        firsts[i].first = min(firsts[i].first, first)
      } else {
        firsts.append((name, first))
      }
    }
    return firsts.compactMap { name, first in
      zones.zone(named: name)
        .map {
          CalendarZone.component($0, from: Timestamp(seconds: first))
        }
    }
  }

  // MARK: - Tasks

  /// The task of a reminder, the places that it names, and what only we understand of it.
  private func task(
    _ item: CalendarDocument.Item,
    _ places: [Place]
  ) -> (task: (component: CalendarComponent, places: [String]), unseen: [String]) {
    var task = StandardTask.component(
      item,
      places: places,
      zones: zones,
      stamp: stamp,
      here: here
    )
    let reminder = item.reminder
    if !item.answers.isEmpty {
      task.lines.append(Self.own(StandardTask.answersProperty, item.answers))
    }
    let seen = try? StandardTask.read(task, context: CalendarContext(zones))
    let standard =
      seen?.item.reminder ?? Reminder(id: reminder.id, title: "", triggers: [])
    // Those whose names have control characters are not seen as they are.
    var placed = (seen?.places ?? []).filter(places.contains).map(\.id)
    guard standard != reminder else { return ((task, placed), []) }
    var own = reminder
    // What the task says needs not be said twice.
    if own.title == standard.title { own.title = "" }
    if own.notes == standard.notes { own.notes = nil }
    task.lines.append(Self.own(StandardTask.ownProperty, own))
    // Also those that alarms name: another program may take those out, or write them anew.
    for place in places where reminder.aims(at: .place(place.id)) {
      task.lines.append(Self.line(place))
      placed.append(place.id)
    }
    return ((task, placed), reminder.differences(from: standard))
  }

  /// A property of our own: what is stored, as JSON.
  private static func own(_ name: String, _ value: some Encodable) -> CalendarLine {
    do {
      // The one control character that JSON lets stand and a calendar does not.
      let json = try JSONValue(encoding: value).compact.replacing("\u{7F}", with: "\\u007f")
      return CalendarLine(name, text: json)
    } catch {
      preconditionFailure("what is stored of reminders and places can be written: \(error)")
    }
  }
}

extension Reminder {
  /// In what it differs, in words of the reminders file.
  func differences(from other: Reminder) -> [String] {
    var names: [String] = []
    if title != other.title { names.append("control characters in the title") }
    if notes != other.notes { names.append("control characters in the notes") }
    let unseen = triggers.filter { !other.triggers.contains($0) }
    let (mine, theirs) = (triggers.firstSchedule, other.triggers.firstSchedule)
    for trigger in unseen {
      if let mine, let theirs, trigger == .schedule(mine) {
        names += mine.differences(from: theirs)
      } else {
        names.append(trigger.kindName)
      }
    }
    if unseen.isEmpty, triggers != other.triggers { names.append("order of triggers") }
    if conditions != other.conditions { names.append("conditions") }
    if status != other.status { names.append("status \(status.rawValue)") }
    if isMuted != other.isMuted { names.append("being muted") }
    if snooze != other.snooze { names.append("snooze") }
    if priority != other.priority { names.append("priority") }
    if persistence != other.persistence { names.append("persistence") }
    if nag != other.nag { names.append("nag") }
    if expires != other.expires { names.append("end") }
    if tone != other.tone { names.append("tone") }
    if fallbackMinute != other.fallbackMinute { names.append("fallback") }
    return names
  }
}

extension Schedule {
  /// What a task does not say of it: its times it does.
  fileprivate func differences(from other: Schedule) -> [String] {
    var names: [String] = []
    if leads != other.leads { names.append("lead times") }
    if anchor != other.anchor { names.append("anchor \(anchor.rawValue)") }
    if gap != other.gap { names.append("gap \(gap.rawValue)") }
    if rule?.skip != other.rule?.skip { names.append("SKIP") }
    return names.isEmpty ? ["exact form of times"] : names
  }
}

extension Trigger {
  /// What it is called where it is said that others do not understand it.
  fileprivate var kindName: String {
    if case .signal(let name, _, _) = self { return "trigger on \(name)" }
    return switch self {
    case .place(.category(let category), _): "trigger near any \(category.name)"
    case .place(.place(let place), _): "tiers at \(place)"
    case .leave(.category(let category)): "trigger leaving any \(category.name)"
    case .leave(.place(let place)): "trigger leaving \(place)"
    case .schedule(let schedule): "schedule \(schedule)"
    default: "trigger of another kind"
    }
  }
}
