/// What a reminder is made of, as far as plans look at it.
public struct ReminderShape: Hashable, Sendable {
  /// What its triggers use; any of them wakes it.
  public var triggers: [Feature]
  /// Its conditions; nil for none.
  public var conditions: Logic?
  /// What else it uses: a recurrence, a sound, a tone.
  public var extras: [Feature]

  /// Makes one.
  public init(triggers: [Feature], conditions: Logic? = nil, extras: [Feature] = []) {
    self.triggers = triggers
    self.conditions = conditions
    self.extras = extras
  }

  /// How conditions hang together.
  public indirect enum Logic: Hashable, Sendable {
    /// One condition.
    case one(Feature)
    /// All must hold.
    case all([Logic])
    /// One must hold.
    case any([Logic])
    /// It must not hold.
    case not(Logic)

    /// The conditions in it, in order.
    public var leaves: [Feature] {
      switch self {
      case .one(let feature): [feature]
      case .all(let parts), .any(let parts): parts.flatMap(\.leaves)
      case .not(let part): part.leaves
      }
    }

    /// Whether it is one list of conditions, all of which must hold.
    public var isFlat: Bool {
      switch self {
      case .one: true
      case .all(let parts):
        parts.allSatisfy { if case .one = $0 { true } else { false } }
      case .any, .not: false
      }
    }
  }

  /// Everything it uses, each once, in the order of the features; two conditions or more are compound.
  public var features: [Feature] {
    let leaves = conditions?.leaves ?? []
    var used = Set(triggers + leaves + extras)
    if leaves.count > 1 { used.insert(.compoundConditions) }
    return Feature.allCases.filter(used.contains)
  }
}

/// Why a plan or a product does not take a reminder as it is.
public enum ShapeRefusal: Hashable, Sendable {
  /// The plan does not have it, and another does.
  case needsEntitlement(Feature)
  /// The product does not have it.
  case absent(Feature)
  /// The product has one list of conditions that must all hold, and nothing else.
  case logic
}

/// Something to say when a reminder is saved.
public enum ShapeWarning: String, Hashable, Sendable, CaseIterable {
  /// Nothing wakes it: without timers, a window waits for something else to happen.
  case noWakeSource = "no_wake_source"
}

/// What a plan does with a reminder from another device that uses what it does not have.
public enum ImportVerdict: Hashable, Sendable {
  /// It speaks.
  case live
  /// It is kept and does not speak.
  case waiting(ShapeRefusal)
}

/// A reminder that could be live.
public struct LiveCandidate: Hashable, Sendable {
  /// Its id.
  public let id: String
  /// When it was made: an instant, or a number of its place in the list.
  public let madeAt: Int64
  /// What it uses.
  public let features: [Feature]
  /// Whether the user has picked it to stay live.
  public let isPicked: Bool

  /// Makes one.
  public init(id: String, madeAt: Int64, features: [Feature] = [], isPicked: Bool = false) {
    self.id = id
    self.madeAt = madeAt
    self.features = features
    self.isPicked = isPicked
  }
}

/// Which reminders speak under a plan, and why others wait.
public struct LiveChoice: Hashable, Sendable {
  /// The ids of those that speak, in the order in which they were chosen.
  public internal(set) var live: [String] = []
  /// The others, in the order in which they come up when there is room.
  public internal(set) var waiting: [Waiting] = []

  /// One that waits.
  public struct Waiting: Hashable, Sendable {
    /// Its id.
    public let id: String
    /// What it waits for.
    public let cause: Cause
  }

  /// What a reminder waits for.
  public enum Cause: Hashable, Sendable {
    /// Room.
    case quota(Quota)
    /// A plan that has what it uses.
    case feature(Feature)
  }
}
