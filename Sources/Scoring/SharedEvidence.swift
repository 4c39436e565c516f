import Arrivals
import NearMeEngine
import Replay
import Traces

/// Policies for which the arrival detector sees the same on every day, and only decides otherwise.
///
/// Where every fix is handed over, what it sees depends on the fixes that the gate lets through, on the
/// catalog and the person's places, and on the numbers of the evidence.
package struct SharedEvidence: Sendable {
  /// By what policies are sorted.
  package struct Key: Hashable, Sendable {
    private let evidence: ArrivalSettings
    private let gate: FixGateSettings

    /// - Returns: nil where arrivals are not weighed, or what is seen depends on what was decided.
    package init?(_ policy: Policy, _ service: LocationService) {
      guard service == .stream, Engine.weighsStreams(policy) else { return nil }
      evidence = policy.arrival.evidence
      gate = policy.gate
    }
  }

  let settings: [ArrivalSettings]
  let gate: FixGateSettings

  /// Puts together policies of one key.
  package init(_ policies: some Sequence<Policy>) {
    let policies = Array(policies)
    settings = policies.map(\.arrival)
    gate = policies.first?.gate ?? FixGateSettings()
    precondition(
      policies.allSatisfy { $0.gate == gate && $0.arrival.evidence == settings[0].evidence },
      "policies share evidence only if they differ in how they decide by it"
    )
  }
}
