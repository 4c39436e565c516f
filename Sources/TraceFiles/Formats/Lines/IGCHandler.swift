import Timeline
import Traces

/// Reads IGC flight logs: `B` records with the date of the `HFDTE` header.
///
/// - Extensions, where the `I` record declares them: `FXA` (accuracy in meters), `GSP` (speed in
///   km/h), `TRT` (course), `LAD` and `LOD` (more digits of the minutes), `TDS` (fractions of seconds).
/// - Source: FAI, "Technical Specification for GNSS Flight Recorders", appendix A.
struct IGCHandler: LineHandler {
  private var clock: DayClock
  private var extensions: [(code: String, range: Range<Int>)] = []

  private let keepsDetails: Bool

  init(_ options: TraceOptions) {
    clock = DayClock(options.assumedDate)
    keepsDetails = options.keepsDetails
  }

  mutating func take(
    _ line: UnsafeBufferPointer<UInt8>,
    number: Int,
    into sink: inout RecordSink
  ) -> ParseFailure? {
    switch line[0] {
    case UInt8(ascii: "H"):
      guard line.starts(with: "HFDTE".utf8) || line.starts(with: "HODTE".utf8) else { break }
      guard let start = line.dropFirst(5).firstIndex(where: { $0 &- 0x30 <= 9 }),
        let day = line.digits(start, 2), let month = line.digits(start + 2, 2),
        let year = line.digits(start + 4, 2),
        let date = CivilDate(year: year < 80 ? 2_000 + year : 1_900 + year, month: month, day: day)
      else { break }
      clock.set(date)
    case UInt8(ascii: "I"): readExtensions(line)
    case UInt8(ascii: "B"): sink.add(point(line, number))
    default: break
    }
    return nil
  }

  private mutating func readExtensions(_ line: UnsafeBufferPointer<UInt8>) {
    extensions = []
    var position = 3
    while position + 7 <= line.count, let first = line.digits(position, 2),
      let last = line.digits(position + 2, 2), first >= 1, last >= first
    {
      let code = String(decoding: line[(position + 4)..<(position + 7)], as: UTF8.self)
      extensions.append((code, (first - 1)..<last))
      position += 7
    }
  }

  private mutating func point(_ line: UnsafeBufferPointer<UInt8>, _ number: Int) -> PointBuilder {
    var point = PointBuilder()
    point.line = number
    if let hour = line.digits(1, 2), let minute = line.digits(3, 2), let second = line.digits(5, 2),
      hour < 24, minute < 60, second <= 60
    {
      let fraction = digits("TDS", line).map { Int64(($0 * 1_000).rounded()) } ?? 0
      let seconds = Int64((hour * 60 + minute) * 60 + second)
      point.time = clock.instant(seconds * 1_000 + fraction).map { .value($0) } ?? .absent
    } else {
      point.time = .unreadable
    }
    point.latitude = degrees(
      line,
      from: 7,
      width: 2,
      more: "LAD",
      positive: UInt8(ascii: "N"),
      negative: UInt8(ascii: "S")
    )
    point.longitude = degrees(
      line,
      from: 15,
      width: 3,
      more: "LOD",
      positive: UInt8(ascii: "E"),
      negative: UInt8(ascii: "W")
    )
    // By the receiver, else by the pressure, which is zero in loggers without a sensor.
    if keepsDetails, line.count >= 35 {
      for range in [30..<35, 25..<30] {
        let text = UnsafeBufferPointer(rebasing: line[range])
        guard case .value(let meters) = text.field, meters != 0 else { continue }
        point.details.add("ele", plain(meters))
      }
    }
    if let meters = whole("FXA", line) { point.accuracy = .value(meters) }
    if let kilometers = whole("GSP", line) { point.speed = .value(kilometers / 3.6) }
    if let course = whole("TRT", line) { point.course = .value(course) }
    return point
  }

  /// `DDMMmmmN` or `DDDMMmmmE`.
  private func degrees(
    _ line: UnsafeBufferPointer<UInt8>,
    from start: Int,
    width: Int,
    more: String,
    positive: UInt8,
    negative: UInt8
  ) -> PointBuilder.NumberField {
    guard let whole = line.digits(start, width), let minutes = line.digits(start + width, 5),
      line.count > start + width + 5
    else { return .unreadable }
    let rest = digits(more, line) ?? 0
    let value = Double(whole) + (Double(minutes) + rest) / 60_000
    switch line[start + width + 5] {
    case positive: return .value(value)
    case negative: return .value(-value)
    default: return .unreadable
    }
  }

  private func range(_ code: String, _ line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    extensions.first { $0.code == code && $0.range.upperBound <= line.count }?.range
  }

  /// An extension as a whole number.
  private func whole(_ code: String, _ line: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let range = range(code, line) else { return nil }
    return line.digits(range.lowerBound, min(9, range.count)).map { Double($0) }
  }

  /// An extension as the digits after a point.
  private func digits(_ code: String, _ line: UnsafeBufferPointer<UInt8>) -> Double? {
    guard let range = range(code, line), range.count <= 9,
      var value = line.digits(range.lowerBound, range.count).map({ Double($0) })
    else { return nil }
    for _ in range { value /= 10 }
    return value
  }
}
