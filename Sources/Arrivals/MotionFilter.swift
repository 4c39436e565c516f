import Basics

/// How probable it is that the person stands still: two states, rest and motion, and what each makes
/// of the speeds that are reported.
///
/// Many receivers report exactly 0 at rest, others some noise; the filter knows both. Where no speed
/// is reported, displacements take its place, and they are worth less.
///
/// - Complexity: O(1) a fix.
struct MotionFilter: Hashable, Sendable, Codable {
  /// The probability of rest.
  private(set) var rest = 0.5

  /// Lets time pass: rest and motion each end some day.
  mutating func pass(
    seconds: Double,
    _ settings: MotionSettings,
    _ decay: inout RememberedExponential
  ) {
    let kept = decay(-2 * seconds / settings.meanSpellSeconds)
    rest = 0.5 + (rest - 0.5) * kept
  }

  /// Takes in a speed that the receiver reports.
  mutating func observe(
    reported speed: Double,
    _ settings: MotionSettings,
    _ speeds: SpeedDensities
  ) {
    let isZero = speed == 0
    learn(
      atRest: isZero
        ? settings.zeroShareAtRest : (1 - settings.zeroShareAtRest) * speeds.atRest(speed),
      inMotion: isZero
        ? settings.zeroShareInMotion : (1 - settings.zeroShareInMotion) * speeds.inMotion(speed),
      power: 1,
      leastDoubt: speeds.leastDoubt
    )
  }

  /// Takes in a displacement, where no speed is reported.
  ///
  /// - Parameters:
  ///   - noise: the deviation per axis, in meters, that rest would give it.
  ///   - seconds: over what time.
  ///   - fresh: the share of the time that no displacement before has covered.
  mutating func observe(
    displacement: Double,
    noise: Double,
    seconds: Double,
    fresh: Double,
    _ speeds: SpeedDensities
  ) {
    // Rayleigh's density, in meters; and that of motion with the noise smoothed into it.
    let z = displacement / noise
    let atRest = max(z, 0.05) / noise * exponential(-min(z * z / 2, 600))
    let speed = displacement / seconds
    let smear = noise / seconds
    let density = speeds.inMotion(max(speed, smear))
    // Noise alone keeps small displacements from occurring in motion, too.
    let inMotion = density / seconds * min(1, max(z, 0.05))
    learn(atRest: atRest, inMotion: inMotion, power: fresh, leastDoubt: speeds.leastDoubt)
  }

  private mutating func learn(
    atRest: Double,
    inMotion: Double,
    power: Double,
    leastDoubt: Double
  ) {
    let ratio =
      power == 1
      ? atRest / max(inMotion, 1e-12)
      : exponential(
        power * (naturalLogarithm(max(atRest, 1e-12)) - naturalLogarithm(max(inMotion, 1e-12)))
      )
    let odds = rest / max(1 - rest, 1e-9) * ratio
    rest = min(max(odds / (1 + odds), leastDoubt), 1 - leastDoubt)
  }
}
