import Basics
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

/// A drawn scene: points and places on a plane, and a phone that drives through them.
struct DrawnScene {
  let plane: LocalPlane
  var pois: [PointOfInterest] = []
  var places: [Place] = []
  var reminders = [Reminder(id: "bank", title: "pay in", target: .category(CategoryID("bank")))]
  private(set) var fixes: [Fix] = []
  private var now = Timestamp(seconds: 1_767_600_000)
  private var (x, y) = (0.0, 0.0)

  init(latitude: Double = 48, longitude: Double = 11, at start: (Double, Double) = (0, 0)) {
    plane = LocalPlane(origin: Coordinate(uncheckedLatitude: latitude, longitude: longitude))
    (x, y) = start
    stay(seconds: 60)
  }

  mutating func poi(_ east: Double, _ north: Double, _ category: String = "bank") {
    pois.append(
      PointOfInterest(
        sourceID: "node/\(pois.count + 1)",
        categories: [CategoryID(category)],
        coordinate: plane.coordinate(eastMeters: east, northMeters: north)
      )
    )
  }

  mutating func place(_ id: String, _ east: Double, _ north: Double, tiers: [Tier], radius: Double)
  {
    places.append(
      Place(
        id: id,
        name: id,
        kind: .other,
        coordinate: plane.coordinate(eastMeters: east, northMeters: north),
        arrivalRadiusMeters: radius
      )
    )
    reminders.append(Reminder(id: "at-" + id, title: id, target: .place(id), tiers: tiers))
  }

  /// Drives straight there, with a fix every so many seconds.
  mutating func drive(to goal: (Double, Double), speed: Double, every seconds: Double = 1) {
    let (dx, dy) = (goal.0 - x, goal.1 - y)
    let length = (dx * dx + dy * dy).squareRoot()
    let steps = max(1, Int(length / (speed * seconds)))
    let (fromX, fromY) = (x, y)
    for step in 1...steps {
      let share = Double(step) / Double(steps)
      (x, y) = (fromX + dx * share, fromY + dy * share)
      fix(after: seconds, speed: speed)
    }
  }

  mutating func stay(seconds: Int) { for _ in 0..<(seconds / 10) { fix(after: 10, speed: 0) } }

  /// Is somewhere else all of a sudden.
  mutating func jump(to goal: (Double, Double), after seconds: Double) {
    (x, y) = goal
    fix(after: seconds, speed: nil)
    fix(after: 1, speed: 0)
  }

  mutating func fix(
    after seconds: Double,
    speed: Double?,
    accuracy: Double = 5,
    off: Double = 0,
    offNorth: Double = 0
  ) {
    now = now + Milliseconds(Int64(seconds * 1_000))
    fixes.append(
      Fix(
        at: now,
        coordinate: plane.coordinate(eastMeters: x + off, northMeters: y + offNorth),
        horizontalAccuracyMeters: accuracy,
        speedMetersPerSecond: speed
      )
    )
  }

  /// What happens before a fix, beside it.
  enum Happening {
    case event(Event.Kind)
    case catalog([PointOfInterest])
  }

  /// What one run of the scene comes to.
  struct Outcome {
    var moves: [Move] = []
    var texts: [String] = []
    /// What each of them tells, without instants and distances.
    var told: [String] = []
    var changes: [(fix: Int, RegionChange)] = []
    var summary = ReplaySummary()
    var violations: [CertificateCheck.Violation] = []
  }

  /// Runs it; nil for slots hands over every fix.
  func run(
    slots: Int?,
    limits: MonitorLimits? = nil,
    happenings: [Int: [Happening]] = [:]
  ) throws -> Outcome {
    let limits = slots.map { limits ?? MonitorLimits(slots: $0) }
    var engine = Engine(
      policy: .measuring,
      zone: .utc,
      catalog: POICatalog(pois),
      monitoring: limits.map { .regions($0) } ?? .everyFix
    )
    try engine.load(places: places, reminders: reminders)
    var session = ReplaySession(
      engine: engine,
      twin: slots.map { IdealTwin(slots: $0) },
      checksCertificates: slots != nil
    )
    var outcome = Outcome()
    func keep(_ lines: [ReplayLine], _ i: Int) {
      for line in lines {
        switch line {
        case .transition(let t) where t.kind != .dwell:
          outcome.moves.append(
            Move(at: t.at, reminder: t.reminder, tier: t.step.name, kind: t.kind)
          )
        case .notification(let n, _):
          outcome.texts.append("\(n.at.milliseconds) \(n.id) \(n.text)")
          let members = n.members.map { "\($0.reminder) \($0.step.name)" }.sorted()
          outcome.told.append("\(n.id) \(members)")
        case .regions(_, let change): outcome.changes.append((i, change))
        default: break
        }
      }
    }
    for (i, fix) in fixes.enumerated() {
      for happening in happenings[i] ?? [] {
        // A moment before the fix, when nobody knows where the phone is.
        let at = fix.at - Milliseconds(500)
        switch happening {
        case .event(let kind): keep(try session.take(Event(at: at, kind)), i)
        case .catalog(let pois): keep(try session.replaceCatalog(POICatalog(pois), at: at), i)
        }
      }
      keep(try session.consume(fix), i)
    }
    keep(try session.finish(), fixes.count)
    outcome.summary = session.summary
    outcome.violations = session.violations.map(\.1)
    return outcome
  }

