import Basics
import CExpat
import Timeline
import Traces

/// The structure of a GPX document as its tags and texts come in from expat.
///
/// Elements of GPX itself count only with the prefix of the root element and in their place
/// (`trkpt` in `trkseg` in `trk` in `gpx`), so that a foreign element of the same name does not.
/// Accuracy, speed and course are taken anywhere inside a point, by their local name.
struct GPXDocument {
  /// What no real trace exceeds.
  ///
  /// Each bounds a part of expat's or our own memory.
  enum Limit {
    /// Bytes of one piece of text handed to expat.
    static let piece = 1 << 16
    /// Bytes of one tag, comment or instruction, which expat keeps until it is complete.
    static let token = 1 << 20
    /// Elements inside each other.
    static let depth = 8_192
    /// Bytes of an element's name.
    static let name = 1_024
    /// Different names of foreign elements and attributes, each of which expat remembers.
    static let names = 4_096
    /// Bytes of a value, white space before it aside; the longest time or number has about 40.
    static let value = 256
  }

  /// The points since they were last taken, by kind.
  let points = [FixColumns(), FixColumns(), FixColumns()]
  /// The reason why parsing stopped, if it did.
  private(set) var failure: ParseFailure?
  /// Points begun, by kind.
  private(set) var pointCounts = [0, 0, 0]
  /// Points with a time that is not empty, by kind.
  private(set) var timedCounts = [0, 0, 0]

  private let parser: OpaquePointer
  private let model: AccuracyModel
  private let keepsUntimed: Bool
  /// Lines and bytes left out before the text that expat sees.
  private var skippedLines = 0
  private var skippedBytes = 0

  private enum Place { case document, gpx, track, segment, route, point }
  private var place = Place.document
  private var depth = 0
  /// The depth at which an element of no interest began, with all that is in it; 0 for none.
  private var ignoredSince = 0
  private var pointDepth = 0
  private var rootPrefix: [UInt8] = []
  private var rootNamespace: [UInt8] = []
  private var hdopIsMeters = false
  private var isFirstOfSegment = true
  private var awaitsFirstFix = true
  private var point = PointBuilder()
  private var capturing = ElementName.other
  private var capturedBytes: [UInt8] = []
  private var hasOverflowed = false
  private var names = NameBudget(limit: Limit.names)

  /// Nil where they are not kept.
  let details: DetailColumns?
  private var capture = DetailCapture()
  /// What is said of the track or route that is open.
  private var group: [PointDetails.Field] = []
  private var awaitsGroup = false

  /// A track point that templates could learn from, by expat's count of bytes.
  struct ShownPoint {
    var range: Range<Int>
    var captured: [PointTemplate.Slot]
  }
  /// Whether points are to be shown to templates: the text is ASCII or UTF-8 as it stands.
  private(set) var showsPoints: Bool
  /// The last track point that became a fix, until it is taken.
  private var shownPoint: ShownPoint?
  /// Where the last track point ended, by expat's count of bytes.
  private(set) var trackPointEnd = -1
  private var pointStart = 0
  private var captureStart = 0
  private var captured: [PointTemplate.Slot] = []

  init(parser: OpaquePointer, options: TraceOptions) {
    self.parser = parser
    model = options.accuracyModel
    keepsUntimed = options.assumedMotion != nil || options.keepsDetails
    showsPoints = options.usesTemplates && !options.keepsDetails
    details = options.keepsDetails ? DetailColumns() : nil
    capturedBytes.reserveCapacity(Limit.value)
  }

  /// Notes text that expat does not get to see: white space before the document, or whole points.
  mutating func skip(bytes: Int, lines: Int, points: Int = 0) {
    skippedBytes += bytes
    skippedLines += lines
    pointCounts[PointKind.track.rawValue] += points
    timedCounts[PointKind.track.rawValue] += points
  }

  /// Whether more points could follow here without anything else having to be known: the last thing
  /// was a point of a segment that has a fix already.
  var isBetweenTrackPoints: Bool { place == .segment && !awaitsFirstFix }

