import Foundation
import Geodesy
import Places
import Scoring
import Testing
import Timeline
import Traces
import Tuning

@Suite struct TruthTests {
  private static let start = Timestamp(seconds: 1_767_614_400)

  private static func at(_ minutes: Int64) -> Timestamp { start + .minutes(minutes) }

  private static func visit(_ poi: String, _ from: Int64, _ to: Int64) -> DayTruth.Visit {
    DayTruth.Visit(
      poi: poi,
      category: CategoryID("bank"),
      coordinate: Scene.spot(0),
      arrive: at(from),
      leave: at(to),
      mode: "foot"
    )
  }

  private static func truth(
    _ visits: [DayTruth.Visit],
    stays: [DayTruth.Stay] = [],
    trips: [DayTruth.Trip] = []
  ) throws -> DayTruth {
    try DayTruth(
      id: "d",
      person: "p",
      start: at(0),
      end: at(100),
      noise: "dev",
      sampling: "1hz",
      visits: visits,
      stays: stays,
      trips: trips
    )
  }

  @Test func `nobody is at two places at once`() throws {
    let fault = TruthFault.overlappingVisits("node/1", "node/2", Self.at(14))
    #expect(throws: fault) {
      try Self.truth([Self.visit("node/1", 10, 20), Self.visit("node/2", 14, 30)])
    }
    // The same place twice is one visit.
    let merged = try Self.truth([Self.visit("node/1", 10, 20), Self.visit("node/1", 14, 30)])
    #expect(merged.visits.count == 2)
  }

  @Test func `a pass counts once`() throws {
    func truth(_ kinds: [Encounter.Kind]) throws -> DayTruth {
      try DayTruth(
        id: "d",
        person: "p",
        start: Self.at(0),
        end: Self.at(100),
        noise: "dev",
        sampling: "1hz",
        visits: [],
        encounters: kinds.map {
          Encounter(
            kind: $0,
            poi: "node/1",
            category: CategoryID("bank"),
            from: Self.at(10),
            to: Self.at(11)
          )
        }
      )
    }
    #expect(try truth([.driveBy, .decoy]).encounters.count == 2)
    #expect(throws: TruthFault.samePass("node/1", Self.at(10))) {
      try truth([.driveBy, .decoy, .driveBy])
    }
  }

  @Test func `nothing ends before it begins or happens on another day`() throws {
    #expect(throws: TruthFault.endsBeforeItBegins("visit to node/1", Self.at(20))) {
      try Self.truth([Self.visit("node/1", 20, 10)])
    }
    #expect(throws: TruthFault.outsideTheDay("visit to node/1", Self.at(90))) {
      try Self.truth([Self.visit("node/1", 90, 101)])
    }
  }

  @Test func `the walk from a parked car is a drive`() throws {
    let truth = try Self.truth(
      [],
      stays: [
        DayTruth.Stay(
          kind: "parking",
          coordinate: Scene.spot(0),
          arrive: Self.at(20),
          leave: Self.at(21)
        )
      ],
      trips: [
        DayTruth.Trip(mode: "bus", depart: Self.at(1), arrive: Self.at(5)),
        DayTruth.Trip(mode: "car", depart: Self.at(10), arrive: Self.at(20)),
        DayTruth.Trip(mode: "foot", depart: Self.at(21), arrive: Self.at(22)),
        DayTruth.Trip(mode: "foot", depart: Self.at(50), arrive: Self.at(60)),
      ]
    )
    #expect(truth.mode(at: Self.at(0)) == "none")
    #expect(truth.mode(at: Self.at(7)) == "bus")
    #expect(truth.mode(at: Self.at(22)) == "car")
    #expect(truth.mode(at: Self.at(55)) == "foot")
  }

  @Test func `between two rows of a path lies a straight line`() throws {
    let path = try TruePath([
      TruePath.Row(at: Self.at(0), coordinate: Scene.spot(0), speedMetersPerSecond: 0),
      TruePath.Row(at: Self.at(1), coordinate: Scene.spot(600), speedMetersPerSecond: 10),
      TruePath.Row(at: Self.at(10), coordinate: Scene.spot(600), speedMetersPerSecond: 0),
    ])
    let half = path.fix(at: Self.at(0) + .seconds(30))
    #expect(half.coordinate.distanceMeters(to: Scene.spot(300)) < 0.01)
    #expect(half.speedMetersPerSecond == 5)
    #expect(abs(path.lengthMeters(from: Self.at(0), to: Self.at(99)) - 600) < 0.1)
    #expect(abs(path.lengthMeters(from: Self.at(5), to: Self.at(0)) + 600) < 0.1)
    #expect(path.fix(at: Self.at(-5)).coordinate == Scene.spot(0))
  }

  @Test func `a path crosses the antimeridian the short way`() throws {
    let path = try TruePath([
      TruePath.Row(
        at: Self.at(0),
        coordinate: Coordinate(latitude: 10, longitude: 179.9),
        speedMetersPerSecond: 10
      ),
      TruePath.Row(
        at: Self.at(2),
        coordinate: Coordinate(latitude: 10, longitude: -179.9),
        speedMetersPerSecond: 10
      ),
    ])
    #expect(abs(abs(path.fix(at: Self.at(1)).coordinate.longitude) - 180) < 1e-9)
  }

  @Test func `a path without rows, or back in time, is none`() {
    #expect(throws: TruthFault.badPath(row: 1)) { try TruePath([]) }
    let row = TruePath.Row(at: Self.at(0), coordinate: Scene.spot(0), speedMetersPerSecond: 0)
    #expect(throws: TruthFault.badPath(row: 2)) { try TruePath([row, row]) }
  }

  @Test func `fixes of times that the truth does not speak of are left out and counted`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: -5_000)
    scene.stay("home", minutes: 20)
    let good = try scene.day()
    func day(_ fixes: [Fix], _ path: TruePath? = nil) throws -> PersonDay {
      try PersonDay(
        truth: good.truth,
        path: path ?? good.path,
        fixes: fixes,
        person: good.person
      )
    }
    // 1970 before all others, 2099 among them, and a trip to the shop hours after all that is known.
    var astray = good.fixes
    astray[0].at = Timestamp(seconds: 0)
    var future = good.fixes[40]
    future.at = Timestamp(seconds: 4_070_908_800)
    var trip = good.fixes.filter { $0.at < good.truth.start + .minutes(30) }
    for i in trip.indices { trip[i].at = trip[i].at + .minutes(600) }
    let spoiled = try day(
      [astray[0]] + good.fixes.prefix(40) + [future] + good.fixes.dropFirst(40) + trip.prefix(60)
    )
    #expect(spoiled.fixes == good.fixes)
    #expect(spoiled.fixesOutside == 62)
    #expect(spoiled.end == good.end)
    #expect(good.fixesOutside == 0)
    let setup = scene.setup()
    let scored = try DayScore(spoiled, setup, keepsLedger: true)
    let clean = try DayScore(good, setup, keepsLedger: true)
    #expect(scored.tallies == clean.tallies)
    #expect(scored.ledger == clean.ledger)
    #expect(scored.fixesOutside == 62)
    let read = try JSONDecoder().decode(DayScore.self, from: JSONEncoder().encode(scored))
    #expect(read.fixesOutside == 62)
    let corpus = CorpusScore([scored, clean], seed: 1)
    #expect(corpus.fixesOutside.fixes == 62)
    #expect(corpus.fixesOutside.days == 1)
    #expect(ScoreText().text(corpus).contains("note: 62 fixes of 1 day are left out"))
    #expect(!ScoreText().text(CorpusScore([clean], seed: 1)).contains("left out"))
    #expect(ScoreJSON().text(corpus, seed: 1).contains("\"fixes_outside\":62"))
    // Clocks may differ by ten minutes, and no more.
    var late = good.fixes
    late[late.count - 1].at = good.truth.end + .minutes(10)
    #expect(try day(late).fixes == late)
    late[late.count - 1].at = late[late.count - 1].at + .seconds(1)
    #expect(try day(late).fixesOutside == 1)
    // A perfect monitor is asked about the same hours.
    let later = good.path.rows.map { row in
      var row = row
      row.at = row.at + .minutes(600)
      return row
    }
    let longer = try DayScore(
      day(good.fixes, TruePath(good.path.rows + later)),
      setup,
      keepsLedger: false
    )
    #expect(longer.tallies == clean.tallies)
  }

  @Test func `a day that another phone recorded is of the same person, and a namesake is another`()
    throws
  {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    let lived = try scene.day().truth
    /// The truth as a corpus has it, on one of several days.
    func day(
      _ id: String,
      of person: String,
      in corpus: String,
      later minutes: Int64 = 0
    ) -> (
      truth: DayTruth, corpus: String?
    ) {
      var truth = lived
      truth.id = corpus + "/" + id
      truth.person = corpus + "/" + person
      truth.home = Scene.spot(-5_000 - Double(minutes))
      return (truth, corpus)
    }
    func seenAgain(_ day: (truth: DayTruth, corpus: String?)) -> (truth: DayTruth, corpus: String?)
    {
      var truth = day.truth
      (truth.noise, truth.sampling) = ("other", "other")
      truth.gaps = [.init(start: truth.start, end: truth.start + .minutes(1), reason: "suspended")]
      return (truth, day.corpus)
    }
    let days = [
      day("d1", of: "p1", in: "a"), day("d2", of: "p1", in: "a", later: 1),
      day("d3", of: "p2", in: "a", later: 2),
      seenAgain(day("d1", of: "p1", in: "twin")), day("d4", of: "p1", in: "twin", later: 3),
      // Another life under the same names.
      day("d1", of: "p1", in: "b", later: 4), day("d3", of: "p2", in: "b", later: 5),
    ]
    let people = Folds.people(days)
    #expect(people == ["a/p1", "a/p1", "a/p2", "a/p1", "a/p1", "b/p1", "b/p2"])
    // Two who lived alike in one corpus stay two, and of a single corpus names are as they are.
    #expect(
      Folds.people([day("d1", of: "p1", in: "a"), day("d2", of: "p2", in: "a")])
        == ["a/p1", "a/p2"]
    )
    #expect(Folds.people([(lived, nil), (lived, nil)]) == [lived.person, lived.person])
    // Days that were lived are fewer than days that were recorded.
    #expect(Folds.lived(days) == [0, 1, 2, 0, 4, 5, 6])
    let alike = [day("d1", of: "p1", in: "a"), day("d2", of: "p2", in: "a")]
    #expect(Folds.lived(alike) == [0, 1])
    // Under another name in one folder it is the same person's day; and a trace that is there twice is one day's,
    // whatever the truths beside it say.
    var copy = lived
    copy.id = "copy"
    #expect(Folds.lived([(lived, nil), (copy, nil)]) == [0, 0])
    #expect(Folds.lived(alike, twins: [nil, 0]) == [0, 0])
    #expect(Folds.people(alike, twins: [nil, 0]) == ["a/p1", "a/p1"])
  }

  @Test func `a truth of another day or town is refused`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    let good = try scene.day()
    var late = good.fixes
    for i in late.indices { late[i].at = late[i].at + .minutes(1_440) }
    #expect(throws: TruthFault.otherDay(trace: late[0].at, truth: good.truth.start)) {
      try PersonDay(truth: good.truth, path: good.path, fixes: late, person: good.person)
    }
    var elsewhere = good.fixes
    for i in elsewhere.indices {
      elsewhere[i].coordinate = Coordinate(uncheckedLatitude: 18.3, longitude: -64.9)
    }
    #expect(throws: TruthFault.self) {
      try PersonDay(truth: good.truth, path: good.path, fixes: elsewhere, person: good.person)
    }
    #expect(throws: TruthFault.emptyTrace) {
      try PersonDay(truth: good.truth, path: good.path, fixes: [], person: good.person)
    }
    // Most of a trace, so that one of another day with a few fixes of this one is none of it.
    #expect(throws: TruthFault.otherDay(trace: late[0].at, truth: good.truth.start)) {
      let mixed = late + good.fixes.dropLast()
      return try PersonDay(truth: good.truth, path: good.path, fixes: mixed, person: good.person)
    }
    var wrong = good.truth.visits
    wrong[0].coordinate = Scene.spot(4_000)
    #expect(throws: TruthFault.self) { try scene.day(truthOfVisits: wrong) }
  }

  @Test func `across a silence a recording says nothing of where one was`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: -3_000)
    scene.drive(to: 0)
    scene.visit(1, minutes: 40)
    scene.drive(to: 9_000)
    let good = try scene.day()
    let visit = good.truth.visits[0]
    /// What a phone records that is silent from a while before the visit on, and has a fix far from it at the end.
    func recording(silentFrom start: Timestamp, isPathUnknown: Bool) throws -> PersonDay {
      var fixes = good.fixes.filter { $0.at < start || $0.at > visit.leave + .minutes(5) }
      fixes = fixes.filter { $0.at < start } + fixes.suffix(1)
      for i in fixes.indices where fixes[i].at > visit.arrive - .minutes(6) {
        fixes[i].coordinate = Scene.spot(0, 1_300)
      }
      let rows = fixes.map {
        TruePath.Row(at: $0.at, coordinate: $0.coordinate, speedMetersPerSecond: 0)
      }
      return try PersonDay(
        truth: good.truth,
        path: try TruePath(rows),
        fixes: fixes,
        person: good.person,
        isPathUnknown: isPathUnknown
      )
    }
    let silent = visit.arrive - .minutes(3)
    #expect(try recording(silentFrom: silent, isPathUnknown: true).isPathUnknown)
    #expect(throws: TruthFault.self) { try recording(silentFrom: silent, isPathUnknown: false) }
    // With a fix at the time it says something, and that it was elsewhere.
    #expect(throws: TruthFault.self) {
      try recording(silentFrom: visit.arrive - .minutes(1), isPathUnknown: true)
    }
  }
}
