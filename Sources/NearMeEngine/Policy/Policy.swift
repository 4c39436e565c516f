import Arrivals
import Fencing
import Places
import Timeline
import Traces

/// Every number that decides what is said and when, as data.
///
/// The defaults are those of the engine specification; `nearme policy show` prints them with the
/// meaning of each.
///
/// ```swift
/// var policy = Policy()
/// policy.monitor = .ios
/// policy.quietHours = DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60)
/// ```
public struct Policy: Hashable, Sendable, Codable {
  /// Which tiers targets have when a reminder names none.
  public var tiers = Tiers()
  /// How positions become transitions; arrivals are weighed.
  public var fencing = FencingSettings.weighing
  /// How arrivals are weighed, where `fencing.arrivalDetection` is the posterior.
  public var arrival = ArrivalSettings()
  /// Which positions are believed.
  public var gate = FixGateSettings()
  /// What becomes one notification.
  public var bundle = Bundle()
  /// How often the way somewhere may be mentioned.
  public var cooldown = Cooldown()
  /// How long a reminder may be put off.
  public var snooze = Snooze()
  /// How times are kept.
  public var schedules = Schedules()
  /// What plans have room for.
  public var plans = Plans()
  /// When nothing is said.
  public var quietHours: DailyWindow?
  /// How distances are worded.
  public var text = Text()
  /// What the planner may ask of the phone.
  public var monitor = Monitor()
  /// What is done without for the battery's sake.
  public var power = Power()

  /// The defaults.
  public init() {}

  /// The defaults, but for arrivals, which are measured by radius and time.
  ///
  /// Then positions alone decide, and an app that is woken for regions finds what one finds that sees
  /// every fix.
  public static let measuring: Policy = {
    var policy = Policy()
    policy.fencing.arrivalDetection = .radius
    return policy
  }()

  /// How times are kept.
  public struct Schedules: Hashable, Sendable, Codable {
    /// When a date without a time is due, and what a snooze for today held back, in minutes after midnight.
    public var minuteOfDay = 9 * 60
    /// How many notifications the system shows by itself at most, of all reminders.
    ///
    /// - Source: iOS keeps the soonest 64 and forgets the others.
    public var mostPending = 64
    /// Whether the engine asks to be woken at times.
    public var timers = Timers.allowed

    /// The defaults.
    public init() {}
  }

  /// Whether the engine asks to be woken at times.
  public enum Timers: String, Hashable, Sendable, Codable, CaseIterable {
    /// It does, and has the system show what is due by itself.
    case allowed
    /// It does neither: what is due is told at the next event, whatever that is.
    case none
  }

  /// What plans have room for.
  public struct Plans: Hashable, Sendable, Codable {
    /// So many reminders speak at once without a purchase; nil: any number.
    ///
    /// - Source: NM-7.3.
    public var freeLiveReminders: Int? = 3

    /// The defaults.
    public init() {}

    /// How many reminders may be live; nil is any number.
    public func liveReminders(of entitlement: Entitlement) -> Int? {
      entitlement == .free ? freeLiveReminders : nil
    }
  }

  /// Which tiers targets have when a reminder names none.
  public struct Tiers: Hashable, Sendable, Codable {
    /// For the nearest of a category.
    public var category: [Tier] = [
      .approach(miles: 5), .approach(miles: 3), .approach(miles: 1), .arrival,
      .postArrival(delay: .minutes(5)),
    ]
    /// For home.
    public var home: [Tier] = [.approach(miles: 2), .arrival, .postArrival(delay: .minutes(5))]
    /// For work.
    public var work: [Tier] = [.approach(miles: 2), .arrival, .postArrival(delay: .minutes(5))]
    /// For any other place.
    public var other: [Tier] = [.approach(miles: 5), .arrival, .postArrival(delay: .minutes(5))]
    /// Radius of arrival where a place has none of its own, in meters.
    public var arrivalRadiusMeters = 150.0
    /// What a category's fences are.
    public var fenceSemantics = FenceSemantics.nearestOfCategory

    /// The defaults.
    public init() {}

    /// Those of a kind of place.
    public func tiers(of kind: PlaceKind) -> [Tier] {
      switch kind {
      case .home: home
      case .work: work
      case .other: other
      }
    }
  }

  /// What a category's fences are.
  public enum FenceSemantics: String, Hashable, Sendable, Codable, CaseIterable {
    /// One target: the distance to the nearest of it.
    case nearestOfCategory = "nearest_of_category"
    /// A target for each of its points, for comparison: what people build first.
    case perPOI = "per_poi"
  }

  /// What becomes one notification.
  public struct Bundle: Hashable, Sendable, Codable {
    /// What follows a notification within this span joins it.
    public var window = Milliseconds.seconds(60)

    /// The defaults.
    public init() {}
  }

  /// How often the way somewhere may be mentioned.
  ///
  /// Arrivals are exempt and spend nothing.
  public struct Cooldown: Hashable, Sendable, Codable {
    /// Between approaches of one reminder.
    public var perReminder = Milliseconds.minutes(30)
    /// Between any two notifications of approaches.
    public var overall = Milliseconds.minutes(5)
    /// The same where places crowd.
    public var dense = Milliseconds.minutes(20)
    /// So many points of active categories are a crowd.
    public var densePOIs = 8
    /// If they lie within so many meters.
    public var denseRadiusMeters = Tier.metersPerMile

    /// The defaults.
    public init() {}
  }

  /// How long a reminder may be put off, but for "today" and "until the next arrival".
  public struct Snooze: Hashable, Sendable, Codable {
    /// The shortest span.
    public var least = Milliseconds.minutes(1)
    /// The longest span.
    public var most = Milliseconds.minutes(60)