  /// What an accuracy is where a point has none.
  var accuracyRule: PointTemplate.AccuracyRule {
    PointTemplate.AccuracyRule(
      defaultMeters: model.defaultMeters,
      metersPerHDOP: hdopIsMeters ? 1 : model.metersPerHDOP,
      hdopSource: hdopIsMeters ? .reported : .modeledFromHDOP
    )
  }

  /// Takes out the last track point that became a fix.
  mutating func takeShownPoint() -> ShownPoint? {
    defer { shownPoint = nil }
    return shownPoint
  }

  /// Notes the encoding that the document declares.
  mutating func declare(encoding: String) {
    if !["utf-8", "utf8", "us-ascii", "ascii"].contains(encoding.lowercased()) {
      showsPoints = false
    }
  }

  /// Stops for good with a reason, at the current position.
  mutating func stop(_ code: TraceError.Code, _ problem: String, _ advice: String) {
    guard failure == nil else { return }
    failure = ParseFailure(
      code: code,
      problem: problem,
      advice: advice,
      line: currentLine,
      byteOffset: skippedBytes + max(0, Int(XML_GetCurrentByteIndex(parser)))
    )
    XML_StopParser(parser, 0)
  }

  var currentLine: Int { skippedLines + Int(XML_GetCurrentLineNumber(parser)) }

  // MARK: - Tags and texts

  mutating func start(_ name: QualifiedName, _ attributes: Attributes) {
    guard failure == nil else { return }
    depth += 1
    capturing = .other
    guard depth <= Limit.depth, name.length <= Limit.name else {
      let isDeep = depth > Limit.depth
      stop(
        .excessive,
        isDeep ? "more than \(Limit.depth) elements inside each other" : "an endless element name",
        "export the file again"
      )
      return
    }
    let element = ElementName(name.local)
    if element == .other || !attributes.isEmpty { spendNames(element, name, attributes) }
    if details != nil { startCapture(element, name, attributes) }
    guard ignoredSince == 0 else { return }

    if place == .point {
      startInPoint(element, name)
      return
    }
    guard place == .document || isOfGPX(name, attributes) else {
      ignoredSince = depth
      return
    }
    switch (place, element) {
    case (.document, .gpx):
      place = .gpx
      rootPrefix = Array(name.prefix)
      rootNamespace = attributes.namespace(ofPrefix: name.prefix).map(Array.init) ?? []
      attributes.forEach { attribute, value in
        guard attribute.isEqual(to: "creator") else { return }
        hdopIsMeters = GPXDocument.writesMetersAsHDOP(creator: value)
      }
    case (.document, _):
      refuseRoot(name)
    case (.gpx, .track):
      place = .track
      beginGroup()
    case (.track, .segment):
      place = .segment
      isFirstOfSegment = true
    case (.gpx, .route):
      place = .route
      isFirstOfSegment = true
      beginGroup()
    case (.segment, .trackPoint): startPoint(.track, attributes)
    case (.route, .routePoint): startPoint(.route, attributes)
    case (.gpx, .waypoint):
      isFirstOfSegment = pointCounts[PointKind.waypoint.rawValue] == 0
      startPoint(.waypoint, attributes)
    default: ignoredSince = depth
    }
  }

  private mutating func startPoint(_ kind: PointKind, _ attributes: Attributes) {
    place = .point
    pointDepth = depth
    point = PointBuilder()
    point.kind = kind
    point.line = currentLine
    point.hdopIsMeters = hdopIsMeters
    pointStart = Int(XML_GetCurrentByteIndex(parser))
    captured.removeAll(keepingCapacity: true)
    pointCounts[kind.rawValue] += 1
    if isFirstOfSegment {
      awaitsFirstFix = true
      isFirstOfSegment = false
    }
    attributes.forEach { name, value in
      guard name.length == 3 else { return }
      if name.isEqual(to: "lat") {
        point.latitude = number(value)
      } else if name.isEqual(to: "lon") {
        point.longitude = number(value)
      }
    }
  }

