import OutputLines
import Arrivals
import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import Testing
import Timeline
import Traces

/// Days on which the right score and the right cause can be seen at a glance.
@Suite struct DayScoreTests {
  private static func shopping(minutes: Double = 10) -> Scene {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: minutes)
    scene.drive(to: 3_000)
    scene.stay("address", minutes: 10)
    return scene
  }

  private static func score(
    _ scene: Scene,
    _ setup: ReplaySetup? = nil,
    person: Person? = nil,
    spoil: (Fix) -> Fix? = { $0 }
  ) throws -> DayScore {
    try DayScore(
      scene.day(person: person, spoil: spoil),
      setup ?? scene.setup(),
      keepsLedger: true
    )
  }

  @Test(arguments: [LocationService.stream, .ideal(slots: 20), .ideal(slots: nil)])
  func `a visit on a perfect day is announced in time`(_ service: LocationService) throws {
    let scene = Self.shopping()
    let score = try Self.score(scene, scene.setup(service))
    #expect(score.all[.visits] == 1)
    #expect(score.all[.visitsFound] == 1)
    #expect(score.all[.arrivalsFalse] == 0)
    #expect(score.all[.arrivalsNamedRight] == 1)
    #expect(score.all[.postVisitsFound] == 1)
    #expect(score.causes(.visit) == [.correct])
    #expect(score.causes(.arrival) == [.correct])
    #expect(score.causes(.postArrival) == [.correct])
    #expect(score.causes(.approach).allSatisfy { $0 == .correct })
    #expect(Metric.f1.value(of: score.all) == 1)
    // A perfect monitor on a perfect trace: nothing missed, nothing more.
    #expect(Metric.approachMissed.value(of: score.all) == 0)
    #expect(Metric.approachSpurious.value(of: score.all) == 0)
    #expect(Metric.approachUsed.value(of: score.all) == 1)
  }

  @Test func `going past is a drive-by, and a light is red`() throws {
    var scene = Scene([(0, "pharmacy"), (1_500, "bank")])
    scene.drive(to: 30)
    scene.stay("signal", minutes: 2)
    scene.drive(to: 3_000)
    scene.stay("address", minutes: 10)
    let score = try Self.score(scene, scene.setup { $0.arriveWithin(50, hold: .seconds(60)) })
    #expect(score.causes(.arrival) == [.nearStay])
    #expect(score.all[.driveBys] == 1)
    #expect(score.all[.driveBysByPOI] == 0)
    #expect(score.all[.nearStays] == 1)
    #expect(score.all[.nearStaysByPOI] == 1)
    #expect(score.all[.nearStaysByCategory] == 1)
    #expect(Metric.falsePositiveRate.value(of: score.all) == 0.5)
    #expect(Metric.falsePerDay.value(of: score.all) == 1)
    let patient = try Self.score(scene, scene.setup { $0.arriveWithin(50, hold: .seconds(180)) })
    #expect(Metric.falsePositiveRate.value(of: patient.all) == 0)
    #expect(patient.causes(.arrival).isEmpty)
  }

  @Test func `arrivals at home are heard, and count among those that are`() throws {
    var scene = Self.shopping()
    scene.drive(to: -5_000)
    scene.stay("home", minutes: 20)
    let score = try Self.score(scene)
    #expect(score.all[.arrivals] == 1)
    #expect(score.all[.ownVisits] == 1)
    #expect(Metric.ownRecall.value(of: score.all) == 1)
    #expect(Metric.precisionHeard.value(of: score.all) == 1)
    #expect(Metric.wrongPerDay.value(of: score.all) == 0)
    // A light that is red in front of the door, and home after it.
    scene.drive(to: -9_000)
    scene.stay("address", minutes: 20)
    scene.drive(to: -5_000)
    scene.stay("signal", minutes: 2)
    scene.drive(to: 3_000)
    scene.stay("address", minutes: 10)
    let hasty = try Self.score(scene, scene.setup { $0.arriveWithin(50, hold: .seconds(60)) })
    #expect(hasty.all[.ownVisits] == 1)
    #expect(Metric.ownFalsePerDay.value(of: hasty.all) == 1)
    #expect(Metric.ownRepeatsPerDay.value(of: hasty.all) == 0)
    #expect(Metric.wrongPerDay.value(of: hasty.all) == 1)
    #expect(Metric.precisionHeard.value(of: hasty.all) == 2.0 / 3)
  }

  @Test func `a place that is called like a category has a part of its own`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: -5_000)
    scene.stay("home", minutes: 20)
    let truth = try scene.day().truth
    let home = try #require(truth.home)
    var person = Scene.person()
    let place = Place(id: "pharmacy", name: "Pharmacy", kind: .home, coordinate: home)
    person.places = [place]
    person.reminders.append(Reminder(id: "own", title: "own", target: .place(place.id)))
    let score = try Self.score(scene, person: person)
    let parts = score.tallies.keys.filter { $0.dimension == .target }.sorted()
    #expect(parts.map(\.name) == ["pharmacy", "pharmacy (place)"])
    #expect(score.tallies[parts[0]]?[.visits] == score.all[.visits])
    // Of one alone it is the name.
    person.reminders.removeFirst()
    let alone = try Self.score(scene, person: person)
    #expect(alone.tallies.keys.filter { $0.dimension == .target }.map(\.name) == ["pharmacy"])
  }

  @Test func `of a reminder that speaks on the way only no arrival is expected`() throws {
    func score(_ scene: Scene, _ tiers: [Tier]?, of policy: [Tier]? = nil) throws -> DayScore {
      var person = Scene.person()
      person.reminders[0].tiers = tiers
      let setup = scene.setup { $0.tiers.category = policy ?? $0.tiers.category }
      return try Self.score(scene, setup, person: person)
    }
    let way = try score(Self.shopping(), [.approach(miles: 1)])
    #expect(way.all[.visits] == 0)
    #expect(way.all[.longVisits] == 0)
    #expect(way.all[.postVisits] == 0)
    #expect(way.causes(.visit).isEmpty)
    #expect(Metric.recall.value(of: way.all) == nil)
    #expect(way.all[.approaches] == 1)
    #expect(way.all[.approachesUsed] == 1, "the visit is one that the approach was of use for")
    let door = try score(Self.shopping(), [.arrival])
    #expect(door.all[.visits] == 1)
    #expect(door.all[.visitsFound] == 1)
    #expect(door.all[.postVisits] == 0)
    #expect(door.causes(.visit) == [.correct])
    // What the policy leaves out is missed.
    let policy = try score(Self.shopping(), nil, of: [.approach(miles: 1)])
    #expect(policy.all[.visits] == 1)
    #expect(policy.all[.visitsFound] == 0)
    // And who may not say that one is there cannot say so wrongly.
    var past = Scene([(0, "pharmacy")])
    past.drive(to: 3_000)
    #expect(try score(past, [.approach(miles: 1)]).all[.driveBys] == 0)
    #expect(try score(past, [.arrival]).all[.driveBys] == 1)
  }

  @Test func `walking past slowly is a drive-by`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: -300)
    scene.drive(to: 300, metersPerSecond: 1, "foot")
    scene.drive(to: 3_000)
    let score = try Self.score(scene)
    #expect(score.causes(.arrival) == [.driveBy])
    #expect(score.tallies.keys.sorted().contains { $0.name == "foot" })
  }

  @Test func `a wait at the curb is a decoy`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 40)
    scene.wait(beside: 1, minutes: 6)
    scene.drive(to: 3_000)
    let score = try Self.score(scene)
    #expect(score.causes(.arrival) == [.decoy])
    #expect(score.all[.decoys] == 1)
    #expect(score.all[.decoysByPOI] == 1)
  }

  @Test func `a muted reminder misses its visits for that reason`() throws {
    let score = try Self.score(Self.shopping(), person: Scene.person(muted: true))
    #expect(score.causes(.visit) == [.mute])
    #expect(score.all[.visitsFound] == 0)
  }

  @Test func `what is done needs no word, and what is snoozed waits`() throws {
    let done = Scene.person(actions: [
      ReplayAction(at: Scene.noon + .minutes(1), .reminder("pharmacy", .complete))
    ])
    #expect(try Self.score(Self.shopping(), person: done).ledger.isEmpty)
    let snoozed = Scene.person(actions: [
      ReplayAction(at: Scene.noon + .minutes(1), .reminder("pharmacy", .snoozeToday))
    ])
    #expect(try Self.score(Self.shopping(), person: snoozed).causes(.visit) == [.snooze])
  }

  @Test func `quiet hours are a reason, and nothing leaks into them`() throws {
    let scene = Self.shopping()
    let setup = scene.setup { $0.quietHours = DailyWindow(startMinute: 600, endMinute: 1_000) }
    let score = try Self.score(scene, setup)
    #expect(score.causes(.visit) == [.quietHours])
    #expect(score.all[.quietHourLeaks] == 0)
    #expect(score.all[.notifications] == 0)
  }

  @Test func `a reminder's closed window is not called quiet hours`() throws {
    var person = Scene.person()
    let night = try #require(WeeklyWindow(startMinute: 0, endMinute: 60))
    person.reminders[0].conditions = [.window(night)]
    let score = try Self.score(Self.shopping(), person: person)
    #expect(score.causes(.visit) == [.outsideWindow])
    #expect(Cause.outsideWindow.label == "outside window")
  }

  @Test func `a category that no reminder asks for is no place that the cache lacks`() throws {
    var scene = Scene([(0, "pharmacy"), (1_500, "grocry")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: 1_500)
    scene.visit(2, minutes: 10)
    scene.drive(to: 3_000)
    let score = try Self.score(scene, scene.setup(shops: []), person: Scene.person())
    #expect(score.absentPOIs == ["node/1"])
    #expect(score.unaskedCategories == ["grocry"])
    let text = ScoreText().text(CorpusScore([score], seed: 1, resamples: 10))
    #expect(text.contains("the cache lacks 1 of the places"), "\(text)")
    #expect(text.contains("no reminder asks for grocry, which the truth names"), "\(text)")
  }

  @Test func `a place that the cache does not have is missed for that reason`() throws {
    let scene = Self.shopping()
    let other = Scene([(90_000, "pharmacy")]).shops
      .map {
        PointOfInterest(
          sourceID: "node/77",
          categories: $0.categories,
          name: nil,
          coordinate: $0.coordinate
        )
      }
    let score = try Self.score(scene, scene.setup(shops: other))
    #expect(score.causes(.visit) == [.staleCache])
    #expect(score.absentPOIs == ["node/1"])
    #expect(try Self.score(scene, scene.setup(shops: [])).causes(.visit) == [.staleCache])
  }

  @Test func `positions that lie are position noise`() throws {
    let score = try Self.score(Self.shopping()) { fix in
      var fix = fix
      if fix.coordinate.distanceMeters(to: Scene.spot(0)) < 400 {
        fix.coordinate = Scene.spot(0, 400)
      }
      return fix
    }
    #expect(score.causes(.visit) == [.positionNoise])
  }

  @Test func `speeds that lie, and accuracies that do, have names of their own`() throws {
    let scene = Self.shopping()
    let setup = scene.setup { $0 = Policy() }
    #expect(try Self.score(scene, setup).causes(.visit) == [.correct])
    let speeds = try Self.score(scene, setup) { fix in
      var fix = fix
      fix.speedMetersPerSecond = 14
      return fix
    }
    #expect(speeds.causes(.visit) == [.speedNoise])
    let accuracies = try Self.score(scene, setup) { fix in
      var fix = fix
      fix.horizontalAccuracyMeters = 900
      return fix
    }
    #expect(accuracies.causes(.visit) == [.accuracyNoise])
  }

  @Test func `a trace without fixes at the time has a gap`() throws {
    let score = try Self.score(Self.shopping()) { fix in
      fix.coordinate.distanceMeters(to: Scene.spot(0)) < 400 ? nil : fix
    }
    #expect(score.causes(.visit) == [.gapInTrace])
  }

  @Test func `a visit that is shorter than the dwell is missed for that reason`() throws {
    let scene = Self.shopping(minutes: 2)
    let setup = scene.setup { $0.arriveWithin(50, hold: .seconds(300)) }
    #expect(try Self.score(scene, setup).causes(.visit) == [.dwell])
  }

  @Test func `going next door without leaving the ring is said already`() throws {
    var scene = Scene([(0, "pharmacy"), (60, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: 60, metersPerSecond: 1)
    scene.visit(2, minutes: 10)
    scene.drive(to: 3_000)
    #expect(try Self.score(scene).causes(.visit) == [.correct, .alreadySaid])
  }

  @Test func `a ladder that has not fallen is hysteresis`() throws {
    var scene = Scene([(0, "pharmacy"), (400, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: 400, metersPerSecond: 5)
    scene.visit(2, minutes: 10)
    scene.drive(to: 3_000)
    let setup = scene.setup {
      $0.arriveWithin(150, hold: .seconds(20))
      $0.fencing.exitBandMeters = 300
    }
    #expect(try Self.score(scene, setup).causes(.visit) == [.correct, .hysteresis])
  }

  @Test func `a door outside the ring is out of reach`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: -80)
    scene.visit(1, minutes: 10)
    scene.drive(to: -4_000)
    let setup = scene.setup { $0.arriveWithin(30, hold: .seconds(20)) }
    #expect(try Self.score(scene, setup).causes(.visit) == [.outOfReach])
  }

  @Test func `a word that comes four minutes after arriving is late`() throws {
    let scene = Self.shopping()
    let setup = scene.setup { $0.arriveWithin(50, hold: .seconds(250)) }
    let score = try Self.score(scene, setup)
    #expect(score.causes(.visit) == [.late])
    #expect(Metric.recall.value(of: score.all) == 1)
    #expect(Metric.delayMedian.value(of: score.all).map { $0 > 180 } == true)
  }

  @Test func `what the app slept through is late news, and not a region put back`() throws {
    var late = TwinSettings.ios
    let spans = TwinSettings.Quantiles([Milliseconds](repeating: .minutes(20), count: 5))
    (late.latency.moving, late.latency.still) = (spans, spans)
    late.changes.isOn = false
    late.visits.isOn = false
    let scene = Self.shopping()
    let setup = scene.setup(.phone(late, slots: 20, seed: 1)) {
      $0 = LocationService.Name.ios.policy
    }
    #expect(try Self.score(scene, setup).causes(.visit) == [.osLatency])
  }

  @Test func `one is not asked to announce where the day began`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: -5_000)
    scene.stay("home", minutes: 10)
    let score = try Self.score(scene)
    let home = score.ledger.filter { $0.subject == .visit && $0.reminder == "home" }
    #expect(home.map(\.cause) == [.correct])
    #expect(home.allSatisfy { $0.at > Scene.noon })
  }

  @Test(arguments: [LocationService.Name.stream, .ios])
  func `a phone that is silent from the door on goes on until its day ends`(
    _ phone: LocationService.Name
  ) throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: -4_960)
    scene.drive(to: -5_000, metersPerSecond: 1.3, "foot")
    let door = scene.now
    scene.stay("home", minutes: 60)
    // It measures on the way only, as phones do that save power: the trace ends where the evening begins.
    let day = try scene.day { $0.at <= door ? $0 : nil }
    let setup = scene.setup(phone.service(slots: 20)) { $0 = phone.policy }
    let score = try DayScore(day, setup, keepsLedger: true)
    let home = score.ledger.filter {
      $0.subject == .visit && $0.reminder == "home" && $0.at == door
    }
    #expect(home.map(\.cause) == [.correct])
    #expect(home.allSatisfy { $0.delaySeconds.map { $0 > 0 } ?? false })
    let prepared = try PreparedDay(day, catalog: setup.catalog)
      .tally(setup, withTruePath: true)
    #expect(prepared == score.all)
    // Of a trace alone nobody knows how long the phone went on.
    let bare = try DayRun(day.fixes, of: day.person, setup)
    #expect(!bare.announcements.contains { $0.reminder == "home" && $0.at > door })
  }

  @Test func `the battery model is the sum that it says`() throws {
    let scene = Self.shopping()
    let run = try DayRun(scene.day().fixes, of: Scene.person(), scene.setup(.ideal(slots: 20)))
    let model = BatteryModel()
    let timers = Double(run.summary.wakes[.scheduled, default: 0])
    let wakes = Double(run.summary.locationWakes)
    let followed = run.summary.followed.seconds
    #expect(wakes > 0 && followed > 0)
    let expected = wakes * (10 * 0.30492 + 0.5) + timers * 0.5 + followed * 0.30492
    #expect(abs(model.joules(run, .ideal(slots: 20)) - expected) < 1e-6)
    let setup = scene.setup(.ideal(slots: 20)) {
      $0 = Policy()
      $0.monitor.easing = .always
    }
    let eased = try DayRun(scene.day().fixes, of: Scene.person(), setup)
    let summary = eased.summary
    #expect(summary.rested > Milliseconds(0) && summary.tries > 0)
    let spent =
      Double(summary.locationWakes) * (10 * 0.30492 + 0.5)
      + Double(summary.wakes[.scheduled, default: 0]) * 0.5
      + (summary.followed.seconds - summary.rested.seconds) * 0.30492 + Double(summary.tries) * 0.5
    #expect(abs(model.joules(eased, .ideal(slots: 20)) - spent) < 1e-6)
  }

  @Test func `a day that ends in silence is as long as one that does not`() throws {
    let scene = Self.shopping()
    let whole = try scene.day()
    let last = whole.end - .minutes(8)
    let silent = try Self.score(scene, spoil: { $0.at < last ? $0 : nil })
    #expect(silent.all[.hours] == (whole.end - whole.fixes[0].at).seconds / 3_600)
    #expect(try silent.all[.hours] == Self.score(scene).all[.hours])
  }

  @Test func `a look between two near fixes of a stream wakes nobody, one in silence does`() throws
  {
    // Beside a pharmacy: ten spans of 8 s and five of a minute; a timer 4 s after each fix. There is no
    // second one: nobody arrives who has not been seen moving, however long the silence is.
    let scene = Scene([(0, "pharmacy")])
    var fixes: [Fix] = []
    var now = Scene.noon
    for i in 0..<16 {
      now = now + .seconds(i == 0 ? 0 : i <= 10 ? 8 : 60)
      fixes.append(
        Fix(
          at: now,
          coordinate: Scene.spot(30),
          horizontalAccuracyMeters: 10,
          speedMetersPerSecond: 0
        )
      )
    }
    let setup = scene.setup {
      $0.fencing.arrivalDetection = .posterior
      $0.arrival.decision.ticksSeconds = [4, 8, 30]
    }
    let run = try DayRun(fixes, of: Scene.person(), setup)
    #expect(run.summary.wakes == [.scheduled: 10 + 5])
    #expect(run.wakeCount(.stream) == 5)
    // Ten spans of 8 s with the receiver on, five of 10 s, and a look in each of these.
    let expected = 130 * 0.30492 + 5 * 0.5
    #expect(abs(BatteryModel().joules(run, .stream) - expected) < 1e-6)
  }
}
