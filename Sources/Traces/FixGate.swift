import Geodesy
import Timeline

/// What a gate needs to know of the world.
public struct FixGateSettings: Hashable, Sendable, Codable {
  /// A faster move is a jump until a second fix confirms it.
  public var jumpSpeedMetersPerSecond: Double

  /// Makes the settings; the default is the engine specification's 100 m/s.
  public init(jumpSpeedMetersPerSecond: Double = 100) {
    self.jumpSpeedMetersPerSecond = jumpSpeedMetersPerSecond
  }
}

/// Lets through the fixes that can be used and names the reason for each that cannot.
///
/// States facts about a stream of fixes; knows nothing of fences. Of a jump, the first fix is held
/// back: if the next one agrees with it, the stream goes on there, otherwise it goes on here.
public struct FixGate: Hashable, Sendable, Codable {
  /// The newest fix that passed.
  public private(set) var last: Fix?
  /// Its point in space.
  package private(set) var lastPoint: SurfacePoint?
  private var held: Fix?

  /// A gate that has seen nothing.
  public init() {}

  /// Decides on one fix.
  ///
  /// - Returns: nil if the fix passes, else why it does not.
  public mutating func refuse(
    _ fix: Fix,
    at point: SurfacePoint,
    _ settings: FixGateSettings
  ) -> FixRefusal? {
    guard fix.hasValidAccuracy else { return .invalidAccuracy }
    guard let last, let lastPoint else {
      pass(fix, point)
      return nil
    }
    if fix.at < last.at { return .late }
    if fix.at == last.at { return .duplicateTime }
    if isReachable(point, at: fix.at, from: lastPoint, at: last.at, settings) {
      pass(fix, point)
      return nil
    }
    if let held, held.at < fix.at,
      isReachable(point, at: fix.at, from: SurfacePoint(held.coordinate), at: held.at, settings)
    {
      pass(fix, point)
      return nil
    }
    held = fix
    return .unconfirmedJump
  }

  /// Notes the newest of some fixes that are known to pass; see ``CalmColumns``.
  package mutating func accept(_ fix: Fix) { accept(fix, at: SurfacePoint(fix.coordinate)) }

  /// The same, where the fix's point is known.
  package mutating func accept(_ fix: Fix, at point: SurfacePoint) { pass(fix, point) }

  /// Whether a fix passes as the next one after the last, without anything that is held back.
  package func lets(_ fix: Fix, at point: SurfacePoint, _ settings: FixGateSettings) -> Bool {
    guard let last, let lastPoint, fix.hasValidAccuracy, fix.at > last.at
    else { return false }
    return isReachable(point, at: fix.at, from: lastPoint, at: last.at, settings)
  }

  /// Goes on by a clock that was set by a span.
  package mutating func shiftClock(by span: Milliseconds) {
    if let fix = last { last?.at = fix.at + span }
    if let fix = held { held?.at = fix.at + span }
  }

  private mutating func pass(_ fix: Fix, _ point: SurfacePoint) {
    last = fix
    lastPoint = point
    held = nil
  }

  private func isReachable(
    _ point: SurfacePoint,
    at: Timestamp,
    from other: SurfacePoint,
    at otherAt: Timestamp,
    _ settings: FixGateSettings
  ) -> Bool {
    // A second at least: between two fixes of one second, jitter is faster than any aircraft.
    let seconds = max(1, (at - otherAt).seconds)
    let reach = settings.jumpSpeedMetersPerSecond * seconds
    // The chord is the shorter way, so a move that passes here may be faster by a hair; never slower.
    return point.chordSquared(to: other) <= reach * reach
  }

  private enum CodingKeys: String, CodingKey {
    case last
    case held
  }

  /// Reads the two fixes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    last = try container.decodeIfPresent(Fix.self, forKey: .last)
    held = try container.decodeIfPresent(Fix.self, forKey: .held)
    lastPoint = last.map { SurfacePoint($0.coordinate) }
  }
}
