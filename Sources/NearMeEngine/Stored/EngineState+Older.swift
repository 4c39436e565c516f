import Arrivals
import Fencing
import Places
import Timeline
import Traces

/// A state as formats 1 and 2 have it.
struct OlderState: Codable {
  var formatVersion = FormatVersion()
  var now: Timestamp?
  var gate = FixGate()
  var lastFix: Fix?
  var arrivals = ArrivalMemory()
  var reminders: [Tracked] = []
  var places: [Place] = []
  var entitlement = Entitlement.premium
  var isFocusOn = false
  var isAnalyticsOn = false
  var deferred: [Candidate] = []
  var posted: [ReminderNotification] = []
  var openBundle: OpenBundle?
  var scheduled: [ReminderNotification] = []
  var lastApproachAt: Timestamp?
  var regions: [RegionPlan.Entry] = []
  var certificate: Certificate?
  var standing: StandingPlan?
  var acceptedRegions: Int?
  var access: LocationAccess?
  var notificationSerial = 0
  var safeCircleSerial = 0
  var wakeAt: Timestamp?
  var followUntil: Timestamp?

  struct Tracked: Codable {
    var reminder: Reminder
    var plan: TierPlan
    var watches: [PlaceLadder]
    var lastApproachAt: Timestamp?
  }

  struct Candidate: Codable {
    var reminder: String
    var watchedPOI: String?
    var tier: Tier
    var depth: Int
    var at: Timestamp
    var spot: Spot
    var isDense: Bool
    var isRepeat: Bool
    var wasSnoozed: Bool?
    var silence: Silence?
    var until: Timestamp?
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func optional<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
      try container.decodeIfPresent(Value.self, forKey: key)
    }
    formatVersion = try container.decode(FormatVersion.self, forKey: .formatVersion)
    now = try optional(.now)
    gate = try container.decode(FixGate.self, forKey: .gate)
    lastFix = try optional(.lastFix)
    // Evidence of the last minutes: what another version's detector gathered is gathered anew.
    arrivals = ArrivalMemory(try? optional(.arrivals))
    reminders = try container.decode([Tracked].self, forKey: .reminders)
    places = try container.decode([Place].self, forKey: .places)
    entitlement = try container.decode(Entitlement.self, forKey: .entitlement)
    isFocusOn = try container.decode(Bool.self, forKey: .isFocusOn)
    isAnalyticsOn = try optional(.isAnalyticsOn) ?? false
    deferred = try container.decode([Candidate].self, forKey: .deferred)
    posted = try container.decode([ReminderNotification].self, forKey: .posted)
    openBundle = try optional(.openBundle)
    scheduled = try container.decode([ReminderNotification].self, forKey: .scheduled)
    lastApproachAt = try optional(.lastApproachAt)
    regions = try container.decode([RegionPlan.Entry].self, forKey: .regions)
    certificate = try optional(.certificate)
    standing = try optional(.standing)
    acceptedRegions = try optional(.acceptedRegions)
    access = try optional(.access)
    notificationSerial = try container.decode(Int.self, forKey: .notificationSerial)
    safeCircleSerial = try container.decode(Int.self, forKey: .safeCircleSerial)
    wakeAt = try optional(.wakeAt)
    followUntil = try optional(.followUntil)
  }

  /// The same as the parts of the engine have it.
  var state: EngineState {
    var state = EngineState()
    state.now = now
    state.wakeAt = wakeAt
    state.roster.reminders = reminders.map(\.reminder)
    state.roster.setPlaces(places)
    state.roster.entitlement = entitlement
    state.roster.allowsAnalytics = isAnalyticsOn
    state.surroundings = Surroundings(isFocusOn: isFocusOn, access: access)
    state.places.gate = gate
    state.places.lastFix = lastFix
    state.places.arrivals = arrivals
    for tracked in reminders {
      state.places.append(PlaceAim(tracked.reminder, tracked.plan, first: 0), tracked.watches)
    }
    state.waiting.occasions = deferred.map(\.occasion)
    state.waiting.cooldowns = Cooldowns(
      lastApproachAt: lastApproachAt,
      ofReminders: reminders.compactMap { tracked in
        tracked.lastApproachAt.map { Cooldowns.Spent(reminder: tracked.reminder.id, at: $0) }
      }
    )
    state.screen = Screen(
      posted: posted,
      openBundle: openBundle,
      scheduled: scheduled,
      serial: notificationSerial
    )
    state.regions = RegionWatch.State(
      regions: regions,
      certificate: certificate,
      standing: standing,
      acceptedRegions: acceptedRegions,
      safeCircleSerial: safeCircleSerial,
      followUntil: followUntil
    )
    return state
  }
}

extension OlderState.Candidate {
  var occasion: Occasion {
    let key = OccasionKey(
      reminder: reminder,
      trigger: 0,
      poi: watchedPOI,
      tier: tier,
      depth: depth
    )
    var occasion = Occasion(key, at: at, spot: spot, isRepeat: isRepeat)
    occasion.isDense = isDense
    occasion.wasSnoozed = wasSnoozed ?? false
    occasion.silence = silence
    occasion.until = until
    return occasion
  }
}

/// The version that a stored state was written with.
struct FormatVersion: Hashable, Sendable, Codable {
  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let version = try container.decode(Int.self)
    guard (1...EngineState.formatVersion).contains(version) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "the state has format \(version), and this engine reads 1 to "
          + "\(EngineState.formatVersion): use the newer version that wrote it, or start with a new "
          + "state"
      )
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(EngineState.formatVersion)
  }
}

extension EngineState: Codable {
  /// Reads a state of this format or of one before it.
  public init(from decoder: any Decoder) throws { self = try OlderState(from: decoder).state }

  /// Writes a state to store it.
  public func encode(to encoder: any Encoder) throws { try OlderState(self).encode(to: encoder) }
}

extension OlderState {
  init(_ state: EngineState) {
    now = state.now
    gate = state.places.gate
    lastFix = state.places.lastFix
    arrivals = state.places.arrivals
    reminders = zip(state.roster.reminders, state.places.aims)
      .map { reminder, aim in
        Tracked(
          reminder: reminder,
          plan: aim.plan,
          watches: Array(state.places.ladders[aim.range]),
          lastApproachAt: state.waiting.cooldowns.lastApproach(of: reminder.id)
        )
      }
    places = state.roster.places
    entitlement = state.roster.entitlement
    isFocusOn = state.surroundings.isFocusOn
    isAnalyticsOn = state.roster.allowsAnalytics
    deferred = state.waiting.occasions.compactMap { occasion in
      occasion.spot.map { spot in
        Candidate(
          reminder: occasion.reminder,
          watchedPOI: occasion.key.poi,
          tier: occasion.tier,
          depth: occasion.key.depth,
          at: occasion.at,
          spot: spot,
          isDense: occasion.isDense,
          isRepeat: occasion.isRepeat,
          wasSnoozed: occasion.wasSnoozed ? true : nil,
          silence: occasion.silence,
          until: occasion.until
        )
      }
    }
    posted = state.screen.posted
    openBundle = state.screen.openBundle
    scheduled = state.screen.scheduled
    lastApproachAt = state.waiting.cooldowns.lastApproachAt
    regions = state.regions.regions
    certificate = state.regions.certificate
    standing = state.regions.standing
    acceptedRegions = state.regions.acceptedRegions
    access = state.surroundings.access
    notificationSerial = state.screen.serial
    safeCircleSerial = state.regions.safeCircleSerial
    wakeAt = state.wakeAt
    followUntil = state.regions.followUntil
  }
}
