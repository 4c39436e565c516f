import Traces

/// What a trace says of a point beside where and when it was.
package struct PointDetails: Hashable, Sendable {
  /// A name and what stands there, as text.
  package struct Field: Hashable, Sendable {
    /// As GPX and Garmin's extension of it call it, or else as the file does.
    package let name: String
    /// The text, without white space around it.
    package let value: String

    /// Makes a field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// In the order of the file, each name once.
  package private(set) var fields: [Field] = []
  /// At the first point of a track or a route what is said of it as a whole; nil at all others.
  package var group: [Field]?
  /// Which track and segment it is of, where points say so themselves, as in a table; nil where their order does, and
  /// where it is not kept.
  package var membership: Membership?

  /// What a point says of the track and the segment that it is of.
  package struct Membership: Hashable, Sendable {
    /// What is said of the track or the route.
    package var track: [Field] = []
    /// What the segment is called; nil for the one that goes on.
    package var segment: String?
  }

  /// Nothing.
  package init() {}

  /// The value of a field.
  package subscript(name: String) -> String? { fields[name] }

  /// Adds a field; the first of several of one name stays, and an empty one says nothing.
  package mutating func add(_ name: String, _ value: String) {
    fields.add(name, value)
  }

  /// What a column of a table is called as a field.
  package static func fieldName(ofColumn name: String) -> String { canonical(name) }

  /// Meters above sea level, as text.
  package static let elevation = "ele"

  /// Tells a track from the one before it of which the same is said; no detail of its own.
  package static let repetition = "again"

  /// What GPX has elements of its own for, in the order of its schema.
  ///
  /// - Source: topografix.com/GPX/1/1/gpx.xsd, `wptType`; `url` and `urlname` are of GPX 1.0.
  static let standard = [
    "ele", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type", "fix",
    "sat", "hdop", "vdop", "pdop", "ageofdgpsdata", "dgpsid",
  ]

  /// Fields that are numbers.
  static let numeric: Set<String> = ["ele", "sat", "hr", "cad", "atemp", "power"]

  /// A name that tables, GeoJSON and KML can use for a field: not one that is read as a part of a fix, or as an escaped
  /// one.
  static func escaped(_ name: String) -> String {
    isPartOfFix(bare(name)) ? escape + name : name
  }

  /// A name that GPX can use for a field: there fewer names are read as a part of a fix.
  static func escapedElement(_ name: String) -> String {
    isElementOfFix(bare(name)) ? escape + name : name
  }

  /// The field that an element of GPX is about.
  static func unescapedElement(_ name: String) -> String {
    name.hasPrefix(escape) && isElementOfFix(bare(name))
      ? String(name.dropFirst(escape.count)) : canonical(name)
  }

  /// The field that a column or member is about.
  static func unescaped(_ name: String) -> String {
    name.hasPrefix(escape) && isPartOfFix(bare(name))
      ? String(name.dropFirst(escape.count)) : canonical(name)
  }

  /// What stands before the name of a field that would else be taken for a part of a fix.
  static let escape = "x_"

  /// A name without what escapes it, however often.
  private static func bare(_ name: String) -> String {
    var rest = name[...]
    while rest.hasPrefix(escape) { rest = rest.dropFirst(escape.count) }
    return String(rest)
  }

  private static func isElementOfFix(_ name: String) -> Bool {
    var bytes = name
    return switch bytes.withUTF8({ ElementName($0) }) {
    case .accuracy, .speed, .course: true
    default: false
    }
  }

  private static func isPartOfFix(_ name: String) -> Bool {
    name != "hdop" && (CSVLayout.isPartOfFix(name) || JSONPoints.isPartOfFix(name))
  }

  /// The name that GPX or Garmin's extension has for what other formats call differently.
  ///
  /// - Source: garmin.com/xmlschemas/TrackPointExtensionv2.xsd (`hr`, `cad`, `atemp`).
  static func canonical(_ name: String) -> String {
    // `heart_rate`, `Elevation (m)`.
    switch name.lowercased().filter({ $0.isLetter || $0.isNumber }) {
    case "ele", "elem", "elevation", "elevationm", "alt", "altitude", "altitudem", "altitudemeters",
      "height", "heightm":
      "ele"
    case "name", "title": "name"
    case "desc", "description": "desc"
    case "cmt", "comment": "cmt"
    case "hr", "heart", "heartrate", "heartratebpm", "heartrates", "bpm": "hr"
    case "cad", "cadence", "runcadence": "cad"
    case "atemp", "temp", "temperature": "atemp"
    case "sat", "sats", "satellites", "numsats", "numsatellites": "sat"
    case "power", "watts": "power"
    default: name
    }
  }
}

extension [PointDetails.Field] {
  /// No point of a real trace has more.
  private static var most: Int { 1_024 }

  /// Adds a field; the first of several of one name stays, and an empty one says nothing.
  mutating func add(_ name: String, _ value: String) {
    guard count < Self.most else { return }
    var value = value[...]
    while value.first?.isWhitespace ?? false { value.removeFirst() }
    while value.last?.isWhitespace ?? false { value.removeLast() }
    guard !value.isEmpty, !name.isEmpty, !contains(where: { $0.name == name }) else { return }
    append(PointDetails.Field(name, String(value)))
  }

  /// The value of a field.
  package subscript(name: String) -> String? { first { $0.name == name }?.value }
}

/// The details of points, by kind, in the order in which ``FixColumns`` have the points.
final class DetailColumns {
  private var points: [[PointDetails]] = [[], [], []]

  func append(_ details: PointDetails, _ kind: PointKind) {
    points[kind.rawValue].append(details)
  }

  /// Takes out the details of a kind.
  func take(_ kind: PointKind) -> [PointDetails] {
    defer { points[kind.rawValue].removeAll(keepingCapacity: true) }
    return points[kind.rawValue]
  }
}

/// A point of a trace with all that the file says of it.
package struct DetailedPoint: Sendable {
  /// Whether it is of a track, a route, or stands for itself.
  package let kind: PointKind
  /// What became of it; a point without a time is a fix for which ``isTimed`` is false.
  package private(set) var record: TraceRecord
  /// The rest.
  package private(set) var details: PointDetails

  /// Makes a point.
  package init(_ record: TraceRecord, kind: PointKind = .track, details: PointDetails) {
    self.kind = kind
    self.record = record
    self.details = details
  }

  /// Says that it begins a track or route, of which nothing is said unless it was.
  package mutating func beginGroup() {
    record.startsSegment = true
    details.group = details.group ?? []
  }

  /// Says where it is among the points that it is written with.
  ///
  /// - Parameter group: what is said of the track or route, if it begins one.
  package mutating func place(group: [PointDetails.Field]?, startsSegment: Bool) {
    record.startsSegment = startsSegment
    details.group = group
  }

  /// Whether the file has a time for it.
  package var isTimed: Bool { record.fix.map { $0.at != PointBuilder.untimed } ?? false }
}

/// Finds where tracks and routes begin in formats whose points each name theirs: where the name changes.
struct FlatGroups {
  /// Stands before the names of what is said of a whole track.
  static let prefix = "track."

  private var last: [[PointDetails.Field]?] = [nil, nil, nil]
  private let keepsMembership: Bool

  init(_ options: TraceOptions) { keepsMembership = options.keepsMembership }

  /// Takes what is said of a point's track out of its details.
  ///
  /// - Parameter segment: what its segment is called.
  mutating func note(_ point: inout PointBuilder, segment: @autoclosure () -> String?) {
    guard point.kind != .waypoint else { return }
    var own = PointDetails()
    var group: [PointDetails.Field] = []
    for field in point.details.fields {
      if field.name.hasPrefix(Self.prefix) {
        group.add(String(field.name.dropFirst(Self.prefix.count)), field.value)
      } else {
        own.add(field.name, field.value)
      }
    }
    if last[point.kind.rawValue] != group {
      last[point.kind.rawValue] = group
      own.group = group.filter { $0.name != PointDetails.repetition }
    }
    if keepsMembership { own.membership = .init(track: group, segment: segment()) }
    point.details = own
  }
}

/// The elements inside a point, or about a track, as fields.
struct DetailCapture {
  private struct Element {
    let name: String
    var text: [UInt8] = []
    var isLeaf = true
    var isTooLong = false
  }

  /// No text of a real trace is longer; one that is stays out, and its point in.
  static let longestText = 1 << 20

  private var open: [Element] = []

  var isOpen: Bool { !open.isEmpty }

  mutating func start(_ name: String) {
    if !open.isEmpty { open[open.count - 1].isLeaf = false }
    open.append(Element(name: name))
  }

  mutating func append(_ text: UnsafeRawBufferPointer) {
    guard !open.isEmpty, !open[open.count - 1].isTooLong else { return }
    open[open.count - 1].text.append(contentsOf: text)
    if open[open.count - 1].text.count > Self.longestText {
      open[open.count - 1].isTooLong = true
      open[open.count - 1].text = []
    }
  }

  /// Ends the innermost element.
  ///
  /// - Returns: its field, if it has no elements inside.
  mutating func end() -> PointDetails.Field? {
    guard let element = open.popLast(), element.isLeaf, !element.isTooLong else { return nil }
    return PointDetails.Field(element.name, String(decoding: element.text, as: UTF8.self))
  }
}
