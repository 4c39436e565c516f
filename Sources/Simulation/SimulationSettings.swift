import Basics
import Geodesy
import Places
import Timeline

/// What kind of days are lived, and how the phone sees them.
package struct SimulationSettings: Hashable, Sendable {
  /// The seed: the same one gives the same bytes.
  package var seed: UInt64 = 1
  /// The date of the first day, by the wall clock.
  package var firstDate: CivilDate
  /// Where they live, for the wall clock.
  package var zone: UTCOffsetTable
  /// How positions err.
  package var noise = NoisePreset.mixed
  /// Whether errors are drawn anew for each fix, as they never are in the world.
  package var isWhiteNoise = false
  /// How often a position comes; nil draws one for each day.
  package var sampling: Sampling?
  /// What the receiver says of the speed; nil draws one for each day.
  package var speed: SpeedReport?
  /// What kind of phone sees the days; nil: the receiver that is drawn for each of them.
  package var phone: Phone?
  /// Whether the cadence stays the same at rest: nothing is learned from a slower one.
  package var hasConstantCadence = false
  /// How far from a place's point people stop, the median in meters; at filling stations 4 to 25 m.
  package var stopOffsetMeters = 11.0

  /// Makes settings.
  package init(firstDate: CivilDate, zone: UTCOffsetTable) {
    self.firstDate = firstDate
    self.zone = zone
  }
}

/// How often a position comes while one moves.
package enum Sampling: String, Hashable, Sendable, CaseIterable {
  case everySecond = "1hz"
  case every5Seconds = "5s"
  case every15Seconds = "15s"
  /// One for each 500 m, a coarse one.
  case significant

  /// Seconds between two fixes on the way; for `significant` the distance decides.
  var movingSeconds: Int {
    switch self {
    case .everySecond: 1
    case .every5Seconds: 5
    case .every15Seconds: 15
    case .significant: 1
    }
  }
}

/// What the receiver says of the speed.
package enum SpeedReport: String, Hashable, Sendable, CaseIterable {
  /// Exactly 0 at rest.
  case zeroAtRest = "zero"
  /// Some tenths of a meter a second at rest.
  case noisyAtRest = "noisy"
  /// Never a word.
  case none
}

/// How positions err, by surroundings.
package enum NoisePreset: String, Hashable, Sendable, CaseIterable {
  /// Drawn for each day: what a city's people see.
  case mixed
  /// Wide sky everywhere.
  case open
  /// Houses with gardens.
  case suburb
  /// Streets of a city.
  case urban
  /// Streets between towers, with glitches.
  case canyon
  /// None: the receiver knows where it is.
  case none
}

/// Where a receiver is, as far as the sky goes.
package enum Surroundings: String, Hashable, Sendable, CaseIterable {
  case open
  case urban
  case indoor
}

/// The errors of one day.
package struct NoiseModel: Hashable, Sendable {
  /// The errors in one kind of surroundings.
  package struct Errors: Hashable, Sendable {
    /// Standard deviation for each axis, in meters.
    package var sigmaMeters: Double
    /// How long an error lasts, in seconds: a first-order Gauss-Markov process.
    package var correlationSeconds: Double
    /// Bursts of multipath an hour.
    package var glitchesPerHour: Double
  }

  package var open: Errors
  package var urban: Errors
  package var indoor: Errors
  /// How far a burst leads astray, in meters.
  package var glitchMeters: ClosedRange<Double> = 50...500
  /// The share of bursts that claim to be exact.
  package var lyingShare = 0.4
  /// The share of fixes from a cell or a wireless network, far off and saying so.
  package var coarseShare = 0.002
  /// The share of the time in which the claimed accuracy is wrong by a factor 0.3 to 4.
  package var accuracyLieShare = 0.0
  /// The share of 90 s blocks indoors without a fix.
  package var indoorAbsentShare = 0.5
  /// Independent of fix to fix, in meters.
  package var whiteMeters = 0.6

  package func errors(_ surroundings: Surroundings) -> Errors {
    switch surroundings {
    case .open: open
    case .urban: urban
    case .indoor: indoor
    }
  }

  /// The errors of a day.
  ///
  /// - Source: the corpora that the detector was made on (`mixed`); open sky 4 m for 60 s, suburb 8
  ///   for 60, urban 15 for 30, canyon 30 for 30 with 5 glitches an hour of 100 to 700 m (Zandbergen
  ///   2009; Merry & Bettinger 2019; PX4's model of GPS).
  package init(_ preset: NoisePreset, _ random: inout SplitMix64) {
    func errors(_ sigma: Double, _ seconds: Double, _ glitches: Double) -> Errors {
      Errors(sigmaMeters: sigma, correlationSeconds: seconds, glitchesPerHour: glitches)
    }
    switch preset {
    case .mixed:
      open = errors(random.uniform(3...8), random.uniform(30...60), 0.5)
      urban = errors(random.uniform(10...30), random.uniform(15...40), 5)
      indoor = errors(random.uniform(15...35), random.uniform(60...150), 1)
      accuracyLieShare = random.uniform(0...0.08)
    case .open:
      open = errors(4, 60, 0)
      urban = open
      indoor = errors(8, 90, 0)
      coarseShare = 0
    case .suburb:
      open = errors(4, 60, 0)
      urban = errors(8, 60, 0.5)
      indoor = errors(15, 90, 0.5)
    case .urban:
      open = errors(8, 60, 0.5)
      urban = errors(15, 30, 2)
      indoor = errors(25, 90, 1)
    case .canyon:
      open = errors(15, 30, 2)
      urban = errors(30, 30, 5)
      indoor = errors(35, 90, 2)
      glitchMeters = 100...700
    case .none:
      open = errors(0, 60, 0)
      urban = open
      indoor = open
      coarseShare = 0
      whiteMeters = 0
    }
    indoorAbsentShare = preset == .none ? 0 : random.uniform(0.2...0.9)
  }
}
