import Geodesy
import TestSupport
import Timeline
import TraceDoctor
import Traces

/// One kind of damage done to a stretch of a clean trace, with what a doctor must say of it.
enum Damage: CaseIterable {
  case noTime, badTime, offTheGlobe, badNumber, unknownAccuracy, nullIsland, unsetClock
  case swap, blockBack, twice, sameStamp, sameStampFar
  case teleport, loneJump, freeze, hole

  /// Does the damage at an index.
  ///
  /// - Parameter points: fixes at 1 to 15 s, driving straight for 41 fixes from `index` on.
  /// - Returns: what is found, with indices in the damaged points, and how many fixes of the clean
  ///   trace a repair cannot give back.
  func strike(
    _ points: inout [TraceRecord],
    at index: Int,
    _ random: inout SeededGenerator
  ) -> (found: [String], lost: Int) {
    let length = random.integer(2...6)
    switch self {
    case .noTime: return refuse(&points, at: index, .noTime, "missing_time")
    case .badTime: return refuse(&points, at: index, .badTime, "unreadable_time")
    case .offTheGlobe: return refuse(&points, at: index, .badCoordinate, "bad_coordinate")
    case .badNumber: return refuse(&points, at: index, .badNumber, "unreadable_number")
    case .unknownAccuracy:
      return refuse(&points, at: index, .invalidAccuracy, "invalid_accuracy")
    case .nullIsland:
      points[index].change { $0.coordinate = Coordinate(uncheckedLatitude: 0, longitude: 0) }
      return (["null_island \(index + 1)"], 1)
    case .unsetClock:
      for offset in 0..<length {
        points[index + offset].change { $0.at = Timestamp(seconds: Int64(offset)) }
      }
      let place = " \(index + 1)-\(index + length)"
      return (["implausible_date" + place, "time_reversal" + place], length)
    case .swap:
      points.swapAt(index, index + 1)
      return (["swapped_points \(index + 2)"], 0)
    case .blockBack:
      let moved = points[index..<(index + length)]
      points.replaceSubrange(index..<(index + length), with: [])
      points.insert(contentsOf: moved, at: index + random.integer(2...9))
      guard let place = points.firstIndex(of: moved[index]) else { return ([], 0) }
      return (["time_reversal \(place + 1)-\(place + length)"], 0)
    case .twice:
      points.insert(points[index], at: index + 1)
      return (["duplicate_fix \(index + 2)"], 0)
    case .sameStamp:
      return copy(&points, at: index, metersNorth: random.uniform(1...90), "duplicate_stamp")
    case .sameStampFar:
      return copy(
        &points,
        at: index,
        metersNorth: random.uniform(400...9_000),
        "two_places_at_once"
      )
    case .teleport:
      let (east, north) = (random.uniform(9_000...40_000), random.uniform(-40_000...40_000))
      for offset in 0..<length { points[index + offset].move(east, north) }
      return (["teleport \(index + 1)-\(index + length)"], length)
    case .loneJump:
      points[index].move(random.uniform(9_000...40_000), random.uniform(-40_000...40_000))
      return (["lone_jump \(index + 1)"], 1)
    case .freeze:
      guard let place = points[index].fix?.coordinate else { return ([], 0) }
      for offset in 1...38 { points[index + offset].change { $0.coordinate = place } }
      return (["stuck \(index + 1)-\(index + 39)"], 38)
    case .hole:
      // Whatever comes after it comes so much later; the way driven makes it a gap.
      for later in (index + 1)..<points.count {
        points[later].change { $0.at = $0.at + .minutes(11) }
      }
      for later in (index + 1)..<points.count { points[later].move(1_500, 0) }
      return (["gap \(index + 1)-\(index + 2)"], 0)
    }
  }

  private func refuse(
    _ points: inout [TraceRecord],
    at index: Int,
    _ refusal: FixRefusal,
    _ name: String
  ) -> (found: [String], lost: Int) {
    points[index].outcome = .refused(refusal)
    return (["\(name) \(index + 1)"], 1)
  }

  private func copy(
    _ points: inout [TraceRecord],
    at index: Int,
    metersNorth: Double,
    _ name: String
  ) -> (found: [String], lost: Int) {
    var other = points[index]
    other.move(0, metersNorth)
    points.insert(other, at: index + 1)
    return (["\(name) \(index + 2)"], 0)
  }
}

extension TraceRecord {
  /// Changes the fix, if it is one.
  mutating func change(_ body: (inout Fix) -> Void) {
    guard case .fix(var fix) = outcome else { return }
    body(&fix)
    outcome = .fix(fix)
  }

  /// Moves the fix by meters.
  mutating func move(_ eastMeters: Double, _ northMeters: Double) {
    change {
      $0.coordinate = LocalPlane(origin: $0.coordinate)
        .coordinate(eastMeters: eastMeters, northMeters: northMeters)
    }
  }
}
