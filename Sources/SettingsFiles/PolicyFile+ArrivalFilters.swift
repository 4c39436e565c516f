import Arrivals
import NearMeEngine

/// The keys of the arrival detector's filters, which hardly ever need to change.
extension PolicyFile {
  static let arrivalFilters: [Key] = [
    number(
      "accuracy_per_deviation",
      \.arrival.position.accuracyPerDeviation,
      in: 0.1...10,
      "A fix's accuracy in standard deviations of one axis: 68 % of two normal axes lie within 1.51."
    ),
    length(
      "white_noise",
      \.arrival.position.whiteMeters,
      "The error of a fix that does not last, per axis (corpora: 0.6 m)."
    ),
    number(
      "gate",
      \.arrival.position.gate,
      in: 1...1e6,
      "Fixes farther off than this square distance are left out (99.9 % of chi-square: 13.8)."
    ),
    integer(
      "outliers_in_a_row",
      \.arrival.position.outliersInARow,
      in: 1...1_000,
      "So many left out in a row are believed, and all before them is not; judgment."
    ),
    length(
      "least_accuracy",
      \.arrival.position.leastAccuracyMeters,
      "No accuracy better than this is believed: some receivers write 0 for \"unknown\"."
    ),
    number(
      "accuracy_settle",
      \.arrival.position.accuracySettleSeconds,
      in: 0.1...3_600,
      "A change of the claimed accuracy is believed in about so many seconds …"
    ),
    number(
      "accuracy_most",
      \.arrival.position.accuracyMostTimes,
      in: 1...1e6,
      "… and as so many times the one before, at most; judgment."
    ),
    number(
      "accuracy_tolerated",
      \.arrival.position.accuracyToleratedTimes,
      in: 1...1e6,
      "A fix that claims more than so many times the usual has noise of its own; judgment."
    ),
    number(
      "mean_spell",
      \.arrival.motion.meanSpellSeconds,
      in: 1...3_600,
      "The mean time of standing or moving, in seconds; judgment."
    ),
    number(
      "zeros_at_rest",
      \.arrival.motion.zeroShareAtRest,
      in: 0.001...0.999,
      "The share of speeds of exactly 0 at rest (half of the receivers write them)."
    ),
    number(
      "zeros_in_motion",
      \.arrival.motion.zeroShareInMotion,
      in: 0.001...0.999,
      "The same in motion."
    ),
    number(
      "without_speed",
      \.arrival.motion.withoutSpeedSeconds,
      in: 0...3_600,
      "After so many seconds without a speed, the way between fixes takes its place."
    ),
    number(
      "displacement",
      \.arrival.motion.displacementSeconds,
      in: 5...120,
      "The way over so many seconds, where no speed is reported."
    ),
    number(
      "displacement_mean",
      \.arrival.motion.displacementMeanSeconds,
      in: 1...60,
      "It lies between positions that are averaged over so many seconds …"
    ),
    number(
      "displacement_share",
      \.arrival.motion.displacementLeastShare,
      in: 0...1,
      "… at least this share of the time apart …"
    ),
    number(
      "displacement_oldest",
      \.arrival.motion.displacementOldestSeconds,
      in: 1...3_600,
      "… or, where fixes are rare, at most so many seconds."
    ),
    number(
      "displacement_fresh",
      \.arrival.motion.displacementFreshSeconds,
      in: 1...3_600,
      "After so many seconds it is all news; before, it shares its fixes with the last one."
    ),
    number(
      "displacement_noise",
      \.arrival.motion.displacementNoiseShare,
      in: 0...10,
      "This share of what noise alone would give is taken off before it is a speed."
    ),
    number(
      "clearly_moving",
      \.arrival.motion.clearlyMovingRest,
      in: 0...1,
      "On wheels and below this probability of rest, nobody arrives."
    ),
    number(
      "walking_top",
      \.arrival.motion.walkingTopMetersPerSecond,
      in: 0.1...50,
      "Faster than this, in m/s, nobody enters a door: silence is a tunnel (12 km/h)."
    ),
    number(
      "walking_least",
      \.arrival.motion.walkingLeastMetersPerSecond,
      in: 0...50,
      "Slower than this, in m/s, one stands or shuffles."
    ),
    number(
      "wheels",
      \.arrival.motion.wheelsMetersPerSecond,
      in: 0.1...50,
      "Faster than this, in m/s, one is on wheels."
    ),
    number(
      "wheels_memory",
      \.arrival.stop.wheelsMemorySeconds,
      in: 1...36_000,
      "The greatest speed fades with this time, in seconds; by k-fold."
    ),
    number(
      "silence_intervals",
      \.arrival.stop.silenceIntervals,
      in: 0...1_000,
      "Silence counts beyond so many of the phone's own intervals …"
    ),
    number(
      "most_silence_intervals",
      \.arrival.stop.mostSilenceIntervals,
      in: 1...10_000,
      "… and up to so many."
    ),
    number(
      "stop_ends",
      \.arrival.stop.endsBelowRest,
      in: 0...0.5,
      "A stop ends when the probability of rest falls below this; judgment."
    ),
    number(
      "least_rest",
      \.arrival.stop.leastRestTerm,
      in: -14...0,
      "The log odds of standing still count from here …"
    ),
    number("most_rest", \.arrival.stop.mostRestTerm, in: 0...14, "… to here."),
    number(
      "longest_step",
      \.arrival.stop.longestStepSeconds,
      in: 0.1...3_600,
      "Between two fixes, so many seconds at most count as seen in motion or on foot."
    ),
    number(
      "longest_interval",
      \.arrival.stop.longestIntervalSeconds,
      in: 1...86_400,
      "Fixes farther apart, in seconds, do not tell the phone's own interval …"
    ),
    number(
      "interval_share",
      \.arrival.stop.intervalShare,
      in: 0.001...1,
      "… and each of the others counts for this share."
    ),
    length(
      "largest_outline",
      \.arrival.places.largestOutlineMeters,
      "Larger outlines count as this: malls, whose middle says nothing about a door."
    ),
    number(
      "least_place",
      \.arrival.places.leastTerm,
      in: -100...0,
      "The log odds of a place against the others count from here …"
    ),
    number(
      "most_place",
      \.arrival.places.mostTerm,
      in: 0...100,
      "… to here: a position alone proves only so much."
    ),
    number(
      "variance_factor",
      \.arrival.places.varianceFactor,
      in: 0.1...100,
      "The variance of the estimate is taken times this (1.3 to 2 do as well) …"
    ),
    number(
      "variance_added",
      \.arrival.places.addedVariance,
      in: 0...1e6,
      "… and so many square meters more."
    ),
    duration(
      "familiar_first",
      \.arrival.places.familiarFirst,
      "The first stay of a record, which begins at home, makes a place familiar after this."
    ),
    length(
      "familiar_radius",
      \.arrival.places.familiarRadiusMeters,
      "A stay goes on within this of where it began."
    ),
    number(
      "familiar_mean_of",
      \.arrival.places.familiarMeanOf,
      in: 1...1e6,
      "Its middle is the mean of so many fixes, and follows the newer ones after that."
    ),
    integer(
      "most_familiar",
      \.arrival.places.mostFamiliar,
      in: 1...1_000,
      "How many familiar places are remembered."
    ),
    length(
      "sleep_margin",
      \.arrival.places.sleepMarginMeters,
      "Nothing is computed while every place is this much farther than the reach."
    ),
  ]
}
