import Basics
import Geodesy
import Timeline

/// One step of a reminder: how near, or how long there, before it speaks.
///
/// ```swift
/// let tiers: [Tier] = [.approach(miles: 1), .arrival, .postArrival(delay: .minutes(5))]
/// let names = tiers.map(\.name)  // approach:1mi, arrival, post_arrival:5m
/// ```
public enum Tier: Hashable, Sendable, Codable {
  /// Within a distance of the target.
  case approach(meters: Double)
  /// At the target.
  case arrival
  /// Still at the target after a time.
  case postArrival(delay: Milliseconds)

  /// Meters in a statute mile, by definition (international yard and pound agreement, 1959).
  public static let metersPerMile = 1_609.344

  /// An approach so many miles out.
  public static func approach(miles: Double) -> Tier { .approach(meters: miles * metersPerMile) }

  /// The name in files and output: `approach:3mi`, `arrival`, `post_arrival:5m`.
  public var name: String {
    switch self {
    case .approach(let meters): "approach:" + Self.lengthName(meters)
    case .arrival: "arrival"
    case .postArrival(let delay): "post_arrival:" + delay.name
    }
  }

  /// What the tier tells: the kind of notification that it makes.
  public var kind: NotificationKind {
    switch self {
    case .approach: .approach
    case .arrival: .arrival
    case .postArrival: .postArrival
    }
  }

  /// A length as text that reads back as the same number: `3mi`, `0.5mi`, `150m`, `402.336m`.
  public static func lengthName(_ meters: Double) -> String {
    let tenths = (meters / metersPerMile * 10).rounded()
    // As it is read: a decimal, times the meters of a mile.
    if tenths > 0, tenths < 1e9, tenths / 10 * metersPerMile == meters {
      return decimal(tenths: Int(tenths)) + "mi"
    }
    return meters == meters.rounded() && meters.magnitude < 1e15
      ? "\(Int(meters))m" : plainText(meters) + "m"
  }

  /// No tier, fence or margin is larger, in meters: a thousand kilometers.
  public static let longestMeters = 1_000_000.0

  /// Reads the bare name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let tier = Tier(text) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "no tier: \(text)")
    }
    self = tier
  }

  /// Writes the bare name.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }

  /// Reads a tier as people write it: `3mi`, `approach:3mi`, `arrival`, `post_arrival:5m`.
  public init?(_ text: String) {
    if text == "arrival" {
      self = .arrival
    } else if text.hasPrefix("post_arrival:") {
      guard let delay = Milliseconds(String(text.dropFirst("post_arrival:".count))),
        delay.value > 0
      else { return nil }
      self = .postArrival(delay: delay)
    } else {
      let length = text.hasPrefix("approach:") ? String(text.dropFirst("approach:".count)) : text
      guard let meters = parseLengthMeters(length), meters > 0, meters <= Self.longestMeters else {
        return nil
      }
      self = .approach(meters: meters)
    }
  }
}

/// A number of tenths as text, without a needless `.0`.
func decimal(tenths: Int) -> String {
  tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
}