  /// With 20, 5 and 3 regions everything is as with every fix, and every certificate holds.
  ///
  /// - Returns: the run with 20 regions.
  @discardableResult
  func expectLossless(
    atLeast moves: Int,
    happenings: [Int: [Happening]] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    let every = try run(slots: nil, happenings: happenings)
    #expect(every.moves.count >= moves, "\(every.moves)", sourceLocation: sourceLocation)
    if happenings.isEmpty {
      var oracle = try Oracle(places: places, reminders: reminders, pois: pois, policy: .measuring)
      for fix in fixes { oracle.consume(fix) }
      oracle.finish()
      let isEqual =
        every.moves.sorted(by: LosslessTests.inOrder)
        == oracle.moves.sorted(by: LosslessTests.inOrder)
      #expect(isEqual, "every fix", sourceLocation: sourceLocation)
    }
    var first: Outcome?
    for slots in [20, 5, 3] {
      let found = try run(slots: slots, happenings: happenings)
      let missed = Set(every.moves).subtracting(found.moves)
      let spurious = Set(found.moves).subtracting(every.moves)
      #expect(
        missed.isEmpty && spurious.isEmpty,
        "\(slots) slots: missed \(missed), spurious \(spurious)",
        sourceLocation: sourceLocation
      )
      #expect(found.told == every.told, "\(slots) slots", sourceLocation: sourceLocation)
      // What waited speaks of where one is: a sleeping app asks, and hears it with the next fix.
      let same = every.summary.deferred.isEmpty ? every : first ?? found
      #expect(found.texts == same.texts, "\(slots) slots", sourceLocation: sourceLocation)
      #expect(found.summary.regionsHeldMost <= slots, sourceLocation: sourceLocation)
      #expect(found.violations.isEmpty, "\(found.violations)", sourceLocation: sourceLocation)
      #expect(found.summary.certificatesChecked > 0, sourceLocation: sourceLocation)
      first = first ?? found
    }
    return try #require(first)
  }
}

/// Scenes that planners are known to stumble over.
@Suite struct DrawnSceneTests {
  private static let arrivalOnly: [Tier] = [.arrival]

  @Test func `a ring of sixty points around a roundabout`() throws {
    var scene = DrawnScene(at: (-4_000, 0))
    for i in 0..<60 {
      let (sine, cosine) = sineAndCosine(degrees: Double(i) * 6)
      scene.poi(400 * cosine, 400 * sine)
    }
    scene.drive(to: (-20, 0), speed: 14)
    for i in 0...72 {
      let (sine, cosine) = sineAndCosine(degrees: 180 + Double(i) * 10)
      scene.drive(to: (30 * cosine, 30 * sine), speed: 8)
    }
    scene.drive(to: (0, 400), speed: 8)
    scene.stay(seconds: 120)
    scene.drive(to: (0, 9_000), speed: 20)
    try scene.expectLossless(atLeast: 4)
  }

  @Test func `three hundred points in a square kilometer`() throws {
    var random = SeededGenerator(seed: 300)
    var scene = DrawnScene(at: (-1_500, 0))
    let categories = ["bank", "pharmacy", "grocery"]
    for i in 0..<300 {
      scene.poi(random.uniform(-500...500), random.uniform(-500...500), categories[i % 3])
    }
    scene.reminders += categories.dropFirst()
      .map { Reminder(id: $0, title: "go", target: .category(CategoryID($0)), tiers: [.arrival]) }
    scene.drive(to: (0, 0), speed: 1.5)
    scene.drive(to: (1_200, 300), speed: 9, every: 5)
    scene.drive(to: (-1_500, -200), speed: 9, every: 15)
    try scene.expectLossless(atLeast: 8)
  }

