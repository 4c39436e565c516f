import Geodesy
import Streets

/// Where a receiver is, from second to second: lived by the simulation, or read from a day's true path.
package struct ReceiverPath: Sendable {
  /// A time at one spot.
  package struct Moment: Sendable {
    /// The first second, from 1970.
    package var second: Int
    /// How many of them.
    package var seconds: Int
    package var point: PlanePoint
    package var metersPerSecond: Double
    package var courseDegrees: Double
    package var surroundings: Surroundings
    package var isTunnel: Bool
    /// Whether it is at home or at work.
    package var isAtBase: Bool

    /// Makes a moment.
    package init(
      second: Int,
      seconds: Int,
      point: PlanePoint,
      metersPerSecond: Double,
      courseDegrees: Double,
      surroundings: Surroundings,
      isTunnel: Bool,
      isAtBase: Bool
    ) {
      self.second = second
      self.seconds = seconds
      self.point = point
      self.metersPerSecond = metersPerSecond
      self.courseDegrees = courseDegrees
      self.surroundings = surroundings
      self.isTunnel = isTunnel
      self.isAtBase = isAtBase
    }
  }

  /// The first second and the one after the last.
  package var start: Int
  package var end: Int
  /// In order of time, without gaps.
  package var moments: [Moment]
  /// The plane on which the points lie.
  package var plane: LocalPlane

  /// Makes a path.
  package init(start: Int, end: Int, moments: [Moment], plane: LocalPlane) {
    self.start = start
    self.end = end
    self.moments = moments
    self.plane = plane
  }

  /// What a person lived.
  init(_ life: DayLife, in area: Neighborhood) {
    self.init(
      start: life.start,
      end: life.end,
      moments: life.moments.map { moment in
        Moment(
          second: moment.second,
          seconds: moment.seconds,
          point: moment.point,
          metersPerSecond: moment.metersPerSecond,
          courseDegrees: moment.courseDegrees,
          surroundings: moment.isIndoors
            ? .indoor : area.isUrban(moment.point) ? .urban : .open,
          isTunnel: moment.isTunnel,
          isAtBase: moment.state == .home || moment.state == .work
        )
      },
      plane: area.streets.plane
    )
  }
}
