/// Why something that a phone sent was not used.
///
/// The names are counted, stored and shown on the phone's page.
package enum IntakeRefusal: String, Hashable, Sendable, Codable, CaseIterable {
  /// The message is encrypted, and we have no key.
  case encrypted
  /// It is no kind of message that we know.
  case unknownType = "unknown_type"
  /// A kind of OwnTracks that says nothing about the way: a last will, a card, a count of steps.
  case otherMessage = "other_message"
  /// The JSON is broken.
  case badJSON = "bad_json"
  /// It is longer than any request of an app.
  case tooLong = "too_long"
  /// More came in one request than is taken at once.
  case tooMany = "too_many"
  /// There was nothing in it.
  case empty
  /// OwnTracks says with an empty body that a friend was deleted on the phone.
  case friendDeleted = "friend_deleted"
  /// It has no position.
  case noPosition = "no_position"
  /// Its coordinates lie off the globe or cannot be read.
  case badCoordinate = "bad_coordinate"
  /// The app itself says that the position is not valid.
  case invalidFix = "invalid_fix"
  /// It has no time.
  case noTime = "no_time"
  /// Its time cannot be read, or is no time of this century.
  case badTime = "bad_time"
  /// A position that was sent before and is said again: "still here".
  case ping
  /// A sign of life without a position.
  case heartbeat
  /// A position that the app made up: Colota, at the center of a pause zone.
  case inventedFix = "invented_fix"
  /// What Overland did, with the position that it had before: a pause, a return from it.
  case action
  /// A trip as a whole.
  case trip
  /// The newest position, which Overland says beside the list and sends again in it.
  case current
  /// An entry of a list without a geometry.
  case noGeometry = "no_geometry"
  /// The address by which Traccar's own server reaches its app.
  case pushToken = "push_token"
  /// A signal without a name, with too long a word, or with a time that cannot be read.
  case badSignal = "bad_signal"
  /// A crossing without a time, or neither in nor out.
  case badCrossing = "bad_crossing"

  /// Whether nothing is lost by it: a request with nothing else is not kept aside.
  package var isHarmless: Bool {
    switch self {
    case .otherMessage, .empty, .friendDeleted, .ping, .heartbeat, .inventedFix, .action, .trip,
      .current, .pushToken:
      true
    case .encrypted, .unknownType, .badJSON, .tooLong, .tooMany, .noPosition, .badCoordinate,
      .invalidFix, .noTime,
      .badTime, .noGeometry, .badSignal, .badCrossing:
      false
    }
  }
}
