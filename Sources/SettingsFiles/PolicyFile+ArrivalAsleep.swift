import Arrivals
import NearMeEngine

/// The keys of what differs where the app sleeps.
extension PolicyFile {
  static let arrivalAsleep: [Key] = [
    number(
      "asleep_threshold",
      \.arrival.asleep.threshold,
      in: 0.01...0.99,
      "A sleeping app weighs by numbers of its own: from this probability on …"
    ),
    duration("asleep_hold", \.arrival.asleep.hold, "… held for this long, one has arrived."),
    duration(
      "asleep_gives_up",
      \.arrival.asleep.givesUpAfter,
      "It stops for who has stood for so long …"
    ),
    number(
      "asleep_hopeless",
      \.arrival.asleep.givesUpBelow,
      in: 0...1,
      "… with every place less probable than this, or at a place of their own."
    ),
    number(
      "asleep_waited_walk",
      \.arrival.asleep.waitedWalk,
      in: 0...1,
      "As waited_walk."
    ),
    weight("asleep_weight_bias", \.arrival.asleep.weights.bias, "As weight_bias."),
    weight("asleep_weight_place", \.arrival.asleep.weights.place, "As weight_place."),
    weight("asleep_weight_silence", \.arrival.asleep.weights.silence, "As weight_silence."),
    weight("asleep_weight_rest", \.arrival.asleep.weights.rest, "As weight_rest."),
    weight("asleep_weight_walked_in", \.arrival.asleep.weights.walkedIn, "As weight_walked_in."),
    weight("asleep_weight_on_foot", \.arrival.asleep.weights.onFoot, "As weight_on_foot."),
    weight("asleep_weight_at_pump", \.arrival.asleep.weights.atPump, "As weight_at_pump."),
    weight("asleep_weight_past_light", \.arrival.asleep.weights.pastLight, "As weight_past_light."),
    weight(
      "asleep_weight_silence_at_pump",
      \.arrival.asleep.weights.silenceAtPump,
      "As weight_silence_at_pump."
    ),
  ]
}
