import Places
import Timeline

/// Every number that the arrival detector decides by.
///
/// The defaults are explained, with what they were measured on, in `docs/arrival.md`.
public struct ArrivalSettings: Hashable, Sendable, Codable {
  /// How positions are believed.
  public var position = PositionSettings()
  /// How standing still is told from moving.
  public var motion = MotionSettings()
  /// Which speeds receivers report.
  public var speeds = SpeedSettings()
  /// How far one may have come between two fixes.
  public var way = WaySettings()
  /// What a stop says by how it came about.
  public var stop = StopSettings()
  /// How places compete for a stop.
  public var places = PlaceSettings()
  /// What each piece of evidence is worth.
  public var weights = ArrivalTerms.fitted
  /// When evidence is enough.
  public var decision = DecisionSettings()
  /// What this phone is found to do.
  public var habits = HabitSettings()
  /// What differs where the app sleeps.
  public var asleep = AsleepSettings()

  /// The defaults.
  public init() {}
}

/// How positions are believed: a fix is the true position, an error that lasts, and a little noise.
public struct PositionSettings: Hashable, Sendable, Codable {
  /// How long an error of position lasts, in seconds: after this time, it is 1/e of itself.
  ///
  /// - Source: correlation times of 30 s between houses and 60 s in the open; 60 s does as well.
  public var errorTimeSeconds = 40.0
  /// The same while one stands still: under roofs and between walls errors move slowly.
  ///
  /// - Source: correlation times of 60 to 150 s indoors, 15 to 60 s outside. With 80 s and not 40 s,
  ///   1 to 2 points more visits are found at the same rate of false ones; 60 and 120 s do as well.
  public var errorTimeAtRestSeconds = 80.0
  /// The accuracy that a fix claims, in standard deviations of one axis.
  ///
  /// - Source: a circle that holds 68 % of a normal error in two axes has a radius of 1.51 σ.
  public var accuracyPerDeviation = 1.51
  /// The error that does not last, in meters of standard deviation per axis.
  public var whiteMeters = 1.0
  /// A fix is left out if its square distance, in units of what was to be expected, is above this.
  ///
  /// - Source: 99.9 % of a chi-square with two degrees of freedom lies below 13.8.
  public var gate = 14.0
  /// After this many fixes left out in a row, they are believed and all before them is not.
  public var outliersInARow = 4
  /// So are fixes that have been left out for so many seconds: where they are rare, one may have gone anywhere.
  ///
  /// - Source: 15 to 60 s do as well; without it 3 points fewer visits are found at a fix per 120 s.
  public var doubtedSeconds = 25.0
  /// The least accuracy in meters that is believed; some receivers write 0 for "unknown".
  public var leastAccuracyMeters = 3.0
  /// A change of the accuracy that fixes claim is taken over in about so many seconds.
  ///
  /// - Source: judgment: one bad fix among good ones is bad by itself.
  public var accuracySettleSeconds = 10.0
  /// And as so many times what was claimed before, at most.
  public var accuracyMostTimes = 4.0
  /// A fix that claims more than so many times the usual has noise of its own beside the lasting one.
  public var accuracyToleratedTimes = 1.5

  /// The defaults.
  public init() {}
}

/// How standing still is told from moving, by the speed that the receiver reports.
public struct MotionSettings: Hashable, Sendable, Codable {
  /// The mean time for which one goes on standing or moving, in seconds.
  ///
  /// - Source: k-fold over persons: 20 to 40 s do as well, 60 s finds 1 point fewer visits.
  public var meanSpellSeconds = 30.0
  /// The share of exact zeros among the speeds reported at rest, over all receivers.
  ///
  /// - Source: half of the receivers report exactly 0 at rest, most of the time; see `docs/arrival.md`.
  public var zeroShareAtRest = 0.4
  /// The share of exact zeros in motion.
  public var zeroShareInMotion = 0.02
  /// A receiver that has reported no speed for this long has none to report.
  public var withoutSpeedSeconds = 60.0
  /// Displacements are taken over this many seconds where no speed is reported.
  public var displacementSeconds = 20.0
  /// They lie between positions that are averaged over this many seconds.
  public var displacementMeanSeconds = 5.0
  /// An average serves that is as old as this share of the time.
  public var displacementLeastShare = 0.75
  /// And if there is none, one that is not older than so many seconds.
  public var displacementOldestSeconds = 120.0
  /// After so many seconds a displacement is all news; before, it shares its fixes with the last one.
  public var displacementFreshSeconds = 12.0
  /// This share of what noise alone would give is taken off the way before it is a speed.
  public var displacementNoiseShare = 0.9
  /// Motion on wheels is beyond doubt below this probability of rest, and there is no arrival.
  public var clearlyMovingRest = 0.05
  /// Below this speed in m/s, silence may be a roof; above it, it is a tunnel or a gap.
  ///
  /// - Source: nobody runs into a shop faster than 12 km/h.
  public var walkingTopMetersPerSecond = 3.3
  /// Below this speed in m/s, one stands or shuffles.
  public var walkingLeastMetersPerSecond = 0.8
  /// Above this speed in m/s, one is on wheels.
  public var wheelsMetersPerSecond = 4.5

