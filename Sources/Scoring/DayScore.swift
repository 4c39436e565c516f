import NearMeEngine
import Places
import Replay
import Timeline

/// A part of a corpus that is scored apart.
public struct Slice: Hashable, Comparable, Sendable {
  /// By what the corpus is cut.
  public enum Dimension: Int, Hashable, Sendable, CaseIterable {
    /// Everything, the person's own places aside.
    case all
    /// The person's own places.
    case own
    /// By noise preset.
    case noise
    /// By sampling.
    case sampling
    /// By transport mode.
    case mode
    /// By category or place.
    case target

    /// The name in output.
    public var name: String {
      switch self {
      case .all: "all"
      case .own: "own"
      case .noise: "noise"
      case .sampling: "sampling"
      case .mode: "mode"
      case .target: "target"
      }
    }
  }

  /// By what the corpus is cut.
  public let dimension: Dimension
  /// Which part.
  public let name: String

  /// Everything, the person's own places aside.
  public static let all = Slice(.all, "all")
  /// The person's own places: home, work and others.
  public static let own = Slice(.own, "own")

  init(_ dimension: Dimension, _ name: String) {
    self.dimension = dimension
    self.name = name
  }

  /// Orders by dimension, then by name.
  public static func < (a: Slice, b: Slice) -> Bool {
    (a.dimension.rawValue, a.name) < (b.dimension.rawValue, b.name)
  }
}

/// What one person-day adds to the scores of a corpus.
public struct DayScore: Sendable {
  /// Name of the person-day.
  public let id: String
  /// Name of the person.
  public let person: String
  /// The sums, by part.
  public let tallies: [Slice: Tally]
  /// One line for each visit and each notification; empty if none was asked for.
  public let ledger: [LedgerEntry]
  /// Places of the truth that reminders ask for and the cache does not have, in order.
  public let absentPOIs: [String]
  /// Categories of the truth's visits that no reminder asks for, sorted.
  public let unaskedCategories: [String]
  /// How many fixes were left out because the truth does not speak of their time.
  public let fixesOutside: Int
  /// What the truth says too little for.
  let unjudged: Unjudged
  /// Under how many draws of chance it was replayed; its sums are those of all.
  public let draws: Int

  /// Scores a day.
  ///
  /// - Parameter keepsLedger: finding causes takes up to seven more replays of the day.
  /// - Complexity: a replay of the fixes and one of the true path.
  public init(
    _ day: PersonDay,
    _ setup: ReplaySetup,
    keepsLedger: Bool
  ) throws(ScoringError) {
    let visits = TargetVisit.all(in: day.truth, of: day.person, catalog: setup.catalog)
    let actual = JudgedRun(
      try DayRun(day.fixes, until: day.end, of: day.person, setup),
      visits,
      of: day
    )
    let truth = JudgedRun(
      try DayRun(
        day.truePathFixes,
        until: day.end,
        of: day.person,
        CauseFinder.setup(setup, .truePath)
      ),
      visits,
      of: day
    )
    let approaches = ApproachMatching(
      due: truth.run.announcements(of: .approach),
      told: actual.run.announcements(of: .approach)
    )
    var counter = DayCounter(day, visits: visits, actual: actual, approaches: approaches)
    counter.countAll(setup)
    id = day.truth.id
    person = day.truth.person
    tallies = counter.tallies
    let asked = Self.askedCategories(of: day.person)
    absentPOIs = Self.absent(day, asked, setup.catalog)
    fixesOutside = day.fixesOutside
    unjudged = Unjudged(day, actual)
    draws = 1
    let visited = Set(day.truth.visits.map(\.category))
    unaskedCategories = visited.subtracting(asked).map(\.name).sorted()
    guard keepsLedger else {
      ledger = []
      return
    }
    var finder = CauseFinder(day, setup, visits, actual: actual, truth: truth)
    ledger = try Self.ledger(
      of: day,
      visits: visits,
      actual: actual,
      approaches: approaches,
      &finder
    )
  }

