import OutputLines
import Fencing
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

/// What is compared: every strategy on every phone with so many regions, beside every fix.
public struct Comparison: Sendable {
  /// A service that is compared.
  public struct Service: Hashable, Sendable {
    /// Its name.
    public let name: LocationService.Name
    /// How regions are chosen.
    public let strategy: RegionStrategy
    /// How many there are; nil where there is no limit.
    public var slots: Int? { service.slots }
    let service: LocationService
    let policy: Policy

    /// Makes a service.
    ///
    /// - Parameter settings: those of a phone; nil takes its own.
    public init(
      _ name: LocationService.Name,
      _ policy: Policy,
      settings: TwinSettings? = nil,
      slots: Int,
      strategy: RegionStrategy,
      seed: UInt64
    ) {
      self.name = name
      self.policy = policy
      self.strategy = strategy
      service = name.service(settings, slots: slots, strategy: strategy, seed: seed)
    }
  }

  /// What came of one trace.
  public struct Outcome: Sendable {
    /// One tally a service, in their order.
    public fileprivate(set) var tallies: [ComparisonTally] = []
    /// What each service missed.
    public fileprivate(set) var missed: [[TransitionRecord]] = []
  }

  /// What is compared.
  public let services: [Service]
  /// What the oracle goes by: nothing of it concerns a location service.
  let policy: Policy
  let catalog: POICatalog
  /// How late one may be and still be found.
  public let tolerance: Milliseconds

  /// Makes a comparison.
  ///
  /// - Parameter policy: for the engine that sees every fix.
  public init(
    _ services: [Service],
    policy: Policy,
    catalog: POICatalog,
    tolerance: Milliseconds
  ) {
    self.services = services
    self.policy = policy
    self.catalog = catalog
    self.tolerance = tolerance
  }

  /// Compares on one trace.
  ///
  /// - Parameter check: asked now and then; what it throws ends the comparison.
  /// - Parameter restore: what storing a state and reading it again makes of it.
  /// - Throws: ``ReminderLoadError`` if the reminders do not fit, and what `check` throws.
  public func run(
    _ person: Person,
    _ fixes: [Fix],
    restore: @escaping @Sendable (EngineState) -> EngineState = { $0 },
    check: () throws -> Void = {}
  ) throws -> Outcome {
    func run(
      _ setup: ReplaySetup
    ) throws -> (transitions: [TransitionRecord], summary: ReplaySummary) {
      var session = try setup.session(for: person, restore: restore)
      var transitions: [TransitionRecord] = []
      func keep(_ lines: [ReplayLine]) {
        for case .transition(let transition) in lines { transitions.append(transition) }
      }
      for (i, fix) in fixes.enumerated() {
        if i & 1023 == 0 { try check() }
        keep(try session.consume(fix))
      }
      keep(try session.finish())
      return (transitions, session.summary)
    }
    let positions = Positions(fixes, policy.gate)
    let oracle = try run(setup(policy, .stream))
    var outcome = Outcome()
    for service in services {
      let run = try run(setup(service))
      let match = TransitionMatch(
        found: run.transitions,
        expected: oracle.transitions,
        tolerance: tolerance
      )
      var tally = ComparisonTally()
      tally.add(match, run.summary, expected: oracle.summary) { positions.meters(from: $0, to: $1) }
      outcome.tallies.append(tally)
      outcome.missed.append(match.missed)
    }
    return outcome
  }

  /// A service, ready to be replayed.
  package func setup(_ service: Service) -> ReplaySetup { setup(service.policy, service.service) }

  private func setup(_ policy: Policy, _ service: LocationService) -> ReplaySetup {
    // What is compared is which service notices a boundary; evidence would hide it.
    var policy = policy
    policy.fencing.arrivalDetection = .radius
    return ReplaySetup(policy: policy, catalog: catalog, service: service)
  }

  /// The services' rows of all traces together.
  public func table(_ outcomes: [Outcome], seed: UInt64) -> ComparisonTable {
    let rows = services.enumerated()
      .map { i, service in
        var tally = ComparisonTally()
        for outcome in outcomes { tally.add(outcome.tallies[i]) }
        return ComparisonTable.Row(
          monitor: service.name.rawValue,
          strategy: service.strategy,
          slots: service.slots,
          tally: tally
        )
      }
    return ComparisonTable(
      rows: rows,
      traces: outcomes.count,
      seed: seed,
      tolerance: tolerance
    )
  }
}

/// Where a phone was at an instant.
private struct Positions {
  private var instants: [Timestamp] = []
  private var points: [SurfacePoint] = []

  /// The positions that are believed.
  init(_ fixes: [Fix], _ settings: FixGateSettings) {
    var gate = FixGate()
    for fix in fixes {
      let point = SurfacePoint(fix.coordinate)
      guard gate.refuse(fix, at: point, settings) == nil else { continue }
      instants.append(fix.at)
      points.append(point)
    }
  }

  /// How far the last known positions at two instants are from each other.
  func meters(from: Timestamp, to: Timestamp) -> Double {
    guard let a = index(at: from), let b = index(at: to) else { return 0 }
    return points[a].distanceMeters(to: points[b])
  }

  private func index(at instant: Timestamp) -> Int? {
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] <= instant { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : instants.isEmpty ? nil : 0
  }
}
