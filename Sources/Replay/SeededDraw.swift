import Timeline

/// A number between 0 and 1, 1 not included, that depends on a seed and an instant only.
///
/// What is drawn for an instant does not depend on what was drawn before: two strategies that are
/// compared meet the same luck.
///
/// - Source: the finaliser of S. Vigna, SplitMix64, public domain (prng.di.unimi.it).
func draw(seed: UInt64, at instant: Timestamp) -> Double {
  var z = seed &* 0xD134_2543_DE82_EF95 &+ UInt64(bitPattern: instant.milliseconds)
  for _ in 0..<2 {
    z &+= 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    z ^= z >> 31
  }
  return Double(z >> 11) * 0x1p-53
}
