import Fencing
import NearMeEngine

/// How the engine comes to know of positions in a replay.
public enum LocationService: Hashable, Sendable {
  /// The engine sees every fix.
  case stream
  /// The app sleeps behind regions that are never late; nil is no limit.
  case ideal(slots: Int?, strategy: RegionStrategy = .safeRegion)
  /// The app sleeps on a phone that is late; nil is no limit.
  case phone(
    TwinSettings,
    slots: Int?,
    strategy: RegionStrategy = .safeRegion,
    seed: UInt64
  )

  /// The services by the names that commands and files give them.
  public enum Name: String, Hashable, Sendable, Codable, CaseIterable {
    /// Never late.
    case ideal
    /// Late as iOS is.
    case ios
    /// Late as Google's Play services are.
    case android
    /// Every fix is passed on.
    case stream

    /// The numbers of a service that has latencies; nil for those that have none.
    public var settings: TwinSettings? {
      switch self {
      case .ideal, .stream: nil
      case .ios: .ios
      case .android: .android
      }
    }

    /// The defaults on it.
    public var policy: Policy {
      var policy = Policy()
      switch self {
      case .ideal, .stream: break
      case .ios: policy.monitor = .ios
      case .android: policy.monitor = .android
      }
      return policy
    }

    /// The service.
    ///
    /// - Parameter settings: those of a phone; nil takes its own.
    /// - Parameter slots: how many regions the planner uses, where there is a limit.
    /// - Parameter seed: of a phone's latencies.
    public func service(
      _ settings: TwinSettings? = nil,
      slots: Int,
      strategy: RegionStrategy = .safeRegion,
      seed: UInt64 = 1
    ) -> LocationService {
      let slots = strategy == .unlimited ? nil : slots
      if let settings = settings ?? self.settings {
        return .phone(settings, slots: slots, strategy: strategy, seed: seed)
      }
      return self == .stream ? .stream : .ideal(slots: slots, strategy: strategy)
    }
  }

  /// How many regions the planner uses; nil where there is no limit.
  public var slots: Int? {
    switch self {
    case .stream: nil
    case .ideal(let slots, _), .phone(_, let slots, _, _): slots
    }
  }

  /// How regions are chosen; nil where there are none.
  public var strategy: RegionStrategy? {
    switch self {
    case .stream: nil
    case .ideal(_, let strategy), .phone(_, _, let strategy, _): strategy
    }
  }

  /// The same service with as many regions as the planner wants.
  public var unlimited: LocationService {
    switch self {
    case .stream: .stream
    case .ideal: .ideal(slots: nil, strategy: .unlimited)
    case .phone(let settings, _, _, let seed):
      .phone(settings, slots: nil, strategy: .unlimited, seed: seed)
    }
  }

  /// The same service, but that no crossing is lost by taking a region away, putting it back, or registering it where
  /// one is inside of it already.
  package var losingNoCrossing: LocationService {
    guard case .phone(var settings, let slots, let strategy, let seed) = self else { return self }
    settings.crossing.keepsNoticed = true
    settings.crossing.tellsInitial = true
    return .phone(settings, slots: slots, strategy: strategy, seed: seed)
  }
}
