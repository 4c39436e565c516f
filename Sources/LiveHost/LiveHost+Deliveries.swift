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
    var sinks: [String: Int] = [:]
    for entry in rest {
      sinks[String(entry.key.prefix { $0 != "/" }), default: 0] += 1
    }
    for (sink, count) in sinks.sorted(by: { $0.key < $1.key }) {
      log.warning(
        "deliveries wait for a sink that is not among today's",
        metadata: ["sink": "\(sink)", "count": "\(count)"]
      )
    }
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
