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
    for entry in user.inbox {
      let at = max(entry.event.at, engine.newestInstant ?? entry.event.at)
      _ = engine.handle(Event(at: at, entry.event.kind))
    }
    _ = engine.handle(Event(at: max(now, engine.newestInstant ?? now), .launched))
    return engine
  }
}
