import Basics
import Fencing
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// The region watch without an engine: ladders that are made up, a position, and what is asked of the
/// location service.
@Suite struct RegionWatchTests {
  /// How often somebody asked where ladders would change, which is once for each plan.
  private final class Plans { var count = 0 }

  /// Rings of a kilometer around points of a road, each somebody's.
  private struct Rings: LadderSource {
    var owners: [(name: String, mile: Double)]
    var catalog = POICatalog.empty
    var liveOwners: [String] { owners.map(\.name) }
    var ownersOfMissingCategories: [String] = []
    var anyLadderNeedsFix = false
    var standing = [Ladder()]
    var plans = Plans()

    var ladderCount: Int { standing.count }
    func ladder(_ i: Int) -> Ladder { standing[i] }
    func watchedLadders() -> [WatchedLadder] {
      plans.count += 1
      return owners.map { owner in
        WatchedLadder(
          owner: owner.name,
          target: .place(id: owner.name, coordinate: Scene.coordinate(mile: owner.mile)),
          arrival: nil,
          boundaries: [Boundary(side: .in, reach: .distance(meters: 1_000))]
        )
      }
    }
  }

  private var watch = RegionWatch(
    .regions(MonitorLimits(slots: 3)),
    Policy.Monitor(),
    RegionWatch.State()
  )
  private var now = Scene.start

  private mutating func adapt(_ needs: RegionWatch.Needs, _ rings: Rings) -> [String] {
    var nothing: [Effect] = []
    var turn = EventTurn(heardAt: now, reusing: &nothing)
    _ = watch.adapt(to: needs, at: now, rings, &turn)
    return turn.effects.map { effect in
      switch effect {
      case .monitor(let change):
        "start \(change.start.map(\.id)) stop \(change.stop) held \(change.held)"
      case .locate: "locate"
      case .follow(let until): "follow \(until.map { Int(($0 - now).seconds) } ?? -1) s"
      case .record(let record): "record \(record)"
      default: "\(effect)"
      }
    }
  }

  private func seen(_ mile: Double, accuracy: Double = 10) -> RegionWatch.Needs {
    let fix = Fix(
      at: now,
      coordinate: Scene.coordinate(mile: mile),
      horizontalAccuracyMeters: accuracy
    )
    return RegionWatch.Needs(
      sighted: RegionWatch.Sighted(fix: fix, cameFrom: nil, isQuick: false)
    )
  }

  private static var four: Rings {
    Rings(owners: [("a", 5), ("b", 10), ("c", -20), ("d", 30)])
  }

  @Test mutating func `the nearest rings get a region each, and the last slot is the safe circle`()
    throws
  {
    let effects = adapt(seen(0), Self.four)
    #expect(effects.count == 1)
    #expect(watch.state.regions.map(\.region.kind).filter { $0 == .safe }.count == 1)
    #expect(watch.state.regions.count == 3)
    let owners = watch.state.regions.flatMap(\.owners)
    #expect(owners == ["a", "b"])
    let certificate = try #require(watch.state.certificate)
    #expect(certificate.atRisk.isEmpty)
    // The third ring begins 20 miles away less a kilometer.
    let safe = try #require(certificate.safeRadiusMeters)
    #expect(abs(safe - (20 * Tier.metersPerMile - 1_000)) < 5)
    #expect(watch.violations(Self.four).isEmpty)
  }

  @Test mutating func `from the same place nothing is asked again`() {
    _ = adapt(seen(0), Self.four)
    #expect(adapt(seen(0), Self.four) == [])
  }

  @Test mutating func `a poor position moves nothing, and the next one is asked for`() {
    _ = adapt(seen(0), Self.four)
    let before = watch.state.regions
    #expect(adapt(seen(10, accuracy: 900), Self.four) == ["locate", "follow 30 s"])
    #expect(watch.state.regions == before)
    #expect(watch.isPositionAwaited)
  }

