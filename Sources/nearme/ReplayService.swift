import ArgumentParser
import Fencing
import Foundation
import NearMeEngine
import Places
import Replay
import SettingsFiles

/// The location services that a replay can run on.
enum MonitorName: String, ExpressibleByArgument, CaseIterable {
  case ideal, ios, android, stream

  /// The numbers of a service that has latencies; nil for those that have none.
  var settings: TwinSettings? {
    switch self {
    case .ideal, .stream: nil
    case .ios: .ios
    case .android: .android
    }
  }

  /// The policy for it, as a file changes it.
  func policy(_ path: String?) throws -> Policy {
    var base = Policy()
    switch self {
    case .ideal, .stream: break
    case .ios: base.monitor = .ios
    case .android: base.monitor = .android
    }
    return try path.map { try PolicyFile.read(path: $0, over: base) } ?? base
  }
}

/// A location service with a strategy and a number of regions: what a replay runs on.
struct ReplayService: Sendable {
  let monitor: MonitorName
  let policy: Policy
  let strategy: RegionStrategy
  /// How many regions the planner uses.
  let slots: Int
  /// The numbers of a service with latencies.
  let settings: TwinSettings?
  let seed: UInt64

  /// A session with somebody's engine.
  ///
  /// - Parameter makeEngine: makes the engine, with places and reminders.
  func session(
    _ makeEngine: (Monitoring) throws -> Engine,
    actions: [ReplayAction],
    checksCertificates: Bool = false
  ) throws -> ReplaySession {
    let isUnlimited = strategy == .unlimited
    let engine = try makeEngine(
      monitor == .stream
        ? .everyFix
        : .regions(
          policy.monitor.limits(slots: isUnlimited ? nil : slots),
          strategy
        )
    )
    return ReplaySession(
      engine: engine,
      twin: monitor == .ideal
        ? IdealTwin(
          slots: isUnlimited ? nil : slots,
          gate: policy.gate,
          crossingGap: policy.fencing.crossingGap
        ) : nil,
      phone: settings.map {
        PhoneTwin(
          $0,
          hasLimit: !isUnlimited,
          gate: policy.gate,
          crossingGap: policy.fencing.crossingGap,
          seed: seed
        )
      },
      actions: actions,
      restore: Self.storedAndRead,
      checksCertificates: checksCertificates
    )
  }

  /// A state as an app finds it that has been killed.
  @Sendable private static func storedAndRead(_ state: EngineState) -> EngineState {
    do {
      return try JSONDecoder().decode(EngineState.self, from: JSONEncoder().encode(state))
    } catch {
      preconditionFailure("a state cannot be read that was stored a moment ago: \(error)")
    }
  }
}

extension RegionStrategy: ExpressibleByArgument {}
