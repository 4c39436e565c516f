import Basics
import Timeline

/// The form of tasks in a voice (MOM-17): `{id, title, time, frequency, momTone, isCompleted}`.
///
/// `time` is written as text; a number is read as Swift's own encoder writes dates, in seconds since 2001.
public enum YourMomForm {
  private enum Frequency: String, CaseIterable {
    case daily, weekly
  }

  private enum Tone: String, CaseIterable {
    case sassy, sweet, chaotic
  }

  private static let keys = ["id", "title", "time", "frequency", "momTone", "isCompleted"]
  /// 2001-01-01T00:00:00Z in seconds since 1970.
  private static let secondsTo2001 = 978_307_200.0

  /// Reads a task.
  ///
  /// - Parameter here: the zone of times that name none.
  public static func read(
    _ text: String,
    here: UTCOffsetTable = .utc
  ) throws(FormError) -> PlainReminder {
    let reader = try FormReader(text: text, here: here, keys: keys)
    let id = try reader.text("id")
    guard isUUID(id) else {
      throw reader.failure("id", "must be a UUID of 32 digits in five groups")
    }
    var task = PlainReminder(id: id, title: try reader.text("title"))
    if case .number? = reader.optional("time"), let seconds = reader.optional("time")?.double {
      guard seconds.magnitude < 1e11 else {
        throw reader.failure("time", "is out of all calendars")
      }
      let milliseconds = ((seconds + secondsTo2001) * 1_000).rounded()
      task.due = .instant(
        try reader.onCalendar(Timestamp(milliseconds: Int64(milliseconds)), "time")
      )
    } else if let instant = try reader.instant("time") {
      task.due = .instant(instant)
    } else {
      throw reader.failure("time", "must be a time such as 2026-02-06T15:00:00Z")
    }
    switch try reader.choice("frequency", Frequency.self) {
    case .daily?: task.repetition = .daily
    case .weekly?: task.repetition = .weekly([])
    case nil: throw reader.failure("frequency", "write daily or weekly")
    }
    guard let tone = try reader.choice("momTone", Tone.self) else {
      throw reader.failure("momTone", "write sassy, sweet or chaotic")
    }
    task.tone = tone.rawValue
    task.status = try reader.bool("isCompleted") ?? false ? .completed : .open
    return task
  }

  /// Whether a text is a UUID: 32 digits in five groups.
  package static func isUUID(_ text: String) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isHexDigit } }
  }

  /// Writes a task, all keys there.
  public static func write(_ task: PlainReminder) throws(FormError) -> String {
    try refuse(!task.notes.isEmpty, "notes")
    try refuse(task.zone != nil, "zone")
    try refuse(!task.triggers.isEmpty, "triggers")
    try refuse(!task.conditions.isEmpty, "conditions")
    try refuse(task.snoozedUntil != nil, "snoozedUntil")
    try refuse(task.priority != nil, "priority")
    try refuse(task.createdAt != nil, "createdAt")
    try refuse(task.updatedAt != nil, "updatedAt")
    try refuse(task.completedAt != nil, "completedAt")
    guard isUUID(task.id) else { throw FormError("id", "this form needs a UUID") }
    guard case .instant(let due)? = task.due else {
      throw FormError("due", "this form needs an instant")
    }
    let frequency: Frequency
    switch task.repetition {
    case .daily?: frequency = .daily
    case .weekly(let days)? where days.isEmpty: frequency = .weekly
    default: throw FormError("repetition", "this form has every day and every week only")
    }
    guard task.tone != nil else {
      throw FormError("tone", "this form needs one: sassy, sweet or chaotic")
    }
    guard let tone = task.tone.flatMap(Tone.init) else {
      throw FormError("tone", "this form has sassy, sweet and chaotic only")
    }
    guard [.open, .completed].contains(task.status) else {
      throw FormError("status", "this form knows done and not done only")
    }
    var json = JSONText()
    json.add("id", task.id)
    json.add("title", task.title)
    json.add("time", RFC3339.format(due))
    json.add("frequency", frequency.rawValue)
    json.add("momTone", tone.rawValue)
    json.add("isCompleted", json: task.status == .completed ? "true" : "false")
    return json.closed
  }
}
