import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Places
import Replay
import Testing
import Timeline
import Traces

/// An app that sleeps until someone comes near a place, and weighs from there.
@Suite struct SleepingArrivalTests {
  /// Meters north of a pharmacy on a meridian; a fix each second while there is sky.
  private struct Way {
    static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
    var fixes: [Fix] = []
    var now = Timestamp(seconds: 1_767_600_000)
    var meters: Double

    init(from meters: Double) { self.meters = meters }

    mutating func go(to goal: Double, speed: Double) {
      let direction = goal > meters ? 1.0 : -1
      while abs(goal - meters) > speed {
        meters += direction * speed
        fix(speed: speed, course: direction > 0 ? 0 : 180)
      }
    }

    mutating func stand(seconds: Int) { for _ in 0..<seconds { fix(speed: 0, course: 0) } }

    mutating func vanish(seconds: Int64) { now = now + .seconds(seconds) }

    /// What fixes from now on claim of themselves.
    var accuracyMeters = 6.0

    private mutating func fix(speed: Double, course: Double) {
      now = now + .seconds(1)
      fixes.append(
        Fix(
          at: now,
          coordinate: Self.plane.coordinate(eastMeters: 0, northMeters: meters),
          horizontalAccuracyMeters: accuracyMeters,
          speedMetersPerSecond: speed,
          courseDegrees: course
        )
      )
    }

    func run(
      phone: TwinSettings?,
      seed: UInt64 = 1,
      home: Double? = nil,
      awaitsHome: Bool = false,
      actions: [ReplayAction] = [],
      _ policy: Policy = Policy()
    ) throws -> (arrivals: [Timestamp], summary: ReplaySummary) {
      let shop = PointOfInterest(
        sourceID: "node/1",
        categories: [CategoryID("pharmacy")],
        coordinate: Self.plane.coordinate(eastMeters: 0, northMeters: 0)
      )
      let reminder = Reminder(
        id: "r",
        title: "fetch it",
        target: awaitsHome ? .place("home") : .category(CategoryID("pharmacy"))
      )
      let places = home.map {
        let there = Self.plane.coordinate(eastMeters: 0, northMeters: $0)
        return [Place(id: "home", name: "home", kind: .home, coordinate: there)]
      }
      let setup = ReplaySetup(
        policy: policy,
        catalog: POICatalog([shop]),
        service: phone.map { .phone($0, slots: 20, seed: seed) } ?? .ideal(slots: 20)
      )
      var session = try setup.session(
        for: Person(places: places ?? [], reminders: [reminder], actions: actions)
      )
      var arrivals: [Timestamp] = []
      func keep(_ lines: [ReplayLine]) {
        for case .transition(let transition) in lines
        where transition.tier == .arrival && transition.kind == .enter {
          arrivals.append(transition.at)
        }
      }
      for fix in fixes { keep(try session.consume(fix)) }
      keep(try session.finish())
      return (arrivals, session.summary)
    }
  }

  private static let visit: (way: Way, door: Timestamp) = {
    var way = Way(from: 6_000)
    way.go(to: 40, speed: 11)
    way.stand(seconds: 15)
    way.go(to: 3, speed: 1.3)
    let door = way.now
    way.vanish(seconds: 1_200)
    way.go(to: 900, speed: 8)
    return (way, door)
  }()

  @Test func `a visit is told from inside, and once`() throws {
    let run = try Self.visit.way.run(phone: nil)
    #expect(run.arrivals.count == 1)
    let delay = try #require(run.arrivals.first) - Self.visit.door
    #expect((20...120).contains(delay.seconds), "\(delay.seconds) s")
  }

  @Test func `the time an app was dead for is no silence`() throws {
    var way = Way(from: 6_000)
    way.go(to: 40, speed: 11)
    way.go(to: 8, speed: 1.3)
    let beside = way.now
    way.go(to: -400, speed: 1.3)
    way.go(to: -3_000, speed: 11)
    for seconds in stride(from: Int64(-20), through: 10, by: 5) {
      let dead = beside + .seconds(seconds)
      let run = try way.run(
        phone: nil,
        actions: [
          ReplayAction(at: dead, .incident(.killed)),
          ReplayAction(at: dead + .seconds(240), .incident(.launched)),
        ]
      )
      #expect(run.arrivals.isEmpty, "killed \(seconds) s after coming by")
    }
  }

  @Test(arguments: UInt64(1)...8) func `an iPhone that is late tells a visit, too`(
    seed: UInt64
  ) throws {
    var policy = Policy()
    policy.monitor = .ios
    let run = try Self.visit.way.run(phone: .ios, seed: seed, policy)
    #expect(run.arrivals.count == 1, "seed \(seed)")
  }

  @Test func `driving past wakes the app for as long as it is near, and tells nothing`() throws {
    var way = Way(from: 6_000)
    way.go(to: 0, speed: 11)
    way.stand(seconds: 40)
    way.go(to: -3_000, speed: 11)
    let run = try way.run(phone: nil)
    #expect(run.arrivals.isEmpty)
    // The stop, and the disc at 11 m/s.
    #expect((60..<120).contains(run.summary.followed.seconds), "\(run.summary.followed.seconds)")
    #expect(try way.run(phone: nil, .measuring).arrivals.count == 1)
  }

