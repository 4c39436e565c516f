/// How probable it is that someone stands still: two states, rest and motion, and what each makes
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
  mutating func pass(seconds: Double, _ settings: MotionSettings) {
    let kept = exponential(-2 * seconds / settings.meanSpellSeconds)
    rest = 0.5 + (rest - 0.5) * kept
  }

  /// Takes in a speed that the receiver reports.
  mutating func observe(reported speed: Double, _ settings: MotionSettings) {
    if speed == 0 {
      learn(atRest: settings.zeroShareAtRest, inMotion: settings.zeroShareInMotion, power: 1)
    } else {
      learn(
        atRest: (1 - settings.zeroShareAtRest) * Self.densityAtRest(speed),
        inMotion: (1 - settings.zeroShareInMotion) * Self.densityInMotion(speed),
        power: 1
      )
    }
  }

  /// Takes in a displacement, where no speed is reported.
  ///
  /// - Parameters:
  ///   - noise: the deviation per axis, in meters, that rest would give it.
  ///   - seconds: over what time.
  ///   - fresh: the share of the time that no displacement before has covered.
  mutating func observe(displacement: Double, noise: Double, seconds: Double, fresh: Double) {
    // Rayleigh's density, in meters; and that of motion with the noise smoothed into it.
    let z = displacement / noise
    let atRest = max(z, 0.05) / noise * exponential(-min(z * z / 2, 600))
    let speed = displacement / seconds
    let smear = noise / seconds
    let density = Self.densityInMotion(max(speed, smear))
    // Noise alone keeps small displacements from occurring in motion, too.
    let inMotion = density / seconds * min(1, max(z, 0.05))
    learn(atRest: atRest, inMotion: inMotion, power: fresh)
  }

  private mutating func learn(atRest: Double, inMotion: Double, power: Double) {
    let ratio =
      power == 1
      ? atRest / max(inMotion, 1e-12)
      : exponential(
        power * (naturalLogarithm(max(atRest, 1e-12)) - naturalLogarithm(max(inMotion, 1e-12)))
      )
    let odds = rest / max(1 - rest, 1e-9) * ratio
    // Never so sure that a minute of the contrary could not change it.
    rest = min(max(odds / (1 + odds), 1e-4), 1 - 1e-4)
  }

  /// The density of speeds other than 0 at rest, per m/s: two half-normal noises (σ 0.3 and
  /// 0.6 m/s), and now and then a wrong speed.
  static func densityAtRest(_ v: Double) -> Double {
    let narrow = 0.797_884_560_802_865_4 / 0.3 * exponential(-v * v / 0.18)
    let wide = 0.797_884_560_802_865_4 / 0.6 * exponential(-v * v / 0.72)
    return 0.93 * 0.5 * (narrow + wide) + 0.07 * exponential(-v)
  }

  /// The density of speeds in motion, per m/s: half walking at 1.3 ± 0.6 m/s, half riding, with a
  /// mean of 9 m/s.
  static func densityInMotion(_ v: Double) -> Double {
    let z = (v - 1.3) / 0.6
    return 0.5 * 0.398_942_280_401_432_7 / 0.6 * exponential(-z * z / 2)
      + 0.5 / 9 * exponential(-v / 9)
  }
}
