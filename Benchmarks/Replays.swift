import Fencing
import NearMeEngine
import Places
import Replay
import Timeline
import TraceFiles
import Traces

/// All points of a file as columns.
func readColumns(_ path: String) throws -> FixColumns {
  let all = FixColumns()
  let reader = try TraceReader(path: path)
  while true {
    let columns = try reader.nextColumns()
    if columns.pointCount == 0 { return all }
    all.append(contentsOf: columns)
  }
}

/// Replays a file, from the file and from memory, as `make bench` and a profiler want it.
///
/// - Parameter only: the name of a service, or nil for all.
func measureReplay(gpx path: String, only: String? = nil) throws {
  let world = World(points: 10_000)
  let catalog = POICatalog(world.pois)
  let columns = try readColumns(path)
  for name in ["stream", "ideal", "ios"] where only ?? name == name {
    func session() throws -> ReplaySession {
      var engine = Engine(
        policy: Policy(),
        zone: .utc,
        catalog: catalog,
        monitoring: name == "stream" ? .everyFix : .regions(MonitorLimits(slots: 20))
      )
      try engine.load(places: world.places, reminders: world.reminders)
      return ReplaySession(
        engine: engine,
        twin: name == "ideal" ? IdealTwin(slots: 20) : nil,
        phone: name == "ios" ? PhoneTwin(.ios, seed: 1) : nil
      )
    }
    var last = try session()
    func note() -> String {
      let effort = last.engine.effort
      let share = Double(last.exactFixes) / Double(columns.count) * 100
      return "\(fixed(share, 2)) % one by one, \(effort.evaluations) evaluations, "
        + "\(effort.sightings) sightings, \(effort.measures) measures, "
        + "\(last.summary.wakeCount) wakes, \(last.summary.notificationCount) notifications"
    }
    let memory = try measure(
      "memory to notifications, \(name)",
      "\(columns.count) fixes",
      work: Double(columns.count),
      "fixes"
    ) {
      var session = try session()
      try session.consume(columns) { lines, _ in keep(lines) }
      keep(try session.finish())
      last = session
    }
    report(memory, note: note())
    report(
      try measure(
        "GPX file to notifications, \(name)",
        "\(columns.count) fixes",
        work: Double(columns.count),
        "fixes"
      ) {
        var session = try session()
        let reader = try TraceReader(path: path)
        while true {
          let columns = try reader.nextColumns()
          if columns.pointCount == 0 { break }
          try session.consume(columns) { lines, _ in keep(lines) }
        }
        keep(try session.finish())
        precondition(session.summary == last.summary, "file and memory differ")
      }
    )
  }
}