  @Test func `a fence one stands in that is larger than all others`() throws {
    var random = SeededGenerator(seed: 50)
    var scene = DrawnScene()
    scene.place("county", 0, 0, tiers: [.approach(meters: 40_000)], radius: 150)
    for _ in 0..<120 {
      scene.poi(random.uniform(-45_000...45_000), random.uniform(-2_000...2_000))
    }
    scene.drive(to: (50_000, 500), speed: 30)
    scene.drive(to: (0, 0), speed: 30, every: 5)
    let outcome = try scene.expectLossless(atLeast: 5)
    #expect(outcome.moves.contains { $0.reminder == "at-county" && $0.kind == .exit })
    #expect(outcome.moves.contains { $0.reminder == "at-county" && $0.kind == .enter })
  }

  @Test func `two fences that touch`() throws {
    var scene = DrawnScene(at: (-400, 0))
    scene.reminders = []
    scene.place("left", -150, 0, tiers: Self.arrivalOnly, radius: 150)
    scene.place("right", 150, 0, tiers: Self.arrivalOnly, radius: 150)
    scene.drive(to: (0, 0), speed: 1)
    scene.stay(seconds: 120)
    scene.drive(to: (1, 0), speed: 0.1)
    scene.drive(to: (-1, 0), speed: 0.1)
    scene.drive(to: (500, 0), speed: 1)
    try scene.expectLossless(atLeast: 4)
  }

  @Test func `across the antimeridian and back`() throws {
    var random = SeededGenerator(seed: 180)
    var scene = DrawnScene(latitude: -16.8, longitude: 179.999, at: (-12_000, 0))
    for _ in 0..<60 {
      scene.poi(random.uniform(-6_000...6_000), random.uniform(-3_000...3_000))
    }
    scene.drive(to: (12_000, 100), speed: 20)
    scene.drive(to: (-12_000, 0), speed: 25, every: 15)
    let outcome = try scene.expectLossless(atLeast: 5)
    #expect(scene.pois.contains { $0.coordinate.longitude < 0 })
    #expect(scene.pois.contains { $0.coordinate.longitude > 0 })
    #expect(outcome.summary.plansAtRisk == 0)
  }

  @Test func `a teleport into another crowd`() throws {
    var random = SeededGenerator(seed: 7)
    var scene = DrawnScene()
    for i in 0..<80 {
      let far = i < 40 ? 0.0 : 400_000
      scene.poi(far + random.uniform(-12_000...12_000), random.uniform(-12_000...12_000))
    }
    scene.drive(to: (9_000, 0), speed: 15)
    scene.jump(to: (400_000, 0), after: 1)
    scene.drive(to: (409_000, 0), speed: 15)
    scene.jump(to: (0, 0), after: 2)
    scene.drive(to: (-20_000, 0), speed: 15)
    try scene.expectLossless(atLeast: 3)
  }

  @Test func `a ferry without a signal between two towns`() throws {
    var random = SeededGenerator(seed: 12)
    var scene = DrawnScene(at: (-2_000, 0))
    for i in 0..<100 {
      let far = i < 50 ? 0.0 : 30_000
      scene.poi(far + random.uniform(-1_500...1_500), random.uniform(-1_500...1_500))
    }
    scene.drive(to: (1_500, 0), speed: 6)
    scene.drive(to: (10_000, 0), speed: 9, every: 60)
    // 40 minutes below deck, on the way and past a ring.
    scene.jump(to: (26_000, 0), after: 2_400)
    scene.drive(to: (30_000, 0), speed: 6)
    scene.stay(seconds: 120)
    try scene.expectLossless(atLeast: 5)
  }

