import Geodesy
import Places
import PlaceStore

/// What a newer cache says differently, by source id.
package struct CacheDifference: Sendable {
  /// A place before and after.
  package struct Change: Sendable {
    /// As it was.
    package let old: PointOfInterest
    /// As it is.
    package let new: PointOfInterest
    /// What is different, as it is to be read.
    package let text: String
  }

  /// Places that were not there.
  package private(set) var added: [PointOfInterest] = []
  /// Places elsewhere; what else changed of them is in ``changed``.
  package private(set) var moved: [Change] = []
  /// Places of another name.
  package private(set) var renamed: [Change] = []
  /// Places of which anything else is different.
  package private(set) var changed: [Change] = []
  /// Places that are no longer there.
  package private(set) var removed: [PointOfInterest] = []
  /// Places of which everything is as it was.
  package private(set) var unchangedCount = 0

  /// Compares two states; each list is in order of source id.
  package init(
    old: [PointOfInterest],
    oldDetails: [String: String],
    new: [PointOfInterest],
    newDetails: [String: String]
  ) {
    var oldByID: [String: PointOfInterest] = [:]
    for place in old { oldByID[place.sourceID] = place }
    for place in Self.sorted(new) {
      guard let before = oldByID.removeValue(forKey: place.sourceID) else {
        added.append(place)
        continue
      }
      compare(
        before,
        with: place,
        oldDetails: oldDetails[place.sourceID],
        newDetails: newDetails[place.sourceID]
      )
    }
    removed = Self.sorted(Array(oldByID.values))
  }

  private static func sorted(_ places: [PointOfInterest]) -> [PointOfInterest] {
    places.map { (SourceIDKey($0.sourceID), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private mutating func compare(
    _ old: PointOfInterest,
    with new: PointOfInterest,
    oldDetails: String?,
    newDetails: String?
  ) {
    var isSame = true
    if old.coordinate.latitudeE7 != new.coordinate.latitudeE7
      || old.coordinate.longitudeE7 != new.coordinate.longitudeE7
    {
      isSame = false
      let meters = old.coordinate.distanceMeters(to: new.coordinate)
      let text = "\((meters * 10).rounded() / 10) m"
      moved.append(Change(old: old, new: new, text: text))
    }
    if old.name != new.name {
      isSame = false
      let text = "\(Self.shown(old.name)) to \(Self.shown(new.name))"
      renamed.append(Change(old: old, new: new, text: text))
    }
    let parts = Self.differences(from: old, to: new, oldDetails: oldDetails, newDetails: newDetails)
    if !parts.isEmpty {
      isSame = false
      changed.append(Change(old: old, new: new, text: parts.joined(separator: "; ")))
    }
    if isSame { unchangedCount += 1 }
  }

  private static func differences(
    from old: PointOfInterest,
    to new: PointOfInterest,
    oldDetails: String?,
    newDetails: String?
  ) -> [String] {
    var parts: [String] = []
    if old.categories != new.categories {
      let lists = [old, new].map { $0.categories.map(\.name).joined(separator: ", ") }
      parts.append("categories \(lists[0]) to \(lists[1])")
    }
    if old.brand != new.brand { parts.append("brand \(shown(old.brand)) to \(shown(new.brand))") }
    if old.footprintRadiusMeters != new.footprintRadiusMeters {
      parts.append("footprint \(old.footprintRadiusMeters) m to \(new.footprintRadiusMeters) m")
    }
    let (before, after) = (PlaceDetails.values(oldDetails), PlaceDetails.values(newDetails))
    for key in PlaceDetails.keys where before[key] != after[key] {
      parts.append("\(key) \(shown(before[key])) to \(shown(after[key]))")
    }
    return parts
  }

  private static func shown(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "none" }
}
