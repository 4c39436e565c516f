import Geodesy
import Places
import Timeline

/// One distance at which a target is spoken of, from the outermost in.
public struct Ring: Hashable, Sendable, Codable {
  /// What coming inside means.
  public enum Kind: String, Hashable, Sendable, Codable {
    /// On the way: counts at once, also between two fixes.
    case approach
    /// There: counts once it has held for a time, and never between two fixes.
    case arrival
  }

  /// What coming inside means.
  public let kind: Kind
  /// How near, in meters.
  public let radiusMeters: Double

  /// Makes a ring.
  public init(kind: Kind, radiusMeters: Double) {
    self.kind = kind
    self.radiusMeters = radiusMeters
  }
}

/// The rings around a target, the outermost first, arrival last if there is one.
public struct LadderShape: Hashable, Sendable, Codable {
  /// The rings, each inside the one before it.
  public let rings: [Ring]

  /// Makes a shape.
  ///
  /// - Throws: ``LadderShapeError`` if the rings cannot be climbed one after the other.
  public init(_ rings: [Ring]) throws(LadderShapeError) {
    guard !rings.isEmpty else { throw .empty }
    for (outer, inner) in zip(rings, rings.dropFirst()) {
      guard outer.kind == .approach else { throw .arrivalNotLast }
      guard outer.radiusMeters > inner.radiusMeters else {
        throw .notNested(outer: outer.radiusMeters, inner: inner.radiusMeters)
      }
    }
    guard let inner = rings.last, inner.radiusMeters > 0 else { throw .empty }
    self.rings = rings
  }

  /// Whether the innermost ring is an arrival.
  public var hasArrival: Bool { rings.last?.kind == .arrival }

  /// Checks the rings on reading, too.
  public init(from decoder: any Decoder) throws {
    let rings = try decoder.singleValueContainer().decode([Ring].self)
    try self.init(rings)
  }

  /// Writes the bare rings.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rings)
  }
}

/// Why rings do not make a ladder.
public enum LadderShapeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is none, or one of no size.
  case empty
  /// Something lies inside the arrival ring.
  case arrivalNotLast
  /// A ring is not smaller than the one before it.
  case notNested(outer: Double, inner: Double)

  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .empty: "a reminder needs at least one tier with a radius above 0"
    case .arrivalNotLast: "arrival must be the innermost tier"
    case .notNested(let outer, let inner):
      "each tier must be smaller than the one before it, and \(inner) m is not below \(outer) m"
    }
  }
}

/// What makes an arrival.
public enum ArrivalDetection: String, Hashable, Sendable, Codable, CaseIterable {
  /// `ArrivalDetector` decides, from evidence: ``Ladder/arrive(at:since:_:)``.
  case posterior
  /// Being inside the arrival ring for a time.
  case radius
}

/// The numbers that turn positions into transitions; policy sets them, this target only uses them.
public struct FencingSettings: Hashable, Sendable, Codable {
  /// Entering a ring needs an accuracy of at most this share of its radius.
  public var entryAccuracyShare = 0.5
  /// Or an accuracy of this many meters, whichever is more.
  public var entryAccuracyMeters = 50.0
  /// Leaving a ring needs this share of its radius beyond it.
  public var exitBandShare = 0.1
  /// Or this many meters, or the fix's accuracy, whichever is most.
  public var exitBandMeters = 50.0
  /// How long an arrival must hold when slow.
  public var arrivalHold = Milliseconds.seconds(20)
  /// How long an exit from the arrival ring must hold.
  public var exitHold = Milliseconds.seconds(30)
  /// How long an exit that a single fix has shown must hold where such a one is doubted for a while.
  ///
  /// - Source: `nearme score --monitor ios` on three simulated towns, with receivers that are off by some 400 m now and
  ///   then: 7 of 203 ways home or to work were told twice, with 2 min as well, and from 5 min on none; on days as a phone
  ///   of constant accuracy records them 12 of 213 with 2 min, 2 with 5 min and 1 with 10 min.
  public var doubtedExitHold = Milliseconds.minutes(10)
  /// Above this speed, or when it is unknown, an arrival must hold for twice the time.
  public var slowSpeedMetersPerSecond = 6.0
  /// Rings may be crossed between two fixes at most this far apart in time.
  public var crossingGap = Milliseconds.minutes(10)
  /// Arrival discs of places with an outline reach this far beyond it.
  public var arrivalBeyondFootprintMeters = 50.0
  /// What makes an arrival.
  public var arrivalDetection = ArrivalDetection.radius
  /// Whether arrival discs are watched although `ArrivalDetector` decides what an arrival is: an app
  /// that sleeps is woken at them, to look closer.
  public var watchesDiscs = false
  /// Whether a ladder that begins inside a ring speaks of it.
  public var announcesInitial = false

  /// An arrival disc is at most this share of the ring around it.
  private static let largestArrivalShare = 0.8

  /// The defaults of the engine specification.
  public init() {}

  /// The worst accuracy, in meters, with which a ring can be entered.
  public func entryAccuracyMeters(for ring: Ring) -> Double {
    max(ring.radiusMeters * entryAccuracyShare, entryAccuracyMeters)
  }

  /// How far beyond a ring the phone must be to have left it, the fix's accuracy aside.
  public func exitBandMeters(for ring: Ring) -> Double {
    max(ring.radiusMeters * exitBandShare, exitBandMeters)
  }

  /// The distance at which level `level` of a ladder falls, the fix's accuracy aside: the next outer
  /// ring for an approach that has one, else the ring's own radius and its band.
  ///
  /// Re-arming 1 mile only beyond 3 keeps a drive around the block from repeating itself.
  public func fallRadiusMeters(_ shape: LadderShape, level: Int) -> Double {
    let ring = shape.rings[level - 1]
    let banded = ring.radiusMeters + exitBandMeters(for: ring)
    guard ring.kind == .approach, level > 1 else { return banded }
    return max(shape.rings[level - 2].radiusMeters, banded)
  }

  /// The arrival discs of a shape's target; nil if it has no arrival.
  public func arrivalDiscs(_ shape: LadderShape) -> DiscRadius? {
    guard let ring = shape.rings.last, ring.kind == .arrival else { return nil }
    let outer = shape.rings.dropLast().last?.radiusMeters ?? .infinity
    return DiscRadius(
      leastMeters: ring.radiusMeters,
      beyondFootprintMeters: arrivalBeyondFootprintMeters,
      // Rings lie inside one another, also around the largest outline.
      mostMeters: max(ring.radiusMeters, outer * Self.largestArrivalShare)
    )
  }
}
