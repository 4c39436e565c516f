/// How far one may have come between two fixes, and how sure that is.
///
/// Variances are per axis. Where the speed and the course are reported, the way is reckoned from
/// them; else only its length is known, and the variance grows with that.
///
/// - Source: the filter that the development corpora were first measured with; where nothing else is
///   said, halving or doubling a number changes no score by more than noise does.
public struct WaySettings: Hashable, Sendable, Codable {
  /// How the reckoned way errs, in meters of deviation after one second, growing with its root.
  public var noiseMeters = 0.6
  /// And so much more for each m/s of speed.
  public var noisePerSpeed = 0.15
  /// The same where the speed is not reported but shown by positions.
  ///
  /// - Source: 0.15 to 0.6 do as well.
  public var shownNoisePerSpeed = 0.6
  /// Reckoning is good for so many seconds; after that, only that one moved is known.
  public var reckoningSeconds = 20.0
  /// The deviation of a way whose direction is unknown, as a share of its length.
  ///
  /// - Source: a way of length 1 in an unknown direction has a deviation of √½ per axis.
  public var unknownDirectionShare = 0.7
  /// Without a course, motion goes on in one direction for at most so many seconds.
  public var straightSeconds = 10.0
  /// What is added without a course, in square meters for each second.
  public var variancePerSecond = 0.15
  /// What is added at rest, in square meters for each second.
  public var variancePerSecondAtRest = 0.05
  /// The speed in m/s where none is known.
  ///
  /// - Source: between standing and walking.
  public var assumedMetersPerSecond = 1.0
  /// A longer gap than this many seconds, not at rest, is one in which anything may have happened.
  public var longGapSeconds = 120.0
  /// It adds so many square meters for each of its seconds.
  public var longGapVariancePerSecond = 25.0
  /// A person who walks into silence goes on for at most so many seconds before the sky is lost.
  public var silentSeconds = 20.0

  /// The defaults.
  public init() {}

  /// Reported speeds are taken as this at most, in m/s: a guard against nonsense, not a number that
  /// decides.
  static let mostMetersPerSecond = 400.0
}
