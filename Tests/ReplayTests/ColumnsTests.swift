import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Testing
import Timeline
import Traces

/// Fixes taken in as columns, against the same fixes one by one.
@Suite struct ColumnsTests {
  @Test func `columns give the lines that fixes one by one give`() throws {
    var (rested, fixes, lines) = (0, 0, 0)
    for seed in UInt64(1)...300 {
      let world = RandomWorld(seed: seed)
      let catalog = POICatalog(world.pois)
      let person = Person(
        places: world.places,
        reminders: world.reminders,
        actions: actions(seed, world)
      )
      let services: [LocationService] = [
        .ideal(slots: 20), .ideal(slots: 4), .stream, .phone(.ios, slots: 20, seed: seed),
        .phone(.android, slots: 20, seed: seed),
      ]
      for (number, service) in services.enumerated() {
        let session = try ReplaySetup(catalog: catalog, service: service).session(for: person)
        let plain = try oneByOne(world.fixes, session)
        let fast = try byColumns(world.fixes, session)
        let isEqual = fast.lines == plain.lines
        #expect(isEqual, "seed \(seed), service \(number)")
        #expect(
          fast.session.summary == plain.session.summary,
          "seed \(seed), service \(number)"
        )
        #expect(
          fast.session.engine.state == plain.session.engine.state,
          "seed \(seed), service \(number)"
        )
        rested += fast.rested
        fixes += world.fixes.count
        lines += plain.lines.count
      }
    }
    // Both ways of taking in a fix must have been tried.
    #expect(rested > fixes / 4 && rested < fixes)
    #expect(lines > 10_000)
  }

  @Test func `a stay that ends only far from every place ends in columns, too`() throws {
    let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
    let home = Place(id: "home", name: "Home", kind: .home, coordinate: plane.origin)
    let person = Person(
      places: [home],
      reminders: [Reminder(id: "bins", title: "bins", target: .place("home"))],
      actions: []
    )
    var fixes: [Fix] = []
    func add(_ meters: Double, _ speed: Double, accuracy: Double) {
      fixes.append(
        Fix(
          at: Timestamp(seconds: 1_767_600_000 + Int64(fixes.count)),
          coordinate: plane.coordinate(eastMeters: 0, northMeters: meters),
          horizontalAccuracyMeters: accuracy,
          speedMetersPerSecond: speed
        )
      )
    }
    for second in 0..<300 { add(-400 + Double(second) * 1.3, 1.3, accuracy: 8) }
    for _ in 0..<600 { add(-10, 0, accuracy: 8) }
    // Too poor to tell being away, until nothing is near.
    for second in 0..<600 { add(-10 - Double(second) * 12, 12, accuracy: 400) }
    let session = try ReplaySetup(catalog: .empty, service: .stream).session(for: person)
    let plain = try oneByOne(fixes, session)
    let fast = try byColumns(fixes, session)
    let isEqual = fast.lines == plain.lines
    #expect(isEqual)
    #expect(fast.session.engine.state == plain.session.engine.state)
    #expect(plain.lines.count > 4)
  }

  /// What a circle lets pass lies in it, in space, and passes a gate.
  @Test func `a circle in degrees lies within the circle in space`() {
    var passed = 0
    for seed in UInt64(1)...2_000 {
      var random = SeededGenerator(seed: seed)
      let latitude = [random.uniform(-90...90), random.uniform(-1...1), 89.99, -90]
      let center = Coordinate(
        uncheckedLatitude: latitude[random.integer(0...3)],
        longitude: random.integer(0...3) == 0 ? 179.999 : random.uniform(-180...180)
      )
      let chord = [0.5, 30, 2_000, 50_000, 1_000_000][random.integer(0...4)]
      let plane = LocalPlane(origin: center)
      var at: Int64 = 0
      let fixes = (0..<40)
        .map { _ in
          at += [1, 500, 1_000, 60_000][random.integer(0...3)]
          return Fix(
            at: Timestamp(milliseconds: at),
            coordinate: plane.coordinate(
              eastMeters: random.uniform(-chord...chord),
              northMeters: random.uniform(-chord...chord)
            ),
            horizontalAccuracyMeters: 5
          )
        }
      let columns = FixColumns(fixes)
      let circle = CalmColumns(around: center, chordSquared: chord * chord)
      let point = SurfacePoint(center)
      var gate = FixGate()
      let first = Fix(
        at: Timestamp(milliseconds: -1_000),
        coordinate: center,
        horizontalAccuracyMeters: 5
      )
      _ = gate.refuse(first, at: point, FixGateSettings())
      for row in fixes.indices {
        guard let last = gate.last else { return }
        let count = circle.count(
          columns.rows,
          row..<(row + 1),
          before: .max,
          after: last,
          FixGateSettings()
        )
        let here = SurfacePoint(fixes[row].coordinate)
        let refusal = gate.refuse(fixes[row], at: here, FixGateSettings())
        guard count == 1 else { continue }
        passed += 1
        #expect(here.chordSquared(to: point) <= chord * chord, "seed \(seed), fix \(row)")
        #expect(refusal == nil, "seed \(seed), fix \(row)")
      }
    }
    #expect(passed > 10_000)
  }

  // MARK: -

  private func actions(_ seed: UInt64, _ world: RandomWorld) -> [ReplayAction] {
    var random = SeededGenerator(seed: seed &+ 1_000_000)
    guard let first = world.fixes.first, let last = world.fixes.last else { return [] }
    let span = max(1, (last.at - first.at).value)
    return (0..<random.integer(0...3))
      .map { _ in
        let reminder = world.reminders[random.integer(0...(world.reminders.count - 1))].id
        let action: [ReminderAction] = [
          .complete, .snoozeFor(.minutes(20)), .mute, .unmute, .dismiss,
        ]
        return ReplayAction(
          at: first.at + Milliseconds(Int64(random.unit() * Double(span))),
          .reminder(reminder, action[random.integer(0...4)])
        )
      }
  }

  private func oneByOne(
    _ fixes: [Fix],
    _ session: ReplaySession
  ) throws -> (lines: [ReplayLine], session: ReplaySession) {
    var session = session
    var lines: [ReplayLine] = []
    for fix in fixes { lines += try session.consume(fix) }
    lines += try session.finish()
    return (lines, session)
  }

  private func byColumns(
    _ fixes: [Fix],
    _ session: ReplaySession
  ) throws -> (lines: [ReplayLine], session: ReplaySession, rested: Int) {
    var session = session
    var lines: [ReplayLine] = []
    let columns = FixColumns(fixes)
    var row = 0
    var rested = 0
    while row < columns.count {
      let (count, wakes) = session.skip(through: columns.rows, row..<columns.count)
      lines += wakes
      rested += count
      row += count
      if count > 0, session.phone != nil { continue }
      guard row < columns.count else { break }
      lines += try session.consume(columns.rows.fix(row))
      row += 1
    }
    lines += try session.finish()
    return (lines, session, rested)
  }
}
