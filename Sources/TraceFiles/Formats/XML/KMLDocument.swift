import Basics
import Timeline
import Traces

/// KML: tracks with their times, placemarks with a time, and lines without.
///
/// - `gx:Track` and `Track` (track points): the nth `when` with the nth `coord`, arrays named
///   `accuracy`, `speed` or `bearing`, and where there is no such bearing the nth `angles`, whose first number it is.
/// - Placemarks with a `TimeStamp` or `TimeSpan` (waypoints): a point with a span is one fix at its
///   begin and one at its end.
/// - Lines with a `TimeSpan`: its begin is the time of the first point and its end that of the last one, those between
///   have none. Without details they are waypoints, so that a replay has stays and ways in one order; with
///   details, which are not for replays, they are tracks.
/// - Lines without a time (route points).
/// - Source: OGC 12-007r2 (KML 2.3); developers.google.com/kml/documentation/kmlreference for `gx`.
final class KMLDocument: XMLTraceDocument {
  /// Points of one track: its times stand before its positions, and must be kept until then.
  static let longestTrack = 1 << 21
  /// Points of lines that wait for the time of their placemark, which may stand behind them; longer ones
  /// have it before them, or are read as lines without.
  private static let longestWait = 1 << 14

  var sink: RecordSink
  private(set) var refusal: String?

  private var captured = CapturedText()
  private var isCapturing = false
  private var track: Track?
  private var placemark = Placemark()
  private var isPlacemark = false
  private var dataName = ""
  /// The coordinates of a point or line, a number at a time.
  private var isInCoordinates = false
  private var isLine = false
  private var numbers: [PointBuilder.NumberField] = []
  private var pointsOfLine = 0
  private var lineOfPoint = 0

  /// Whether further tracks of this group go on with its segment.
  private var isJoined = false
  private var isContinued = false
  /// What was said of the last track of each kind.
  private var lastGroup: [[PointDetails.Field]?] = [nil, nil, nil]

  private struct Track {
    var times: [PointBuilder.TimeField] = []
    var positions: [(latitude: Double, longitude: Double, line: Int32)] = []
    var accuracies: [Double] = []
    var speeds: [Double] = []
    var courses: [Double] = []
    /// Degrees, of the angles that stand beside the positions.
    var headings: [Double] = []
    var tilts: [String] = []
    var rolls: [String] = []
    /// Whether one of those angles is not 0, which is what programs write that know none.
    var hasAngles = false
    var hdops: [Double] = []
    var elevations: [String] = []
    var arrays: [(name: String, values: [String])] = []

    /// The courses: those of an array, else the headings.
    var bearings: [Double] {
      courses.isEmpty && headings.contains { $0 > 0 } ? headings : courses
    }

    /// A value of an array; only one that has a value for each point says which is which.
    func field(_ array: [Double], at index: Int) -> PointBuilder.NumberField {
      array.count == positions.count && !array[index].isNaN ? .value(array[index]) : .absent
    }
  }

  private struct Placemark {
    var begin = PointBuilder.TimeField.absent
    var end = PointBuilder.TimeField.absent
    var accuracy = PointBuilder.NumberField.absent
    var speed = PointBuilder.NumberField.absent
    var course = PointBuilder.NumberField.absent
    var hdop = PointBuilder.NumberField.absent
    /// What waits for what stands behind the position.
    var points: [PointBuilder] = []
    /// Whether some of them have been let go already.
    var hasPoints = false
    /// The same of lines.
    var lines = Lines()
    /// What is said of it beside this.
    var fields: [PointDetails.Field] = []
    /// Which kind of points it holds, where it says so.
    var kind: PointKind?
  }

  /// The points of the lines of a placemark.
  private struct Lines {
    var waiting: [(point: PointBuilder, startsLine: Bool)] = []
    /// What they are, once some of them have been let go.
    var kind: PointKind?
  }

  init(_ options: TraceOptions) {
    sink = RecordSink(options)
    if options.keepsDetails { captured = CapturedText(limit: DetailCapture.longestText) }
  }

  // MARK: - Elements

