import Basics
import NearMeEngine
import Places
import Recurrence
import Timeline
import UserStore

/// A reminder as a client sends it: in the form of the reminders file.
struct ReminderForm: Sendable {
  /// The id that the client chose; nil for none.
  let id: String?
  private let sent: Reminder

  /// What is taken, and what is only told, and passed over where it comes back.
  private static let keys = [
    "id", "title", "notes", "target", "tiers", "triggers", "window", "conditions", "priority",
    "persistence", "nag", "expires", "tone", "fallback",
  ]
  private static let told = [
    "status", "muted", "snoozed_until", "done_at", "standing", "sentence", "etag", "next", "near",
    "waits",
  ]
  /// More than any sentence says: what a reminder listens to is looked at with every fix.
  private static let most = 20

  init(_ value: JSONValue) throws(APIRefusal) {
    let body = try APIBody(value, keys: Self.keys + Self.told)
    try Self.checkTold(body)
    id = try body.text("id", most: UserStore.longestID)
    _ = try body.needed("title", most: UserStore.longestTitle)
    if let notes = body["notes"] {
      guard let text = notes.text, text.count <= UserStore.longestNotes else {
        throw .badMember("notes", "must be a text of at most \(UserStore.longestNotes) characters")
      }
    }
    try body.refuseNull(
      "target",
      "tiers",
      "triggers",
      "window",
      "conditions",
      "priority",
      "persistence",
      "nag",
      "expires",
      "tone",
      "fallback"
    )
    _ = try body.list("triggers", most: Self.most)
    _ = try body.list("conditions", most: Self.most)
    _ = try body.list("tiers", most: Self.most)
    _ = try body.integer("priority", in: -1_000...1_000)
    _ = try body.text("tone", most: 60)
    guard body["target"] == nil || body["triggers"] == nil else {
      throw .badMember("target", "stands beside triggers: put it among them")
    }
    guard body["tiers"] == nil || body["target"] != nil else {
      throw .badMember("tiers", "belong to a target")
    }
    try Self.checkParts(body)
    var members: JSONValue.Members = [("id", .string("new"))]
    for key in Self.keys where key != "id" {
      if let value = body[key] { members.append((key, value)) }
    }
    // One without a reason to speak stands on the list alone.
    if body["target"] == nil, body["triggers"] == nil { members.append(("triggers", .array([]))) }
    do {
      sent = try JSONValue.object(members).decoded(Reminder.self)
    } catch {
      throw Self.refusal(of: error)
    }
  }

  /// What is passed over must be of the kind that was told: anything else is a mistake.
  private static func checkTold(_ body: APIBody) throws(APIRefusal) {
    try body.refuseNull("status", "muted", "snoozed_until", "done_at", "standing", "etag")
    for key in ["status", "snoozed_until", "done_at", "standing", "sentence", "etag"] {
      if let value = body[key], value.text == nil { throw .badMember(key, "must be a text") }
    }
    _ = try body.bool("muted")
    for key in ["next", "near", "waits"] {
      if let value = body[key], value.members == nil { throw .badMember(key, "must be an object") }
    }
  }

  private static func refusal(of error: any Error) -> APIRefusal {
    guard let error = error as? DecodingError else {
      return .badMember("the reminder", "\(error)")
    }
    let (context, key): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .dataCorrupted(let context): (context, nil)
      case .keyNotFound(let key, let context): (context, key)
      case .typeMismatch(_, let context), .valueNotFound(_, let context): (context, nil)
      @unknown default:
        (DecodingError.Context(codingPath: [], debugDescription: "cannot be read"), nil)
      }
    let path = (context.codingPath + (key.map { [$0] } ?? []))
      .map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    return .badMember(path.isEmpty ? "the reminder" : path, context.debugDescription)
  }

  /// The reminder, new.
  func reminder(id: String) -> Reminder { Reminder(sent, id: id) }

  /// Refuses what no place is: it would never speak.
  ///
  /// - Parameter known: the categories of the door's places; none if it has no places.
  func refuseCategories(but known: [CategoryID]) throws(APIRefusal) {
    guard !known.isEmpty,
      let unknown = reminder(id: "").categories.first(where: { !known.contains($0) })
    else { return }
    throw .badMember("category", APIRefusal.unknown(unknown, among: known))
  }

  /// Takes the place of what an owner can edit.
  func apply(to reminder: inout Reminder) {
    reminder.title = sent.title
    reminder.notes = sent.notes
    reminder.triggers = sent.triggers
    reminder.conditions = sent.conditions
    reminder.priority = sent.priority
    reminder.persistence = sent.persistence
    reminder.nag = sent.nag
    reminder.expires = sent.expires
    reminder.tone = sent.tone
    reminder.fallbackMinute = sent.fallbackMinute
  }
}

/// An answer as a client sends it, or a button has it.
struct AnswerForm: Hashable, Sendable {
  /// What a reminder can be answered.
  static let ofReminders = ["complete", "snooze", "mute", "unmute", "dismiss", "reopen"]
  /// What a notification can be answered.
  static let ofNotifications = ["complete", "snooze", "mute", "dismiss"]
  /// Half a year: beyond it, what is meant is to mute.
  private static let longestSeconds = 183 * 86_400

  /// What the engine is told.
  let action: ReminderAction
  /// The line that is meant; nil: all of them.
  let reminder: String?

  /// Reads `{"action": "snooze", "for_s": 3600}` and the like.
  init(_ value: JSONValue, actions: [String]) throws(APIRefusal) {
    let keys = ["action", "for_s", "until"]
    let isOfNotification = actions == Self.ofNotifications
    let body = try APIBody(value, keys: keys + (isOfNotification ? ["reminder"] : []))
    try body.refuseNull("action", "for_s", "until")
    reminder = isOfNotification ? try body.text("reminder", most: UserStore.longestID) : nil
    guard let word = try body.word("action", of: actions) else {
      throw .badMember("action", "is missing")
    }
    let seconds = try body.integer("for_s", in: 60...Self.longestSeconds)
    let until = try body.word("until", of: ["today", "next-arrival"])
    guard word == "snooze" else {
      guard seconds == nil, until == nil else {
        throw .badMember("action", "for_s and until belong to a snooze")
      }
      action = try Self.plain(word)
      return
    }
    switch (seconds, until) {
    case (let seconds?, nil): action = .snoozeFor(.seconds(Int64(seconds)))
    case (nil, "today"): action = .snoozeToday
    case (nil, .some): action = .snoozeUntilNextArrival
    default: throw .badMember("for_s", "a snooze has either for_s or until")
    }
  }

  private static func plain(_ word: String) throws(APIRefusal) -> ReminderAction {
    switch word {
    case "complete": .complete
    case "mute": .mute
    case "unmute": .unmute
    case "dismiss": .dismiss
    case "reopen": .reopen
    default: throw .badMember("action", "is not known")
    }
  }

  /// What a button says.
  init(_ action: ReminderAction) {
    self.action = action
    reminder = nil
  }

  /// Whether it harms nobody when several things are meant at once.
  var isForSeveral: Bool {
    switch action {
    case .snoozeFor, .snoozeToday, .snoozeUntilNextArrival, .dismiss: true
    default: false
    }
  }

  /// Carries it out.
  ///
  /// - Throws: ``EditRefusal``, or what the store throws.
  func apply(
    to id: String,
    in store: UserStore,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws {
    guard action != .dismiss else {
      _ = try store.dismiss(id, at: now).get()
      return
    }
    _ = try store.act(action, on: id, at: now, zone: zone).get()
  }
}
