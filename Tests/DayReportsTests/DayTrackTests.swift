import DayReports
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Testing
import TestSupport
import Timeline
import Traces

/// The way of a day as columns, and what is made of a replay.
@Suite struct DayTrackTests {
  /// A walk with gaps, fixes that come late, and instants between the seconds.
  private static func walk(seed: UInt64, wholeSeconds: Bool) -> [Fix] {
    var random = SeededGenerator(seed: seed)
    var at = Timestamp(seconds: 1_767_614_400)
    var (latitude, longitude) = (39.3, -76.6)
    return (0..<400)
      .map { _ in
        let step = Int64.random(in: 1...40, using: &random)
        at = at + (wholeSeconds ? .seconds(step) : Milliseconds(step * 137))
        latitude += Double.random(in: -4e-4...4e-4, using: &random)
        longitude += Double.random(in: -4e-4...4e-4, using: &random)
        return Fix(
          at: at,
          coordinate: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
          horizontalAccuracyMeters: Double.random(in: 3...80, using: &random),
          speedMetersPerSecond: Bool.random(using: &random)
            ? Double.random(in: 0...40, using: &random) : nil
        )
      }
  }

  private static func report(_ fixes: [Fix], monitor: LocationService) throws -> DayReport {
    let shop = PointOfInterest(
      sourceID: "node/1",
      categories: [CategoryID("pharmacy")],
      name: "Corner",
      coordinate: Coordinate(uncheckedLatitude: 39.3, longitude: -76.6)
    )
    let person = Person(reminders: [
      Reminder(id: "meds", title: "meds", target: .category(CategoryID("pharmacy")))
    ])
    let setup = ReplaySetup(catalog: POICatalog([shop]), service: monitor)
    var recorder = DayRecorder(try setup.session(for: person))
    try recorder.take(FixColumns(fixes))
    try recorder.finish()
    return try DayReport(title: "walk", recorder, of: person, setup)
  }

  @Test(arguments: [false, true])
  func `a snooze for today holds news back until midnight, and what it held back until morning`(
    _ isQuietAtNight: Bool
  ) throws {
    let midnight = Timestamp(seconds: 1_767_657_600)
    let fixes = [-10.0, 11]
      .map { hours in
        Fix(
          at: midnight + .minutes(Int64(hours * 60)),
          coordinate: Coordinate(uncheckedLatitude: 39.3, longitude: -76.6),
          horizontalAccuracyMeters: 5
        )
      }
    let snoozedAt = midnight - .minutes(240)
    let person = Person(
      reminders: [Reminder(id: "meds", title: "meds", triggers: [.signal("unlock")])],
      actions: [ReplayAction(at: snoozedAt, .reminder("meds", .snoozeToday))]
    )
    var setup = ReplaySetup(catalog: .empty, service: .stream)
    setup.policy.quietHours =
      isQuietAtNight ? DailyWindow(startMinute: 22 * 60, endMinute: 7 * 60) : nil
    var recorder = DayRecorder(try setup.session(for: person))
    try recorder.take(FixColumns(fixes))
    try recorder.finish()
    let report = try DayReport(title: "night", recorder, of: person, setup)
    let snoozes = report.reminders.flatMap(\.bands).filter { $0.kind == "snooze" }
    // In quiet hours it waits for their end, which is drawn as that.
    let morning = midnight + .minutes(9 * 60)
    #expect(snoozes.map(\.from) == (isQuietAtNight ? [snoozedAt] : [snoozedAt, midnight]))
    #expect(snoozes.map(\.until) == (isQuietAtNight ? [midnight] : [midnight, morning]))
  }

  @Test(arguments: [1, 2, 3] as [UInt64], [true, false])
  func `a way comes back from its columns, each fix to the decimeter and the millisecond`(
    _ seed: UInt64,
    _ wholeSeconds: Bool
  ) throws {
    let fixes = Self.walk(seed: seed, wholeSeconds: wholeSeconds)
    let report = try Self.report(fixes, monitor: .stream)
    let track = report.track
    #expect(track.unitMilliseconds == (wholeSeconds ? 1_000 : 1), "seed \(seed)")
    #expect(track.coordinates.count == fixes.count)
    var at = report.start
    for (i, fix) in fixes.enumerated() {
      at = at + Milliseconds(Int64(track.at[i] * track.unitMilliseconds))
      #expect(at == fix.at, "seed \(seed), fix \(i)")
      let meters = track.coordinates[i].distanceMeters(to: fix.coordinate)
      #expect(meters < 0.1, "seed \(seed), fix \(i): \(meters) m off")
      #expect(abs(Double(track.accuracyMeters[i]) - fix.horizontalAccuracyMeters) <= 0.5)
      if let speed = fix.speedMetersPerSecond {
        #expect(abs(Double(track.speed[i]) / 10 - speed) <= 0.051, "seed \(seed), fix \(i)")
      }
    }
    #expect(track.seen == [[0, fixes.count - 1]], "a stream is given every fix")
  }

  @Test func `an app behind regions is given some fixes, and the wakes name the regions`() throws {
    var fixes: [Fix] = []
    // From 12 km away past the shop and on.
    for second in 0..<2_000 {
      fixes.append(
        Fix(
          at: Timestamp(seconds: 1_767_614_400 + Int64(second)),
          coordinate: Coordinate(
            uncheckedLatitude: 39.3,
            longitude: -76.74 + Double(second) * 0.00014
          ),
          horizontalAccuracyMeters: 8,
          speedMetersPerSecond: 12
        )
      )
    }
    let report = try Self.report(fixes, monitor: .ideal(slots: 20))
    let seen = report.track.seen.reduce(0) { $0 + $1[1] - $1[0] + 1 }
    #expect(seen > 3 && seen < 1_000, "\(seen) of 2000 fixes were given")
    let crossings = report.wakes.filter { $0.cause == "region_enter" || $0.cause == "region_exit" }
    #expect(crossings.count > 3)
    #expect(crossings.allSatisfy { !$0.regions.isEmpty })
    let started = report.lines.joined()
    for wake in crossings {
      for id in wake.regions { #expect(started.contains("\"id\":\"\(id)\""), "\(id)") }
    }
    // In by four rings, out again by all.
    let levels = report.reminders[0].levels.map(\.value)
    #expect(levels.first == 1 && levels.contains(3) && levels.last == 0, "\(levels)")
    #expect(report.moments.contains { $0.about == "pass" && $0.spot == "node/1" })
  }

  @Test func `a trace without a fix is a day without anything`() throws {
    let report = try Self.report([], monitor: .stream)
    #expect(report.track.at.isEmpty && report.moments.allSatisfy { $0.evidence.isEmpty })
    #expect(report.lines.count == 1, "the summary")
  }
}
