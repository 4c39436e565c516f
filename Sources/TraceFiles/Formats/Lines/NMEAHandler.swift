import Basics
import Timeline
import Traces

/// Reads NMEA 0183: what a receiver says about one instant, in several sentences, is one fix.
///
/// - Sentences: RMC, GGA and GLL (positions), GNS, VTG (speed and course), GSA (dilution), GST
///   (errors), ZDA (date), WPL (waypoints), of any talker. A sentence with a wrong check sum is left
///   out, as is a position that the receiver itself calls void.
/// - Dates: only RMC and ZDA have one. Times before the first of them get theirs from it; without
///   any, `assumedDate` is that of the first fix.
/// - Source: NMEA 0183 as gpsd's documentation describes it (gpsd.gitlab.io/gpsd/NMEA.html).
struct NMEAHandler: LineHandler {
  private static let heldLimit = 65_536

  private var clock = DayClock()
  private let assumedDate: CivilDate?
  private var epoch: Epoch?
  /// Fixes that wait for a date.
  private var held: [Epoch] = []
  private(set) var badSums = (count: 0, line: 0)
  private(set) var sentences = 0
  /// Sentences of a receiver that has no position.
  private(set) var voids = 0

  fileprivate struct Epoch {
    var point = PointBuilder()
    let timeOfDay: Int64
    var date: CivilDate?
    var hasPosition = false
  }

  init(_ options: TraceOptions) { assumedDate = options.assumedDate }

