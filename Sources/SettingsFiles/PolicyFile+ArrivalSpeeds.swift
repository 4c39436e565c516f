import Arrivals
import NearMeEngine

/// The keys of the arrival detector's speeds: what receivers report, and how far one may have come.
extension PolicyFile {
  static let arrivalSpeeds: [Key] = [
    number(
      "rest_noise",
      \.arrival.speeds.narrowNoiseMetersPerSecond,
      in: 0.01...10,
      "The noise of the better receivers' speeds at rest, in m/s (corpora) …"
    ),
    number(
      "rest_noise_wide",
      \.arrival.speeds.wideNoiseMetersPerSecond,
      in: 0.01...10,
      "… and of the others …"
    ),
    number(
      "rest_noise_share",
      \.arrival.speeds.narrowShare,
      in: 0...1,
      "… and the share of the better."
    ),
    number(
      "wrong_speeds",
      \.arrival.speeds.wrongShare,
      in: 0...0.99,
      "The share of speeds at rest that are plainly wrong (corpora) …"
    ),
    number(
      "wrong_speed",
      \.arrival.speeds.wrongMetersPerSecond,
      in: 0.01...50,
      "… and their mean, in m/s."
    ),
    number(
      "walking_share",
      \.arrival.speeds.walkingShare,
      in: 0...0.99,
      "The share of time in motion on foot (corpora) …"
    ),
    number(
      "walking_speed",
      \.arrival.speeds.walkingMetersPerSecond,
      in: 0.1...5,
      "… at this speed, in m/s (Bohannon 1997: 1.27 to 1.46) …"
    ),
    number(
      "walking_deviation",
      \.arrival.speeds.walkingDeviationMetersPerSecond,
      in: 0.01...5,
      "… with this deviation."
    ),
    number(
      "riding_speed",
      \.arrival.speeds.ridingMetersPerSecond,
      in: 0.1...100,
      "The mean speed on wheels, in m/s (corpora)."
    ),
    number(
      "least_doubt",
      \.arrival.speeds.leastDoubt,
      in: 1e-9...0.5,
      "How unlikely rest or motion can become: the contrary for a minute can change it; judgment."
    ),
    length(
      "way_noise",
      \.arrival.way.noiseMeters,
      "How a way that is reckoned from speed and course errs after a second, per axis …"
    ),
    number(
      "way_noise_per_speed",
      \.arrival.way.noisePerSpeed,
      in: 0...10,
      "… and so many meters more for each m/s …"
    ),
    number(
      "reckoning",
      \.arrival.way.reckoningSeconds,
      in: 0...3_600,
      "… for so many seconds; after that only the length is known."
    ),
    number(
      "unknown_direction",
      \.arrival.way.unknownDirectionShare,
      in: 0...10,
      "The deviation of a way in an unknown direction, as a share of its length (the root of 1/2) …"
    ),
    number(
      "straight_on",
      \.arrival.way.straightSeconds,
      in: 0...3_600,
      "… which goes on in one direction for so many seconds."
    ),
    number(
      "drift",
      \.arrival.way.variancePerSecond,
      in: 0...1e6,
      "Without a course so many square meters are added each second; judgment."
    ),
    number(
      "drift_at_rest",
      \.arrival.way.variancePerSecondAtRest,
      in: 0...1e6,
      "The same at rest; judgment."
    ),
    number(
      "assumed_speed",
      \.arrival.way.assumedMetersPerSecond,
      in: 0...50,
      "The speed in m/s where none is known: between standing and walking."
    ),
    number(
      "long_gap",
      \.arrival.way.longGapSeconds,
      in: 1...86_400,
      "In a longer gap than so many seconds anything may have happened …"
    ),
    number(
      "long_gap_drift",
      \.arrival.way.longGapVariancePerSecond,
      in: 0...1e6,
      "… and so many square meters are added each second; judgment."
    ),
    number(
      "silent_way",
      \.arrival.way.silentSeconds,
      in: 0...3_600,
      "Who walks into silence goes on for at most so many seconds."
    ),
  ]
}
