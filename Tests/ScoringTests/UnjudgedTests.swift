import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import Testing
import Timeline
import Traces

/// What a truth says too little for counts neither for a policy nor against it.
@Suite struct UnjudgedTests {
  /// A visit, and home for a while.
  private static func homecoming(minutes: Double = 20) -> Scene {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: -5_000)
    scene.stay("home", minutes: minutes)
    return scene
  }

  @Test func `without stays nothing is said of places of one's own`() throws {
    let scene = Self.homecoming()
    let known = try DayScore(scene.day(), scene.setup(), keepsLedger: true)
    #expect(known.all[.ownArrivals] == 1 && known.ledger.contains { $0.reminder == "home" })
    let score = try DayScore(scene.day(knowsStays: false), scene.setup(), keepsLedger: true)
    #expect(score.all[.visitsFound] == 1)
    #expect(score.all[.ownArrivals] == 0 && score.all[.ownArrivalsFalse] == 0)
    #expect(Metric.ownFalsePerDay.value(of: score.all) == nil)
    #expect(Metric.ownRepeatsPerDay.value(of: score.all) == nil)
    #expect(Metric.wrongPerDay.value(of: score.all) == 0)
    #expect(Metric.precisionHeard.value(of: score.all) == 1)
    #expect(
      !score.ledger.contains {
        $0.reminder == "home" && [.arrival, .postArrival].contains($0.subject)
      }
    )
    // Beside a day that has them, it counts for none of their rates.
    let corpus = CorpusScore([known, score], seed: 1)
    #expect(corpus.whole[.ownFalsePerDay]?.value == 0)
    #expect(corpus.own?.total[.days] == 1)
    #expect(corpus.daysWithoutStays == 1)
    #expect(ScoreText().text(corpus).contains("note: the truth of 1 day has no \"stays\": "))
    #expect(!ScoreText().text(CorpusScore([known], seed: 1)).contains("stays\""))
    #expect(!ScoreJSON().text(CorpusScore([known], seed: 1), seed: 1).contains("days_without"))
    // Days without them make a false arrival at home no rarer.
    var days = Tally()
    (days[.days], days[.daysWithoutStays], days[.ownArrivalsFalse]) = (10, 8, 2)
    days[.arrivalsFalse] = 5
    #expect(Metric.wrongPerDay.value(of: days) == 1.5)
    // A part of few days has no interval where all of them have one.
    let many = CorpusScore([known] + Array(repeating: score, count: 5), seed: 1)
    #expect(many.hasIntervals && many.whole.hasIntervals && many.own?.hasIntervals == false)
    let home = ScoreText().text(many).split(separator: "\n")
      .drop { !$0.contains("at places of one's own") }
    #expect(home.first { $0.contains("found") }?.contains("[") == false)
    // Who has no reminder of such places misses nothing by it.
    let plain = try scene.day(person: Scene.person(), knowsStays: false)
    let other = try DayScore(plain, scene.setup(), keepsLedger: false)
    #expect(Metric.ownFalsePerDay.value(of: other.all) == 0)
  }

  @Test(arguments: [nil, 90, 400])
  func `one is at a place as far as its arrival radius reaches`(_ meters: Double?) throws {
    let scene = Self.homecoming()
    var person = Scene.person()
    let place = Place(
      id: "home",
      name: "Home",
      kind: .home,
      coordinate: Scene.spot(-5_000, 111),
      arrivalRadiusMeters: meters
    )
    person.places = [place]
    person.reminders = [Reminder(id: "home", title: "home", target: .place(place.id))]
    let score = try DayScore(scene.day(person: person), scene.setup(), keepsLedger: false)
    let text = ScoreText().text(CorpusScore([score], seed: 1))
    #expect(score.all[.ownVisits] == (meters == 400 ? 1 : 0))
    #expect(
      text.contains(
        "note: no stay of its kind lies at the place \"home\" on 1 day (the nearest is 111 m off)"
      )
        == (meters != 400),
      "\(text)"
    )
    if meters == 400 {
      #expect(score.all[.ownVisitsFound] == 1 && score.all[.ownArrivalsFalse] == 0)
    }
  }

  /// The truth of a day that ends so soon after the last arrival, beside a trace that goes on.
  private static func cut(_ day: PersonDay, secondsAfterArriving seconds: Int64) throws -> PersonDay
  {
    let truth = day.truth
    let end = try #require(truth.stays.last).arrive + .seconds(seconds)
    let stays = truth.stays.filter { $0.arrive < end }
      .map { stay in
        var stay = stay
        stay.leave = min(stay.leave, end)
        return stay
      }
    return try PersonDay(
      truth: DayTruth(
        id: truth.id,
        person: truth.person,
        start: truth.start,
        end: end,
        noise: truth.noise,
        sampling: truth.sampling,
        home: truth.home,
        visits: truth.visits.filter { $0.leave < end },
        encounters: truth.encounters.filter { $0.to < end },
        stays: stays,
        trips: truth.trips
      ),
      path: day.path,
      fixes: day.fixes,
      person: day.person
    )
  }

  @Test func `what comes of an arrival after the day is not judged`() throws {
    let scene = Self.homecoming()
    let day = try Self.cut(scene.day(), secondsAfterArriving: 30)
    #expect(day.fixes.last.map { $0.at > day.truth.end + .minutes(8) } == true)
    let patient = scene.setup { $0.arriveWithin(50, hold: .seconds(250)) }
    let score = try DayScore(day, patient, keepsLedger: true)
    #expect(score.all[.visits] == 1, "what was before is judged")
    #expect(score.all[.ownVisits] == 0)
    #expect(score.all[.ownArrivals] == 0)
    #expect(Metric.wrongPerDay.value(of: score.all) == 0)
    let told = score.ledger.filter { $0.reminder == "home" && $0.at > day.truth.end - .minutes(2) }
    #expect(told.allSatisfy { $0.subject == .approach }, "\(told)")
    let corpus = CorpusScore([score], seed: 1)
    #expect(corpus.wordsUnjudged >= 1 && corpus.visitsCutShort == 1)
    let text = ScoreText().text(corpus)
    #expect(
      text.contains(" told before start_utc or after end_utc and 1 visit that began"),
      "\(text)"
    )
    // Told in time it is found.
    let quick = scene.setup { $0.arriveWithin(50, hold: .seconds(20)) }
    let found = try DayScore(day, quick, keepsLedger: false)
    #expect(found.all[.ownVisits] == 1 && found.all[.ownVisitsFound] == 1)
    #expect(CorpusScore([found], seed: 1).visitsCutShort == 0)
    // Of one that began a while before the end a word was due.
    let long = try Self.cut(scene.day(), secondsAfterArriving: 400)
    let deaf = scene.setup { $0.arriveWithin(50, hold: .seconds(3_000)) }
    let missed = try DayScore(long, deaf, keepsLedger: false)
    #expect(missed.all[.ownVisits] == 1 && missed.all[.ownVisitsFound] == 0)
  }

  @Test func `where nobody knows the path nothing is put down to noise`() throws {
    let scene = Self.homecoming()
    /// The causes of visits to the shop, of a recording or with its true path.
    func causes(
      isPathUnknown: Bool,
      _ setup: ReplaySetup,
      _ spoil: (Fix) -> Fix?
    ) throws -> [Cause] {
      let day = try scene.day(person: Scene.person(), spoil: spoil)
      let rows = day.fixes.map {
        TruePath.Row(
          at: $0.at,
          coordinate: $0.coordinate,
          speedMetersPerSecond: $0.speedMetersPerSecond ?? 0
        )
      }
      let seen = try PersonDay(
        truth: day.truth,
        path: isPathUnknown ? TruePath(rows) : day.path,
        fixes: day.fixes,
        person: day.person,
        isPathUnknown: isPathUnknown
      )
      return try DayScore(seen, setup, keepsLedger: true).causes(.visit)
    }
    func astray(_ fix: Fix) -> Fix {
      var fix = fix
      if fix.coordinate.distanceMeters(to: Scene.spot(0)) < 400 {
        fix.coordinate = Scene.spot(0, 400)
      }
      return fix
    }
    func doubtful(_ fix: Fix) -> Fix {
      var fix = fix
      fix.horizontalAccuracyMeters = 900
      return fix
    }
    let (measuring, standard) = (scene.setup(), scene.setup { $0 = Policy() })
    #expect(try causes(isPathUnknown: false, measuring, astray) == [.positionNoise])
    #expect(try causes(isPathUnknown: true, measuring, astray) == [.unknownPath])
    #expect(try causes(isPathUnknown: false, standard, doubtful) == [.accuracyNoise])
    #expect(try causes(isPathUnknown: true, standard, doubtful) == [.unknownPath])
    #expect(Cause.unknownPath.label == "path unknown")
  }
}
