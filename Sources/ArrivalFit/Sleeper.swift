import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// An app that sleeps on a phone: which fixes it is given, and when it is awake.
struct Sleeper {
  let phone: TwinSettings
  let policy: Policy

  /// The numbers of a phone by name; nil for one that is not known.
  init?(named name: String, weighing: Milliseconds) {
    var policy = Policy()
    switch name {
    case "ios":
      phone = .ios
      policy.monitor = .ios
    case "android":
      phone = .android
      policy.monitor = .android
    default: return nil
    }
    policy.monitor.longestWeighing = weighing
    // Nobody arrives, so that the app goes on weighing for as long as it may.
    policy.arrival.asleep.threshold = 2
    self.policy = policy
  }

  /// The same day as the sleeping app sees it.
  func watch(_ day: Day, seed: UInt64) throws -> Day {
    var reminders = day.catalog.categories.map {
      Reminder(id: $0.name, title: $0.name, target: .category($0))
    }
    reminders += day.places.map { Reminder(id: $0.id, title: $0.name, target: .place($0.id)) }
    var engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: day.catalog,
      monitoring: .regions(policy.monitor.limits(slots: policy.monitor.slots))
    )
    try engine.load(places: day.places, reminders: reminders, entitlement: .premium)
    var session = ReplaySession(engine: engine, twin: nil, phone: PhoneTwin(phone, seed: seed))
    var watched = day
    watched.steps = []
    // The engine of the session has moved on by the end of a fix; this one goes from event to event.
    var lookedUntil = Timestamp(milliseconds: .min / 2)
    for fix in day.fixes {
      session.events = []
      _ = try session.consume(fix)
      for event in session.events ?? [] {
        switch event.kind {
        case .woken(let fix, _):
          watched.steps.append(
            Step(
              fix: fix,
              point: SurfacePoint(fix.coordinate),
              awakeUntil: engine.isAwake(at: fix.at) ? nil : lookedUntil
            )
          )
        case .timer where engine.isAwake(at: event.at): lookedUntil = event.at
        default: break
        }
        _ = engine.handle(event)
      }
    }
    return watched
  }
}