  @Test func `who stays beside a place all day keeps the app awake for the time allowed`() throws {
    var way = Way(from: 2_000)
    way.go(to: 120, speed: 11)
    way.stand(seconds: 4 * 3_600)
    way.go(to: 2_000, speed: 11)
    var policy = Policy()
    for (below, minutes, expected) in [(0.0, Int64(2), 120.0), (0, 8, 480), (0.02, 12, 60)] {
      policy.arrival.asleep.givesUpBelow = below
      policy.monitor.longestWeighing = .minutes(minutes)
      let run = try way.run(phone: nil, policy)
      #expect(run.arrivals.isEmpty)
      // Beside that, the app follows on the way in and out, where an exit must hold, and to the next
      // half minute.
      let seconds = run.summary.followed.seconds
      #expect((expected...expected + 240).contains(seconds), "\(minutes) min: \(seconds) s")
    }
  }

  @Test func `a receiver that may rest is on for a third of the time, and finds the visit`() throws
  {
    var policy = Policy()
    policy.monitor.easing = .always
    for phone in [nil, TwinSettings.ios] {
      let run = try Self.visit.way.run(phone: phone, policy)
      #expect(run.arrivals.count == 1)
    }
    var way = Way(from: 2_000)
    way.go(to: 120, speed: 11)
    way.stand(seconds: 4 * 3_600)
    policy.arrival.asleep.givesUpBelow = 0
    let run = try way.run(phone: nil, policy)
    #expect(run.arrivals.isEmpty)
    // Three minutes after the stop it rests, for nine minutes, and is on two or three times meanwhile.
    #expect((450...600).contains(run.summary.rested.seconds), "\(run.summary.rested.seconds)")
    #expect((2...3).contains(run.summary.tries), "\(run.summary.tries)")
    policy.monitor.easing = .never
    #expect(try way.run(phone: nil, policy).summary.rested == Milliseconds(0))
  }

  @Test func `at home above a shop the app does not stay awake`() throws {
    var way = Way(from: 2_000)
    way.go(to: 30, speed: 11)
    way.stand(seconds: 1_800)
    way.go(to: 2_000, speed: 11)
    let stranger = try way.run(phone: nil, home: nil)
    let owner = try way.run(phone: nil, home: 30)
    #expect(owner.arrivals.isEmpty)
    #expect(owner.summary.followed.seconds < 240, "\(owner.summary.followed.seconds)")
    #expect(stranger.summary.followed > owner.summary.followed)
  }

  @Test func `who waits around the corner from home is heard of at its door`() throws {
    var way = Way(from: 3_000)
    way.go(to: 75, speed: 11)
    way.stand(seconds: 150)
    way.go(to: 0, speed: 6)
    way.stand(seconds: 1_200)
    #expect(try way.run(phone: nil, home: 0, awaitsHome: true).arrivals.count == 1)
  }

  @Test func `positions too poor to measure by are followed while they speak for home`() throws {
    var way = Way(from: 3_000)
    way.go(to: 400, speed: 11)
    way.accuracyMeters = 120
    way.go(to: 10, speed: 11)
    way.stand(seconds: 15)
    way.vanish(seconds: 7_200)
    way.go(to: 2_000, speed: 11)
    #expect(try way.run(phone: nil, home: 0, awaitsHome: true).arrivals.count == 1)
  }

  @Test func `a poor position that wakes an app at home waits for a better one`() throws {
    // Fixes far apart on the way, one from a tower that wakes the app, a good one, and silence for hours.
    var way = Way(from: 3_000)
    way.go(to: 600, speed: 11)
    way.vanish(seconds: 40)
    way.meters = 150
    way.accuracyMeters = 190
    way.stand(seconds: 1)
    way.vanish(seconds: 20)
    way.stand(seconds: 1)
    way.vanish(seconds: 14)
    way.meters = 7
    way.accuracyMeters = 43
    way.stand(seconds: 1)
    way.vanish(seconds: 7_200)
    way.go(to: 2_000, speed: 11)
    #expect(try way.run(phone: nil, home: 0, awaitsHome: true).arrivals.count == 1)
  }

  @Test func `an app that may not stay awake for it measures`() throws {
    var policy = Policy()
    policy.monitor.longestWeighing = Milliseconds(0)
    let mute = try Self.visit.way.run(phone: nil, policy)
    let plain = try Self.visit.way.run(phone: nil, .measuring)
    #expect(mute.arrivals == plain.arrivals)
    #expect(mute.summary == plain.summary)
  }

  @Test func `what happened in its sleep is no silence`() throws {
    // Past the place on foot, home for hours 2 km away, and past it again: no arrival at any time.
    var way = Way(from: 1_500)
    way.go(to: -1_500, speed: 1.4)
    way.stand(seconds: 3_600)
    way.go(to: 1_500, speed: 1.4)
    #expect(try way.run(phone: nil).arrivals.isEmpty)
  }
}
