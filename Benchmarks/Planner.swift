import Basics
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Timeline
import Traces

/// Moments of a drive, as the planner meets them: where one is, and what is to be watched.
struct PlanningDrive {
  private struct Reminder {
    let target: FenceTarget
    let shape: LadderShape
    let arrival: DiscRadius?
    var ladder = Ladder()
  }

  private(set) var moments: [(fix: Fix, before: Fix?, ladders: [WatchedLadder])] = []

  /// Takes every thirtieth fix of a drive, with so many reminders over all categories.
  ///
  /// - Parameter sharesRings: whether all have the same rings, as by default; else none have.
  init(
    _ fixes: [Fix],
    _ catalog: POICatalog,
    reminders count: Int,
    sharesRings: Bool
  ) throws {
    let settings = FencingSettings()
    var reminders: [Reminder] = try (0..<count)
      .map { i in
        let own = sharesRings ? 0 : Double(i)
        let shape = try LadderShape([
          Ring(kind: .approach, radiusMeters: 8_000 + own),
          Ring(kind: .approach, radiusMeters: 1_600 + own),
          Ring(kind: .arrival, radiusMeters: 150 + own / 5),
        ])
        return Reminder(
          target: .category(slot: i % catalog.categories.count),
          shape: shape,
          arrival: settings.arrivalDiscs(shape)
        )
      }
    for (i, fix) in fixes.enumerated() where i % 30 == 0 {
      let here = Whereabouts(fix: fix, previous: nil, settings, FixGateSettings())
      for r in reminders.indices {
        _ = reminders[r].ladder.advance(to: fix.at, reminders[r].shape)
        guard
          let seen = here.sight(
            of: reminders[r].target,
            arrival: reminders[r].arrival,
            approachesAhead: [],
            in: catalog
          )
        else { continue }
        _ = reminders[r].ladder
          .observe(
            seen.sight,
            accuracyMeters: fix.horizontalAccuracyMeters,
            speedMetersPerSecond: fix.speedMetersPerSecond,
            at: fix.at,
            reminders[r].shape,
            settings
          )
      }
      let ladders = reminders.enumerated()
        .map { r, reminder in
          WatchedLadder(
            owner: "r\(r)",
            target: reminder.target,
            arrival: reminder.arrival,
            boundaries: reminder.ladder.watchedBoundaries(reminder.shape, settings)
          )
        }
      moments.append((fix, i > 0 ? fixes[i - 1] : nil, ladders))
    }
  }

  /// Plans at every moment, each from what the last plan left.
  func plan(_ planner: RegionPlanner) {
    var current: [Region] = []
    for (i, moment) in moments.enumerated() {
      let plan = planner.plan(
        around: moment.fix.coordinate,
        cameFrom: moment.before?.coordinate,
        moment.ladders,
        current: current,
        safeID: "safe:\(i)"
      )
      current = plan.entries.map(\.region)
    }
    keep(current)
  }

  /// The slowest single plan, in milliseconds, of three runs' medians.
  func slowestMilliseconds(_ planner: RegionPlanner) -> Double {
    var current: [Region] = []
    var slowest = 0.0
    let clock = ContinuousClock()
    for (i, moment) in moments.enumerated() {
      var times: [Double] = []
      var next: [Region] = []
      for _ in 0..<3 {
        let elapsed = clock.measure {
          next =
            planner.plan(
              around: moment.fix.coordinate,
              cameFrom: moment.before?.coordinate,
              moment.ladders,
              current: current,
              safeID: "safe:\(i)"
            )
            .entries.map(\.region)
        }
        times.append(Double(elapsed.components.attoseconds) * 1e-15)
      }
      current = next
      slowest = max(slowest, times.sorted()[1])
    }
    return slowest
  }
}

/// What this process holds in memory now, in MiB; nil where the system does not tell.
func residentMebibytes() -> Double? {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
    return nil
  }
  let parts = text.split(separator: " ")
  guard parts.count > 1, let pages = Double(parts[1]) else { return nil }
  return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
}

/// Measures the planner in towns and in one crowded city.
func measurePlanner(_ world: World, _ catalog: POICatalog, _ fixes: [Fix]) throws {
  let planner = RegionPlanner(catalog: catalog, limits: MonitorLimits())
  for (count, sharesRings) in [(7, true), (50, true), (50, false)] {
    let drive = try PlanningDrive(
      Array(fixes.prefix(30_000)),
      catalog,
      reminders: count,
      sharesRings: sharesRings
    )
    let size =
      "\(world.pois.count) POIs, \(count) reminders\(sharesRings ? "" : " with rings of their own")"
    let before = residentMebibytes()
    let figure = measure(
      "region plan",
      size: size,
      work: Double(drive.moments.count),
      unit: "plans"
    ) {
      drive.plan(planner)
    }
    var note =
      "\(fixed(1_000 / figure.rate, 2)) ms each, \(fixed(drive.slowestMilliseconds(planner), 2)) at most"
    if let before, let after = residentMebibytes() {
      for _ in 0..<20 { drive.plan(planner) }
      let later = residentMebibytes() ?? after
      note +=
        "; memory +\(fixed(after - before, 1)) MiB, and +\(fixed(later - after, 1)) in "
        + "\(20 * drive.moments.count) more plans"
    }
    report(figure, note: note)
  }
}
