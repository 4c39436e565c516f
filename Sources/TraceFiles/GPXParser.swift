import CExpat
import Geodesy
import Timeline
import Traces

/// GPX text pushed in, trace records out.
///
/// Elements are known by their local names, whatever the prefix; extensions of all makers are
/// looked through for accuracy, speed and course. Works on expat, so every encoding that expat
/// knows is read: UTF-8, UTF-16 and ISO 8859-1.
///
/// - Complexity: O(bytes); holds one point, and of files without a track at most
///   ``mostHeldPoints`` of their route or waypoints.
final class GPXParser {
  /// Waypoints and routes come before tracks: they are held until it is clear that no track
  /// follows, up to so many.
  static let mostHeldPoints = 65_536
  /// Real files nest about 8 deep.
  private static let deepestNesting = 256
  /// A single tag or comment longer than this is no trace; expat would keep all of it in memory.
  private static let longestToken = 16 << 20
  /// Of the texts that are read, the longest is a time.
  private static let longestText = 4_096

  /// What kind of point an element is; a file's trace is made of the first kind that it has.
  private enum PointKind: Int {
    case track, route, way
  }

  private enum Field {
    case time, hdop, accuracy, speed, course
  }

  private struct Point {
    var kind: PointKind
    var line: Int
    var latitude: Double?
    var longitude: Double?
    var hasBadNumber = false
    var time: Timestamp?
    var hasTime = false
    var hdop: Double?
    var accuracy: Double?
    var speed: Double?
    var course: Double?
  }

  /// Records that are ready.
  private(set) var ready: [TraceRecord] = []
  /// Why parsing stopped, if it did.
  private(set) var failure: TraceError?
  private(set) var report = TraceReport()

  private let file: String
  private let model: AccuracyModel
  private let parser: XML_Parser
  private var pushed = 0
  private var depth = 0
  private var hasRoot = false
  /// The root's prefix with its colon, and its default namespace: what GPX's own elements share.
  private var rootPrefix: [CChar] = []
  private var rootNamespace: String?
  private var point: Point?
  private var pointDepth = 0
  private var field: Field?
  private var fieldDepth = 0
  private var text: [UInt8] = []
  private var startsSegment = true
  private var hasTrack = false
  /// Held route points and waypoints.
  private var heldRoute: [TraceRecord] = []
  private var heldWay: [TraceRecord] = []
  private var hasReleasedHeld = false

