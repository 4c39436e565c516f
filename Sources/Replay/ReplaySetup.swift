import Arrivals
import Fencing
import NearMeEngine
import Places
import Timeline
import Tones

/// A policy in a world, ready to be replayed.
public struct ReplaySetup: Sendable {
  /// What decides.
  public var policy: Policy
  /// The points of interest.
  public let catalog: POICatalog
  /// Where the places around each position are found; nil where the catalog has all of them.
  public var parts: (any CatalogSource)?
  /// How positions come in.
  public var service: LocationService
  /// Where the zones of schedules are found that name one.
  public var zones: any ZoneSource
  /// The tones that reminders can speak in.
  public var tones: TonePacks
  /// For a stream, how late they are handed over; nil for at once.
  public var handOver: HandOver?

  /// Makes a setup.
  public init(
    policy: Policy = Policy(),
    catalog: POICatalog,
    service: LocationService,
    zones: any ZoneSource = NoZones(),
    tones: TonePacks = TonePacks(),
    handOver: HandOver? = nil
  ) {
    self.zones = zones
    self.tones = tones
    self.handOver = handOver
    self.policy = policy
    self.catalog = catalog
    self.service = service
  }

  /// A session for a person, before the first fix.
  ///
  /// - Parameter arrivals: what is weighed on the fixes that will come, where that is known.
  /// - Parameter restore: as for ``ReplaySession/init(engine:twin:phone:actions:restore:checksCertificates:)``.
  /// - Throws: ``ReminderLoadError`` if the reminders do not fit the places or the policy.
  package func session(
    for person: Person,
    arrivals: ArrivalRecording? = nil,
    restore: @escaping @Sendable (EngineState) -> EngineState = { $0 },
    checksCertificates: Bool = false
  ) throws(ReminderLoadError) -> ReplaySession {
    var engine = Engine(
      policy: policy,
      zone: person.zone,
      zones: zones,
      tones: tones,
      catalog: catalog,
      monitoring: service.strategy == nil
        ? .everyFix : .regions(policy.monitor.limits(slots: service.slots)),
      chooser: service.strategy?.chooser
    )
    try engine.load(
      places: person.places,
      reminders: person.reminders,
      entitlement: person.entitlement
    )
    if let arrivals { engine.findArrivals(with: ArrivalPlayback(arrivals, policy.arrival)) }
    var twin: IdealTwin?
    var phone: PhoneTwin?
    switch service {
    case .stream: break
    case .ideal(let slots, _):
      twin = IdealTwin(
        slots: slots,
        gate: policy.gate,
        crossingGap: policy.fencing.crossingGap
      )
    case .phone(let settings, let slots, _, let seed):
      phone = PhoneTwin(
        settings,
        hasLimit: slots != nil,
        gate: policy.gate,
        crossingGap: policy.fencing.crossingGap,
        seed: seed
      )
    }
    return ReplaySession(
      engine: engine,
      twin: twin,
      phone: phone,
      handOver: handOver,
      actions: person.actions,
      restore: restore,
      follower: parts.map(CatalogFollower.init),
      checksCertificates: checksCertificates
    )
  }

  /// The rings around a reminder's target.
  ///
  /// - Returns: nil where they cannot be climbed one after the other, or the place is not known.
  public func rings(of reminder: Reminder, for person: Person) -> LadderShape? {
    guard reminder.target != nil else { return nil }
    var arrivalRadiusMeters = policy.tiers.arrivalRadiusMeters
    var tiers = policy.tiers.category
    if case .place(let id) = reminder.target {
      guard let place = person.places.first(where: { $0.id == id }) else { return nil }
      arrivalRadiusMeters = place.arrivalRadiusMeters ?? arrivalRadiusMeters
      tiers = policy.tiers.tiers(of: place.kind)
    }
    let rings = (reminder.tiers ?? tiers)
      .compactMap { tier -> Ring? in
        switch tier {
        case .approach(let meters): Ring(kind: .approach, radiusMeters: meters)
        case .arrival: Ring(kind: .arrival, radiusMeters: arrivalRadiusMeters)
        case .postArrival: nil
        }
      }
    return try? LadderShape(rings.sorted { $0.radiusMeters > $1.radiusMeters })
  }
}
