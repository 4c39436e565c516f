import Timeline
import Traces

/// Reads FIT files of sports watches and bicycle computers: the `record` messages, and `location`
/// messages as waypoints.
///
/// A line of a record is the number of its message, since the file has no lines.
///
/// - Complexity: O(bytes) in time; memory for one message of at most 131,000 bytes.
/// - Source: Garmin, "FIT Protocol" (developer.garmin.com/fit/protocol) for the container, and the
///   profile of the FIT SDK for the numbers of messages and fields.
final class FITParser: TraceParser {
  private var sink: RecordSink
  private var buffer: [UInt8] = []
  private var position = 0
  /// Bytes of the file before `buffer`.
  private var dropped = 0
  private var stage = Stage.header
  /// Bytes of messages that are still to come in this file.
  private var remaining = 0
  private var checksum: UInt16 = 0
  private var definitions = [Definition?](repeating: nil, count: 16)
  private var lastTime: UInt32 = 0
  private var messages = 0
  private(set) var failure: ParseFailure?

  private enum Stage { case header, messages, checksum }

  private struct Definition {
    let message: Int
    let isBigEndian: Bool
    var fields: [(number: Int, size: Int, type: UInt8)]
    /// Bytes of all fields, those of applications included.
    var size: Int
  }

  /// Numbers of the profile.
  private enum Message {
    static let record = 20
    static let event = 21
    static let location = 29
  }

  init(_ options: TraceOptions) { sink = RecordSink(options) }

  var pointCounts: [Int] { sink.pointCounts }
  var timedCounts: [Int] { sink.timedCounts }
  var details: DetailColumns? { sink.details }
  func takePoints(into columns: [FixColumns]) { sink.takePoints(into: columns) }
  func skip(bytes: Int, lines: Int) {}

  func parse(_ bytes: UnsafeRawBufferPointer) {
    buffer.append(contentsOf: bytes)
    while failure == nil, step() {}
    buffer.removeFirst(position)
    dropped += position
    position = 0
  }

  func finish() {
    guard failure == nil else { return }
    // Between two files of a chain is a good place to end.
    guard stage == .header, buffer.isEmpty, dropped > 0 else {
      fail("the FIT data ends in the middle", "copy the file from the device again")
      return
    }
  }

  private func fail(_ problem: String, _ advice: String) {
    guard failure == nil else { return }
    failure = ParseFailure(
      code: .malformed,
      problem: problem,
      advice: advice,
      line: nil,
      byteOffset: dropped + position
    )
  }

  /// Reads the next part; false if it is not there yet.
  private func step() -> Bool {
    let available = buffer.count - position
    switch stage {
    case .header:
      guard available >= 14 else { return false }
      let size = Int(buffer[position])
      guard size >= 12, size < 64,
        buffer[(position + 8)..<(position + 12)].elementsEqual(".FIT".utf8)
      else {
        fail("the header is no FIT header", "copy the file from the device again")
        return false
      }
      guard available >= size else { return false }
      remaining = Int(number(position + 4, 4, isBigEndian: false))
      checksum = 0
      use(size)
      definitions = [Definition?](repeating: nil, count: 16)
      stage = remaining > 0 ? .messages : .checksum
      return true
    case .messages: return message(available)
    case .checksum:
      guard available >= 2 else { return false }
      let stated = UInt16(number(position, 2, isBigEndian: false))
      // Zero says that none was made.
      guard stated == checksum || stated == 0 else {
        fail("the check sum is wrong", "copy the file from the device again")
        return false
      }
      position += 2
      stage = .header
      return true
    }
  }

  private func message(_ available: Int) -> Bool {
    guard available >= 1 else { return false }
    let header = buffer[position]
    var size = 1
    var local = Int(header & 0x0F)
    var definition: Definition?
    let definesOne = header & 0xC0 == 0x40
    if definesOne {
      guard available >= 6 else { return false }
      let fieldCount = Int(buffer[position + 5])
      size = 6 + 3 * fieldCount
      if header & 0x20 != 0 {
        guard available > size else { return false }
        size += 1 + 3 * Int(buffer[position + size])
      }
    } else {
      if header & 0x80 != 0 { local = Int(header >> 5 & 3) }
      guard let known = definitions[local] else {
        fail("a message has no definition", "copy the file from the device again")
        return false
      }
      definition = known
      size = 1 + known.size
    }
    guard size <= remaining else {
      fail("a message is longer than the file says", "copy the file from the device again")
      return false
    }
    guard available >= size else { return false }
    if let definition {
      messages += 1
      read(definition, header)
    } else {
      definitions[local] = define(header)
    }
    use(size)
    remaining -= size
    if remaining == 0 { stage = .checksum }
    return true
  }

  private func define(_ header: UInt8) -> Definition {
    let isBigEndian = buffer[position + 2] != 0
    var definition = Definition(
      message: Int(number(position + 3, 2, isBigEndian: isBigEndian)),
      isBigEndian: isBigEndian,
      fields: [],
      size: 0
    )
    var place = position + 6
    for _ in 0..<Int(buffer[position + 5]) {
      definition.fields.append(
        (Int(buffer[place]), Int(buffer[place + 1]), buffer[place + 2])
      )
      definition.size += Int(buffer[place + 1])
      place += 3
    }
    if header & 0x20 != 0 {
      let count = Int(buffer[place])
      for index in 0..<count { definition.size += Int(buffer[place + 2 + 3 * index]) }
    }
    return definition
  }

