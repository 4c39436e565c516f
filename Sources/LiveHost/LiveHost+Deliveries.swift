import Foundation
import Logging
import NearMeEngine
import Timeline
import UserStore

/// What is in the database goes to the couriers.
extension LiveHost {
  /// Hands to the couriers what is in the database.
  func handOver() async throws(HostFailure) {
    guard !handovers.isEmpty else { return try await throwFailure() }
    let handovers = handovers
    self.handovers = []
    for (courier, deliveries) in handovers { await courier.enqueue(deliveries) }
    // Where fixes come as fast as they can be read, sinks set the pace.
    if setup.time == .fixes, await waitingCount > Self.mostUnderWay { try await settle() }
    try await throwFailure()
  }

  func throwFailure() async throws(HostFailure) {
    for courier in couriers {
      if let failure = await courier.failure { throw failure }
    }
  }

  func resumeDeliveries(_ outbox: [OutboxEntry]) async throws(HostFailure) {
    var rest = outbox
    for courier in couriers {
      var pending: [Courier.Waiting] = []
      var others: [OutboxEntry] = []
      for entry in rest {
        guard entry.key.hasPrefix(courier.sink.name + "/") else {
          others.append(entry)
          continue
        }
        pending.append(
          Courier.Waiting(
            delivery: try Self.delivery(entry.payload),
            attempts: entry.attempts,
            notBefore: entry.notBefore
          )
        )
      }
      rest = others
      try await courier.resume(pending)
    }
    guard !rest.isEmpty else { return }
    let (sinks, over) = Self.sorted(rest, isOver: setup.isOver)
    try HostFailure.mapping { () throws(UserStoreError) in try store.markPerformed(over) }
    if !over.isEmpty {
      log.info("dropped", metadata: ["reason": "the sink is over", "count": "\(over.count)"])
    }
    for (sink, count) in sinks.sorted(by: { $0.key < $1.key }) {
      log.warning(
        "deliveries wait for a sink that is not among today's",
        metadata: ["sink": "\(sink)", "count": "\(count)"]
      )
    }
  }

  /// What waits for sinks that are not among today's.
  ///
  /// - Returns: how much waits for each that may come back, and the keys of what waits for others.
  private static func sorted(
    _ entries: [OutboxEntry],
    isOver: (String) -> Bool
  ) -> (sinks: [String: Int], over: [String]) {
    var sinks: [String: Int] = [:]
    var over: [String] = []
    for entry in entries {
      let sink = String(entry.key.prefix { $0 != "/" })
      if isOver(sink) { over.append(entry.key) } else { sinks[sink, default: 0] += 1 }
    }
    return (sinks, over)
  }

  static func memory(_ data: Data) throws(HostFailure) -> HostMemory {
    do {
      return try JSONDecoder().decode(HostMemory.self, from: data)
    } catch {
      throw otherVersion
    }
  }

  static func delivery(_ data: Data) throws(HostFailure) -> Delivery {
    do {
      return try JSONDecoder().decode(Delivery.self, from: data)
    } catch {
      throw otherVersion
    }
  }

  private static let otherVersion = HostFailure(
    .badInput,
    "the database was last used by another version of Near Me: run that one, or a newer one"
  )

  static func encode(_ value: some Encodable) -> Data {
    do {
      return try JSONEncoder().encode(value)
    } catch {
      preconditionFailure("what a host remembers can always be written: \(error)")
    }
  }
}
