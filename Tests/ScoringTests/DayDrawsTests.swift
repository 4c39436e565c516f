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

  @Test(arguments: [1, 2, 7, 60])
  func `intervals are those of corpora that are drawn and scored one by one`(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let days = Self.days(count, &random)
    let resamples = 200
    let estimates = DayDraws(days: count, seed: 5, resamples: resamples)
      .estimates(Metric.allCases, days)
    var drawing = SplitMix64(seed: 5)
    let corpora = (0..<resamples)
      .map { _ in total(days.map { _ in days[drawing.index(below: count)] }) }
    for metric in Metric.allCases {
      let drawn = corpora.compactMap { metric.value(of: $0) }.sorted()
      let estimate = estimates[metric]
      #expect(estimate?.value == metric.value(of: total(days)), "\(metric)")
      guard let estimate, !drawn.isEmpty else { continue }
      func rank(_ share: Double) -> Double {
        drawn[Int((share * Double(drawn.count)).rounded(.up)) - 1]
      }
      for (end, expected) in [(estimate.low, rank(0.025)), (estimate.high, rank(0.975))] {
        // A share of what was summed up in another order.
        #expect(abs(end - expected) <= 1e-12 * max(1, abs(expected)), "\(metric)")
      }
    }
    #expect(estimates.count == Metric.allCases.count { $0.value(of: total(days)) != nil })
  }
}
