import Recurrence
import SettingsFiles
import Testing
import Timeline

/// A set as it is written, and its occurrences as they are printed.
struct Written {
  let set: RecurrenceSet

  init(
    _ rule: String?,
    start: String,
    zone: String? = nil,
    added: [String] = [],
    excluded: [String] = [],
    gap: GapRule = .shift
  ) throws {
    set = try RecurrenceSet(
      start: try #require(WrittenTime(start)),
      zone: try zone.map { try Self.zone($0) },
      rule: try rule.map { try RecurrenceRule($0) },
      added: try added.map { try #require(WrittenTime($0)) },
      excluded: try excluded.map { try #require(WrittenTime($0)) },
      gap: gap
    )
  }

  static func zone(_ name: String) throws -> UTCOffsetTable {
    try #require(UTCOffsetTable(systemZone: name), "this system has no zone \(name)")
  }

  /// The first occurrences, or those after a time.
  func times(_ limit: Int, after: String? = nil) throws -> [String] {
    let after = try after.map { set.instant(of: try #require(WrittenTime($0))) }
    return try set.occurrences(after: after, limit: limit).map(\.description)
  }
}

/// The error that reading a rule or making a set ends with.
func refusal(_ body: () throws -> Void) -> RecurrenceError? {
  do {
    try body()
    return nil
  } catch {
    return error as? RecurrenceError
  }
}