  func start(_ name: String, _ parents: [String], _ attributes: Attributes, line: Int) {
    isCapturing = false
    switch name {
    case "Placemark":
      placemark = Placemark()
      isPlacemark = true
    case "MultiTrack":
      isJoined = false
      isContinued = false
    case "Track" where isPlacemark: track = Track()
    case "interpolate": isCapturing = isPlacemark
    case "name", "description", "address", "phoneNumber", "styleUrl":
      isCapturing = parents.last == "Placemark" && sink.details != nil
    case "coordinates":
      isLine = parents.last == "LineString"
      isInCoordinates = isPlacemark && (isLine || parents.last == "Point")
      numbers = [.absent]
      captured.clear()
      pointsOfLine = 0
      lineOfPoint = line
    case "when":
      isCapturing = track != nil && parents.last == "Track" || belongsToPlacemark(parents)
    case "begin", "end": isCapturing = belongsToPlacemark(parents)
    case "coord", "angles": isCapturing = track != nil
    case "Data", "SimpleArrayData", "SimpleData":
      dataName = ""
      attributes.forEach { attribute, value in
        guard attribute.isEqual(to: "name") else { return }
        dataName = String(decoding: value.prefix(GPXDocument.Limit.name), as: UTF8.self)
      }
      isCapturing = name == "SimpleData" && isPlacemark
    case "value": isCapturing = isPlacemark
    default: break
    }
    if isCapturing {
      captured.clear()
      lineOfPoint = line
    }
  }

  /// Whether a time is that of the placemark, not that of a view of it.
  private func belongsToPlacemark(_ parents: [String]) -> Bool {
    parents.count >= 2 && ["TimeStamp", "TimeSpan"].contains(parents[parents.count - 1])
      && parents[parents.count - 2] == "Placemark"
  }

  func text(_ text: UnsafeBufferPointer<UInt8>, line: Int) {
    if isInCoordinates {
      readCoordinates(text, line)
    } else if isCapturing {
      captured.append(text)
    }
  }

  func end(_ name: String, _ parents: [String]) {
    defer { isCapturing = false }
    switch name {
    case "when" where isCapturing:
      if parents.last == "Track" {
        append(time: captured.time)
      } else {
        placemark.begin = captured.time
      }
    case "begin" where isCapturing: placemark.begin = captured.time
    case "end" where isCapturing: placemark.end = captured.time
    case "interpolate" where isCapturing: isJoined = captured.string == "1"
    case "MultiTrack":
      isJoined = false
      isContinued = false
    case "name", "description", "address", "phoneNumber", "styleUrl":
      if isCapturing { placemark.fields.add(PointDetails.canonical(name), captured.string) }
    case "coord" where isCapturing: appendCoord()
    case "angles" where isCapturing: appendAngles()
    case "value" where isCapturing: take(captured)
    case "SimpleData" where isCapturing: take(captured)
    case "coordinates":
      if isInCoordinates { finishCoordinates() }
      isInCoordinates = false
    case "Track":
      if let track { emit(track) }
      track = nil
      isContinued = isJoined
    case "Placemark":
      finishPlacemark()
      isPlacemark = false
    default: break
    }
  }

  /// A value of the last named array or datum.
  private func take(_ text: CapturedText) {
    let name = dataName.lowercased()
    let isAccuracy = ["accuracy", "horizontal_accuracy", "hacc", "acc"].contains(name)
    let isSpeed = ["speed", "velocity"].contains(name)
    let isCourse = ["bearing", "course", "heading"].contains(name)
    let isDilution = name == "hdop"
    if name == "kind", track == nil, let kind = PointKind(name: text.string) {
      // Said for this reader, and of no point.
      placemark.kind = kind
    } else if sink.details != nil {
      keep(text.string, isFix: isAccuracy || isSpeed || isCourse)
    }
    if track != nil {
      // A place in an array stays one, also where nothing stands in it.
      let number = text.number.number ?? .nan
      if isAccuracy { track?.accuracies.append(number) }
      if isSpeed { track?.speeds.append(number) }
      if isCourse { track?.courses.append(number) }
      if isDilution { track?.hdops.append(number) }
    } else {
      if isAccuracy { placemark.accuracy = text.number }
      if isSpeed { placemark.speed = text.number }
      if isCourse { placemark.course = text.number }
      if isDilution { placemark.hdop = text.number }
    }
  }

  /// Keeps a value that is no part of a fix.
  private func keep(_ text: String, isFix: Bool) {
    guard !isFix else { return }
    let name = PointDetails.unescaped(dataName)
    guard track != nil else {
      placemark.fields.add(name, text)
      return
    }
    if let known = track?.arrays.firstIndex(where: { $0.name == name }) {
      track?.arrays[known].values.append(text)
    } else {
      track?.arrays.append((name, [text]))
    }
  }

