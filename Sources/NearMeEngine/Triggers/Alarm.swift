import Recurrence
import Timeline

/// A schedule of a reminder, or one of its leads.
struct Alarm: Hashable, Sendable {
  /// What it does.
  enum Standing: Hashable, Sendable {
    /// It was made, and is not reckoned yet.
    case new
    /// It rings next for a time, which has its offset.
    case rings(for: WrittenTime)
    /// It has rung, and is counted on from its answer.
    case awaitsAnswer
    /// It has no time left.
    case over
  }

  /// As it was before the last answer.
  struct Before: Hashable, Sendable, Codable {
    let standing: Standing
    let open: [WrittenTime]
    var answeredAhead: [WrittenTime]?
  }

  /// Which it is, whatever other triggers its reminder has had since, and whatever else rings before its times.
  struct Identity: Hashable {
    let reminder: String
    /// Without leads.
    let schedule: Schedule
    let lead: Milliseconds
  }

  let reminder: String
  /// Which of the reminder's triggers.
  let trigger: Int
  let schedule: Schedule
  /// How long before each time it rings; zero is at the time itself.
  let lead: Milliseconds
  var standing = Standing.new
  /// Times for which it has rung and that are not answered, oldest first.
  var open: [WrittenTime] = []
  var before: Before?
  /// Times to come that were answered before one was added that comes sooner; nil if there are none.
  var answeredAhead: [WrittenTime]?

  /// So many unanswered times are remembered.
  ///
  /// - Source: two months of a daily reminder; who did not answer those will not answer the first.
  private static let mostOpen = 64

  /// The times that are not answered, with one more.
  static func added(_ time: WrittenTime, to open: [WrittenTime]) -> [WrittenTime] {
    Array((open + [time]).suffix(mostOpen))
  }

  init(_ reminder: String, trigger: Int, _ schedule: Schedule, lead: Milliseconds) {
    self.reminder = reminder
    self.trigger = trigger
    self.schedule = schedule
    self.lead = lead
  }

  var identity: Identity {
    Identity(reminder: reminder, schedule: schedule.withoutLeads, lead: lead)
  }

  /// Which it is, whatever ends its series, is added to it or left out; nil for what has no rule.
  var series: Identity? {
    schedule.series.map { Identity(reminder: reminder, schedule: $0, lead: lead) }
  }

  /// Whether it rings on without an answer.
  var goesOn: Bool { schedule.recurs && !isCountedFromAnswers }

  /// Whether its next time is known when the last one is answered.
  var isCountedFromAnswers: Bool { schedule.anchor == .completion && schedule.rule != nil }

  /// Whether a time to come was answered, though one that was added comes before it.
  static func isAhead(_ time: Occurrence, in answered: [WrittenTime]?) -> Bool {
    answered?.contains { $0.local == time.local } ?? false
  }

  /// Its state as it is to be kept before an answer.
  var asBefore: Before { Before(standing: standing, open: open, answeredAhead: answeredAhead) }

  /// The time that an answer now is about: the oldest where they stack, else the newest; the next if
  /// none has come.
  var answering: WrittenTime? {
    if let time = schedule.anchor == .schedule ? open.first : open.last { return time }
    if case .rings(let time) = standing { return time }
    return nil
  }
}
