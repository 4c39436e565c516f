import Basics
import Fencing
import Foundation
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// What becomes of reminders when something happens to the phone or the app.
///
/// A straight road with one pharmacy at mile 0; positions are miles along it, a mile a minute, a fix
/// every 5 s, times in minutes.
@Suite struct IncidentTests {
  private static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
  private static let start = Timestamp(seconds: 1_767_600_000)

  private static func instant(_ minute: Double) -> Timestamp {
    start + Milliseconds(Int64(minute * 60_000))
  }

  /// Drives from a mile to another, and reports what was said and recorded.
  private static func drive(
    from: Double = -9.99,
    to: Double = 10.01,
    _ incidents: [(minute: Double, Incident)],
    on service: LocationService = .ideal(slots: 20),
    pois: Int = 1,
    onRestore: @escaping @Sendable () -> Void = {}
  ) throws -> (lines: [String], summary: ReplaySummary, session: ReplaySession) {
    let points = (0..<pois)
      .map { i in
        PointOfInterest(
          sourceID: "node/\(i + 1)",
          categories: [CategoryID("pharmacy")],
          coordinate: plane.coordinate(eastMeters: Double(i) * 40_000, northMeters: 0)
        )
      }
    let person = Person(
      reminders: [
        Reminder(id: "meds", title: "fetch meds", target: .category(CategoryID("pharmacy")))
      ],
      actions: incidents.map { ReplayAction(at: instant($0.minute), .incident($0.1)) }
    )
    let setup = ReplaySetup(policy: .measuring, catalog: POICatalog(points), service: service)
    var session = try setup.session(
      for: person,
      restore: { state in
        onRestore()
        let data = (try? JSONEncoder().encode(state)) ?? Data()
        return (try? JSONDecoder().decode(EngineState.self, from: data)) ?? EngineState()
      }
    )
    var lines: [String] = []
    func keep(_ new: [ReplayLine]) {
      for line in new {
        guard let at = line.instant else { continue }
        let minute = fixed((at - start).seconds / 60, 1)
        switch line {
        case .transition(let t): lines.append("\(minute) \(t.step.name) \(t.kind.rawValue)")
        case .access(_, let access): lines.append("\(minute) \(access.rawValue)")
        case .regionsRefused(_, let ids, let slots):
          lines.append("\(minute) refused \(ids.count), \(slots) left")
        case .wake(_, .launch): lines.append("\(minute) launch")
        default: break
        }
      }
    }
    let steps = Int(abs(to - from) * 12)
    for step in 0...steps {
      let share = Double(step) / Double(steps)
      keep(
        try session.consume(
          Fix(
            at: instant(Double(step) / 12),
            coordinate: plane.coordinate(
              eastMeters: 0,
              northMeters: (from + (to - from) * share) * Tier.metersPerMile
            ),
            horizontalAccuracyMeters: 5,
            speedMetersPerSecond: 26
          )
        )
      )
    }
    keep(try session.finish())
    return (lines, session.summary, session)
  }

  /// What the drive says when nothing happens.
  private static let undisturbed = [
    "5.0 approach:5mi enter", "7.0 approach:3mi enter", "9.0 approach:1mi enter",
  ]

  @Test func `nothing happens: three rings in, and out of them`() throws {
    let (lines, _, _) = try Self.drive([])
    #expect(lines.filter { $0.hasSuffix("enter") } == Self.undisturbed)
  }

  @Test func `NM-10.4: a killed app is started by the next crossing, and has forgotten nothing`()
    throws
  {
    let (calm, _, _) = try Self.drive([])
    let restored = Counter()
    let (lines, _, _) = try Self.drive([(6, .killed), (13.5, .killed)]) { restored.add() }
    #expect(lines.filter { !$0.hasSuffix("launch") } == calm.filter { !$0.hasSuffix("launch") })
    #expect(lines.contains("7.0 launch"))
    #expect(restored.count == 2)
  }

  @Test func `an app that is opened again asks where it is`() throws {
    let (calm, _, _) = try Self.drive([])
    let (lines, _, _) = try Self.drive([(6, .killed), (6.5, .launched)])
    #expect(lines.filter { !$0.hasSuffix("launch") } == calm.filter { !$0.hasSuffix("launch") })
    #expect(lines.contains("6.5 launch"))
  }

  @Test
  func
    `NM-8.4, NM-10.5, CTX-8.3, MOM-15: without permission nothing is noticed; with it again, all that is still so`()
    throws
  {
    let (lines, summary, _) = try Self.drive([(6, .permissionReduced), (8, .permissionGranted)])
    #expect(
      lines.filter { !$0.hasSuffix("exit") && !$0.hasSuffix("launch") } == [
        "5.0 approach:5mi enter", "6.0 while_in_use", "8.0 always", "8.0 approach:3mi enter",
        "9.0 approach:1mi enter",
      ]
    )
    #expect(summary.atRisk == .minutes(2))
  }

  @Test func `with services off past the pharmacy, it was never there`() throws {
    let (lines, _, _) = try Self.drive([(4, .servicesOff), (16, .servicesOn)])
    #expect(
      lines.filter { !$0.hasSuffix("launch") } == ["4.0 services_off", "16.0 always"]
    )
  }

  @Test func `the same on a phone that is late`() throws {
    let (lines, summary, _) = try Self.drive(
      from: -20,
      to: 20,
      [(2, .killed), (22, .servicesOff), (24, .servicesOn), (25, .killed)],
      on: .phone(.ios, slots: 20, seed: 3)
    )
    #expect(lines.contains { $0.hasSuffix("services_off") })
    #expect(lines.filter { $0.hasSuffix("launch") }.count == 3, "\(lines)")
    #expect(lines.contains { $0.hasSuffix("approach:5mi enter") }, "\(lines)")
    #expect(summary.regionsRefused == 0)
  }

  @Test func `what a full phone refuses is planned with fewer`() throws {
    var settings = TwinSettings.ios
    settings.regions = 5
    let (lines, summary, session) = try Self.drive(
      [],
      on: .phone(settings, slots: 20, seed: 1),
      pois: 40
    )
    #expect(lines.contains { $0.hasSuffix(", 5 left") }, "\(lines)")
    #expect(summary.regionsRefused > 0)
    #expect(session.phone?.held ?? 0 <= 5)
    #expect(session.engine.state.currentRegions.count == session.phone?.held)
    // The circle at whose exit is planned anew is among them.
    #expect(session.engine.state.currentRegions.contains { $0.kind == .safe })
  }

  /// Counts on whatever thread.
  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    func add() { lock.withLock { value += 1 } }
    var count: Int { lock.withLock { value } }
  }
}
