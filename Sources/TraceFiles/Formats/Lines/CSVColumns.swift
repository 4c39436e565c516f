import Basics
import Traces

/// Which columns of a table mean what.
package struct CSVColumns: Hashable, Sendable {
  /// What a column can mean.
  package enum Meaning: String, Hashable, Sendable, CaseIterable {
    /// An instant.
    case time
    /// The day of `clock`.
    case date
    /// A time of the day.
    case clock
    /// Degrees north.
    case latitude = "lat"
    /// Degrees east.
    case longitude = "lon"
    /// The letter of the hemisphere, `N` or `S`, where the latitude has none and no sign.
    case northSouth = "ns"
    /// The same for the longitude, `E` or `W`.
    case eastWest = "ew"
    /// A position as one text, such as `POINT(11.5 48.1)`.
    case position
    /// Radius in meters.
    case accuracy
    /// Dilution of precision.
    case hdop
    /// Meters per second.
    case speed
    /// Kilometers per hour.
    case speedKilometers = "speed_kmh"
    /// Miles per hour.
    case speedMiles = "speed_mph"
    /// Knots.
    case speedKnots = "speed_kn"
    /// Degrees clockwise from north.
    case course
    /// What changes where the recording was interrupted.
    case segment
  }

  /// Why a mapping cannot be understood.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String
  }

  /// The columns, by their name in the header or by their number, the first being 1.
  package let names: [Meaning: String]

  /// Reads a mapping such as `time=Zeit,lat=3,lon=4`.
  package init(parsing text: String) throws(Failure) {
    var names: [Meaning: String] = [:]
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1)
      guard sides.count == 2, let meaning = Meaning(rawValue: String(sides[0])) else {
        let known = Meaning.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(
          description: "\"\(part)\" is no MEANING=COLUMN; the meanings are \(known)"
        )
      }
      names[meaning] = String(sides[1])
    }
    guard names[.latitude] != nil && names[.longitude] != nil || names[.position] != nil else {
      throw Failure(description: "lat=COLUMN and lon=COLUMN are needed, or position=COLUMN")
    }
    guard names[.time] != nil || names[.date] != nil && names[.clock] != nil else {
      throw Failure(description: "time=COLUMN is needed, or date=COLUMN and clock=COLUMN")
    }
    self.names = names
  }
}

/// The columns of one table.
struct CSVLayout {
  /// The place of each meaning in a row, and the column's name.
  private(set) var places: [CSVColumns.Meaning: Int] = [:]
  /// The columns of no meaning here, with the names of what stands in them.
  private(set) var others: [(place: Int, name: String)] = [] {
    didSet { namesKinds = others.contains { $0.name == "kind" } }
  }
  /// Whether each row says whether it is of a track, of a route, or a waypoint.
  private(set) var namesKinds = false
  /// What latitude and longitude are multiplied with: 1, or 1e-7.
  private(set) var scale = 1.0
  /// What the columns are called; none where the first row is no header.
  private(set) var names: [String] = []
  /// Whether the name of a column of times says that they are of UTC.
  private(set) var isUTC = false
  let separator: UInt8
  /// Whether the first row is a header.
  let hasHeader: Bool
  let understanding: String
  /// Which of columns of the same name was taken, as a sentence; nil where there was no question.
  private(set) var doubt: String?

  /// Sees the columns from the first row.
  ///
  /// - Returns: nil if it names no position.
  init?(firstRow fields: [[UInt8]], separator: UInt8) {
    let names = fields.map { PlainText.decode($0) }
    let keys = names.map(CSVLayout.key)
    for (meaning, known) in CSVLayout.known {
      for name in known {
        guard places[meaning] == nil, let place = keys.firstIndex(of: name) else { continue }
        places[meaning] = place
      }
    }
    if places[.latitude] == nil || places[.longitude] == nil {
      places[.latitude] = nil
      places[.longitude] = nil
      guard places[.position] != nil else { return nil }
    } else {
      places[.position] = nil
    }
    // A time of the day stands in a column such as `time` if there is a `date`, too.
    if let date = places[.date], let time = places[.time] ?? places[.clock], time != date {
      if ["time", "timeutc", "utctime", "gpstime"].contains(keys[time]) || places[.time] == nil {
        places[.clock] = time
        places[.time] = nil
      } else {
        places[.date] = nil
        places[.clock] = nil
      }
    } else if let date = places[.date], places[.time] == nil {
      places[.time] = date
      places[.date] = nil
    }
    if let place = places[.latitude], keys[place].hasSuffix("e7") { scale = 1e-7 }
    // One alone is something else, such as a number of satellites.
    if places[.northSouth] == nil || places[.eastWest] == nil {
      places[.northSouth] = nil
      places[.eastWest] = nil
    }
    // OwnTracks counts in km/h, and its times by this name; Traccar in knots.
    let units = ["tst vel": CSVColumns.Meaning.speedKilometers, "fixtime speed": .speedKnots]
    if let time = places[.time], let speed = places[.speed],
      let unit = units["\(keys[time]) \(keys[speed])"], places[unit] == nil
    {
      places[unit] = speed
      places[.speed] = nil
    }
    self.separator = separator
    hasHeader = true
    understanding = CSVLayout.describe(places, names, scale)
    doubt = CSVLayout.doubt(Set(places.values), names)
    setOthers(names)
  }

