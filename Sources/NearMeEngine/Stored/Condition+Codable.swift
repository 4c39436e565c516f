import Places
import Recurrence
import Timeline

/// Conditions with the words of the reminders file: `{"window": {…}}`, `{"dates": {"from": …}}`,
/// `{"inside": {"place": …}}`, `{"outside": …}`, `{"signal": {"connectivity": "online"}}`, with `"for": "10m"`
/// beside what is to last; `{"all": […]}`, `{"any": […]}`, `{"not": {…}}`.
extension Condition: Codable {
  private enum Key: String, CodingKey, CaseIterable {
    case window, dates, inside, outside, signal, all, any, not
    case span = "for"
  }

  private enum DateKey: String, CodingKey {
    case from, until
  }

  /// The keys that a stored condition may have.
  public static let keys = Key.allCases.map(\.rawValue)

  /// Reads a stored condition.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let level = try Self.level(container)
    guard let text = try container.decodeIfPresent(String.self, forKey: .span) else {
      self = level
      return
    }
    guard let span = Milliseconds(text) else {
      throw DecodingError.dataCorruptedError(
        forKey: .span,
        in: container,
        debugDescription: "\"\(text)\" is no span such as 10m"
      )
    }
    self = .lasting(level, for: span)
  }

  private static func level(_ container: KeyedDecodingContainer<Key>) throws -> Condition {
    if container.contains(.window) {
      return .window(try container.decode(WeeklyWindow.self, forKey: .window))
    }
    if container.contains(.dates) {
      let dates = try container.nestedContainer(keyedBy: DateKey.self, forKey: .dates)
      return .dates(from: try date(dates, .from), until: try date(dates, .until))
    }
    if container.contains(.inside) {
      return .inside(try container.decode(Reminder.Target.self, forKey: .inside))
    }
    if container.contains(.outside) {
      return .outside(try container.decode(Reminder.Target.self, forKey: .outside))
    }
    if container.contains(.signal) {
      let levels = try container.decode([String: SignalLevel].self, forKey: .signal)
      guard levels.count == 1, let (name, level) = levels.first else {
        throw DecodingError.dataCorruptedError(
          forKey: .signal,
          in: container,
          debugDescription: "a condition is about one signal"
        )
      }
      return .signal(name, is: level.text)
    }
    if container.contains(.all) {
      return .all(try container.decode([Condition].self, forKey: .all))
    }
    if container.contains(.any) {
      return .any(try container.decode([Condition].self, forKey: .any))
    }
    return .not(try container.decode(Condition.self, forKey: .not))
  }

  private static func date(
    _ dates: KeyedDecodingContainer<DateKey>,
    _ key: DateKey
  ) throws -> CivilDate? {
    guard let time = try dates.decodeIfPresent(WrittenTime.self, forKey: key) else { return nil }
    guard time.isDate else {
      throw DecodingError.dataCorruptedError(
        forKey: key,
        in: dates,
        debugDescription: "\"\(time)\" is no date such as 2026-03-02"
      )
    }
    return time.local.date
  }

  /// A level as a word, or as true or false.
  private struct SignalLevel: Codable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let isOn = try? container.decode(Bool.self) {
        text = isOn ? "true" : "false"
      } else {
        text = try container.decode(String.self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch text {
      case "true": try container.encode(true)
      case "false": try container.encode(false)
      default: try container.encode(text)
      }
    }
  }

  /// Writes a condition to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .window(let window): try container.encode(window, forKey: .window)
    case .dates(let from, let until):
      var dates = container.nestedContainer(keyedBy: DateKey.self, forKey: .dates)
      try dates.encodeIfPresent(from.map(WrittenTime.init), forKey: .from)
      try dates.encodeIfPresent(until.map(WrittenTime.init), forKey: .until)
    case .inside(let target): try container.encode(target, forKey: .inside)
    case .outside(let target): try container.encode(target, forKey: .outside)
    case .signal(let name, let level):
      try container.encode([name: SignalLevel(level)], forKey: .signal)
    case .lasting(let level, let span):
      try level.encode(to: encoder)
      try container.encode(span.name, forKey: .span)
    case .all(let parts): try container.encode(parts, forKey: .all)
    case .any(let parts): try container.encode(parts, forKey: .any)
    case .not(let part): try container.encode(part, forKey: .not)
    }
  }
}
