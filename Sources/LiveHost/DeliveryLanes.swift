import Foundation

/// Lets so many deliveries be on their way at once, and few of them to the same receiver.
///
/// Each holds a thread while it is: many that wait for a server or a command that does not answer would leave none for
/// anything else. Who waits goes in order; one whose receiver has enough is passed by those of others.
package final class DeliveryLanes: Sendable {
  /// All that this process delivers.
  package static let shared = DeliveryLanes()
  /// So many in all: libdispatch has some 250 threads.
  private static let usualMost = 64
  /// So many to one receiver.
  private static let usualMostInLane = 8

  /// Who waits, one lane at a time.
  final class Ticket: Sendable {
    /// Whether it waits for no room any more; under the lock of the lanes.
    fileprivate nonisolated(unsafe) var isLeaving = false

    init() {}
  }

  private struct Waiting {
    let ticket: Ticket
    let lane: String
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var underWay: [String: Int] = [:]
    var count = 0
    var waiting: [Waiting] = []
  }

  private let most: Int
  private let mostInLane: Int
  private let lock = NSLock()
  private nonisolated(unsafe) var state = State()

  /// Makes them.
  package init(most: Int = usualMost, mostInLane: Int = usualMostInLane) {
    self.most = most
    self.mostInLane = mostInLane
  }

  /// How many are on their way, and how many wait.
  package var counts: (underWay: Int, waiting: Int) {
    lock.withLock { (state.count, state.waiting.count) }
  }

  /// Delivers something at once, where there is room for it.
  ///
  /// - Returns: what became of it; put off as `others_under_way` where there is none.
  package func deliverNow(_ delivery: Delivery, by sink: any Sink) async -> DeliveryOutcome {
    guard let lane = sink.lane else { return await sink.deliver([delivery]) }
    guard enterNow(lane) else { return .putOff(reason: Self.noRoom, atLeast: nil) }
    defer { leave(lane) }
    return await sink.deliver([delivery])
  }

  /// Why something waits for room.
  static let noRoom = "others_under_way"

  /// Takes room in a lane, if there is some.
  func enterNow(_ lane: String) -> Bool { lock.withLock { take(lane) } }

  /// Waits for room in a lane, and takes it.
  ///
  /// - Returns: false where there was none when the ticket left.
  func enter(_ lane: String, _ ticket: Ticket) async -> Bool {
    await withCheckedContinuation { continuation in
      let hasRoom = lock.withLock { () -> Bool? in
        if take(lane) { return true }
        if ticket.isLeaving { return false }
        state.waiting.append(Waiting(ticket: ticket, lane: lane, continuation: continuation))
        return nil
      }
      if let hasRoom { continuation.resume(returning: hasRoom) }
    }
  }

  /// Gives back room in a lane, to whoever has waited longest for it.
  func leave(_ lane: String) {
    let next = lock.withLock { () -> CheckedContinuation<Bool, Never>? in
      state.count -= 1
      let left = (state.underWay[lane] ?? 1) - 1
      state.underWay[lane] = left > 0 ? left : nil
      let waiting = state.waiting
      guard let index = waiting.firstIndex(where: { take($0.lane) }) else { return nil }
      return state.waiting.remove(at: index).continuation
    }
    next?.resume(returning: true)
  }

  /// Has a ticket wait for no room any more.
  func leave(_ ticket: Ticket) {
    let waiting = lock.withLock { () -> CheckedContinuation<Bool, Never>? in
      ticket.isLeaving = true
      guard let index = state.waiting.firstIndex(where: { $0.ticket === ticket }) else {
        return nil
      }
      return state.waiting.remove(at: index).continuation
    }
    waiting?.resume(returning: false)
  }

  private func take(_ lane: String) -> Bool {
    let inLane = state.underWay[lane] ?? 0
    guard state.count < most, inLane < mostInLane else { return false }
    state.count += 1
    state.underWay[lane] = inLane + 1
    return true
  }

  /// The lane of all that goes to one server.
  ///
  /// - Parameter address: what is asked for there.
  package static func lane(to address: String) -> String {
    guard let parts = CurlAddress(address) else { return "host/" + address }
    return "host/\(parts.host.lowercased()):\(parts.port ?? "")"
  }
}
