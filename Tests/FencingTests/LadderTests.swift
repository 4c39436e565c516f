import Fencing
import Testing
import Timeline

/// A ladder told by distances alone: `d` meters from the target, at a second.
private struct Walk {
  var ladder = Ladder()
  var log: [String] = []
  let shape: LadderShape
  var settings = FencingSettings()
  var keepsArrival = false
  var doubt = SingleFixDoubt.none

  init(_ radii: [Double], arrival: Double? = nil) throws {
    var rings = radii.map { Ring(kind: .approach, radiusMeters: $0) }
    if let arrival { rings.append(Ring(kind: .arrival, radiusMeters: arrival)) }
    shape = try LadderShape(rings)
  }

  mutating func at(
    _ meters: Double,
    second: Int,
    accuracy: Double = 5,
    speed: Double? = 1,
    passing: Double? = nil
  ) {
    let now = Timestamp(seconds: Int64(second))
    while let due = ladder.nextInstant, due <= now {
      note(ladder.advance(to: due, shape, keepsArrival: keepsArrival))
    }
    let arrival = shape.rings.last.map { $0.kind == .arrival ? $0.radiusMeters : -.infinity }
    note(
      ladder.observe(
        TargetSight(
          distanceMeters: meters,
          arrivalSlackMeters: meters - (arrival ?? 0),
          passingDistanceMeters: passing
        ),
        accuracyMeters: accuracy,
        speedMetersPerSecond: speed,
        at: now,
        shape,
        settings,
        doubt: doubt,
        keepsArrival: keepsArrival
      )
    )
  }

  mutating func arrive(second: Int64) {
    let at = Timestamp(seconds: second)
    note(ladder.arrive(at: at, since: at, shape))
  }

  private mutating func note(_ transitions: [RingTransition]) {
    for t in transitions {
      log.append(
        "\(t.at.milliseconds / 1_000) \(t.kind.rawValue) \(t.ring)"
          + (t.isSuperseded ? " superseded" : "")
      )
    }
  }
}

@Suite struct LadderTests {
  @Test
  func `an arrival that is kept is left as it is told, and as any other when it is kept no more`()
    throws
  {
    var walk = try Walk([], arrival: 100)
    walk.at(300, second: 0)
    for second in 1...60 { walk.at(0, second: second) }
    #expect(walk.log == ["21 enter 0"])
    walk.keepsArrival = true
    for second in 61...200 { walk.at(500, second: second, speed: 10) }
    #expect(walk.log.count == 1 && walk.ladder.exitHoldsAt != nil)
    #expect(walk.ladder.nextInstant == nil, "nothing to wait for")
    walk.at(0, second: 201)
    #expect(walk.ladder.exitHoldsAt == nil)
    for second in 202...300 { walk.at(500, second: second, speed: 10) }
    walk.keepsArrival = false
    for second in 301...340 { walk.at(500, second: second, speed: 10) }
    #expect(walk.log == ["21 enter 0", "331 exit 0"])
  }

  /// Indoors a position jumps by hundreds of meters and comes back, and the next one comes minutes later.
  @Test
  func `a single position outside is no way out until the next, unless it says that it moves`()
    throws
  {
    var walk = try Walk([], arrival: 100)
    walk.settings.arrivalDetection = .posterior
    walk.doubt = .untilTheNext
    walk.at(0, second: 60)
    walk.arrive(second: 120)
    walk.at(400, second: 300)
    walk.at(0, second: 600)
    #expect(walk.log == ["120 enter 0"])
    // Two of them are one, also where the first hold was over long before.
    walk.at(400, second: 900)
    walk.at(500, second: 1_200)
    #expect(walk.log == ["120 enter 0", "1200 exit 0"])
    walk.at(0, second: 1_300)
    walk.arrive(second: 1_400)
    walk.at(400, second: 1_500, speed: 12)
    walk.at(0, second: 1_800)
    #expect(walk.log == ["120 enter 0", "1200 exit 0", "1400 enter 0", "1530 exit 0"])
  }

  /// A sleeping app may not be woken again before one is back.
  @Test func `a doubt that ends waits for the next position, but not for ever`() throws {
    var walk = try Walk([], arrival: 100)
    walk.settings.arrivalDetection = .posterior
    walk.settings.watchesDiscs = true
    walk.doubt = .forAWhile
    walk.at(0, second: 60)
    walk.arrive(second: 120)
    // It jumps and comes back.
    walk.at(400, second: 300)
    #expect(walk.ladder.needsNextFix)
    walk.at(0, second: 500)
    #expect(walk.log == ["120 enter 0"])
    // Two soon after each other hold as any way out, and two far apart have.
    walk.at(400, second: 900)
    walk.at(410, second: 905)
    #expect(!walk.ladder.needsNextFix)
    walk.at(800, second: 1_000)
    #expect(walk.log == ["120 enter 0", "930 exit 0"])
    walk.log = []
    walk.at(0, second: 1_100)
    walk.arrive(second: 1_200)
    walk.at(400, second: 1_300)
    walk.at(400, second: 1_400)
    #expect(walk.log == ["1200 enter 0", "1400 exit 0"])
    // Nothing more is heard for long.
    walk.log = []
    walk.at(0, second: 1_500)
    walk.arrive(second: 1_600)
    walk.at(400, second: 1_700)
    walk.at(0, second: 2_600)
    #expect(walk.log == ["1600 enter 0", "2300 exit 0"])
    // A fast one is on the way.
    walk.log = []
    walk.arrive(second: 2_700)
    walk.at(400, second: 2_800, speed: 12)
    walk.at(900, second: 2_900, speed: 12)
    #expect(walk.log == ["2700 enter 0", "2830 exit 0"])
  }

