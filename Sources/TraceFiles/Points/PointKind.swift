/// The three kinds of points that GPX has, the one a replay wants most first.
package enum PointKind: Int, Hashable, Sendable, CaseIterable {
  /// `trkpt`: where the device was.
  case track
  /// `rtept`: where a person meant to go.
  case route
  /// `wpt`: a spot worth remembering.
  case waypoint
}
