import NearMeEngine
import Places
import Replay
import Scoring
import Timeline

/// What of a day is explained: everything that was decided, every visit, every pass, and every hour.
struct DayQuestions {
  /// Something that people may ask about.
  struct Item {
    let reminder: Reminder
    let at: Timestamp
    let about: String
    var spot: String?
    var meters: Double?

    var question: Explanation.Question { Explanation.Question(reminder: reminder, at: at) }
  }

  /// So many decisions of a reminder are explained, spread over the day; what else it asks in a minute is one.
  static let mostDecisions = 60

  /// So many of the hours of a reminder are explained; those of a longer trace are farther apart.
  static let mostHours: Int64 = 100

  private(set) var items: [Item] = []

  init(
    _ person: Person,
    from start: Timestamp,
    to end: Timestamp,
    decisions: [DecisionRecord],
    truth: DayTruthMarks?,
    _ surroundings: DaySurroundings
  ) {
    for reminder in person.reminders {
      var own: [Item] = []
      own += Self.decisions(decisions.filter { $0.reminder == reminder.id })
        .map { Item(reminder: reminder, at: $0, about: "decision") }
      for visit in truth?.visits ?? [] where visit.reminder == reminder.id {
        own.append(Item(reminder: reminder, at: visit.from, about: "visit", spot: visit.poi))
      }
      let categories = reminder.triggers.compactMap(\.target)
        .compactMap { target -> String? in
          if case .category(let category) = target { category.name } else { nil }
        }
      for met in truth?.encounters ?? [] where categories.contains(met.category) {
        own.append(Item(reminder: reminder, at: met.from, about: "encounter", spot: met.poi))
      }
      for pass in surroundings.passes(reminder) {
        own.append(
          Item(
            reminder: reminder,
            at: pass.at,
            about: "pass",
            spot: pass.spot,
            meters: (pass.meters * 10).rounded() / 10
          )
        )
      }
      // Half an hour to each side is looked at, so these leave no moment of four days out.
      let step = max(.minutes(60), Milliseconds((end - start).value / Self.mostHours))
      var at = start + .minutes(30)
      while at < end {
        own.append(Item(reminder: reminder, at: at, about: "hour"))
        at = at + step
      }
      if own.isEmpty { own.append(Item(reminder: reminder, at: start, about: "hour")) }
      items += own.filter { $0.at >= start && $0.at <= end }
        .enumerated().sorted { ($0.1.at, $0.0) < ($1.1.at, $1.0) }.map(\.element)
    }
  }

  /// The instants of decisions that are worth a question; leaving is never one.
  private static func decisions(_ decisions: [DecisionRecord]) -> [Timestamp] {
    var instants: [Timestamp] = []
    for decision in decisions {
      if case .suppressed(.exit) = decision.outcome { continue }
      if let last = instants.last, decision.at - last < .minutes(1) { continue }
      instants.append(decision.at)
    }
    guard instants.count > mostDecisions else { return instants }
    return (0..<mostDecisions).map { instants[$0 * instants.count / mostDecisions] }
  }
}
