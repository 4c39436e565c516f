import OutputLines
import Fencing
import Geodesy
import NearMeEngine
import Replay
import Timeline
import Traces

/// A phone that moves along a straight line past one region, and when it says so.
///
/// Positions are meters east of the region's center, instants are seconds.
struct PhoneScene {
  static let plane = LocalPlane(origin: Coordinate(uncheckedLatitude: 0, longitude: 10))
  private(set) var twin: PhoneTwin
  private(set) var heard: [String] = []

  init(_ settings: TwinSettings, seed: UInt64 = 1) {
    twin = PhoneTwin(settings, seed: seed)
  }

  static func region(
    _ id: String,
    _ kind: Region.Kind,
    at meters: Double = 0,
    radius: Double
  ) -> Region {
    Region(
      id: id,
      center: plane.coordinate(eastMeters: meters, northMeters: 0),
      radiusMeters: radius,
      kind: kind
    )
  }

  /// The phone is at a distance from a time on; without a further call it has not been seen again.
  mutating func at(_ meters: Double, second: Double, accuracy: Double = 10) {
    let now = Timestamp(milliseconds: Int64(second * 1_000))
    pass(upTo: now, inclusive: false)
    _ = twin.consume(
      Fix(
        at: now,
        coordinate: Self.plane.coordinate(eastMeters: meters, northMeters: 0),
        horizontalAccuracyMeters: accuracy
      )
    )
    pass(upTo: now, inclusive: true)
  }

  /// Moves from one distance to another, a fix a second.
  mutating func move(_ from: Double, _ to: Double, seconds: ClosedRange<Int>) {
    for second in seconds {
      let share = Double(second - seconds.lowerBound) / Double(max(1, seconds.count - 1))
      at(from + (to - from) * share, second: Double(second))
    }
  }

  mutating func pass(upTo now: Timestamp, inclusive: Bool) {
    while let instant = twin.nextInstant, instant < now || (inclusive && instant == now) {
      guard let wake = twin.advance(to: instant) else { continue }
      let where_ = Self.plane.project(wake.fix.coordinate).eastMeters.rounded()
      heard.append("\(wake.cause.rawValue) at \(wake.at.milliseconds / 1_000) s, \(Int(where_)) m")
    }
  }

  mutating func wait(until second: Int64) {
    pass(upTo: Timestamp(seconds: second), inclusive: true)
  }

  mutating func goBlind(_ isBlind: Bool) { twin.goBlind(isBlind) }

  @discardableResult
  mutating func change(start: [Region] = [], stop: [String] = []) -> [String] {
    twin.apply(start: start, stop: stop)
  }
}