  /// Finds the columns that a caller names.
  init(
    _ columns: CSVColumns,
    firstRow fields: [[UInt8]],
    separator: UInt8
  ) throws(CSVColumns.Failure) {
    let names = fields.map { PlainText.decode($0) }
    let keys = names.map(CSVLayout.key)
    var isNamed = false
    var byName: Set<Int> = []
    for meaning in CSVColumns.Meaning.allCases {
      guard let name = columns.names[meaning] else { continue }
      if let place = names.firstIndex(of: name) ?? keys.firstIndex(of: CSVLayout.key(name)) {
        places[meaning] = place
        byName.insert(place)
        isNamed = true
      } else if let number = Int(name), number >= 1, number <= names.count {
        places[meaning] = number - 1
      } else {
        throw CSVColumns.Failure(
          description: "there is no column \(name); there are \(names.joined(separator: ", "))"
        )
      }
    }
    let found = places
    for meaning in CSVColumns.Meaning.allCases {
      let namesakes = CSVColumns.Meaning.allCases.filter { found[$0] == found[meaning] }
      guard found[meaning] == nil || namesakes.count == 1 else {
        throw CSVColumns.Failure(
          description: "the column \(columns.names[meaning] ?? "") cannot be both "
            + namesakes.map(\.rawValue).joined(separator: " and ")
        )
      }
    }
    // A first row in which a number stands where the latitude belongs is not a header.
    let comma = UInt8(ascii: ",")
    let latitude = places[.latitude]
      .map { place in
        fields[place].map { $0 == comma && separator != comma ? UInt8(ascii: ".") : $0 }
          .withUnsafeBufferPointer(DecimalText.parse)
      }
    hasHeader = isNamed || latitude.map { $0 == nil } ?? true
    if let place = places[.latitude], hasHeader, keys[place].hasSuffix("e7") { scale = 1e-7 }
    self.separator = separator
    understanding = CSVLayout.describe(places, hasHeader ? names : [], scale)
    if hasHeader {
      doubt = CSVLayout.doubt(byName, names)
      setOthers(names)
    }
  }

