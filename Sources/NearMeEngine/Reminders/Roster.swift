import Places
import Timeline

/// What the engine is to remind of, and for whom: reminders, places, what was bought and agreed to.
package struct Roster: Hashable, Sendable, Codable {
  /// In the order in which they were made.
  package private(set) var reminders: [Reminder] = []
  /// Where each of them stands, by id.
  private var positions: [String: Int] = [:]
  /// In order of their ids.
  private(set) var places: [Place] = []
  package var entitlement = Entitlement.premium
  /// Whether the user agrees to be counted; never by default.
  package var allowsAnalytics = false
  /// The ids of the reminders that ended last and are held no longer, oldest first; absent while there is none.
  private var ended: [String]?
  /// The ids of the reminders that are snoozed for the day; absent while there is none.
  private var snoozedToday: [String]?

  /// So many of them are known.
  ///
  /// - Source: changes that are older than an answer come within the same day; few answer more in one.
  private static let mostEnded = 64

  /// Whether a reminder has ended lately.
  func hasEnded(_ id: String) -> Bool { ended?.contains(id) ?? false }

  mutating func noteEnd(of id: String) {
    ended = ((ended ?? []) + [id]).suffix(Self.mostEnded)
  }

  mutating func forgetEnd(of id: String) {
    ended?.removeAll { $0 == id }
    if ended?.isEmpty ?? false { ended = nil }
  }

  /// Whether a reminder is snoozed for the day, and not for a span.
  func isSnoozedToday(_ id: String) -> Bool { snoozedToday?.contains(id) ?? false }

  /// Notes that a reminder was snoozed.
  mutating func noteSnooze(of id: String, isForToday: Bool) {
    snoozedToday?.removeAll { $0 == id }
    if isForToday { snoozedToday = (snoozedToday ?? []) + [id] }
    forgetSnoozesToday()
  }

  /// Forgets which reminders were snoozed for the day and are no longer.
  mutating func forgetSnoozesToday() {
    guard let ids = snoozedToday else { return }
    let rest = ids.filter { self[$0]?.snooze != nil }
    snoozedToday = rest.isEmpty ? nil : rest
  }

  // MARK: Reminders

  /// Adds a reminder of a new id at the end.
  package mutating func append(_ reminder: Reminder) {
    if positions[reminder.id] == nil { positions[reminder.id] = reminders.count }
    reminders.append(reminder)
  }

  /// Takes reminders away.
  mutating func remove(_ ids: Set<String>) {
    let rest = reminders.filter { !ids.contains($0.id) }
    reminders = []
    positions = [:]
    for reminder in rest { append(reminder) }
  }

  /// - Complexity: O(1).
  func index(of id: String) -> Int? { positions[id] }

  /// A reminder by its position; it keeps its id.
  subscript(at r: Int) -> Reminder {
    _read { yield reminders[r] }
    _modify {
      let id = reminders[r].id
      yield &reminders[r]
      precondition(reminders[r].id == id, "a reminder keeps its id")
    }
  }

  subscript(id: String) -> Reminder? { index(of: id).map { reminders[$0] } }

  // MARK: Places

  func place(_ id: String) -> Place? { places.first { $0.id == id } }

  package init() {}

  // Positions follow from the reminders.
  private enum CodingKeys: String, CodingKey {
    case reminders, places, entitlement, allowsAnalytics, ended, snoozedToday
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for reminder in try container.decode([Reminder].self, forKey: .reminders) { append(reminder) }
    places = try container.decode([Place].self, forKey: .places)
    entitlement = try container.decode(Entitlement.self, forKey: .entitlement)
    allowsAnalytics = try container.decode(Bool.self, forKey: .allowsAnalytics)
    ended = try container.decodeIfPresent([String].self, forKey: .ended)
    snoozedToday = try container.decodeIfPresent([String].self, forKey: .snoozedToday)
  }

  package mutating func setPlaces(_ places: [Place]) {
    self.places = places.sorted { $0.id < $1.id }
  }

  /// - Returns: the place as it was before.
  @discardableResult
  mutating func save(_ place: Place) -> Place? {
    let old = self.place(place.id)
    setPlaces(places.filter { $0.id != place.id } + [place])
    return old
  }

  mutating func deletePlace(_ id: String) { places.removeAll { $0.id == id } }

  /// The reminders that may speak, in the order of their making: all that are live or, where the plan has
  /// a limit, the first of them (NM-7.3).
  package func entitled(_ plans: Policy.Plans) -> [String] {
    reminders.lazy.filter(\.isLive).prefix(max(0, plans.liveReminders(of: entitlement) ?? .max))
      .map(\.id)
  }

  /// When the first reminder's days are over.
  func firstEnd(in zone: UTCOffsetTable) -> Timestamp? {
    reminders.indices.reduce(nil) { first, r in
      reminders[r].status == .active ? earliest(first, reminders[r].end(in: zone)) : first
    }
  }

  /// Which reminders' days are over, in order.
  func ended(by now: Timestamp, in zone: UTCOffsetTable) -> [String] {
    reminders.indices
      .filter {
        reminders[$0].status == .active && reminders[$0].end(in: zone).map { $0 <= now } ?? false
      }
      .map { reminders[$0].id }
  }

  /// Whether the plan has room for a reminder; one that is muted takes none.
  func isEntitled(_ id: String, _ plans: Policy.Plans) -> Bool {
    plans.liveReminders(of: entitlement) == nil || entitled(plans).contains(id)
      || reminders.contains { $0.id == id && $0.isMuted }
  }

  /// What a target is called; nil for a place that is gone.
  func name(of target: Reminder.Target) -> String? {
    switch target {
    case .category(let category): category.label
    case .place(let id): place(id)?.name
    }
  }
}
