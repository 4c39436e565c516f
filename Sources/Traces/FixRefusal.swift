/// Why a position was not used.
///
/// The names are part of the replay's output.
public enum FixRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// The point has no time.
  case noTime = "no_time"
  /// Its time cannot be read.
  case badTime = "bad_time"
  /// It has no coordinates, or they lie off the globe.
  case badCoordinate = "bad_coordinate"
  /// A number of it cannot be read.
  case badNumber = "bad_number"
  /// Its accuracy is negative or not a number: the device says that it does not know.
  case invalidAccuracy = "invalid_accuracy"
  /// It is dated later than the moment at which it came.
  case future
  /// It is older than one that was handled before.
  case late
  /// It has the same instant as the one before.
  case duplicateTime = "duplicate_time"
  /// It is farther from the last one than anything travels, and no second fix has confirmed it.
  case unconfirmedJump = "unconfirmed_jump"
}
