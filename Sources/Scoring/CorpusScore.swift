/// The scores of many person-days, with intervals, as a whole and by parts.
public struct CorpusScore: Sendable {
  /// The scores of a part.
  public struct Part: Sendable {
    /// Which part.
    public let slice: Slice
    /// The sums behind the scores.
    public let total: Tally
    /// Whether the lived days that say something of it are enough for intervals.
    public let hasIntervals: Bool
    private let estimates: [Metric: Estimate]

    init(_ slice: Slice, _ days: [Tally], lived: [Int], seed: UInt64, resamples: Int) {
      self.slice = slice
      total = Scoring.total(days)
      hasIntervals = Set(lived).count >= DayDraws.fewest
      estimates =
        days.isEmpty
        ? [:]
        : DayDraws(lived: lived, seed: seed, resamples: resamples)
          .estimates(Metric.allCases, days)
    }

    /// A score; nil where nothing was to be scored.
    public subscript(metric: Metric) -> Estimate? { estimates[metric] }
  }

  /// The person-days, in the order in which they were given.
  public let days: [String]
  /// How many days were lived: fewer, where several phones recorded one.
  public let livedCount: Int
  /// Whether these are enough for intervals.
  public var hasIntervals: Bool { livedCount >= DayDraws.fewest }
  /// How many people they are of.
  public let personCount: Int
  /// Under how many draws of chance each was replayed.
  public let draws: Int
  /// Everything first, then the parts in order.
  public let parts: [Part]
  /// One line for each visit and each notification, in order of days.
  public let ledger: [LedgerEntry]
  /// Places of the truth that reminders ask for and the cache does not have, with the number of days that name them.
  public let absentPOIs: [(poi: String, days: Int)]
  /// Categories of the truths' visits that no reminder of their day asks for, sorted.
  public let unaskedCategories: [String]
  /// How many fixes were left out because the truth of their day does not speak of their time, and of how many days.
  public let fixesOutside: (fixes: Int, days: Int)
  /// Of how many days the truth says nothing of stays, and so nothing of places of one's own.
  public let daysWithoutStays: Int
  /// How many words told outside of their day are left out, for its truth does not say what was so then.
  public let wordsUnjudged: Int
  /// How many visits are left out that were not told and that the end of their day cuts off.
  public let visitsCutShort: Int
  /// Homes and places of work that no stay of their kind lies at, with how far the nearest is off and on how many days.
  public let placesOffStays: [(place: String, meters: Double, days: Int)]

  /// How many times a corpus is drawn for intervals; the ends then vary by about a tenth of the
  /// interval's width from seed to seed.
  public static let resamples = 1_000

  /// Adds up days.
  ///
  /// - Parameter seed: of the draws for intervals.
  /// - Parameter personCount: how many people the days are of; nil where names tell.
  /// - Parameter lived: for each, by any number, which day that was lived it is a recording of; nil: each of its own.
  public init(
    _ scores: [DayScore],
    seed: UInt64,
    personCount: Int? = nil,
    lived: [Int]? = nil,
    resamples: Int = CorpusScore.resamples
  ) {
    days = scores.map(\.id)
    self.personCount = personCount ?? Set(scores.map(\.person)).count
    draws = scores.first?.draws ?? 1
    let lived = lived ?? Array(scores.indices)
    precondition(lived.count == scores.count, "each score is of a day that was lived")
    livedCount = Set(lived).count
    ledger = scores.flatMap(\.ledger)
    let slices = Set(scores.flatMap { $0.tallies.keys }).union([.all]).sorted()
    parts = slices.map { slice in
      let tallies = zip(lived, scores)
        .compactMap { day, score -> (day: Int, tally: Tally)? in
          var tally = score.tallies[slice]
          switch slice.dimension {
          case .noise, .sampling: break
          case .own where score.unjudged.isWithoutStays: return nil
          case .all, .own, .mode, .target:
            // A day without cycling is a day without a false arrival by bicycle.
            tally = tally ?? Tally()
            tally?[.days] = Double(score.draws)
          }
          return tally.map { (day, $0) }
        }
      return Part(
        slice,
        tallies.map(\.tally),
        lived: tallies.map(\.day),
        seed: seed,
        resamples: resamples
      )
    }
    var absent: [String: Int] = [:]
    for poi in scores.flatMap(\.absentPOIs) { absent[poi, default: 0] += 1 }
    absentPOIs = absent.keys.sorted().map { ($0, absent[$0] ?? 0) }
    unaskedCategories = Set(scores.flatMap(\.unaskedCategories)).sorted()
    let outside = scores.map(\.fixesOutside).filter { $0 > 0 }
    fixesOutside = (outside.reduce(0, +), outside.count)
    let unjudged = scores.map(\.unjudged)
    daysWithoutStays = unjudged.count(where: \.isWithoutStays)
    wordsUnjudged = unjudged.reduce(0) { $0 + $1.words }
    visitsCutShort = unjudged.reduce(0) { $0 + $1.visits }
    placesOffStays = PersonDay.sumsOffStays(
      unjudged.flatMap(\.placesOffStays).map { ($0.place, $0.meters) }
    )
  }

  /// Everything, the person's own places aside.
  public var whole: Part { parts[0] }

  /// The person's own places; nil where no day has a reminder of one.
  public var own: Part? { parts.first { $0.slice == .own } }

  /// The ledger as counts, in the order of the causes; causes that do not occur are left out.
  public func causes(
    of subject: LedgerEntry.Subject
  ) -> [(cause: Cause, count: Int, share: Double)] {
    let entries = ledger.filter { $0.subject == subject }
    return Cause.allCases.compactMap { cause in
      let count = entries.count { $0.cause == cause }
      return count == 0 ? nil : (cause, count, Double(count) / Double(entries.count))
    }
  }
}
