import Geodesy
import Timeline

/// Which happening of which trigger: what is said of it is said at most once.
package struct OccasionKey: Hashable, Sendable {
  /// The reminder's id.
  package let reminder: String
  /// Which of the reminder's triggers, by position.
  package let trigger: Int
  package let happening: Happening

  /// What tells the happenings of one trigger apart.
  package enum Happening: Hashable, Sendable {
    /// A tier of a ladder.
    ///
    /// Its depth is the ring's number, and one more for what comes after the last; `poi` is the point
    /// that the ladder stands around, by source id, where fences are per point.
    case rung(Tier, depth: Int, poi: String?)
    /// A time that has come, by the step that names its instant.
    case due(Step)
    /// A place that was left, and when.
    case left(at: Timestamp, poi: String?)
    /// A signal, with the id that it came with.
    case edge(name: String, id: String)
  }

  package init(reminder: String, trigger: Int, happening: Happening) {
    self.reminder = reminder
    self.trigger = trigger
    self.happening = happening
  }

  /// What a record of it is about.
  package var step: Step {
    switch happening {
    case .rung(let tier, _, _): .tier(tier)
    case .due(let step): step
    case .left: .leave
    case .edge(let name, _): .signal(name)
    }
  }

  /// Whether it is a step of the same ladder, and at most as deep; or an earlier time of the same
  /// schedule; or an earlier way out; or an earlier signal of the same trigger, of which as many may come as a phone is
  /// unlocked.
  ///
  /// What comes ahead of a time overtakes no time that has come: that asks for an answer of its own.
  func isOvertaken(by other: OccasionKey) -> Bool {
    guard reminder == other.reminder, trigger == other.trigger else { return false }
    switch (happening, other.happening) {
    case (.rung(_, let depth, let poi), .rung(_, let otherDepth, let otherPOI)):
      return poi == otherPOI && depth <= otherDepth
    case (.due(.schedule(let at, let lead)), .due(.schedule(let otherAt, let otherLead))):
      return at - lead <= otherAt - otherLead && (lead.value > 0 || otherLead.value == 0)
    case (.left(let at, _), .left(let otherAt, _)): return at <= otherAt
    case (.edge(let name, _), .edge(let otherName, _)): return name == otherName
    default: return false
    }
  }

  /// When it rings, if it is a time.
  var ring: Timestamp? {
    if case .due(.schedule(let due, let lead)) = happening { due - lead } else { nil }
  }

  /// Whether it is a newer time of the same schedule; of two that ring at once, the one that is not ahead of its time,
  /// and none that is ahead speaks for one that has come.
  func speaks(for other: OccasionKey) -> Bool {
    guard self != other, reminder == other.reminder, trigger == other.trigger, let ring,
      let otherRing = other.ring, other.step.isAhead || !step.isAhead
    else { return false }
    return otherRing < ring || otherRing == ring && other.step.isAhead && !step.isAhead
  }

  /// Whether it is over as soon as it has happened: nothing goes on that could still be true.
  var isMomentary: Bool {
    switch happening {
    case .left, .edge: true
    case .rung, .due: false
    }
  }
}

/// A target as it was seen: what a text and a map need.
package struct Spot: Hashable, Sendable, Codable {
  /// Source id of a category's point; nil for places.
  package var poi: String?
  /// The name to speak of: the place's, the point's, or the category's.
  package var name: String
  package var coordinate: Coordinate
  package var distanceMeters: Double

  package init(poi: String?, name: String, coordinate: Coordinate, distanceMeters: Double) {
    self.poi = poi
    self.name = name
    self.coordinate = coordinate
    self.distanceMeters = distanceMeters
  }
}

/// What a watch found: something is so from an instant on, whatever is made of it.
struct Fact: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case enter
    case exit
    /// Still there after a time.
    case dwell
    /// A time has come.
    case due
    /// A signal was given.
    case edge
    /// An arrival that had begun did not hold.
    case canceled
  }

  package let key: OccasionKey
  let kind: Kind
  let at: Timestamp
  /// What was seen; nil where nothing was.
  package var spot: Spot?
  /// Whether a deeper ring was entered at the same moment and speaks instead.
  var isSuperseded = false
  /// Whether nobody is told of it, and it only ends and overtakes what it would if it was told.
  var isSilent = false
  /// What is not waited for any more because of it.
  var cancels: CancelRecord?
}

/// One happening of a reminder's trigger on its way to a decision.
package struct Occasion: Hashable, Sendable, Codable {
  package private(set) var key: OccasionKey
  package var at: Timestamp
  /// When it came, where ``at`` is when the system will show it; nil else.
  var cameAt: Timestamp?
  /// What was seen; nil where nothing was.
  package var spot: Spot?
  /// Whether places crowded where it happened.
  package var isDense = false
  /// Says again what was said before a snooze; not a new happening.
  package var isRepeat = false
  /// How many times it has been told again unasked; nil if never.
  private var nagCount: Int?
  /// Whether it waits for it to be clear whether one has arrived; nil if not.
  private var isOpen: Bool?
  /// Whether it waited for a snooze once.
  package var wasSnoozed = false
  /// Since when it waits for a position only, to say how far the target is; nil if it does not.
  package var locatingSince: Timestamp?
  /// Why it waits, while it does.
  package var silence: Silence?
  /// Until when it waits; nil: until the reason ends.
  package var until: Timestamp?

  /// How many times it has been told again unasked.
  package var nags: Int {
    get { nagCount ?? 0 }
    set { nagCount = newValue == 0 ? nil : newValue }
  }

  package var reminder: String { key.reminder }
  package var step: Step { key.step }

  /// Whether it was over in a moment, and waits for it to be clear whether one has arrived.
  package var awaitsOutcome: Bool {
    get { isOpen ?? false }
    set { isOpen = newValue ? true : nil }
  }

  package init(_ key: OccasionKey, at instant: Timestamp, spot: Spot?, isRepeat: Bool = false) {
    self.key = key
    at = instant
    self.spot = spot
    self.isRepeat = isRepeat
  }

  init(_ fact: Fact) { self.init(fact.key, at: fact.at, spot: fact.spot) }

  /// Gives its trigger the number that it has now.
  mutating func renumber(_ trigger: Int) {
    key = OccasionKey(reminder: reminder, trigger: trigger, happening: key.happening)
  }

  package mutating func wait(_ silence: Silence, until: Timestamp?) {
    self.silence = silence
    self.until = until
    locatingSince = nil
    isOpen = nil
  }
}
