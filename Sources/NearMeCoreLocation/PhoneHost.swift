import NearMe

/// Owns an engine on a phone: feeds it with what happens, and does what it asks for.
///
/// A happening is taken in at once and to its end: the engine handles its events, regions and positions
/// are asked for, the new state is kept, and only then anything is told. So a kill at any instant loses
/// nothing; at worst a notification that was on its way is shown once more, silently if it is still there.
///
/// It lives on the main actor: Core Location calls back on the thread that made its manager, an app that is
/// launched in the background has some seconds from there on, and between two steps of a turn nothing else
/// may come in. A turn takes milliseconds.
///
/// Make it and call ``launch()`` before the app's launch ends, each time: what the system has noticed
/// while the app was not running is handed over then.
@MainActor
public final class PhoneHost: PhoneListener {
  /// A position that is older than this when it is asked for says nothing of now.
  ///
  /// - Source: Apple's guide to location recommends 15 s for cached positions.
  static let longestCached = Milliseconds.seconds(15)
  /// Changes of which nothing came are kept at the latest after this.
  static let quietSpan = Milliseconds.seconds(5)
  /// A state that could not be kept or read is tried again after this.
  static let retrySpan = Milliseconds.seconds(30)
  /// A clock that is off by less is followed without a word, as one that is slewed.
  static let slewed = Milliseconds.seconds(2)
  /// So many notifications that the system does not take are offered again: as many as it would hold, and
  /// as many on the screen.
  static let mostUntold = 128
  /// News that waited for the system longer than this is shown without a sound.
  static let oldNews = Milliseconds.minutes(15)

  /// What the system has not shown for so long was cleared away.
  ///
  /// - Source: an answer that launches the app comes within its launch.
  static let clearedSpan = Milliseconds.seconds(10)

  /// Who is told what is the app's business.
  public weak var app: (any PhoneApp)? {
    didSet { if !signals.isEmpty { app?.listen(to: signals) } }
  }
  /// The names of the signals that the engine asks for.
  public internal(set) var signals: [String] = []
  /// What decides.
  public let settings: PhoneSettings
  /// The last thing that went wrong and has not gone right since.
  public internal(set) var failure: PhoneFailure?

  let phone: Phone
  /// Nil until the kept state has been read.
  var engine: Engine?
  var memory = PhoneMemory()
  var isDirty = false
  /// Whether what has changed is more than a position.
  var isUrgent = false
  /// Whether there are points of interest.
  var hasCatalog: Bool
  var lastSave: Timestamp?
  var retryAt: Timestamp?
  /// Whether the system's notifications have been compared with what was kept.
  var isReconciled = false
  /// Since when the system no longer shows what the engine takes for shown, by the notification's id.
  var missing: [String: Timestamp] = [:]
  /// The ids of the notifications that the system has been given and not answered yet, by the numbers of their tellings.
  var underWay: [Int: String] = [:]
  /// Whether the user does not let the app show notifications, as far as the last answer says.
  var isDenied = false
  /// The newest telling that waits for the user to allow notifications; 0: none.
  var deniedSerial = 0
  /// When the system last did not take a telling, by its number.
  var refused: [Int: Timestamp] = [:]
  var newlyEnded: [Reminder] = []
  /// What the app is told when the state has been kept.
  var toApp: [@MainActor (any PhoneApp) -> Void] = []

  /// When the next position was asked for; nil: it was not.
  var locatingSince: Timestamp?
  var followUntil: Timestamp?
  var isMeasuring = false
  /// How the receiver rests while the engine follows; nil where it does not.
  var easing: PhoneEasing?
  var isEased = false
  /// Nil until the system was asked by this process.
  var wakesOnMove: Bool?
  /// Whether a position was given up.
  var mustMove = false
  var lastFix: Fix?
  /// Whether this turn brought a position that says on which side of regions the phone is.
  var knowsPosition = false
  /// What the phone's clock shows when the other one shows 0.
  var clockOffset: Milliseconds
  /// What the system was asked to watch by this process; nil: nothing yet.
  var watched: [Region]?
  /// Up to when a system is waited for that takes a while to watch regions.
  var settlesUntil: Timestamp?
  /// What is known of a system that takes no region at all; nil: it takes some, as far as is known.
  var refusal: RegionRefusal?
  /// When a region was last armed again, and how often since it was asked for.
  var rearmed: [String: (at: Timestamp, count: Int)] = [:]
  /// What the engine has taken for shown since notifications were compared.
  var justPresented: Set<String> = []
  /// What has happened and is not taken in yet.
  var inbox: [(PhoneHost) -> Void] = []
  var isTakingIn = false
  /// Whether somebody looks at the time and has not been called back since.
  var isTicking = false
  /// Who waits until all is told.
  var whenTold: [@MainActor @Sendable () -> Void] = []
  /// Whether the app is on the screen, which is when it is told positions without the permission for always.
  var isOnScreen = false
  /// What the app has been told of.
  var shown = Shown()

  /// What an app shows of its host.
  struct Shown: Equatable {
    var isReady = false
    var access: LocationAccess?
    var reminders: [Reminder] = []
    var places: [Place] = []
    var ended: [Reminder] = []
  }

  /// Makes a host; nothing happens before ``launch()``.
  public init(_ phone: Phone, _ settings: PhoneSettings) {
    self.phone = phone
    self.settings = Self.settings(settings, for: phone.regions)
    hasCatalog = !settings.catalog.points.isEmpty
    clockOffset = phone.clock.now - Timestamp(milliseconds: phone.clock.uptime.value)
  }

  /// What the engine plans is what the system watches: a region that it would cut is not asked for.
  private static func settings(
    _ settings: PhoneSettings,
    for regions: any RegionService
  ) -> PhoneSettings {
    guard let most = regions.largestRegionMeters, most > 0 else { return settings }
    var settings = settings
    let own = settings.policy.monitor.largestRegionMeters
    settings.policy.monitor.largestRegionMeters = own > 0 ? min(own, most) : most
    return settings
  }
}
