import Timeline

/// A wall-clock time of a date, to the second, in no zone: what a calendar says, not an instant.
public struct LocalDateTime: Hashable, Comparable, Sendable {
  /// Seconds from 1970-01-01T00:00:00 on a wall clock that is never changed; negative before it.
  public let wallSeconds: Int64

  /// The first second of year 1.
  public static let first = LocalDateTime(wallSeconds: -62_135_596_800)
  /// The last second of year 9999.
  public static let last = LocalDateTime(wallSeconds: 253_402_300_799)

  /// Makes a time from seconds of an unchanged wall clock, held within years 1 to 9999.
  public init(clamping wallSeconds: Int64) {
    self.init(
      wallSeconds: min(max(wallSeconds, Self.first.wallSeconds), Self.last.wallSeconds)
    )
  }

  /// Makes a minute of a date, held within years 1 to 9999.
  public init(_ date: CivilDate, minuteOfDay: Int) {
    self.init(clamping: Int64(date.daysSinceEpoch) * 86_400 + Int64(minuteOfDay) * 60)
  }

  init(wallSeconds: Int64) { self.wallSeconds = wallSeconds }

  init(wall: Int) { wallSeconds = Int64(wall) }

  /// Makes a time of a date, or nil if the year is not 1 to 9999 or the clock has no such time.
  public init?(date: CivilDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (1...9_999).contains(date.year), (0..<24).contains(hour), (0..<60).contains(minute),
      (0..<60).contains(second)
    else { return nil }
    let inDay = hour * 3_600 + minute * 60 + second
    wallSeconds = Int64(date.daysSinceEpoch * secondsInDay + inDay)
  }

  var wall: Int { Int(wallSeconds) }
  var dayNumber: Int { floorQuotient(wall, secondsInDay) }

  /// The date.
  public var date: CivilDate { CivilDate(daysSinceEpoch: dayNumber) }
  /// Seconds after midnight, 0 … 86,399.
  public var secondOfDay: Int { wall - dayNumber * secondsInDay }
  /// The hour, 0 … 23.
  public var hour: Int { secondOfDay / 3_600 }
  /// The minute of the hour, 0 … 59.
  public var minute: Int { secondOfDay / 60 % 60 }
  /// The second of the minute, 0 … 59.
  public var second: Int { secondOfDay % 60 }

  /// Orders times as the calendar does.
  public static func < (a: LocalDateTime, b: LocalDateTime) -> Bool {
    a.wallSeconds < b.wallSeconds
  }
}

extension LocalDateTime: CustomStringConvertible {
  /// The time as `2026-03-08T02:30:00`.
  public var description: String {
    text(isCompact: false)
  }

  /// The time as iCalendar writes it, `20260308T023000`.
  package var compact: String { text(isCompact: true) }

  private func text(isCompact: Bool) -> String {
    let date = date
    return String(unsafeUninitializedCapacity: 19) { bytes in
      var end = 0
      func add(_ number: Int, _ sign: Unicode.Scalar? = nil) {
        if let sign {
          bytes[end] = UInt8(ascii: sign)
          end += 1
        }
        bytes[end] = UInt8(ascii: "0") + UInt8(number / 10 % 10)
        bytes[end + 1] = UInt8(ascii: "0") + UInt8(number % 10)
        end += 2
      }
      add(date.year / 100)
      add(date.year)
      add(date.month, isCompact ? nil : "-")
      add(date.day, isCompact ? nil : "-")
      add(hour, "T")
      add(minute, isCompact ? nil : ":")
      add(second, isCompact ? nil : ":")
      return end
    }
  }
}

/// Seconds in a day without a change of clocks.
let secondsInDay = 86_400

/// Division that rounds toward minus infinity, for days before 1970.
func floorQuotient(_ a: Int, _ b: Int) -> Int {
  let quotient = a / b
  return a % b < 0 ? quotient - 1 : quotient
}

/// What `floorQuotient` leaves, 0 … b - 1.
func floorRemainder(_ a: Int, _ b: Int) -> Int {
  let rest = a % b
  return rest < 0 ? rest + b : rest
}

/// A number that is not negative with zeros before it.
func paddedNumber(_ value: Int, _ width: Int) -> String {
  let digits = String(value)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