    /// The defaults (NM-5.4, "any 1–60 min").
    public init() {}
  }

  /// How distances are worded.
  public struct Text: Hashable, Sendable, Codable {
    /// The unit that people read.
    public var distanceUnit = DistanceUnit.miles
    /// If the real distance is shorter than the tier's by more than this share, it is told instead.
    public var lateShare = 0.2
    /// Names and titles are shortened to so many characters.
    public var longestName = 80

    /// The defaults.
    public init() {}
  }

  /// The unit that people read.
  public enum DistanceUnit: String, Hashable, Sendable, Codable, CaseIterable {
    /// Statute miles.
    case miles
    /// Kilometers.
    case kilometers
  }

  /// What the planner may ask of the phone.
  public struct Monitor: Hashable, Sendable, Codable {
    /// Regions at once.
    public var slots = 20
    /// The smallest region, in meters; 0 where the location service takes any.
    public var smallestRegionMeters = 0.0
    /// The largest region, in meters; 0 where the location service takes any.
    public var largestRegionMeters = 0.0
    /// The smallest safe circle, in meters; 0 where the location service takes any.
    public var smallestSafeRadiusMeters = 0.0
    /// Kept from the safe circle for a late service, in meters.
    public var safeMarginMeters = 0.0
    /// How far beyond a boundary the service notices it, in meters.
    public var cushionMeters = 0.0
    /// How late the service is: the way that one moves in this time is kept from the safe circle.
    public var latency = Milliseconds.seconds(0)
    /// The speed to reckon with where none is known or it is lower, in m/s.
    public var leastSpeedMetersPerSecond = 0.0
    /// This share of a fix's accuracy is kept from the safe circle.
    public var accuracyShare = 0.0
    /// How much earlier than at its boundary a region is asked to act, in meters: what a phone notices
    /// beyond that is then noticed at the boundary.
    public var anticipationMeters = 0.0
    /// A fix of worse accuracy, in meters, changes no regions: a better one is awaited.
    public var poorAccuracyMeters = 500.0
    /// The app stays awake while an arrival or an exit must hold for at most this long; 0 where it
    /// cannot.
    public var longestFollow = Milliseconds.seconds(60)
    /// Inside an arrival disc, a sleeping app stays awake for at most this long after the last motion,
    /// to weigh whether this is an arrival; with 0 it does not, and arrivals are then measured.
    ///
    /// - Source: `nearme score --monitor ios`: with 8 min 3 points fewer visits are found (docs/arrival.md).
    public var longestWeighing = Milliseconds.minutes(12)
    /// When the receiver may rest while the app stays awake: see ``Effect/ease(from:every:)``.
    public var easing = Easing.never
    /// So long after the last motion a position every ``easedInterval`` is enough.
    ///
    /// - Source: `nearme score --monitor ios`, the mean of eight draws: after 90 s a point fewer visits are found, for
    ///   0.02 % less of a battery a day; after 150 s and 4 min as many as after 3.
    public var easesAfter = Milliseconds.seconds(180)
    /// It is enough, too, when none has come for so long.
    ///
    /// - Source: as ``easesAfter``: 10 and 20 s find a point fewer, for 2.93 and 3.13 instead of 2.98 %.
    public var easesInSilenceAfter = Milliseconds.seconds(12)
    /// How often a position is wanted then; 0: as often as they come.
    ///
    /// - Source: as ``easesAfter``: 200 s find 0.2 points fewer for 3.01 %, 4 min a point for 2.96 %; 1 and 2 min find
    ///   1.4 fewer, for 3.44 and 3.13 %. That it is best between them is so on these days, and may be chance.
    public var easedInterval = Milliseconds.seconds(220)
    /// A position that was asked for belongs to the same wake if it comes within this span.
    public var patience = Milliseconds.seconds(30)
    /// What ``Effect/wakeAt(_:)`` does for an app that sleeps; where it waits, every position is asked for beside a place
    /// that is too small for a region, unless the receiver may rest while the app is awake.
    public var sleepingTimers = SleepingTimers.wake

    /// The defaults.
    public init() {}

    /// What a timer does that is due while the app sleeps.
    public enum SleepingTimers: String, Hashable, Sendable, Codable, CaseIterable {
      /// It wakes the app.
      case wake
      /// It waits until something else does.
      case wait
    }

    /// When the receiver may rest while the app stays awake.
    public enum Easing: String, Hashable, Sendable, Codable, CaseIterable {
      /// Never: every position is wanted.
      case never
      /// While the app saves the battery (``Policy/Power``).
      case saving
      /// Always.
      case always
    }

    /// Whether the receiver may rest at a level.
    func eases(at level: PowerLevel) -> Bool {
      guard easedInterval > Milliseconds(0) else { return false }
      return switch easing {
      case .never: false
      case .saving: level != .normal
      case .always: true
      }
    }

    /// The same as limits for the planner; slots may differ, nil is no limit.
    public func limits(slots: Int?) -> MonitorLimits {
      MonitorLimits(
        slots: slots,
        smallestRegionMeters: smallestRegionMeters,
        largestRegionMeters: largestRegionMeters,
        smallestSafeRadiusMeters: smallestSafeRadiusMeters,
        safeMarginMeters: safeMarginMeters,
        cushionMeters: cushionMeters,
        latencySeconds: latency.seconds,
        leastSpeedMetersPerSecond: leastSpeedMetersPerSecond,
        accuracyShare: accuracyShare
      )
    }
  }
}

extension FencingSettings {
  /// The defaults, with arrivals that the evidence decides and not the distance.
  fileprivate static let weighing: FencingSettings = {
    var fencing = FencingSettings()
    fencing.arrivalDetection = .posterior
    return fencing
  }()
}
