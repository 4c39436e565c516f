import Timeline

/// Is told what happens: a screen, a file, a command, a server.
package protocol Sink: Sendable {
  /// The same from run to run, so that what is undelivered finds its way after a restart.
  var name: String { get }
  /// Whether it is told transitions and decisions, too, and not only notifications.
  var takesRecords: Bool { get }
  /// How many deliveries it takes at once.
  var batchLimit: Int { get }
  /// Whom it waits for when it delivers, as a name of which few deliveries are on their way at once; nil: nobody.
  var lane: String? { get }
  /// Looks which deliveries had been made when an earlier life ended before it could note so.
  ///
  /// - Returns: their keys; none where that cannot be found out.
  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String>
  /// Delivers, in order.
  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome
  /// Is told that a delivery will never be made: it was refused, or tried too often.
  func gaveUp(_ delivery: Delivery) async
  /// Ends it.
  func end() async
}

extension Sink {
  package var takesRecords: Bool { false }
  package var batchLimit: Int { 1 }
  package var lane: String? { nil }
  package func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> { [] }
  package func gaveUp(_ delivery: Delivery) async {}
  package func end() async {}
}

/// How an attempt to deliver ended.
package enum DeliveryOutcome: Hashable, Sendable {
  /// All of them have been taken.
  case delivered
  /// It may work later; at least after this span, where the receiver named one.
  case putOff(reason: String, atLeast: Milliseconds?)
  /// It is not its time yet; that counts as no attempt.
  case waits(until: Timestamp)
  /// It will never work.
  case refused(reason: String)
  /// The sink itself is broken: the host stops, and what is undelivered waits for the next one.
  case broken(HostFailure)
}
