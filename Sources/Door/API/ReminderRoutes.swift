import Basics
import HTTPTypes
import NearMeEngine
import Places
import Timeline
import UserStore

/// Reminders: to look at, to make, to change and to answer.
struct ReminderRoutes: Sendable {
  let side: PersonSide

  var routes: [APIRoute] {
    [
      APIRoute(method: .get, path: "/reminders", scope: .read, handler: list),
      APIRoute(
        method: .post,
        path: "/reminders",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "reminders"
      ) { call in
        let form = try ReminderForm(call.body)
        // Sent again after it was done, it finds what it made.
        if call.begunAt == nil { try form.refuseCategories(but: side.points.categories) }
        let wanted = form.id
        return try await add(call, id: wanted) { form.reminder(id: $0) }
      },
      APIRoute(method: .get, path: "/reminders/:id", scope: .read) { call in
        let (json, etag) = try await picture(call, call.id)
        return .thing(json, etag: etag)
      },
      APIRoute(
        method: .put,
        path: "/reminders/:id",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "reminders",
        handler: edit
      ),
      APIRoute(
        method: .delete,
        path: "/reminders/:id",
        scope: .write,
        isKept: true,
        edits: "reminders",
        handler: delete
      ),
      APIRoute(
        method: .post,
        path: "/reminders/:id/answers",
        scope: .write,
        hasBody: true,
        isKept: true,
        edits: "reminders",
        handler: answer
      ),
    ]
  }

  private func desk(_ call: APICall) -> Desk { side.household.desk(call.person) }

  // MARK: Looking

  private func list(_ call: APICall) async throws -> APIReply {
    let text = try call.text("text", most: 200)
    let part = try part(call)
    let words = try words(call)
    let (setup, zone, now) = (side.setup, try zone(call), call.now)
    return try await desk(call)
      .look { store, state, _ in
        let found = try text.map { Set(try store.search($0)) }
        let page = try part.page(call, among: found, in: store)
        let picture = try ReminderPicture(store, state, setup, zone: zone, words: words, at: now)
        return .page(try page.items.map(picture.json), next: page.next)
      }
  }

  /// Which reminders are asked for.
  private func part(_ call: APICall) throws -> ReminderPart {
    guard let word = try call.query("status") else { return .all }
    guard let part = ReminderPart(rawValue: word), part != .all else {
      throw APIRefusal.badQuery("status", "must be active or ended")
    }
    return part
  }

  /// A reminder as it stands, and its ETag.
  func picture(_ call: APICall, _ id: String) async throws -> (json: String, etag: String) {
    let words = try words(call)
    let (setup, zone, now) = (side.setup, try zone(call), call.now)
    return try await desk(call)
      .look { store, state, _ in
        guard let reminder = try store.reminders(withIDs: [id]).first else {
          throw APIRefusal.notFound(id)
        }
        let picture = try ReminderPicture(store, state, setup, zone: zone, words: words, at: now)
        return (try picture.json(reminder), try ReminderPicture.etag(reminder))
      }
  }

  /// A door without its languages says nothing back in words, and does all else.
  private func words(_ call: APICall) throws -> SentenceWords? {
    let locale = try side.settings(of: call.person).locale ?? Languages.usual
    return try? side.languages.words(locale)
  }

  private func zone(_ call: APICall) throws -> UTCOffsetTable {
    side.zone(try side.settings(of: call.person))
  }

  // MARK: Changing

  /// Makes a reminder.
  ///
  /// One that was begun before, and may have been made, is looked for first.
  func add(
    _ call: APICall,
    id: String?,
    _ make: @escaping @Sendable (String) -> Reminder
  ) async throws -> APIReply {
    let (now, zone, begunAt) = (call.now, try zone(call), call.begunAt)
    let made = try await desk(call)
      .edit { store in
        if let begunAt, let found = try Self.made(make, since: begunAt, in: store) { return found }
        return try store.addReminder(id: id, at: now, zone: zone, make).get()
      }
    let (json, etag) = try await picture(call, made.id)
    return .thing(
      json,
      etag: etag,
      status: .created,
      location: "\(APIRoutes.root)/reminders/\(made.id)"
    )
  }

