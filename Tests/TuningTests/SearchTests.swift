import Scoring
import TestSupport
import Testing
import Tuning

/// Searches over made-up scores, whose right outcome can be worked out plainly.
@Suite struct SearchTests {
  /// A day with so many of ten visits found, and so many of a hundred drive-bys notified.
  private static func tally(found: Int, alarms: Int) -> Tally {
    var tally = Tally()
    tally[.days] = 1
    tally[.hours] = 24
    tally[.longVisits] = 10
    tally[.longVisitsFound] = Double(found)
    tally[.driveBys] = 100
    tally[.driveBysByPOI] = Double(alarms)
    tally[.arrivals] = Double(found + alarms)
    tally[.arrivalsFalse] = Double(alarms)
    tally[.arrivalDelay] = (0..<found).map { Double($0 * 7 % 50) }
    return tally
  }

  private struct World {
    var people: [String]
    /// By policy, by day.
    var tallies: [[Tally]]
    let goal: Goal

    init(seed: UInt64, policies: Int) throws {
      var random = SeededGenerator(seed: seed)
      let persons = random.integer(2...9)
      people = (0..<random.integer(9...30)).map { "p\($0 % persons)" }
      let days = people.count
      tallies = (0..<policies)
        .map { _ in
          let quality = random.uniform(2...9)
          let noise = random.uniform(0...6)
          return (0..<days)
            .map { _ in
              SearchTests.tally(
                found: min(10, max(0, Int(quality + random.uniform(-2...2)))),
                alarms: min(100, max(0, Int(noise + random.uniform(-2...2))))
              )
            }
        }
      goal = try Goal("fpr<=0.03 then max recall_5min")
    }

    var candidates: [Candidate] {
      tallies.indices.map { Candidate([.init(name: "persistence.arrival", value: "\($0)s")]) }
    }

    func folds(_ wanted: Int = 5) -> Folds { Folds(people: people, wanted: wanted, seed: 3) }

    /// Runs a search; `isBackward` takes the items in from the last to the first.
    func run(_ method: SearchMethod, isBackward: Bool = false) -> (search: Search, trials: Int) {
      var search = Search(
        candidates,
        days: people.count,
        folds: folds(),
        goal: goal,
        method: method,
        seed: 9
      )
      var trials = 0
      while let items = search.next() {
        for item in isBackward ? items.reversed() : items {
          trials += item.days.count
          search.take(item, item.days.map { tallies[item.candidate][$0] })
        }
      }
      return (search, trials)
    }

    /// The best policy on some days, by trying all.
    func best(on days: [Int]) -> Int {
      let ranks = tallies.map { own in
        let sum = total(days.map { own[$0] })
        return goal.rank { $0.value(of: sum) }
      }
      return ranks.indices.min { (ranks[$0], $0) < (ranks[$1], $1) } ?? 0
    }
  }

  @Test func `a full search finds what trying everything finds, for each group of people`() throws {
    for seed in 0..<60 as Range<UInt64> {
      let world = try World(seed: seed, policies: 12)
      let (search, trials) = world.run(.grid)
      #expect(trials == 12 * world.people.count, "seed \(seed)")
      #expect(search.ranked[0] == world.best(on: Array(world.people.indices)), "seed \(seed)")
      let leftOut = try #require(search.leftOut, "seed \(seed)")
      for fold in 0..<search.folds.count {
        let others = world.people.indices.filter { search.folds.ofDay[$0] != fold }
        #expect(leftOut.chosen[fold] == world.best(on: others), "seed \(seed)")
      }
      for day in world.people.indices {
        let chosen = leftOut.chosen[search.folds.ofDay[day]]
        #expect(leftOut.days[day] == world.tallies[chosen][day], "seed \(seed)")
      }
    }
  }

