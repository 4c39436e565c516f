import Timeline

/// One time at which something recurs.
public struct Occurrence: Hashable, Sendable {
  /// What the wall clock shows then.
  public let local: LocalDateTime
  /// The local time that the rule gave, which names the occurrence: not that of `local` where the
  /// clocks jump over it.
  public let ruled: LocalDateTime
  /// Seconds east of UTC then, or nil without a zone.
  public let offsetSeconds: Int?

  /// The instant, or nil without a zone.
  public var instant: Timestamp? {
    offsetSeconds.map { Timestamp(seconds: local.wallSeconds - Int64($0)) }
  }

  /// Seconds that order occurrences of one set: of the instant, or of the wall clock without a zone.
  var second: Int { local.wall - (offsetSeconds ?? 0) }
}

extension Occurrence: CustomStringConvertible {
  /// The time as `2026-03-08T03:30:00-04:00`, without an offset where there is no zone.
  public var description: String {
    guard let offsetSeconds else { return local.description }
    return local.description + offsetText(offsetSeconds)
  }
}

/// An offset from UTC as `-04:00`.
func offsetText(_ offsetSeconds: Int) -> String {
  let size = Int(offsetSeconds.magnitude)
  var text = offsetSeconds < 0 ? "-" : "+"
  text += paddedNumber(size / 3_600, 2) + ":" + paddedNumber(size / 60 % 60, 2)
  // Zones before standard time differ by odd seconds.
  if size % 60 != 0 { text += ":" + paddedNumber(size % 60, 2) }
  return text
}
