extension Region {
  /// The circle to ask a service for that notices a crossing only so far beyond the boundary.
  ///
  /// Coming in is asked for so much earlier, going out, too, so that what is noticed beyond the asked
  /// circle is noticed at the boundary. The phone stays on the side from which it comes: a circle that
  /// is crossed already never fires. The position that comes with the wake decides what was crossed.
  ///
  /// - Parameter anticipationMeters: how far beyond a boundary the service notices it.
  /// - Parameter distanceMeters: from the phone to the circle's center.
  /// - Parameter leastMeters: the smallest radius that the service serves: it takes a smaller one for this.
  /// - Parameter mostMeters: the largest radius that the service serves.
  /// - Returns: for a safe circle, whose margin is the planner's, the circle itself.
  public func anticipated(
    byMeters anticipationMeters: Double,
    fromMeters distanceMeters: Double,
    atLeast leastMeters: Double = 0,
    atMost mostMeters: Double = .infinity
  ) -> Region {
    let radius: Double =
      switch kind {
      case .enter:
        max(
          radiusMeters,
          leastMeters,
          min(
            radiusMeters + anticipationMeters,
            distanceMeters - Self.clearanceMeters,
            mostMeters
          )
        )
      case .exit:
        min(
          radiusMeters,
          max(
            radiusMeters - anticipationMeters,
            distanceMeters + Self.clearanceMeters,
            leastMeters
          )
        )
      case .safe: radiusMeters
      }
    return Region(id: id, center: center, radiusMeters: radius, kind: kind)
  }

  /// The phone lies at least this far from the line of what is asked for.
  ///
  /// - Source: about what a receiver in the open is wrong by.
  private static let clearanceMeters = 10.0
}
