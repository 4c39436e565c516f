/// One number for each piece of evidence: what was found, or what it is worth.
///
/// The log odds of an arrival are the sum of the products of the two.
public struct ArrivalTerms: Hashable, Sendable, Codable {
  /// How often people are where they seem to be; found is always 1.
  public var bias = 0.0
  /// The log odds of this place against every other one, the unknown, home and work.
  public var place = 0.0
  /// How unlikely a traffic light is that keeps one waiting for so long.
  public var light = 0.0
  /// How long there has been no fix, in logarithms of the usual interval.
  public var silence = 0.0
  /// The log odds of standing still.
  public var rest = 0.0
  /// The share of a walk from the car to a door; not at pumps, where one stays with the car.
  public var walkedIn = 0.0
  /// 1 for someone who is not on wheels at all.
  public var onFoot = 0.0
  /// 1 for someone on wheels at a place that is driven to.
  public var atPump = 0.0
  /// How long the stop has lasted, in logarithms of half minutes.
  public var lingering = 0.0

  /// Nothing.
  public init() {}

  /// The names, in order, as policies and reports write them.
  public static let names = [
    "bias", "place", "light", "silence", "rest", "walked_in", "on_foot", "at_pump", "lingering",
  ]

  /// The numbers in the order of ``names``.
  public var values: [Double] {
    get {
      [bias, place, light, silence, rest, walkedIn, onFoot, atPump, lingering]
    }
    set {
      precondition(newValue.count == Self.names.count, "one number for each term")
      bias = newValue[0]
      place = newValue[1]
      light = newValue[2]
      silence = newValue[3]
      rest = newValue[4]
      walkedIn = newValue[5]
      onFoot = newValue[6]
      atPump = newValue[7]
      lingering = newValue[8]
    }
  }

  /// The log odds of what was found, if it is worth so much.
  public func logOdds(_ weights: ArrivalTerms) -> Double {
    var sum = bias * weights.bias + place * weights.place + light * weights.light
    sum += silence * weights.silence + rest * weights.rest + walkedIn * weights.walkedIn
    sum += onFoot * weights.onFoot + atPump * weights.atPump + lingering * weights.lingering
    return sum
  }

  /// The weights fitted on the development corpora.
  public static let fitted: ArrivalTerms = {
    var terms = ArrivalTerms()
    terms.values = [-4.68, 0.87, 0.49, 0.26, 0.17, 3.55, 2.72, 2.05, -0.08]
    return terms
  }()
}
