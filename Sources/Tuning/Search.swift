import Basics
import Scoring

/// How policies are tried.
package enum SearchMethod: String, Hashable, Sendable, CaseIterable {
  /// Every policy of the space, on every day.
  case grid
  /// So many that are drawn, on every day.
  case random
  /// So many that are drawn: all on a ninth of the days, the better third of them on a third, and of
  /// these the better third on every day.
  case halving
}

/// A search under way: says which policy is to be tried on which days, and learns what came of it.
///
/// Pure: it tries nothing itself, so the order in which its caller does it, and on how many threads,
/// changes nothing. What it chooses depends on the tallies alone.
///
/// It is made for all people and, in the same run, without each group of people in turn: what is
/// reported of a policy on people that it was not chosen on is honest also where a search leaves
/// most policies aside early.
package struct Search: Sendable {
  /// A policy and days that it is to be tried on.
  package struct Item: Hashable, Sendable {
    /// Which policy, by its place among the candidates.
    package let candidate: Int
    /// Which days, ascending.
    package let days: [Int]
  }

  /// A search on a part of the people.
  private struct View: Sendable {
    /// The days that may be looked at, in the order in which they are.
    let days: [Int]
    var survivors: [Int]
  }

  /// The policies.
  package let candidates: [Candidate]
  /// The groups of people.
  package let folds: Folds
  /// What is looked for.
  package let goal: Goal
  /// The shares of the days that are looked at, one after the other.
  private let shares: [Double]
  private var round = 0
  /// All people first, then without each group.
  private var views: [View]
  private var tallies: [[Tally?]]
  private var isAwaiting = false

  /// One in so many policies is tried on more days.
  private static let keptOf = 3
  /// This many or fewer are no longer thinned out.
  private static let fewest = 8

  /// Prepares a search.
  ///
  /// - Parameter seed: draws the order in which a halving search looks at days.
  package init(
    _ candidates: [Candidate],
    days: Int,
    folds: Folds,
    goal: Goal,
    method: SearchMethod,
    seed: UInt64
  ) {
    precondition(days == folds.ofDay.count && days > 0, "there are days, each in a group")
    self.candidates = candidates
    self.folds = folds
    self.goal = goal
    shares = method == .halving ? [1.0 / 9, 1.0 / 3, 1] : [1]
    var random = SplitMix64(seed: seed)
    let order = (0..<days).map { (draw: random.next(), day: $0) }
      .sorted { ($0.draw, $0.day) < ($1.draw, $1.day) }
      .map(\.day)
    let all = Array(candidates.indices)
    views = [View(days: order, survivors: all)]
    if folds.count > 1 {
      for fold in 0..<folds.count {
        views.append(View(days: order.filter { folds.ofDay[$0] != fold }, survivors: all))
      }
    }
    tallies = candidates.map { _ in [Tally?](repeating: nil, count: days) }
  }

  /// How many trials of a policy on a day there will be at most, for showing how far a search is.
  package var mostTrials: Int {
    let days = views[0].days.count
    var trials = 0
    var left = candidates.count
    for share in shares {
      trials = max(trials, 0) + left * (Int((Double(days) * share).rounded(.up)))
      left = max(Self.fewest, left / Self.keptOf)
    }
    return min(trials, candidates.count * days)
  }

  /// What is to be tried next; nil at the end.
  ///
  /// Every item must be taken in by ``take(_:_:)`` before it is asked again.
  package mutating func next() -> [Item]? {
    while round <= shares.count {
      if isAwaiting { finishRound() }
      let items = round < shares.count ? roundItems() : leftOutItems()
      isAwaiting = true
      if !items.isEmpty { return items }
    }
    return nil
  }

  /// Takes in what came of an item: one tally for each of its days.
  package mutating func take(_ item: Item, _ results: [Tally]) {
    precondition(results.count == item.days.count, "one tally for each day of an item")
    for (day, tally) in zip(item.days, results) { tallies[item.candidate][day] = tally }
  }

  private func looked(_ view: View) -> ArraySlice<Int> {
    view.days.prefix(max(1, Int((Double(view.days.count) * shares[round]).rounded(.up))))
  }

  private func roundItems() -> [Item] {
    var wanted = [Set<Int>](repeating: [], count: candidates.count)
    for view in views {
      let days = looked(view)
      for candidate in view.survivors {
        for day in days where tallies[candidate][day] == nil { wanted[candidate].insert(day) }
      }
    }
    return items(wanted)
  }

  /// What was chosen without a group is tried on that group.
  private func leftOutItems() -> [Item] {
    var wanted = [Set<Int>](repeating: [], count: candidates.count)
    for fold in 0..<(views.count - 1) {
      guard let chosen = views[fold + 1].survivors.first else { continue }
      for day in folds.ofDay.indices where folds.ofDay[day] == fold {
        if tallies[chosen][day] == nil { wanted[chosen].insert(day) }
      }
    }
    return items(wanted)
  }

  private func items(_ wanted: [Set<Int>]) -> [Item] {
    wanted.indices.filter { !wanted[$0].isEmpty }
      .map { Item(candidate: $0, days: wanted[$0].sorted()) }
  }

  private mutating func finishRound() {
    isAwaiting = false
    defer { round += 1 }
    guard round < shares.count else { return }
    for v in views.indices {
      let days = looked(views[v]).sorted()
      let ranked = views[v].survivors.map { ($0, rank($0, days)) }
        .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
        .map(\.0)
      let kept =
        round + 1 < shares.count
        ? max(Self.fewest, ranked.count / Self.keptOf) : ranked.count
      views[v].survivors = Array(ranked.prefix(kept))
    }
  }

  private func rank(_ candidate: Int, _ days: [Int]) -> Goal.Rank {
    let sum = total(days.compactMap { tallies[candidate][$0] })
    return goal.rank { $0.value(of: sum) }
  }

  // MARK: Outcome

  /// The policies that were tried on every day, the best first; after the end.
  package var ranked: [Int] { views[0].survivors }

  /// What a policy came to, day by day.
  ///
  /// - Returns: nil if it was not tried on every day.
  package func days(of candidate: Int) -> [Tally]? {
    let days = tallies[candidate].compactMap(\.self)
    return days.count == folds.ofDay.count ? days : nil
  }

  /// What was chosen without each group of people, and what came of it day by day on those that were
  /// left out; nil with fewer than two groups.
  package var leftOut: (chosen: [Int], days: [Tally])? {
    guard views.count > 1 else { return nil }
    let chosen = views.dropFirst().map { $0.survivors[0] }
    let days = folds.ofDay.indices.compactMap { tallies[chosen[folds.ofDay[$0]]][$0] }
    return days.count == folds.ofDay.count ? (chosen, days) : nil
  }
}
