import Traces

/// The formats of traces that can be read.
package enum TraceFormat: String, Hashable, Sendable, CaseIterable {
  /// GPX 1.0 and 1.1.
  case gpx
  /// Tables with a header.
  case csv
  /// GeoJSON: points with a time, lines with times; collections or one after the other.
  case geojson
  /// The exports of Google's location history, of every generation.
  case google
  /// The logs of OwnTracks' recorder, and its messages, alone or with a topic in front.
  case ownTracks = "owntracks"
  /// The batches that Overland sends.
  case overland
  /// Lists of objects with a position and a time.
  case json
  /// NMEA 0183, what receivers say.
  case nmea
  /// KML; KMZ is KML in a zip archive.
  case kml
  /// Garmin's Training Center XML.
  case tcx
  /// Flight logs.
  case igc
  /// OziExplorer's tracks, and those of GeoLife.
  case plt
  /// The binary files of sports watches.
  case fit

  /// The words for messages.
  package var name: String {
    switch self {
    case .gpx: "GPX"
    case .csv: "CSV"
    case .geojson: "GeoJSON"
    case .google: "Google location history"
    case .ownTracks: "OwnTracks"
    case .overland: "Overland"
    case .json: "JSON"
    case .nmea: "NMEA 0183"
    case .kml: "KML"
    case .tcx: "TCX"
    case .igc: "IGC"
    case .plt: "PLT"
    case .fit: "FIT"
    }
  }

  // MARK: - Reading

  func makeParser(_ options: TraceOptions) throws(OutOfMemory) -> any TraceParser {
    switch self {
    case .gpx: try GPXParser(options: options)
    case .csv: CSVParser(options)
    case .geojson, .google, .overland, .json: JSONParser(options)
    case .ownTracks: LineParser(RECHandler(options), options)
    case .nmea: LineParser(NMEAHandler(options), options)
    case .kml: try XMLTraceParser(KMLDocument(options))
    case .tcx: try XMLTraceParser(TCXDocument(options))
    case .igc: LineParser(IGCHandler(options), options)
    case .plt: LineParser(PLTHandler(), options)
    case .fit: FITParser(options)
    }
  }

  /// The kind of points to deliver of what a parser has counted; nil while it is not certain.
  func kind(_ parser: any TraceParser, isAtEnd: Bool) -> PointKind? {
    // A line of KML is a drawing; placemarks with times tell where a person was. A route with times is one that we
    // wrote, and goes before waypoints as in GPX.
    let order: [PointKind] = self == .kml ? [.track, .waypoint, .route] : PointKind.allCases
    if let first = order.first, parser.pointCounts[first.rawValue] > 0 { return first }
    guard isAtEnd else { return nil }
    if self == .kml,
      let timed = PointKind.allCases.first(where: { parser.timedCounts[$0.rawValue] > 0 })
    {
      return timed
    }
    return order.first { parser.pointCounts[$0.rawValue] > 0 }
  }

  /// Whether its times are times of a day, which is nowhere said where it is not known.
  var hasTimesOfDay: Bool { self == .nmea || self == .igc }

  /// What to do about a file without times.
  var adviceWithoutTimes: String {
    switch self {
    case .nmea, .igc:
      "say of which day its first fix is: "
        + "nearme trace convert FILE --assume-date 2024-06-15 -o DATED.gpx"
    default:
      "a replay needs times: export the recorded track, not a planned route, or say how fast it was: "
        + "nearme trace convert FILE --assume-speed 13.9 --assume-start 2024-06-15T08:00:00Z -o TIMED.gpx"
    }
  }
}