  /// The reminder that was made of the same words since an instant.
  private static func made(
    _ make: (String) -> Reminder,
    since instant: Timestamp,
    in store: UserStore
  ) throws -> Reminder? {
    let dates = try store.reminderDates()
    return try store.everyReminder()
      .first { reminder in
        guard let made = dates[reminder.id]?.made, made >= instant else { return false }
        let wanted = make(reminder.id)
        return reminder.title == wanted.title && reminder.triggers == wanted.triggers
          && reminder.conditions == wanted.conditions
      }
  }

  private func edit(_ call: APICall) async throws -> APIReply {
    try call.ifMatch(isNeeded: true)
    let form = try ReminderForm(call.body)
    guard form.id == nil || form.id == call.id else {
      throw APIRefusal.badMember("id", "must be that of the address: a reminder keeps its id")
    }
    let (id, now, zone) = (call.id, call.now, try zone(call))
    try await desk(call)
      .edit { store in
        guard let old = try store.reminders(withIDs: [id]).first else {
          throw APIRefusal.notFound(id)
        }
        // One that it has already may be of another cache.
        try form.refuseCategories(but: side.points.categories + old.categories)
        // Sent again after it was done, it finds what it made.
        if call.begunAt == nil { try call.match(try ReminderPicture.etag(old), isNeeded: true) }
        let changed = try store.editReminder(id, at: now, zone: zone) { form.apply(to: &$0) }
        switch changed {
        case .success, .failure(.nothingToChange): break
        // It may have ended since it was done.
        case .failure(.completed), .failure(.hasExpired):
          if call.begunAt == nil { _ = try changed.get() }
        case .failure(let refusal): throw refusal
        }
      }
    let (json, etag) = try await picture(call, id)
    return .thing(json, etag: etag)
  }

  private func delete(_ call: APICall) async throws -> APIReply {
    try call.ifMatch(isNeeded: false)
    let (id, now) = (call.id, call.now)
    try await desk(call)
      .edit { store in
        guard let old = try store.reminders(withIDs: [id]).first else {
          if call.begunAt != nil { return }
          throw APIRefusal.notFound(id)
        }
        try call.match(try ReminderPicture.etag(old), isNeeded: false)
        _ = try store.deleteReminder(id, at: now).get()
      }
    return .done
  }

  private func answer(_ call: APICall) async throws -> APIReply {
    let answer = try AnswerForm(call.body, actions: AnswerForm.ofReminders)
    let (id, now, zone) = (call.id, call.now, try zone(call))
    try await desk(call)
      .edit { store in
        // Done once more, what recurs would be done ahead.
        if let begunAt = call.begunAt, answer.action == .complete,
          try store.isAnswered(id, since: begunAt)
        {
          return
        }
        do {
          // One that was to speak once, and has, is open as it is: it would say the same again.
          if answer.action == .reopen, try Self.isSpokenAndOpen(id, in: store) {
            throw EditRefusal.nothingToChange(id)
          }
          try answer.apply(to: id, in: store, at: now, zone: zone)
        } catch let refusal as EditRefusal where call.begunAt != nil && refusal.isSoAlready {
          // It was done before the door was killed.
        }
      }
    let (json, etag) = try await picture(call, id)
    return .thing(json, etag: etag)
  }

  /// Whether a reminder was to speak once, and has, and can still be answered.
  private static func isSpokenAndOpen(_ id: String, in store: UserStore) throws -> Bool {
    let reminder = try store.reminders(withIDs: [id]).first
    return try reminder?.status == .fired && store.endedAt(id) == nil
  }
}

extension EditRefusal {
  /// Whether things are as they were asked to be.
  var isSoAlready: Bool {
    switch self {
    case .nothingToChange, .completed: true
    default: false
    }
  }
}
