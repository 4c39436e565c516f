import NearMeEngine
import Timeline

/// A replay of a day beside its visits.
struct JudgedRun: Sendable {
  let run: DayRun
  let visits: [TargetVisit]
  let arrivals: [Announcement]
  let matching: Matching

  init(_ run: DayRun, _ visits: [TargetVisit]) {
    self.run = run
    self.visits = visits
    arrivals = run.announcements(of: .arrival)
    matching = Matching(arrivals, with: visits)
  }

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

  /// Which encounters an announcement speaks of: those during which it came (3 min before to 2 min
  /// after, as for visits).
  static func present(at instant: Timestamp, among encounters: [Encounter]) -> [Encounter] {
    encounters.filter { Matching.window(from: $0.from, to: $0.to).contains(instant) }
  }

  /// The same for an untrue announcement; if nothing was there, the last one that was over.
  static func met(by instant: Timestamp, among encounters: [Encounter]) -> [Encounter] {
    let present = present(at: instant, among: encounters)
    if !present.isEmpty { return present }
    let past = encounters.filter { $0.to < instant && instant - $0.to <= latest }
    return past.max { ($0.to, $0.kind.rawValue, $0.poi) < ($1.to, $1.kind.rawValue, $1.poi) }
      .map { [$0] } ?? []
  }
}
