import NearMeEngine
import Timeline

/// A replay of a day beside its visits.
struct JudgedRun: Sendable {
  let run: DayRun
  let visits: [TargetVisit]
  /// Those that the truth says enough for.
  let arrivals: [Announcement]
  let matching: Matching
  /// Post-arrivals beside the visits of five minutes or more.
  let posts: Posts
  /// How many arrivals and post-arrivals are left out because they came when the day was not yet, or no longer.
  let wordsOutside: Int

  /// Post-arrivals beside the visits that they are for.
  struct Posts: Sendable {
    let visits: [TargetVisit]
    let told: [Announcement]
    let matching: Matching
  }

  init(_ run: DayRun, _ visits: [TargetVisit], of day: PersonDay) {
    self.run = run
    self.visits = visits
    let unknown = day.isWithoutStays ? day.ownReminders : []
    let longVisits = visits.filter(\.isLong)
    var outside = 0
    /// Leaves out what nobody knows to be true or untrue: that says nothing of the policy.
    func judged(
      _ kind: NotificationKind,
      _ visits: [TargetVisit]
    ) -> (told: [Announcement], matching: Matching) {
      let told = run.announcements(of: kind)
      let matching = Matching(told, with: visits)
      var known: [Announcement] = []
      for (announcement, verdict) in zip(told, matching.verdicts) {
        if unknown.contains(announcement.reminder) { continue }
        if verdict == .untrue, !day.judges(announcement) {
          outside += 1
        } else {
          known.append(announcement)
        }
      }
      return known.count == told.count
        ? (told, matching) : (known, Matching(known, with: visits))
    }
    (arrivals, matching) = judged(.arrival, visits)
    let posts = judged(.postArrival, longVisits)
    self.posts = Posts(visits: longVisits, told: posts.told, matching: posts.matching)
    wordsOutside = outside
  }

  /// Whether a visit's word may have come when the day was over: it was not told by then.
  func isCutOff(_ visit: Int) -> Bool { visits[visit].isCutShort && !finds(visit) }

  func finds(_ visit: Int) -> Bool { matching.told[visit] != nil }

  func repeats(_ visit: Int) -> Bool { matching.verdicts.contains(.repeated(visit: visit)) }

  /// Whether a reminder's arrival was told near an instant.
  func tells(_ kind: NotificationKind, of reminder: String, near instant: Timestamp) -> Bool {
    run.announcements.contains {
      $0.tier.kind == kind && $0.reminder == reminder
        && isWithin(JudgedRun.sameEvent, $0.at, instant)
    }
  }

  /// Two replays tell of the same thing if they do so within this span.
  static let sameEvent = Milliseconds.minutes(5)
}

/// Whether two instants are at most a span apart.
func isWithin(_ span: Milliseconds, _ a: Timestamp, _ b: Timestamp) -> Bool {
  a <= b + span && b <= a + span
}

/// Approaches beside those of a perfect monitor.
///
/// The perfect monitor is the same policy on the noise-free path, with every position passed on at
/// once. One of its approaches is found by the first unused one of the same reminder and tier within
/// ``window`` of it.
struct ApproachMatching: Sendable {
  /// Half of a reminder's cooldown: further away lies its next approach.
  static let window = Milliseconds.minutes(15)

  let due: [Announcement]
  let told: [Announcement]
  /// By approach that was due: which was told.
  let found: [Int?]
  /// By approach that was told: which was due.
  let reason: [Int?]

  init(due: [Announcement], told: [Announcement]) {
    let due = due.sorted(by: Announcement.precedes)
    let told = told.sorted(by: Announcement.precedes)
    var found = [Int?](repeating: nil, count: due.count)
    var reason = [Int?](repeating: nil, count: told.count)
    for (i, wanted) in due.enumerated() {
      let match = told.indices.first {
        reason[$0] == nil && told[$0].reminder == wanted.reminder
          && told[$0].tier == wanted.tier && isWithin(Self.window, told[$0].at, wanted.at)
      }
      guard let match else { continue }
      found[i] = match
      reason[match] = i
    }
    self.due = due
    self.told = told
    self.found = found
    self.reason = reason
  }
}

extension Encounter {
  /// A phone may tell of something so long after it is over.
  static let latest = Milliseconds.minutes(60)

  /// Which encounters an announcement speaks of, if any.
  ///
  /// Those with the place that it names come first. Of these it speaks of all that cover its instant
  /// (a wait at the curb is a near stay, too), else of the nearest in time: one that begins at most
  /// 3 min later, or that ended at most `latest` before. So an announcement is one false alarm, not
  /// one for each time that the person passes the place that morning.
  ///
  /// - Parameter others: whether it may speak of another place, if of none with the named one.
  static func met(
    by announcement: Announcement,
    among encounters: [Encounter],
    latest: Milliseconds,
    others: Bool
  ) -> [Encounter] {
    let named = nearest(
      to: announcement.at,
      among: encounters.filter { $0.poi == announcement.poi },
      latest: latest
    )
    guard named.isEmpty, others else { return named }
    return nearest(to: announcement.at, among: encounters, latest: latest)
  }

  private static func nearest(
    to instant: Timestamp,
    among encounters: [Encounter],
    latest: Milliseconds
  ) -> [Encounter] {
    func distance(_ encounter: Encounter) -> Milliseconds {
      max(encounter.from - instant, instant - encounter.to, Milliseconds(0))
    }
    let reachable = encounters.filter {
      $0.from - instant <= Matching.early && instant - $0.to <= latest
    }
    let best = reachable.min {
      (distance($0), $0.kind.rank, $0.poi) < (distance($1), $1.kind.rank, $1.poi)
    }
    guard let best else { return [] }
    guard distance(best) == Milliseconds(0) else { return [best] }
    return reachable.filter { $0.poi == best.poi && distance($0) == Milliseconds(0) }
  }
}

extension Encounter.Kind {
  /// The more that was done there, the lower.
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
