import Geodesy

/// A line or an area of a map that is only drawn: nothing is asked about it.
package struct MapFeature: Sendable {
  /// What it is, in the order in which it is drawn.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Land in the sea.
    case land
    /// Woods, meadows, parks.
    case green
    /// Lakes, harbors, wide rivers.
    case water
    /// Rivers and canals as lines.
    case river
    /// Where land ends.
    case coast
    /// Railways.
    case rail
    /// Ways for feet and bicycles.
    case path
    /// Streets of all other kinds.
    case street
    /// Streets from here to there.
    case main
    /// Motorways.
    case motorway

    /// Whether it is filled.
    package var isArea: Bool { self == .land || self == .green || self == .water }
  }

  /// What it is.
  package let kind: Kind
  /// Its points, in order; of an area its outline, counterclockwise, or clockwise for a hole.
  package let points: [Coordinate]

  /// Makes a feature.
  package init(kind: Kind, points: [Coordinate]) {
    self.kind = kind
    self.points = points
  }
}
