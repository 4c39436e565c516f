import Places
import Timeline

/// A place that one can arrive at.
public enum ArrivalPlace: Hashable, Sendable, Codable {
  /// A point of interest, by source id.
  case pointOfInterest(String)
  /// One of the user's own places, by id.
  case place(String)
}

/// What arrivals are counted by: all points of a category are one, each own place is one.
public enum ArrivalGroup: Hashable, Sendable, Codable {
  /// A category.
  case category(CategoryID)
  /// One of the user's own places, by id.
  case place(String)
}

/// An arrival, with the numbers that decided.
public struct Arrival: Hashable, Sendable {
  /// When it was decided.
  public let at: Timestamp
  /// When the evidence first sufficed; the decision came when it had held.
  public let since: Timestamp
  /// At what.
  public let group: ArrivalGroup
  /// Where.
  public let place: ArrivalPlace
  /// The place as a candidate.
  public let index: ArrivalPlaceIndex
  /// The probability of being at some place of the group.
  public let probability: Double
  /// The evidence for this place.
  public let terms: ArrivalTerms
  /// From the estimate of position to the place's point, in meters.
  public let distanceMeters: Double
}

/// What has been found out.
public enum ArrivalFinding: Hashable, Sendable {
  /// Someone is there.
  case arrived(Arrival)
  /// Someone is at one of the user's own places, by id, and was there before anything was known of it: no arrival.
  case wasThere(at: Timestamp, place: String)
  /// Someone has left the surroundings of their last arrivals, and may arrive again; but stays at those
  /// of the user's own places, by id.
  case left(at: Timestamp, staysAt: [String])
  /// Someone has been away from one of the user's own places, by id, and may arrive there again.
  case wentAway(at: Timestamp, from: String)
  /// Someone seems to have left the surroundings of their last arrivals, which is not certain.
  case steppedOut(at: Timestamp)
  /// They are there again, or had never left.
  case cameBack(at: Timestamp)

  /// Whether someone is not where they were.
  package var isDeparture: Bool {
    switch self {
    case .left, .wentAway: true
    case .arrived, .wasThere, .steppedOut, .cameBack: false
    }
  }
}
