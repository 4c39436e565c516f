/// e to the power of x, the same bits on every machine.
///
/// The C library's `exp` may differ in the last bit between systems; decisions rest on this one.
///
/// - Returns: 0 below −708, e^708 above 708.
/// - Precision: relative 3e-16 (`ElementaryTests` against the C library).
/// - Complexity: O(1).
/// - Source: x = k ln 2 + r with |r| ≤ ln 2 / 2, then the Taylor series of r to r¹³, where the first
///   term left out is below 5e-18; in pairs (Estrin's scheme), for a processor adds those side by side.
@inlinable
package func exponential(_ x: Double) -> Double {
  if x < -708 { return 0 }
  let x = min(x, 708)
  let k = nearestWhole(x * 1.442_695_040_888_963_4)
  // ln 2 in two parts, so that k ln 2 loses nothing.
  let r = (x - k * 0.693_147_180_369_123_8) - k * 1.908_214_929_270_587_7e-10
  let r2 = r * r
  let r4 = r2 * r2
  let low = (0.5 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120))
  let middle = (1.0 / 720 + r * (1.0 / 5_040)) + r2 * (1.0 / 40_320 + r * (1.0 / 362_880))
  let high =
    (1.0 / 3_628_800 + r * (1.0 / 39_916_800))
    + r2 * (1.0 / 479_001_600 + r * (1.0 / 6_227_020_800))
  // The largest last: 1 and r are exact, and all else is below 0.07.
  let sum = 1 + (r + r2 * (low + r4 * (middle + r4 * high)))
  // 2 to the power of k, by its bits: k lies between −1022 and 1022.
  return sum * Double(bitPattern: UInt64(bitPattern: Int64(k) &+ 1_023) &<< 52)
}

/// The whole number next to a number below 2⁶² in magnitude, halves away from zero, as `rounded()` gives it.
///
/// Processors of 2008 and before round by a call into the C library, so the compiler does so for all.
@inlinable
@inline(__always)
package func nearestWhole(_ x: Double) -> Double {
  let whole = Double(Int64(x))
  // Exact, for the two are less than 1 apart.
  let rest = x - whole
  let nearest = rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
  return Double(signOf: x, magnitudeOf: nearest)
}

/// The natural logarithm of a positive number, the same bits on every machine.
///
/// - Returns: −745 for 0 and below, so that sums of logarithms stay finite.
/// - Precision: absolute 3e-16 times max(1, |ln x|).
/// - Complexity: O(1).
/// - Source: x = m 2^k with m in √½ … √2, ln m = 2 artanh((m − 1) / (m + 1)) to the 21st power, in
///   pairs as in ``exponential(_:)``.
@inlinable
package func naturalLogarithm(_ x: Double) -> Double {
  guard x > 0 else { return -745 }
  guard x.isFinite else { return 709.8 }
  // Numbers too small to have all their bits are taken 2⁵⁴ times as large.
  let isSmall = x < Double.leastNormalMagnitude
  let bits = (isSmall ? x * 0x1p54 : x).bitPattern
  // How many powers of two its bits are above those of √½, without a branch that is taken every other time.
  let power = Int64(bitPattern: bits &- 0x3FE6_A09E_667F_3BCD) &>> 52
  let m = Double(bitPattern: bits &- UInt64(bitPattern: power) &<< 52)
  let k = Double(isSmall ? power &- 54 : power)
  let s = (m - 1) / (m + 1)
  let s2 = s * s
  let s4 = s2 * s2
  let s8 = s4 * s4
  let low = (1.0 / 3 + s2 * (1.0 / 5)) + s4 * (1.0 / 7 + s2 * (1.0 / 9))
  let middle = (1.0 / 11 + s2 * (1.0 / 13)) + s4 * (1.0 / 15 + s2 * (1.0 / 17))
  let sum = low + s8 * (middle + s8 * (1.0 / 19 + s2 * (1.0 / 21)))
  let logarithm = s + s * (s2 * sum)
  return k * 0.693_147_180_369_123_8 + (2 * logarithm + k * 1.908_214_929_270_587_7e-10)
}

/// The sine and cosine of an angle in degrees, the same bits on every machine.
///
/// Uses only additions and multiplications, which IEEE 754 rounds in one way, where two C libraries
/// may differ in the last bit of `sin`. Decisions rest on these numbers, and a replay must give the
/// same bytes everywhere.
///
/// - Precision: within 2 units in the last place of 1 for |degrees| ≤ 540.
/// - Complexity: O(1).
/// - Source: Taylor series to x¹⁷ on ±45°, where the first term left out is below 1e-17.
@inlinable
package func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
  let quarterTurns = nearestWhole(degrees / 90)
  let x = (degrees - 90 * quarterTurns) * (Double.pi / 180)
  let x2 = x * x
  var sine = -1.0 / 1_307_674_368_000
  sine = sine * x2 + 1.0 / 6_227_020_800
  sine = sine * x2 - 1.0 / 39_916_800
  sine = sine * x2 + 1.0 / 362_880
  sine = sine * x2 - 1.0 / 5_040
  sine = sine * x2 + 1.0 / 120
  sine = sine * x2 - 1.0 / 6
  sine = x + x * x2 * sine
  var cosine = 1.0 / 20_922_789_888_000
  cosine = cosine * x2 - 1.0 / 87_178_291_200
  cosine = cosine * x2 + 1.0 / 479_001_600
  cosine = cosine * x2 - 1.0 / 3_628_800
  cosine = cosine * x2 + 1.0 / 40_320
  cosine = cosine * x2 - 1.0 / 720
  cosine = cosine * x2 + 1.0 / 24
  cosine = 1 - x2 * (0.5 - x2 * cosine)
  switch Int(quarterTurns) & 3 {
  case 0: return (sine, cosine)
  case 1: return (cosine, -sine)
  case 2: return (-sine, -cosine)
  default: return (-cosine, sine)
  }
}
