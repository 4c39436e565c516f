import Fencing
import Places
import Recurrence
import Timeline

/// Everything the engine must remember to go on as if it had never stopped: the states of its parts.
///
/// ```swift
/// let again = Engine(
///   policy: policy,
///   zone: .utc,
///   catalog: catalog,
///   monitoring: engine.monitoring,
///   state: engine.state
/// )
/// ```
public struct EngineState: Hashable, Sendable {
  /// The version of this format: states of it and of those before it can be read, newer ones are
  /// refused when they are decoded.
  ///
  /// - 2: reminders are written as in ``Event``s; consent to analytics.
  /// - 3: one object for each part of the engine; triggers and conditions.
  public static let formatVersion = 3

  /// The newest instant that has been handled.
  var now: Timestamp?
  /// When the host was asked to wake the engine.
  var wakeAt: Timestamp?
  var roster = Roster()
  var surroundings = Surroundings()
  var places = PlaceWatch.State()
  var clock = ClockWatch.State()
  var signals = SignalWatch.State()
  var waiting = Waiting()
  var screen = Screen()
  var regions = RegionWatch.State()

  /// Nothing yet.
  public init() {}

  init(
    now: Timestamp?,
    wakeAt: Timestamp?,
    roster: Roster,
    surroundings: Surroundings,
    places: PlaceWatch.State,
    clock: ClockWatch.State,
    signals: SignalWatch.State,
    waiting: Waiting,
    screen: Screen,
    regions: RegionWatch.State
  ) {
    self.now = now
    self.wakeAt = wakeAt
    self.roster = roster
    self.surroundings = surroundings
    self.places = places
    self.clock = clock
    self.signals = signals
    self.waiting = waiting
    self.screen = screen
    self.regions = regions
  }

  /// The newest instant that has been handled; nil before the first event.
  public var newestInstant: Timestamp? { now }

  /// The reminders as they stand, in the order in which they were made.
  public var currentReminders: [Reminder] { roster.reminders }

  /// The reminders that may speak, in the order of their making: all that are live or, where the plan has
  /// a limit, the first of them (NM-7.3).
  public func entitledReminders(_ plans: Policy.Plans = Policy.Plans()) -> [String] {
    roster.entitled(plans)
  }

  /// The times of a reminder's schedules that have come and are not answered.
  package func openTimes(ofReminder id: String, in zone: UTCOffsetTable) -> [Timestamp] {
    clock.alarms.filter { $0.reminder == id && $0.lead.value == 0 }
      .flatMap { $0.open.map { $0.instant(in: zone) } }
  }

  /// Whether a reminder that recurs has an answer that can be taken back.
  package func hasAnswer(ofReminder id: String) -> Bool {
    clock.alarms.contains { $0.reminder == id && $0.before != nil }
  }

  /// When a reminder is due next by its schedules: not ahead of its time, and whether or not it is snoozed; nil where
  /// nothing is to come.
  package func nextDue(ofReminder id: String, in zone: UTCOffsetTable) -> Timestamp? {
    clock.alarms.filter { $0.reminder == id && $0.lead.value == 0 }
      .compactMap { if case .rings(let time) = $0.standing { time.instant(in: zone) } else { nil } }
      .min()
  }

  /// The tiers that a reminder was made with, whatever the defaults are now, but for those that its place is too large
  /// for; nil if there is none of this id.
  public func tiers(ofReminder id: String) -> [Tier]? {
    places.aims.first { $0.reminder == id }?.plan.tiers
  }

  /// Whether the user agrees to analytics.
  public var allowsAnalytics: Bool { roster.allowsAnalytics }

  /// The places, in order of their ids.
  public var currentPlaces: [Place] { roster.places }

  /// How many occasions wait for the reason of their silence to end.
  public var waitingCount: Int { waiting.occasions.count { !$0.isRepeat } }

  /// What is on the screen, oldest first.
  package var shownNow: [ReminderNotification] { screen.posted }

  /// What the present regions guarantee; nil before there are any.
  public var currentCertificate: Certificate? { regions.certificate }

  /// The regions that are watched, as far as the engine knows.
  public var currentRegions: [Region] { regions.regions.map(\.region) }

  /// When something is due next; nil if nothing is.
  ///
  /// What the host is to do about it says ``Engine/nextTimer``.
  public var nextTimer: Timestamp? { wakeAt }
}
