import Fencing
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import TestSupport
import Testing
import Timeline
import Traces

/// What must hold for any day.
@Suite struct CorpusScoreTests {
  /// A seeded day: visits, waits and passes in any order, seen by a bad receiver.
  private static func day(seed: UInt64) throws -> (scene: Scene, day: PersonDay) {
    var random = SeededGenerator(seed: seed)
    var shops: [(meters: Double, category: String)] = []
    for _ in 0..<random.integer(1...6) {
      shops.append(
        (random.uniform(-3_000...3_000), ["pharmacy", "bank"][random.integer(0...1)])
      )
    }
    var scene = Scene(shops)
    for _ in 0..<random.integer(1...7) {
      let shop = random.integer(1...shops.count)
      let spot = shops[shop - 1].meters
      let speed = random.uniform(1.5...15)
      switch random.integer(0...3) {
      case 0:
        scene.drive(to: spot + random.uniform(25...90), metersPerSecond: speed)
        scene.wait(beside: shop, minutes: random.uniform(1...8))
      case 1:
        scene.drive(to: random.uniform(-4_000...4_000), metersPerSecond: speed)
        scene.stay("address", minutes: random.uniform(1...8))
      default:
        scene.drive(to: spot + random.uniform(-20...20), metersPerSecond: speed)
        scene.visit(shop, minutes: random.uniform(1...15))
      }
      // Out of the way, so that no two visits touch.
      scene.drive(to: spot + 700, metersPerSecond: speed)
    }
    var noise = SeededGenerator(seed: seed &+ 1_000)
    var (east, north) = (0.0, 0.0)
    let day = try scene.day(id: "day\(seed)") { fix in
      east = 0.9 * east + noise.uniform(-25...25)
      north = 0.9 * north + noise.uniform(-25...25)
      var fix = fix
      let plane = LocalPlane(origin: fix.coordinate)
      fix.coordinate = plane.coordinate(eastMeters: east, northMeters: north)
      fix.horizontalAccuracyMeters = noise.uniform(5...60)
      return noise.integer(0...9) == 0 ? nil : fix
    }
    return (scene, day)
  }

