import Basics
import Scoring

/// People in groups that are left out in turn, so that no one is scored by a policy that was chosen
/// on their own days.
package struct Folds: Hashable, Sendable {
  /// By day: the group of its person.
  package let ofDay: [Int]
  /// How many groups there are; fewer than two means none.
  package let count: Int
  /// How many people there are.
  package let personCount: Int

  /// Deals people into groups that have about as many days each.
  ///
  /// People come in an order drawn from the seed, those with many days first, each to the group
  /// that has the fewest days so far.
  package init(people: [String], wanted: Int, seed: UInt64) {
    let names = Set(people).sorted()
    personCount = names.count
    count = names.count < 2 ? 1 : min(max(wanted, 1), names.count)
    var random = SplitMix64(seed: seed)
    var drawn: [(name: String, days: Int, draw: UInt64)] = []
    for name in names {
      drawn.append((name, people.count { $0 == name }, random.next()))
    }
    drawn.sort { (-$0.days, $0.draw, $0.name) < (-$1.days, $1.draw, $1.name) }
    var sizes = [Int](repeating: 0, count: count)
    var group: [String: Int] = [:]
    for person in drawn {
      let smallest = sizes.indices.min { (sizes[$0], $0) < (sizes[$1], $1) } ?? 0
      group[person.name] = smallest
      sizes[smallest] += person.days
    }
    ofDay = people.map { group[$0] ?? 0 }
  }
}
