import Timeline

/// Which announcement tells of which visit.
///
/// An announcement is true if a visit to its target covers its instant, starts within 3 min after
/// it, or ended within 2 min before it. Each visit is used once: a further announcement that only
/// used visits could excuse is a repeat.
///
/// Announcements are taken in order of time, then of reminder and point, so their order in the list
/// changes nothing. Of several visits, the one whose point is named comes first, then the one that
/// covers the instant, then the one that is about to start, then the earliest.
public struct Matching: Hashable, Sendable {
  /// What an announcement turned out to be.
  public enum Verdict: Hashable, Sendable {
    /// The first word of a visit, by its index.
    case found(visit: Int)
    /// Another word of a visit.
    case repeated(visit: Int)
    /// There was no visit.
    case untrue
  }

  /// An announcement may come so long before its visit.
  public static let early = Milliseconds.minutes(3)
  /// And so long after it.
  public static let after = Milliseconds.minutes(2)

  /// By announcement, in the order in which they were given.
  public let verdicts: [Verdict]
  /// By visit: the announcement that told of it first.
  public let told: [Int?]

  /// Matches announcements of one kind with visits.
  public init(_ announcements: [Announcement], with visits: [TargetVisit]) {
    var verdicts = [Verdict](repeating: .untrue, count: announcements.count)
    var told = [Int?](repeating: nil, count: visits.count)
    let order = announcements.indices.sorted {
      Announcement.precedes(announcements[$0], announcements[$1])
    }
    for index in order {
      let announcement = announcements[index]
      let excuses = visits.indices
        .filter { Self.excuses(visits[$0], announcement) }
        .sorted { Self.isBetter(visits[$0], visits[$1], for: announcement) }
      if let visit = excuses.first(where: { told[$0] == nil }) {
        told[visit] = index
        verdicts[index] = .found(visit: visit)
      } else if let visit = excuses.first {
        verdicts[index] = .repeated(visit: visit)
      }
    }
    self.verdicts = verdicts
    self.told = told
  }

  private static func excuses(_ visit: TargetVisit, _ announcement: Announcement) -> Bool {
    visit.reminder == announcement.reminder
      && window(from: visit.arrive, to: visit.leave).contains(announcement.at)
  }

  /// The instants at which an announcement of something counts.
  static func window(from start: Timestamp, to end: Timestamp) -> ClosedRange<Timestamp> {
    (start - early)...(end + after)
  }

  private static func isBetter(
    _ a: TargetVisit,
    _ b: TargetVisit,
    for announcement: Announcement
  ) -> Bool {
    func key(_ visit: TargetVisit) -> (Int, Int, Timestamp, String) {
      let isNamed = visit.poi == announcement.poi
      let relation =
        visit.arrive > announcement.at ? 1 : visit.leave < announcement.at ? 2 : 0
      return (isNamed ? 0 : 1, relation, visit.arrive, visit.poi ?? "")
    }
    return key(a) < key(b)
  }
}