  private func read(_ definition: Definition, _ header: UInt8) {
    var values: [Int: UInt64] = [:]
    var name: String?
    var place = position + 1
    for field in definition.fields {
      if definition.message == Message.location, field.number == 0 {
        let text = buffer[place..<(place + field.size)].prefix { $0 != 0 }
        name = String(decoding: text, as: UTF8.self)
      } else if field.size <= 8 {
        let value = number(place, field.size, isBigEndian: definition.isBigEndian)
        // All ones, or the largest positive number, say that there is no value.
        let ones = field.size == 8 ? UInt64.max : (1 << UInt64(8 * field.size)) - 1
        let isNoPosition = field.size == 4 && field.number != 253 && value == 0x7FFF_FFFF
        let isNone = value == ones || value == Self.noValue(field.type, field.size)
        if !isNone, !isNoPosition { values[field.number] = value }
      }
      place += field.size
    }
    if let time = values[253] {
      lastTime = UInt32(truncatingIfNeeded: time)
    } else if header & 0x80 != 0 {
      let offset = UInt32(header & 0x1F)
      // Five bits that count on from the last full time.
      lastTime = lastTime &+ (offset &- lastTime) & 0x1F
      values[253] = UInt64(lastTime)
    }
    switch definition.message {
    case Message.record: addPoint(values, .track, latitude: 0, longitude: 1)
    case Message.location: addPoint(values, .waypoint, latitude: 1, longitude: 2, name: name)
    // The timer was started: it had been stopped before.
    case Message.event where values[0] == 0 && values[1] == 0: sink.beginSegment(.track)
    default: break
    }
  }

  /// What says in a field of a signed type that there is no value.
  ///
  /// - Source: "FIT Protocol", table 7: `sint8`, `sint16`, `sint32`.
  private static func noValue(_ type: UInt8, _ size: Int) -> UInt64? {
    switch (type, size) {
    case (0x01, 1): 0x7F
    case (0x83, 2): 0x7FFF
    case (0x85, 4): 0x7FFF_FFFF
    default: nil
    }
  }

  private func addPoint(
    _ values: [Int: UInt64],
    _ kind: PointKind,
    latitude: Int,
    longitude: Int,
    name: String? = nil
  ) {
    var point = PointBuilder()
    point.kind = kind
    point.line = messages
    point.latitude = degrees(values[latitude])
    point.longitude = degrees(values[longitude])
    if let time = values[253] {
      // Seconds since 1989-12-31; below 2²⁸ they count since the device was switched on.
      point.time =
        time < 0x1000_0000
        ? .unreadable : .value(Timestamp(seconds: Int64(time) + 631_065_600))
    }
    if kind == .track {
      if let meters = values[31] { point.accuracy = .value(Double(meters)) }
      if let millimeters = values[73] ?? values[6] {
        point.speed = .value(Double(millimeters) / 1e3)
      }
      if sink.details != nil { addDetails(values, to: &point) }
    } else if sink.details != nil {
      if let name { point.details.add("name", name) }
      if let altitude = values[4] { point.details.add("ele", Self.meters(altitude)) }
    }
    sink.add(point)
  }

  /// - Source: FIT profile 21.1, messages `record` and `location`: altitude in fifths of a meter from −500 m.
  private static func meters(_ altitude: UInt64) -> String { plain(Double(altitude) / 5 - 500) }

  private func addDetails(_ values: [Int: UInt64], to point: inout PointBuilder) {
    if let altitude = values[78] ?? values[2] {
      point.details.add("ele", Self.meters(altitude))
    }
    if let distance = values[5] { point.details.add("distance", plain(Double(distance) / 100)) }
    for (name, number) in [("hr", 3), ("cad", 4), ("power", 7)] {
      if let value = values[number] { point.details.add(name, String(value)) }
    }
    if let degrees = values[13] {
      point.details.add("atemp", String(Int8(truncatingIfNeeded: degrees)))
    }
  }

  /// Semicircles: 2³¹ of them are 180°.
  private func degrees(_ value: UInt64?) -> PointBuilder.NumberField {
    guard let value else { return .absent }
    return .value(Double(Int32(truncatingIfNeeded: value)) * (180 / 2_147_483_648))
  }

  private func number(_ offset: Int, _ size: Int, isBigEndian: Bool) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<size {
      let byte = UInt64(buffer[offset + (isBigEndian ? index : size - 1 - index)])
      value = value << 8 | byte
    }
    return value
  }

  /// Marks bytes as read, and adds them to the check sum.
  ///
  /// - Source: "FIT Protocol", "CRC": CRC-16/ARC.
  private func use(_ count: Int) {
    for byte in buffer[position..<(position + count)] {
      checksum ^= UInt16(byte)
      for _ in 0..<8 { checksum = checksum & 1 == 0 ? checksum >> 1 : checksum >> 1 ^ 0xA001 }
    }
    position += count
  }
}
