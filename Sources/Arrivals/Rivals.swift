import Basics

/// What competes with a place as the explanation of a stop: the other places, the familiar ones, the unknown.
///
/// People come home far more often than to any one shop, so the user's own places count for many. But whoever is
/// not there yet and stops 20 m from home may as well be next door: then the two compete almost as equals, and
/// against the unknown home still counts for many.
struct Rivals {
  /// The density of each entry's stops here, and its logarithm; 0 beyond its reach.
  var densities: [(value: Double, log: Double, isRival: Bool)] = []
  /// Whether one of the user's own places is within reach.
  private(set) var hasOwn = false
  private var sumWhileStaying = 0.0
  private var sumOnTheWay = 0.0
  private let known: (all: Double, others: Double)
  private let settings: PlaceSettings

  /// - Parameter known: the density of familiar places: of all, and of those that are none of the user's own.
  init(_ settings: PlaceSettings, known: (all: Double, others: Double)) {
    self.settings = settings
    self.known = known
  }

  /// Takes in the next entry.
  ///
  /// - Parameter slot: of its category; −1 for the user's own places.
  /// - Parameter weight: what it counts for.
  /// - Parameter log: the logarithm of the density of its stops here; nil beyond its reach.
  /// - Parameter isRival: whether it is near enough to compete with others.
  mutating func add(slot: Int, weight: Double, _ log: Double?, isRival: Bool) {
    guard let log else { return densities.append((value: 0, log: 0, isRival: false)) }
    let density = exponential(log)
    densities.append((value: density, log: log, isRival: isRival))
    guard isRival else { return }
    if slot < 0 { hasOwn = true }
    sumWhileStaying += weight * density
    sumOnTheWay += (slot < 0 ? settings.onTheWayWeight : weight) * density
  }

  /// The log odds of an entry against all others, within their bounds.
  ///
  /// - Parameter isStaying: whether the person is at one of their own places already.
  func term(
    of i: Int,
    in entries: [PlacesNearby.Entry],
    whileStaying isStaying: Bool
  ) -> Double {
    let entry = entries[i]
    let own = weight(of: entry, whileStaying: isStaying) * densities[i].value
    var rivals = (isStaying ? sumWhileStaying : sumOnTheWay) - (densities[i].isRival ? own : 0)
    // What cannot be told apart from it is no other explanation, but where one stays already.
    for twin in entry.twins
    where densities[twin].isRival && (!isStaying || entries[twin].slot >= 0) {
      rivals -= weight(of: entries[twin], whileStaying: isStaying) * densities[twin].value
    }
    rivals = max(rivals, 0)
    let isOwn = entry.slot < 0
    // Where something else is the likelier one, both are weighed alike.
    if isOwn, !isStaying, rivals > own { rivals *= entry.weight / settings.onTheWayWeight }
    let familiar = isOwn ? 0 : settings.familiarWeight * (isStaying ? known.all : known.others)
    let others = settings.unknownPerSquareMeter + rivals + familiar
    return min(
      max(densities[i].log + entry.favor - naturalLogarithm(others), settings.leastTerm),
      settings.mostTerm
    )
  }

  private func weight(of entry: PlacesNearby.Entry, whileStaying isStaying: Bool) -> Double {
    entry.slot < 0 && !isStaying ? settings.onTheWayWeight : entry.weight
  }
}
