import Geodesy

/// Where a coordinate lies on a Hilbert curve over the map of the world.
///
/// Rows in this order have their neighbors on the same pages of the file.
///
/// - Complexity: O(8): four bits of each number at a time.
/// - Source: D. Hilbert, Math. Ann. 38 (1891); the quadrants are turned as they are walked.
package func hilbertPosition(_ coordinate: Coordinate) -> UInt64 {
  let x = UInt32(truncatingIfNeeded: Int64(coordinate.longitudeE7) + 1_800_000_000)
  let y = UInt32(truncatingIfNeeded: Int64(coordinate.latitudeE7) + 900_000_000)
  return HilbertSteps.all.withUnsafeBufferPointer { steps in
    var position: UInt64 = 0
    var turn = 0
    for shift in stride(from: UInt32(28), through: 0, by: -4) {
      let nibbles = Int(x >> shift & 15) << 4 | Int(y >> shift & 15)
      let step = steps[turn << 8 | nibbles]
      position = position << 8 | UInt64(step & 0xFF)
      turn = Int(step >> 8)
    }
    return position
  }
}

/// Four steps down the curve at once, for each way in which it can be turned.
private enum HilbertSteps {
  /// By turn, four bits of x and four of y: eight bits of the position, and above them the turn of what is below.
  ///
  /// A turn is 1 where x and y have changed places, and 2 where both count backward.
  static let all: [UInt16] = (0..<4)
    .flatMap { turn in
      (0..<256).map { nibbles in step(turn: turn, x: UInt8(nibbles >> 4), y: UInt8(nibbles & 15)) }
    }

  private static func step(turn: Int, x: UInt8, y: UInt8) -> UInt16 {
    var (isSwapped, isBackward) = (turn & 1 != 0, turn & 2 != 0)
    var position: UInt16 = 0
    for bit in [3, 2, 1, 0] as [UInt8] {
      let (first, second) = (x >> bit & 1 != 0, y >> bit & 1 != 0)
      let right = (isSwapped ? second : first) != isBackward
      let upper = (isSwapped ? first : second) != isBackward
      position = position << 2 | (right ? (upper ? 2 : 3) : (upper ? 1 : 0))
      if !upper {
        if right { isBackward.toggle() }
        isSwapped.toggle()
      }
    }
    return position | UInt16((isSwapped ? 1 : 0) | (isBackward ? 2 : 0)) << 8
  }
}
