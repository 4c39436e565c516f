import Fencing
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// When the engine asks to stay awake, and for how long.
@Suite struct FollowTests {
  private static let pharmacy = Reminder(
    id: "meds",
    title: "fetch meds",
    target: .category(CategoryID("pharmacy"))
  )

  private struct Phone {
    let scene: Scene
    var engine: Engine
    var last: Fix?

    init(_ change: (inout Policy) -> Void = { _ in }) throws {
      scene = try Scene(
        [pharmacy],
        pois: [(0, "pharmacy")],
        monitoring: .regions(MonitorLimits()),
        change
      )
      engine = scene.engine
    }

    /// The service wakes the app, or hands over a position; seconds after the start.
    mutating func at(meters: Double, second: Double, accuracy: Double = 10) -> [Effect] {
      let fix = Fix(
        at: scene.instant(second / 60),
        coordinate: Scene.coordinate(mile: meters / Tier.metersPerMile),
        horizontalAccuracyMeters: accuracy,
        speedMetersPerSecond: 1
      )
      let previous = last
      last = fix
      return engine.handle(Event(at: fix.at, .woken(by: fix, previous: previous)))
    }

    func second(_ effects: [Effect]) -> [Double?] {
      effects.compactMap { effect -> Double?? in
        guard case .follow(let until) = effect else { return nil }
        return .some(until.map { ($0 - Scene.start).seconds })
      }
    }
  }

  @Test func `an arrival is followed until it holds and the position after that`() throws {
    var phone = try Phone()
    #expect(phone.second(phone.at(meters: 800, second: 0)) == [])
    // Slow: 20 s, and 5 s for the position after that.
    #expect(phone.second(phone.at(meters: 140, second: 60)) == [85])
    #expect(phone.second(phone.at(meters: 130, second: 61)) == [])
    let held = phone.engine.handle(Event(at: phone.scene.instant(80.0 / 60), .timer))
    #expect(held.contains { if case .post = $0 { true } else { false } })
    #expect(phone.second(held) == [])
    #expect(phone.second(phone.at(meters: 100, second: 81)) == [nil])
  }

  @Test func `an arrival that does not hold ends the following`() throws {
    var phone = try Phone()
    _ = phone.at(meters: 800, second: 0)
    #expect(phone.second(phone.at(meters: 140, second: 60)) == [85])
    #expect(phone.second(phone.at(meters: 210, second: 70)) == [nil])
  }

  @Test func `a phone that cannot follow is not asked to`() throws {
    var phone = try Phone { $0.monitor.longestFollow = .seconds(0) }
    _ = phone.at(meters: 800, second: 0)
    #expect(phone.second(phone.at(meters: 140, second: 60)) == [])
  }

  @Test func `what a position could not tell is asked for within the wake`() throws {
    var phone = try Phone()
    _ = phone.at(meters: 800, second: 0)
    let unsure = phone.at(meters: 140, second: 60, accuracy: 120)
    #expect(unsure.contains(.locate))
    #expect(phone.second(unsure) == [90])
    // The next one tells: there, so it must hold, until the same instant as it happens.
    #expect(phone.second(phone.at(meters: 140, second: 65)) == [])
    #expect(phone.second(phone.at(meters: 140, second: 66)) == [])
  }

  @Test func `a wake keeps the safe circle while much of it lies ahead`() throws {
    // Points all along the way, so that a safe circle is needed.
    let scene = try Scene(
      [Self.pharmacy],
      pois: (0..<40).map { (Double($0) * 0.3, "pharmacy") },
      monitoring: .regions(MonitorLimits(slots: 3))
    )
    var engine = scene.engine
    func wake(_ mile: Double, _ minute: Double) -> [Region] {
      let fix = Fix(
        at: scene.instant(minute),
        coordinate: Scene.coordinate(mile: mile),
        horizontalAccuracyMeters: 5,
        speedMetersPerSecond: 1
      )
      return engine.handle(Event(at: fix.at, .woken(by: fix, previous: nil)))
        .flatMap { effect -> [Region] in
          if case .monitor(let change) = effect { change.start } else { [] }
        }
    }
    #expect(wake(-0.3, 1).contains { $0.kind == .safe })
    #expect(wake(-0.301, 2).isEmpty)
    #expect(wake(-0.6, 9).contains { $0.kind == .safe })
  }
}
