import Arrivals
import Fencing
import Geodesy
import Places
import Timeline
import Traces

/// Everything the engine must remember to go on as if it had never stopped.
public struct EngineState: Hashable, Sendable, Codable {
  /// The version of this format: states of it and of those before it can be read, newer ones are
  /// refused when they are decoded.
  ///
  /// - 2: reminders are written as in ``Event``s; consent to analytics.
  public static let formatVersion = 2

  var formatVersion = FormatVersion()
  /// The newest instant that has been handled.
  var now: Timestamp?
  /// What is believed of a stream of fixes.
  var gate = FixGate()
  /// The newest position that was used.
  var lastFix: Fix?
  /// What the arrival detector remembers; nothing if none ever weighed.
  var arrivals = ArrivalMemory()
  /// In the order in which they were made.
  var reminders: [TrackedReminder] = []
  /// In order of their ids.
  var places: [Place] = []
  var entitlement = Entitlement.premium
  var isFocusOn = false
  /// Whether the user agrees to be counted; never by default.
  var isAnalyticsOn = false
  /// Transitions that wait for their reason to end, oldest first.
  var deferred: [Candidate] = []
  /// What is on the screen, oldest first.
  var posted: [ReminderNotification] = []
  /// The notification that news may still join.
  var openBundle: OpenBundle?
  /// What the system will show by itself, earliest first.
  var scheduled: [ReminderNotification] = []
  var lastApproachAt: Timestamp?
  /// The regions that are watched.
  var regions: [RegionPlan.Entry] = []
  var certificate: Certificate?
  /// Where and for whom the present plan was made, while the app follows.
  var standing: StandingPlan?
  /// How many regions the location service took when it last refused one; nil if it never has.
  var acceptedRegions: Int?
  /// What the app may know of the position; nil is everything.
  var access: LocationAccess?
  var notificationSerial = 0
  var safeCircleSerial = 0
  /// When the host was asked to wake the engine.
  var wakeAt: Timestamp?
  /// Up to when the host was asked for every position.
  var followUntil: Timestamp?

  /// Nothing yet.
  public init() {}

  /// Reads a state of this format or of one before it.
  public init(from decoder: any Decoder) throws {
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
    reminders = try container.decode([TrackedReminder].self, forKey: .reminders)
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

  /// The newest instant that has been handled; nil before the first event.
  public var newestInstant: Timestamp? { now }

  /// The reminders as they stand, in the order in which they were made.
  public var currentReminders: [Reminder] { reminders.map(\.reminder) }

  /// The reminders that may speak, in the order of their making: all that are live or, with the free
  /// entitlement, the first three of them (NM-7.3).
  public var entitledReminders: [String] {
    let live = reminders.lazy.map(\.reminder).filter(\.isLive)
    return live.prefix(entitlement.liveReminders ?? .max).map(\.id)
  }

  /// The tiers that a reminder was made with, whatever the defaults are now; nil if there is none of
  /// this id.
  public func tiers(ofReminder id: String) -> [Tier]? {
    reminders.first { $0.reminder.id == id }?.plan.tiers
  }

  /// Whether the user agrees to analytics.
  public var allowsAnalytics: Bool { isAnalyticsOn }

  /// The places, in order of their ids.
  public var currentPlaces: [Place] { places }

  /// How many transitions wait for the reason of their silence to end.
  public var waitingCount: Int { deferred.count { !$0.isRepeat } }

  /// What the present regions guarantee; nil before there are any.
  public var currentCertificate: Certificate? { certificate }

  /// Whether the present regions leave anything at risk.
  package var isAtRisk: Bool { certificate.map { !$0.atRisk.isEmpty } ?? false }

  /// The regions that are watched, as far as the engine knows.
  public var currentRegions: [Region] { regions.map(\.region) }

  /// When the host is to send ``Event/Kind/timer``; nil if at no time.
  public var nextTimer: Timestamp? { wakeAt }
}

/// The notification that news may still join.
struct OpenBundle: Hashable, Sendable, Codable {
  var id: String
  /// When it was first shown: the window counts from then, so that it cannot go on for ever.
  var since: Timestamp
}

/// A reminder with all that is remembered for it.
struct TrackedReminder: Hashable, Sendable, Codable {
  var reminder: Reminder
  var plan: TierPlan
  /// One, or one for each point where fences are per point; none while its place is unknown.
  var watches: [Watch]
  var lastApproachAt: Timestamp?
}

/// A ladder with what was said on it.
struct Watch: Hashable, Sendable, Codable {
  /// The point it stands around, by source id, where fences are per point.
  var poi: String?
  var ladder = Ladder()
  /// Which rings have spoken since they were last left.
  var said: [Bool]
  /// Whether the tier after arrival has been dealt with in this arrival.
  var isPostArrivalDone = false
  /// What was seen when the pending arrival or exit began: nobody looks again when it holds.
  var pendingSpot: Spot?
  /// Where one arrived.
  var arrivalSpot: Spot?
  /// What was last spoken of on the way.
  var saidSpot: Spot?

  init(poi: String?, rings: Int) {
    self.poi = poi
    said = [Bool](repeating: false, count: rings)
  }
}

/// A target as it was seen: what a text and a map need.
struct Spot: Hashable, Sendable, Codable {
  /// Source id of a category's point; nil for places.
  var poi: String?
  /// The name to speak of: the place's, the point's, or the category's.
  var name: String
  var coordinate: Coordinate
  var distanceMeters: Double
}

/// A transition on its way to a decision.
struct Candidate: Hashable, Sendable, Codable {
  var reminder: String
  /// Which watch of the reminder, by its point.
  var watchedPOI: String?
  var tier: Tier
  /// How deep: the ring's number, and one more for what comes after the last.
  var depth: Int
  var at: Timestamp
  var spot: Spot
  /// Whether places crowded where it happened.
  var isDense: Bool
  /// Says again what was said before a snooze; not a new transition.
  var isRepeat = false
  /// Whether it waited for a snooze once; nil is no.
  var wasSnoozed: Bool?
  /// Why it waits, while it does.
  var silence: Silence?
  /// Until when it waits; nil: until the reason ends.
  var until: Timestamp?
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
