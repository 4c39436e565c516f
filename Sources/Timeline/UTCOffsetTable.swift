/// A time zone as a value: from which instant on clocks differ from UTC by how much.
///
/// Made at the edge from the system's zone data, so that the core reads no zone files and a replay
/// stays the same when they change.
///
/// ```swift
/// let winter = UTCOffsetTable(identifier: "EST", initialOffsetSeconds: -5 * 3_600, eras: [])
/// let minute = winter.local(at: Timestamp(seconds: 1_772_539_200)).minuteOfDay  // 07:00
/// ```
public struct UTCOffsetTable: Hashable, Sendable {
  /// One rule of the zone: from `start` on, local time is UTC plus `offsetSeconds`.
  public struct Era: Hashable, Sendable {
    /// The first instant at which the offset holds.
    public let start: Timestamp
    /// Seconds east of UTC.
    public let offsetSeconds: Int

    /// Makes a rule.
    public init(start: Timestamp, offsetSeconds: Int) {
      self.start = start
      self.offsetSeconds = offsetSeconds
    }
  }

  /// The zone's name, such as `America/New_York`.
  public let identifier: String
  /// Seconds east of UTC before the first era.
  public let initialOffsetSeconds: Int
  /// Changes of the offset in time order.
  public let eras: [Era]

  /// Coordinated universal time.
  public static let utc = UTCOffsetTable(identifier: "UTC", initialOffsetSeconds: 0, eras: [])

  /// Makes a zone from its changes, which must be in time order, of a day at most.
  public init(identifier: String, initialOffsetSeconds: Int, eras: [Era]) {
    self.identifier = identifier
    self.initialOffsetSeconds = initialOffsetSeconds
    self.eras = eras
    precondition(isSound, Self.soundness)
  }

  /// Seconds east of UTC at an instant.
  ///
  /// - Complexity: O(log eras).
  public func offsetSeconds(at instant: Timestamp) -> Int {
    var low = 0
    var high = eras.count
    while low < high {
      let middle = (low + high) / 2
      if eras[middle].start <= instant { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? initialOffsetSeconds : eras[low - 1].offsetSeconds
  }

  /// The wall clock at an instant.
  public func local(at instant: Timestamp) -> (date: CivilDate, minuteOfDay: Int) {
    let wall = instant.withDate.milliseconds + Int64(offsetSeconds(at: instant)) * 1_000
    let days = floorDivide(wall, 86_400_000)
    return (CivilDate(daysSinceEpoch: Int(days)), Int((wall - days * 86_400_000) / 60_000))
  }

  /// The first instant at which the wall clock shows a time of a date or, where clocks jump over it,
  /// the first instant after the jump.
  public func instant(of date: CivilDate, minuteOfDay: Int) -> Timestamp {
    instants(of: date, minuteOfDay: minuteOfDay)[0]
  }

  /// The instants at which the wall clock shows a time of a date, in order: one, two where clocks
  /// are set back over it, or the first instant after a jump over it.
  func instants(of date: CivilDate, minuteOfDay: Int) -> [Timestamp] {
    let wall = Int64(date.daysSinceEpoch) * 86_400_000 + Int64(minuteOfDay) * 60_000
    let naive = Timestamp(milliseconds: wall)
    let found = instants(ofWall: naive)
    if !found.isEmpty { return found }
    let after = offsetSeconds(at: naive + Self.day)
    let jump = eras.first { $0.start > naive - Self.day && $0.offsetSeconds == after }
    return [jump?.start ?? Timestamp(milliseconds: wall - Int64(after) * 1_000)]
  }

  /// The instant at which the wall clock shows a time: where clocks are set back over it, of the two the one nearer to
  /// another instant, else the first; where they jump over it, as much later as they jump.
  ///
  /// - Parameter wall: the time, as if it were one of UTC.
  package func instant(ofWall wall: Timestamp, near other: Timestamp?) -> Timestamp {
    let found = instants(ofWall: wall)
    guard let first = found.first, let last = found.last else {
      return wall - Milliseconds(Int64(offsetSeconds(at: wall - Self.day)) * 1_000)
    }
    guard let other else { return first }
    return (last - other).value.magnitude < (first - other).value.magnitude ? last : first
  }

  /// The instants at which the wall clock shows a time, in order: one, two where clocks are set back over it, or none
  /// where they jump over it.
  private func instants(ofWall wall: Timestamp) -> [Timestamp] {
    // The offset in force is one of those around the naive instant; the larger one comes first.
    let before = offsetSeconds(at: wall - Self.day)
    let after = offsetSeconds(at: wall + Self.day)
    let offsets = before == after ? [before] : [max(before, after), min(before, after)]
    return offsets.map { (offset: $0, at: wall - Milliseconds(Int64($0) * 1_000)) }
      .filter { offsetSeconds(at: $0.at) == $0.offset }
      .map(\.at)
  }

  private static let day = Milliseconds(86_400_000)

  /// The next instant after the given one at which the wall clock shows a minute of the day.
  public func next(minuteOfDay: Int, after instant: Timestamp) -> Timestamp {
    let today = local(at: instant).date
    for days in 0...2 {
      let date = CivilDate(daysSinceEpoch: today.daysSinceEpoch + days)
      for candidate in instants(of: date, minuteOfDay: minuteOfDay) where candidate > instant {
        return candidate
      }
    }
    preconditionFailure("a wall clock shows every minute of the day within two days")
  }
}

extension UTCOffsetTable: Codable {
  private enum Key: String, CodingKey {
    case name, changes
    case initialOffsetSeconds = "offset"
  }

  /// Reads a stored zone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    identifier = try container.decode(String.self, forKey: .name)
    initialOffsetSeconds = try container.decode(Int.self, forKey: .initialOffsetSeconds)
    eras = try container.decodeIfPresent([Era].self, forKey: .changes) ?? []
    guard isSound else {
      throw DecodingError.dataCorruptedError(
        forKey: .changes,
        in: container,
        debugDescription: Self.soundness
      )
    }
  }

  private static let soundness = "the changes of a time zone come in time order, by a day at most"

  private var isSound: Bool {
    zip(eras, eras.dropFirst()).allSatisfy { $0.start < $1.start }
      && ([initialOffsetSeconds] + eras.map(\.offsetSeconds))
        .allSatisfy { (-86_400...86_400).contains($0) }
  }

  /// Writes a zone to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(identifier, forKey: .name)
    try container.encode(initialOffsetSeconds, forKey: .initialOffsetSeconds)
    if !eras.isEmpty { try container.encode(eras, forKey: .changes) }
  }
}

extension UTCOffsetTable.Era: Codable {
  private enum CodingKeys: String, CodingKey {
    case start = "at"
    case offsetSeconds = "offset"
  }
}
