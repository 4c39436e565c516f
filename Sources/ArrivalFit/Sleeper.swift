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
  let phone: LocationService.Name
  let policy: Policy

  init(_ phone: LocationService.Name, weighing: Milliseconds, mayRest: Bool) {
    self.phone = phone
    var policy = phone.policy
    policy.monitor.longestWeighing = weighing
    policy.monitor.easing = mayRest ? .always : .never
    // No arrival is told, so that the app goes on weighing for as long as it may.
    policy.arrival.asleep.threshold = 2
    self.policy = policy
  }

  /// The same day as the sleeping app sees it.
  func watch(_ day: Day, seed: UInt64) throws -> Day {
    let setup = ReplaySetup(
      policy: policy,
      catalog: day.catalog,
      service: phone.service(slots: policy.monitor.slots, seed: seed)
    )
    var session = try setup.session(for: day.owner)
    var engine = session.engine
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