  // MARK: - Tracks

  private func append(time: PointBuilder.TimeField) {
    track?.times.append(time)
    checkLength(track?.times.count ?? 0)
  }

  /// `longitude latitude altitude`.
  private func appendCoord() {
    let parts = captured.bytes.split(whereSeparator: { $0 <= 0x20 || $0 == UInt8(ascii: ",") })
    func number(_ index: Int) -> Double {
      guard index < parts.count else { return .nan }
      return parts[index].withUnsafeBufferPointer(DecimalText.parse) ?? .nan
    }
    if sink.details != nil {
      track?.elevations.append(parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : "")
    }
    track?.positions.append((number(1), number(0), Int32(clamping: lineOfPoint)))
    checkLength(track?.positions.count ?? 0)
  }

  /// `heading tilt roll`.
  private func appendAngles() {
    let parts = captured.bytes.split { $0 <= 0x20 }
    let angles = parts.map { $0.withUnsafeBufferPointer(DecimalText.parse) ?? .nan }
    let heading = angles.first ?? .nan
    // OGC allows -360° to 360°.
    track?.headings.append(heading < 0 ? heading + 360 : heading)
    if angles.contains(where: { $0.magnitude > 0 }) { track?.hasAngles = true }
    if sink.details != nil {
      let texts = parts.map { String(decoding: $0, as: UTF8.self) }
      track?.tilts.append(texts.count > 1 ? texts[1] : "")
      track?.rolls.append(texts.count > 2 ? texts[2] : "")
    }
    checkLength(track?.headings.count ?? 0)
  }

  private func checkLength(_ count: Int) {
    if count > KMLDocument.longestTrack {
      refusal = "a track of more than \(KMLDocument.longestTrack) points"
    }
  }

  private func emit(_ track: Track) {
    let kind = placemark.kind ?? .track
    if !isContinued {
      // Segments of one track are placemarks that say the same.
      let fields = placemark.fields
      if fields != lastGroup[kind.rawValue] {
        sink.beginGroup(kind, fields.filter { $0.name != PointDetails.repetition })
      }
      lastGroup[kind.rawValue] = fields
      sink.beginSegment(kind)
    }
    let angles: [(name: String, values: [String])] =
      track.hasAngles ? [("tilt", track.tilts), ("roll", track.rolls)] : []
    let arrays = (track.arrays + angles).filter { $0.values.count == track.positions.count }
    let bearings = track.bearings
    for (index, position) in track.positions.enumerated() {
      var point = PointBuilder()
      point.line = Int(position.line)
      point.kind = kind
      if sink.details != nil {
        point.details.add("ele", track.elevations[index])
        for array in arrays { point.details.add(array.name, array.values[index]) }
      }
      // An empty coord says that there was no position at that time.
      if !position.latitude.isNaN { point.latitude = .value(position.latitude) }
      if !position.longitude.isNaN { point.longitude = .value(position.longitude) }
      if index < track.times.count { point.time = track.times[index] }
      point.accuracy = track.field(track.accuracies, at: index)
      point.hdop = track.field(track.hdops, at: index)
      point.speed = track.field(track.speeds, at: index)
      point.course = track.field(bearings, at: index)
      sink.add(point)
    }
  }

  // MARK: - Points and lines

  /// `longitude,latitude[,altitude]`, white space between the points.
  private func readCoordinates(_ text: UnsafeBufferPointer<UInt8>, _ line: Int) {
    var rest = text[...]
    while let end = rest.firstIndex(where: { $0 <= 0x20 || $0 == UInt8(ascii: ",") }) {
      captured.append(UnsafeBufferPointer(rebasing: rest[..<end]))
      let isComma = rest[end] == UInt8(ascii: ",")
      if !captured.bytes.isEmpty {
        if numbers.count == 1, case .absent = numbers[0] { lineOfPoint = line }
        numbers[numbers.count - 1] = captured.number
        captured.clear()
      }
      if isComma {
        if numbers.count < 4 { numbers.append(.absent) }
      } else if numbers.count == 1 || !isAbsent(numbers[numbers.count - 1]) {
        // A blank behind a comma is not an end.
        finishTuple()
      }
      rest = rest[(end + 1)...]
    }
    captured.append(UnsafeBufferPointer(rebasing: rest))
  }

