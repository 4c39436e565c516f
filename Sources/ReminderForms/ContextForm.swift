import Basics
import Timeline

/// The form of event-driven reminders (CTX-5.1, CTX-5.2):
/// `{id, title, triggers, conditions, status, createdAt}`, times in milliseconds since 1970.
///
/// A trigger or a condition is an object with its `type` and what the type needs: `days`, `from` and `to` for a
/// window, `place` or `category` for a location, `token` for an app.
public enum ContextForm {
  private enum Kind: String, CaseIterable {
    case window = "TIME_WINDOW"
    case unlock = "PHONE_UNLOCK"
    case location = "LOCATION_ENTER"
    case charging = "CHARGING_STARTED"
    case app = "APP_OPENED"
  }

  private enum State: String, CaseIterable {
    case waiting, fired, expired
  }

  /// The names of the triggers.
  public static let triggerTypes = Kind.allCases.map(\.rawValue)

  private static let keys = ["id", "title", "triggers", "conditions", "status", "createdAt"]
  private static let clauseKeys = ["type", "days", "from", "to", "place", "category", "token"]

  /// Reads a reminder.
  ///
  /// - Parameter here: the zone of times that name none.
  public static func read(
    _ text: String,
    here: UTCOffsetTable = .utc
  ) throws(FormError) -> PlainReminder {
    let reader = try FormReader(text: text, here: here, keys: keys)
    var reminder = PlainReminder(id: try reader.text("id"), title: try reader.text("title"))
    for item in try reader.objects("triggers", keys: clauseKeys) {
      reminder.triggers.append(try clause(item))
    }
    guard !reminder.triggers.isEmpty else { throw reader.failure("triggers", "there must be one") }
    for item in try reader.objects("conditions", keys: clauseKeys) {
      let condition = try clause(item)
      guard case .window = condition else {
        throw item.failure("type", "as a condition write TIME_WINDOW: the others are events")
      }
      reminder.conditions.append(condition)
    }
    switch try reader.choice("status", State.self) {
    case .waiting?: reminder.status = .open
    case .fired?: reminder.status = .fired
    case .expired?: reminder.status = .expired
    case nil: throw reader.failure("status", "write waiting, fired or expired")
    }
    guard let milliseconds = try reader.integer("createdAt") else {
      throw reader.failure("createdAt", "must be a number of milliseconds")
    }
    reminder.createdAt = try reader.onCalendar(
      Timestamp(milliseconds: Int64(milliseconds)),
      "createdAt"
    )
    return reminder
  }

  private static func clause(_ reader: FormReader) throws(FormError) -> PlainReminder.Clause {
    guard let kind = try reader.choice("type", Kind.self) else {
      throw reader.failure("type", "write one of \(triggerTypes.joined(separator: ", "))")
    }
    let place = try reader.optionalText("place")
    let category = try reader.optionalText("category")
    let token = try reader.optionalText("token")
    let days = try reader.weekdays("days")
    let (from, to) = (try reader.minute("from"), try reader.minute("to"))
    if kind != .window, days != nil || from != nil || to != nil {
      throw reader.failure("type", "days, from and to go with TIME_WINDOW only")
    }
    if kind != .location, place != nil || category != nil {
      throw reader.failure("type", "place and category go with LOCATION_ENTER only")
    }
    if kind != .app, token != nil { throw reader.failure("token", "goes with APP_OPENED only") }
    switch kind {
    case .window:
      let window = WeeklyWindow(
        days: days ?? Weekday.allCases,
        startMinute: from ?? 0,
        endMinute: to ?? WeeklyWindow.minutesOfDay
      )
      guard let window else { throw reader.failure("from", "a window that never opens") }
      return .window(window)
    case .unlock: return .unlock
    case .charging: return .charging
    case .location:
      switch (place, category) {
      case (let place?, nil): return .place(place)
      case (nil, let category?): return .category(category)
      default: throw reader.failure("place", "write either place or category")
      }
    case .app:
      guard let token else { throw reader.failure("token", "name the app that was chosen") }
      return .appOpened(token)
    }
  }

  /// Writes a reminder, all keys there.
  public static func write(_ reminder: PlainReminder) throws(FormError) -> String {
    try refuse(!reminder.notes.isEmpty, "notes")
    try refuse(reminder.due != nil, "due")
    try refuse(reminder.zone != nil, "zone")
    try refuse(reminder.repetition != nil, "repetition")
    try refuse(reminder.snoozedUntil != nil, "snoozedUntil")
    try refuse(reminder.tone != nil, "tone")
    try refuse(reminder.priority != nil, "priority")
    try refuse(reminder.updatedAt != nil, "updatedAt")
    try refuse(reminder.completedAt != nil, "completedAt")
    let state: State
    switch reminder.status {
    case .open: state = .waiting
    case .fired: state = .fired
    case .expired: state = .expired
    case .completed: throw FormError("status", "this form has no place for what is completed")
    }
    guard let createdAt = reminder.createdAt else {
      throw FormError("createdAt", "this form needs it")
    }
    for condition in reminder.conditions {
      guard case .window = condition else {
        throw FormError("conditions", "this form has windows of time as conditions only")
      }
    }
    guard !reminder.triggers.isEmpty else { throw FormError("triggers", "this form needs one") }
    var json = JSONText()
    json.add("id", reminder.id)
    json.add("title", reminder.title)
    json.add("triggers", json: JSONText.array(reminder.triggers.map(written)))
    json.add("conditions", json: JSONText.array(reminder.conditions.map(written)))
    json.add("status", state.rawValue)
    json.add("createdAt", json: "\(createdAt.milliseconds)")
    return json.closed
  }

  private static func written(_ clause: PlainReminder.Clause) -> String {
    var json = JSONText()
    switch clause {
    case .window(let window):
      json.add("type", Kind.window.rawValue)
      json.add("days", json: JSONText.array(window.days.map { JSONText.quoted($0.rawValue) }))
      json.add("from", WeeklyWindow.text(ofMinute: window.startMinute))
      json.add("to", WeeklyWindow.text(ofMinute: window.endMinute))
    case .unlock: json.add("type", Kind.unlock.rawValue)
    case .charging: json.add("type", Kind.charging.rawValue)
    case .place(let id):
      json.add("type", Kind.location.rawValue)
      json.add("place", id)
    case .category(let name):
      json.add("type", Kind.location.rawValue)
      json.add("category", name)
    case .appOpened(let token):
      json.add("type", Kind.app.rawValue)
      json.add("token", token)
    }
    return json.closed
  }
}
