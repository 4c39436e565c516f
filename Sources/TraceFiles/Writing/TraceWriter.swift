import Geodesy
import Timeline
import Traces

/// Writes points with all that their file says of them: elevations, names, heart rates, satellites, and
/// routes and waypoints beside tracks.
///
/// What GPX has elements for is written as these; everything else stands in a namespace of our own.
/// GeoJSON and CSV name it by members and columns, KML by arrays beside a track; NDJSON is for feeds and has
/// what makes a fix. Every format keeps coordinates and numbers to the last bit, times to the millisecond, and
/// where the accuracy came from: one that was modeled is written as the dilution it was modeled from, one
/// that was assumed is left out, so that reading again gives the same fix for the same reason.
///
/// - Complexity: O(1) memory; KML holds back the points of ``longestPart`` at most, since a track's values
///   stand behind its positions, and GPX and KML ``mostAside`` bytes of waypoints that stand in the middle of a track.
package struct TraceWriter {
  /// The formats that can be written.
  package enum Format: String, Hashable, Sendable, CaseIterable {
    /// GPX 1.1, with what it has no elements for in a namespace of our own.
    case gpx
    /// Comma-separated values with a header.
    case csv
    /// A collection of points.
    case geojson
    /// One JSON object for each fix, on a line of its own.
    case ndjson
    /// KML 2.2 with Google's tracks.
    case kml
  }

  /// Points of KML that are written at once, and a part of a track there.
  package static let longestPart = 4_096

  /// Bytes of waypoints that wait for the end of the track they stand in; with more of them it is cut.
  package static let mostAside = 1 << 20

  private let format: Format
  private let model: AccuracyModel
  /// The columns of a table beside those of every table.
  private let columns: [String]
  private let namesKinds: Bool
  private var open: PointKind?
  private var hasSegment = false
  private var segment = 0
  private var count = 0
  private var elementNames = ElementNames()
  private var group: [[PointDetails.Field]] = [[], [], []]
  /// The same as the file has it, and how many in a row are the same.
  private var bareGroup: [[PointDetails.Field]?] = [nil, nil, nil]
  private var repetitions = [1, 1, 1]
  private var part: [DetailedPoint] = []
  /// What is said of the track that the part is of: the next one may have begun meanwhile.
  private var partFields: [PointDetails.Field] = []
  private var isPartOfSegment = false
  /// Waypoints that stand in the track or the route that is open, as text.
  private var aside = ""

  /// Starts a file.
  ///
  /// - Parameter columns: what a table has columns for beside positions, times and the values of fixes:
  ///   names of fields, and `track.` with the name of what is said of a whole track.
  /// - Parameter namesKinds: whether a table has a column that tells tracks, routes and waypoints apart.
  package init(
    _ format: Format,
    accuracyModel model: AccuracyModel = AccuracyModel(),
    columns: [String] = [],
    namesKinds: Bool = false
  ) {
    self.format = format
    self.model = model
    self.columns = columns
    self.namesKinds = namesKinds
  }

  /// What stands before the first point.
  package var head: String {
    switch format {
    case .gpx:
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Near Me" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:nm="urn:near-me:fix:1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">

      """
    case .csv:
      "time,lat,lon,accuracy_m,hdop,speed_mps,course_deg,segment" + (namesKinds ? ",kind" : "")
        + columns.map { "," + Self.quoted(PointDetails.escaped($0)) }.joined() + "\n"
    case .geojson: "{\"type\":\"FeatureCollection\",\"features\":[\n"
    case .ndjson: ""
    case .kml:
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
      <Document>

      """
    }
  }

  /// A point; none for one that is no position.
  package mutating func add(_ point: DetailedPoint) -> String {
    guard let fix = point.record.fix else { return "" }
    let kind = point.kind
    if kind == .waypoint, let open, open != .waypoint { return addAside(point, fix) }
    let opens = open != kind || point.details.group != nil
    if let fields = point.details.group { begin(kind, fields) }
    let begins = opens || point.record.startsSegment || segment == 0
    if begins { segment += 1 }
    defer {
      count += 1
      open = kind
    }
    switch format {
    case .gpx: return gpx(point, fix, opens: opens, begins: begins)
    case .csv: return row(point, fix)
    case .geojson: return feature(point, fix)
    case .ndjson: return line(point, fix)
    case .kml:
      let before = begins || part.count >= Self.longestPart ? writePart(isLast: begins) : ""
      if begins { partFields = group[kind.rawValue] }
      part.append(point)
      return before
    }
  }

  /// A waypoint that stands in a track, or a route, which goes on behind it.
  private mutating func addAside(_ point: DetailedPoint, _ fix: Fix) -> String {
    defer { count += 1 }
    switch format {
    case .csv: return row(point, fix)
    case .geojson: return feature(point, fix)
    case .ndjson: return line(point, fix)
    case .gpx: aside += pointElement("wpt", point, fix)
    case .kml: aside += placemark(point)
    }
    guard aside.utf8.count > Self.mostAside else { return "" }
    defer { open = nil }
    return format == .gpx ? closeGPX() : writePart(isLast: true)
  }

  /// Takes out the waypoints that wait.
  private mutating func takeAside() -> String {
    defer { aside = "" }
    return aside
  }

  /// Takes what is said of the track or route that begins.
  private mutating func begin(_ kind: PointKind, _ fields: [PointDetails.Field]) {
    // Where points name their track, two that are called the same must not become one.
    let isAgain = format != .gpx && fields == bareGroup[kind.rawValue]
    repetitions[kind.rawValue] = isAgain ? repetitions[kind.rawValue] + 1 : 1
    bareGroup[kind.rawValue] = fields
    group[kind.rawValue] =
      isAgain
      ? fields + [.init(PointDetails.repetition, String(repetitions[kind.rawValue]))] : fields
  }

  /// A fix of which nothing else is known.
  ///
  /// - Parameter startsSegment: whether the recording was interrupted before it; the first fix
  ///   starts one in any case.
  package mutating func add(
    _ fix: Fix,
    accuracySource: AccuracySource,
    startsSegment: Bool
  ) -> String {
    let record = TraceRecord(
      outcome: .fix(fix),
      accuracySource: accuracySource,
      startsSegment: startsSegment,
      line: 0
    )
    return add(DetailedPoint(record, details: PointDetails()))
  }

  /// What stands after the last point.
  package mutating func end() -> String {
    switch format {
    case .gpx: closeGPX() + "</gpx>\n"
    case .geojson: "\n]}\n"
    case .csv, .ndjson: ""
    case .kml: writePart(isLast: true) + "</Document>\n</kml>\n"
    }
  }

  // MARK: - Values

  /// The values of a fix as text: what the device did not say is not there.
  private struct Values {
    var time: String?
    var latitude: String
    var longitude: String
    var accuracy: String?
    var dilution: String?
    var speed: String?
    var course: String?
  }

  private func values(_ point: DetailedPoint, _ fix: Fix) -> Values {
    let source = point.record.accuracySource
    return Values(
      time: point.isTimed ? RFC3339.format(fix.at) : nil,
      latitude: plain(fix.coordinate.latitude),
      longitude: plain(fix.coordinate.longitude),
      accuracy: source == .reported ? plain(fix.horizontalAccuracyMeters) : nil,
      dilution: point.details["hdop"]
        ?? (source == .modeledFromHDOP
          ? plain(model.dilution(givingMeters: fix.horizontalAccuracyMeters)) : nil),
      speed: fix.speedMetersPerSecond.map(plain),
      course: fix.courseDegrees.map(plain)
    )
  }

  /// The elevation, where it is a number that can stand in a position: JSON knows no infinity.
  private func height(_ point: DetailedPoint) -> Double? {
    point.details[PointDetails.elevation].flatMap(Double.init).flatMap { $0.isFinite ? $0 : nil }
  }

  // MARK: - GPX

  private mutating func closeGPX() -> String {
    defer {
      open = nil
      hasSegment = false
    }
    return switch open {
    case .track: (hasSegment ? "</trkseg>\n" : "") + "</trk>\n" + takeAside()
    case .route: "</rte>\n" + takeAside()
    case .waypoint, nil: ""
    }
  }

  private mutating func gpx(
    _ point: DetailedPoint,
    _ fix: Fix,
    opens: Bool,
    begins: Bool
  ) -> String {
    var text = ""
    let element: String
    if opens { text += closeGPX() }
    switch point.kind {
    case .waypoint: element = "wpt"
    case .route:
      element = "rtept"
      if opens { text += "<rte>\n" + about(group[point.kind.rawValue]) }
    case .track:
      element = "trkpt"
      if opens { text += "<trk>\n" + about(group[point.kind.rawValue]) }
      if begins {
        text += (hasSegment ? "</trkseg>\n" : "") + "<trkseg>\n"
        hasSegment = true
      }
    }
    return text + pointElement(element, point, fix)
  }

  /// A point of GPX.
  private mutating func pointElement(
    _ element: String,
    _ point: DetailedPoint,
    _ fix: Fix
  ) -> String {
    let values = values(point, fix)
    var text = "<\(element) lat=\"\(values.latitude)\" lon=\"\(values.longitude)\">"
    let details = point.details
    for name in PointDetails.standard {
      let value = name == "hdop" ? values.dilution : details[name]
      if let value { text += Self.standardElement(name, value) }
      if name == "ele", let time = values.time { text += "<time>\(time)</time>" }
    }
    var extensions = ""
    if let accuracy = values.accuracy { extensions += "<nm:hacc>\(accuracy)</nm:hacc>" }
    if let speed = values.speed { extensions += "<nm:speed>\(speed)</nm:speed>" }
    if let course = values.course { extensions += "<nm:course>\(course)</nm:course>" }
    let (sport, others) = point.kind == .track ? Self.sport(details.fields) : ("", details.fields)
    extensions += self.extensions(others) + sport
    if !extensions.isEmpty { text += "<extensions>\(extensions)</extensions>" }
    return text + "</\(element)>\n"
  }

  /// What sports apps look for where Garmin put it, and the fields that are not of it.
  ///
  /// - Source: garmin.com/xmlschemas/TrackPointExtensionv2.xsd: the order of the elements, and what they may hold.
  private static func sport(
    _ fields: [PointDetails.Field]
  ) -> (text: String, others: [PointDetails.Field]) {
    guard !fields.isEmpty else { return ("", fields) }
    let bounds: [(name: String, range: ClosedRange<Int>?)] = [
      ("atemp", nil), ("hr", 1...255), ("cad", 0...254),
    ]
    var text = ""
    var others = fields
    for (name, range) in bounds {
      guard let value = fields[name] else { continue }
      let isValid =
        range.map { range in Int(value).map(range.contains) ?? false } ?? Double(value)?.isFinite
        ?? false
      guard isValid else { continue }
      text += "<gpxtpx:\(name)>\(escaped(value))</gpxtpx:\(name)>"
      others.removeAll { $0.name == name }
    }
    if !text.isEmpty { text = "<gpxtpx:TrackPointExtension>\(text)</gpxtpx:TrackPointExtension>" }
    return (text, others)
  }

  /// What is said of a whole track or route, in the order of the schema.
  private mutating func about(_ fields: [PointDetails.Field]) -> String {
    var text = ""
    for name in ["name", "cmt", "desc", "src", "link", "number", "type"] {
      if let value = fields[name] { text += Self.standardElement(name, value) + "\n" }
    }
    let extensions = extensions(fields.filter { $0.name != "number" })
    return text + (extensions.isEmpty ? "" : "<extensions>\(extensions)</extensions>\n")
  }

  private static func standardElement(_ name: String, _ value: String) -> String {
    name == "link"
      ? "<link href=\"\(escaped(value))\"/>" : "<\(name)>\(escaped(value))</\(name)>"
  }

  private mutating func extensions(_ fields: [PointDetails.Field]) -> String {
    var text = ""
    for field in fields where !PointDetails.standard.contains(field.name) {
      let name = elementNames.name(of: field.name)
      text += "<nm:\(name)>\(Self.escaped(field.value))</nm:\(name)>"
    }
    return text
  }

  /// Text between tags or in an attribute; what XML cannot hold is left out.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\r": escaped += "&#13;"
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": break
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  // MARK: - CSV and GeoJSON

  private func row(_ point: DetailedPoint, _ fix: Fix) -> String {
    let values = values(point, fix)
    var fields = [
      values.time ?? "", values.latitude, values.longitude, values.accuracy ?? "",
      values.dilution ?? "", values.speed ?? "", values.course ?? "", String(segment),
    ]
    if namesKinds { fields.append(point.kind.name) }
    for column in columns {
      fields.append(
        column.hasPrefix(FlatGroups.prefix)
          ? groupValue(point.kind, String(column.dropFirst(FlatGroups.prefix.count))) ?? ""
          : point.details[column] ?? ""
      )
    }
    return fields.map(Self.quoted).joined(separator: ",") + "\n"
  }

  private func groupValue(_ kind: PointKind, _ name: String) -> String? {
    kind == .waypoint ? nil : group[kind.rawValue][name]
  }

  /// A field of RFC 4180.
  private static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else {
      return text
    }
    // By scalars: a quote with a combining mark behind it is another character than a quote.
    return "\""
      + text.unicodeScalars.split(separator: "\"", omittingEmptySubsequences: false)
      .map { String($0) }.joined(separator: "\"\"") + "\""
  }

  private func feature(_ point: DetailedPoint, _ fix: Fix) -> String {
    let values = values(point, fix)
    let height = height(point)
    var text = count == 0 ? "" : ",\n"
    text += "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":["
    text += values.longitude + "," + values.latitude
    if let height { text += "," + plain(height) }
    text += "]},\"properties\":{"
    var members = values.time.map { ["\"time\":\"\($0)\""] } ?? []
    members += fixMembers(values)
    if point.kind != .track || !point.isTimed {
      members.append("\"kind\":\"\(point.kind.name)\"")
    }
    for field in point.details.fields
    where field.name != "hdop" && (field.name != PointDetails.elevation || height == nil) {
      members.append("\(Self.jsonText(PointDetails.escaped(field.name))):\(Self.json(field.value))")
    }
    if point.kind != .waypoint {
      for field in group[point.kind.rawValue] {
        members.append(
          "\(Self.jsonText(FlatGroups.prefix + field.name)):\(Self.json(field.value))"
        )
      }
    }
    return text + members.joined(separator: ",") + "}}"
  }

  private func line(_ point: DetailedPoint, _ fix: Fix) -> String {
    let values = values(point, fix)
    let members = [
      "\"time\":\"\(values.time ?? "")\"", "\"lat\":\(values.latitude)",
      "\"lon\":\(values.longitude)",
    ]
    return "{" + (members + fixMembers(values)).joined(separator: ",") + "}\n"
  }

  /// What GeoJSON and NDJSON say of a fix beside its position and time.
  private func fixMembers(_ values: Values) -> [String] {
    var members: [String] = []
    for (name, value) in [
      ("accuracy_m", values.accuracy), ("hdop", values.dilution), ("speed_mps", values.speed),
      ("course_deg", values.course),
    ] {
      if let value { members.append("\"\(name)\":\(Self.json(value))") }
    }
    return members + ["\"segment\":\(segment)"]
  }

  /// A number where the text is the number's own, else a text.
  private static func json(_ text: String) -> String {
    if let number = Double(text), number.isFinite, plain(number) == text { return text }
    return jsonText(text)
  }

  private static func jsonText(_ text: String) -> String {
    var escaped = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": escaped += "\\\""
      case "\\": escaped += "\\\\"
      case "\u{0}"..."\u{1F}":
        let digits = String(scalar.value, radix: 16)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped + "\""
  }

  // MARK: - KML

  /// Writes what is held back: a segment, or a part of a long one.
  ///
  /// - Parameter isLast: whether the segment ends with it.
  private mutating func writePart(isLast: Bool) -> String {
    defer {
      part.removeAll(keepingCapacity: true)
      isPartOfSegment = !isLast
    }
    guard let first = part.first else { return "" }
    guard first.kind != .waypoint else { return part.map(placemark).joined() }
    var text = ""
    if !isPartOfSegment {
      let about = partFields
      text += "<Placemark>\n" + Self.element("name", about["name"])
      text += Self.element("description", about["desc"])
      var data = Self.data("kind", first.kind == .track ? nil : first.kind.name)
      for field in about where field.name != "name" && field.name != "desc" {
        data += Self.data(PointDetails.escaped(field.name), field.value)
      }
      if !data.isEmpty { text += "<ExtendedData>\n\(data)</ExtendedData>\n" }
      // Its tracks are parts of one: a reader is to go on from one to the next.
      text += "<gx:MultiTrack>\n<gx:interpolate>1</gx:interpolate>\n"
    }
    text += track(part)
    return text + (isLast ? "</gx:MultiTrack>\n</Placemark>\n" + takeAside() : "")
  }

  private func track(_ points: [DetailedPoint]) -> String {
    var text = "<gx:Track>\n"
    let fixes = points.compactMap { point in point.record.fix.map { (point, values(point, $0)) } }
    for (_, values) in fixes {
      text += values.time.map { "<when>\($0)</when>\n" } ?? "<when/>\n"
    }
    for (point, values) in fixes {
      let height = height(point).map { " " + plain($0) } ?? ""
      text += "<gx:coord>\(values.longitude) \(values.latitude)\(height)</gx:coord>\n"
    }
    var names: [String] = []
    for point in points {
      for field in point.details.fields where !names.contains(field.name) {
        names.append(field.name)
      }
    }
    var arrays = ""
    func array(_ name: String, _ list: [String?]) {
      guard list.contains(where: { $0 != nil }) else { return }
      arrays += "<gx:SimpleArrayData name=\"\(Self.escaped(name))\">\n"
      for value in list {
        arrays += value.map { "<gx:value>\(Self.escaped($0))</gx:value>\n" } ?? "<gx:value/>\n"
      }
      arrays += "</gx:SimpleArrayData>\n"
    }
    array("accuracy", fixes.map(\.1.accuracy))
    array("hdop", fixes.map(\.1.dilution))
    array("speed", fixes.map(\.1.speed))
    array("bearing", fixes.map(\.1.course))
    for name in names where name != "hdop" {
      array(
        PointDetails.escaped(name),
        points.map {
          name == PointDetails.elevation && height($0) != nil ? nil : $0.details[name]
        }
      )
    }
    if !arrays.isEmpty {
      text += "<ExtendedData><SchemaData>\n\(arrays)</SchemaData></ExtendedData>\n"
    }
    return text + "</gx:Track>\n"
  }

  private func placemark(_ point: DetailedPoint) -> String {
    guard let fix = point.record.fix else { return "" }
    let values = values(point, fix)
    let details = point.details
    var text = "<Placemark>\n" + Self.element("name", details["name"])
    text += Self.element("description", details["desc"])
    if let time = values.time { text += "<TimeStamp><when>\(time)</when></TimeStamp>\n" }
    var data =
      Self.data("accuracy", values.accuracy) + Self.data("hdop", values.dilution)
      + Self.data("speed", values.speed) + Self.data("bearing", values.course)
    for field in details.fields
    where !["name", "desc", "hdop"].contains(field.name)
      && (field.name != PointDetails.elevation || height(point) == nil)
    {
      data += Self.data(PointDetails.escaped(field.name), field.value)
    }
    if !data.isEmpty { text += "<ExtendedData>\n\(data)</ExtendedData>\n" }
    let height = height(point).map { "," + plain($0) } ?? ""
    return text + "<Point><coordinates>\(values.longitude),\(values.latitude)\(height)"
      + "</coordinates></Point>\n</Placemark>\n"
  }

  private static func element(_ name: String, _ value: String?) -> String {
    value.map { "<\(name)>\(escaped($0))</\(name)>\n" } ?? ""
  }

  private static func data(_ name: String, _ value: String?) -> String {
    value.map {
      "<Data name=\"\(escaped(name))\"><value>\(escaped($0))</value></Data>\n"
    } ?? ""
  }
}