  /// The defaults.
  public init() {}
}

/// What a stop says by how it came about.
public struct StopSettings: Hashable, Sendable, Codable {
  /// No red light lasts longer than this, in seconds: until then, a stop beside a pump may be one.
  public var longestLightSeconds = 90.0
  /// Few people wait in a car for longer, in seconds.
  ///
  /// - Source: judgment. Nothing in the corpora depends on it.
  public var longestWaitSeconds = 300.0
  /// What a walk to the door that was not seen counts for where somebody has stood for so long, between 0 and 1; and in
  /// proportion before.
  ///
  /// - Source: two scenes. Without it who stands at the very point by a receiver without speeds is never told; with 0.15
  ///   somebody is who waits in the car 25 m from the door. The development days are told the same with 0.4.
  public var waitedWalk = 0.1
  /// After wheels, a person is still thought to be on them for about this long, in seconds: the greatest
  /// speed is forgotten with this time.
  ///
  /// While the person is seen standing still, nothing is forgotten: one who waits in a car is still in it.
  ///
  /// - Source: k-fold over persons. With what was seen forgotten, too, waits at the curb become arrivals.
  public var wheelsMemorySeconds = 180.0
  /// A walk of this many seconds between wheels and the stop is a full walk to a door.
  ///
  /// - Source: cars park 12 to 60 m from a door, 10 to 45 s on foot.
  public var fullWalkSeconds = 25.0
  /// What a walk to the door counts for that happened while the app slept, between 0 and 1.
  ///
  /// - Source: scores of a sleeping phone on the development corpora.
  public var unseenWalk = 0.7
  /// Silence is counted in the fix's own intervals beyond this many.
  public var silenceIntervals = 4.0
  /// And up to this many.
  public var mostSilenceIntervals = 60.0
  /// A phone that saves power does so only after this many seconds of rest: a silence that begins
  /// earlier is the sky's, and is remembered for the stop; a later one says nothing.
  ///
  /// - Source: the shortest of the times after which phones in the corpora slow down.
  public var settleSeconds = 60.0
  /// A stop that has begun ends when the probability of rest falls below this.
  ///
  /// - Source: judgment: one fast fix in a row of slow ones is noise.
  public var endsBelowRest = 0.2
  /// The least that the log odds of rest count for.
  public var leastRestTerm = -3.0
  /// And the most.
  public var mostRestTerm = 6.0
  /// Between two fixes, at most so many seconds count as seen in motion or on foot.
  public var longestStepSeconds = 15.0
  /// Only fixes at most so many seconds apart tell how often a receiver reports.
  ///
  /// - Source: one each two minutes, and somewhat late. With 130 s a sleeping app finds a point less of visits (85.5 % and
  ///   0.99 % of encounters for 86.5 and 0.96, the mean of eight draws).
  public var longestIntervalSeconds = 125.0
  /// Each of them by this share.
  public var intervalShare = 0.2

  /// The defaults.
  public init() {}
}

