import Basics
import Timeline

/// A number between 0 and 1, 1 not included, that depends on a seed and an instant only.
///
/// What is drawn for an instant does not depend on what was drawn before: two strategies that are
/// compared meet the same luck.
func draw(seed: UInt64, at instant: Timestamp) -> Double {
  let mixed = seed &* 0xD134_2543_DE82_EF95 &+ UInt64(bitPattern: instant.milliseconds)
  var first = SplitMix64(seed: mixed)
  var second = SplitMix64(seed: first.next())
  return second.unit()
}
