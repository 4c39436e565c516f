@_exported import NearMe

/// What ``PhoneHost`` needs of a phone, each piece behind a small protocol.
///
/// `Phone.coreLocation()` is an iPhone; tests have phones of their own.
@MainActor
public struct Phone {
  /// Wakes the app at the edge of regions.
  public var regions: any RegionService
  /// Measures positions.
  public var positions: any PositionService
  /// Says what the app may know of the position.
  public var authorization: any AuthorizationService
  /// Shows notifications.
  public var notifications: any NotificationService
  /// Keeps what must survive the process.
  public var storage: any PhoneStorage
  /// Says what time it is, and where.
  public var clock: any PhoneClock

  /// Makes a phone of its pieces.
  public init(
    regions: any RegionService,
    positions: any PositionService,
    authorization: any AuthorizationService,
    notifications: any NotificationService,
    storage: any PhoneStorage,
    clock: any PhoneClock
  ) {
    self.regions = regions
    self.positions = positions
    self.authorization = authorization
    self.notifications = notifications
    self.storage = storage
    self.clock = clock
  }
}

/// Something that a piece of the phone tells its host.
public enum PhoneHappening: Hashable, Sendable {
  /// A watched region was crossed, by id: the way in for one that is entered, the way out for the others.
  case crossed(region: String)
  /// The system does not watch regions that it was asked to, by id.
  case regionsRefused([String])
  /// The system watches what it was last asked to.
  case regionsWatched
  /// The phone has come somewhere and stayed, or left; the position is worth asking for.
  case visited
  /// Positions were measured, oldest first.
  case positions([Fix])
  /// What the app may know of the position may have changed.
  case accessMayHaveChanged
  /// The user answered a notification.
  case answered(PhoneAnswer)
  /// The instant of ``PhoneClock/wake(at:)`` has come.
  case timer
  /// The clock may have been set, or the zone changed.
  case clockMayHaveChanged
  /// Somebody else is told of the user's answers, though this host is to be.
  case answersGoElsewhere
  /// The system says that something is not as it should be.
  case failed(PhoneFailure)
  /// The app came to the screen.
  case becameActive
  /// The app left the screen.
  case leftScreen
}

/// Takes in what happens; a ``PhoneHost`` is one.
@MainActor
public protocol PhoneListener: AnyObject {
  /// Takes in one happening, and does what follows from it, before it returns.
  func take(_ happening: PhoneHappening)
  /// Calls back when everything that is to be told has been handed to the system: until then the process must not be
  /// put to sleep.
  func whenTold(_ done: @escaping @MainActor @Sendable () -> Void)
}

extension PhoneListener {
  /// Calls back at once.
  public func whenTold(_ done: @escaping @MainActor @Sendable () -> Void) { done() }

  /// Takes the user's answer to a notification.
  ///
  /// - Parameter done: called when what follows from it has been handed to the system: until then the process must
  ///   not be put to sleep.
  public func take(_ answer: PhoneAnswer, whenTold done: @escaping @MainActor @Sendable () -> Void)
  {
    take(.answered(answer))
    whenTold(done)
  }
}

/// Has the system wake the app at the edge of regions, also after the app was ended.
@MainActor
public protocol RegionService: AnyObject {
  /// Who is told of crossings and refusals.
  var listener: (any PhoneListener)? { get set }
  /// Makes what the system watches for this host equal to a list, by difference: a region that is watched
  /// already is not touched.
  ///
  /// What an earlier process of the app has asked for may be asked for anew with the first list, where the system may
  /// have dropped it without a word.
  ///
  /// - Parameter regions: those that are most important first; at most as many as the policy's `slots`.
  func watch(_ regions: [Region])
  /// Watches some of them anew, from the side on which the host takes the phone to be: the system had said that they
  /// were crossed, and a position said that they were not.
  func rearm(_ ids: [String])
  /// Whether the system does not watch yet what it was last asked to; the end is told as
  /// ``PhoneHappening/regionsWatched``.
  var isSettling: Bool { get }
  /// The largest radius of a region, in meters, where the system says one: the policy's, if that is smaller.
  var largestRegionMeters: Double? { get }
}

