import NearMeEngine
import Places
import Timeline

extension UserStore {
  /// The engine as it stands, with what the user has done since the host's last turn: to be looked at.
  ///
  /// - Parameter now: the present; what is due by then has happened.
  public func presentEngine(
    at now: Timestamp,
    zone: UTCOffsetTable
  ) throws(UserStoreError) -> Engine {
    let user = try load()
    var engine = Engine(
      policy: policy,
      zone: zone,
      zones: zones,
      catalog: .empty,
      monitoring: .everyFix,
      state: user.state ?? EngineState()
    )
    let known = engine.newestInstant
    for event in Event.together(user.inbox.map(\.event), at: { max(known ?? $0.at, $0.at) }) {
      _ = engine.handle(event)
    }
    _ = engine.handle(Event(at: max(now, engine.newestInstant ?? now), .launched))
    return engine
  }
}
