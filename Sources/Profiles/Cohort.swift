import Basics
import Timeline

/// A group of accounts with terms of their own.
public struct Cohort: Hashable, Sendable {
  /// Its name.
  public let name: String
  /// Whether its accounts have everything for ever and are never asked to pay.
  public let isGrandfathered: Bool
  /// The offers that its accounts are made, by id; nil for all of the profile.
  public let offers: [String]?

  /// Makes a cohort.
  public init(name: String, isGrandfathered: Bool = false, offers: [String]? = nil) {
    self.name = name
    self.isGrandfathered = isGrandfathered
    self.offers = offers
  }
}

/// Which cohort an account belongs to: a function of when it was made, when the product was launched, and its id.
///
/// Weeks are counted from the launch date on the calendar of UTC, one clock for all: neither a journey nor a zone
/// that changes its rules moves anybody.
public struct CohortTable: Hashable, Sendable {
  /// The rows, in order of time, without overlaps.
  public let rows: [Row]
  /// The cohort of those whom no row has.
  public let fallback: String
  /// Tells the draw of this table from that of others.
  public let salt: String

  /// Some weeks, and the cohorts that their accounts are drawn into, with equal chances.
  public struct Row: Hashable, Sendable {
    /// The first week, 1 being the one that begins on the launch date.
    public let firstWeek: Int
    /// The week with which it is over; nil for no end.
    public let endWeek: Int?
    /// The cohorts.
    public let cohorts: [String]

    /// Makes a row.
    public init(firstWeek: Int, endWeek: Int?, cohorts: [String]) {
      self.firstWeek = firstWeek
      self.endWeek = endWeek
      self.cohorts = cohorts
    }
  }

  /// Makes a table.
  ///
  /// - Returns: nil unless the rows have cohorts, are in order, do not overlap, and only the last has no end.
  public init?(rows: [Row], fallback: String, salt: String = "") {
    var next = Int.min
    for row in rows {
      guard row.firstWeek >= next, !row.cohorts.isEmpty,
        row.endWeek.map({ $0 > row.firstWeek }) ?? true
      else { return nil }
      next = row.endWeek ?? Int.max
    }
    self.rows = rows
    self.fallback = fallback
    self.salt = salt
  }

  /// The week of an instant, 1 being the one that begins on the launch date; 0 and less are before it.
  public static func week(of instant: Timestamp, launch: CivilDate) -> Int {
    let day = UTCOffsetTable.utc.local(at: instant).date.daysSinceEpoch - launch.daysSinceEpoch
    return (day >= 0 ? day / 7 : (day - 6) / 7) + 1
  }

  /// The cohort of an account.
  ///
  /// - Source: the draw is the high half of a product of SplitMix64's first number, seeded with FNV-1a of salt and
  ///   id (see `Basics`): the same on every machine, whatever else changes.
  public func cohort(signedUpAt: Timestamp, launch: CivilDate, userID: String) -> String {
    let week = Self.week(of: signedUpAt, launch: launch)
    guard let row = rows.first(where: { $0.firstWeek <= week && week < $0.endWeek ?? Int.max })
    else {
      return fallback
    }
    guard row.cohorts.count > 1 else { return row.cohorts[0] }
    var print = FNV1a(salt)
    print.add(0)
    print.add(userID.utf8)
    var draw = SplitMix64(seed: print.hash)
    return row.cohorts[draw.index(below: row.cohorts.count)]
  }
}