  var understanding: String? {
    var parts: [String] = []
    if badSums.count > 0 {
      parts.append(
        "\(badSums.count) of \(sentences) sentences have a wrong check sum, the first on line "
          + "\(badSums.line)"
      )
    }
    if voids > 0 { parts.append("in \(voids) of \(sentences) the receiver has no position") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  mutating func take(
    _ line: UnsafeBufferPointer<UInt8>,
    number: Int,
    into sink: inout RecordSink
  ) -> ParseFailure? {
    // Loggers put their own time before it.
    guard let start = line.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    var end = line.endIndex
    while end > start, line[end - 1] <= 0x20 { end -= 1 }
    let name = line[(start + 1)..<end].prefix { $0 != UInt8(ascii: ",") }
    // A talker of two letters and a sentence of three, or what only one maker's devices say.
    guard name.count == 5 || name.first == UInt8(ascii: "P") else { return nil }
    sentences += 1
    if let star = line[start..<end].lastIndex(of: UInt8(ascii: "*")) {
      let sum = line[(start + 1)..<star].reduce(0) { $0 ^ $1 }
      let stated = UInt8(String(decoding: line[(star + 1)..<end], as: UTF8.self), radix: 16)
      guard sum == stated else {
        if badSums.count == 0 { badSums.line = number }
        badSums.count += 1
        return nil
      }
      end = star
    }
    let fields = UnsafeBufferPointer(rebasing: line[(start + 1)..<end]).split()
    guard name.count == 5 else { return nil }
    switch String(decoding: name.suffix(3), as: UTF8.self) {
    case "RMC" where fields.count >= 10: recommended(fields, number, &sink)
    case "GGA" where fields.count >= 9: fixData(fields, number, &sink)
    case "GNS" where fields.count >= 9: fixData(fields, number, &sink)
    case "GLL" where fields.count >= 6:
      if fields.count >= 7, fields[6].first == UInt8(ascii: "V") {
        voids += 1
        return nil
      }
      at(fields[5], line: number, &sink) { $0.setPosition(fields, 1) }
    case "VTG" where fields.count >= 8:
      epoch?.point.course = fields[1].field
      if case .value(let knots) = fields[5].field {
        epoch?.point.speed = .value(knots * metersPerSecondInKnot)
      } else if case .value(let kilometers) = fields[7].field {
        epoch?.point.speed = .value(kilometers / 3.6)
      }
    case "GSA" where fields.count >= 17:
      if case .absent = epoch?.point.hdop { epoch?.point.hdop = fields[16].field }
    case "GST" where fields.count >= 8:
      guard case .value(let north) = fields[6].field, case .value(let east) = fields[7].field else {
        return nil
      }
      // The radius that holds 68 % of a normal distribution is 1.51 of its deviation on each axis.
      let meters = 1.51 * ((north * north + east * east) / 2).squareRoot()
      at(fields[1], line: number, &sink) { $0.point.accuracy = .value(meters) }
    case "ZDA" where fields.count >= 5:
      guard let day = fields[2].digits(0, 2), let month = fields[3].digits(0, 2),
        let year = fields[4].digits(0, 4)
      else { return nil }
      at(fields[1], line: number, &sink) { epoch in
        epoch.date = CivilDate(year: year, month: month, day: day)
      }
    case "WPL" where fields.count >= 5:
      var waypoint = Epoch(timeOfDay: 0)
      waypoint.setPosition(fields, 1)
      waypoint.point.kind = .waypoint
      waypoint.point.line = number
      if sink.details != nil, fields.count > 5 {
        waypoint.point.details.add("name", PlainText.decode(fields[5]))
      }
      sink.add(waypoint.point)
    // Cut short.
    case "RMC", "GGA", "GNS", "GLL": voids += 1
    default: break
    }
    return nil
  }

  private mutating func recommended(
    _ fields: [UnsafeBufferPointer<UInt8>],
    _ number: Int,
    _ sink: inout RecordSink
  ) {
    let isVoid = fields[2].first == UInt8(ascii: "V")
    if isVoid { voids += 1 }
    at(fields[1], line: number, &sink) { epoch in
      epoch.date = NMEAHandler.date(fields[9])
      guard !isVoid else { return }
      epoch.setPosition(fields, 3)
      if case .value(let knots) = fields[7].field {
        epoch.point.speed = .value(knots * metersPerSecondInKnot)
      }
      epoch.point.course = fields[8].field
    }
  }

  /// GGA and GNS: position, quality or mode, satellites, dilution.
  private mutating func fixData(
    _ fields: [UnsafeBufferPointer<UInt8>],
    _ number: Int,
    _ sink: inout RecordSink
  ) {
    // Quality 0, or N for every system: no fix.
    guard fields[6].contains(where: { $0 != UInt8(ascii: "0") && $0 != UInt8(ascii: "N") }) else {
      voids += 1
      return
    }
    let keepsDetails = sink.details != nil
    at(fields[1], line: number, &sink) { epoch in
      epoch.setPosition(fields, 2)
      epoch.point.hdop = fields[8].field
      guard keepsDetails else { return }
      epoch.point.details.add("sat", String(decoding: fields[7], as: UTF8.self))
      epoch.point.details.add("hdop", String(decoding: fields[8], as: UTF8.self))
      if fields.count > 9 {
        epoch.point.details.add("ele", String(decoding: fields[9], as: UTF8.self))
      }
    }
  }

  /// Adds to what is known of an instant; another instant completes the one before.
  private mutating func at(
    _ time: UnsafeBufferPointer<UInt8>,
    line number: Int,
    _ sink: inout RecordSink,
    _ body: (inout Epoch) -> Void
  ) {
    guard let timeOfDay = NMEAHandler.timeOfDay(time) else { return }
    if epoch?.timeOfDay != timeOfDay {
      complete(&sink)
      epoch = Epoch(timeOfDay: timeOfDay)
      epoch?.point.line = number
    }
    if var changed = epoch {
      body(&changed)
      epoch = changed
    }
  }

  mutating func finish(into sink: inout RecordSink) -> ParseFailure? {
    complete(&sink)
    release(&sink)
    return nil
  }

  /// Whether an instant is begun, to which more may come.
  var hasEpoch: Bool { epoch != nil }

  /// Takes what is known of an instant as all there is.
  mutating func complete(_ sink: inout RecordSink) {
    guard let epoch else { return }
    self.epoch = nil
    if let date = epoch.date, clock.days == nil, !held.isEmpty {
      // Back from the first date: a time that is much later than the next one is of the day before.
      var days = date.daysSinceEpoch
      var next = epoch.timeOfDay
      for index in held.indices.reversed() {
        days -= DayClock.daysAhead(from: held[index].timeOfDay, to: next)
        next = held[index].timeOfDay
        held[index].date = CivilDate(daysSinceEpoch: days)
      }
      clock.set(held[0].date ?? date)
      release(&sink)
    }
    if let date = epoch.date { clock.set(date, at: epoch.timeOfDay) }
    guard epoch.hasPosition else { return }
    guard clock.days != nil else {
      held.append(epoch)
      if held.count >= NMEAHandler.heldLimit { release(&sink) }
      return
    }
    add(epoch, &sink)
  }

  private mutating func release(_ sink: inout RecordSink) {
    if clock.days == nil, let assumedDate, !held.isEmpty { clock.set(assumedDate) }
    for epoch in held {
      if let date = epoch.date { clock.set(date, at: epoch.timeOfDay) }
      add(epoch, &sink)
    }
    held.removeAll()
  }

  private mutating func add(_ epoch: Epoch, _ sink: inout RecordSink) {
    var point = epoch.point
    point.time = clock.instant(epoch.timeOfDay).map { .value($0) } ?? .absent
    sink.add(point)
  }

  /// `hhmmss.sss` in milliseconds.
  private static func timeOfDay(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard let hour = text.digits(0, 2), let minute = text.digits(2, 2),
      let second = text.digits(4, 2), hour < 24, minute < 60, second <= 60
    else { return nil }
    var milliseconds: Int64 = 0
    if text.count > 7, text[6] == UInt8(ascii: ".") {
      guard
        case .value(let fraction) = UnsafeBufferPointer(rebasing: text[6...]).field,
        fraction < 1
      else { return nil }
      milliseconds = Int64((fraction * 1_000).rounded())
    }
    return Int64((hour * 60 + minute) * 60 + second) * 1_000 + milliseconds
  }

  /// `ddmmyy`, of 1980 to 2079: GPS began in 1980.
  private static func date(_ text: UnsafeBufferPointer<UInt8>) -> CivilDate? {
    guard let day = text.digits(0, 2), let month = text.digits(2, 2), let year = text.digits(4, 2)
    else { return nil }
    return CivilDate(year: year < 80 ? 2_000 + year : 1_900 + year, month: month, day: day)
  }
}

/// A nautical mile, 1,852 m, in an hour.
let metersPerSecondInKnot = 1_852.0 / 3_600

extension NMEAHandler.Epoch {
  /// Reads latitude, hemisphere, longitude, hemisphere.
  fileprivate mutating func setPosition(_ fields: [UnsafeBufferPointer<UInt8>], _ first: Int) {
    let latitude = degrees(
      fields[first],
      hemisphere: fields[first + 1],
      positive: "N",
      negative: "S"
    )
    let longitude = degrees(
      fields[first + 2],
      hemisphere: fields[first + 3],
      positive: "E",
      negative: "W"
    )
    // Several sentences give one position; one of them may be short of digits.
    if hasPosition, case .value = point.latitude, case .value = point.longitude { return }
    point.latitude = latitude
    point.longitude = longitude
    hasPosition = true
  }

  /// `ddmm.mmm` and a hemisphere.
  private func degrees(
    _ text: UnsafeBufferPointer<UInt8>,
    hemisphere: UnsafeBufferPointer<UInt8>,
    positive: StaticString,
    negative: StaticString
  ) -> PointBuilder.NumberField {
    let point = text.firstIndex(of: UInt8(ascii: ".")) ?? text.count
    guard point >= 3, let degrees = text.digits(0, point - 2),
      case .value(let minutes) = UnsafeBufferPointer(rebasing: text[(point - 2)...]).field,
      (0..<60.0).contains(minutes)
    else { return text.isEmpty ? .absent : .unreadable }
    let value = exact(text, degrees: degrees, point: point) ?? (Double(degrees) * 60 + minutes) / 60
    switch hemisphere.first {
    case positive.utf8Start.pointee: return .value(value)
    case negative.utf8Start.pointee: return .value(-value)
    default: return .unreadable
    }
  }

  /// The degrees by one division of whole numbers, so that `3800.006` is 38.0001 and not its neighbor.
  ///
  /// - Returns: nil for more digits than a `Double` holds.
  private func exact(
    _ text: UnsafeBufferPointer<UInt8>,
    degrees: Int,
    point: Int
  ) -> Double? {
    let digits = max(0, text.count - point - 1)
    guard digits <= 11, let minutes = text.digits(point - 2, 2),
      let fraction = digits == 0 ? 0 : text.digits(point + 1, digits)
    else { return nil }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    return Double((degrees * 60 + minutes) * scale + fraction) / Double(60 * scale)
  }
}
