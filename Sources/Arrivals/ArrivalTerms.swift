/// One number for each piece of evidence: what was found, or what it is worth.
///
/// The log odds of an arrival are the sum of the products of the two.
public struct ArrivalTerms: Hashable, Sendable, Codable {
  /// How often people are where they seem to be; found is always 1.
  public var bias = 0.0
  /// The log odds of this place against every other one, the unknown, home and work.
  public var place = 0.0
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
  /// For someone on wheels at a place that is driven to, how much of the longest red light has passed.
  public var pastLight = 0.0
  /// The silence again, at a place that is driven to: pumps stand under the sky.
  public var silenceAtPump = 0.0

  /// Nothing.
  public init() {}

  /// The names, in order, as policies and reports write them.
  public static let names = [
    "bias", "place", "silence", "rest", "walked_in", "on_foot", "at_pump", "past_light",
    "silence_at_pump",
  ]

  /// The numbers in the order of ``names``.
  public var values: [Double] {
    get {
      [bias, place, silence, rest, walkedIn, onFoot, atPump, pastLight, silenceAtPump]
    }
    set {
      precondition(newValue.count == Self.names.count, "one number for each term")
      bias = newValue[0]
      place = newValue[1]
      silence = newValue[2]
      rest = newValue[3]
      walkedIn = newValue[4]
      onFoot = newValue[5]
      atPump = newValue[6]
      pastLight = newValue[7]
      silenceAtPump = newValue[8]
    }
  }

  /// The log odds of what was found, if it is worth so much.
  public func logOdds(_ weights: ArrivalTerms) -> Double {
    var sum = bias * weights.bias + place * weights.place + silence * weights.silence
    sum += rest * weights.rest + walkedIn * weights.walkedIn + onFoot * weights.onFoot
    sum += atPump * weights.atPump + pastLight * weights.pastLight
    sum += silenceAtPump * weights.silenceAtPump
    return sum
  }

  /// The weights fitted on the development corpora.
  public static let fitted: ArrivalTerms = {
    var terms = ArrivalTerms()
    terms.values = [-4.18, 0.82, 0.70, 0.28, 3.26, 3.03, 0.98, 3.19, -1.08]
    return terms
  }()
}
