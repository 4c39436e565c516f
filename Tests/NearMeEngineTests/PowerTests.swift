import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// What is done without while the battery is low.
@Suite struct PowerTests {
  /// The levels after each of some signals, in turn.
  private func levels(_ told: [(String, String)]) -> [PowerLevel] {
    var engine = Engine(
      policy: Policy(),
      zone: .utc,
      catalog: .empty,
      monitoring: .regions(MonitorLimits(slots: 20))
    )
    var level = PowerLevel.normal
    return told.enumerated()
      .map { i, signal in
        let at = Timestamp(seconds: 1_767_600_000 + Int64(i))
        let told = Signal(name: signal.0, id: "\(i)", level: signal.1)
        for case .record(.powerLevel(_, let next)) in engine.handle(Event(at: at, .signal(told))) {
          #expect(next != level)
          level = next
        }
        return level
      }
  }

  @Test func `a level begins below one limit and ends above another`() {
    let charge = ["31", "21", "20", "25", "29.9", "30", "11", "10", "14", "15", "29", "30"]
    #expect(
      levels(charge.map { ("battery", $0) }) == [
        .normal, .normal, .saving, .saving, .saving, .normal,
        .saving, .sparing, .sparing, .saving, .saving, .normal,
      ]
    )
  }

  @Test
  func `a phone that is charged saves nothing, and begins anew at the charge that it has then`() {
    #expect(
      levels([
        ("battery", "8"), ("charging", "charging"), ("battery", "22"), ("charging", "unplugged"),
        ("battery", "19"), ("charging", "full"),
      ]) == [.sparing, .normal, .normal, .normal, .saving, .normal]
    )
  }

  @Test func `NM-8.6: who takes more than the budget saves until well below it`() {
    let use = ["2.9", "3.1", "2.6", "2.5", "2.4", "2.9"]
    #expect(
      levels(use.map { ("battery_use", $0) })
        == [.normal, .saving, .saving, .saving, .normal, .normal]
    )
    #expect(levels([("low_power", "on"), ("low_power", "off")]) == [.saving, .normal])
    #expect(levels([("battery_use", "9"), ("battery", "9")]) == [.saving, .sparing])
  }

  @Test(arguments: ["", "low", "nan", "-5", "inf", "17 %"])
  func `what is no number changes nothing`(
    _ text: String
  ) {
    #expect(levels([("battery", text)]) == [.normal])
    #expect(levels([("battery", "12"), ("battery", text)]) == [.saving, .saving])
  }

  /// How long the app is asked to follow inside a disc, in seconds, and the state that it leaves.
  private func followed(
    battery: String?,
    easing: Policy.Monitor.Easing? = .never,
    on monitor: Policy.Monitor = Policy.Monitor()
  ) throws -> (seconds: Double, eased: [Double], records: [Record]) {
    var policy = Policy()
    policy.monitor = monitor
    if let easing { policy.monitor.easing = easing }
    let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
    let shop = PointOfInterest(
      sourceID: "node/1",
      categories: [CategoryID("pharmacy")],
      coordinate: plane.origin
    )
    let monitoring = Monitoring.regions(MonitorLimits(slots: 20))
    var engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: POICatalog([shop]),
      monitoring: monitoring
    )
    let start = Timestamp(seconds: 1_767_600_000)
    var effects: [Effect] = []
    func send(_ kind: Event.Kind, at now: Timestamp) {
      effects += engine.handle(Event(at: now, kind))
    }
    send(.launched, at: start)
    let reminder = Reminder(
      id: "meds",
      title: "meds",
      target: .category(CategoryID("pharmacy"))
    )
    send(.reminderSaved(reminder), at: start)
    if let battery {
      send(.signal(Signal(name: "battery", id: "1", level: battery)), at: start)
    }
    // What the engine knows survives its process.
    let stored = try JSONEncoder().encode(engine.state)
    engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: POICatalog([shop]),
      monitoring: monitoring,
      state: try JSONDecoder().decode(EngineState.self, from: stored)
    )
    func fix(_ meters: Double, _ second: Int64) -> Fix {
      Fix(
        at: start + .seconds(second),
        coordinate: plane.coordinate(eastMeters: meters, northMeters: 0),
        horizontalAccuracyMeters: 8,
        speedMetersPerSecond: 5
      )
    }
    for (meters, second) in [(3_000.0, Int64(60)), (120, 300)] {
      let here = fix(meters, second)
      send(.woken(by: here, previous: nil), at: here.at)
    }
    var until: Timestamp?
    for case .follow(let end) in effects { until = end }
    let records = effects.compactMap { if case .record(let record) = $0 { record } else { nil } }
    let span = try #require(until) - (start + .seconds(300))
    let eased = effects.compactMap { effect -> Double? in
      guard case .ease(let from, _) = effect else { return nil }
      return (from - (start + .seconds(300))).seconds
    }
    return (span.seconds, eased, records)
  }

  @Test func `NM-8.6: an app with a low battery stays awake for less, and says so`() throws {
    let full = try followed(battery: nil)
    let low = try followed(battery: "15")
    let empty = try followed(battery: "7")
    #expect((720...755).contains(full.seconds), "\(full.seconds)")
    #expect((240...275).contains(low.seconds), "\(low.seconds)")
    #expect((60...95).contains(empty.seconds), "\(empty.seconds)")
    func levels(_ records: [Record]) -> [PowerLevel] {
      records.compactMap { if case .powerLevel(_, let level) = $0 { level } else { nil } }
    }
    #expect(levels(full.records) == [])
    #expect(levels(low.records) == [.saving])
    #expect(levels(empty.records) == [.sparing])
  }

  @Test func `where the receiver may rest while it saves, the app stays awake as one level above`()
    throws
  {
    let full = try followed(battery: nil, easing: .saving)
    let low = try followed(battery: "15", easing: .saving)
    let empty = try followed(battery: "7", easing: .saving)
    #expect((720...755).contains(full.seconds), "\(full.seconds)")
    #expect((720...755).contains(low.seconds), "\(low.seconds)")
    #expect((240...275).contains(empty.seconds), "\(empty.seconds)")
    #expect(full.eased == [])
    // 12 s after the fix, if none follows, to the next ten seconds.
    #expect(low.eased == [20])
    #expect(empty.eased == [20])
    #expect(try followed(battery: nil, easing: .always).eased == [20])
    #expect(try followed(battery: "7").eased == [])
  }

  @Test func `an iPhone's receiver may rest, an Android's never`() throws {
    for battery in [nil, "15", "7"] {
      #expect(try followed(battery: battery, easing: nil, on: .ios).eased == [20])
      #expect(try followed(battery: battery, easing: nil, on: .android).eased == [])
    }
  }
}
