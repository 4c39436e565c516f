/// A kind of phone or logger, by what it does with positions before an app sees them.
///
/// The corpora that the detector was first fitted on know one receiver: fixes come by the second, rest
/// and roofs make them rare, and speeds mean something. Each of these breaks one or two of its habits;
/// what is modeled, and after what, is in `docs/simulation.md`.
package enum Phone: String, Hashable, Sendable, CaseIterable {
  /// The receiver of the simulation, drawn for each day, but never one fix for each 500 m.
  case drawn
  /// Goes on indoors by wireless networks: 15 to 65 m, every 20 to 90 s at rest.
  case indoors
  /// Hears nothing but networks under a roof: no speed, and one of a few spots for a while, every 1 to 10 s at rest.
  case networks
  /// Between tall buildings: errors that jump and stay, doubled fixes and some in disorder.
  case towers
  /// Never tells a speed.
  case noSpeed = "no-speed"
  /// Tells a speed of 0 always, as many loggers do that have none.
  case zeroSpeed = "zero-speed"
  /// Tells one accuracy all day.
  case constantAccuracy = "constant-accuracy"
  /// Tells of a fix for each 50 m of way, and of none at rest.
  case every50m = "every-50m"
  /// Tells accuracies in steps, and of a fix for each 10 m of way.
  case levels
  /// A fix each 30 s, in motion and at rest.
  case every30s = "every-30s"
  /// A fix each 120 s, in motion and at rest.
  case every120s = "every-120s"

  /// What it does.
  var habits: PhoneHabits {
    var habits = PhoneHabits()
    switch self {
    case .drawn: break
    case .indoors: habits.network = (15...65, 20...90)
    case .networks:
      habits.network = (14...65, 1...10)
      habits.spots = (18, 60...600)
    case .towers:
      habits.noise = .canyon
      habits.errorsJump = true
      habits.doubledShare = 1.0 / 200
      habits.swappedShare = 1.0 / 300
    case .noSpeed: habits.speed = SpeedReport.none
    case .zeroSpeed: habits.isStuckAtZero = true
    case .constantAccuracy: habits.accuracy = .constant([5, 10, 15, 20, 30])
    case .every50m: habits.spacingMeters = 50
    case .levels:
      habits.spacingMeters = 10
      habits.accuracy = .steps([5, 10, 30, 50, 65, 165, 1_414])
    case .every30s: habits.intervalSeconds = 30
    case .every120s: habits.intervalSeconds = 120
    }
    return habits
  }
}

/// What a phone does otherwise than the receiver that is drawn for a day.
struct PhoneHabits {
  /// What is told of the accuracy.
  enum Accuracy {
    /// The one that there is.
    case claimed
    /// One of these, all day.
    case constant([Double])
    /// The least of these that is not below it.
    case steps([Double])
  }

  /// What networks do where the sky is lost: how far they may be off, and seconds between fixes at rest.
  var network: (meters: ClosedRange<Double>, seconds: ClosedRange<Int>)?
  /// Where the sky is lost, positions are those of some networks and come without a speed: how far each is off per axis,
  /// in meters, and for how many seconds one is heard.
  var spots: (meters: Double, seconds: ClosedRange<Int>)?
  /// Another noise than the settings ask for.
  var noise: NoisePreset?
  /// Whether an error stays as it is for a while and then is another one, and does not drift.
  var errorsJump = false
  /// The share of fixes that come twice.
  var doubledShare = 0.0
  /// The share of fixes that change places with the next one.
  var swappedShare = 0.0
  var speed: SpeedReport?
  var isStuckAtZero = false
  var accuracy = Accuracy.claimed
  /// A fix comes when it is this far from the last one, in meters, and in motion only.
  var spacingMeters: Double?
  /// A fix comes after so many seconds, also at rest.
  var intervalSeconds: Int?
}