  @Test func `every visit and every notification has one cause, and causes sum to all`() throws {
    var seen: Set<Cause> = []
    for seed in 0..<30 as Range<UInt64> {
      let (scene, day) = try Self.day(seed: seed)
      for (service, isWeighed) in [
        (LocationService.stream, false), (.ideal(slots: 5), false), (.stream, true),
        (.phone(.ios, slots: 20, seed: seed), true),
      ] {
        let setup = scene.setup(service) {
          $0.arriveWithin(60, hold: .seconds(60))
          if isWeighed { $0.fencing.arrivalDetection = .posterior }
          $0.monitor.longestWeighing = .minutes(8)
        }
        let score = try DayScore(day, setup, keepsLedger: true)
        let corpus = CorpusScore([score], seed: 1, resamples: 10)
        let run = try DayRun(day.fixes, until: day.end, of: day.person, setup)
        let visits = TargetVisit.all(in: day.truth, of: day.person, catalog: setup.catalog)
        let told = [LedgerEntry.Subject.arrival, .postArrival, .approach]
          .map { subject in score.ledger.count { $0.subject == subject } }
        #expect(told.reduce(0, +) == run.announcements.count, "seed \(seed)")
        #expect(
          score.ledger.count { $0.subject == .visit } == visits.count { !$0.isInitial },
          "seed \(seed)"
        )
        for subject in LedgerEntry.Subject.allCases {
          let causes = corpus.causes(of: subject)
          seen.formUnion(causes.map(\.cause))
          let sum = causes.reduce(0) { $0 + $1.share }
          #expect(causes.isEmpty || abs(sum - 1) < 1e-12, "seed \(seed)")
        }
        Self.checkLedgerAgreesWithScores(score, seed)
      }
    }
    #expect(seen.count >= 8, "\(seen)")
  }

  @Test func `a few days have no intervals, and say so once`() throws {
    let scores = try (3...7 as ClosedRange<UInt64>)
      .map { seed in
        let (scene, day) = try Self.day(seed: seed)
        return try DayScore(day, scene.setup(), keepsLedger: false)
      }
    let one = ScoreText().text(CorpusScore([scores[0]], seed: 1, resamples: 10))
    #expect(one.contains("h; one day has no intervals\n"), "\(one)")
    #expect(!one.contains("[") && !one.contains("…"), "\(one)")
    let two = ScoreText().text(CorpusScore(Array(scores.prefix(2)), seed: 1, resamples: 10))
    #expect(two.contains("2 person-days of 1 person, "), "\(two)")
    #expect(two.contains("h; 2 days are too few for intervals\n"), "\(two)")
    #expect(!two.contains(" … "), "\(two)")
    let five = ScoreText().text(CorpusScore(scores, seed: 1, resamples: 10))
    #expect(five.contains("; in brackets 95 % intervals over person-days\n"), "\(five)")
    #expect(five.contains(" … "), "\(five)")
    // Five recordings of two days are no more than these.
    let again = ScoreText()
      .text(CorpusScore(scores, seed: 1, lived: [0, 0, 2, 2, 0], resamples: 10))
    #expect(again.contains("5 recordings of 2 person-days of 1 person, "), "\(again)")
    #expect(again.contains("h; 2 days are too few for intervals\n"), "\(again)")
    let limit = try #require(try Requirement.parse("fpr<=0.02").first)
    let estimate = try #require(CorpusScore(scores, seed: 1, resamples: 10).whole[.wakesPerHour])
    #expect(limit.shortfall(estimate).contains(" (95 % interval "))
    #expect(!limit.shortfall(estimate, hasInterval: false).contains("interval"))
    for (text, words) in [
      ("wakes_per_hour<\(estimate.value)", "that is the limit itself"),
      ("wakes_per_hour<=\(estimate.value - 1)", "too high by 1.00"),
      ("wakes_per_hour>=\(estimate.value + 1)", "too low by 1.00"),
    ] {
      let wanted = try #require(Requirement.parse(text).first)
      #expect(wanted.shortfall(estimate).contains(words), "\(wanted.shortfall(estimate))")
    }
  }

  @Test func `the order in which reminders were made changes no score`() throws {
    var notified = 0.0
    for seed in 0..<20 as Range<UInt64> {
      let (scene, day) = try Self.day(seed: seed)
      var turned = day.person
      turned.reminders.reverse()
      turned.places.reverse()
      let other = try PersonDay(truth: day.truth, path: day.path, fixes: day.fixes, person: turned)
      for hold in [Milliseconds.seconds(0), .seconds(60)] {
        // At once: rings of several reminders are entered at one instant, and bundled.
        let setup = scene.setup { $0.arriveWithin(300, hold: hold) }
        let score = try DayScore(day, setup, keepsLedger: true)
        #expect(
          try DayScore(other, setup, keepsLedger: true).tallies == score.tallies,
          "seed \(seed)"
        )
        notified += score.all[.notifications]
      }
    }
    #expect(notified > 100)
  }

  /// What the ledger calls told is what the scores call found.
  private static func checkLedgerAgreesWithScores(_ score: DayScore, _ seed: UInt64) {
    let categories = Set(Person.categories)
    let visits = score.ledger.filter { $0.subject == .visit && categories.contains($0.reminder) }
    #expect(Double(visits.count) == score.all[.visits], "seed \(seed)")
    #expect(
      Double(visits.count { $0.delaySeconds != nil }) == score.all[.visitsFound],
      "seed \(seed)"
    )
    for entry in visits {
      let isTold = [.correct, .late, .bundled].contains(entry.cause)
      #expect(isTold == (entry.delaySeconds != nil), "seed \(seed) \(entry)")
    }
  }

  @Test func `scores do not depend on the order of days, and repeat with their seed`() throws {
    let scores = try (0..<12 as Range<UInt64>)
      .map { seed in
        let (scene, day) = try Self.day(seed: seed)
        let setup = scene.setup { $0.arriveWithin(40, hold: .seconds(60)) }
        return try DayScore(day, setup, keepsLedger: false)
      }
    let plain = CorpusScore(scores, seed: 7)
    let again = CorpusScore(scores, seed: 7)
    let backward = CorpusScore(scores.reversed(), seed: 7)
    for metric in Metric.allCases {
      #expect(plain.whole[metric] == again.whole[metric], "\(metric)")
      #expect((plain.whole[metric] == nil) == (backward.whole[metric] == nil), "\(metric)")
      if let estimate = plain.whole[metric], let other = backward.whole[metric] {
        // Hours are no whole numbers, and their sum is rounded.
        #expect(abs(estimate.value - other.value) <= 1e-9 * abs(other.value), "\(metric)")
        #expect(estimate.low <= estimate.high, "\(metric)")
      }
    }
    let recall = try #require(plain.whole[.recall])
    #expect(recall.low < recall.value && recall.value < recall.high)
    #expect(plain.parts.map(\.slice) == plain.parts.map(\.slice).sorted())
  }

  @Test func `days that are all alike leave doubt about what was not seen on them`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: 3_000)
    let score = try DayScore(scene.day(), scene.setup(), keepsLedger: false)
    let corpus = CorpusScore(Array(repeating: score, count: 5), seed: 1)
    for metric in [Metric.delayMedian, .wakesPerHour, .batteryPercentPerDay] {
      let estimate = corpus.whole[metric]
      #expect(estimate?.low == estimate?.high, "\(metric)")
    }
    let recall = try #require(corpus.whole[.recall])
    #expect(recall.value == 1 && recall.high == 1 && abs(recall.low - 0.395) < 0.005, "\(recall)")
    let one = CorpusScore(Array(repeating: score, count: 5), seed: 1, lived: [7, 7, 7, 7, 7])
    #expect(one.livedCount == 1 && one.whole[.recall]?.low == 1)
    #expect(corpus.whole[.precision]?.value == 1)
    #expect(corpus.whole[.f1]?.value == 1)
    #expect(corpus.whole.total[.days] == 5)
  }

  @Test func `silence scores nothing`() throws {
    var scene = Scene([(0, "pharmacy")])
    scene.drive(to: 0)
    scene.visit(1, minutes: 10)
    scene.drive(to: 3_000)
    let day = try scene.day(person: Scene.person(muted: true))
    let score = try DayScore(day, scene.setup(), keepsLedger: true)
    #expect(Metric.recall.value(of: score.all) == 0)
    #expect(Metric.f1.value(of: score.all) == 0)
    #expect(Metric.precision.value(of: score.all) == nil)
    #expect(Metric.falsePositiveRate.value(of: score.all) == nil)
  }

  @Test func `a requirement says which score, which way and how much`() throws {
    let parsed = try Requirement.parse("fpr<=0.02, recall>=97%")
    #expect(parsed.map(\.metric) == [.falsePositiveRate, .recall])
    #expect(parsed.map(\.limit) == [0.02, 0.97])
    #expect(parsed[0].isKept(by: 0.02))
    #expect(!parsed[0].isKept(by: 0.021))
    #expect(!parsed[1].isKept(by: 0.96))
    #expect(!parsed[1].isKept(by: nil))
    let units = try Requirement.parse("battery_percent_per_day<=2%,delay_median<=60s,fpr<=1")
    #expect(units.map(\.limit) == [2, 60, 1])
    // Written without its %, a limit of a share could never fail, or never hold.
    for text in ["fpr<=2", "recall>=90", "recall>=101%", "delay_median<=60%", "false_per_day<=1%"] {
      #expect(throws: RequirementError.self, "\(text)") { try Requirement.parse(text) }
    }
    for text in ["", "fpr", "fpr<=", "fpr=0.1", "fpr<=abc", "fprr<=1", "fpr<=nan", "a<=1,"] {
      #expect(throws: RequirementError.self, "\(text)") { try Requirement.parse(text) }
    }
    #expect(throws: RequirementError.self) { try Requirement.parse("recal>=0.9") }
  }
}
