import NearMe

/// What a ``PhoneHost`` decides by.
public struct PhoneSettings: Sendable {
  /// The points of interest.
  public var catalog: POICatalog
  /// What decides; `monitor.slots` and `schedules.mostPending` are this host's share of the system's 20
  /// regions and 64 notifications to come.
  public var policy: Policy { didSet { Self.check(policy) } }
  /// The tones that reminders can speak in.
  public var tones: TonePacks

  /// Makes settings.
  ///
  /// - Precondition: the policy leaves this host a region at least.
  /// - Parameter policy: by default the one for iPhones, ``forPhones``.
  public init(
    catalog: POICatalog,
    policy: Policy = Self.forPhones,
    tones: TonePacks = TonePacks()
  ) {
    Self.check(policy)
    self.catalog = catalog
    self.policy = policy
    self.tones = tones
  }

  private static func check(_ policy: Policy) {
    precondition(
      policy.monitor.slots >= 1,
      """
      policy.monitor.slots is \(policy.monitor.slots): leave the host one of the app's 20 regions at least, for without \
      any it would never be woken
      """
    )
  }

  /// The defaults, with regions that act as early as an iPhone is late.
  public static var forPhones: Policy {
    var policy = Policy()
    policy.monitor = .ios
    return policy
  }
}