/// How places compete for a stop.
public struct PlaceSettings: Hashable, Sendable, Codable {
  /// How far people stop from the point that the map has of a place: standard deviation in meters
  /// per axis.
  ///
  /// - Source: 10 to 11 m in the development corpora; 8 to 14 m do as well.
  public var footprintDeviationMeters = 11.0
  /// For a place with an outline, this share of the outline's reach is added (in squares).
  ///
  /// - Source: a disc of radius r that is stood on evenly has a deviation of r/2 per axis; most of
  ///   an outline is not where people stand. In the corpora outlines make no difference.
  public var outlineShare = 0.25
  /// The variance that the estimate of position is credited beyond its own, as a factor and in
  /// square meters.
  public var varianceFactor = 1.6
  /// In square meters.
  public var addedVariance = 16.0
  /// Larger outlines count as this one, in meters: malls and fairgrounds, whose middle says nothing
  /// about a door.
  ///
  /// - Source: the largest supermarkets reach some 150 m from their middle.
  public var largestOutlineMeters = 200.0
  /// Places farther than this from the estimate, beyond their outline, are not looked at.
  public var reachMeters = 130.0
  /// The same for the user's own places: a poor position from farther away speaks for them, too.
  ///
  /// People come there so often. Others have them for rivals within ``reachMeters`` only.
  ///
  /// - Source: `nearme score`, stream, ios and android: of 219 ways home or to work 212, 210 and 210 are found with
  ///   130 m, 213, 211 and 212 with 175 m, 213, 209 and 211 with 300 m, at 4, 5 and 9 false ones in all.
  public var ownReachMeters = 175.0
  /// The same for one of them that lies ahead, where a phone whose fixes lie far apart has told nothing for long.
  ///
  /// - Source: the 500 m of significant changes, and what a poor position is off.
  public var ownAheadMeters = 700.0
  /// The least that the log odds of a place against the others count for.
  public var leastTerm = -12.0
  /// And the most: however lonely a place is, a position alone proves only so much.
  public var mostTerm = 4.0
  /// Unknown reasons to stop, for each square meter.
  ///
  /// - Source: 1e-5 to 1e-4 do as well.
  public var unknownPerSquareMeter = 3e-5
  /// How many places a familiar one, such as home or work, counts for.
  ///
  /// - Source: people come home far more often than to any one shop; 60 to 400 do as well for the scores,
  ///   and with 60 a person who lives above a pharmacy and comes home on foot would be told of it.
  public var familiarWeight = 300.0
  /// How many places one of the user's own counts for beside others while the person is on the way, and not
  /// there yet.
  ///
  /// - Source: development days, with a shop 20 m from every home and work, and with a home 20 m from the shop
  ///   that is visited most: with 3 the shop is found in 19 of 92 visits and told in 6 of 206 arrivals at home
  ///   or work, with 10 in 7 and none, with 1 in 41 and 44; docs/arrival.md.
  public var onTheWayWeight = 3.0
  /// Places of different categories whose points are not farther apart than this cannot be told apart, in
  /// meters.
  ///
  /// - Source: development days: with 15 m one more visit of 235 is found, and 6 more places are told that were
  ///   not visited.
  public var sameSpotMeters = 8.0
  /// The first stay of a record, which begins at home, makes a place familiar after this.
  ///
  /// - Source: longer than a stop on the way, and shorter than any night.
  public var familiarFirst = Milliseconds.minutes(10)
  /// A stay longer than this makes a place familiar.
  public var familiarAfter = Milliseconds.minutes(90)
  /// A stay goes on while the estimate is within this of where it began, in meters.
  public var familiarRadiusMeters = 60.0
  /// The middle of a stay is the mean of so many fixes, and follows the newer ones after that.
  public var familiarMeanOf = 200.0
  /// How many familiar places are remembered.
  public var mostFamiliar = 32
  /// Where people stay with their car, so that a walk to the door is not to be expected.
  public var drivenToCategories = [CategoryID("gas_station")]
  /// Nothing is computed while every place is farther than the reach and this, in meters.
  ///
  /// - Source: a car needs half a minute for it, as long as the filters need to settle.
  public var sleepMarginMeters = 500.0

  /// The defaults.
  public init() {}
}

