import Recurrence
import Timeline

extension ClockWatch.State: StoredPart {
  /// - 2: schedules that recur.
  static let formatVersion = 2

  private enum Key: String, CodingKey {
    case alarms, leftOut
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    alarms = try container.decode([Alarm].self, forKey: .alarms)
    leftOut = try container.decodeIfPresent(Int.self, forKey: .leftOut) ?? 0
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(alarms, forKey: .alarms)
    if leftOut != 0 { try container.encode(leftOut, forKey: .leftOut) }
  }
}

extension Alarm: Codable {
  private enum Key: String, CodingKey {
    case reminder, trigger, schedule, lead, standing, open, before, answeredAhead
    /// Only in form 1, where every alarm rang once.
    case hasRung
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      try container.decode(String.self, forKey: .reminder),
      trigger: try container.decode(Int.self, forKey: .trigger),
      try container.decode(Schedule.self, forKey: .schedule),
      lead: try container.decodeIfPresent(Milliseconds.self, forKey: .lead) ?? .seconds(0)
    )
    if let hasRung = try container.decodeIfPresent(Bool.self, forKey: .hasRung) {
      standing = hasRung ? .over : .new
      if hasRung { open = [schedule.start] }
      return
    }
    standing = try container.decode(Standing.self, forKey: .standing)
    open = try container.decodeIfPresent([WrittenTime].self, forKey: .open) ?? []
    before = try container.decodeIfPresent(Before.self, forKey: .before)
    answeredAhead = try container.decodeIfPresent([WrittenTime].self, forKey: .answeredAhead)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(trigger, forKey: .trigger)
    try container.encode(schedule, forKey: .schedule)
    if lead.value != 0 { try container.encode(lead, forKey: .lead) }
    try container.encode(standing, forKey: .standing)
    if !open.isEmpty { try container.encode(open, forKey: .open) }
    try container.encodeIfPresent(before, forKey: .before)
    try container.encodeIfPresent(answeredAhead, forKey: .answeredAhead)
  }
}

/// As a word, or as the time that it rings for.
extension Alarm.Standing: Codable {
  private static let words: [(Alarm.Standing, String)] = [
    (.new, "new"), (.awaitsAnswer, "awaits_answer"), (.over, "over"),
  ]

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    if let known = Self.words.first(where: { $0.1 == text }) {
      self = known.0
    } else {
      self = .rings(for: try WrittenTime(from: decoder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    if case .rings(let time) = self { return try time.encode(to: encoder) }
    var container = encoder.singleValueContainer()
    try container.encode(Self.words.first { $0.0 == self }?.1 ?? "over")
  }
}

/// A time as it is written.
extension WrittenTime: Codable {
  /// Reads a time.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let time = WrittenTime(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is no time such as 2026-03-02T07:00 or 2026-03-02T07:00:00Z"
      )
    }
    self = time
  }

  /// Writes a time.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
