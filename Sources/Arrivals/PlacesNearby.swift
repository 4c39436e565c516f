import Basics
import Geodesy
import Places

/// The places that may be meant by a stop here, on a track's plane.
///
/// Derived from the catalog, and fetched anew only after the estimate has moved. A class, so that a tracker
/// is small to copy.
final class PlacesNearby: Sendable {
  /// A place as one of a category, or as one of the user's own.
  struct Entry: Sendable {
    /// Index into the catalog's points, or into the user's places.
    let index: Int
    /// Slot of the category; −1 for the user's own places.
    let slot: Int
    let position: PlanePoint
    /// How far from its point people stop, as a variance per axis.
    let variance: Double
    /// How far it is looked for.
    let reachSquared: Double
    /// How far it competes with others.
    let rivalSquared: Double
    /// How far it is looked for on the way ahead, where fixes lie far apart; 0 for a category's.
    var aheadSquared = 0.0
    /// What it counts for as an explanation; a place of two categories counts once.
    let weight: Double
    /// The log odds that one of the user's own places is given beforehand; 0 for others.
    var favor = 0.0
    /// Whether people stay with their car there.
    let isDrivenTo: Bool
    /// The entries that cannot be told apart from this one: the same place in another category, and points
    /// next to it that are no rivals of its own category.
    var twins: [Int] = []
  }

  /// The largest circle that is slept through.
  ///
  /// - Source: less than what a part of a catalog knows around a position, so that a part and the whole
  ///   have the same circles; on a fast road it is left every ten minutes.
  private static let farthestSleepMeters = 25_000.0

  let entries: [Entry]
  /// How many of them are of one category at most.
  let largestGroup: Int
  /// Where they are and how far each is looked for, side by side: asked with every fix.
  private let reaches: [(position: PlanePoint, squared: Double)]
  private let center: PlanePoint
  private let validMeters: Double
  /// How far the nearest place is beyond reach; nil if some are within it.
  let clearMeters: Double?

  /// Whether the entries hold all that is within reach of a position.
  func covers(_ position: PlanePoint) -> Bool {
    (position - center).lengthSquared <= validMeters * validMeters
  }

  /// Whether any place is within reach of a position.
  func hasAnything(withinReachOf position: PlanePoint) -> Bool {
    reaches.contains { ($0.position - position).lengthSquared <= $0.squared }
  }

  /// Whether one of the user's own places is within reach of a position.
  func hasOwn(withinReachOf position: PlanePoint) -> Bool {
    entries.contains {
      $0.slot < 0 && ($0.position - position).lengthSquared <= $0.reachSquared
    }
  }

  /// The user's own places that are within reach of a position, or not so much farther away; those that were fetched.
  func own(of position: PlanePoint, beyondReachBy meters: Double) -> [ArrivalPlaceIndex] {
    // They come first.
    entries.prefix { $0.slot < 0 }
      .filter { entry in
        let reach = entry.reachSquared.squareRoot() + meters
        return (entry.position - position).lengthSquared <= reach * reach
      }
      .map { ArrivalPlaceIndex(slot: $0.slot, index: $0.index) }
  }

  /// Whether one of the user's own places may be where the way ahead of a position ends.
  func hasOwn(aheadOf position: PlanePoint) -> Bool {
    // They come first.
    for entry in entries {
      guard entry.slot < 0 else { return false }
      if (entry.position - position).lengthSquared <= entry.aheadSquared { return true }
    }
    return false
  }

