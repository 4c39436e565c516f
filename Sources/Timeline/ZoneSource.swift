/// Where zones are found by their names, such as the system's zone data.
///
/// The same name must give the same zone for as long as an engine lives.
public protocol ZoneSource: Sendable {
  /// The zone of a name, or nil if there is none.
  func zone(named name: String) -> UTCOffsetTable?
}

/// Knows no zone but UTC.
public struct NoZones: ZoneSource {
  /// Makes one.
  public init() {}

  /// UTC under its own name.
  public func zone(named name: String) -> UTCOffsetTable? { name == "UTC" ? .utc : nil }
}
