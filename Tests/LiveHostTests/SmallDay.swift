import Fencing
import Foundation
import Geodesy
import LiveHost
import NearMeEngine
import Places
import TestSupport
import Timeline
import Traces
import UserStore

/// What the small day's reminder tells: nothing on the way, which would join what follows it.
private let tiers: [Tier] = [.arrival, .postArrival(delay: .minutes(5))]

/// A person with one place and one reminder, and a policy under which being there is arriving.
struct SmallDay {
  static let home = Coordinate(uncheckedLatitude: 38, longitude: -34)
  let database: UserDatabase

  init() throws {
    database = try UserDatabase()
    let store = try database.open(.make)
    let start = Timestamp(seconds: 0)
    _ =
      try store.addPlace(id: "home", at: start) {
        Place(id: $0, name: "Home\u{1B}[31m", kind: .home, coordinate: Self.home)
      }
      .get()
    _ =
      try store.addReminder(id: "bins", at: start) {
        Reminder(id: $0, title: "take out the bins", target: .place("home"), tiers: tiers)
      }
      .get()
    try store.close()
  }

  func setup(_ time: TimeSource, _ monitoring: Monitoring = .everyFix) -> LiveHost.Setup {
    var policy = Policy()
    policy.fencing.arrivalDetection = .radius
    return LiveHost.Setup(
      policy: policy,
      zone: .utc,
      catalog: .empty,
      time: time,
      monitoring: monitoring
    )
  }

  static func record(_ fix: Fix) -> TraceRecord { TraceRecord(outcome: .fix(fix), line: 1) }

  /// A fix so many meters north of home.
  static func fix(north meters: Double, at instant: Timestamp) -> Fix {
    Fix(
      at: instant,
      coordinate: Coordinate(
        uncheckedLatitude: home.latitude + meters / 111_000,
        longitude: home.longitude
      ),
      horizontalAccuracyMeters: 5,
      speedMetersPerSecond: 1
    )
  }

  /// Comes from afar, and stays until the arrival is told.
  func arrive(_ host: LiveHost, _ clock: VirtualClock) async throws {
    try await host.take([Self.record(Self.fix(north: 9_000, at: clock.now()))])
    clock.advance(.minutes(30))
    // No further: what cannot be delivered would be tried again meanwhile.
    for _ in 0..<6 where await host.counts.notifications == 0 {
      try await host.take([Self.record(Self.fix(north: 10, at: clock.now()))])
      clock.advance(.seconds(10))
      try await host.tick()
    }
  }
}

/// The arrival of the small day, as an engine tells it.
let arrivalAtHome: ReminderNotification = {
  do {
    var engine = Engine(
      policy: try SmallDay().setup(.fixes).policy,
      zone: .utc,
      catalog: .empty,
      monitoring: .everyFix
    )
    try engine.load(
      places: [Place(id: "home", name: "Home", kind: .home, coordinate: SmallDay.home)],
      reminders: [
        Reminder(id: "bins", title: "take out the bins", target: .place("home"), tiers: tiers)
      ]
    )
    let start = Timestamp(seconds: 1_772_523_000)
    var instants = [(9_000.0, start)]
    for step in 0..<60 { instants.append((10, start + .seconds(1_800 + 10 * Int64(step)))) }
    for (meters, instant) in instants {
      let fix = SmallDay.fix(north: meters, at: instant)
      for case .post(let notification) in engine.handle(Event(at: instant, .fix(fix)))
      where notification.kind == .arrival {
        return notification
      }
    }
    preconditionFailure("nobody arrives")
  } catch {
    preconditionFailure("\(error)")
  }
}()

/// Something to deliver.
func aNotification(
  _ key: String = "test-7",
  _ news: (ReminderNotification) -> Delivery.News = { .posted($0) }
) -> Delivery {
  Delivery(key: key, at: arrivalAtHome.at, news(arrivalAtHome))
}
