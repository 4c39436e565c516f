import Fencing
import Geodesy
import NearMeEngine
import OutputLines
import Timeline
import Traces

/// What a location service does with one fix.
public enum TwinAnswer: Hashable, Sendable {
  /// It does not believe it.
  case refused(FixRefusal)
  /// It lets the app sleep.
  case silent
  /// It wakes the app, with the position and the one before it.
  case wake(WakeCause, previous: Fix?)
  /// The app is awake and follows: it is handed the position and the one before it.
  case followed(previous: Fix?)
}

/// A location service that is never late: a crossing is reported at the first fix beyond the
/// boundary, or between two fixes where the way from one to the other leads through a region.
///
/// It enforces its own limit, believes what a ``FixGate`` believes, and never reports coming into a
/// region that was registered inside it.
public struct IdealTwin: Sendable {
  private struct Watched: Sendable {
    let region: Region
    let center: SurfacePoint
    let chordSquared: Double
    var isInside: Bool

    /// Whether it holds a point, and how far its edge is from there, as a straight line.
    func place(of point: SurfacePoint) -> (isInside: Bool, slackMeters: Double) {
      let radius = region.radiusMeters
      guard radius > IdealTwin.longestChordArcMeters else {
        let chordSquared = center.chordSquared(to: point)
        let slack = abs(chordSquared.squareRoot() - self.chordSquared.squareRoot())
        return (chordSquared <= self.chordSquared, slack)
      }
      // Across the earth, a chord says too little of the way along its surface.
      let distance = center.distanceMeters(to: point)
      let slack = min(abs(distance - radius) * 0.9, IdealTwin.longestChordArcMeters)
      return (distance <= radius, Geodesy.chordSquared(arcMeters: slack).squareRoot())
    }
  }

  /// Up to here a radius is compared by its chord.
  private static let longestChordArcMeters = 1_000_000.0

  private let slots: Int?
  let gateSettings: FixGateSettings
  private let crossingGap: Milliseconds
  var gate = FixGate()
  private var watched: [Watched] = []
  private(set) var isAskedForNext = false
  private(set) var followUntil: Timestamp?
  /// How the receiver rests meanwhile; nil where it does not.
  private var easing: Easing?
  /// Around the fix that was last compared with every region: within it, no boundary can be crossed.
  private(set) var calm: (at: Coordinate, center: SurfacePoint, chordSquared: Double)?
  /// The ids of the regions that were crossed at the last fix that was compared with every region.
  package private(set) var crossed: [String] = []
  /// Regions that could never fire as they were registered: going out of a circle from outside it.
  public private(set) var deadRegistrations = 0

  /// Makes a service with so many regions; nil is no limit.
  public init(
    slots: Int?,
    gate: FixGateSettings = FixGateSettings(),
    crossingGap: Milliseconds = .minutes(10)
  ) {
    self.slots = slots
    gateSettings = gate
    self.crossingGap = crossingGap
  }

  /// How many regions are watched.
  public var held: Int { watched.count }

  /// Changes the watched regions.
  ///
  /// - Throws: ``RegionLimitExceeded`` if there would be more than the service has; nothing changes
  ///   then.
  public mutating func apply(_ change: RegionChange) throws(RegionLimitExceeded) {
    let stopped = Set(change.stop)
    let kept = watched.filter { !stopped.contains($0.region.id) }
    if let slots, kept.count + change.start.count > slots {
      throw RegionLimitExceeded(slots: slots, asked: kept.count + change.start.count)
    }
    watched = kept
    calm = nil
    let position = gate.last.map { SurfacePoint($0.coordinate) }
    for region in change.start {
      let center = SurfacePoint(region.center)
      var registered = Watched(
        region: region,
        center: center,
        chordSquared: chordSquared(arcMeters: region.radiusMeters),
        isInside: false
      )
      registered.isInside = position.map { registered.place(of: $0).isInside } ?? false
      if region.kind != .enter, !registered.isInside { deadRegistrations += 1 }
      watched.append(registered)
    }
  }

  /// Delivers the next position whatever it crosses.
  public mutating func locate() { isAskedForNext = true }

  /// Delivers every position up to an instant, to an app that stays awake; nil: no longer.
  public mutating func follow(until: Timestamp?) {
    followUntil = until
    if until == nil { easing = nil }
  }

  /// From an instant on, delivers a position every so often only, while it is followed.
  public mutating func ease(from: Timestamp, every interval: Milliseconds) {
    easing =
      easing?.again(from: from, every: interval)
      ?? Easing(from: from, every: interval, feelsMotion: true)
  }

  /// Forgets that a position was asked for: the process that asked is gone.
  public mutating func forgetRequest() {
    isAskedForNext = false
    follow(until: nil)
  }

  /// Takes in what the receiver measured.
  public mutating func consume(_ fix: Fix) -> TwinAnswer {
    let point = SurfacePoint(fix.coordinate)
    let previous = gate.last
    if let refusal = gate.refuse(fix, at: point, gateSettings) { return .refused(refusal) }
    if let until = followUntil, until < fix.at { follow(until: nil) }
    let isTaken = followUntil != nil && easing?.takes(fix, after: previous) ?? true
    if !isAskedForNext, let calm,
      point.chordSquared(to: calm.center) < calm.chordSquared
    {
      return isTaken ? .followed(previous: previous) : .silent
    }
    var cause: WakeCause?
    crossed.removeAll(keepingCapacity: true)
    let way = way(from: previous, to: fix, point)
    var leastSlack = Double.infinity
    for i in watched.indices {
      let (isInside, slackMeters) = watched[i].place(of: point)
      leastSlack = min(leastSlack, slackMeters)
      if watched[i].region.kind == .enter {
        if !watched[i].isInside,
          isInside
            || way.map({ passes(watched[i].center, watched[i].chordSquared, from: $0, to: point) })
              ?? false
        {
          cause = .regionEnter
          crossed.append(watched[i].region.id)
        }
      } else if watched[i].isInside, !isInside {
        cause = cause ?? .regionExit
        crossed.append(watched[i].region.id)
      }
      watched[i].isInside = isInside
    }
    // Chords are lengths in space: a phone that moved by less than this has crossed nothing. A meter
    // is kept for rounding.
    let calmChord = max(0, leastSlack - 1)
    calm = (fix.coordinate, point, calmChord * calmChord)
    if isAskedForNext { cause = cause ?? .fix }
    if followUntil != nil, isTaken || cause != nil {
      isAskedForNext = false
      return .followed(previous: previous)
    }
    guard let cause else { return .silent }
    isAskedForNext = false
    return .wake(cause, previous: previous)
  }

  /// Where the straight way to a fix began, if the gap allows to speak of one.
  private func way(from previous: Fix?, to fix: Fix, _ point: SurfacePoint) -> SurfacePoint? {
    guard let previous, fix.at - previous.at <= crossingGap else { return nil }
    let start = SurfacePoint(previous.coordinate)
    return start == point ? nil : start
  }
}

/// A region too many was registered.
public struct RegionLimitExceeded: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many the service has.
  public let slots: Int
  /// How many there would have been.
  public let asked: Int

  /// The reason as a sentence.
  public var description: String {
    "\(asked) regions were registered, and the location service has \(slots)"
  }
}
