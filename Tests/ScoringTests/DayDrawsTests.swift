import Basics
import Scoring
import TestSupport
import Testing

@Suite struct DayDrawsTests {
  /// Days of which some have nothing of what others have.
  private static func days(_ count: Int, _ random: inout SeededGenerator) -> [Tally] {
    (0..<count)
      .map { _ in
        var tally = Tally()
        for count in Tally.Count.allCases where random.integer(0...3) > 0 {
          tally[count] = Double(random.integer(0...40))
        }
        for sample in Tally.Sample.allCases {
          tally[sample] = (0..<random.integer(0...5)).map { _ in Double(random.integer(-9...600)) }
        }
        return tally
      }
  }

  /// The ends of plain percentiles of corpora that are drawn and scored one by one.
  private static func percentiles(
    _ days: [Tally],
    _ resamples: Int
  ) -> [Metric: (low: Double, high: Double)] {
    var drawing = SplitMix64(seed: 5)
    let corpora = (0..<resamples)
      .map { _ in total(days.map { _ in days[drawing.index(below: days.count)] }) }
    var ends: [Metric: (low: Double, high: Double)] = [:]
    for metric in Metric.allCases {
      let drawn = corpora.compactMap { metric.value(of: $0) }.sorted()
      guard !drawn.isEmpty else { continue }
      func rank(_ share: Double) -> Double {
        drawn[Int((share * Double(drawn.count)).rounded(.up)) - 1]
      }
      ends[metric] = (rank(0.025), rank(0.975))
    }
    return ends
  }

  @Test(arguments: [1, 2, 7, 60])
  func `intervals of many days are those of corpora that are drawn, and of few days wider`(
    count: Int
  ) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let days = Self.days(count, &random)
    let resamples = 200
    let estimates = DayDraws(days: count, seed: 5, resamples: resamples)
      .estimates(Metric.allCases, days)
    let plain = Self.percentiles(days, resamples)
    for metric in Metric.allCases {
      let estimate = estimates[metric]
      #expect(estimate?.value == metric.value(of: total(days)), "\(metric)")
      guard let estimate, let ends = plain[metric] else { continue }
      // A share of what was summed up in another order.
      func near(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-12 * max(1, abs(b)) }
      if count == 1 || count >= 50 {
        guard ends.low < ends.high || count == 1 else { continue }
        #expect(near(estimate.low, ends.low) && near(estimate.high, ends.high), "\(metric)")
      } else {
        let least = [.share, .number].contains(metric.unit) ? max(0, ends.low) : ends.low
        let most = metric.unit == .share ? min(1, ends.high) : ends.high
        #expect(estimate.low <= least || near(estimate.low, least), "\(metric)")
        #expect(estimate.high >= most || near(estimate.high, most), "\(metric)")
      }
    }
    #expect(estimates.count == Metric.allCases.count { $0.value(of: total(days)) != nil })
  }

  /// A day with visits of which some are found, and encounters of which some are told.
  private static func day(
    visits: Int,
    found: Int,
    decoys: Int = 0,
    told: Int = 0
  ) -> Tally {
    var tally = Tally()
    tally[.days] = 1
    (tally[.visits], tally[.visitsFound]) = (Double(visits), Double(found))
    (tally[.decoys], tally[.decoysByPOI]) = (Double(decoys), Double(told))
    return tally
  }

  @Test(arguments: [8, 60])
  func `what several phones recorded of a day is drawn together, and shrinks no interval`(
    count: Int
  ) throws {
    var random = SeededGenerator(seed: 3)
    let days = (0..<count)
      .map { _ in
        Self.day(visits: 4, found: random.integer(1...4), decoys: 2, told: random.integer(0...2))
      }
    let metrics: [Metric] = [.recall, .fprDecoys, .falsePerDay, .repeatsPerDay]
    let once = DayDraws(days: count, seed: 5).estimates(metrics, days)
    let numbered = DayDraws(lived: (0..<count).map { 1_000 - $0 }, seed: 5)
    #expect(numbered.estimates(metrics, days) == once)
    let lived = Array(0..<count)
    let twice = DayDraws(lived: lived + lived, seed: 5)
    #expect(twice.livedCount == count)
    let both = twice.estimates(metrics, days + days)
    for metric in metrics {
      let (one, two) = (try #require(once[metric]), try #require(both[metric]))
      for (a, b) in [(one.value, two.value), (one.low, two.low), (one.high, two.high)] {
        #expect(abs(a - b) < 1e-9, "\(metric) \(one) \(two)")
      }
    }
    // As days of their own they would.
    let apart = DayDraws(days: 2 * count, seed: 5).estimates(metrics, days + days)
    let (whole, half) = (try #require(once[.recall]), try #require(apart[.recall]))
    #expect(half.high - half.low < 0.85 * (whole.high - whole.low))
  }

  @Test func `none of a few is no proof of never, nor all of them of always`() throws {
    let three = (0..<3).map { Self.day(visits: 3, found: 3, decoys: $0 == 0 ? 2 : 0) }
    let few = DayDraws(days: 3, seed: 1)
    let decoys = try #require(few.estimate(.fprDecoys, three))
    #expect(decoys.low == 0 && decoys.high > 0.8 && decoys.high < 0.95, "\(decoys)")
    let recall = try #require(few.estimate(.recall, three))
    #expect(recall.high == 1 && recall.low > 0.3 && recall.low < 0.4, "\(recall)")
    // Of many days, too: once in 80 days may be in none of these 80.
    let many = (0..<80).map { _ in Self.day(visits: 3, found: 3) }
    let repeats = try #require(DayDraws(days: 80, seed: 1).estimate(.repeatsPerDay, many))
    #expect(repeats.low == 0 && abs(repeats.high - 0.048) < 0.001, "\(repeats)")
    #expect(!DayDraws(days: 4, seed: 1).hasIntervals && DayDraws(days: 5, seed: 1).hasIntervals)
    #expect(!DayDraws(lived: [1, 2, 3, 4, 4, 4], seed: 1).hasIntervals)
  }

  @Test(arguments: [5, 6])
  func `a gain on five days only may be chance, however many others there are`(changed: Int) throws
  {
    let before = (0..<80).map { _ in Self.day(visits: 4, found: 2) }
    let after = (0..<80).map { Self.day(visits: 4, found: $0 < changed ? 4 : 2) }
    let gain = try #require(
      DayDraws(days: 80, seed: 1).difference(.recall, from: before, to: after)
    )
    #expect(gain.value > 0)
    #expect(gain.mayBeNone == (changed == 5), "\(gain)")
    // Recordings of a day do not make it several.
    let again = DayDraws(lived: (0..<80).map { $0 < 6 ? 0 : $0 }, seed: 1)
    let seen = try #require(again.difference(.recall, from: before, to: after))
    #expect(seen.mayBeNone, "\(seen)")
  }

  @Test(arguments: [5, 7, 10])
  func `intervals of few days hold the truth`(count: Int) throws {
    var random = SeededGenerator(seed: 8)
    let trials = 200
    var missed = 0
    let draws = DayDraws(days: count, seed: 1, resamples: 200)
    for _ in 0..<trials {
      // On one day in ten nothing is found, on the others everything: nine tenths.
      let days = (0..<count)
        .map { _ in Self.day(visits: 3, found: random.integer(0...9) == 0 ? 0 : 3) }
      let recall = try #require(draws.estimate(.recall, days))
      if recall.low > 0.9 || recall.high < 0.9 { missed += 1 }
    }
    #expect(missed <= trials / 10, "\(missed) of \(trials)")
  }
}
