/// What can be wrong or worth knowing in a trace.
///
/// The names are part of `nearme trace check`'s output, and what its `--allow` takes.
package enum FindingKind: String, Hashable, Sendable, CaseIterable {
  // Points that are no fixes.

  /// A point has no time.
  case missingTime = "missing_time"
  /// A point's time cannot be read.
  case unreadableTime = "unreadable_time"
  /// A point has no coordinates, or they lie off the globe.
  case badCoordinate = "bad_coordinate"
  /// A number of a point cannot be read.
  case unreadableNumber = "unreadable_number"
  /// The device says of a point that it does not know how accurate it is.
  case invalidAccuracy = "invalid_accuracy"
  /// A fix lies at exactly 0°N 0°E, where devices put what they do not know.
  case nullIsland = "null_island"

  // Time.

  /// The clock of the device was not set.
  case implausibleDate = "implausible_date"
  /// Time goes back, and the fixes until it has caught up are older than one that was used.
  case timeReversal = "time_reversal"
  /// Two neighbors stand in the wrong order.
  case swappedPoints = "swapped_points"
  /// A fix stands there twice.
  case duplicateFix = "duplicate_fix"
  /// Another position nearby has the same stamp.
  case duplicateStamp = "duplicate_stamp"
  /// Two positions with the same stamp lie farther apart than anything gets in a second.
  case twoPlacesAtOnce = "two_places_at_once"

  // Movement.

  /// Fixes lie where nothing could have gone, agree with one another or are many, and are taken back.
  case teleport
  /// Up to three fixes that lie where nothing could have gone, and no two agree.
  case loneJump = "lone_jump"
  /// A move faster than anything, which is never taken back.
  case impossibleSpeed = "impossible_speed"
  /// The position stood still while the device moved.
  case stuck
  /// The position is the same to the last digit for a minute or longer.
  case heldPosition = "held_position"

  // Silence.

  /// No fix for long, elsewhere afterward, and the file does not say that it was interrupted.
  case gap
  /// No fix for long and elsewhere afterward, where the file begins a new segment.
  case interruption = "break"
  /// No fix for long, and still there afterward.
  case silence
  /// A new segment.
  case segment
  /// From here on the fixes come much more often or much more seldom.
  case cadenceChange = "cadence_change"

  // The trace as a whole.

  /// At rest the positions scatter farther than they claim.
  case optimisticAccuracy = "optimistic_accuracy"
  /// The reported speeds are not the meters a second that were traveled.
  case wrongSpeed = "wrong_speed"

  /// Whether a replay of the trace would be distorted.
  ///
  /// It would where positions are used that are not true, where good ones are not used, or where the
  /// trace is silent about a way without saying so. A ``FixGate`` refuses a lone jump, a doubled
  /// stamp and the older one of two swapped neighbors, which costs no more than one fix each.
  package var severity: Severity {
    switch self {
    case .missingTime, .unreadableTime, .badCoordinate, .unreadableNumber, .nullIsland,
      .implausibleDate, .timeReversal, .twoPlacesAtOnce, .teleport, .impossibleSpeed, .stuck, .gap,
      .optimisticAccuracy, .wrongSpeed:
      .distorts
    case .invalidAccuracy, .swappedPoints, .duplicateFix, .duplicateStamp, .loneJump, .heldPosition,
      .interruption, .silence, .segment, .cadenceChange:
      .note
    }
  }

  /// What the kind means, for people.
  package var meaning: String {
    switch self {
    case .missingTime: "points without a time, which a replay leaves out"
    case .unreadableTime:
      "points with a time that cannot be read, as 1 PM; 2024-06-15T13:00:00Z can"
    case .badCoordinate: "points without coordinates on the globe"
    case .unreadableNumber: "points with a number that cannot be read"
    case .invalidAccuracy: "points whose accuracy the device did not know; a replay leaves them out"
    case .nullIsland: "fixes at exactly 0, 0, where devices put what they do not know"
    case .implausibleDate: "fixes before 1990 or after 2099: the clock was not set"
    case .timeReversal: "time goes back; a replay leaves out what is older than what it has seen"
    case .swappedPoints: "two neighbors in the wrong order; a replay leaves out the older"
    case .duplicateFix: "the same fix twice; a replay leaves out the second"
    case .duplicateStamp: "one stamp for two positions; a replay leaves out the second"
    case .twoPlacesAtOnce: "one stamp for two positions far apart"
    case .teleport: "away faster than anything travels, and back"
    case .loneJump: "away and back, alone; a replay leaves it out"
    case .impossibleSpeed: "a move faster than anything travels, never taken back"
    case .stuck: "the position stood still while the device moved"
    case .heldPosition: "the same position to the last digit for a minute or longer"
    case .gap: "silence of more than 10 minutes, elsewhere afterward, in the middle of a segment"
    case .interruption: "silence of more than 10 minutes, elsewhere afterward, and a new segment"
    case .silence: "silence of more than 10 minutes, and still there afterward"
    case .segment: "new segments"
    case .cadenceChange: "from here on much more or much less often"
    case .optimisticAccuracy: "at rest the positions scatter farther than they claim"
    case .wrongSpeed: "the reported speeds are not the meters a second traveled"
    }
  }
}

/// What a finding means for a replay.
package enum Severity: String, Hashable, Sendable {
  /// The replay would be told something untrue, or not be told something true.
  case distorts
  /// Worth knowing; a replay copes.
  case note
}
