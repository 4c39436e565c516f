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
  /// Rings of a kilometer around points of a road, each somebody's.
  private struct Rings: LadderSource {
    var owners: [(name: String, mile: Double)]
    var catalog = POICatalog.empty
    var liveOwners: [String] { owners.map(\.name) }
    var ownersOfMissingCategories: [String] = []
    var anyLadderNeedsFix = false
    var standing = [Ladder()]

    var ladderCount: Int { standing.count }
    func ladder(_ i: Int) -> Ladder { standing[i] }
    func watchedLadders() -> [WatchedLadder] {
      owners.map { owner in
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

  private static let four = Rings(owners: [("a", 5), ("b", 10), ("c", -20), ("d", 30)])

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
    #expect(adapt(seen(25, accuracy: 900), Self.four) == ["locate", "follow 30 s"])
    #expect(watch.state.regions == before)
    #expect(watch.isPositionAwaited)
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
    watch.launch()
    _ = adapt(seen(0), Self.four)
    #expect(watch.state.regions.count == 3)
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

  @Test mutating func `registrations are counted where that is agreed to, safe circles never`() {
    var needs = seen(0)
    needs.areCounted = true
    let counted = adapt(needs, Self.four).filter { $0.contains("geofenceRegistered") }
    #expect(counted.count == 2)
  }
}
