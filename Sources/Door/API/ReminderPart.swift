import NearMeEngine
import UserStore

/// Which of a person's reminders are asked for.
///
/// What has ended stays for as long as its owner wants it: whoever shows what is to be done asks for that alone, and for
/// the newest of the rest.
enum ReminderPart: String, Sendable {
  case all
  /// Those that have not ended, in the order of their making; one that was to speak once and has is among them while its
  /// notification is on the screen.
  case active
  /// Those that are done, have spoken their once, or whose days are over, the newest first.
  case ended

  /// A page of them.
  ///
  /// - Parameter ids: only these; nil for all.
  func page(
    _ call: APICall,
    among ids: Set<String>?,
    in store: UserStore
  ) throws -> (items: [Reminder], next: String?) {
    switch self {
    case .all:
      let every = try store.everyReminder().filter { ids?.contains($0.id) ?? true }
      let page = try call.page(every, id: \.id)
      return (Array(page.items), page.next)
    case .active:
      let after = try call.text("after", most: 300)
      let found = try store.openReminders(after: after, among: ids, limit: try call.limit + 1)
      guard let found else { throw APIRefusal.noSuchPage }
      return Self.cut(found.map { ($0, $0.id) }, to: try call.limit)
    case .ended:
      // By the place in the order and not by the id of the last one: it may be reopened before the next page is asked for.
      let after = try call.text("after", most: 300)
      let last = after.flatMap { PastReminder.Cursor($0) }
      guard after == nil || last != nil else { throw APIRefusal.noSuchPage }
      let found = try store.endedReminders(after: last, among: ids, limit: try call.limit + 1)
      return Self.cut(found.map { ($0.reminder, $0.place.text) }, to: try call.limit)
    }
  }

  /// One more than is wanted says whether there is a next page.
  private static func cut(
    _ found: [(reminder: Reminder, place: String)],
    to limit: Int
  ) -> (items: [Reminder], next: String?) {
    let items = found.prefix(limit)
    return (items.map(\.reminder), found.count > limit ? items.last?.place : nil)
  }
}