  /// The same day under several draws of chance: what is counted is added up, and the causes are those of the first.
  ///
  /// - Precondition: there is one at least, and all are of one day.
  public init(together draws: [DayScore]) {
    precondition(
      !draws.isEmpty && draws.allSatisfy { $0.id == draws[0].id },
      "draws of one day, and not of several"
    )
    (id, person, ledger) = (draws[0].id, draws[0].person, draws[0].ledger)
    (absentPOIs, unaskedCategories) = (draws[0].absentPOIs, draws[0].unaskedCategories)
    (fixesOutside, unjudged) = (draws[0].fixesOutside, draws[0].unjudged)
    self.draws = draws.reduce(0) { $0 + $1.draws }
    tallies = draws.dropFirst()
      .reduce(into: draws[0].tallies) { sums, draw in
        sums.merge(draw.tallies) { sum, next in
          var sum = sum
          sum += next
          return sum
        }
      }
  }

  /// The categories whose visits are scored.
  private static func askedCategories(of person: Person) -> Set<CategoryID> {
    Set(
      person.reminders.compactMap {
        if case .category(let category) = $0.target { category } else { nil }
      }
    )
  }

  private static func absent(
    _ day: PersonDay,
    _ asked: Set<CategoryID>,
    _ catalog: POICatalog
  ) -> [String] {
    let named =
      day.truth.visits.map { ($0.poi, $0.category) }
      + day.truth.encounters.map { ($0.poi, $0.category) }
    let absent =
      named.filter {
        asked.contains($0.1) && !TargetVisit.isPoint($0.0, of: $0.1, in: catalog)
      }
      .map(\.0)
    return absent.sorted(by: POICatalog.precedes)
      .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  private static func ledger(
    of day: PersonDay,
    visits: [TargetVisit],
    actual: JudgedRun,
    approaches: ApproachMatching,
    _ finder: inout CauseFinder
  ) throws(ScoringError) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    for (i, visit) in visits.enumerated()
    where !visit.isInitial && !actual.isCutOff(i)
      && day.person.expects(.arrival, of: visit.reminder)
    {
      entries.append(
        LedgerEntry(
          subject: .visit,
          day: day.truth.id,
          reminder: visit.reminder,
          poi: visit.poi,
          at: visit.arrive,
          cause: try finder.cause(ofVisit: i),
          delaySeconds: actual.matching.told[i]
            .map { (actual.arrivals[$0].at - visit.arrive).seconds }
        )
      )
    }
    func entry(
      _ subject: LedgerEntry.Subject,
      _ announcement: Announcement,
      _ cause: Cause,
      since start: Timestamp?
    ) -> LedgerEntry {
      LedgerEntry(
        subject: subject,
        day: day.truth.id,
        reminder: announcement.reminder,
        poi: announcement.poi,
        at: announcement.at,
        cause: cause,
        delaySeconds: start.map { (announcement.at - $0).seconds }
      )
    }
    for (i, announcement) in actual.arrivals.enumerated() {
      let start: Timestamp? =
        if case .found(let visit) = actual.matching.verdicts[i], !visits[visit].isOwnFromBegin {
          visits[visit].arrive
        } else {
          nil
        }
      entries.append(
        entry(.arrival, announcement, try finder.cause(ofArrival: i), since: start)
      )
    }
    let longVisits = actual.posts.visits
    for (announcement, verdict) in zip(actual.posts.told, actual.posts.matching.verdicts) {
      let start: Timestamp? =
        if case .found(let visit) = verdict { longVisits[visit].arrive } else { nil }
      let cause = try finder.cause(ofPostArrival: announcement, verdict, longVisits)
      entries.append(entry(.postArrival, announcement, cause, since: start))
    }
    for (i, announcement) in approaches.told.enumerated() {
      let start = approaches.reason[i].map { approaches.due[$0].at }
      let cause = try finder.cause(ofApproach: i, approaches)
      entries.append(entry(.approach, announcement, cause, since: start))
    }
    return entries
  }
}
