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

  /// How long one has been no farther away than some meters, silence included, in logarithms.
  public var staying = 0.0
  /// For someone on wheels, how much of a walk may have gone unseen.
  public var unseen = 0.0

  /// Nothing.
  public init() {}

  /// The names, in order, as policies and reports write them.
  public static let names = [
    "bias", "place", "silence", "rest", "walked_in", "on_foot", "at_pump", "past_light",
    "silence_at_pump", "staying", "unseen",
  ]

  /// The numbers in the order of ``names``.
  public var values: [Double] {
    get {
      [
        bias, place, silence, rest, walkedIn, onFoot, atPump, pastLight, silenceAtPump, staying,
        unseen,
      ]
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
      staying = newValue[9]
      unseen = newValue[10]
    }
  }

  /// The log odds of what was found, if it is worth so much.
  public func logOdds(_ weights: ArrivalTerms) -> Double {
    var sum = bias * weights.bias + place * weights.place + silence * weights.silence
    sum += rest * weights.rest + walkedIn * weights.walkedIn + onFoot * weights.onFoot
    sum += atPump * weights.atPump + pastLight * weights.pastLight
    sum += silenceAtPump * weights.silenceAtPump
    sum += staying * weights.staying + unseen * weights.unseen
    return sum
  }

  /// The most that the log odds can be while each of the terms lies between these and others.
  func mostLogOdds(between others: ArrivalTerms, _ weights: ArrivalTerms) -> Double {
    var sum = max(bias * weights.bias, others.bias * weights.bias)
    sum += max(place * weights.place, others.place * weights.place)
    sum += max(silence * weights.silence, others.silence * weights.silence)
    sum += max(rest * weights.rest, others.rest * weights.rest)
    sum += max(walkedIn * weights.walkedIn, others.walkedIn * weights.walkedIn)
    sum += max(onFoot * weights.onFoot, others.onFoot * weights.onFoot)
    sum += max(atPump * weights.atPump, others.atPump * weights.atPump)
    sum += max(pastLight * weights.pastLight, others.pastLight * weights.pastLight)
    sum += max(
      silenceAtPump * weights.silenceAtPump,
      others.silenceAtPump * weights.silenceAtPump
    )
    sum += max(staying * weights.staying, others.staying * weights.staying)
    sum += max(unseen * weights.unseen, others.unseen * weights.unseen)
    return sum
  }

  /// The weights fitted on the development corpora, as eleven phones see them (docs/arrival.md).
  public static let fitted: ArrivalTerms = {
    var terms = ArrivalTerms()
    terms.values = [-5.10, 0.73, 0.50, 0.32, 3.61, 2.83, 1.91, 1.76, -0.88, 0.41, 2.89]
    return terms
  }()
}
