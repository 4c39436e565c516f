import NearMe

/// When a receiver rests between positions, as the engine asks for while the app is awake.
struct PhoneEasing {
  private let from: Timestamp
  private let interval: Milliseconds
  /// When the receiver is on again.
  private var nextTry: Timestamp

  /// How long it is on each time.
  ///
  /// - Source: as in the battery model of `nearme score`.
  private static let patience = Milliseconds.seconds(10)

  init(from: Timestamp, every interval: Milliseconds) {
    self.from = from
    self.interval = interval
    nextTry = from + interval
  }

  /// Takes in what time it is.
  mutating func pass(until now: Timestamp) {
    guard interval > Milliseconds(0) else { return }
    // Whatever came of the last one, the next one is due an interval later.
    while nextTry + Self.patience <= now { nextTry = nextTry + interval }
  }

  /// Whether the receiver rests; after ``pass(until:)``.
  func rests(at now: Timestamp) -> Bool { now >= from && now < nextTry }

  /// When it begins or ends to rest next.
  func nextChange(after now: Timestamp) -> Timestamp {
    now < from ? from : now < nextTry ? nextTry : nextTry + Self.patience
  }
}
