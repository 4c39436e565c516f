import Basics
import Timeline

/// The form of captured tasks: `{id, text, dueDate, priority, createdAt, completedAt}` (TODO-FR1 to FR3, FR31).
///
/// The document names what a task has and no form; this is the shortest that has it all. A due date has no time.
public enum MorningForm {
  private static let keys = ["id", "text", "dueDate", "priority", "createdAt", "completedAt"]

  /// Reads a task.
  ///
  /// - Parameter here: the zone of times that name none.
  public static func read(
    _ text: String,
    here: UTCOffsetTable = .utc
  ) throws(FormError) -> PlainReminder {
    let reader = try FormReader(text: text, here: here, keys: keys)
    var task = PlainReminder(id: try reader.text("id"), title: try reader.text("text"))
    if let text = try reader.optionalText("dueDate") {
      guard let date = date(text) else {
        throw reader.failure("dueDate", "must be a date such as 2026-02-06, without a time")
      }
      task.due = .date(date)
    }
    task.priority = try reader.choice("priority", PlainReminder.Priority.self)
    guard let createdAt = try reader.instant("createdAt") else {
      throw reader.failure("createdAt", "must be a time such as 2026-02-06T15:00:00Z")
    }
    task.createdAt = createdAt
    task.completedAt = try reader.instant("completedAt")
    task.status = task.completedAt == nil ? .open : .completed
    return task
  }

  private static func date(_ text: String) -> CivilDate? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.count) == [4, 2, 2],
      parts.allSatisfy({ $0.allSatisfy("0123456789".contains) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// Writes a task, all keys there.
  public static func write(_ task: PlainReminder) throws(FormError) -> String {
    try refuse(!task.notes.isEmpty, "notes")
    try refuse(task.zone != nil, "zone")
    try refuse(task.repetition != nil, "repetition")
    try refuse(!task.triggers.isEmpty, "triggers")
    try refuse(!task.conditions.isEmpty, "conditions")
    try refuse(task.snoozedUntil != nil, "snoozedUntil")
    try refuse(task.tone != nil, "tone")
    try refuse(task.updatedAt != nil, "updatedAt")
    var dueDate: String?
    switch task.due {
    case nil: break
    case .date(let date)?:
      dueDate = String(
        RFC3339.format(UTCOffsetTable.utc.instant(of: date, minuteOfDay: 0)).prefix(10)
      )
    case .instant?: throw FormError("due", "this form has dates without a time only")
    }
    guard let createdAt = task.createdAt else { throw FormError("createdAt", "this form needs it") }
    guard task.status == (task.completedAt == nil ? .open : .completed) else {
      throw FormError(
        "status",
        "what is completed has an instant in this form, and nothing else does"
      )
    }
    var json = JSONText()
    json.add("id", task.id)
    json.add("text", task.title)
    json.add("dueDate", dueDate)
    json.add("priority", task.priority?.rawValue)
    json.add("createdAt", RFC3339.format(createdAt))
    json.add("completedAt", task.completedAt.map(RFC3339.format))
    return json.closed
  }
}