  /// Fetches the places around a position.
  init(around position: PlanePoint, on plane: TangentPlane, in world: ArrivalWorld) {
    center = position
    let settings = world.settings.places
    let catalog = world.catalog
    let point = plane.point(position)
    let cushion = 150.0
    let reach = settings.reachMeters + world.largestOutlineMeters
    let spread = settings.footprintDeviationMeters * settings.footprintDeviationMeters
    var found: [Entry] = []
    for slot in catalog.categories.indices {
      let isDrivenTo = world.drivenTo[slot]
      catalog.forEach(slot: slot, withinMeters: reach + cushion, of: point) { index in
        let poi = catalog.points[index]
        let outline = min(poi.footprintRadiusMeters, settings.largestOutlineMeters)
        let share = settings.outlineShare * outline
        let reachHere = settings.reachMeters + outline
        found.append(
          Entry(
            index: index,
            slot: slot,
            position: plane.project(catalog.positions[index]),
            variance: spread + share * share,
            reachSquared: reachHere * reachHere,
            rivalSquared: reachHere * reachHere,
            weight: catalog.slot(of: poi.categories[0]) == slot ? 1 : 0,
            isDrivenTo: isDrivenTo
          )
        )
      }
    }
    for (index, place) in world.placePoints.enumerated() {
      let there = plane.project(place)
      let outline = min(world.places[index].arrivalRadiusMeters ?? 0, settings.largestOutlineMeters)
      let share = settings.outlineShare * outline
      let reachHere = settings.ownReachMeters + outline
      let rivalReach = settings.reachMeters + outline
      let aheadReach = max(settings.ownAheadMeters, settings.ownReachMeters) + outline
      let fetched = aheadReach + cushion
      guard (there - position).lengthSquared <= fetched * fetched else { continue }
      found.append(
        Entry(
          index: index,
          slot: -1,
          position: there,
          variance: spread + share * share,
          reachSquared: reachHere * reachHere,
          rivalSquared: rivalReach * rivalReach,
          aheadSquared: aheadReach * aheadReach,
          weight: settings.familiarWeight,
          favor: naturalLogarithm(settings.familiarWeight),
          isDrivenTo: false
        )
      )
    }
    found.sort { ($0.slot, $0.index) < ($1.slot, $1.index) }
    for i in found.indices { found[i].twins = Self.twins(of: i, in: found, settings) }
    entries = found
    largestGroup = Self.largestGroup(of: found)
    reaches = found.map { ($0.position, $0.reachSquared) }
    if found.isEmpty {
      let clear = Self.clearMeters(around: point, in: world)
      let ahead = world.placePoints.reduce(clear) { ahead, place in
        min(
          ahead,
          place.distanceMeters(to: point) - settings.ownAheadMeters - world.largestOutlineMeters
        )
      }
      clearMeters = max(clear, 0)
      // The plane is good for a few kilometers.
      validMeters = min(max(ahead, 0), 2_000)
    } else {
      clearMeters = nil
      validMeters = cushion
    }
  }
}

extension PlacesNearby {
  /// How far one can go from a point before any place could matter, in meters; below 0 where one does already.
  ///
  /// - Complexity: O(log points + places).
  static func clearMeters(around point: SurfacePoint, in world: ArrivalWorld) -> Double {
    let settings = world.settings.places
    let reach = settings.reachMeters + world.largestOutlineMeters
    let ownReach = settings.ownReachMeters + world.largestOutlineMeters
    // A meter more, so that the limit itself is not rounded.
    let limit = farthestSleepMeters + reach + 1
    let clear = min(
      farthestSleepMeters,
      world.catalog.knownMeters - reach,
      world.catalog.nearestMeters(to: point, within: limit) - reach
    )
    return world.placePoints.reduce(clear) { min($0, $1.distanceMeters(to: point) - ownReach) }
  }

  /// - Parameter entries: in the order of their slots.
  private static func largestGroup(of entries: [Entry]) -> Int {
    var (most, count) = (1, 0)
    for i in entries.indices {
      count =
        i > 0 && entries[i].slot >= 0 && entries[i].slot == entries[i - 1].slot ? count + 1 : 1
      most = max(most, count)
    }
    return most
  }

  private static func twins(of i: Int, in entries: [Entry], _ settings: PlaceSettings) -> [Int] {
    let entry = entries[i]
    return entries.indices.filter { k in
      let other = entries[k]
      guard other.slot != entry.slot else { return false }
      return (other.position - entry.position).lengthSquared
        <= settings.sameSpotMeters * settings.sameSpotMeters
    }
  }
}

/// What does not change from fix to fix: the places and the numbers.
///
/// A class, so that neither a detector nor a copy of one carries a hundred numbers around.
package final class ArrivalWorld: Sendable {
  package let settings: ArrivalSettings
  let catalog: POICatalog
  package let places: [Place]
  let placePoints: [SurfacePoint]
  let placeIDs: [String]
  /// For each category's slot, whether people stay with their car there.
  let drivenTo: [Bool]
  let largestOutlineMeters: Double
  let speeds: SpeedDensities
  /// The logarithm of the density of places that nobody knows of.
  let unknownLog: Double

  init(settings: ArrivalSettings, catalog: POICatalog, places: [Place]) {
    self.settings = settings
    self.catalog = catalog
    speeds = SpeedDensities(settings.speeds)
    unknownLog = naturalLogarithm(settings.places.unknownPerSquareMeter)
    self.places = places.sorted { $0.id < $1.id }
    placePoints = self.places.map { SurfacePoint($0.coordinate) }
    placeIDs = self.places.map(\.id)
    drivenTo = catalog.categories.map { settings.places.drivenToCategories.contains($0) }
    let outline = places.reduce(catalog.largestFootprintMeters) {
      max($0, $1.arrivalRadiusMeters ?? 0)
    }
    largestOutlineMeters = min(outline, settings.places.largestOutlineMeters)
  }
}
