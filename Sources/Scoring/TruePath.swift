import Geodesy
import Timeline
import Traces

/// Where the person really was, between whose rows straight lines are exact enough.
public struct TruePath: Hashable, Sendable {
  /// One row: an instant, a place, a speed.
  public struct Row: Hashable, Sendable {
    /// When.
    public var at: Timestamp
    /// Where.
    public var coordinate: Coordinate
    /// How fast, in meters a second.
    public var speedMetersPerSecond: Double

    /// Makes a row.
    public init(at: Timestamp, coordinate: Coordinate, speedMetersPerSecond: Double) {
      self.at = at
      self.coordinate = coordinate
      self.speedMetersPerSecond = speedMetersPerSecond
    }
  }

  /// The rows, each later than the one before.
  public let rows: [Row]
  /// The way from the first row to each, in meters.
  private let lengths: [Double]

  /// Makes a path.
  ///
  /// - Throws: ``TruthFault/badPath(row:)`` if it is empty or goes back in time.
  public init(_ rows: [Row]) throws(TruthFault) {
    guard !rows.isEmpty else { throw .badPath(row: 1) }
    for i in rows.indices.dropFirst() where rows[i].at <= rows[i - 1].at {
      throw .badPath(row: i + 1)
    }
    self.rows = rows
    var lengths = [0.0]
    lengths.reserveCapacity(rows.count)
    var last = SurfacePoint(rows[0].coordinate)
    for row in rows.dropFirst() {
      let point = SurfacePoint(row.coordinate)
      lengths.append(lengths[lengths.count - 1] + point.distanceMeters(to: last))
      last = point
    }
    self.lengths = lengths
  }

  /// What a receiver without any error measures at an instant.
  ///
  /// Before the first row it is there, after the last row here.
  ///
  /// - Complexity: O(log rows).
  public func fix(at instant: Timestamp) -> Fix {
    let (low, share) = place(of: instant)
    let a = rows[low]
    guard share > 0 else {
      return Self.fix(at: instant, a.coordinate, a.speedMetersPerSecond)
    }
    let b = rows[low + 1]
    var east = b.coordinate.longitude - a.coordinate.longitude
    if east > 180 { east -= 360 }
    if east < -180 { east += 360 }
    var longitude = a.coordinate.longitude + share * east
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let latitude =
      a.coordinate.latitude + share * (b.coordinate.latitude - a.coordinate.latitude)
    let speed =
      a.speedMetersPerSecond + share * (b.speedMetersPerSecond - a.speedMetersPerSecond)
    return Self.fix(
      at: instant,
      Coordinate(uncheckedLatitude: latitude, longitude: longitude),
      speed
    )
  }

  /// Whether there is a row near an instant.
  func hasRow(within span: Milliseconds, of instant: Timestamp) -> Bool {
    let low = place(of: instant).row
    return rows[low...].prefix(2).contains { isWithin(span, $0.at, instant) }
  }

  /// Every row as a fix without error.
  public var fixes: [Fix] {
    rows.map { Self.fix(at: $0.at, $0.coordinate, $0.speedMetersPerSecond) }
  }

  /// How far the person went between two instants, in meters; negative if `end` is the earlier one.
  public func lengthMeters(from start: Timestamp, to end: Timestamp) -> Double {
    length(at: end) - length(at: start)
  }

  private func length(at instant: Timestamp) -> Double {
    let (low, share) = place(of: instant)
    guard share > 0 else { return lengths[low] }
    return lengths[low] + share * (lengths[low + 1] - lengths[low])
  }

  /// The last row not later than an instant, and how much of the way to the next one is done.
  private func place(of instant: Timestamp) -> (row: Int, share: Double) {
    if instant <= rows[0].at { return (0, 0) }
    if instant >= rows[rows.count - 1].at { return (rows.count - 1, 0) }
    var (low, high) = (0, rows.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if rows[middle].at <= instant { low = middle } else { high = middle }
    }
    let whole = (rows[high].at - rows[low].at).seconds
    return (low, (instant - rows[low].at).seconds / whole)
  }

  /// One meter: that of a good survey, far below every threshold of a policy.
  private static let accuracyMeters = 1.0

  private static func fix(at: Timestamp, _ coordinate: Coordinate, _ speed: Double) -> Fix {
    Fix(
      at: at,
      coordinate: coordinate,
      horizontalAccuracyMeters: accuracyMeters,
      speedMetersPerSecond: speed
    )
  }
}
