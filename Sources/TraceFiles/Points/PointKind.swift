/// The three kinds of points that GPX has, the one a replay wants most first.
package enum PointKind: Int, Hashable, Sendable, CaseIterable {
  /// `trkpt`: where the device was.
  case track
  /// `rtept`: where a person meant to go.
  case route
  /// `wpt`: a spot worth remembering.
  case waypoint

  /// In words of our own outputs.
  package var name: String {
    switch self {
    case .track: "track"
    case .route: "route"
    case .waypoint: "waypoint"
    }
  }

  /// The kind of a name.
  init?(name: String) {
    guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}
