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
        outcomes.set(index, outcome(request, fate, port: port))
        group.leave()
      }
      group.enter()
      thread.start()
    }
    group.wait()
    return requests.indices.map { outcomes.get($0) ?? Outcome(answer: .none, isTaken: false) }
  }

  private static func outcome(_ request: OutgoingRequest, _ fate: Fate, port: UInt16) -> Outcome {
    let wire = Wire(port: port)
    switch fate {
    case .lostRequest: return Outcome(answer: .none, isTaken: false)
    case .cut:
      wire.sendAndHangUp(request)
      return Outcome(answer: .none, isTaken: false)
    case .passes, .lostAnswer, .doubled:
      if fate == .doubled { _ = wire.exchange(request) }
      let answer = wire.exchange(request)
      return Outcome(answer: fate == .lostAnswer ? .none : answer, isTaken: answer.isTaken)
    }
  }
}
