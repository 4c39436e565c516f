import Arrivals
import Fencing
import Places
import Timeline
import Traces

/// A state as it is stored: one object for each part of the engine, each with a version of its own.
extension EngineState: Codable {
  private enum Key: String, CodingKey {
    case formatVersion, now, wakeAt
    case roster, surroundings, places, clock, signals, waiting, screen, regions
  }

  /// Reads a state of this format or of one before it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .formatVersion)
    guard (1...Self.formatVersion).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .formatVersion,
        in: container,
        debugDescription: "the state has format \(version), and this engine reads 1 to "
          + "\(Self.formatVersion): use the newer version that wrote it, or start with a new state"
      )
    }
    guard version == Self.formatVersion else {
      self = try OlderState(from: decoder).state
      return
    }
    func part<Part: StoredPart>(_ key: Key) throws -> Part {
      try container.decode(VersionedPart<Part>.self, forKey: key).part
    }
    self.init()
    now = try container.decodeIfPresent(Timestamp.self, forKey: .now)
    wakeAt = try container.decodeIfPresent(Timestamp.self, forKey: .wakeAt)
    roster = try part(.roster)
    surroundings = try part(.surroundings)
    places = try part(.places)
    clock = try part(.clock)
    signals = try part(.signals)
    waiting = try part(.waiting)
    screen = try part(.screen)
    regions = try part(.regions)
    guard places.follow(roster.reminders) else {
      throw DecodingError.dataCorruptedError(
        forKey: .places,
        in: container,
        debugDescription: "the state aims at places for reminders that it does not have"
      )
    }
  }

  /// Writes a state to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.formatVersion, forKey: .formatVersion)
    try container.encodeIfPresent(now, forKey: .now)
    try container.encodeIfPresent(wakeAt, forKey: .wakeAt)
    try container.encode(VersionedPart(part: roster), forKey: .roster)
    try container.encode(VersionedPart(part: surroundings), forKey: .surroundings)
    try container.encode(VersionedPart(part: places), forKey: .places)
    try container.encode(VersionedPart(part: clock), forKey: .clock)
    try container.encode(VersionedPart(part: signals), forKey: .signals)
    try container.encode(VersionedPart(part: waiting), forKey: .waiting)
    try container.encode(VersionedPart(part: screen), forKey: .screen)
    try container.encode(VersionedPart(part: regions), forKey: .regions)
  }
}

/// A part of the engine's state, with the version of its own form.
protocol StoredPart: Codable {
  static var formatVersion: Int { get }
}

private struct VersionedPart<Part: StoredPart>: Codable {
  let part: Part

  private enum Key: String, CodingKey {
    case version, state
  }

  init(part: Part) { self.part = part }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard (1...Part.formatVersion).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .version,
        in: container,
        debugDescription: "this part has form \(version), and this engine reads up to "
          + "\(Part.formatVersion): use the newer version that wrote it"
      )
    }
    part = try container.decode(Part.self, forKey: .state)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Part.formatVersion, forKey: .version)
    try container.encode(part, forKey: .state)
  }
}

extension Roster: StoredPart { static let formatVersion = 1 }
extension Surroundings: StoredPart { static let formatVersion = 1 }

extension SignalWatch.State: StoredPart {
  /// - 2: what was told of a moment.
  static let formatVersion = 2

  private enum Key: String, CodingKey {
    case heard, asked, said
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    heard = try container.decode([String].self, forKey: .heard)
    asked = try container.decode([String].self, forKey: .asked)
    said = try container.decodeIfPresent([Occasion].self, forKey: .said) ?? []
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(heard, forKey: .heard)
    try container.encode(asked, forKey: .asked)
    if !said.isEmpty { try container.encode(said, forKey: .said) }
  }
}
extension Waiting: StoredPart { static let formatVersion = 1 }
extension Screen: StoredPart { static let formatVersion = 1 }
extension RegionWatch.State: StoredPart { static let formatVersion = 1 }

// MARK: Places

extension PlaceWatch.State: StoredPart {
  static let formatVersion = 1

  private enum Key: String, CodingKey {
    case gate, lastFix, arrivals, lateness, aims
  }

  private struct StoredAim: Codable {
    let reminder: String
    let trigger: Int
    let target: Reminder.Target
    let plan: TierPlan
    let hasOwnTiers: Bool
    /// Absent for what speaks.
    let role: PlaceAim.Role?
    let ladders: [PlaceLadder]
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init()
    gate = try container.decode(FixGate.self, forKey: .gate)
    lastFix = try container.decodeIfPresent(Fix.self, forKey: .lastFix)
    // Evidence of the last minutes: what another version's detector gathered is gathered anew.
    arrivals = ArrivalMemory(
      try? container.decodeIfPresent(ArrivalDetector.State.self, forKey: .arrivals)
    )
    lateness = try container.decodeIfPresent(Lateness.self, forKey: .lateness) ?? Lateness()
    for stored in try container.decode([StoredAim].self, forKey: .aims) {
      let aim = PlaceAim(
        stored.reminder,
        trigger: stored.trigger,
        stored.target,
        role: stored.role ?? .speaks,
        stored.plan,
        hasOwnTiers: stored.hasOwnTiers
      )
      append(aim, stored.ladders)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(gate, forKey: .gate)
    try container.encodeIfPresent(lastFix, forKey: .lastFix)
    try container.encodeIfPresent(arrivals.state, forKey: .arrivals)
    if lateness != Lateness() { try container.encode(lateness, forKey: .lateness) }
    let stored = aims.map { aim in
      StoredAim(
        reminder: aim.reminder,
        trigger: aim.trigger,
        target: aim.target,
        plan: aim.plan,
        hasOwnTiers: aim.hasOwnTiers,
        role: aim.role == .speaks ? nil : aim.role,
        ladders: Array(ladders[aim.range])
      )
    }
    try container.encode(stored, forKey: .aims)
  }
}

// MARK: Occasions

extension OccasionKey: Codable {
  private enum Key: String, CodingKey {
    case reminder, trigger, step, depth, poi, id, at
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    reminder = try container.decode(String.self, forKey: .reminder)
    trigger = try container.decode(Int.self, forKey: .trigger)
    switch try container.decode(Step.self, forKey: .step) {
    case .tier(let tier):
      happening = .rung(
        tier,
        depth: try container.decode(Int.self, forKey: .depth),
        poi: try container.decodeIfPresent(String.self, forKey: .poi)
      )
    case .signal(let name):
      happening = .edge(name: name, id: try container.decode(String.self, forKey: .id))
    case .leave:
      happening = .left(
        at: try container.decode(Timestamp.self, forKey: .at),
        poi: try container.decodeIfPresent(String.self, forKey: .poi)
      )
    case let time: happening = .due(time)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(trigger, forKey: .trigger)
    try container.encode(step, forKey: .step)
    switch happening {
    case .rung(_, let depth, let poi):
      try container.encode(depth, forKey: .depth)
      try container.encodeIfPresent(poi, forKey: .poi)
    case .due: break
    case .edge(_, let id): try container.encode(id, forKey: .id)
    case .left(let at, let poi):
      try container.encode(at, forKey: .at)
      try container.encodeIfPresent(poi, forKey: .poi)
    }
  }
}