  private mutating func startInPoint(_ element: ElementName, _ name: QualifiedName) {
    switch element {
    case .time, .hdop:
      guard depth == pointDepth + 1, name.prefix.elementsEqual(rootPrefix) else { return }
    case .accuracy, .speed, .course: break
    default: return
    }
    capturing = element
    captureStart = currentEnd
    capturedBytes.removeAll(keepingCapacity: true)
    hasOverflowed = false
  }

  private mutating func beginGroup() {
    group = []
    awaitsGroup = true
  }

  /// Begins a detail: an element inside a point, or one about a track or a route.
  private mutating func startCapture(
    _ element: ElementName,
    _ name: QualifiedName,
    _ attributes: Attributes
  ) {
    let isAbout =
      (place == .track && element != .segment) || (place == .route && element != .routePoint)
    guard capture.isOpen || place == .point || isAbout else { return }
    let isOfGPX = name.prefix.elementsEqual(rootPrefix)
    var text = String(decoding: name.local, as: UTF8.self)
    // What stands deeper is an extension, whatever it is called.
    if capture.isOpen || !isOfGPX {
      let canonical = PointDetails.unescapedElement(text)
      text = PointDetails.standard.contains(text) || text == "time" ? "ext_" + text : canonical
    }
    if !capture.isOpen, isOfGPX, text == "link" {
      attributes.forEach { attribute, value in
        guard attribute.isEqual(to: "href") else { return }
        keep(PointDetails.Field("link", String(decoding: value, as: UTF8.self)))
      }
    }
    capture.start(text)
  }

  private mutating func endCapture() {
    guard capture.isOpen else { return }
    let isTaken = capturing != .other && capturing != .hdop
    guard let field = capture.end(), !isTaken, field.name != "link" else { return }
    keep(field)
  }

  private mutating func keep(_ field: PointDetails.Field) {
    if place == .point {
      point.details.add(field.name, field.value)
    } else {
      group.add(field.name, field.value)
    }
  }

  mutating func append(_ text: UnsafeRawBufferPointer) {
    capture.append(text)
    guard capturing != .other else { return }
    var text = text[...]
    if capturedBytes.isEmpty { text = text.drop { $0 <= 0x20 } }
    let room = Limit.value - capturedBytes.count
    if text.count > room {
      // White space after a value may go on for long; anything else is not a value.
      if text.dropFirst(room).contains(where: { $0 > 0x20 }) { hasOverflowed = true }
      text = text.prefix(room)
    }
    capturedBytes.append(contentsOf: text)
  }

  mutating func end() {
    guard failure == nil else { return }
    defer { depth -= 1 }
    endCapture()
    if ignoredSince != 0 {
      if depth == ignoredSince { ignoredSince = 0 }
      return
    }
    switch place {
    case .point:
      if capturing != .other { finishValue() }
      if depth == pointDepth { finishPoint() }
    case .segment: place = .track
    case .track, .route: place = .gpx
    case .gpx, .document: break
    }
  }

  private mutating func finishValue() {
    defer { capturing = .other }
    showValue()
    if capturing == .time {
      // An empty element says no more than none.
      guard !capturedBytes.isEmpty, case .absent = point.time else { return }
      timedCounts[point.kind.rawValue] += 1
      let instant = hasOverflowed ? nil : capturedBytes.withUnsafeBufferPointer(RFC3339.parse)
      point.time = instant.map { .value($0) } ?? .unreadable
      return
    }
    guard !capturedBytes.isEmpty else { return }
    let number =
      hasOverflowed ? nil : capturedBytes.withUnsafeBufferPointer(DecimalText.parse)
    let field = number.map { PointBuilder.NumberField.value($0) } ?? .unreadable
    // The first of several wins: the device's own comes before what tools add.
    switch capturing {
    case .hdop: if case .absent = point.hdop { point.hdop = field }
    case .accuracy: if case .absent = point.accuracy { point.accuracy = field }
    case .speed: if case .absent = point.speed { point.speed = field }
    case .course: if case .absent = point.course { point.course = field }
    default: break
    }
  }

