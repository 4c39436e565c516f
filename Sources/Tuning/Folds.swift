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

  /// Who lived each day, for ``init(people:wanted:seed:)``.
  ///
  /// People of two corpora may be namesakes; they are one where both lived the very same day, of which each corpus has
  /// what another phone recorded (`nearme simulate --again`).
  ///
  /// - Parameters:
  ///   - days: what was true, with the corpus whose name the names of day and person begin with; nil for none.
  ///   - twins: for each day one before it that has the very same trace, which makes them one person's; nil for none.
  /// - Returns: for each day a name that its person has on all days.
  package static func people(
    _ days: [(truth: DayTruth, corpus: String?)],
    twins: [Int?] = []
  ) -> [String] {
    var lived: [DayTruth: String] = [:]
    var same: [String: String] = [:]
    func first(_ name: String) -> String {
      var name = name
      while let other = same[name] { name = other }
      return name
    }
    func join(_ one: String, _ two: String) {
      let (one, two) = (first(one), first(two))
      if one != two { same[two] = one }
    }
    for (truth, corpus) in days where corpus != nil {
      let day = asLived(truth, corpus)
      if let other = lived[day] {
        join(other, truth.person)
      } else {
        lived[day] = truth.person
      }
    }
    for (i, twin) in twins.enumerated() {
      if let twin { join(days[twin].truth.person, days[i].truth.person) }
    }
    return days.map { first($0.truth.person) }
  }

  /// Which days were lived, for intervals: several phones may have recorded one, and one recording may be there twice.
  ///
  /// One person lives one day at a time, so of one corpus, too, days of one person that are alike to the second are one,
  /// whatever they are called. Two people who live alike are two.
  ///
  /// - Parameters: as for ``people(_:twins:)``.
  /// - Returns: for each day the number of the first that was the same.
  package static func lived(
    _ days: [(truth: DayTruth, corpus: String?)],
    twins: [Int?] = []
  ) -> [Int] {
    var numbers: [DayTruth: Int] = [:]
    var lived: [Int] = []
    for (i, (truth, corpus)) in days.enumerated() {
      var day = asLived(truth, corpus)
      day.id = ""
      let known = twins.indices.contains(i) ? twins[i].map { lived[$0] } : nil
      let number = known ?? numbers[day] ?? i
      numbers[day] = numbers[day] ?? number
      lived.append(number)
    }
    return lived
  }

  /// What was lived, without the name of the corpus and what the phone makes of it.
  private static func asLived(_ truth: DayTruth, _ corpus: String?) -> DayTruth {
    var day = truth
    if let corpus {
      day.id.removeFirst(corpus.count + 1)
      day.person.removeFirst(corpus.count + 1)
    }
    (day.noise, day.sampling, day.gaps) = ("", "", [])
    return day
  }

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
