import Geodesy

/// Where a coordinate lies on a Hilbert curve over the map of the world.
///
/// Rows in this order have their neighbors on the same pages of the file.
///
/// - Complexity: O(32).
/// - Source: D. Hilbert, Math. Ann. 38 (1891); the quadrants are turned as they are walked.
func hilbertPosition(_ coordinate: Coordinate) -> UInt64 {
  var x = UInt32(truncatingIfNeeded: Int64(coordinate.longitudeE7) + 1_800_000_000)
  var y = UInt32(truncatingIfNeeded: Int64(coordinate.latitudeE7) + 900_000_000)
  var position: UInt64 = 0
  var bit: UInt32 = 1 << 31
  while bit != 0 {
    let right = x & bit != 0
    let upper = y & bit != 0
    let quadrant: UInt64 = right ? (upper ? 2 : 3) : (upper ? 1 : 0)
    position = position << 2 | quadrant
    if !upper {
      if right {
        x = ~x
        y = ~y
      }
      swap(&x, &y)
    }
    bit >>= 1
  }
  return position
}