  @Test func `nobody is scored by a policy that was chosen on their days`() throws {
    var changed = 0
    for seed in 0..<60 as Range<UInt64> {
      for method in SearchMethod.allCases {
        let world = try World(seed: seed, policies: 40)
        let before = world.run(method).search
        // The days of the first group turn into their opposite.
        var other = world
        for day in world.people.indices where before.folds.ofDay[day] == 0 {
          for policy in other.tallies.indices {
            let found = 10 - Int(other.tallies[policy][day][.longVisitsFound])
            other.tallies[policy][day] = Self.tally(found: found, alarms: policy)
          }
        }
        let after = other.run(method).search
        #expect(
          before.leftOut?.chosen[0] == after.leftOut?.chosen[0],
          "seed \(seed) \(method)"
        )
        if before.ranked[0] != after.ranked[0] { changed += 1 }
      }
    }
    // The same change does move the choice for everybody.
    #expect(changed > 60)
  }

  @Test func `what breaks the limits on people left out of the choice is not better`() throws {
    var world = try World(seed: 1, policies: 3)
    world.people = (0..<30).map { "p\($0 % 3)" }
    func result(alarms: Int) throws -> TuningResult {
      // Each policy is quiet on the people it is chosen on, and loud on those of one group.
      let folds = world.folds()
      world.tallies = (0..<3)
        .map { policy in
          folds.ofDay.map { Self.tally(found: 9, alarms: $0 == policy ? alarms : 0) }
        }
      let days = world.people.count
      return TuningResult(
        world.run(.grid).search,
        PolicySpace([Knob(name: "persistence.arrival", domain: .values(["0s", "1s", "2s"]))]),
        method: .grid,
        seed: 9,
        base: (0..<days).map { Self.tally(found: 5, alarms: $0 % 2) },
        effects: [],
        draws: DayDraws(days: days, seed: 9)
      )
    }
    let kept = try result(alarms: 2)
    #expect(kept.verdict == .better && kept.unkeptLeftOut.isEmpty)
    let broken = try result(alarms: 8)
    #expect(broken.unkept.isEmpty && (broken.gain?.low ?? 0) > 0.3)
    #expect(broken.verdict == .todayStays)
    #expect(broken.unkeptLeftOut.map(\.metric) == [.falsePositiveRate])
    #expect(TuningText.text(broken).contains("not chosen on the best does not keep the limits: "))
    #expect(TuningJSON().text(broken).contains(#""is_within_limits":false"#))
  }

  @Test(arguments: [1, 4, 6])
  func `of a few days nobody can say whether a gain is chance`(days: Int) throws {
    var world = try World(seed: 1, policies: 2)
    world.people = (0..<days).map { _ in "p" }
    world.tallies = [5, 9]
      .map { found in (0..<days).map { _ in Self.tally(found: found, alarms: 0) } }
    let result = TuningResult(
      world.run(.grid).search,
      PolicySpace([Knob(name: "persistence.arrival", domain: .values(["0s", "1s"]))]),
      method: .grid,
      seed: 9,
      base: (0..<days).map { _ in Self.tally(found: 5, alarms: 0) },
      effects: [],
      draws: DayDraws(days: days, seed: 9)
    )
    let words = "of \(days == 1 ? "one day" : "\(days) days") nobody can say"
    let text = TuningText.text(result)
    #expect(result.verdict == (days < 6 ? .todayStays : .better))
    #expect(text.contains(words) == (days < 6), "\(text)")
    #expect(text.contains("4 days are too few for intervals") == (days == 4), "\(text)")
  }

  @Test func `the order in which trials end changes nothing`() throws {
    for seed in 0..<40 as Range<UInt64> {
      for method in SearchMethod.allCases {
        let world = try World(seed: seed, policies: 40)
        let (plain, backward) = (world.run(method), world.run(method, isBackward: true))
        #expect(plain.search.ranked == backward.search.ranked, "seed \(seed)")
        #expect(plain.search.leftOut?.chosen == backward.search.leftOut?.chosen, "seed \(seed)")
        #expect(plain.trials == backward.trials)
      }
    }
  }

  @Test func `halving tries less and chooses nearly as well`() throws {
    var (trials, all, loss) = (0, 0, 0.0)
    for seed in 0..<40 as Range<UInt64> {
      let world = try World(seed: seed, policies: 60)
      let (search, tried) = world.run(.halving)
      trials += tried
      all += 60 * world.people.count
      func recall(_ policy: Int) -> Double {
        Metric.recall5min.value(of: total(world.tallies[policy])) ?? 0
      }
      let chosen = search.ranked[0]
      #expect(search.days(of: chosen) == world.tallies[chosen], "seed \(seed)")
      loss += recall(world.best(on: Array(world.people.indices))) - recall(chosen)
    }
    #expect(Double(trials) < 0.62 * Double(all), "\(trials) of \(all)")
    #expect(loss / 40 < 0.03, "\(loss / 40)")
  }

  @Test func `each person is in one group, and groups have about as many days`() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let people = (0..<random.integer(1...90)).map { _ in "p\(random.integer(0...25))" }
      let folds = Folds(people: people, wanted: random.integer(2...12), seed: seed)
      #expect(folds.personCount == Set(people).count)
      #expect((folds.count == 1) == (folds.personCount == 1))
      for (person, group) in zip(people, folds.ofDay) {
        #expect((0..<folds.count).contains(group))
        let own = zip(people, folds.ofDay).filter { $0.0 == person }.map(\.1)
        #expect(Set(own).count == 1, "seed \(seed)")
      }
      let sizes = (0..<folds.count).map { group in folds.ofDay.count { $0 == group } }
      let most = people.map { person in people.count { $0 == person } }.max() ?? 0
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= most, "seed \(seed): \(sizes)")
    }
  }

  @Test func `one person leaves nobody to test on`() throws {
    let world = try World(seed: 1, policies: 5)
    let folds = Folds(people: world.people.map { _ in "p" }, wanted: 10, seed: 1)
    var search = Search(
      world.candidates,
      days: world.people.count,
      folds: folds,
      goal: world.goal,
      method: .grid,
      seed: 1
    )
    while let items = search.next() {
      for item in items { search.take(item, item.days.map { world.tallies[item.candidate][$0] }) }
    }
    #expect(search.leftOut == nil)
    #expect(search.ranked.count == 5)
  }

  @Test func `the front holds what nothing beats`() {
    for seed in 0..<80 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let losses = (0..<random.integer(1...40))
        .map { _ in (0..<3).map { _ in Double(random.integer(0...6)) } }
      let front = paretoFront(losses)
      func beats(_ a: [Double], _ b: [Double]) -> Bool {
        zip(a, b).allSatisfy { $0 <= $1 } && a != b
      }
      for i in losses.indices {
        let isBeaten = losses.contains { beats($0, losses[i]) }
        let isTwin = losses[..<i].contains(losses[i])
        #expect(front.contains(i) == (!isBeaten && !isTwin), "seed \(seed), \(i)")
      }
    }
  }

  @Test func `policies that differ by chance cannot be told apart, others can`() {
    var random = SeededGenerator(seed: 4)
    let days = 60
    let draws = DayDraws(days: days, seed: 1)
    let plain = (0..<days).map { _ in Self.tally(found: random.integer(5...8), alarms: 3) }
    // On half of the days one visit more, on the other half one less.
    let shuffled = plain.enumerated()
      .map { Self.tally(found: Int($1[.longVisitsFound]) + ($0 % 2 == 0 ? 1 : -1), alarms: 3) }
    let better = plain.map { Self.tally(found: Int($0[.longVisitsFound]) + 1, alarms: 3) }
    #expect(draws.difference(.recall5min, from: plain, to: shuffled)?.mayBeNone == true)
    let gain = draws.difference(.recall5min, from: plain, to: better)
    #expect(gain?.mayBeNone == false)
    // Paired: the days' own ups and downs cancel, one visit in ten is gained on every draw.
    #expect(gain.map { abs($0.value - 0.1) < 1e-9 && abs($0.low - 0.1) < 1e-9 } == true)
  }

  @Test func `a knob's effect is a sentence with signs that fit their words`() {
    let draws = DayDraws(days: 60, seed: 1)
    let before = (0..<60).map { _ in Self.tally(found: 8, alarms: 3) }
    let after = (0..<60).map { _ in Self.tally(found: 7, alarms: 1) }
    let effect = KnobEffect(
      knob: "persistence.arrival",
      from: "60s",
      to: "120s",
      before: before,
      after: after,
      draws
    )
    #expect(
      effect.sentence(hasIntervals: true) == """
        persistence.arrival 60s → 120s: 14.0 fewer false arrivals a week [14.0 … 14.0], told at the \
        same time [0 … 0], 60 of 600 visits lost [60 … 60]
        """,
      "\(effect.sentence(hasIntervals: true))"
    )
    #expect(
      effect.sentence(hasIntervals: false) == """
        persistence.arrival 60s → 120s: 14.0 fewer false arrivals a week, told at the same time, 60 \
        of 600 visits lost
        """
    )
  }

  @Test(arguments: [
    (false, "400s", ["300s", "500s"]), (false, "50s", ["1s", "150s"]), (false, "1001s", ["901s"]),
    // A tenth of the way from 1 to 1,001 in factors is 1.995: never a thousand times as much in one step.
    (true, "2s", ["1.002s", "3.991s"]), (true, "100s", ["50.11s", "199.5s"]),
    (true, "1.2s", ["1s", "2.395s"]), (true, "1001s", ["501.6s"]),
  ])
  func `a step within a range is a tenth of it, in factors where it has these`(
    isLogarithmic: Bool,
    value: String,
    others: [String]
  ) {
    let domain = Knob.Domain.range(1...1_001, isLogarithmic: isLogarithmic, unit: "s")
    let space = PolicySpace([Knob(name: "persistence.arrival", domain: domain)])
    let candidate = Candidate([.init(name: "persistence.arrival", value: value)])
    #expect(TuningResult.neighbors(of: candidate, in: space).map(\.to) == others)
  }

  @Test func `a goal goes without the limits of what nobody knows`() throws {
    let goal = try Goal("fpr<=0.02, own_false_per_day<=0.05 then max recall_5min")
    let kept = try #require(goal.withoutLimits(on: [.ownFalsePerDay, .ownRepeatsPerDay]))
    #expect(kept.limits.map(\.metric) == [.falsePositiveRate])
    #expect(kept.metric == .recall5min && kept.isMost)
    #expect(try Goal(kept.text) == kept)
    #expect(kept.withoutLimits(on: [.ownFalsePerDay]) == nil)
    let plain = try #require(try Goal("recall>=0.5 then min fpr").withoutLimits(on: [.recall]))
    #expect(plain.text == "min fpr")
  }

  @Test func `a goal says limits and what is to be best`() throws {
    let goal = try Goal("fpr <= 2%, false_per_day<1 then max recall_5min")
    #expect(goal.limits.map(\.metric) == [.falsePositiveRate, .falsePerDay])
    #expect(goal.metric == .recall5min && goal.isMost)
    #expect(try Goal("min delay_median").limits.isEmpty)
    for text in [
      "", "recall", "max", "best recall", "fpr<=0.02 max recall", "fpr<=0.02 then max",
      "then max recall", "fpr<=x then max recall", "fpr<=0.02 then max recal",
    ] {
      #expect(throws: RequirementError.self, "\(text)") { try Goal(text) }
    }
    func rank(_ fpr: Double, _ recall: Double) -> Goal.Rank {
      goal.rank {
        switch $0 {
        case .falsePositiveRate: fpr
        case .recall5min: recall
        case .falsePerDay: 0.5
        default: nil
        }
      }
    }
    #expect(rank(0.02, 0.5) < rank(0.021, 0.9))
    #expect(rank(0.02, 0.6) < rank(0.01, 0.5))
    #expect(rank(0.03, 0.1) < rank(0.04, 0.9))
    #expect(rank(0.01, 0.5) < rank(0.02, 0.5))
  }
}
