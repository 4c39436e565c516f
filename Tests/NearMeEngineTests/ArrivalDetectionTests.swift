import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import Testing
import Timeline
import Traces

/// With the posterior, the detector decides what an arrival is, and the pipeline what is said of it.
struct ArrivalDetectionTests {
  /// A street on a meridian; meters north of the pharmacy.
  struct Walk {
    static let start = Timestamp(seconds: 1_767_600_000)
    static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
    var engine: Engine
    var now = Self.start
    var meters: Double
    var said: [String] = []
    var log: [String] = []
    /// Which reminders have a line on the screen or had one, in the order in which it came.
    var told: [String] = []
    /// What was kept quiet in the end.
    var unsaid: [String] = []
    /// How many lines each notification has.
    var together: [Int] = []
    private var wakeAt: Timestamp?
    /// Fixes that were measured and not handed over; nil: each is handed over at once.
    private var heldBack: [Fix]?

    init(
      from meters: Double,
      target: Reminder.Target = .category(CategoryID("pharmacy")),
      places: [Place] = [],
      shops: [(meters: Double, categories: [String])] = [(0, ["pharmacy"])],
      also: CategoryID? = nil,
      reminders: [Reminder]? = nil,
      detector: Bool = true
    ) throws {
      let points = shops.enumerated()
        .map { number, shop in
          PointOfInterest(
            sourceID: "node/\(number + 1)",
            categories: shop.categories.map { CategoryID($0) },
            name: "Shop \(number + 1)",
            coordinate: Self.spot(shop.meters)
          )
        }
      engine = Engine(
        policy: detector ? Policy() : .measuring,
        zone: .utc,
        catalog: POICatalog(points),
        monitoring: .everyFix
      )
      self.meters = meters
      try engine.load(
        places: places,
        reminders: reminders
          ?? [Reminder(id: "r", title: "pick it up", target: target)]
          + (also.map { [Reminder(id: "s", title: "and that", target: .category($0))] } ?? []),
        entitlement: .premium
      )
      send(.launched)
    }

    static func spot(_ meters: Double) -> Coordinate {
      plane.coordinate(eastMeters: 0, northMeters: meters)
    }

    mutating func go(to goal: Double, speed: Double) {
      let direction = goal > meters ? 1.0 : -1
      while abs(goal - meters) > speed {
        meters += direction * speed
        fix(speed: speed, course: direction > 0 ? 0 : 180)
      }
    }

    mutating func stand(seconds: Int) { for _ in 0..<seconds { fix(speed: 0, course: 0) } }

    mutating func vanish(seconds: Int64) {
      let end = now + .seconds(seconds)
      while let timer = wakeAt, timer <= end {
        now = timer
        wakeAt = nil
        send(.timer)
      }
      now = end
    }

    private mutating func fix(speed: Double, course: Double) {
      vanish(seconds: 1)
      let fix = Fix(
        at: now,
        coordinate: Self.spot(meters),
        horizontalAccuracyMeters: 6,
        speedMetersPerSecond: speed,
        courseDegrees: course
      )
      if heldBack == nil { send(.fix(fix)) } else { heldBack?.append(fix) }
    }

    /// Hands over what has been held back, all at one instant, and holds back what comes.
    mutating func handOver() {
      for fix in heldBack ?? [] { send(.fix(fix)) }
      heldBack = []
    }

    mutating func send(_ kind: Event.Kind) {
      for effect in engine.handle(Event(at: now, kind)) {
        switch effect {
        case .post(let news), .replace(let news):
          told += news.members.map(\.reminder).filter { !told.contains($0) }
        default: break
        }
        switch effect {
        case .wakeAt(let instant): wakeAt = instant
        case .post(let notification), .record(.presented(let notification)):
          said += notification.members.map { "\($0.step.name) \($0.poi ?? "-")" }
          together.append(notification.members.count)
        case .record(.transition(let transition)):
          log.append("\(transition.kind) \(transition.step.name)")
        case .record(.decision(let decision)):
          if case .suppressed(let silence) = decision.outcome {
            unsaid.append("\(decision.reminder) \(silence.rawValue)")
          }
        default: break
        }
      }
    }
  }

