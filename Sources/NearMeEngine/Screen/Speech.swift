import Timeline
import Tones

/// Which sentences were said last, so that none is said twice in a row.
package struct SaidSentences: Hashable, Sendable, Codable {
  /// The newest sentence of a kind to a reminder.
  private struct Said: Hashable, Codable {
    let reminder: String
    let kind: String
    var template: Int
    /// How many of the kind have been said: what tells one occasion from the next.
    var count: Int
  }

  /// In order of reminder and kind; only those of kinds that have several templates.
  private var said: [Said] = []

  package init() {}

  package var isEmpty: Bool { said.isEmpty }

  private func index(_ reminder: String, _ kind: String) -> Int? {
    said.firstIndex { $0.reminder == reminder && $0.kind == kind }
  }

  /// The template of a kind that a reminder has said last, and how many it has said.
  func last(_ reminder: String, _ kind: SentenceKind) -> (template: Int?, count: Int) {
    index(reminder, kind.rawValue).map { (said[$0].template, said[$0].count) } ?? (nil, 0)
  }

  mutating func note(_ choice: ReminderNotification.Member.Choice, by reminder: String) {
    let (kind, template) = (choice.kind, choice.template)
    if let i = index(reminder, kind) {
      said[i].template = template
      said[i].count += 1
    } else {
      said.append(Said(reminder: reminder, kind: kind, template: template, count: 1))
      said.sort { ($0.reminder, $0.kind) < ($1.reminder, $1.kind) }
    }
  }

  /// Forgets what a reminder has said.
  mutating func forget(_ reminder: String) { said.removeAll { $0.reminder == reminder } }
}

