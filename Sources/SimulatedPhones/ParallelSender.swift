import Basics
import Geodesy
import Timeline
import Traces

/// An app that gathers positions and then sends up to ten at once, each in a request of its own, in any order.
///
/// Colota keeps what is not answered 2xx for ever, and GPSLogger gives up after three more attempts; neither reads
/// the body of an answer.
package struct ParallelSender: PhoneApp {
  /// Which app.
  package enum App: Hashable, Sendable {
    /// Colota with its template for OsmAnd: the position is in the address, speeds in meters a second.
    case colota
    /// GPSLogger with a template of our page for a phone's set-up.
    case gpslogger
  }

  /// So many requests are under way at once.
  package static let mostAtOnce = 10
  /// Colota's waits between attempts; the last one again and again.
  static let waits: [Milliseconds] = [.seconds(30), .seconds(60), .minutes(5), .minutes(15)]
  /// GPSLogger's jobs are tried again so often.
  static let mostRetries = 3

  private struct Waiting {
    let id: Int
    let query: String
    let fix: Fix
    var attempts = 0
    var notBefore: Timestamp
  }

  /// Positions that were given up.
  package private(set) var droppedCount = 0
  private let app: App
  private let account: Account
  private let interval: Milliseconds
  private var order: SplitMix64
  private var waiting: [Waiting] = []
  private var made = 0
  private var nextSend: Timestamp?

  /// Makes one that has never run.
  ///
  /// - Parameter interval: how often it sends what it has gathered.
  /// - Parameter seed: of the order in which it sends.
  package init(
    _ app: App,
    _ account: Account,
    interval: Milliseconds = .minutes(15),
    seed: UInt64 = 1
  ) {
    self.app = app
    self.account = account
    self.interval = interval
    order = SplitMix64(seed: seed)
  }

  package var waitingCount: Int { waiting.count }
  package var nextInstant: Timestamp? {
    guard let nextSend, let first = waiting.map(\.notBefore).min() else { return nil }
    return max(nextSend, first)
  }

  package mutating func take(_ fix: Fix) {
    if waiting.isEmpty { nextSend = fix.at + interval }
    made += 1
    let speed = fix.speedMetersPerSecond.map { fixed($0, 2) }
    let course = fix.courseDegrees.map { fixed($0, 1) }
    var query = [
      ("lat", fixed(fix.coordinate.latitude, 6)), ("lon", fixed(fix.coordinate.longitude, 6)),
    ]
    switch app {
    case .colota:
      query += [("timestamp", "\(seconds(fix.at))"), ("accuracy", "\(accuracy(fix))")]
      if let speed { query.append(("speed", speed)) }
      if let course { query.append(("bearing", course)) }
      query += [("altitude", "0"), ("batt", "77")]
    case .gpslogger:
      query += [("acc", "\(accuracy(fix)).0"), ("spd", speed ?? "0.0")]
      query += [("timestamp", "\(seconds(fix.at))"), ("batt", "77.0")]
    }
    let told = Fix(
      at: Timestamp(seconds: Int64(seconds(fix.at))),
      coordinate: sixDigits(fix.coordinate),
      horizontalAccuracyMeters: Double(accuracy(fix)),
      speedMetersPerSecond: speed.flatMap(Double.init) ?? (app == .gpslogger ? 0 : nil),
      courseDegrees: app == .colota ? course.flatMap(Double.init) : nil
    )
    waiting.append(Waiting(id: made, query: formText(query), fix: told, notBefore: fix.at))
  }

  package mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest] {
    guard let nextSend, nextSend <= now else { return [] }
    var ready = waiting.filter { $0.notBefore <= now }
    var chosen: [Waiting] = []
    // From the front of the queue, but in no order among those that are under way at once.
    while chosen.count < Self.mostAtOnce, !ready.isEmpty {
      chosen.append(ready.remove(at: order.index(below: min(ready.count, 2 * Self.mostAtOnce))))
    }
    return chosen.map(request)
  }

  private func request(_ waiting: Waiting) -> OutgoingRequest {
    var headers = [
      OutgoingRequest.Header("User-Agent", app == .colota ? "okhttp/5.1.0" : "GPSLogger")
    ]
    if app == .gpslogger { headers.append(account.basic) }
    return OutgoingRequest(
      id: waiting.id,
      method: "POST",
      path: "\(account.path)?\(waiting.query)",
      headers: headers,
      body: [],
      fixes: [waiting.fix]
    )
  }

  package mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp) {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
    guard !answer.isSuccess else {
      waiting.remove(at: index)
      return
    }
    let attempts = waiting[index].attempts
    if app == .gpslogger, attempts >= Self.mostRetries {
      waiting.remove(at: index)
      droppedCount += 1
      return
    }
    waiting[index].notBefore = now + Self.waits[min(attempts, Self.waits.count - 1)]
    waiting[index].attempts += 1
  }

  package mutating func restart(at now: Timestamp) {
    for i in waiting.indices { waiting[i].notBefore = min(waiting[i].notBefore, now) }
  }
}
