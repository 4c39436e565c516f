import Timeline

/// What a phone's location service does, in numbers: the whole difference between two phones.
///
/// Every number can be set in a file (`nearme twin show ios` prints one, with where each comes from).
public struct TwinSettings: Hashable, Sendable {
  /// How many regions it takes; one more is refused.
  public var regions = 20
  /// When a crossing counts.
  public var crossing = Crossing()
  /// How late it is told.
  public var latency = Latency()
  /// What wakes the app beside regions.
  public var changes = SignificantChanges()
  /// Arrivals and departures that the system notices by itself.
  public var visits = Visits()
  /// Whether a sensor tells of a walk or a ride, so that a receiver that rests is on at once.
  public var feelsMotion = true

  /// A service that is never late.
  public init() {}

  /// When a crossing counts.
  public struct Crossing: Hashable, Sendable {
    /// No region acts smaller than this, in meters.
    public var smallestRadiusMeters = 0.0
    /// How far beyond the boundary one must be, in meters.
    public var cushionMeters = 0.0
    /// The same as a share of the fix's accuracy; the larger counts.
    public var cushionPerAccuracy = 0.0
    /// How long one must stay inside before coming in counts.
    public var enterHold = Milliseconds(0)
    /// How long one must stay outside before going out counts.
    public var exitHold = Milliseconds(0)
    /// Whether coming in is told of a region that one is inside of when it is registered.
    public var tellsInitial = false
    /// Whether what was noticed is told although its region was taken away or put back before.
    public var keepsNoticed = false
    /// Whether a region that was only passed through between two fixes is told.
    public var tellsPassing = false
    /// Whether the fix before the present one comes with it.
    public var tellsPrevious = false

    /// At once, at the boundary.
    public init() {}
  }

  /// How late a crossing is told, once it counts.
  public struct Latency: Hashable, Sendable {
    /// In motion, or soon after.
    public var moving = Quantiles.none
    /// After having been still for ``stillAfter``.
    public var still = Quantiles.none
    /// When the second distribution takes the place of the first; nil: never.
    public var stillAfter: Milliseconds?
    /// Between two wakes by regions lies at least this; what comes in between comes together.
    public var batch = Milliseconds(0)

    /// At once.
    public init() {}
  }

  /// Larger moves, by the cells of the telephone network.
  public struct SignificantChanges: Hashable, Sendable {
    /// Whether the app asks for them.
    public var isOn = false
    /// So far from the last one, in meters.
    public var distanceMeters = 500.0
    /// And so long after it.
    public var interval = Milliseconds.minutes(5)

    /// Not asked for.
    public init() {}
  }

  /// Arrivals and departures that the system notices by itself.
  public struct Visits: Hashable, Sendable {
    /// Whether the app asks for them.
    public var isOn = false
    /// Within this many meters one has not left.
    public var radiusMeters = 100.0
    /// So long one must be there.
    public var stay = Milliseconds.minutes(3)
    /// How late an arrival is told after that.
    public var arrivalDelay = Milliseconds.minutes(2)
    /// How late a departure is told.
    public var departureDelay = Milliseconds.minutes(3)

    /// Not asked for.
    public init() {}
  }

  /// A distribution of spans, by some of its quantiles; straight lines between them.
  public struct Quantiles: Hashable, Sendable {
    /// The shares at which ``spans`` are known.
    public static let shares = [0, 0.5, 0.9, 0.95, 1]

    /// One span a share, never shorter than the one before.
    public let spans: [Milliseconds]

    /// No time at all.
    public static let none = Quantiles([0, 0, 0, 0, 0].map { Milliseconds($0) })

    /// Makes a distribution; shrinking spans are a mistake of the caller.
    public init(_ spans: [Milliseconds]) {
      precondition(
        spans.count == Self.shares.count && zip(spans, spans.dropFirst()).allSatisfy { $0 <= $1 }
          && (spans.first?.value ?? 0) >= 0,
        "a distribution needs \(Self.shares.count) spans that never shrink"
      )
      self.spans = spans
    }

    /// The span below which this share of all lies.
    ///
    /// - Parameter share: between 0 and 1.
    public func span(at share: Double) -> Milliseconds {
      let upper = Self.shares.firstIndex { $0 >= share } ?? Self.shares.count - 1
      guard upper > 0 else { return spans[0] }
      let (low, high) = (Self.shares[upper - 1], Self.shares[upper])
      let part = (share - low) / (high - low)
      let (from, to) = (Double(spans[upper - 1].value), Double(spans[upper].value))
      return Milliseconds(Int64((from + (to - from) * part).rounded()))
    }
  }
}

extension TwinSettings {
  /// A service that is never late, as ``IdealTwin`` is.
  public static let ideal: TwinSettings = {
    var twin = TwinSettings()
    twin.crossing.tellsPassing = true
    twin.crossing.tellsPrevious = true
    return twin
  }()

  /// An iPhone, as Apple describes it and as people measured it.
  ///
  /// - Source: beside each key in `TwinFile`.
  public static let ios: TwinSettings = {
    var twin = TwinSettings()
    twin.regions = 20
    twin.crossing.smallestRadiusMeters = 100
    twin.crossing.cushionMeters = 100
    twin.crossing.cushionPerAccuracy = 1
    twin.crossing.enterHold = .seconds(20)
    twin.crossing.exitHold = .seconds(20)
    twin.latency.moving = Quantiles([2, 30, 120, 180, 300].map { .seconds($0) })
    twin.latency.still = twin.latency.moving
    return twin
  }()

  /// A telephone with Google's Play services.
  ///
  /// - Source: beside each key in `TwinFile`.
  public static let android: TwinSettings = {
    var twin = TwinSettings()
    twin.regions = 100
    twin.crossing.smallestRadiusMeters = 100
    twin.crossing.cushionPerAccuracy = 0.7
    twin.crossing.tellsInitial = true
    twin.latency.moving = Quantiles([5, 90, 150, 180, 240].map { .seconds($0) })
    twin.latency.still = Quantiles([30, 180, 300, 330, 360].map { .seconds($0) })
    twin.latency.stillAfter = .minutes(10)
    twin.latency.batch = .seconds(40)
    return twin
  }()
}