extension AccuracyModel {
  /// The dilution that the model turns into exactly these meters.
  fileprivate func dilution(givingMeters meters: Double) -> Double {
    let quotient = meters / metersPerHDOP
    // A quotient rounds, so that the product may miss by a last bit.
    for candidate in [quotient, quotient.nextUp, quotient.nextDown]
    where candidate * metersPerHDOP == meters {
      return candidate
    }
    return quotient
  }
}

/// A number with as many digits as give back the same one, and without an exponent, which
/// `xsd:decimal` of GPX does not have.
func plain(_ value: Double) -> String {
  let text = String(describing: value)
  guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }),
    let exponent = Int(text[text.index(after: mark)...])
  else { return text.hasSuffix(".0") ? String(text.dropLast(2)) : text }
  var digits = text[..<mark].filter { $0 != "." && $0 != "-" }
  let whole = text[..<mark].drop { $0 == "-" }.prefix { $0 != "." }.count
  let point = whole + exponent
  if point <= 0 {
    digits = "0." + String(repeating: "0", count: -point) + digits
  } else if point >= digits.count {
    digits += String(repeating: "0", count: point - digits.count)
  } else {
    digits.insert(".", at: digits.index(digits.startIndex, offsetBy: point))
  }
  return (value < 0 ? "-" : "") + digits
}
