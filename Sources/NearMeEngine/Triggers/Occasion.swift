import Geodesy
import Timeline

/// Which happening of which trigger: what is said of it is said at most once.
struct OccasionKey: Hashable, Sendable {
  /// Whose.
  let reminder: String
  /// Which of the reminder's triggers, by position.
  let trigger: Int
  /// The point that the ladder stands around, by source id, where fences are per point.
  var poi: String?
  /// The tier that was reached.
  let tier: Tier
  /// How deep: the ring's number, and one more for what comes after the last.
  let depth: Int

  /// Whether both are steps of one ladder.
  func isOnLadder(of other: OccasionKey) -> Bool {
    reminder == other.reminder && trigger == other.trigger && poi == other.poi
  }
}

/// A target as it was seen: what a text and a map need.
struct Spot: Hashable, Sendable, Codable {
  /// Source id of a category's point; nil for places.
  var poi: String?
  /// The name to speak of: the place's, the point's, or the category's.
  var name: String
  var coordinate: Coordinate
  var distanceMeters: Double
}

/// What a watch found: something is so from an instant on, whatever is made of it.
struct Fact: Sendable {
  enum Kind: Hashable, Sendable {
    case enter
    case exit
    /// Still there after a time.
    case dwell
    /// An arrival that had begun did not hold.
    case cancelled
  }

  let key: OccasionKey
  let kind: Kind
  let at: Timestamp
  /// What was seen; nil where nothing was.
  let spot: Spot?
  /// Whether a deeper ring was entered at the same moment and speaks instead.
  var isSuperseded = false
  /// What is not waited for any more because of it.
  var cancels: CancelRecord?
}

/// One happening of a reminder's trigger on its way to a decision.
struct Occasion: Hashable, Sendable {
  let key: OccasionKey
  var at: Timestamp
  /// What was seen; nil where nothing was.
  var spot: Spot?
  /// Whether places crowded where it happened.
  var isDense = false
  /// Says again what was said before a snooze; not a new happening.
  var isRepeat = false
  /// Whether it waited for a snooze once.
  var wasSnoozed = false
  /// Why it waits, while it does.
  var silence: Silence?
  /// Until when it waits; nil: until the reason ends.
  var until: Timestamp?

  var reminder: String { key.reminder }
  var tier: Tier { key.tier }

  init(_ key: OccasionKey, at instant: Timestamp, spot: Spot?, isRepeat: Bool = false) {
    self.key = key
    at = instant
    self.spot = spot
    self.isRepeat = isRepeat
  }

  init(_ fact: Fact) { self.init(fact.key, at: fact.at, spot: fact.spot) }

  mutating func wait(_ silence: Silence, until: Timestamp?) {
    self.silence = silence
    self.until = until
  }
}