  private func isAbsent(_ field: PointBuilder.NumberField) -> Bool {
    if case .absent = field { true } else { false }
  }

  private func finishTuple() {
    if numbers.count == 1, case .absent = numbers[0] { return }
    var point = PointBuilder()
    point.line = lineOfPoint
    point.longitude = numbers[0]
    if numbers.count > 1 { point.latitude = numbers[1] }
    if sink.details != nil, numbers.count > 2, case .value(let meters) = numbers[2] {
      point.details.add("ele", plain(meters))
    }
    numbers = [.absent]
    add(point)
  }

  private func finishCoordinates() {
    if !captured.bytes.isEmpty { numbers[numbers.count - 1] = captured.number }
    captured.clear()
    finishTuple()
    if pointsOfLine == 0, !isLine {
      // A placemark that has a time and an empty position is a point all the same.
      var point = PointBuilder()
      point.line = lineOfPoint
      add(point)
    }
  }

  private func add(_ point: PointBuilder) {
    pointsOfLine += 1
    guard isLine else {
      placemark.points.append(point)
      // The last one may be the one at the end of the span.
      if placemark.points.count > KMLDocument.longestWait { addPoints(butLast: 1) }
      return
    }
    placemark.lines.waiting.append((point, pointsOfLine == 1))
    // The last one may be the one at the end of the span.
    if placemark.lines.waiting.count > KMLDocument.longestWait { addLines(butLast: 1) }
  }

  /// Adds the points of lines that wait, but the last so many.
  private func addLines(butLast kept: Int) {
    let isFirst = placemark.lines.kind == nil
    let kind = placemark.lines.kind ?? kindOfLines
    placemark.lines.kind = kind
    let ready = placemark.lines.waiting.dropLast(kept)
    placemark.lines.waiting.removeFirst(ready.count)
    for (index, (point, startsLine)) in ready.enumerated() {
      var point = point
      point.kind = kind
      if startsLine, kind == .route || index == 0 && isFirst {
        sink.beginGroup(kind, placemark.fields)
      }
      if startsLine, kind != .waypoint { sink.beginSegment(kind) }
      if kind != .route {
        point.accuracy = placemark.accuracy
        point.speed = placemark.speed
        point.course = placemark.course
        point.hdop = placemark.hdop
        let isBegin = index == 0 && isFirst && !placemark.hasPoints && placemark.points.isEmpty
        if isBegin { point.time = placemark.begin }
        if index == ready.count - 1, kept == 0, hasEnd {
          // A line of one point is there all the time.
          if isBegin { sink.add(point) }
          point.time = placemark.end
        }
      }
      sink.add(point)
    }
  }

  /// Adds the points of tracks and lines that are cut; the end of a span is not the time of the last of them.
  func stop() {
    placemark.end = .absent
    if let track { emit(track) }
    track = nil
    addLines(butLast: 0)
  }

  private var kindOfLines: PointKind {
    if case .absent = placemark.begin { return .route }
    return sink.details == nil ? .waypoint : .track
  }

  private var hasEnd: Bool { if case .absent = placemark.end { false } else { true } }

  /// Adds the points that wait, but the last so many.
  private func addPoints(butLast kept: Int) {
    let ready = placemark.points.dropLast(kept)
    guard !ready.isEmpty else { return }
    let isFirst = !placemark.hasPoints
    placemark.points.removeFirst(ready.count)
    placemark.hasPoints = true
    let hasLines = placemark.lines.kind != nil || !placemark.lines.waiting.isEmpty
    for (index, point) in ready.enumerated() {
      var point = point
      point.kind = .waypoint
      point.accuracy = placemark.accuracy
      point.speed = placemark.speed
      point.course = placemark.course
      point.hdop = placemark.hdop
      for field in placemark.fields {
        point.details.add(field.name, field.value)
      }
      if isFirst, kept == 0, ready.count == 1, !hasLines {
        point.time = placemark.begin
        sink.add(point)
        if hasEnd {
          point.time = placemark.end
          sink.add(point)
        }
      } else {
        // Of several points under one time only the first was surely there at its begin.
        if isFirst, index == 0 { point.time = placemark.begin }
        if kept == 0, index == ready.count - 1, hasEnd, !hasLines { point.time = placemark.end }
        sink.add(point)
      }
    }
  }

  private func finishPlacemark() {
    addPoints(butLast: 0)
    addLines(butLast: 0)
    placemark = Placemark()
  }
}