/// When evidence is enough.
public struct DecisionSettings: Hashable, Sendable, Codable {
  /// The probability from which on one is thought to be there.
  public var threshold = 0.42
  /// For how long it must hold.
  public var hold = Milliseconds.seconds(50)
  /// How much more probable another place must be within one stay.
  public var nextPlaceMargin = 0.2
  /// And how much later than the first.
  public var nextPlaceAfter = Milliseconds.minutes(3)
  /// And how far one must have come from where the first was decided, in meters.
  ///
  /// - Source: shops next door to each other are 20 to 50 m apart; 10 to 15 m do as well. A phone that tells
  ///   nothing at rest sees no way from shop to shop: on it 3 points fewer visits are found than with 0.
  public var nextPlaceMeters = 10.0
  /// Points of interest that cannot be told apart from the one that is arrived at are arrived at, too, if they are at
  /// least so probable by their own evidence.
  ///
  /// - Source: development days whose visited places were all given a place of another category 3 m beside
  ///   them (`scripts/same-spot.py`): pumps and shops are both told in 94 % of visits (72 with 0.3), and one place
  ///   more is told in vain on 80 days. A pump asks for no walk and a shop does, so one of them is always improbable.
  public var sameSpotThreshold = 0.02
  /// After a way of this many meters from the last arrival another place is news as anywhere.
  public var rearmMeters = 90.0
  /// A place that was arrived at is left beyond so many meters from there, and can be arrived at again.
  ///
  /// - Source: of 34 pairs of arrivals at one place on the development days, in the 24 with a way between them it led
  ///   farther than 240 m, in the other ten positions jumped by up to 160 m.
  public var leaveMeters = 150.0
  /// Or when every fix has been beyond ``rearmMeters`` for so long: one may live around the corner.
  public var leaveAfter = Milliseconds.minutes(10)
  /// A stay at one of the user's own places goes on up to this distance from it, in meters.
  ///
  /// - Source: estimates at rest drift by 100 m and more indoors; docs/arrival.md.
  public var ownAwayMeters = 150.0
  /// It ends when every fix has been farther away for this long.
  public var ownAwayFor = Milliseconds.seconds(60)
  /// And for this long by one who has been moving ever since: who drives off would be a kilometer away after a minute.
  public var ownAwayInMotionFor = Milliseconds.seconds(30)
  /// Where the app has slept since, a single fix away from it that was at rest and nearer than this, in meters, was a
  /// jump and no way out.
  ///
  /// - Source: indoor positions of the development days jump by up to 500 m, between towers by up to 700 m.
  public var ownJumpMeters = 700.0
  /// One who rests no farther away than that has left only after so long.
  public var ownJumpFor = Milliseconds.minutes(5)
  /// And after so long where all the while networks alone told where, of a phone that tells speeds under the sky.
  ///
  /// - Source: judgment. A network that has moved house is heard for half an hour and more; who goes out is soon under
  ///   the sky.
  public var roofJumpFor = Milliseconds.minutes(60)
  /// A way out to within so many meters of where positions have jumped to before is a jump.
  ///
  /// - Source: judgment: a network is always known at the same spot, and heard some tens of meters around it.
  public var echoMeters = 75.0
  /// If they have come back from there so often, and nobody was seen on a way.
  ///
  /// - Source: judgment: who visits a neighbor once, unseen, is no jump.
  public var echoTimes = 2
  /// A person who has been silent for so long beside one of their own places has stopped there.
  ///
  /// However fast they were at the last fix: garages have roofs. After a stop or a walk into silence nothing waits for it.
  ///
  /// - Source: `nearme score`: 2 to 7 min find as many ways home; below 5 min one more is false.
  public var ownSilence = Milliseconds.minutes(5)
  /// And it is the place from this probability on.
  ///
  /// Where fixes end in one that is off by 150 m, what came before and hours of silence speak for home all the same.
  ///
  /// - Source: `nearme score`, the mean of eight draws: of 219 ways home or to work `ios` finds 0.9 more than with 0.3 and
  ///   `android` 0.5, none of them wrong; of 170 errands 130 m beside an own place one more is told for it.
  public var ownSilenceThreshold = 0.1
  /// And from this one on if it only lies ahead of the last fix, or is told with what cannot be told apart from it.
  public var ownThreshold = 0.3
  /// And so long if it only lies ahead of a phone whose fixes lie farther apart.
  ///
  /// - Source: of phones with a fix per 500 m, on the development days and in four simulated towns, all 21 silences of
  ///   10 minutes with home or work ahead were stays there; a walk of 500 m takes 6 minutes.
  public var ownAheadSilence = Milliseconds.minutes(10)
  /// There is no arrival until the person has been seen moving for this many seconds.
  public var leastMotionSeconds = 20.0
  /// When a stop is looked at again without a fix: seconds after the last one, ascending.
  public var ticksSeconds: [Int64] = [
    5, 10, 15, 20, 30, 40, 50, 60, 75, 90, 105, 120, 150, 180, 210, 240, 300, 420, 600, 900,
  ]

  /// The defaults.
  public init() {}
}
