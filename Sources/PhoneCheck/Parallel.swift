import Foundation
import SimulatedPhones

/// Requests that are under way at once, each on a connection of its own.
enum Parallel {
  /// Unchecked: each outcome is written once, under the lock, and read when all are there.
  private final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var outcomes: [Int: Outcome] = [:]

    func set(_ index: Int, _ outcome: Outcome) { lock.withLock { outcomes[index] = outcome } }
    func get(_ index: Int) -> Outcome? { lock.withLock { outcomes[index] } }
  }

  static func exchange(_ requests: [OutgoingRequest], _ fates: [Fate], port: UInt16) -> [Outcome] {
    let outcomes = Outcomes()
    let group = DispatchGroup()
    for (index, request) in requests.enumerated() {
      let fate = fates[index]
      let thread = Thread {
        outcomes.set(index, Wire(port: port).outcome(of: request, fate))
        group.leave()
      }
      group.enter()
      thread.start()
    }
    group.wait()
    return requests.indices.map { outcomes.get($0) ?? Outcome(answer: .none, isTaken: false) }
  }
}
