import Fencing
import Timeline
import Traces

/// Something the host is to do, or to know.
///
/// ```swift
/// for effect in effects {
///   switch effect {
///   case .post(let news), .replace(let news): print(news.id, news.text)
///   case .wakeAt(let instant): print("timer", instant as Any)
///   default: print(effect)
///   }
/// }
/// ```
public enum Effect: Hashable, Sendable {
  /// Change the watched regions: first stop some, then start others. Leave all others alone, for a
  /// region that is taken away and put back loses a crossing that was under way.
  case monitor(RegionChange)
  /// Wake the app with the next position, once.
  case locate
  /// Stay awake and hand over every position up to an instant, instead of the instant asked for
  /// before; nil: no longer.
  ///
  /// Something must hold until then, or is being weighed, such as whether one has arrived: some minutes after the
  /// last motion (``Policy/Monitor/longestWeighing``), within one wake. The engine takes the host to do it. For one that
  /// cannot, set that to 0: arrivals are measured by radius and time then, and it is woken once more.
  case follow(until: Timestamp?)
  /// From an instant on, while the app follows, a position every so often is enough, and the receiver may rest in
  /// between, unless the phone feels that it is moved; instead of the instant asked for before. It ends with the
  /// following.
  ///
  /// Only where the policy lets it (``Policy/Monitor/easing``). A host that cannot leaves it out, and loses nothing but
  /// charge.
  case ease(from: Timestamp, every: Milliseconds)
  /// Show a notification.
  case post(ReminderNotification)
  /// Put a notification in place of one with the same id, without a sound.
  case replace(ReminderNotification)
  /// Take a notification away.
  case withdraw(id: String)
  /// Show a notification at an instant, whether or not the app runs then; at once, if it has passed: what came of an
  /// event that is heard of late may have been due before.
  case schedule(ReminderNotification, at: Timestamp)
  /// Do not show a scheduled notification after all.
  case unschedule(id: String)
  /// Send ``Event/Kind/timer`` at an instant instead of at the one asked for before; nil: at none.
  case wakeAt(Timestamp?)
  /// Hand over the signals of these names from now on, and no others.
  case listen(to: [String])
  /// Keep a reminder that has ended: the engine holds it no longer.
  ///
  /// It can be had back with ``Event/Kind/reminderReopened(_:)``.
  case archive(Reminder)
  /// Keep a record of what happened and why.
  case record(Record)
}

/// How the watched regions change.
///
/// ```swift
/// func follow(_ change: RegionChange) {
///   for id in change.stop { print("stop", id) }
///   for region in change.start { print("start", region.id) }
/// }
/// ```
public struct RegionChange: Hashable, Sendable, Codable {
  /// Regions to watch from now on, nearest first.
  public let start: [Region]
  /// Ids of regions to watch no longer, in order.
  public let stop: [String]
  /// How many are watched afterward.
  public let held: Int
  /// What that guarantees.
  public let certificate: Certificate
}

/// A line of the log: what happened, and what became of it.
public enum Record: Hashable, Sendable {
  /// A position was not used.
  case fixRefused(at: Timestamp, FixRefusal)
  /// A reminder was not taken in as it was saved.
  case reminderRefused(at: Timestamp, ReminderLoadError)
  /// A place was not taken in as it was saved.
  case placeRefused(at: Timestamp, PlaceRefusal)
  /// A catalog without any point was not taken in.
  case emptyCatalogRefused(at: Timestamp)
  /// What the app may know of the position has changed: without ``LocationAccess/always`` nothing is
  /// noticed while it sleeps.
  case locationAccess(at: Timestamp, LocationAccess)
  /// The battery, as signals tell of it, asks for more or less to be done without.
  case powerLevel(at: Timestamp, PowerLevel)
  /// The location service did not take some regions; from now on the planner uses at most so many.
  case regionsRefused(at: Timestamp, ids: [String], slots: Int)
  /// A fact about a reminder's trigger.
  case transition(TransitionRecord)
  /// What became of an occasion.
  case decision(DecisionRecord)
  /// A scheduled notification has been shown.
  case presented(ReminderNotification)
  /// Something that was under way came to nothing before it was a transition.
  case canceled(CancelRecord)
  /// A signal was not taken in.
  case signalRefused(at: Timestamp, Signal, SignalRefusal)
  /// What the user asked for was not done.
  case actionRefused(at: Timestamp, reminder: String, ActionRefusal)
  /// A reminder that recurs was done this time: the times that were answered, in order.
  case answered(at: Timestamp, reminder: String, times: [Timestamp])
  /// That answer was taken back: these times are open again, in order.
  case answerTakenBack(at: Timestamp, reminder: String, times: [Timestamp])
  /// The system shows by itself only so many notifications: so many schedules have none among them, and
  /// the app must be woken before the last of them for those to be heard.
  case schedulesLeftOut(at: Timestamp, count: Int, heldUntil: Timestamp)
  /// How many reminders may be live has changed; those that may speak, in the order of their making.
  case entitlement(at: Timestamp, Entitlement, live: [String])
  /// The user agreed to analytics, or no longer does: then the host empties what it has gathered.
  case analyticsConsent(at: Timestamp, isOn: Bool)
  /// Something to count, while the user agrees.
  case analytics(at: Timestamp, AnalyticsEvent)
}

/// A place that is none.
public struct PlaceRefusal: Hashable, Sendable, Codable {
  /// The id of the place.
  public let place: String
  /// Why, as a sentence.
  public let reason: String

  /// Makes a refusal.
  public init(place: String, reason: String) {
    (self.place, self.reason) = (place, reason)
  }
}

/// Why a signal was not taken in.
///
/// The names are part of the output.
public enum SignalRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// A signal of this name and id has been taken in before.
  case repeated
}

/// A fact about a reminder's trigger.
public struct TransitionRecord: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// The id of the reminder.
  public let reminder: String
  /// What of it happened: a tier was reached, a time came, a signal was given.
  public let step: Step
  /// What happened.
  public let kind: Kind
  /// Which point of a category, by source id; nil for all else.
  public let poi: String?
  /// How far from the target, in meters; nil where no place is meant.
  public let distanceMeters: Double?

  /// What happened.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// A ring was entered.
    case enter
    /// A ring was left.
    case exit
    /// The phone was still there after a time.
    case dwell
    /// A time came.
    case due
    /// The phone said something.
    case edge
  }

  /// The tier; nil where no place is meant.
  public var tier: Tier? { step.tier }

  /// Makes a record.
  public init(
    at: Timestamp,
    reminder: String,
    step: Step,
    kind: Kind,
    poi: String? = nil,
    distanceMeters: Double? = nil
  ) {
    self.at = at
    self.reminder = reminder
    self.step = step
    self.kind = kind
    self.poi = poi
    self.distanceMeters = distanceMeters
  }
}

/// What became of an occasion; the last one for an occasion is final.
public struct DecisionRecord: Hashable, Sendable {
  /// When.
  public let at: Timestamp
  /// The id of the reminder.
  public let reminder: String
  /// What it is about.
  public let step: Step
  /// What became of it.
  public let outcome: Outcome

  /// The tier; nil where no place is meant.
  public var tier: Tier? { step.tier }

  /// What became of an occasion.
  public enum Outcome: Hashable, Sendable {
    /// It is part of a notification.
    case delivered
    /// It is looked at again at an instant, or when the reason ends.
    case deferred(Silence, until: Timestamp?)
    /// Nothing is said of it, for good.
    case suppressed(Silence)
  }
}
