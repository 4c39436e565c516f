import NearMe

/// What a ``PhoneHost`` decides by.
public struct PhoneSettings: Sendable {
  /// The points of interest.
  public var catalog: POICatalog
  /// What decides; `monitor.slots` and `schedules.mostPending` are this host's share of the system's 20
  /// regions and 64 notifications to come.
  public var policy: Policy
  /// The tones that reminders can speak in.
  public var tones: TonePacks

  /// Makes settings.
  ///
  /// - Parameter policy: by default the one for iPhones, ``forPhones``.
  public init(
    catalog: POICatalog,
    policy: Policy = Self.forPhones,
    tones: TonePacks = TonePacks()
  ) {
    self.catalog = catalog
    self.policy = policy
    self.tones = tones
  }

  /// The defaults, with regions that act as early as an iPhone is late.
  public static var forPhones: Policy {
    var policy = Policy()
    policy.monitor = .ios
    return policy
  }
}
