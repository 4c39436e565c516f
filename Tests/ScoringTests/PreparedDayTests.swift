import Fencing
import NearMeEngine
import Replay
import Scoring
import TestSupport
import Testing
import Timeline
import Tuning

/// Scoring a day many times comes to the same as scoring it once.
@Suite struct PreparedDayTests {
  private static func days() throws -> (setup: (Int64) -> ReplaySetup, days: [PersonDay]) {
    var random = SeededGenerator(seed: 11)
    let shops: [(meters: Double, category: String)] = [(0, "pharmacy"), (900, "bank")]
    var days: [PersonDay] = []
    for number in 0..<5 {
      var scene = Scene(shops)
      for _ in 0..<random.integer(1...4) {
        let shop = random.integer(1...2)
        scene.drive(to: shops[shop - 1].meters + random.uniform(-40...40))
        if random.integer(0...2) == 0 {
          scene.wait(beside: shop, minutes: random.uniform(1...5))
        } else {
          scene.visit(shop, minutes: random.uniform(2...12))
        }
        scene.drive(to: 2_500)
      }
      days.append(try scene.day(id: "day\(number)"))
    }
    let scene = Scene(shops)
    return (
      { seconds in
        scene.setup {
          $0.fencing.arrivalDetection = .radius
          $0.arriveWithin(60, hold: .seconds(seconds))
        }
      }, days
    )
  }

  @Test(arguments: [0, 40, 120] as [Int64])
  func `a prepared day has the sums and the intervals of a scored one`(
    _ seconds: Int64
  ) throws {
    let (setup, days) = try Self.days()
    let policy = setup(seconds)
    let late = HandOver(from: .minutes(2), to: .minutes(10), seed: 1)
    for (monitor, handOver) in [
      (LocationService.stream, nil), (.stream, late), (.ideal(slots: 20), nil),
    ] {
      var own = policy
      own.service = monitor
      own.handOver = handOver
      let scores = try days.map { try DayScore($0, own, keepsLedger: false) }
      let prepared = days.map { PreparedDay($0, catalog: own.catalog) }
      let tallies = try prepared.map {
        try $0.tally(own, withTruePath: true)
      }
      #expect(tallies == scores.map { $0.tallies[.all] ?? Tally() })
      let quick = try prepared.map {
        try $0.tally(own, withTruePath: false)
      }
      let corpus = CorpusScore(scores, seed: 5)
      let draws = DayDraws(days: days.count, seed: 5)
      for metric in Metric.allCases {
        let estimate = draws.estimate(metric, tallies)
        let plain = corpus.whole[metric]
        #expect((estimate == nil) == (plain == nil), "\(metric)")
        if let estimate, let plain {
          // The same days are drawn; sums in another order differ in their last digits.
          for (a, b) in [
            (estimate.value, plain.value), (estimate.low, plain.low), (estimate.high, plain.high),
          ] {
            #expect(abs(a - b) <= 1e-9 * max(1, abs(b)), "\(metric) \(estimate) \(plain)")
          }
        }
        guard !metric.needsTruePath else { continue }
        #expect(metric.value(of: total(quick)) == metric.value(of: total(tallies)), "\(metric)")
      }
    }
  }

  @Test func `a tally is read again to the bit`() throws {
    let (setup, days) = try Self.days()
    var seen = 0
    for seconds in [0, 30, 90] as [Int64] {
      for day in days {
        let own = setup(seconds)
        let tally = try PreparedDay(day, catalog: own.catalog)
          .tally(own, withTruePath: true)
        #expect(Tally(text: tally.text[...]) == tally)
        #expect(!tally.text.contains { $0.isWhitespace })
        seen += tally[.arrivalDelay].count
        for cut in tally.text.indices.dropFirst() where tally.text[..<cut].last == "=" {
          #expect(Tally(text: tally.text[..<cut]) == nil)
        }
      }
    }
    #expect(seen > 10)
  }
}
