/// The sine and cosine of an angle in degrees, the same bits on every machine.
///
/// Uses only additions and multiplications, which IEEE 754 rounds in one way, where two C libraries
/// may differ in the last bit of `sin`. Decisions rest on these numbers, and a replay must give the
/// same bytes everywhere.
///
/// - Precision: within 2 units in the last place of 1 for |degrees| ≤ 540.
/// - Complexity: O(1).
/// - Source: Taylor series to x¹⁷ on ±45°, where the first term left out is below 1e-17.
public func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
  let quarterTurns = (degrees / 90).rounded()
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
