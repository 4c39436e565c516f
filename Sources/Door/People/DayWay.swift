import Geodesy
import Timeline

/// Where a person's leading phone was in the last day, in memory alone: no track is ever stored.
///
/// It is thinned as it grows, so that a day has 16 kB at most: a stay is its first and its last moment.
package struct DayWay: Sendable {
  /// Where the phone was at an instant, 16 bytes.
  package struct Point: Hashable, Sendable {
    package let at: Timestamp
    /// In millionths of a degree, as the day view has them.
    let latitude: Int32
    let longitude: Int32

    package init(at: Timestamp, _ coordinate: Coordinate) {
      self.at = at
      latitude = Int32((coordinate.latitude / Self.unitDegrees).rounded())
      longitude = Int32((coordinate.longitude / Self.unitDegrees).rounded())
    }

    private static let unitDegrees = 1e-6

    var coordinate: Coordinate {
      Coordinate(
        uncheckedLatitude: Double(latitude) * Self.unitDegrees,
        longitude: Double(longitude) * Self.unitDegrees
      )
    }
  }

  /// Somewhere the phone was for a while.
  package struct Stay: Hashable, Sendable {
    package let from: Timestamp
    package let until: Timestamp
    package let coordinate: Coordinate
  }

  package static let mostPoints = 1_000
  /// The longest day, when clocks are set back.
  private static let span = Milliseconds.minutes(25 * 60)
  /// Closer points are one at first: as far as fixes wander on a table.
  private static let finestMeters = 25.0
  /// Who is within this for some minutes stays: wider than fixes indoors wander.
  private static let stayMeters = 100.0
  private static let shortestStay = Milliseconds.minutes(5)

  package private(set) var points: [Point] = []
  private var stepMeters = finestMeters

  /// A way of nothing yet.
  package init() {}

  /// Takes in a fix; one before the last is passed over.
  ///
  /// A poor one that may be of where the phone was says that it still is there, and nothing of where.
  package mutating func add(
    _ coordinate: Coordinate,
    at instant: Timestamp,
    accuracyMeters: Double = 0
  ) {
    guard points.last.map({ $0.at < instant }) ?? true else { return }
    var point = Point(at: instant, coordinate)
    if accuracyMeters > Self.stayMeters / 2, let last = points.last,
      last.coordinate.distanceMeters(to: coordinate) < 2 * accuracyMeters
    {
      point = Point(at: instant, last.coordinate)
    }
    append(point)
    forget(before: instant - Self.span)
    if points.count > Self.mostPoints { thin() }
  }

  /// The newest one always stands; the one before goes where it says nothing between its neighbors.
  private mutating func append(_ point: Point) {
    if points.count > 1, isNear(points[points.count - 2], points[points.count - 1]),
      isNear(points[points.count - 2], point)
    {
      points[points.count - 1] = point
    } else {
      points.append(point)
    }
  }

  /// Forgets what is older than an instant; of a stay that went on then, it keeps that it did.
  private mutating func forget(before limit: Timestamp) {
    let old = points.prefix { $0.at < limit }.count
    guard old > 0 else { return }
    let isGoingOn = points.count > old
    let held = isGoingOn ? Self.held(points[old - 1], until: points[old], at: limit) : nil
    points.replaceSubrange(..<old, with: held.map { [$0] } ?? [])
  }

  /// Where the phone was between two points; nil unless it stayed from the one to the other.
  private static func held(_ last: Point, until next: Point, at instant: Timestamp) -> Point? {
    guard last.at < instant, next.at > instant, isOneStay(last, next) else { return nil }
    return Point(at: instant, last.coordinate)
  }

  private static func isOneStay(_ a: Point, _ b: Point) -> Bool {
    a.coordinate.distanceMeters(to: b.coordinate) < stayMeters
  }

  private func isNear(_ a: Point, _ b: Point) -> Bool {
    a.coordinate.distanceMeters(to: b.coordinate) < stepMeters
  }

  private mutating func thin() {
    while points.count > Self.mostPoints / 2, stepMeters < 100_000 {
      stepMeters *= 2
      let all = points
      points = []
      for point in all { append(point) }
    }
  }

  /// The points from an instant on, before another; a stay that had begun before begins with the first instant.
  package func points(from start: Timestamp, before end: Timestamp) -> [Point] {
    let first = points.firstIndex { $0.at >= start } ?? points.endIndex
    var within = points[first...].filter { $0.at < end }
    if first > points.startIndex, first < points.endIndex,
      let held = Self.held(points[first - 1], until: points[first], at: start)
    {
      within.insert(held, at: 0)
    }
    return within
  }

  /// Where the phone was for five minutes or more, in order: what of that lies between two instants.
  ///
  /// They are looked for in all that is known: a night at home is two points, one of each day.
  package func stays(from start: Timestamp, before end: Timestamp) -> [Stay] {
    Self.stays(in: points)
      .compactMap { stay in
        let (from, until) = (max(stay.from, start), min(stay.until, end))
        guard from < until else { return nil }
        return Stay(from: from, until: until, coordinate: stay.coordinate)
      }
  }

  /// Where the phone was for five minutes or more, in order.
  package static func stays(in points: [Point]) -> [Stay] {
    var stays: [Stay] = []
    var first = 0
    while first < points.count {
      var last = first
      while last + 1 < points.count,
        points[first].coordinate.distanceMeters(to: points[last + 1].coordinate) < stayMeters
      {
        last += 1
      }
      if points[last].at - points[first].at >= shortestStay {
        let stay = Stay(
          from: points[first].at,
          until: points[last].at,
          coordinate: longest(of: points[first...last]).coordinate
        )
        stays.append(stay)
        first = last + 1
      } else {
        first += 1
      }
    }
    return stays
  }

  /// Where the phone was longest: it comes to where it stays from up to 100 m away, and leaves so.
  private static func longest(of points: ArraySlice<Point>) -> Point {
    var best = (point: points[points.startIndex], span: Milliseconds(0))
    for (point, next) in zip(points, points.dropFirst()) where next.at - point.at > best.span {
      best = (point, next.at - point.at)
    }
    return best.point
  }
}
