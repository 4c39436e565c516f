import Basics

/// Which speeds receivers report at rest and in motion, exact zeros left out.
///
/// - Source: the noise of the receivers in the development corpora, unless a number says otherwise.
public struct SpeedSettings: Hashable, Sendable, Codable {
  /// The noise at rest of the better receivers, in m/s: half of a normal density.
  public var narrowNoiseMetersPerSecond = 0.3
  /// The noise at rest of the others.
  public var wideNoiseMetersPerSecond = 0.6
  /// The share of the better ones.
  public var narrowShare = 0.5
  /// The share of the speeds at rest that are plainly wrong.
  public var wrongShare = 0.07
  /// The mean of those, in m/s; they fall off exponentially.
  public var wrongMetersPerSecond = 1.0
  /// The share of time in motion that people walk.
  public var walkingShare = 0.5
  /// How fast they walk, in m/s.
  ///
  /// - Source: R. W. Bohannon, "Comfortable and maximum walking speed of adults", Age and Ageing 26
  ///   (1997): 1.27 to 1.46 m/s by age and sex.
  public var walkingMetersPerSecond = 1.3
  /// The deviation of that.
  public var walkingDeviationMetersPerSecond = 0.6
  /// The mean speed on wheels, in m/s; it falls off exponentially, for streets have queues.
  public var ridingMetersPerSecond = 9.0
  /// How unlikely rest or motion can become: a minute of the contrary can always change it.
  ///
  /// - Source: judgment.
  public var leastDoubt = 1e-4

  /// The defaults.
  public init() {}
}

/// The densities of reported speeds, ready to be computed.
///
/// - Complexity: O(1) a speed.
struct SpeedDensities: Sendable {
  let leastDoubt: Double
  private let narrow: (scale: Double, twoVariances: Double)
  private let wide: (scale: Double, twoVariances: Double)
  private let wrong: (scale: Double, mean: Double)
  private let walking: (scale: Double, mean: Double, deviation: Double)
  private let riding: (scale: Double, mean: Double)

  init(_ settings: SpeedSettings) {
    // √(2/π) and 1/√(2π): half of a normal density, and a whole one.
    let (half, whole) = (0.797_884_560_802_865_4, 0.398_942_280_401_432_7)
    func noise(_ deviation: Double, _ share: Double) -> (scale: Double, twoVariances: Double) {
      ((1 - settings.wrongShare) * share * half / deviation, 2 * deviation * deviation)
    }
    narrow = noise(settings.narrowNoiseMetersPerSecond, settings.narrowShare)
    wide = noise(settings.wideNoiseMetersPerSecond, 1 - settings.narrowShare)
    wrong = (settings.wrongShare / settings.wrongMetersPerSecond, settings.wrongMetersPerSecond)
    walking = (
      settings.walkingShare * whole / settings.walkingDeviationMetersPerSecond,
      settings.walkingMetersPerSecond, settings.walkingDeviationMetersPerSecond
    )
    riding = (
      (1 - settings.walkingShare) / settings.ridingMetersPerSecond, settings.ridingMetersPerSecond
    )
    leastDoubt = settings.leastDoubt
  }

  /// The density at rest of speeds other than 0, per m/s.
  func atRest(_ v: Double) -> Double {
    narrow.scale * exponential(-v * v / narrow.twoVariances)
      + wide.scale * exponential(-v * v / wide.twoVariances)
      + wrong.scale * exponential(-v / wrong.mean)
  }

  /// The density in motion, per m/s.
  func inMotion(_ v: Double) -> Double {
    let z = (v - walking.mean) / walking.deviation
    return walking.scale * exponential(-z * z / 2) + riding.scale * exponential(-v / riding.mean)
  }
}
