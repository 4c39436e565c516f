import Basics
import Geodesy
import Timeline

/// What kind of news a notification is.
public enum NotificationKind: String, Hashable, Sendable, Codable, CaseIterable {
  /// On the way.
  case approach
  /// There.
  case arrival
  /// Still there.
  case postArrival = "post_arrival"
  /// A time has come.
  case scheduled
  /// A place was left.
  case leave
  /// The phone said something.
  case signal
  /// What quiet hours or a focus held back, and is still true.
  case summary
}

/// A notification as the user sees it.
///
/// ```swift
/// func show(_ news: ReminderNotification) {
///   print(news.id, news.kind.rawValue, news.text, news.members.map(\.reminder))
/// }
/// ```
public struct ReminderNotification: Hashable, Sendable, Codable {
  /// Identity: a notification with the same id takes its place on the screen.
  public let id: String
  /// When it is shown.
  public let at: Timestamp
  /// The kind of its most pressing news.
  public let kind: NotificationKind
  /// The line over them, of a summary in a tone that has words for it.
  public let headline: String?
  /// What it tells, the nearest first.
  public let members: [Member]

  init(
    id: String,
    at: Timestamp,
    isSummary: Bool = false,
    headline: String? = nil,
    members: [Member]
  ) {
    precondition(!members.isEmpty, "a notification tells something")
    self.id = id
    self.at = at
    self.headline = headline
    self.members = members
    kind = isSummary ? .summary : Self.head(of: members).step.kind
  }

  private enum CodingKeys: String, CodingKey {
    case id, at, kind, headline, members
  }

  /// Reads a stored notification; one that tells nothing is refused.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    at = try container.decode(Timestamp.self, forKey: .at)
    kind = try container.decode(NotificationKind.self, forKey: .kind)
    headline = try container.decodeIfPresent(String.self, forKey: .headline)
    members = try container.decode([Member].self, forKey: .members)
    guard !members.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .members,
        in: container,
        debugDescription: "a notification tells something"
      )
    }
  }

  /// One reminder's news.
  public struct Member: Hashable, Sendable, Codable {
    /// The id of the reminder.
    public let reminder: String
    /// What it is about.
    public let step: Step
    /// Which point of a category, by source id; nil for all else.
    public let poi: String?
    /// The sentence.
    public let text: String
    /// How the sentence was chosen; nil where there was no choice.
    let choice: Choice?
    /// How far the target was, in meters; nil where no place is meant.
    public let distanceMeters: Double?
    /// Where the map opens; nil where no place is meant.
    public let coordinate: Coordinate?

    /// The tier; nil where no place is meant.
    public var tier: Tier? { step.tier }

    /// One of several templates.
    package struct Choice: Hashable, Sendable, Codable {
      let kind: String
      let template: Int
    }

    private enum CodingKeys: String, CodingKey {
      case reminder, poi, text, choice, distanceMeters, coordinate
      case step = "tier"
    }
  }

  /// The member whose news is most pressing; of equals, the nearest.
  public var head: Member { Self.head(of: members) }

  private static func head(of members: [Member]) -> Member {
    members.min { urgency($0.step) < urgency($1.step) } ?? members[0]
  }

  /// Whether it tells of the way somewhere.
  var tellsApproach: Bool { members.contains { $0.step.kind == .approach } }

  /// What the members say, in order; what one reminder says of two targets in the same words stands there once.
  public var lines: [String] {
    members.indices
      .filter { i in
        !members[..<i]
          .contains { $0.reminder == members[i].reminder && $0.text == members[i].text }
      }
      .map { members[$0].text }
  }

  /// All sentences, a line each.
  public var text: String { ((headline.map { [$0] } ?? []) + lines).joined(separator: "\n") }

  /// Where the map opens, as a link for map apps (RFC 5870); nil where no place is meant.
  public var mapLink: String? {
    head.coordinate.map { "geo:\(fixed($0.latitude, 6)),\(fixed($0.longitude, 6))" }
  }

  /// Where the map opens, as a web page; nil where no place is meant.
  public var mapPage: String? {
    guard let coordinate = head.coordinate else { return nil }
    let latitude = fixed(coordinate.latitude, 6)
    let longitude = fixed(coordinate.longitude, 6)
    return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)"
      + "#map=17/\(latitude)/\(longitude)"
  }

  /// What the user can answer (NM-5.4).
  public static let actions = [
    "complete", "snooze:15m", "snooze:1h", "snooze:today", "open_map", "mute",
  ]

  static func urgency(_ step: Step) -> Int {
    switch step.kind {
    case .arrival: 0
    case .scheduled, .leave, .signal: 1
    case .postArrival: 2
    case .approach, .summary: 3
    }
  }
}