  @Test func `an arrival must hold for 20 s, for 40 s when fast or when nobody knows`() throws {
    for (speed, held) in [(1.0 as Double?, 30), (12, 50), (nil, 50)] {
      var walk = try Walk([1_000], arrival: 150)
      walk.at(500, second: 0)
      walk.at(100, second: 10, speed: speed)
      walk.at(100, second: 100, speed: speed)
      #expect(walk.log == ["\(held) enter 1"])
    }
  }

  @Test func `an arrival that does not hold is none`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(500, second: 0)
    walk.at(100, second: 10)
    walk.at(201, second: 25)
    walk.at(500, second: 100)
    #expect(walk.log == [])
  }

  @Test func `noise within the band neither ends an arrival nor delays it`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(500, second: 0)
    walk.at(149, second: 10)
    walk.at(180, second: 15)
    walk.at(199, second: 20)
    walk.at(120, second: 60)
    #expect(walk.log == ["30 enter 1"])
  }

  @Test func `an exit must hold for 30 s, unless one is beyond the next ring's fall`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(500, second: 0)
    walk.at(100, second: 10)
    walk.at(210, second: 60)
    walk.at(190, second: 80)
    walk.at(210, second: 100)
    walk.at(300, second: 140)
    #expect(walk.log == ["30 enter 1", "130 exit 1"])
    walk.at(100, second: 200)
    walk.at(5_000, second: 260)
    #expect(walk.log.suffix(3) == ["220 enter 1", "260 exit 1", "260 exit 0"])
  }

  @Test func `dwell is counted from coming in, not from when it had held`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(500, second: 0)
    walk.at(100, second: 10)
    walk.at(100, second: 40)
    #expect(walk.ladder.arrivedAt == Timestamp(seconds: 10))
  }

  @Test func `levels fall at the next outer ring, the outermost at its band`() throws {
    var walk = try Walk([8_000, 5_000, 1_600])
    walk.at(9_000, second: 0)
    walk.at(1_000, second: 10)
    walk.at(4_999, second: 20)
    #expect(walk.log == ["10 enter 0 superseded", "10 enter 1 superseded", "10 enter 2"])
    walk.at(5_001, second: 30)
    walk.at(7_999, second: 40)
    walk.at(8_001, second: 50)
    walk.at(8_799, second: 60)
    walk.at(8_801, second: 70)
    #expect(walk.log.suffix(3) == ["30 exit 2", "50 exit 1", "70 exit 0"])
  }

  @Test func `a poor fix enters nothing, leaves nothing, and asks for the next`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(1_500, second: 0)
    walk.at(900, second: 10, accuracy: 501)
    #expect(walk.log == [])
    #expect(walk.ladder.needsNextFix)
    walk.at(900, second: 20, accuracy: 500)
    #expect(walk.log == ["20 enter 0"])
    walk.at(1_400, second: 30, accuracy: 450)
    #expect(walk.ladder.level == 1)
    walk.at(1_101, second: 40)
    #expect(walk.log.last == "40 exit 0")
  }

  @Test func `who begins within reach of a ring and cannot tell is lost until a fix can`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(200, second: 0, accuracy: 100)
    #expect(walk.ladder.level == nil)
    #expect(walk.ladder.needsNextFix)
    walk.at(300, second: 5, accuracy: 100)
    #expect(walk.ladder.level == 1)
  }

  @Test func `a pass between two fixes enters approaches, never an arrival`() throws {
    var walk = try Walk([1_000], arrival: 150)
    walk.at(3_000, second: 0)
    walk.at(3_000, second: 60, passing: 10)
    #expect(walk.log == ["60 enter 0", "60 exit 0"])
  }

  @Test func `rings that cannot be climbed are refused`() {
    #expect(throws: LadderShapeError.empty) { try LadderShape([]) }
    #expect(throws: LadderShapeError.notNested(outer: 5, inner: 5)) {
      try LadderShape([
        Ring(kind: .approach, radiusMeters: 5), Ring(kind: .arrival, radiusMeters: 5),
      ])
    }
    #expect(throws: LadderShapeError.arrivalNotLast) {
      try LadderShape([
        Ring(kind: .arrival, radiusMeters: 50), Ring(kind: .approach, radiusMeters: 5),
      ])
    }
  }
}