  private func visit(_ walk: inout Walk) {
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 15)
    walk.go(to: 3, speed: 1.3)
    walk.vanish(seconds: 900)
  }

  @Test func `a visit is told with the name of its place, and once more five minutes after`() throws
  {
    var walk = try Walk(from: 1_200)
    visit(&walk)
    #expect(walk.said == ["arrival node/1", "post_arrival:5m node/1"])
    #expect(walk.log.suffix(2) == ["enter arrival", "dwell post_arrival:5m"])
  }

  @Test func `driving past within the radius is told by the radius and not by the posterior`()
    throws
  {
    var plain = try Walk(from: 700, detector: false)
    var walk = try Walk(from: 700)
    for speed in [11.0, 3.0] {
      plain.go(to: speed == 11 ? 140 : -140, speed: speed)
      walk.go(to: speed == 11 ? 140 : -140, speed: speed)
    }
    #expect(plain.said == ["arrival node/1"])
    #expect(walk.said.isEmpty)
  }

  @Test func `leaving ends the arrival, and coming back is another`() throws {
    var walk = try Walk(from: 1_200)
    visit(&walk)
    walk.go(to: 700, speed: 8)
    #expect(walk.log.last == "exit arrival")
    visit(&walk)
    #expect(walk.said.count { $0 == "arrival node/1" } == 2)
  }

  @Test func `who has stepped out is not told that they are still there`() throws {
    func told(thenTo end: Double) throws -> (said: [String], last: String?) {
      var walk = try Walk(from: 1_200)
      walk.go(to: 40, speed: 11)
      walk.stand(seconds: 15)
      walk.go(to: 3, speed: 1.3)
      walk.vanish(seconds: 150)
      #expect(walk.said == ["arrival node/1"])
      // Around the corner while the five minutes end.
      walk.go(to: 125, speed: 1.3)
      walk.stand(seconds: 240)
      #expect(walk.said == ["arrival node/1"])
      #expect(!walk.log.contains("exit arrival"))
      walk.go(to: end, speed: 1.3)
      return (walk.said, walk.log.last)
    }
    let back = try told(thenTo: 3)
    #expect(back.said == ["arrival node/1", "post_arrival:5m node/1"])
    let away = try told(thenTo: 200)
    #expect(away.said == ["arrival node/1"] && away.last == "exit arrival")
  }

  @Test func `a place of the user's own is arrived at, too`() throws {
    let home = Place(id: "home", name: "Home", kind: .home, coordinate: Walk.spot(0))
    var walk = try Walk(from: 1_200, target: .place("home"), places: [home])
    visit(&walk)
    #expect(walk.said == ["arrival -", "post_arrival:5m -"])
  }

  @Test(arguments: [0.0, 4.0])
  func `a visit goes on while its place is set right, and is told once`(_ meters: Double) throws {
    func home(_ kind: PlaceKind, _ meters: Double) -> Place {
      Place(id: "home", name: "Home", kind: kind, coordinate: Walk.spot(meters))
    }
    var walk = try Walk(from: 1_200, target: .place("home"), places: [home(.other, 0)])
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 5)
    #expect(walk.said.isEmpty)
    walk.send(.placeSaved(home(.home, meters)))
    walk.stand(seconds: 10)
    walk.go(to: 3, speed: 1.3)
    walk.vanish(seconds: 900)
    #expect(walk.said == ["arrival -", "post_arrival:5m -"])
    walk.send(.placeSaved(home(.other, 0)))
    walk.vanish(seconds: 900)
    #expect(walk.said == ["arrival -", "post_arrival:5m -"])
    #expect(walk.engine.violations() == [])
  }

  @Test func `who begins at home by a position elsewhere is told of the way out alone`()
    throws
  {
    let home = Place(id: "home", name: "Home", kind: .home, coordinate: Walk.spot(0))
    var walk = try Walk(
      from: 290,
      places: [home],
      shops: [],
      reminders: [
        Reminder(id: "bins", title: "take out the bins", target: .place("home")),
        Reminder(id: "keys", title: "take the keys", triggers: [.leave(.place("home"))]),
      ]
    )
    walk.stand(seconds: 1)
    walk.vanish(seconds: 40)
    walk.meters = 3
    for _ in 0..<15 {
      walk.stand(seconds: 1)
      walk.vanish(seconds: 40)
    }
    #expect(walk.said.isEmpty)
    walk.go(to: 500, speed: 1.3)
    #expect(walk.told == ["keys"])
  }

  @Test(arguments: [ReminderAction.mute, .complete])
  func `what was silenced by mistake and is not any more is told while one is there`(
    _ silencing: ReminderAction
  ) throws {
    var walk = try Walk(from: 1_200)
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 15)
    walk.go(to: 3, speed: 1.3)
    walk.vanish(seconds: 120)
    #expect(walk.said == ["arrival node/1"])
    let reminder = Reminder(id: "r", title: "pick it up", target: .category(CategoryID("pharmacy")))
    walk.send(.action(reminder: "r", silencing))
    walk.vanish(seconds: 30)
    walk.send(
      silencing == .mute ? .action(reminder: "r", .unmute) : .reminderReopened(reminder)
    )
    #expect(walk.said == ["arrival node/1", "arrival node/1"])
    walk.vanish(seconds: 600)
    #expect(walk.said == ["arrival node/1", "arrival node/1", "post_arrival:5m node/1"])
    walk.go(to: 700, speed: 8)
    walk.send(.action(reminder: "r", .mute))
    walk.send(.action(reminder: "r", .unmute))
    #expect(walk.said.count == 3)
  }

  /// Gets out of the car near a target, of which three reminders speak: if one is there, if not, and whatever is so.
  private func carIsLeft(
    _ target: Reminder.Target,
    _ go: (_ walk: inout Walk, _ getOut: (inout Walk) -> Void) throws -> Void
  ) throws -> Walk {
    func reminder(_ id: String, _ conditions: [Condition]) -> Reminder {
      Reminder(id: id, title: id, triggers: [.signal("car", to: "false")], conditions: conditions)
    }
    let home = Place(id: "home", name: "Home", kind: .home, coordinate: Walk.spot(0))
    var walk = try Walk(
      from: 1_200,
      places: [home],
      reminders: [
        reminder("there", [.inside(target)]), reminder("elsewhere", [.outside(target)]),
        reminder("anywhere", []),
      ]
    )
    walk.send(.signal(Signal(name: "car", id: "1", level: "true")))
    try go(&walk) { $0.send(.signal(Signal(name: "car", id: "2", level: "false"))) }
    return walk
  }

  @Test(arguments: [Reminder.Target.place("home"), .category(CategoryID("pharmacy"))])
  func `who gets out of the car where an arrival is found a minute later was there`(
    _ target: Reminder.Target
  ) throws {
    var heard = 0
    let walk = try carIsLeft(target) { walk, getOut in
      walk.go(to: 40, speed: 11)
      walk.stand(seconds: 10)
      getOut(&walk)
      #expect(walk.told == ["anywhere"], "there is no arrival yet")
      walk.stand(seconds: 5)
      walk.go(to: 3, speed: 1.3)
      walk.vanish(seconds: 200)
      heard = walk.told.count
      walk.vanish(seconds: 900)
    }
    #expect(heard == 2 && walk.told == ["anywhere", "there"], "\(walk.told)")
    #expect(walk.unsaid == ["elsewhere not_outside"])
  }

  @Test func `what the phone says again at the curb is told once, and hours are not waited for`()
    throws
  {
    let home = Place(id: "home", name: "Home", kind: .home, coordinate: Walk.spot(0))
    var walk = try Walk(
      from: 1_200,
      places: [home],
      reminders: [
        Reminder(
          id: "there",
          title: "there",
          triggers: [.signal("unlock")],
          conditions: [.inside(.place("home"))]
        ),
        Reminder(
          id: "either",
          title: "either",
          triggers: [.signal("unlock")],
          conditions: [
            .any([
              .inside(.place("home")), .window(try #require(WeeklyWindow("mon-sun 18:00-20:00"))),
            ])
          ]
        ),
      ]
    )
    walk.send(.signal(Signal(name: "unlock", id: "0")))
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 10)
    for id in 1...4 {
      walk.send(.signal(Signal(name: "unlock", id: "\(id)")))
      walk.stand(seconds: 2)
    }
    walk.go(to: 3, speed: 1.3)
    walk.vanish(seconds: 900)
    #expect(walk.said.count == 2, "\(walk.said)")
    #expect(walk.told.sorted() == ["either", "there"])
    #expect(walk.unsaid.count { $0 == "there superseded" } == 3)
    #expect(walk.unsaid.first == "there not_inside")
    // From afar, at eight in the morning, there is nothing to wait for but the evening: the next one takes its place.
    #expect(walk.unsaid.count { $0 == "either superseded" } == 4)
    walk.go(to: 900, speed: 8)
    walk.vanish(seconds: 12 * 3_600)
    #expect(walk.said.count == 2, "\(walk.said)")
    #expect(!walk.unsaid.contains("either stale"))
  }

  @Test func `who gets out next to home and goes on is elsewhere as soon as that is clear`() throws
  {
    let walk = try carIsLeft(.place("home")) { walk, getOut in
      walk.go(to: 110, speed: 11)
      getOut(&walk)
      #expect(walk.told == ["anywhere"] && walk.unsaid.isEmpty)
      walk.go(to: 170, speed: 1.3)
      #expect(walk.told == ["anywhere", "elsewhere"])
      walk.go(to: 600, speed: 1.3)
    }
    #expect(walk.unsaid == ["there not_inside"])
  }

  @Test func `who gets out far from home is elsewhere at once`() throws {
    let walk = try carIsLeft(.place("home")) { walk, getOut in
      walk.go(to: 300, speed: 11)
      getOut(&walk)
    }
    #expect(walk.told == ["anywhere", "elsewhere"])
    #expect(walk.unsaid == ["there not_inside"])
  }

  @Test func `who sits in the car next to home is not there after five minutes`() throws {
    let walk = try carIsLeft(.place("home")) { walk, getOut in
      walk.go(to: 120, speed: 11)
      getOut(&walk)
      walk.stand(seconds: 310)
    }
    #expect(walk.told == ["anywhere", "elsewhere"])
    #expect(walk.unsaid == ["there not_inside"])
  }

  /// One place of two categories, and a pharmacy 3 m from a market.
  @Test(arguments: [[["pharmacy", "grocery"]], [["pharmacy"], ["grocery"]]])
  func `what cannot be told apart is told in one notification`(_ categories: [[String]]) throws {
    let shops = categories.enumerated().map { (meters: Double($0) * 3, categories: $1) }
    var walk = try Walk(from: 1_200, shops: shops, also: CategoryID("grocery"))
    visit(&walk)
    let points = categories.count == 1 ? ["node/1", "node/1"] : ["node/1", "node/2"]
    #expect(walk.said.prefix(2).sorted() == points.map { "arrival \($0)" }, "\(walk.said)")
    #expect(walk.together.first == 2, "\(walk.together)")
    #expect(walk.said.count { $0.hasPrefix("arrival") } == 2)
  }

  /// Comes from afar in two batches, so that it is known how late they are.
  private func comeInBatches(_ walk: inout Walk) {
    walk.handOver()
    walk.go(to: 2_000, speed: 11)
    walk.handOver()
    walk.go(to: 600, speed: 11)
    walk.go(to: 250, speed: 2)
    walk.handOver()
  }

  @Test func `who walks past while nothing is handed over was not silent there`() throws {
    var live = try Walk(from: 4_000)
    var walk = try Walk(from: 4_000)
    comeInBatches(&walk)
    live.go(to: 250, speed: 11)
    for north in [12.0, -250, -1_500] {
      // Handed over slow and near the door; what follows comes minutes later.
      live.go(to: north, speed: 1.3)
      walk.go(to: north, speed: 1.3)
      walk.handOver()
      live.vanish(seconds: 2)
      walk.vanish(seconds: 2)
    }
    #expect(
      walk.said.filter { $0.hasPrefix("arrival") } == live.said.filter { $0.hasPrefix("arrival") }
    )
    #expect(!walk.said.contains { $0.hasPrefix("arrival") }, "\(walk.said)")
  }

  @Test func `a visit that is handed over late is told while it lasts, once`() throws {
    var walk = try Walk(from: 4_000)
    comeInBatches(&walk)
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 15)
    walk.go(to: 3, speed: 1.3)
    walk.stand(seconds: 240)
    #expect(!walk.said.contains { $0.hasPrefix("arrival") })
    walk.handOver()
    walk.vanish(seconds: 2)
    #expect(walk.said.count { $0 == "arrival node/1" } == 1, "\(walk.said)")
    walk.stand(seconds: 240)
    walk.handOver()
    walk.vanish(seconds: 2)
    #expect(walk.said.count { $0 == "arrival node/1" } == 1, "\(walk.said)")
  }

  @Test func `a visit that was over when it was handed over is no news`() throws {
    var walk = try Walk(from: 4_000)
    comeInBatches(&walk)
    walk.go(to: 40, speed: 11)
    walk.stand(seconds: 15)
    walk.go(to: 3, speed: 1.3)
    walk.stand(seconds: 240)
    walk.go(to: -700, speed: 8)
    walk.handOver()
    walk.vanish(seconds: 600)
    #expect(walk.log.contains("enter arrival") && walk.log.contains("exit arrival"), "\(walk.log)")
    #expect(!walk.said.contains { $0.hasPrefix("arrival") }, "\(walk.said)")
  }

  @Test func `a state stored at any fix has the same future`() throws {
    var whole = try Walk(from: 500)
    var pieces = try Walk(from: 500)
    func store(_ walk: inout Walk) throws {
      let data = try JSONEncoder().encode(walk.engine.state)
      let state = try JSONDecoder().decode(EngineState.self, from: data)
      #expect(state == walk.engine.state)
      walk.engine = Engine(
        policy: walk.engine.policy,
        zone: .utc,
        catalog: walk.engine.catalog,
        monitoring: .everyFix,
        state: state
      )
    }
    visit(&whole)
    for goal in stride(from: 480.0, through: 40, by: -11) {
      pieces.go(to: goal, speed: 11)
      try store(&pieces)
    }
    pieces.go(to: 40, speed: 11)
    for _ in 0..<15 {
      pieces.stand(seconds: 1)
      try store(&pieces)
    }
    pieces.go(to: 3, speed: 1.3)
    try store(&pieces)
    for _ in 0..<90 {
      pieces.vanish(seconds: 10)
      try store(&pieces)
    }
    #expect(pieces.said == whole.said)
    #expect(pieces.said.first == "arrival node/1")
    #expect(pieces.log == whole.log)
  }

  /// Its region's exit wakes the app, and the next position is at home again.
  @Test(arguments: [nil, 250.0])
  func `one position that jumps in a sleeping app is no other arrival at home`(
    _ radiusMeters: Double?
  ) throws {
    func arrivals(doubtFor hold: Milliseconds) throws -> Int {
      let hut = Place(
        id: "hut",
        name: "Hut",
        kind: .home,
        coordinate: Scene.coordinate(mile: 0),
        arrivalRadiusMeters: radiusMeters
      )
      var scene = try Scene(
        [Reminder(id: "bins", title: "take out the bins", target: .place("hut"))],
        places: [hut],
        monitoring: .regions(MonitorLimits())
      ) {
        $0.fencing.arrivalDetection = .posterior
        $0.fencing.doubtedExitHold = hold
      }
      var last = scene.start(at: 1, minute: 0, speed: 10)
      for minute in 1...3 {
        last = scene.pass(from: last, to: 1 - Double(minute) / 3, minute: Double(minute), speed: 10)
      }
      for minute in 4...20 {
        last = scene.pass(from: last, to: 0, minute: Double(minute), speed: 0)
      }
      for jump in 1...3 {
        let minute = Double(jump) * 200
        last = scene.pass(from: last, to: 0.3, minute: minute, speed: 0)
        for later in 2...12 {
          last = scene.pass(from: last, to: 0, minute: minute + Double(later), speed: 0)
        }
        scene.wait(until: minute + 30)
      }
      #expect(scene.engine.violations() == [])
      return scene.heard().count { $0.contains("Arriving at Hut") }
    }
    #expect(try arrivals(doubtFor: Policy().fencing.doubtedExitHold) == 1)
    #expect(try arrivals(doubtFor: Policy().fencing.exitHold) > 1)
  }
}
