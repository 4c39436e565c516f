import Fencing
import Foundation
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import Timeline
import TraceFiles
import Traces

/// What is compared: every strategy on every phone with so many regions, beside every fix.
struct Comparison: Sendable {
  let services: [ReplayService]
  /// What the oracle goes by: nothing of it concerns a location service.
  let policy: Policy
  let catalog: POICatalog
  let tolerance: Milliseconds

  /// What came of one trace.
  struct Outcome: Sendable {
    /// One tally a service, in their order.
    var tallies: [ComparisonTally] = []
    /// What each service missed.
    var missed: [[TransitionRecord]] = []
  }

  /// Compares on one trace.
  func run(_ person: ComparedPerson, isStopped: () -> Bool) throws -> Outcome {
    let fixes = try person.fixes(isStopped: isStopped)
    let positions = Positions(fixes, policy.gate)
    let stream = ReplayService(
      monitor: .stream,
      policy: policy,
      strategy: .safeRegion,
      slots: policy.monitor.slots,
      settings: nil,
      seed: 0
    )
    let oracle = try run(stream, person, fixes, isStopped)
    var outcome = Outcome()
    for service in services {
      let run = try run(service, person, fixes, isStopped)
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

  /// A session of somebody on a service.
  func session(_ service: ReplayService, _ person: ComparedPerson) throws -> ReplaySession {
    try service.session(
      { monitoring in
        // What is compared is who notices a boundary; evidence would hide it.
        var policy = service.policy
        policy.fencing.arrivalDetection = .radius
        var engine = Engine(
          policy: policy,
          zone: person.zone,
          catalog: catalog,
          monitoring: monitoring
        )
        do {
          try engine.load(
            places: person.places,
            reminders: person.reminders,
            entitlement: person.entitlement
          )
        } catch {
          throw CommandFailure(.badInput, "\(person.path): \(error)")
        }
        return engine
      },
      actions: person.actions
    )
  }

  private func run(
    _ service: ReplayService,
    _ person: ComparedPerson,
    _ fixes: [Fix],
    _ isStopped: () -> Bool
  ) throws -> (transitions: [TransitionRecord], summary: ReplaySummary) {
    var session = try session(service, person)
    var transitions: [TransitionRecord] = []
    func keep(_ lines: [ReplayLine]) {
      for case .transition(let transition) in lines { transitions.append(transition) }
    }
    for (i, fix) in fixes.enumerated() {
      if i & 1023 == 0, isStopped() { throw CompareCommand.stopped }
      keep(try session.consume(fix))
    }
    keep(try session.finish())
    return (transitions, session.summary)
  }
}

/// Where a phone was at an instant.
struct Positions {
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
