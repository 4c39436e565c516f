/// An instant, in milliseconds since 1970-01-01T00:00:00Z.
///
/// ```swift
/// let noon = Timestamp(seconds: 1_772_539_200)
/// let later = noon + .minutes(5)
/// let text = RFC3339.format(later)  // 2026-03-03T12:05:00Z
/// ```
public struct Timestamp: Hashable, Comparable, Sendable, Codable {
  /// Milliseconds since the Unix epoch; negative before it.
  public let milliseconds: Int64

  /// Makes an instant from milliseconds since the Unix epoch.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Whole seconds since the Unix epoch, the one that an instant lies in: parts of it are cut, before 1970, too.
  public var wholeSeconds: Int64 { floorDivide(milliseconds, 1_000) }

  /// Makes an instant from seconds since the Unix epoch.
  public init(seconds: Int64) { self.init(milliseconds: seconds * 1_000) }

  /// After everything: nothing may be added to it.
  package static let endOfTime = Timestamp(milliseconds: .max)

  /// The same instant or, within ten days of the ends of what 64 bits hold, the last before them of which
  /// a date, an offset of a zone and the days around it can still be counted.
  var withDate: Timestamp {
    let room: Int64 = 10 * 86_400_000
    return Timestamp(milliseconds: min(max(milliseconds, .min + room), .max - room))
  }

  /// Reads the bare number of milliseconds.
  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes the bare number of milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }

  /// Orders instants by time.
  @inlinable
  public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

  /// The instant a span later.
  @inlinable
  public static func + (instant: Timestamp, span: Milliseconds) -> Timestamp {
    Timestamp(
      milliseconds: saturated(
        instant.milliseconds.addingReportingOverflow(span.value),
        span.value < 0
      )
    )
  }

  /// The instant a span earlier.
  @inlinable
  public static func - (instant: Timestamp, span: Milliseconds) -> Timestamp {
    Timestamp(
      milliseconds: saturated(
        instant.milliseconds.subtractingReportingOverflow(span.value),
        span.value > 0
      )
    )
  }

  /// The span from one instant to another, negative if `later` is the earlier one.
  @inlinable
  public static func - (later: Timestamp, earlier: Timestamp) -> Milliseconds {
    Milliseconds(
      saturated(
        later.milliseconds.subtractingReportingOverflow(earlier.milliseconds),
        earlier.milliseconds > 0
      )
    )
  }
}

/// A span of time in whole milliseconds.
///
/// `Duration` of the standard library counts attoseconds in 128 bits; states are stored and
/// compared by the million here.
///
/// ```swift
/// let hold = Milliseconds.seconds(90)
/// let isLong = hold > .minutes(1)
/// ```
public struct Milliseconds: Hashable, Comparable, Sendable, Codable {
  /// The number of milliseconds.
  public let value: Int64

  /// Makes a span of so many milliseconds.
  public init(_ value: Int64) { self.value = value }

  /// Makes a span of so many seconds.
  public static func seconds(_ seconds: Int64) -> Milliseconds { Milliseconds(seconds * 1_000) }

  /// Makes a span of so many minutes.
  public static func minutes(_ minutes: Int64) -> Milliseconds { Milliseconds(minutes * 60_000) }

  /// Whether it is so many whole days.
  package var isOfDays: Bool { value > 0 && value % 86_400_000 == 0 }

  /// The span in seconds.
  public var seconds: Double { Double(value) / 1_000 }

  /// Reads the bare number.
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Writes the bare number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  /// The span as text in the largest unit that fits: `90s`, `5m`, `2h`.
  public var name: String {
    if value % 3_600_000 == 0, value != 0 { return "\(value / 3_600_000)h" }
    if value % 60_000 == 0, value != 0 { return "\(value / 60_000)m" }
    if value % 1_000 == 0 { return "\(value / 1_000)s" }
    return "\(value)ms"
  }

  /// Reads a span such as `20s`, `5m`, `1h`, `250ms`, or a bare number of seconds.
  ///
  /// - Returns: nil for anything else, and for spans below 0 or above 10 years.
  public init?(_ text: String) {
    let units: [(String, Double)] = [
      ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    let digits = text.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits) else { return nil }
    let unit = text.dropFirst(digits.count)
    let scale = unit.isEmpty ? 1_000 : units.first { $0.0 == unit }?.1
    guard let scale, number >= 0, number * scale <= 3.2e11 else { return nil }
    self.init(Int64((number * scale).rounded()))
  }

  /// Orders spans by length.
  @inlinable
  public static func < (a: Milliseconds, b: Milliseconds) -> Bool { a.value < b.value }

  /// The two spans one after the other.
  public static func + (a: Milliseconds, b: Milliseconds) -> Milliseconds {
    Milliseconds(saturated(a.value.addingReportingOverflow(b.value), b.value < 0))
  }
}

/// A sum, or the end of all time where it lies beyond: `.max` as a span says "for ever".
@inlinable
func saturated(_ sum: (partialValue: Int64, overflow: Bool), _ isBelow: Bool) -> Int64 {
  sum.overflow ? (isBelow ? .min : .max) : sum.partialValue
}
