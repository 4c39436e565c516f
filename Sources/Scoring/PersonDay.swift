import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

extension Person {
  /// The categories that a person has a reminder for where nothing else is said.
  public static let categories = ["bank", "gas_station", "grocery", "pharmacy", "post_office"]

  /// A reminder for each of five categories, for home and, if the person has one, for the place of work.
  public init(standardFor truth: DayTruth, zone: UTCOffsetTable) {
    self.init(
      zone: zone,
      home: truth.home,
      work: truth.work,
      categories: Self.categories.map { CategoryID($0) }
    )
  }

  /// When a reminder was done for good: an answer that was taken back is none.
  ///
  /// - Parameter end: later answers are left out.
  func completion(of reminder: String, by end: Timestamp = .endOfTime) -> Timestamp? {
    var done: Timestamp?
    let inOrder = actions.enumerated().filter { $0.element.at <= end }
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    for (_, action) in inOrder {
      if action.kind == .reminder(reminder, .complete) { done = done ?? action.at }
      if action.kind == .reminder(reminder, .reopen) { done = nil }
    }
    return done
  }

  /// Whether a reminder was over before the day began, and has not been taken up again by an instant.
  func wasOver(_ reminder: String, at instant: Timestamp) -> Bool {
    reminders.contains { $0.id == reminder && $0.status != .active }
      && !actions.contains { $0.at <= instant && $0.kind == .reminder(reminder, .reopen) }
  }

  /// Whether a word of a kind is to be expected of a reminder: of one that names its own tiers, of these alone.
  ///
  /// One that names none has those of the policy, which is judged by what it leaves out.
  func expects(_ kind: NotificationKind, of reminder: String) -> Bool {
    guard let tiers = reminders.first(where: { $0.id == reminder })?.tiers else { return true }
    return tiers.contains { $0.kind == kind }
  }

  /// Whether a reminder was muted at an instant.
  func isMuted(_ reminder: String, at instant: Timestamp) -> Bool {
    let initially = reminders.first { $0.id == reminder }?.isMuted ?? false
    let last = actions.enumerated()
      .filter { _, action in
        action.at <= instant
          && (action.kind == .reminder(reminder, .mute)
            || action.kind == .reminder(reminder, .unmute))
      }
      .max { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
    return last.map { $0.element.kind == .reminder(reminder, .mute) } ?? initially
  }
}

/// One day of one person: what the phone saw, what was true, and what the person wanted.
public struct PersonDay: Sendable {
  /// What was true.
  public let truth: DayTruth
  /// Where the person really was.
  public let path: TruePath
  /// What the phone saw while the truth speaks of it.
  public let fixes: [Fix]
  /// How many fixes were left out because the truth does not speak of their time: nobody knows what was true then.
  public let fixesOutside: Int
  /// What the person wanted.
  public let person: Person
  /// Whether the trace stands for the path: nobody knows where the person really was.
  public let isPathUnknown: Bool

  /// Until when the phone went on: it may be silent for hours at the end, at rest, and is not off.
  public var end: Timestamp { max(truth.end, fixes.last?.at ?? truth.end) }

  /// What is said of fixes that were left out; nil for none.
  ///
  /// - Parameter days: of how many days they are.
  package static func sentence(fixesOutside fixes: Int, days: Int) -> String? {
    guard fixes > 0 else { return nil }
    let (what, isOrAre, time) =
      fixes == 1 ? ("fix", "is", "its time is") : ("fixes", "are", "their times are")
    return
      "\(fixes) \(what) of \(days) \(days == 1 ? "day" : "days") \(isOrAre) left out: \(time) more than 10 min "
      + "outside of start_utc and end_utc, and the truth does not say what was so then"
  }

  /// The reminders of places of one's own.
  var ownReminders: Set<String> {
    Set(
      person.reminders.compactMap { reminder in
        if case .place = reminder.target { reminder.id } else { nil }
      }
    )
  }

  /// Whether the truth says enough to call a word untrue that fits no visit.
  ///
  /// Before the day and after it nobody knows what was visited; what was passed shortly before its end is known.
  func judges(_ announcement: Announcement) -> Bool {
    truth.speaks(of: announcement.at)
      || !Encounter.met(
        by: announcement,
        among: truth.encounters,
        latest: Matching.after,
        others: false
      )
      .isEmpty
  }

  /// Where the person really was as fixes without error, as far as the truth speaks of it.
  var truePathFixes: [Fix] { path.fixes.filter { truth.covers($0.at) } }

  /// Puts a day together.
  ///
  /// - Parameter fixes: all of the trace.
  /// - Parameter isPathUnknown: whether the path is no more than what the trace tells of it.
  /// - Throws: ``TruthFault`` if trace, path and truth do not belong together.
  public init(
    truth: DayTruth,
    path: TruePath,
    fixes: [Fix],
    person: Person,
    isPathUnknown: Bool = false
  ) throws(TruthFault) {
    self.isPathUnknown = isPathUnknown
    self.truth = truth
    self.path = path
    self.fixes = fixes.filter { truth.covers($0.at) }
    fixesOutside = fixes.count - self.fixes.count
    self.person = person
    guard let first = fixes.first else { throw .emptyTrace }
    // Most of the trace, and not of what is left of it: a trace of another day is no day with a few fixes.
    guard self.fixes.count > fixesOutside else {
      throw .otherDay(trace: first.at, truth: truth.start)
    }
    try check()
  }

  /// Twice what the coarsest honest fix is off (2 500 m, network positioning).
  private static let farthestMedianMeters = 5_000.0
  /// A trace tells where the person was as long before and after a fix; across a silence nobody goes straight.
  private static let knownFor = Milliseconds.minutes(2)
  /// A visit's point lies at most some hundred meters from where people stop.
  private static let farthestVisitMeters = 1_000.0

  private func check() throws(TruthFault) {
    for visit in truth.visits
    where !isPathUnknown || path.hasRow(within: Self.knownFor, of: visit.arrive) {
      let meters = path.fix(at: visit.arrive).coordinate.distanceMeters(to: visit.coordinate)
      guard meters <= Self.farthestVisitMeters else {
        throw .visitOffThePath(visit.poi, visit.arrive, meters: meters)
      }
    }
    // A few hundred fixes tell a town from another as well as all of them.
    let step = max(1, fixes.count / 400)
    let errors = stride(from: 0, to: fixes.count, by: step)
      .map { fixes[$0].coordinate.distanceMeters(to: path.fix(at: fixes[$0].at).coordinate) }
      .sorted()
    let median = errors[errors.count / 2]
    guard median <= Self.farthestMedianMeters else {
      throw .otherPlace(meters: Self.farthestMedianMeters)
    }
  }
}
