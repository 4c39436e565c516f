/// When a phone's habits are thought to be known, and what is said by what lasts on every phone.
///
/// - Source: phones of `nearme simulate --phone` on the development days (docs/arrival.md): of their fixes 93 %
///   (every-50m) and 86 % (levels) are told to come by the way, of all others 0.4 %. Halving or doubling one of the
///   numbers changes scores by less than noise does.
public struct HabitSettings: Hashable, Sendable, Codable {
  /// A speed is no longer believed after so many ways that it did not tell of.
  public var leastContradictions = 4.0
  /// And only if those are so many times the ways that it did tell of.
  public var contradictionsToOne = 3.0
  /// A way shows motion if it was at least so fast, in m/s.
  public var clearMetersPerSecond = 3.0
  /// And so many times as long as noise would make it.
  public var clearNoises = 3.0
  /// It was told of by a speed of at least this share of its own.
  public var leastSpeedShare = 0.25
  /// With each way that shows motion this share of the ways before still counts.
  public var kept = 0.98
  /// Fixes without a speed come from networks where, for each time that speeds were left out, they told of rest for so
  /// many seconds: who waits at a light is told of by a receiver that leaves out none.
  ///
  /// - Source: judgment. A light takes 20 s and more; a receiver that leaves out a speed of 0 tells of rest for a second
  ///   of each stop.
  public var toldRestSeconds = 5.0
  /// With each time that they were left out this share of what was before still counts.
  public var keptOfRest = 0.9
  /// A speed below this tells of rest, in m/s.
  ///
  /// - Source: what receivers report at rest, ``SpeedSettings``.
  public var restMetersPerSecond = 0.5
  /// It tells of no more than so many seconds before it.
  public var mostRestSeconds = 15.0
  /// Speeds are left out where none has been told for so many seconds.
  public var untoldSeconds = 20.0
  /// Who is told by networks alone to be farther than this from where speeds were last told, in meters, beyond three
  /// deviations, is under no roof.
  ///
  /// - Source: judgment: large markets are 200 m long.
  public var roofMeters = 300.0
  /// And that for so many seconds: networks jump.
  public var beyondSeconds = 30.0
  /// The least way between two fixes grows by this factor with each that is longer.
  public var leastGrowth = 1.02
  /// It falls to no less than this share of itself with one that is shorter.
  public var leastFall = 0.5
  /// A way of at most so many times the least is one of the same length.
  public var leastTimes = 1.6
  /// With each fix this share is learned anew: some twenty of them tell.
  public var pairShare = 0.05
  /// A phone measures by the way if this share of the ways is of one length.
  public var leastShare = 0.6
  /// And only if the logarithms of their times have this variance: cadences by the clock have none.
  public var leastVarianceOfSeconds = 0.03
  /// With each fix in motion its way from the one before counts for this share of the phone's stride.
  ///
  /// - Source: judgment: it soon follows who gets off a car.
  public var strideShare = 0.2
  /// Where such a phone falls silent, one has gone on for this share of its way between fixes.
  public var aheadShare = 0.4
  /// With this deviation per axis, as a share of it.
  public var aheadDeviation = 0.35
  /// One stays while the estimate is within this of where it was on average, in meters.
  ///
  /// - Source: 50 to 100 m do as well.
  public var stayMeters = 75.0
  /// On the average of so many fixes.
  public var stayMeanOf = 10.0
  /// Who has come that far step by step has walked if it was at least so fast, in m/s: what drifts is slower.
  ///
  /// - Source: judgment: half of a slow walk; 75 m of drift take many minutes.
  public var leastWalkMetersPerSecond = 0.5
  /// A stay counts in logarithms of so many seconds.
  ///
  /// - Source: 60 s do as well.
  public var stayUnitSeconds = 30.0
  /// And up to so many.
  public var stayMostSeconds = 600.0
  /// A silence of more than so many seconds may hide a walk.
  public var unseenAfterSeconds = 15.0
  /// And a whole one after so many more.
  public var unseenFullSeconds = 45.0
  /// Fixes are thin where a phone that measures by the way does so for so many meters each.
  public var thinMeters = 30.0
  /// Then being there takes more: the bias counts so many times.
  ///
  /// - Source: phones of `nearme simulate --phone` on the development days, the mean of three draws: every-50m from
  ///   2.14 to 1.97 % of encounters for 1.3 points of visits.
  public var thinBias = 1.04
  /// Fixes are rare where they come so many seconds apart on the way.
  ///
  /// - Source: judgment: one a minute, and somewhat early.
  public var thinSeconds = 50.0
  /// Then being there takes less: the bias counts so many times, for no arrival is told before the next fix or its absence.
  ///
  /// - Source: phones of `nearme simulate --phone` on the development days: with the wait and a bias of 1.04 times every-120s
  ///   finds 73.9 % of visits at 0.9 % of encounters, with this one 81.0 at 1.3; without the wait 82.1 at 1.8.
  public var sparseBias = 0.93

  /// With each fix in motion the accuracy that it claims counts for this share of what the receiver claims as a rule.
  ///
  /// - Source: judgment: some minutes on the way tell.
  public var accuracyShare = 0.01
  /// A receiver that tells speeds is poor where it claims more than this as a rule, in meters.
  ///
  /// - Source: half of the days of towers claim 26 m and more, half of those as recorded 15 m. 15 m costs a visit more
  ///   there, 22 m does as well.
  public var poorMeters = 20.0
  /// Then being there takes more: the bias counts so many times.
  ///
  /// - Source: phones of `nearme simulate --phone` on the development days: the mean of five draws of towers from 91.6 %
  ///   and 2.13 % of encounters to 90.1 and 1.81; as recorded from 90.2 and 1.26 to 89.7 and 1.16; phones without
  ///   speeds, to which it does not apply, would lose three points.
  public var poorBias = 1.06

  /// The defaults.
  public init() {}
}