  /// Where the token in hand ends, by expat's count of bytes.
  private var currentEnd: Int {
    Int(XML_GetCurrentByteIndex(parser)) + Int(XML_GetCurrentByteCount(parser))
  }

  /// Notes where a value stands, for templates.
  private mutating func showValue() {
    guard showsPoints, point.kind == .track else { return }
    let field: PointTemplate.Field =
      switch capturing {
      case .time: .time
      case .hdop: .hdop
      case .accuracy: .accuracy
      case .speed: .speed
      case .course: .course
      default: .ignored
      }
    let end = Int(XML_GetCurrentByteIndex(parser))
    captured.append(PointTemplate.Slot(field: field, range: captureStart..<max(captureStart, end)))
  }

  private mutating func finishPoint() {
    switch point.kind {
    case .track: place = .segment
    case .route: place = .route
    case .waypoint: place = .gpx
    }
    let (outcome, source) = point.outcome(model: model, keepsUntimed: keepsUntimed)
    var record = TraceRecord(outcome: outcome, accuracySource: source, line: point.line)
    if awaitsFirstFix, case .fix = outcome {
      record.startsSegment = true
      awaitsFirstFix = false
    }
    points[point.kind.rawValue].append(record)
    if let details {
      // A point that is refused is not written, and what is said of its track must be.
      if awaitsGroup, point.kind != .waypoint, case .fix = outcome {
        point.details.group = group
        awaitsGroup = false
      }
      details.append(point.details, point.kind)
    }
    guard showsPoints, point.kind == .track else { return }
    trackPointEnd = currentEnd
    if case .fix = outcome {
      shownPoint = ShownPoint(range: pointStart..<trackPointEnd, captured: captured)
    }
  }

  private func number(_ value: UnsafeBufferPointer<UInt8>) -> PointBuilder.NumberField {
    guard value.count <= Limit.value, let number = DecimalText.parse(value) else {
      return .unreadable
    }
    return .value(number)
  }

  /// Whether a program puts the accuracy that Android gives it, in meters, where GPX has a dilution.
  ///
  /// - Source: OsmAnd and Locus Map say so themselves (osmandapp/OsmAnd#3445,
  ///   help.locusmap.eu/topic/23131-hdop-and-accuracy).
  static func writesMetersAsHDOP(creator: UnsafeBufferPointer<UInt8>) -> Bool {
    creator.starts(with: "OsmAnd".utf8) || creator.starts(with: "Locus".utf8)
  }

  // MARK: - Names

  /// Whether an element belongs to GPX: the root's prefix, not bound to something else meanwhile.
  private func isOfGPX(_ name: QualifiedName, _ attributes: Attributes) -> Bool {
    guard name.prefix.elementsEqual(rootPrefix) else { return false }
    if attributes.isEmpty { return true }
    guard let namespace = attributes.namespace(ofPrefix: name.prefix) else { return true }
    return namespace.elementsEqual(rootNamespace)
  }

  private mutating func refuseRoot(_ name: QualifiedName) {
    let root = String(decoding: name.local.prefix(40), as: UTF8.self)
    let looks =
      switch root.lowercased() {
      case "html": "an HTML page, perhaps of an error or a login,"
      case "kml": "KML, behind a comment that is too long,"
      case "trainingcenterdatabase": "a Garmin TCX file, behind a comment that is too long,"
      case "osm": "an OpenStreetMap extract"
      default: "XML with the root element <\(root)>"
      }
    stop(
      .notATrace,
      "this is \(looks) and not GPX",
      "give a file that begins with <gpx>, <kml> or <TrainingCenterDatabase>"
    )
  }

  private mutating func spendNames(
    _ element: ElementName,
    _ name: QualifiedName,
    _ attributes: Attributes
  ) {
    var isWithin = element != .other || names.spend(name.whole)
    attributes.forEach { attribute, _ in
      if attribute.isEqual(to: "lat") || attribute.isEqual(to: "lon") { return }
      isWithin = names.spend(attribute.whole) && isWithin
    }
    if !isWithin {
      stop(
        .excessive,
        "more than \(Limit.names) different names of elements and attributes",
        "export the file again"
      )
    }
  }
}