extension RegionService {
  /// The system watches at once what it is asked to.
  public var isSettling: Bool { false }
  /// The system does not say.
  public var largestRegionMeters: Double? { nil }
}

/// Measures positions while it is asked to.
@MainActor
public protocol PositionService: AnyObject {
  /// Who is told of positions.
  var listener: (any PhoneListener)? { get set }
  /// Measures from now on, also while the app is not on the screen.
  func start()
  /// Goes on with what costs little, so that the app stays awake and hears of a move, until ``start()`` or
  /// ``stop()``. A service that cannot goes on as it does.
  func ease()
  /// Measures no longer.
  func stop()
  /// Whether the system is to wake the app, also after it was ended, when the phone has moved by some 500 m
  /// or stays somewhere, whatever is watched: the last resort while a position is awaited.
  ///
  /// Asked for anew in every process that needs it; ended only where this host has begun it, in an earlier process, too.
  func wakeOnMove(_ isOn: Bool)
}

extension PositionService {
  /// Goes on as before.
  public func ease() {}
}

/// Says what the app may know of the position.
@MainActor
public protocol AuthorizationService: AnyObject {
  /// Who is told of changes.
  var listener: (any PhoneListener)? { get set }
  /// What it may know now.
  var access: LocationAccess { get }
  /// Asks the user for it at all times.
  func ask()
}

/// Shows notifications, now or at an instant, and takes them away.
@MainActor
public protocol NotificationService: AnyObject {
  /// Who is told of answers.
  var listener: (any PhoneListener)? { get set }
  /// Asks the user whether notifications may be shown.
  func ask()
  /// Shows a notification in place of any of the same id.
  ///
  /// - Parameter instant: when, whether or not the app runs then; nil is now.
  /// - Parameter told: called once, with what became of it.
  func show(
    _ notification: PhoneNotification,
    at instant: Timestamp?,
    told: @escaping @MainActor @Sendable (PhoneReceipt) -> Void
  )
  /// Takes notifications off the screen, and does not show those that were to come.
  func remove(_ ids: [String])
  /// Finds what the system holds of this host's: the ids of what it will show, and of what it shows.
  func standing(
    _ found: @escaping @MainActor @Sendable (_ pending: [String], _ shown: [String]) -> Void
  )
}

/// Keeps what must survive the process.
@MainActor
public protocol PhoneStorage: AnyObject {
  /// Reads what was kept; nil if nothing ever was.
  ///
  /// - Throws: what keeps it from being read, such as a phone that was not unlocked since its start;
  ///   ``PhoneFailure/stateDamaged(_:)`` where that will never be otherwise.
  func load() throws -> PhoneMemory?
  /// Keeps this instead; afterward, it survives a kill at any instant.
  func save(_ memory: PhoneMemory) throws
  /// Puts what cannot be read elsewhere, so that nothing is there to be read; what it held is not lost.
  func setAside() throws
}

/// Says what time it is, and where.
@MainActor
public protocol PhoneClock: AnyObject {
  /// Who is told when the time has come, or is another one.
  var listener: (any PhoneListener)? { get set }
  /// What the phone's clock shows.
  var now: Timestamp { get }
  /// What another one shows, which cannot be set and which goes on while the phone sleeps.
  var uptime: Milliseconds { get }
  /// The zone of the phone's clock.
  var zone: UTCOffsetTable { get }
  /// The zones that schedules name.
  var zones: any ZoneSource { get }
  /// Tells the listener ``PhoneHappening/timer`` at an instant instead of at the one asked for before, as
  /// long as the app runs; nil: at none.
  func wake(at instant: Timestamp?)
}
