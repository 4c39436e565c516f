import Fencing
import Geodesy
import Places
import Recurrence
import Timeline

/// A reminder's tiers, sorted into what a ladder climbs and what comes after it.
///
/// Stored with the reminder, so that later defaults do not move it (NM-2.3).
struct TierPlan: Hashable, Sendable, Codable {
  /// Approaches and arrival, the outermost first; one for each ring of ``shape``.
  let ringTiers: [Tier]
  /// The rings.
  let shape: LadderShape
  /// How long after an arrival the last tier speaks; nil if there is none.
  let postArrivalDelay: Milliseconds?
  /// Whether the arrival is watched for what comes after it only, and told to nobody; nil for no.
  private let isArrivalSilent: Bool?
  /// Approaches that the place's own arrival ring reaches beyond, and that no one could hear; nil for none.
  private let swallowed: [Tier]?

  /// All that speak, the outermost first.
  var tiers: [Tier] {
    (speaksOfArrival ? ringTiers : ringTiers.filter { $0 != .arrival })
      + (postArrivalDelay.map { [.postArrival(delay: $0)] } ?? [])
  }

  /// What was asked for and is not among ``tiers``: approaches that the place is too large for, until it gets smaller.
  var leftOut: [Tier] { swallowed ?? [] }

  /// Whether an arrival is told.
  var speaksOfArrival: Bool { !(isArrivalSilent ?? false) }

  /// The radius of the arrival ring, in meters; nil without one.
  var arrivalRadiusMeters: Double? { shape.hasArrival ? shape.rings.last?.radiusMeters : nil }

  /// Makes a plan.
  ///
  /// A place as large as a lake lies around some of the approaches that were asked for: they are left out, for the
  /// reminder is still one for arriving there.
  ///
  /// - Parameters:
  ///   - placeRadiusMeters: the arrival ring of a place that has its own; nil where the policy's is used.
  ///   - leftOut: approaches that were left out before; they are asked for, too, and may be left out again.
  init(
    _ tiers: [Tier],
    arrivalRadiusMeters policyRadiusMeters: Double,
    placeRadiusMeters: Double? = nil,
    leftOut: [Tier] = []
  ) throws(ReminderError) {
    let asked = tiers + leftOut
    // They are stored by their names.
    for tier in asked where Tier(tier.name) == nil {
      throw .outOfBounds(
        "the tier \"\(tier.name)\" is none: a length up to 1000 km, or a span longer than 0"
      )
    }
    let arrivalRadiusMeters = placeRadiusMeters ?? policyRadiusMeters
    let awaitsArrival = asked.contains { tier in
      if case .approach = tier { false } else { true }
    }
    let tiers = asked.filter { tier in
      guard case .approach(let meters) = tier, awaitsArrival,
        placeRadiusMeters != nil || leftOut.contains(tier)
      else {
        return true
      }
      return meters > arrivalRadiusMeters
    }
    swallowed = tiers.count == asked.count ? nil : asked.filter { !tiers.contains($0) }
    var rings: [(tier: Tier, ring: Ring)] = []
    var delay: Milliseconds?
    for tier in tiers {
      switch tier {
      case .approach(let meters):
        rings.append((tier, Ring(kind: .approach, radiusMeters: meters)))
      case .arrival:
        rings.append((tier, Ring(kind: .arrival, radiusMeters: arrivalRadiusMeters)))
      case .postArrival(let after):
        guard delay == nil else { throw .twoPostArrivals }
        delay = after
      }
    }
    // "10 minutes after I get home" says nothing at the door.
    let isSilent = delay != nil && !tiers.contains(.arrival)
    if isSilent {
      rings.append((.arrival, Ring(kind: .arrival, radiusMeters: arrivalRadiusMeters)))
    }
    // Equal radii are refused by the shape, with a sentence.
    rings.sort { $0.ring.radiusMeters > $1.ring.radiusMeters }
    do {
      shape = try LadderShape(rings.map(\.ring))
    } catch {
      throw .badTiers(error)
    }
    ringTiers = rings.map(\.tier)
    postArrivalDelay = delay
    isArrivalSilent = isSilent ? true : nil
  }
}

extension Tier {
  /// Why tiers are none that a reminder can have; nil if they are.
  package static func fault(of tiers: [Tier], _ settings: Policy.Tiers) -> ReminderError? {
    do {
      _ = try TierPlan(tiers, arrivalRadiusMeters: settings.arrivalRadiusMeters)
      return nil
    } catch {
      return error
    }
  }
}

/// Why a reminder cannot be watched for.
public enum ReminderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The tiers do not lie inside one another.
  case badTiers(LadderShapeError)
  /// More than one delay after arrival.
  case twoPostArrivals
  /// A delay after an arrival that is not watched: an older version's.
  case postArrivalWithoutArrival
  /// The place is not known.
  case unknownPlace(String)
  /// The zone is not known.
  case unknownZone(String)
  /// The times of a schedule contradict each other.
  case badSchedule(RecurrenceError)
  /// A condition says nothing, or what cannot be known.
  case badCondition(String)
  /// Something in it is out of bounds.
  case outOfBounds(String)
  /// It has ended; a change of it may be older than that.
  case hasEnded

  /// The reason as a sentence.
  public var description: String {
    switch self {
    case .badTiers(let error): error.description
    case .twoPostArrivals: "a reminder has at most one post_arrival tier"
    case .postArrivalWithoutArrival: "post_arrival needs the tier arrival, too"
    case .unknownPlace(let id): "no place has the id \"\(id)\""
    case .unknownZone(let name):
      "this system has no time zone \"\(name)\": write one such as Europe/Malta, or none"
    case .badSchedule(let error): "\(error)"
    case .badCondition(let fault), .outOfBounds(let fault): fault
    case .hasEnded: "it has ended: reopen it before it is changed"
    }
  }
}
