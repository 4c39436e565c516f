import Arrivals
import NearMeEngine

/// The keys of a phone's habits, and of what lasts on every phone.
extension PolicyFile {
  static let arrivalHabits: [Key] = [
    number(
      "doubted",
      \.arrival.position.doubtedSeconds,
      in: 0...86_400,
      "Fixes left out for so many seconds are believed, too (15 to 60 do as well)."
    ),
    number(
      "way_shown_noise_per_speed",
      \.arrival.way.shownNoisePerSpeed,
      in: 0...10,
      "As way_noise_per_speed, where positions show the speed (0.15 to 0.6 do as well)."
    ),
    number(
      "speed_contradictions",
      \.arrival.habits.leastContradictions,
      in: 0...1e6,
      "Speeds are no longer believed after so many ways that they did not tell of …"
    ),
    number(
      "speed_contradictions_to_one",
      \.arrival.habits.contradictionsToOne,
      in: 0...1e6,
      "… if those are so many times the ways that they told of …"
    ),
    number(
      "speed_clear",
      \.arrival.habits.clearMetersPerSecond,
      in: 0.1...100,
      "… where a way is one that was so fast, in m/s …"
    ),
    number(
      "speed_clear_noises",
      \.arrival.habits.clearNoises,
      in: 0...1e3,
      "… and so many times as long as noise makes it …"
    ),
    number(
      "speed_least_share",
      \.arrival.habits.leastSpeedShare,
      in: 0...1,
      "… is told of by this share of its speed …"
    ),
    number(
      "speed_kept",
      \.arrival.habits.kept,
      in: 0...1,
      "… and counts for this share of itself after the next one."
    ),
    number(
      "rest_told",
      \.arrival.habits.toldRestSeconds,
      in: 0...3_600,
      "Fixes without a speed are networks' if speeds told of rest so many seconds for each time …"
    ),
    number(
      "rest_untold",
      \.arrival.habits.untoldSeconds,
      in: 0...3_600,
      "… that none was told for so many seconds …"
    ),
    number(
      "rest_kept",
      \.arrival.habits.keptOfRest,
      in: 0...1,
      "… and count for this share of themselves after the next one."
    ),
    number(
      "rest_speed",
      \.arrival.habits.restMetersPerSecond,
      in: 0...10,
      "A speed below this, in m/s, tells of rest …"
    ),
    number(
      "rest_most",
      \.arrival.habits.mostRestSeconds,
      in: 0...3_600,
      "… for at most so many seconds before it."
    ),
    length(
      "roof",
      \.arrival.habits.roofMeters,
      "Farther than this by networks, from where speeds were last told, one is under no roof …"
    ),
    number(
      "roof_beyond",
      \.arrival.habits.beyondSeconds,
      in: 0...3_600,
      "… if it lasts for so many seconds."
    ),
    number(
      "spacing_growth",
      \.arrival.habits.leastGrowth,
      in: 0.5...10,
      "The least way between two fixes grows by this factor with each that is longer …"
    ),
    number(
      "spacing_fall",
      \.arrival.habits.leastFall,
      in: 0...1,
      "… and falls to no less than this share with one that is shorter."
    ),
    number(
      "spacing_times",
      \.arrival.habits.leastTimes,
      in: 1...100,
      "A way of at most so many times the least is of one length with it."
    ),
    number(
      "spacing_learned",
      \.arrival.habits.pairShare,
      in: 0.001...1,
      "This share is learned anew with each fix."
    ),
    number(
      "spacing_share",
      \.arrival.habits.leastShare,
      in: 0...1,
      "A phone measures by the way, and is silent at rest, if this share is of one length …"
    ),
    number(
      "spacing_variance",
      \.arrival.habits.leastVarianceOfSeconds,
      in: 0...100,
      "… and the logarithms of their times have this variance."
    ),
    number(
      "stride_share",
      \.arrival.habits.strideShare,
      in: 0...1,
      "With each fix in motion a phone's stride, the way from fix to fix, is learned anew by this."
    ),
    number(
      "spacing_ahead",
      \.arrival.habits.aheadShare,
      in: 0...1,
      "Then one has gone on by this share of the least way into silence …"
    ),
    number(
      "spacing_ahead_deviation",
      \.arrival.habits.aheadDeviation,
      in: 0...10,
      "… with this deviation per axis."
    ),
    length(
      "stay_within",
      \.arrival.habits.stayMeters,
      "One stays while within this of where one was on average (50 to 100 m do as well) …"
    ),
    number(
      "stay_mean_of",
      \.arrival.habits.stayMeanOf,
      in: 1...1e6,
      "… the average being of so many fixes …"
    ),
    number(
      "stay_least_walk",
      \.arrival.habits.leastWalkMetersPerSecond,
      in: 0...100,
      "… (who has come that far at so many m/s has walked) …"
    ),
    number(
      "stay_unit",
      \.arrival.habits.stayUnitSeconds,
      in: 1...3_600,
      "… and counts by the logarithm of so many seconds …"
    ),
    number(
      "stay_most",
      \.arrival.habits.stayMostSeconds,
      in: 1...86_400,
      "… up to so many."
    ),
    number(
      "unseen_after",
      \.arrival.habits.unseenAfterSeconds,
      in: 0...3_600,
      "A silence of more than so many seconds may hide a walk from the car …"
    ),
    number(
      "unseen_full",
      \.arrival.habits.unseenFullSeconds,
      in: 1...3_600,
      "… and a whole one after so many more."
    ),
    length(
      "thin_way",
      \.arrival.habits.thinMeters,
      "Fixes are thin where a phone that measures by the way does so for so much each …"
    ),
    number(
      "thin_bias",
      \.arrival.habits.thinBias,
      in: 0...10,
      "… and then the bias counts so many times."
    ),
    number(
      "thin_interval",
      \.arrival.habits.thinSeconds,
      in: 1...86_400,
      "Fixes are rare where they come so many seconds apart on the way …"
    ),
    number(
      "sparse_bias",
      \.arrival.habits.sparseBias,
      in: 0...10,
      "… and then the bias counts so many times, for a second fix has to come."
    ),
    number(
      "accuracy_share",
      \.arrival.habits.accuracyShare,
      in: 0...1,
      "With each fix in motion its claimed accuracy counts for this share of what the receiver is worth."
    ),
    length(
      "poor_accuracy",
      \.arrival.habits.poorMeters,
      "Positions are poor where that is more …"
    ),
    number(
      "poor_bias",
      \.arrival.habits.poorBias,
      in: 0...10,
      "… and then the bias counts so many times."
    ),
    weight("weight_staying", \.arrival.weights.staying, "How long one has not been farther away."),
    weight("weight_unseen", \.arrival.weights.unseen, "A walk from the car that went unseen."),
    weight("asleep_weight_staying", \.arrival.asleep.weights.staying, "As weight_staying."),
    weight("asleep_weight_unseen", \.arrival.asleep.weights.unseen, "As weight_unseen."),
  ]
}
