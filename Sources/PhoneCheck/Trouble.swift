import Basics
import SimulatedPhones
import Timeline

/// What goes wrong between a phone and the door.
struct Trouble: Sendable {
  let name: String
  /// The share of requests that never arrive.
  var lostRequests = 0.0
  /// The share of answers that never arrive: the app sends again what was taken.
  var lostAnswers = 0.0
  /// The share of requests after which the connection breaks before the answer.
  var cuts = 0.0
  /// The share of requests that arrive twice, one right after the other.
  var doubles = 0.0
  /// The share of requests of which a copy arrives again, some requests later.
  var lateCopies = 0.0
  /// The share of requests after which the phone's app is ended and started again.
  var appRestarts = 0.0
  /// How often and how long the phone has no network at all; nil: never.
  var outage: (every: Milliseconds, lasts: Milliseconds)?
  /// How often the server is killed.
  var kills = 0

  /// Nothing.
  static let calm = Trouble(name: "calm")

  /// A bad network.
  static let network = Trouble(
    name: "network",
    lostRequests: 0.1,
    lostAnswers: 0.1,
    cuts: 0.03,
    doubles: 0.05,
    lateCopies: 0.05,
    appRestarts: 0.03
  )

  /// Tunnels and cellars: what was measured in them comes at once.
  static let outages = Trouble(
    name: "outages",
    lostAnswers: 0.05,
    outage: (every: .minutes(45), lasts: .minutes(12))
  )

  /// A server that is killed at any instant, behind a bad network.
  static func kills(_ count: Int) -> Trouble {
    var trouble = network
    trouble = Trouble(
      name: "kills",
      lostRequests: 0.05,
      lostAnswers: trouble.lostAnswers,
      cuts: trouble.cuts,
      doubles: trouble.doubles,
      lateCopies: trouble.lateCopies,
      appRestarts: trouble.appRestarts,
      kills: count
    )
    return trouble
  }

  /// Whether the phone has no network at an instant of the day.
  func isOut(at now: Timestamp, since start: Timestamp) -> Bool {
    guard let outage else { return false }
    return (now - start).value % outage.every.value >= outage.every.value - outage.lasts.value
  }
}
