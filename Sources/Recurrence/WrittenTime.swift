import Timeline

/// A time as people and files write it: a date, a wall time, or an instant with its offset.
public struct WrittenTime: Hashable, Sendable {
  /// What the calendar and the clock show; midnight if only a date is written.
  public let local: LocalDateTime
  /// Seconds east of UTC if an offset or Z is written.
  public let offsetSeconds: Int?
  /// Whether only a date is written.
  public let isDate: Bool

  /// Makes a time from its parts.
  public init(local: LocalDateTime, offsetSeconds: Int? = nil, isDate: Bool = false) {
    self.local = local
    self.offsetSeconds = offsetSeconds
    self.isDate = isDate
  }

  /// A date alone, held within years 1 to 9999.
  public init(_ date: CivilDate) {
    self.init(local: LocalDateTime(date, minuteOfDay: 0), isDate: true)
  }

  /// Reads `2026-03-08`, `2026-03-08T02:30`, `2026-03-08T02:30:00-05:00`, `…Z`, or any of them
  /// without dashes and colons, as iCalendar has them.
  ///
  /// Fractions of a second are cut. A leap second is read as the second before it (RFC 5545,
  /// section 3.3.12).
  ///
  /// - Returns: nil for anything else, for days that do not exist and years but 1 to 9999.
  public init?(_ text: String) {
    var text = text
    guard let parsed = text.withUTF8({ bytes in WrittenTime(bytes) }) else { return nil }
    self = parsed
  }

  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.init(bytes, from: 0, to: bytes.count)
  }

  init?(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) {
    var reader = TimeReader(bytes: bytes, position: start, end: end)
    reader.trim()
    guard let year = reader.digits(4) else { return nil }
    let isDashed = reader.take(UInt8(ascii: "-"))
    guard let month = reader.digits(2), !isDashed || reader.take(UInt8(ascii: "-")),
      let day = reader.digits(2), let date = CivilDate(year: year, month: month, day: day)
    else { return nil }
    if reader.isAtEnd {
      guard let local = LocalDateTime(date: date) else { return nil }
      self.init(local: local, isDate: true)
      return
    }
    guard reader.takeAny(of: "Tt "), let clock = reader.clock(), let offset = reader.offset(),
      reader.isAtEnd,
      let local = LocalDateTime(
        date: date,
        hour: clock.hour,
        minute: clock.minute,
        second: min(clock.second, 59)
      )
    else { return nil }
    self.init(local: local, offsetSeconds: offset.seconds)
  }

  /// The instant: that of its offset or, without one, that of a zone's clock; of a time that the clocks
  /// jump over as much later, of one that they show twice the first.
  public func instant(in zone: UTCOffsetTable) -> Timestamp {
    Timestamp(seconds: Int64(TimeReading(zone: zone, gap: .shift).shiftedInstant(self)))
  }

  /// The instant in seconds since the epoch, if an offset is written.
  var instant: Int? { offsetSeconds.map { local.wall - $0 } }
}

extension WrittenTime: CustomStringConvertible {
  /// The time as it is read: `2026-03-08`, `2026-03-08T02:30`, `2026-03-08T02:30:00-05:00`, `…Z`.
  public var description: String {
    let text = local.description
    if isDate { return String(text.prefix(10)) }
    guard let offsetSeconds else { return local.second == 0 ? String(text.prefix(16)) : text }
    return text + (offsetSeconds == 0 ? "Z" : offsetText(offsetSeconds))
  }
}

extension TimeReader {
  fileprivate mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
    guard let hour = digits(2) else { return nil }
    let hasColon = take(UInt8(ascii: ":"))
    guard let minute = digits(2) else { return nil }
    var second = 0
    if hasColon ? take(UInt8(ascii: ":")) : position < end && bytes[position] &- 0x30 <= 9 {
      guard let value = digits(2), value <= 60 else { return nil }
      second = value
      if takeAny(of: ".,") {
        guard digits(1) != nil else { return nil }
        while digits(1) != nil {}
      }
    }
    return (hour, minute, second)
  }

  /// The offset, nil inside if there is none.
  fileprivate mutating func offset() -> (seconds: Int?, Void)? {
    if isAtEnd { return (nil, ()) }
    if takeAny(of: "Zz") { return (0, ()) }
    let isEast = take(UInt8(ascii: "+"))
    guard isEast || take(UInt8(ascii: "-")), let hours = digits(2), hours < 24 else { return nil }
    var seconds = hours * 3_600
    if !isAtEnd {
      let hasColon = take(UInt8(ascii: ":"))
      guard let minutes = digits(2), minutes < 60 else { return nil }
      seconds += minutes * 60
      if !isAtEnd {
        guard !hasColon || take(UInt8(ascii: ":")), let rest = digits(2), rest < 60 else {
          return nil
        }
        seconds += rest
      }
    }
    return (isEast ? seconds : -seconds, ())
  }
}
