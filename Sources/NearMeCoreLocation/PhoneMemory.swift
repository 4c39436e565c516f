import NearMe

/// What a ``PhoneHost`` keeps from one process to the next, in one piece.
public struct PhoneMemory: Hashable, Sendable, Codable {
  /// The version of this form; newer ones are refused when they are decoded.
  public static let formatVersion = 1

  /// The engine's state.
  public internal(set) var state = EngineState()
  /// The zone by which instants that wait were made of local times.
  var zone: String?
  /// The regions as the system was asked for them.
  var regions: [Region] = []
  /// The ids of those of them that the system says were crossed: until they are asked for anew, it may never say so again.
  var crossed: [String] = []
  /// What the system will show by itself.
  var scheduled: [ReminderNotification] = []
  /// What the system has not taken yet, oldest first.
  var untold: [Telling] = []
  /// The number of the newest telling.
  var serial = 0
  /// The ids of notifications that are to be taken away.
  var removed: [String] = []
  /// Reminders that have ended and that the app has not taken over, oldest first.
  var ended: [Reminder] = []
  /// Whether the system was asked to wake the app when the phone moves, and not asked to stop since.
  var wakesOnMove = false

  /// Something to be told, until the system has taken it.
  struct Telling: Hashable, Sendable, Codable {
    let serial: Int
    let news: ReminderNotification
    let isSilent: Bool
    /// Whether the system is to show it at its instant.
    let isScheduled: Bool
  }

  /// Nothing yet.
  public init() {}

  private enum CodingKeys: String, CodingKey {
    case version, state, zone, regions, crossed, scheduled, untold, serial, removed, ended
    case wakesOnMove
  }

  /// Reads what was kept.
  ///
  /// - Throws: a sentence for what a newer version has written.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard try container.decode(Int.self, forKey: .version) <= Self.formatVersion else {
      throw DecodingError.dataCorruptedError(
        forKey: .version,
        in: container,
        debugDescription: "kept by a newer version of Near Me: update the app"
      )
    }
    state = try container.decode(EngineState.self, forKey: .state)
    zone = try container.decodeIfPresent(String.self, forKey: .zone)
    regions = try container.decode([Region].self, forKey: .regions)
    crossed = try container.decodeIfPresent([String].self, forKey: .crossed) ?? []
    scheduled = try container.decode([ReminderNotification].self, forKey: .scheduled)
    untold = try container.decode([Telling].self, forKey: .untold)
    serial = try container.decode(Int.self, forKey: .serial)
    removed = try container.decode([String].self, forKey: .removed)
    ended = try container.decode([Reminder].self, forKey: .ended)
    // Older versions did not say; what may be on is ended once.
    wakesOnMove = try container.decodeIfPresent(Bool.self, forKey: .wakesOnMove) ?? true
  }

  /// Writes all of it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(state, forKey: .state)
    try container.encodeIfPresent(zone, forKey: .zone)
    try container.encode(regions, forKey: .regions)
    if !crossed.isEmpty { try container.encode(crossed, forKey: .crossed) }
    try container.encode(scheduled, forKey: .scheduled)
    try container.encode(untold, forKey: .untold)
    try container.encode(serial, forKey: .serial)
    try container.encode(removed, forKey: .removed)
    try container.encode(ended, forKey: .ended)
    try container.encode(wakesOnMove, forKey: .wakesOnMove)
  }
}

extension PhoneMemory {
  /// Notes which regions are watched from now on, and which no longer.
  mutating func apply(_ change: RegionChange) {
    regions.removeAll { old in
      change.stop.contains(old.id) || change.start.contains { $0.id == old.id }
    }
    // The nearest first: where the system takes only some, these are they.
    regions = change.start + regions
    crossed.removeAll { change.stop.contains($0) || change.start.map(\.id).contains($0) }
  }

  /// Adds something to be told; what is older and has the same id is not worth telling any more.
  ///
  /// - Parameter underWay: the numbers of what the system has been given and not answered yet.
  mutating func tell(
    _ news: ReminderNotification,
    isSilent: Bool,
    isScheduled: Bool = false,
    underWay: Set<Int> = []
  ) {
    // A replacement of what was never heard is heard.
    let wasUnheard = untold.contains {
      $0.news.id == news.id && !$0.isSilent && !$0.isScheduled && !underWay.contains($0.serial)
    }
    untold.removeAll { $0.news.id == news.id }
    serial += 1
    untold.append(
      Telling(
        serial: serial,
        news: news,
        isSilent: isSilent && !wasUnheard,
        isScheduled: isScheduled
      )
    )
  }

  /// Has what replaced a telling that the system did not take after all be heard in its place.
  ///
  /// - Returns: whether there is such a replacement.
  mutating func hear(insteadOf telling: Telling) -> Bool {
    guard !telling.isSilent, !telling.isScheduled,
      let i = untold.firstIndex(where: {
        $0.news.id == telling.news.id && $0.serial > telling.serial && $0.isSilent
      })
    else { return false }
    untold[i] = Telling(
      serial: untold[i].serial,
      news: untold[i].news,
      isSilent: false,
      isScheduled: untold[i].isScheduled
    )
    return true
  }

  /// Notes that a notification is to be taken away, or not to be shown after all.
  mutating func remove(_ id: String) {
    untold.removeAll { $0.news.id == id }
    scheduled.removeAll { $0.id == id }
    if !removed.contains(id) { removed.append(id) }
  }

  /// What an earlier process told and did not note is not told again; what it showed may say more by now,
  /// without a sound.
  mutating func settle(pending: [String], shown: [String]) {
    untold = untold.compactMap { telling in
      let id = telling.news.id
      if telling.isScheduled {
        let isThere = pending.contains(id) && !removed.contains(id) || shown.contains(id)
        return isThere ? nil : telling
      }
      guard shown.contains(id) else { return telling }
      return Telling(serial: telling.serial, news: telling.news, isSilent: true, isScheduled: false)
    }
  }
}