  /// Whether a name begins or ends with `UTC` or `GMT`: neither `outcome` nor `GMT+02:00` says that.
  private static func saysUTC(_ name: String) -> Bool {
    let words = name.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "+" && $0 != "-" }
    return [words.first, words.last].compactMap(\.self).filter { $0.allSatisfy(\.isLetter) }
      .contains { word in
        ["utc", "gmt"].contains { word.hasPrefix($0) || word.hasSuffix($0) }
      }
  }

  private mutating func setOthers(_ names: [String]) {
    self.names = names
    isUTC = [.time, .date, .clock].compactMap { places[$0] }.contains { Self.saysUTC(names[$0]) }
    let taken = Set(places.filter { $0.key != .hdop }.values)
    var known: Set<String> = []
    others = names.indices.filter { !taken.contains($0) }
      .map { place in
        let name = PointDetails.unescaped(names[place])
        // What was escaped is no column of that name.
        if names[place] == PointDetails.escape + name { return (place, name) }
        // Of two columns that mean the same the second keeps its own name.
        return (place, known.insert(name).inserted ? name : names[place])
      }
  }

  /// Whether a column of this name would be taken for a part of a fix.
  static func isPartOfFix(_ name: String) -> Bool {
    let key = key(name)
    return known.contains { $0.1.contains(key) }
  }

  private static func describe(
    _ places: [CSVColumns.Meaning: Int],
    _ names: [String],
    _ scale: Double
  ) -> String {
    let parts = CSVColumns.Meaning.allCases.compactMap { meaning -> String? in
      guard let place = places[meaning] else { return nil }
      let name = names.isEmpty ? String(place + 1) : names[place]
      return "\(meaning.rawValue)=\(name)"
    }
    return "columns " + parts.joined(separator: ",") + (scale == 1 ? "" : ", in 1e-7 degrees")
  }

  /// Which of columns of the same name was taken, of those that were found by their names.
  private static func doubt(_ places: Set<Int>, _ names: [String]) -> String? {
    let doubts = places.sorted()
      .compactMap { place -> String? in
        let namesakes = names.indices.filter { names[$0] == names[place] }
        guard namesakes.count > 1 else { return nil }
        return "of \(namesakes.count) columns \(names[place]) column \(place + 1) is taken"
      }
    return doubts.isEmpty
      ? nil : doubts.joined(separator: ", ") + ": --columns takes another by its number"
  }

  /// A name in small letters, without blanks, signs and a mark of UTF-8.
  private static func key(_ name: String) -> String {
    String(
      name.lowercased().unicodeScalars
        .filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    )
  }

  /// The names of columns, the surest first.
  ///
  /// - Source: the exports of this project, GPSLogger, OwnTracks, Google, SensorLog, loggers with a MTK chip,
  ///   and the collections of traces that movement researchers use.
  private static let known: [(CSVColumns.Meaning, [String])] = [
    (
      .time,
      [
        "time", "timestamp", "datetime", "utc", "utctime", "timeutc", "timestamputc", "datetimeutc",
        "tst", "isotime", "gpstime", "fixtime", "devicetime", "recordedat", "startedat",
        "starttime", "timestampms", "unixtime", "tunix", "epoch", "when", "t", "zeit",
        "zeitstempel", "locationtimestampsince1970s",
      ]
    ),
    (.date, ["date", "utcdate", "dateutc", "gpsdate", "day", "datum"]),
    (.clock, ["timeofday", "clock", "uhrzeit"]),
    (
      .latitude,
      [
        "lat", "latitude", "latitudee7", "late7", "latitudens", "positionlat", "gpslat",
        "gpslatitude",
        "locationlat", "locationlatitudewgs84", "latdeg", "breitengrad", "breite", "y",
      ]
    ),
    (
      .longitude,
      [
        "lon", "lng", "long", "longitude", "longitudee7", "lone7", "lnge7", "longitudeew",
        "positionlong", "positionlon", "gpslon", "gpslongitude", "locationlng",
        "locationlongitudewgs84", "londeg",
        "längengrad", "laengengrad", "länge", "x",
      ]
    ),
    (.northSouth, ["ns", "latns", "latdir", "latref", "latituderef", "latitudedirection"]),
    (.eastWest, ["ew", "lonew", "londir", "lonref", "longituderef", "longitudedirection"]),
    (.position, ["geom", "geometry", "wkt", "point", "position", "location", "coordinates"]),
    (
      .accuracy,
      [
        "accuracym", "accuracy", "acc", "hacc", "haccuracy", "horizontalaccuracy",
        "horizontalaccuracym", "precision", "gpsaccuracy", "genauigkeit", "genauigkeitm",
        "locationhorizontalaccuracym",
      ]
    ),
    (.hdop, ["hdop"]),
    (
      .speed,
      [
        "speedmps", "speedms", "speed", "velocity", "velocityms", "velocitymps", "vel",
        "geschwindigkeitms", "locationspeedms",
      ]
    ),
    (
      .speedKilometers,
      ["speedkmh", "speedkph", "velocitykmh", "geschwindigkeitkmh", "geschwindigkeit"]
    ),
    (.speedMiles, ["speedmph"]),
    (.speedKnots, ["speedkn", "speedkt", "speedknots"]),
    (
      .course,
      [
        "coursedeg", "course", "bearing", "bearingdeg", "heading", "headingdeg", "cog", "direction",
        "azimuth", "richtung", "locationcourse",
      ]
    ),
    (.segment, ["segment", "segmentid", "trkseg", "seg"]),
  ]
}