  @Test func `a poor fix beside twenty fences takes none of them away`() throws {
    var random = SeededGenerator(seed: 20)
    var scene = DrawnScene()
    scene.reminders = []
    for i in 0..<20 {
      let (sine, cosine) = sineAndCosine(degrees: Double(i) * 18)
      let far = random.uniform(500...900)
      scene.place("p\(i)", far * cosine, far * sine, tiers: Self.arrivalOnly, radius: 150)
    }
    scene.stay(seconds: 60)
    let poor = scene.fixes.count
    scene.fix(after: 10, speed: 0, accuracy: 2_000, off: 1_900)
    scene.stay(seconds: 60)
    scene.drive(to: (900, 0), speed: 3)
    scene.stay(seconds: 60)
    let outcome = try scene.expectLossless(atLeast: 1)
    #expect(!outcome.changes.contains { $0.fix == poor })
    // Woken by it in any case, all the same: a position of 2 km moves nothing.
    for (i, change) in outcome.changes where i > poor && i <= poor + 2 {
      #expect(change.stop.allSatisfy { $0.hasPrefix("safe:") }, "\(change)")
    }
  }

  @Test func `reminders made while driving`() throws {
    var random = SeededGenerator(seed: 31)
    var scene = DrawnScene(at: (-20_000, 0))
    let categories = ["bank", "pharmacy", "grocery"]
    for i in 0..<90 {
      scene.poi(random.uniform(-15_000...15_000), random.uniform(-3_000...3_000), categories[i % 3])
    }
    scene.drive(to: (20_000, 0), speed: 20)
    var happenings: [Int: [DrawnScene.Happening]] = [:]
    for (i, category) in categories.dropFirst().enumerated() {
      let reminder = Reminder(
        id: category,
        title: "go",
        target: .category(CategoryID(category))
      )
      happenings[300 + 400 * i] = [.event(.reminderSaved(reminder))]
    }
    let outcome = try scene.expectLossless(atLeast: 5, happenings: happenings)
    #expect(Set(outcome.moves.map(\.reminder)).count == 3)
  }

  @Test func `all reminders done at once let go of every region`() throws {
    var random = SeededGenerator(seed: 32)
    var scene = DrawnScene(at: (-9_000, 0))
    for _ in 0..<90 { scene.poi(random.uniform(-5_000...5_000), random.uniform(-2_000...2_000)) }
    scene.place("home", 1_000, 0, tiers: [.approach(meters: 3_000), .arrival], radius: 150)
    scene.drive(to: (1_000, 0), speed: 15)
    scene.drive(to: (9_000, 0), speed: 15)
    let middle = scene.fixes.count / 2
    let outcome = try scene.expectLossless(
      atLeast: 2,
      happenings: [
        middle: scene.reminders.map { .event(.action(reminder: $0.id, .complete)) }
      ]
    )
    #expect(outcome.changes.last?.1.held == 0)
    #expect(outcome.changes.last?.fix == middle)
  }

  @Test func `the cache replaced under way`() throws {
    var random = SeededGenerator(seed: 33)
    var scene = DrawnScene(at: (-20_000, 0))
    for _ in 0..<60 {
      scene.poi(random.uniform(-15_000...15_000), random.uniform(-3_000...3_000))
    }
    scene.drive(to: (20_000, 0), speed: 20)
    // Half of the points go, others come; then a load that failed, which changes nothing.
    var newer = Array(scene.pois.prefix(30))
    for i in 0..<30 {
      newer.append(
        PointOfInterest(
          sourceID: "way/\(i)",
          categories: [CategoryID("bank")],
          coordinate: scene.plane.coordinate(
            eastMeters: random.uniform(-15_000...15_000),
            northMeters: random.uniform(-3_000...3_000)
          )
        )
      )
    }
    let outcome = try scene.expectLossless(
      atLeast: 3,
      happenings: [700: [.catalog(newer)], 1_200: [.catalog([])]]
    )
    #expect(outcome.summary.registrations > 0)
  }

  @Test func `a fence smaller than the smallest region is found by looking again`() throws {
    var scene = DrawnScene(at: (-600, 0))
    scene.reminders = []
    scene.place("bench", 0, 0, tiers: Self.arrivalOnly, radius: 60)
    scene.drive(to: (-70, 0), speed: 1.5)
    scene.stay(seconds: 120)
    scene.drive(to: (0, 0), speed: 1.5)
    scene.stay(seconds: 120)
    scene.drive(to: (600, 0), speed: 1.5)
    let every = try scene.run(slots: nil)
    let found = try scene.run(
      slots: 20,
      limits: MonitorLimits(slots: 20, smallestRegionMeters: 100)
    )
    #expect(every.moves.count == 2)
    #expect(found.moves == every.moves)
    #expect(
      found.changes.allSatisfy {
        $0.1.start.allSatisfy { $0.radiusMeters >= 100 || $0.kind == .safe }
      }
    )
    #expect(found.violations.isEmpty, "\(found.violations)")
  }
}