  init(file: String, model: AccuracyModel) throws(TraceError) {
    self.file = file
    self.model = model
    guard let parser = XML_ParserCreate(nil) else {
      throw TraceError(
        .unreadable,
        file: file,
        problem: "expat cannot start",
        advice: "free some memory and try again"
      )
    }
    self.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let name else { return }
        GPXParser.from(user)?.startElement(name, attributes)
      },
      { user, _ in GPXParser.from(user)?.endElement() }
    )
    XML_SetCharacterDataHandler(parser) { user, bytes, count in
      guard let bytes else { return }
      GPXParser.from(user)?.appendText(bytes, Int(count))
    }
    XML_SetEntityDeclHandler(parser) { user, _, _, _, _, _, _, _, _ in
      GPXParser.from(user)?.refuseEntities()
    }
    XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, hasDeclarations in
      if hasDeclarations != 0 { GPXParser.from(user)?.refuseDeclarations() }
    }
  }

  deinit { XML_ParserFree(parser) }

  private static func from(_ user: UnsafeMutableRawPointer?) -> GPXParser? {
    user.map { Unmanaged<GPXParser>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Takes in the next bytes; with none at all, the end.
  func push(_ bytes: UnsafeRawBufferPointer) {
    guard failure == nil else { return }
    let isFinal = bytes.isEmpty
    let status = XML_Parse(
      parser,
      bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      Int32(bytes.count),
      isFinal ? 1 : 0
    )
    if status != XML_STATUS_OK, failure == nil { failure = syntaxError() }
    pushed += bytes.count
    if failure == nil, pushed - Int(XML_GetCurrentByteIndex(parser)) > Self.longestToken {
      stop(.excessive, "a single tag or comment is longer than \(Self.longestToken >> 20) MiB")
    }
    if isFinal, failure == nil { end() }
  }

  /// Hands over what is ready.
  func takeReady() -> [TraceRecord] {
    defer { ready.removeAll(keepingCapacity: true) }
    return ready
  }

  // MARK: Elements

  private func startElement(
    _ name: UnsafePointer<CChar>,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    depth += 1
    let local = Self.localName(name)
    guard depth <= Self.deepestNesting else {
      return stop(.excessive, "elements are nested deeper than \(Self.deepestNesting)")
    }
    if !hasRoot {
      hasRoot = true
      guard Self.equal(local, "gpx") else {
        return stop(
          .notGPX,
          "the XML is \"\(String(cString: local).prefix(40))\", not GPX",
          advice: "convert it to GPX first"
        )
      }
      rootPrefix = Array(UnsafeBufferPointer(start: name, count: local - name))
      rootNamespace = Self.namespace(attributes)
      return
    }
    if point != nil { return beginField(local) }
    // A point is where GPX puts it, and GPX's own: extensions have elements of the same names.
    switch depth {
    case 2 where Self.equal(local, "wpt") && isOwn(name, local, attributes):
      beginPoint(.way, attributes)
    case 3 where Self.equal(local, "rtept") && isOwn(name, local, attributes):
      beginPoint(.route, attributes)
    case 3 where Self.equal(local, "trkseg") && isOwn(name, local, attributes):
      startsSegment = true
      report.segments += 1
    case 4 where Self.equal(local, "trkpt") && isOwn(name, local, attributes):
      beginPoint(.track, attributes)
    default: break
    }
  }

  /// Whether an element belongs to the root's namespace, as far as its prefix and its own
  /// declaration tell.
  ///
  /// Expat's strict name spaces would refuse files whose makers forgot to declare
  /// a prefix, and there are many.
  private func isOwn(
    _ name: UnsafePointer<CChar>,
    _ local: UnsafePointer<CChar>,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> Bool {
    guard UnsafeBufferPointer(start: name, count: local - name).elementsEqual(rootPrefix) else {
      return false
    }
    return Self.namespace(attributes).map { $0 == rootNamespace } ?? true
  }

  /// The default namespace that an element declares.
  private static func namespace(
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> String? {
    var i = 0
    while let attributes, let name = attributes[i], let value = attributes[i + 1] {
      if equal(name, "xmlns") { return String(cString: value) }
      i += 2
    }
    return nil
  }

  private func beginPoint(
    _ kind: PointKind,
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    var point = Point(kind: kind, line: Int(XML_GetCurrentLineNumber(parser)))
    var i = 0
    while let attributes, let name = attributes[i], let value = attributes[i + 1] {
      let bytes = UnsafeRawBufferPointer(start: value, count: Self.length(value))
      let number = DecimalText.parse(bytes.bindMemory(to: UInt8.self))
      let local = Self.localName(name)
      if Self.equal(local, "lat") {
        point.latitude = number
        point.hasBadNumber = point.hasBadNumber || number == nil
      } else if Self.equal(local, "lon") {
        point.longitude = number
        point.hasBadNumber = point.hasBadNumber || number == nil
      }
      i += 2
    }
    self.point = point
    pointDepth = depth
  }

  /// Notes whether a point's inner element is one that is read.
  private func beginField(_ local: UnsafePointer<CChar>) {
    let isDirect = depth == pointDepth + 1
    let found: Field?
    if Self.equal(local, "time") {
      found = isDirect ? .time : nil
    } else if Self.equal(local, "hdop") {
      found = .hdop
    } else if Self.equal(local, "speed") {
      found = .speed
    } else if Self.equal(local, "course") || Self.equal(local, "bearing") {
      found = .course
    } else if Self.isAccuracy(local) {
      found = .accuracy
    } else {
      found = nil
    }
    guard let found else { return }
    field = found
    fieldDepth = depth
    text.removeAll(keepingCapacity: true)
  }

  private func appendText(_ bytes: UnsafePointer<CChar>, _ count: Int) {
    guard field != nil, depth == fieldDepth else { return }
    guard text.count + count <= Self.longestText else {
      return stop(.excessive, "a number or time is longer than \(Self.longestText) bytes")
    }
    bytes.withMemoryRebound(to: UInt8.self, capacity: count) {
      text.append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
    }
  }

  private func endElement() {
    defer { depth -= 1 }
    if let field, depth == fieldDepth {
      endField(field)
      self.field = nil
    }
    if let point, depth == pointDepth {
      self.point = nil
      endPoint(point)
    }
  }

  private func endField(_ field: Field) {
    text.withUnsafeBufferPointer { bytes in
      switch field {
      case .time:
        point?.hasTime = !bytes.allSatisfy { $0 <= 0x20 }
        point?.time = RFC3339.parse(bytes)
      case .hdop: point?.hdop = DecimalText.parse(bytes)
      case .accuracy: point?.accuracy = DecimalText.parse(bytes)
      case .speed: point?.speed = DecimalText.parse(bytes)
      case .course: point?.course = DecimalText.parse(bytes)
      }
    }
  }

  // MARK: Points

  private func endPoint(_ point: Point) {
    if point.kind == .track, !hasTrack {
      hasTrack = true
      heldRoute = []
      heldWay = []
    }
    guard point.kind == .track || !hasTrack else { return }
    // Without a track, a route is one segment, and so are all waypoints together.
    let isFirstOfKind =
      switch point.kind {
      case .track: startsSegment
      case .route: heldRoute.isEmpty && !hasReleasedHeld
      case .way: heldWay.isEmpty && !hasReleasedHeld
      }
    let record = record(point, startsSegment: isFirstOfKind)
    switch point.kind {
    case .track:
      if record.fix != nil { startsSegment = false }
      emit(record)
    case .route:
      heldRoute.append(record)
      if heldRoute.count >= Self.mostHeldPoints { releaseHeld() }
    case .way:
      // A file with a route is the route; waypoints are places on a map then.
      if heldWay.count < Self.mostHeldPoints { heldWay.append(record) }
    }
  }

  private func record(_ point: Point, startsSegment: Bool) -> TraceRecord {
    func refused(_ reason: FixRefusal) -> TraceRecord {
      TraceRecord(outcome: .refused(reason, at: point.time), line: point.line)
    }
    guard !point.hasBadNumber else { return refused(.badNumber) }
    guard let latitude = point.latitude, let longitude = point.longitude,
      let coordinate = try? Coordinate(latitude: latitude, longitude: longitude)
    else { return refused(.badCoordinate) }
    guard point.hasTime else { return refused(.noTime) }
    guard let time = point.time else { return refused(.badTime) }
    let accuracy: Double
    let source: AccuracySource
    if let reported = point.accuracy {
      (accuracy, source) = (reported, .reported)
    } else if let hdop = point.hdop, hdop > 0 {
      (accuracy, source) = (hdop * model.metersPerHDOP, .modelledFromHDOP)
    } else {
      (accuracy, source) = (model.defaultMeters, .assumed)
    }
    return TraceRecord(
      outcome: .fix(
        Fix(
          at: time,
          coordinate: coordinate,
          horizontalAccuracyMeters: accuracy,
          // Receivers write −1 for "not known".
          speedMetersPerSecond: point.speed.flatMap { $0 >= 0 ? $0 : nil },
          courseDegrees: point.course.flatMap { $0 >= 0 ? $0 : nil }
        )
      ),
      accuracySource: source,
      startsSegment: startsSegment,
      line: point.line
    )
  }

  private func emit(_ record: TraceRecord) {
    report.note(record)
    ready.append(record)
  }

  private func releaseHeld() {
    let chosen = heldRoute.isEmpty ? heldWay : heldRoute
    if !chosen.isEmpty, !hasReleasedHeld { report.segments += 1 }
    for record in chosen { emit(record) }
    heldRoute = []
    heldWay = []
    hasReleasedHeld = true
  }

  private func end() {
    if !hasTrack { releaseHeld() }
    if report.points > 0, report.refused[.noTime] == report.points {
      failure = TraceError(
        .withoutTimes,
        file: file,
        problem: "none of its \(report.points) points has a time",
        advice: "a replay needs times: export the track as it was recorded, not as a route"
      )
    }
  }

  // MARK: Failures

  private func refuseEntities() {
    stop(.excessive, "it declares entities, which no trace needs and which can grow without end")
  }

  private func refuseDeclarations() {
    stop(.excessive, "its document type has declarations, which no trace needs")
  }

  private func stop(
    _ code: TraceError.Code,
    _ problem: String,
    advice: String = "check where the file comes from"
  ) {
    guard failure == nil else { return }
    failure = TraceError(
      code,
      file: file,
      line: Int(XML_GetCurrentLineNumber(parser)),
      // −1 before the first token is complete.
      byteOffset: max(0, Int(XML_GetCurrentByteIndex(parser))),
      problem: problem,
      advice: advice
    )
    XML_StopParser(parser, 0)
  }

  private func syntaxError() -> TraceError {
    let reason = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "unknown"
    return TraceError(
      hasRoot ? .malformed : .notGPX,
      file: file,
      line: Int(XML_GetCurrentLineNumber(parser)),
      byteOffset: Int(XML_GetCurrentByteIndex(parser)),
      problem: hasRoot ? "the XML is broken: \(reason)" : "this is no GPX: \(reason)",
      advice: hasRoot ? "copy or export the file again" : "name a GPX file"
    )
  }

  // MARK: Names

  /// The part of a name after its prefix.
  private static func localName(_ name: UnsafePointer<CChar>) -> UnsafePointer<CChar> {
    var local = name
    var p = name
    while p.pointee != 0 {
      if p.pointee == 0x3A { local = p + 1 }
      p += 1
    }
    return local
  }

  private static func length(_ text: UnsafePointer<CChar>) -> Int {
    var count = 0
    while text[count] != 0 { count += 1 }
    return count
  }

  /// Whether two names are the same but for the case of ASCII letters.
  private static func equal(_ name: UnsafePointer<CChar>, _ expected: StaticString) -> Bool {
    let count = expected.utf8CodeUnitCount
    for i in 0..<count {
      let byte = UInt8(bitPattern: name[i])
      let lower = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      if lower != expected.utf8Start[i] { return false }
    }
    return name[count] == 0
  }

  private static func isAccuracy(_ name: UnsafePointer<CChar>) -> Bool {
    equal(name, "hacc") || equal(name, "accuracy") || equal(name, "horizontalaccuracy")
      || equal(name, "horizontal_accuracy") || equal(name, "h_accuracy")
  }
}
