import Arrivals
import Fencing
import NearMeEngine
import Places
import Timeline

/// The keys of the arrival detector.
extension PolicyFile {
  static let arrival = Group(
    name: "arrival",
    comment: "What makes an arrival; docs/arrival.md explains the posterior and its numbers.",
    keys: [
      choice(
        "detector",
        \.fencing.arrivalDetection,
        "Weigh the evidence, or be within a radius for a time; a sleeping app weighs unless monitor: weigh is 0."
      ),
      number(
        "threshold",
        \.arrival.decision.threshold,
        in: 0.01...0.99,
        "The probability from which on one is thought to be there; by k-fold over persons."
      ),
      duration("hold", \.arrival.decision.hold, "For how long it must be reached."),
      number(
        "next_margin",
        \.arrival.decision.nextPlaceMargin,
        in: 0...1,
        "How much more probable a second place must be within one stay …"
      ),
      duration("next_after", \.arrival.decision.nextPlaceAfter, "… and how much later …"),
      length(
        "next_way",
        \.arrival.decision.nextPlaceMeters,
        "… and how far from where the first was decided (10 to 15 m do as well)."
      ),
      length(
        "same_spot",
        \.arrival.places.sameSpotMeters,
        "Places of different categories whose points are not farther apart cannot be told apart …"
      ),
      number(
        "same_spot_threshold",
        \.arrival.decision.sameSpotThreshold,
        in: 0.01...0.99,
        "… and are arrived at, too, if they are so probable; next to nothing, for one does not walk to a pump."
      ),
      length(
        "rearm",
        \.arrival.decision.rearmMeters,
        "After a way of this length from an arrival another place is news as anywhere."
      ),
      length(
        "leave",
        \.arrival.decision.leaveMeters,
        "A place is left, and can be arrived at again, beyond this distance (rearm, if that is more) …"
      ),
      duration(
        "leave_after",
        \.arrival.decision.leaveAfter,
        "… or where every fix has been beyond rearm for so long; a sleeping app's at once."
      ),
      length(
        "own_away",
        \.arrival.decision.ownAwayMeters,
        "A stay at a place of one's own goes on up to this distance from it …"
      ),
      duration(
        "own_away_for",
        \.arrival.decision.ownAwayFor,
        "… and ends when every fix has been farther away for this long …"
      ),
      duration(
        "own_away_in_motion",
        \.arrival.decision.ownAwayInMotionFor,
        "… or for this long by one who has been moving ever since …"
      ),
      length(
        "own_jump",
        \.arrival.decision.ownJumpMeters,
        "… or at one fix before the app slept, unless it was at rest and nearer than this."
      ),
      duration(
        "own_jump_for",
        \.arrival.decision.ownJumpFor,
        "Who rests no farther away than that has left only after so long."
      ),
      duration(
        "roof_jump_for",
        \.arrival.decision.roofJumpFor,
        "And after so long where only networks told of it, by a phone that tells speeds under the sky."
      ),
      length(
        "own_echo",
        \.arrival.decision.echoMeters,
        "Within this of where positions jumped to from one of them, and came back from …"
      ),
      integer(
        "own_echo_times",
        \.arrival.decision.echoTimes,
        in: 1...1_000,
        "… so many times, rest is a jump."
      ),
      duration(
        "own_silence",
        \.arrival.decision.ownSilence,
        "Nothing heard for so long beside one of them is a stop, however fast the last fix was …"
      ),
      number(
        "own_silence_threshold",
        \.arrival.decision.ownSilenceThreshold,
        in: 0...1,
        "… from this probability on …"
      ),
      duration(
        "own_ahead_silence",
        \.arrival.decision.ownAheadSilence,
        "… and for so long if it lies ahead of a phone whose fixes lie farther apart."
      ),
      number(
        "own_threshold",
        \.arrival.decision.ownThreshold,
        in: 0...1,
        "… and from this probability on, as what cannot be told apart from one of them is told with it."
      ),
      number(
        "least_motion",
        \.arrival.decision.leastMotionSeconds,
        in: 0...3_600,
        "Nobody arrives who has not been seen moving for so many seconds."
      ),
      Key(
        name: "ticks",
        comment: "When silence is looked at: seconds after the last fix, ascending."
      ) { policy in
        "[" + policy.arrival.decision.ticksSeconds.map(String.init).joined(separator: ", ") + "]"
      } read: { (policy, node) throws(SettingsError) in
        var ticks: [Int64] = []
        for item in try node.list() {
          let tick = Int64(try item.integer(1...86_400))
          guard tick > ticks.last ?? 0 else {
            throw item.failure("must be more than the one before")
          }
          ticks.append(tick)
        }
        policy.arrival.decision.ticksSeconds = ticks
      },
      length(
        "spread",
        \.arrival.places.footprintDeviationMeters,
        "How far from a place's point people stop, per axis (corpora: 10 to 11 m)."
      ),
      number(
        "outline_share",
        \.arrival.places.outlineShare,
        in: 0...1,
        "This share of an outline's reach is added; evenly stood on, it were 0.5."
      ),
      length("reach", \.arrival.places.reachMeters, "Places farther away are not thought of …"),
      length("own_reach", \.arrival.places.ownReachMeters, "… nor are the user's own …"),
      length(
        "own_ahead",
        \.arrival.places.ownAheadMeters,
        "… but where one lies ahead of a phone whose fixes lie farther apart."
      ),
      number(
        "unknown_density",
        \.arrival.places.unknownPerSquareMeter,
        in: 1e-9...1,
        "Unknown reasons to stop, for each square meter (1e-5 to 1e-4 do as well)."
      ),
      number(
        "familiar_weight",
        \.arrival.places.familiarWeight,
        in: 0...1e6,
        "How many places home, work and other long stays count for (20 to 200 do as well) …"
      ),
      number(
        "on_the_way_weight",
        \.arrival.places.onTheWayWeight,
        in: 0.01...1e6,
        "… and the user's own beside what is next door, before they are there."
      ),
      duration(
        "familiar_after",
        \.arrival.places.familiarAfter,
        "A stay longer than this makes a place familiar."
      ),
      Key(name: "driven_to", comment: "Categories where people stay with their car.") { policy in
        "[" + policy.arrival.places.drivenToCategories.map(\.name).joined(separator: ", ") + "]"
      } read: { (policy, node) throws(SettingsError) in
        var names: [CategoryID] = []
        for item in try node.list() { names.append(CategoryID(try item.text())) }
        policy.arrival.places.drivenToCategories = names
      },
      number(
        "error_time",
        \.arrival.position.errorTimeSeconds,
        in: 1...3_600,
        "How long an error of position lasts, in seconds (30 between houses, 60 in the open)."
      ),
      number(
        "error_time_at_rest",
        \.arrival.position.errorTimeAtRestSeconds,
        in: 1...3_600,
        "The same while one stands still (60 to 150 indoors)."
      ),
      number(
        "longest_light",
        \.arrival.stop.longestLightSeconds,
        in: 1...3_600,
        "No traffic light lasts longer, in seconds."
      ),
      number(
        "longest_wait",
        \.arrival.stop.longestWaitSeconds,
        in: 1...86_400,
        "Few people wait in a car for longer, in seconds."
      ),
      number(
        "waited_walk",
        \.arrival.stop.waitedWalk,
        in: 0...1,
        "Then an unseen walk to the door counts for this, and in proportion before."
      ),
      number(
        "full_walk",
        \.arrival.stop.fullWalkSeconds,
        in: 1...3_600,
        "So many seconds on foot are a full walk from a car to a door (12 to 60 m)."
      ),
      number(
        "unseen_walk",
        \.arrival.stop.unseenWalk,
        in: 0...1,
        "What a walk to the door counts for that a sleeping app did not see."
      ),
      number(
        "settle",
        \.arrival.stop.settleSeconds,
        in: 0...3_600,
        "A silence that begins so soon after stopping is the sky's, not the phone's to save power."
      ),
      weight("weight_bias", \.arrival.weights.bias, "How often people are where they seem to be."),
      weight("weight_place", \.arrival.weights.place, "This place against all others, log odds."),
      weight("weight_silence", \.arrival.weights.silence, "How long there has been no fix."),
      weight("weight_rest", \.arrival.weights.rest, "Standing still, log odds."),
      weight("weight_walked_in", \.arrival.weights.walkedIn, "A walk from the car to the door."),
      weight("weight_on_foot", \.arrival.weights.onFoot, "Being on foot altogether."),
      weight("weight_at_pump", \.arrival.weights.atPump, "Staying with the car where one does."),
      weight("weight_past_light", \.arrival.weights.pastLight, "Longer there than any red light."),
      weight(
        "weight_silence_at_pump",
        \.arrival.weights.silenceAtPump,
        "Silence where pumps have none."
      ),
    ] + arrivalAsleep + arrivalFilters + arrivalSpeeds + arrivalHabits,
    retired: [
      "latest": "no score depended on it",
      "kerb_wait": "red lights count at pumps only",
      "least_light_share": "red lights count at pumps only",
      "weight_light": "red lights count at pumps only: weight_past_light",
      "longest_linger": "no score depended on it",
      "linger_unit": "no score depended on it",
      "weight_lingering": "no score depended on it",
    ]
  )

  static func weight(_ name: String, _ field: Field<Double>, _ comment: String) -> Key {
    number(name, field, in: -100...100, comment + " Fitted by arrival-fit.")
  }
}