  @Test mutating func `a poor position behind the safe circle replaces it, and no fence`() throws {
    _ = adapt(seen(0), Self.four)
    let fences = watch.state.regions.filter { $0.region.kind != .safe }
    #expect(
      adapt(seen(25, accuracy: 900), Self.four) == [
        #"start ["safe:2"] stop ["safe:1"] held 3"#, "locate", "follow 30 s",
      ]
    )
    #expect(watch.state.regions.filter { $0.region.kind != .safe } == fences)
    let safe = try #require(watch.state.regions.last?.region)
    #expect(safe.radiusMeters == 900 && safe.center == Scene.coordinate(mile: 25))
    #expect(watch.state.certificate?.safeRadiusMeters == 0)
    #expect(watch.violations(Self.four).isEmpty)
    // Within that, the next one changes nothing; beyond it, it does.
    now = now + .seconds(5)
    #expect(adapt(seen(25.2, accuracy: 600), Self.four) == ["locate", "follow 30 s"])
    now = now + .seconds(60)
    let starts = adapt(seen(26, accuracy: 600), Self.four)
    #expect(starts.first == #"start ["safe:3"] stop ["safe:2"] held 3"#)
    #expect(watch.state.regions.last?.region.radiusMeters == 600)
    now = now + .seconds(5)
    _ = adapt(seen(26), Self.four)
    #expect(watch.violations(Self.four).isEmpty && !watch.isPositionAwaited)
    #expect(watch.state.certificate?.safeRadiusMeters ?? 0 > 0)
  }

  /// The safe circle ends 19.38 miles away: what wakes an app at 19 miles, give or take a mile, may be it.
  @Test
  mutating func
    `a poor position at the safe circle's edge replaces it where a region woke the app`()
  {
    _ = adapt(seen(0), Self.four)
    var asking = self
    #expect(asking.adapt(seen(19, accuracy: 1_600), Self.four).count == 3)
    asking = self
    var waiting = Self.four
    waiting.anyLadderNeedsFix = true
    _ = asking.adapt(seen(0), waiting)
    #expect(asking.adapt(seen(19, accuracy: 1_600), waiting) == ["locate"])
  }

  @Test(arguments: [true, false])
  mutating func `who rests beside a fence that is too small is looked for now and then`(
    _ easing: Bool
  ) throws {
    watch = RegionWatch(
      .regions(MonitorLimits(slots: 3, smallestRegionMeters: 3_000)),
      Policy.Monitor(),
      RegionWatch.State()
    )
    let rings = Rings(owners: [("a", 1)])
    func needs(_ mile: Double) -> RegionWatch.Needs {
      var needs = seen(mile)
      needs.hasTimers = true
      if easing { needs.easing = .init(everyPositionUntil: nil, lastFixAt: now) }
      return needs
    }
    #expect(adapt(needs(0), rings).contains("locate"))
    #expect(watch.state.certificate?.atRisk.map(\.id) == ["enter:a:100000"])
    #expect(watch.state.certificate?.atRisk.map(\.reason) == [.smallerThanSmallestRegion])
    now = now + .seconds(179)
    #expect(adapt(needs(0.001), rings).contains("locate"))
    now = now + .seconds(1)
    let rest = adapt(needs(0), rings)
    #expect(!rest.contains("locate"))
    let lookAt = try #require(watch.state.beside?.lookAt)
    #expect(lookAt == now + .seconds(easing ? 250 : 220))
    #expect(watch.state.followUntil == (easing ? lookAt : nil))
    // What is at risk is named, so that the promise holds while nothing is asked.
    #expect(!watch.isPositionAwaited && watch.violations(rings).isEmpty)
    let early = watch.takeLook(at: lookAt - .seconds(1))
    now = lookAt
    let due = watch.takeLook(at: now)
    #expect(!early && due)
    // What catches up after months looks once.
    let again = watch.takeLook(at: now + .seconds(90 * 86_400))
    #expect(!again && watch.state.beside?.lookAt == nil)
    var asked = RegionWatch.Needs(needsPosition: true, hasTimers: true)
    if easing { asked.easing = .init(everyPositionUntil: nil, lastFixAt: nil) }
    #expect(adapt(asked, rings).first == "locate")
    // If none comes it is asked for again, by an app that is awake then.
    #expect(watch.state.beside?.lookAt == now + .seconds(220))
    #expect(watch.state.followUntil == (easing ? now + .seconds(220) : nil))
    // A single position that is far off is none of a phone that moves.
    now = now + .seconds(5)
    #expect(!adapt(needs(0.1), rings).contains("locate"))
    #expect(watch.state.beside?.lookAt == now + .seconds(easing ? 250 : 60))
    // Once it moves, every position is asked for again, and far away none is.
    now = now + .seconds(5)
    #expect(adapt(needs(0.1), rings).contains("locate"))
    #expect(watch.state.beside?.lookAt == nil)
    now = now + .seconds(60)
    #expect(!adapt(needs(-2), rings).contains("locate"))
    #expect(watch.state.beside == nil)
  }

  /// A receiver whose errors last, and that claims an accuracy.
  struct NoisyReceiver: Sendable {
    let deviationMeters: Double
    let seconds: Double
    var random: SplitMix64
    var (east, north) = (0.0, 0.0)

    init(_ deviationMeters: Double, _ seconds: Double, seed: UInt64 = 1) {
      (self.deviationMeters, self.seconds) = (deviationMeters, seconds)
      random = SplitMix64(seed: seed)
      wait(1_000)
    }

    /// Goes on for some seconds: something is left of the old error, and a new one comes besides.
    mutating func wait(_ span: Double) {
      let old = exponential(-span / seconds)
      let new = (1 - old * old).squareRoot() * deviationMeters
      east = old * east + new * normal()
      north = old * north + new * normal()
    }

    private mutating func normal() -> Double {
      (0..<12).reduce(-6.0) { sum, _ in sum + random.unit() }
    }
  }

  /// In a city and indoors no two positions are the same, and errors last.
  @Test(
    arguments: [
      NoisyReceiver(4, 60), NoisyReceiver(8, 60), NoisyReceiver(15, 30), NoisyReceiver(30, 30),
      NoisyReceiver(20, 60), NoisyReceiver(30, 180), NoisyReceiver(43, 60), NoisyReceiver(43, 300),
    ],
    [1.0, 1.51]
  )
  mutating func `who sits beside a small fence is at rest with a noisy receiver`(
    _ receiver: NoisyReceiver,
    _ claim: Double
  ) {
    watch = RegionWatch(
      .regions(MonitorLimits(slots: 3, smallestRegionMeters: 3_000)),
      Policy.Monitor(),
      RegionWatch.State()
    )
    let rings = Rings(owners: [("a", 1)])
    let plane = LocalPlane(origin: Scene.coordinate(mile: 0))
    let (begin, day) = (now, Milliseconds.minutes(8 * 60))
    var receiver = receiver
    var onSeconds = 0.0
    func needs(_ east: Double, _ north: Double) -> RegionWatch.Needs {
      let fix = Fix(
        at: now,
        coordinate: plane.coordinate(eastMeters: east, northMeters: north),
        horizontalAccuracyMeters: claim * receiver.deviationMeters
      )
      let sighted = RegionWatch.Sighted(fix: fix, cameFrom: nil, isQuick: false)
      return RegionWatch.Needs(sighted: sighted, hasTimers: true)
    }
    while now - begin < day {
      let asks = adapt(needs(receiver.east, receiver.north), rings).contains("locate")
      // A look takes ten seconds.
      let span = asks ? 5 : watch.state.beside?.lookAt.map { ($0 - now).seconds } ?? 5
      onSeconds += asks ? 5 : 10
      now = now + Milliseconds(Int64(span * 1_000))
      receiver.wait(span)
    }
    #expect(onSeconds < 0.15 * day.seconds, "\(onSeconds) s")
    // Who goes is asked for every position from the second one on that is elsewhere.
    for _ in 0..<2 {
      _ = adapt(needs(receiver.east - 450, receiver.north), rings)
      now = now + .seconds(5)
      receiver.wait(5)
    }
    #expect(watch.isPositionAwaited)
  }

  /// On iOS no timer runs while the app sleeps, and no region lies around the fence.
  @Test(arguments: [true, false])
  mutating func `where nothing can wake it later, every position is asked for`(_ hasTimers: Bool) {
    var policy = Policy.Monitor()
    if hasTimers { policy.sleepingTimers = .wait }
    watch = RegionWatch(
      .regions(MonitorLimits(slots: 3, smallestRegionMeters: 3_000)),
      policy,
      RegionWatch.State()
    )
    let rings = Rings(owners: [("a", 1)])
    for _ in 0..<20 {
      var needs = seen(0)
      needs.hasTimers = hasTimers
      #expect(adapt(needs, rings).contains("locate"))
      #expect(watch.state.followUntil ?? now > now && watch.state.beside == nil)
      now = now + .seconds(25)
    }
  }

  @Test mutating func `without a position, what nothing needs is let go of and nothing is begun`() {
    _ = adapt(seen(0), Self.four)
    var less = Self.four
    less.owners.removeAll { $0.name == "a" }
    let effects = adapt(RegionWatch.Needs(), less)
    #expect(effects.count == 1)
    #expect(effects.first?.hasPrefix("start [] stop [") ?? false, "\(effects)")
    #expect(watch.state.regions.flatMap(\.owners) == ["b"])
    less.owners = []
    _ = adapt(RegionWatch.Needs(), less)
    #expect(watch.state.regions.isEmpty)
  }

  @Test mutating func `regions of a category that the catalog lost stay`() {
    _ = adapt(seen(0), Self.four)
    var lost = Self.four
    lost.owners.removeAll { $0.name == "a" }
    lost.ownersOfMissingCategories = ["a"]
    _ = adapt(seen(0), lost)
    #expect(watch.state.regions.flatMap(\.owners).contains("a"))
  }

  @Test mutating func `refused regions are forgotten, and fewer are asked for until a launch`() {
    _ = adapt(seen(0), Self.four)
    let refused = watch.state.regions[1].region.id
    var nothing: [Effect] = []
    var turn = EventTurn(heardAt: now, reusing: &nothing)
    #expect(!watch.lose(["unknown"], at: now, &turn))
    #expect(watch.lose([refused], at: now, &turn))
    #expect(turn.effects == [.record(.regionsRefused(at: now, ids: [refused], slots: 2))])
    _ = adapt(seen(0), Self.four)
    #expect(watch.state.regions.count == 2)
    watch.launch(at: now, lastAlive: nil, &turn)
    _ = adapt(seen(0), Self.four)
    #expect(watch.state.regions.count == 3)
  }

  @Test
  mutating func `where all are refused no position is asked for, and the next one plans anew`() {
    _ = adapt(seen(0), Self.four)
    var nothing: [Effect] = []
    var turn = EventTurn(heardAt: now, reusing: &nothing)
    #expect(!watch.lose(watch.state.regions.map(\.region.id), at: now, &turn))
    #expect(watch.state.regions.isEmpty && watch.violations(Self.four).isEmpty)
    _ = adapt(seen(0), Self.four)
    #expect(watch.state.regions.map(\.region.kind) == [.safe])
    #expect(watch.violations(Self.four).isEmpty)
  }

  @Test mutating func `a ladder that waits for a fix asks, unless nothing can be known`() {
    var waiting = Self.four
    waiting.anyLadderNeedsFix = true
    #expect(adapt(RegionWatch.Needs(), waiting) == ["locate"])
    #expect(adapt(RegionWatch.Needs(isBlind: true), waiting) == [])
  }

  @Test mutating func `what must hold is followed, and the position after it`() {
    var needs = seen(0)
    needs.followUntil = now + .seconds(20)
    #expect(adapt(needs, Self.four).last == "follow 25 s")
    now = now + .seconds(30)
    #expect(adapt(seen(0), Self.four) == [])
    #expect(watch.state.followUntil == nil)
  }

  private func followed(_ meters: Double, afterSeconds seconds: Int64) -> RegionWatch.Needs {
    func fix(_ meters: Double, _ seconds: Int64) -> Fix {
      Fix(
        at: Scene.start + .seconds(seconds),
        coordinate: Scene.coordinate(mile: meters / Tier.metersPerMile),
        horizontalAccuracyMeters: 10
      )
    }
    return RegionWatch.Needs(
      sighted: RegionWatch.Sighted(
        fix: fix(meters, seconds),
        cameFrom: fix(meters - 10, seconds - 1),
        isQuick: true
      ),
      followUntil: Scene.start + .minutes(10)
    )
  }

  @Test mutating func `a plan stands up to a boundary, and what was asked for early is asked anew`()
    throws
  {
    var policy = Policy.Monitor()
    policy.anticipationMeters = 200
    watch = RegionWatch(.regions(MonitorLimits(slots: 3)), policy, RegionWatch.State())
    // The nearest ring begins 609 m ahead; each time it is asked for ten meters from here.
    let rings = Rings(owners: [("a", 1), ("b", 10), ("c", -20), ("d", 30)])
    for second in 0..<8 as Range<Int64> {
      now = Scene.start + .seconds(second)
      let meters = 520 + 10 * Double(second)
      let starts = adapt(followed(meters, afterSeconds: second), rings)
        .filter { $0.hasPrefix("start") }
      #expect(starts.count == 1 && (second == 0 || starts[0].contains("stop")), "\(starts)")
      let here = Scene.coordinate(mile: meters / Tier.metersPerMile)
      let ring = try #require(watch.state.regions.first { $0.owners == ["a"] })
      let ahead = here.distanceMeters(to: ring.region.center)
      let askedMeters = try #require(ring.askedRadiusMeters)
      #expect(abs(ahead - 10 - askedMeters) < 0.01, "\(meters) m")
      #expect(watch.violations(rings).isEmpty)
      // One of those was the check's.
      #expect(rings.plans.count == Int(second) + 2, "planned anew at \(meters) m")
    }
    // Beyond the ring's edge the plan is made anew.
    now = Scene.start + .seconds(10)
    _ = adapt(followed(620, afterSeconds: 10), rings)
    #expect(rings.plans.count == 10)
  }

  @Test mutating func `when the clock is set, what was asked for is asked by the new one`() {
    var needs = seen(0)
    needs.followUntil = now + .seconds(20)
    needs.easing = RegionWatch.Needs.Easing(everyPositionUntil: nil, lastFixAt: now)
    _ = adapt(needs, Self.four)
    var nothing: [Effect] = []
    var turn = EventTurn(heardAt: now, reusing: &nothing)
    watch.shiftClock(by: .seconds(3_600), &turn)
    let every = watch.policy.easedInterval
    #expect(
      turn.effects == [
        .follow(until: now + .seconds(3_625)), .ease(from: now + .seconds(3_620), every: every),
      ]
    )
  }

  @Test mutating func `registrations are counted where that is agreed to, safe circles never`() {
    var needs = seen(0)
    needs.areCounted = true
    let counted = adapt(needs, Self.four).filter { $0.contains("geofenceRegistered") }
    #expect(counted.count == 2)
  }
}