/// Puts occasions into words: in the reminder's tone, with the units that people read.
package struct Speech {
  private let policy: Policy.Text
  private let tones: TonePacks
  package private(set) var said: SaidSentences

  package init(
    _ policy: Policy.Text,
    tones: TonePacks = TonePacks(),
    said: SaidSentences = SaidSentences()
  ) {
    self.policy = policy
    self.tones = tones
    self.said = said
  }

  /// The sentence for an occasion, and how it was chosen; nil where there was no choice.
  ///
  /// - Parameter told: when it is told: what waited says how far ahead its time is then.
  func sentence(
    for occasion: Occasion,
    of reminder: Reminder,
    place: String,
    at told: Timestamp
  ) -> (text: String, choice: ReminderNotification.Member.Choice?) {
    var values = SentenceValues(title: reminder.title, place: place)
    switch occasion.step {
    case .tier(.approach(let ringMeters)):
      values.distance = distance(
        ringMeters: ringMeters,
        occasion.spot?.distanceMeters ?? ringMeters
      )
    case .schedule(let due, let lead): values.span = Self.words(Self.ahead(due - told, of: lead))
    default: break
    }
    let kind = SentenceKind(occasion, at: told)
    let tone = tones[reminder.tone]
    let last = said.last(reminder.id, kind)
    let sentence = tone.sentence(
      kind,
      values,
      reminder: reminder.id,
      occurrence: "\(last.count)",
      last: last.template,
      seed: tones.seed,
      longestName: policy.longestName
    )
    let choice = ReminderNotification.Member.Choice(
      kind: kind.rawValue,
      template: sentence.template
    )
    return (sentence.text, tone.hasChoice(of: kind) ? choice : nil)
  }

  /// The line over what was kept while nothing was to be told, in the usual tone; nil where that is the plain
  /// one, which needs no words for it.
  package func headline(over count: Int, serial: Int) -> String? {
    let tone = tones[nil]
    guard tone != .plain else { return nil }
    return
      tone.sentence(
        .summary,
        SentenceValues(count: count),
        reminder: "",
        occurrence: "\(serial)",
        seed: tones.seed
      )
      .text
  }

  /// Takes note of what has been told.
  package mutating func note(_ line: ReminderNotification.Member) {
    if let choice = line.choice { said.note(choice, by: line.reminder) }
  }

  /// The tier's own distance or, when one is told late, the real one.
  private func distance(ringMeters: Double, _ distanceMeters: Double) -> String {
    let isLate = distanceMeters < ringMeters * (1 - policy.lateShare)
    let meters = isLate ? distanceMeters : ringMeters
    let (unitMeters, one, many) =
      switch policy.distanceUnit {
      case .miles: (Tier.metersPerMile, "mile", "miles")
      case .kilometers: (1_000, "kilometer", "kilometers")
      }
    // Nobody is 0 miles from where they have not arrived.
    let tenths = max(1, Int((meters / unitMeters * 10).rounded()))
    return decimal(tenths: tenths) + " " + (tenths == 10 ? one : many)
  }

  /// How far ahead a time is: what was asked for, or what is left of it, in a unit of which there are two or more.
  private static func ahead(_ left: Milliseconds, of lead: Milliseconds) -> Milliseconds {
    // A day in which the clock is set has an hour less.
    let slack: Int64 = lead.isOfDays ? 3_630_000 : 30_000
    guard left.value < lead.value - slack else { return lead }
    let unit = [Milliseconds.minutes(1_440), .minutes(60), .minutes(1)]
      .first { left.value >= 2 * $0.value }
    guard let unit else { return left }
    return Milliseconds((left.value + unit.value / 2) / unit.value * unit.value)
  }

  /// A span in its largest whole unit: `10 minutes`, `1 hour`, `2 days`.
  private static func words(_ span: Milliseconds) -> String {
    let units: [(Int64, String)] = [
      (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second"),
    ]
    let unit = units.first { span.value % $0.0 == 0 } ?? (1_000, "second")
    let count = max(1, span.value / unit.0)
    return "\(count) \(unit.1)" + (count == 1 ? "" : "s")
  }
}

extension SentenceKind {
  /// What is said of an occasion; of a time that has come before and was not answered, that it is still open.
  init(_ occasion: Occasion, at told: Timestamp) {
    // What a late batch says is new to the phone, too.
    let isOld =
      occasion.nags > 0 || occasion.wasSnoozed
      || occasion.silence != .handedOverLate
        && told - occasion.happenedAt >= Self.isNoMoreNow
    switch occasion.step {
    case .tier(.approach): self = .approach
    // Who is asked again has long arrived.
    case .tier(.arrival): self = isOld ? .postArrival : .arrival
    case .tier(.postArrival): self = .postArrival
    case .schedule(let due, _) where occasion.step.isAhead && told < due: self = .ahead
    case .schedule(let due, _):
      self = occasion.nags > 0 || told - due >= Self.isOfEarlier ? .overdue : .scheduled
    case .leave: self = isOld || occasion.isFarFromWhatWasLeft ? .overdue : .leave
    case .signal: self = isOld ? .overdue : .signal
    }
  }

  /// What happened so long ago is not said as if it happened now.
  ///
  /// - Source: judgment: as long as after arriving one is asked whether something is still needed.
  private static let isNoMoreNow = Milliseconds.minutes(5)

  /// What was due so long ago was due in another part of the day.
  ///
  /// - Source: judgment.
  private static let isOfEarlier = Milliseconds.minutes(6 * 60)
}

extension Occasion {
  /// Whether an arrival is told so late that it asks whether something is still needed.
  func asksOfArrival(at told: Timestamp) -> Bool {
    step == .tier(.arrival) && nags == 0 && SentenceKind(self, at: told) == .postArrival
  }

  /// When it came, also where ``at`` is when the system will show it.
  fileprivate var happenedAt: Timestamp {
    if case .left(let left, _) = key.happening { min(at, left) } else { cameAt ?? at }
  }

  /// Whether one is so far from a place that it was left a while ago, whenever that is found out: the phone was off,
  /// or had no position.
  ///
  /// - Source: judgment: farther than a car goes in the minutes by which a phone tells late that a region was left.
  fileprivate var isFarFromWhatWasLeft: Bool { (spot?.distanceMeters ?? 0) > 5_000 }
}
