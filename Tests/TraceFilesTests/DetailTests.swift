import Foundation
import Geodesy
import Testing
import TestSupport
import TraceFiles
import Traces

/// What a trace says beside positions and times goes through every format and comes back.
@Suite struct DetailTests {
  /// A point as it can be compared: numbers by their value, fields in no order.
  private struct Plain: Hashable, CustomStringConvertible {
    let kind: PointKind
    let fix: Fix?
    let isTimed: Bool
    let source: AccuracySource
    var fields: [String: String]
    var group: [String: String]?
    let startsSegment: Bool

    init(_ point: DetailedPoint) {
      func plain(_ fields: [PointDetails.Field]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: fields.map { ($0.name, Self.number($0.value)) })
      }
      kind = point.kind
      fix = point.record.fix
      isTimed = point.isTimed
      source = point.record.accuracySource
      fields = plain(point.details.fields)
      group = point.details.group.map(plain)
      startsSegment = point.kind == .track && point.record.startsSegment
    }

    private static func number(_ text: String) -> String {
      if let number = Double(text), number.isFinite { return "\(number)" }
      // Lines of a text may end in several ways.
      return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    var description: String { "\(kind) \(fix.map { "\($0)" } ?? "–") \(fields) \(group ?? [:])" }
  }

  /// Points as they can be compared; the first of a kind begins a track in any case.
  private static func plain(_ points: [DetailedPoint]) -> [Plain] {
    var plain = points.map(Plain.init)
    for kind in PointKind.allCases where kind != .waypoint {
      guard let first = plain.firstIndex(where: { $0.kind == kind }) else { continue }
      plain[first].group = plain[first].group ?? [:]
    }
    return plain
  }

  static func points(_ path: String) throws -> [DetailedPoint] {
    var options = TraceOptions()
    options.keepsDetails = true
    let reader = try TraceReader(path: path, options: options)
    var points: [DetailedPoint] = []
    while case let batch = try reader.nextDetailed(Set(PointKind.allCases)), !batch.isEmpty {
      points += batch.filter { $0.record.fix != nil }
    }
    return points
  }

  /// The same points through a format: written, and read again.
  static func through(
    _ format: TraceWriter.Format,
    _ points: [DetailedPoint],
    _ folder: TemporaryFolder
  ) throws -> [DetailedPoint] {
    var columns: [String] = []
    for point in points {
      let names =
        point.details.fields.map(\.name)
        + (point.details.group ?? []).map { "track." + $0.name }
      for name in names + ["track.again"] where name != "hdop" && !columns.contains(name) {
        columns.append(name)
      }
    }
    var writer = TraceWriter(format, columns: columns, namesKinds: true)
    var text = writer.head
    for point in points { text += writer.add(point) }
    text += writer.end()
    let path = folder.path("written")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try Self.points(path)
  }

  private static let formats = TraceWriter.Format.allCases.filter { $0 != .ndjson }

  private static let document = """
    <?xml version="1.0"?>
    <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1" xmlns:g="urn:g">
    <wpt lat="1.5" lon="2.5"><ele>12.5</ele><name>Hütte &amp; "Co"</name><desc>a, b
    c</desc><link href="https://example.org/?a=1&amp;b=2"><text>more</text></link><sym>Flag</sym>
    <extensions><g:kind>3</g:kind><g:x_time>late</g:x_time><g:x_x_speed>4</g:x_x_speed></extensions></wpt>
    <rte><name>Plan</name><rtept lat="1" lon="2"><name>A</name></rtept><rtept lat="1.1" lon="2"/></rte>
    <rte><name>Plan</name><rtept lat="1.2" lon="2"/></rte>
    <trk><name>Morning</name><type>run</type><trkseg>
    <trkpt lat="1" lon="2"><ele>100.25</ele><time>2024-06-15T08:00:00Z</time><sat>7</sat>
    <hdop>1.2</hdop><extensions><g:TrackPointExtension><g:hr>121</g:hr><g:direction>E</g:direction>
    <g:type>odd</g:type></g:TrackPointExtension><hacc>7.5</hacc></extensions></trkpt>
    <trkpt lat="1.001" lon="2"><ele>n/a</ele><time>2024-06-15T08:00:05Z</time></trkpt></trkseg><trkseg>
    <trkpt lat="1.002" lon="2"><time>2024-06-15T08:10:05Z</time><extensions><speed>3.5</speed>
    </extensions></trkpt></trkseg></trk>
    <trk><name>Morning</name><type>run</type><trkseg><trkpt lat="1.2" lon="2"/></trkseg></trk>
    </gpx>
    """

  @Test func `heart rates are where sports apps look for them`() throws {
    let folder = try TemporaryFolder()
    let rows = ["121,80,21.5", "0,255,n/a", "300,,", ",,-3"]
    let text =
      "time,lat,lon,hr,cad,atemp,power\n"
      + rows.enumerated().map { "2024-06-15T08:00:0\($0)Z,1,2,\($1),7\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path("a.csv")))
    let points = try Self.points(folder.path("a.csv"))
    #expect(points.count == 4)
    let back = try Self.through(.gpx, points, folder)
    #expect(Self.plain(back) == Self.plain(points))
    let written = try String(contentsOfFile: folder.path("written"), encoding: .utf8)
    // In the order of Garmin's schema, and only what it allows.
    let garmin = written.split(separator: "\n")
      .compactMap { line in
        line.firstMatch(of: /<gpxtpx:TrackPointExtension>(.*)<\/gpxtpx:TrackPointExtension>/)?.1
      }
    #expect(
      garmin == [
        "<gpxtpx:atemp>21.5</gpxtpx:atemp><gpxtpx:hr>121</gpxtpx:hr><gpxtpx:cad>80</gpxtpx:cad>",
        "<gpxtpx:atemp>-3</gpxtpx:atemp>",
      ]
    )
    for other in ["<nm:hr>0</nm:hr>", "<nm:hr>300</nm:hr>", "<nm:cad>255</nm:cad>"] {
      #expect(written.contains(other), "\(other)")
    }
  }

  @Test func `columns whose names XML does not allow come back from GPX, each for itself`() throws {
    let text =
      "time,lat,lon,pm10_µg,pm10_€g,größe,Ș\n2024-06-15T08:00:00Z,1,2,3,4,5,6\n"
    let points = try points("a.csv", text)
    let back = try Self.through(.gpx, points, try TemporaryFolder())
    #expect(
      back.map { $0.details.fields.map { "\($0.name)=\($0.value)" } } == [
        ["pm10__g=3", "pm10__g_2=4", "größe=5", "_=6"]
      ]
    )
  }

  @Test(arguments: formats)
  func `a quote with a combining mark behind it is a quote`(_ format: TraceWriter.Format) throws {
    let text = "time,lat,lon,note\n2024-06-15T08:00:00Z,1,2,\"a \"\"\u{301}, b\"\n"
    let points = try points("a.csv", text)
    #expect(points.map { $0.details["note"] } == ["a \"\u{301}, b"])
    let back = try Self.through(format, points, try TemporaryFolder())
    #expect(back.map { $0.details["note"] } == ["a \"\u{301}, b"])
  }

  @Test(arguments: formats)
  func `truths, lists and long numbers of JSON come back`(_ format: TraceWriter.Format) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.geojson")
    let properties =
      #""time":"2024-06-15T08:00:00Z","speed":false,"accuracy":false,"flag":true,"off":false,"tags":["a","b, c"],"bare":[1,2.5],"none":[]"#
    let text =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"properties":{"#
      + properties + #","id":9007199254740993,"count":12345678901234567890}}"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let points = try Self.points(path)
    let details = try #require(points.first?.details)
    #expect(details["flag"] == "true" && details["off"] == "false" && details["none"] == nil)
    #expect(details["tags"] == #"["a","b, c"]"# && details["bare"] == "[1,2.5]")
    #expect(details["id"] == "9007199254740993" && details["count"] == "12345678901234567890")
    let back = try Self.through(format, points, folder)
    #expect(
      back.map { $0.details.fields.sorted { $0.name < $1.name } } == [
        details.fields.sorted { $0.name < $1.name }
      ]
    )
  }

  private func points(_ name: String, _ text: String) throws -> [DetailedPoint] {
    try points(name, Array(text.utf8))
  }

  private func points(_ name: String, _ bytes: [UInt8]) throws -> [DetailedPoint] {
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
    return try Self.points(folder.path(name))
  }

  @Test func `a position inside of another object keeps what stands beside it, once`() throws {
    let coords =
      #""latitude":1.5,"longitude":-2.5,"altitude":12,"altitudeAccuracy":4,"accuracy":8,"heading":90,"speed":3"#
    let text = #"{"coords":{\#(coords)},"timestamp":1718447400000,"mocked":false}"#
    let details = try #require(try points("a.json", text).first?.details)
    #expect(
      details.fields.map { "\($0.name)=\($0.value)" }
        == ["ele=12", "coords.altitudeAccuracy=4", "mocked=false"]
    )
    // Where both have it, the outer one is the fix's, and the inner one is kept.
    let both = #"{"coords":{\#(coords)},"timestamp":1718447400000,"accuracy":5}"#
    let point = try #require(try points("b.json", both).first)
    #expect(point.record.fix?.horizontalAccuracyMeters == 5)
    #expect(point.details["coords.accuracy"] == "8" && point.details["coords.speed"] == nil)
  }

  @Test(arguments: formats)
  func `a waypoint in the middle of a track does not cut it`(_ format: TraceWriter.Format) throws {
    let found = try points(
      "a.csv",
      "time,lat,lon,kind,name\n2024-06-15T08:00:00Z,1,2,track,\n2024-06-15T08:00:01Z,1.1,2,waypoint,Mill\n"
        + "2024-06-15T08:00:02Z,1.2,2,track,\n"
    )
    #expect(found.map(\.kind) == [.waypoint, .track, .track])
    let back = try Self.through(format, [found[1], found[0], found[2]], try TemporaryFolder())
    let track = back.filter { $0.kind == .track }
    #expect(track.map { $0.record.fix?.coordinate.latitude } == [1, 1.2])
    #expect(track.map(\.record.startsSegment) == [true, false])
    #expect(track.map { $0.details.group == nil } == [false, true])
    #expect(back.filter { $0.kind == .waypoint }.map { $0.details["name"] } == ["Mill"])
  }

  @Test(arguments: [TraceWriter.Format.gpx, .kml])
  func `waypoints that would fill the memory cut the track they stand in`(
    _ format: TraceWriter.Format
  ) throws {
    let long = String(repeating: "n", count: TraceWriter.mostAside * 2 / 3)
    let found = try points(
      "a.csv",
      "time,lat,lon,kind,desc\n2024-06-15T08:00:00Z,1,2,track,\n2024-06-15T08:00:01Z,1,2,waypoint,\(long)\n"
        + "2024-06-15T08:00:02Z,1,2,track,\n"
    )
    let waypoint = try #require(found.first { $0.kind == .waypoint })
    let ofTrack = found.filter { $0.kind == .track }
    let (first, second) = (try #require(ofTrack.first), try #require(ofTrack.last))
    for (waypoints, isCut) in [(1, false), (2, true)] {
      let between = Array(repeating: waypoint, count: waypoints)
      let back = try Self.through(format, [first] + between + [second], try TemporaryFolder())
      #expect(back.count { $0.kind == .waypoint } == waypoints)
      let track = back.filter { $0.kind == .track }
      #expect(track.map(\.record.startsSegment) == [true, isCut])
    }
  }

  @Test(arguments: formats)
  func `what Google says of places and ways comes back`(_ format: TraceWriter.Format) throws {
    let span = #""startTime":"2024-06-15T10:30:00Z","endTime":"2024-06-15T10:40:00Z""#
    let place =
      #""latitudeE7":15000000,"longitudeE7":-25000000,"placeId":"x1","name":"Mill","address":"1 Mill Road""#
    let cases = [
      (
        #"{"timelineObjects":[{"placeVisit":{"location":{\#(place)},"placeConfidence":"HIGH","#
          + #""duration":{"startTimestamp":"2024-06-15T10:30:00Z","endTimestamp":"2024-06-15T10:40:00Z"}}}]}"#,
        ["placeId": "x1", "name": "Mill", "address": "1 Mill Road", "placeConfidence": "HIGH"]
      ),
      (
        #"{"semanticSegments":[{\#(span),"visit":{"hierarchyLevel":0,"topCandidate":{"placeId":"x1","#
          + #""semanticType":"HOME","placeLocation":{"latLng":"1.5°, -2.5°"}}}}]}"#,
        ["placeId": "x1", "semanticType": "HOME", "hierarchyLevel": "0"]
      ),
      (
        #"[{\#(span),"visit":{"topCandidate":{"placeID":"x1","placeLocation":"geo:1.5,-2.5"}}}]"#,
        ["placeID": "x1"]
      ),
      (
        #"{"semanticSegments":[{\#(span),"activity":{"start":{"latLng":"1.5°, -2.5°"},"#
          + #""end":{"latLng":"1.6°, -2.5°"},"topCandidate":{"type":"WALKING"}}}]}"#,
        ["type": "WALKING"]
      ),
    ]
    for (text, wanted) in cases {
      let points = try points("a.json", text)
      #expect(points.count == 2, "\(text)")
      for point in points {
        let fields = point.details.fields.map { ($0.name, $0.value) }
        #expect(Dictionary(uniqueKeysWithValues: fields) == wanted, "\(text)")
      }
      let back = try Self.through(format, points, try TemporaryFolder())
      #expect(Self.plain(back) == Self.plain(points), "\(text)")
    }
  }

  @Test(arguments: [
    ("POINT Z (-2.5 1.5 520)", "520"), ("POINTZ(-2.5 1.5 520)", "520"),
    ("POINT ZM (-2.5 1.5 520 7)", "520"), ("SRID=4326;POINT(-2.5 1.5 520)", "520"),
    ("geo:1.5,-2.5,520", "520"), ("POINT M (-2.5 1.5 7)", nil), ("POINT (-2.5 1.5)", nil),
  ])
  func `a position as text keeps its elevation, in tables and in JSON`(
    position: String,
    elevation: String?
  ) throws {
    let table = "time,wkt\n2024-06-15T08:00:00Z,\"\(position)\"\n"
    let object = #"[{"time":"2024-06-15T08:00:00Z","wkt":"\#(position)"}]"#
    for text in [table, object] {
      let points = try points("a", text)
      #expect(points.map { $0.record.fix?.coordinate.latitude } == [1.5], "\(text)")
      #expect(points.map { $0.record.fix?.coordinate.longitude } == [-2.5], "\(text)")
      #expect(points.flatMap { $0.details.fields.map(\.value) } == [elevation].compactMap(\.self))
      #expect(points.map { $0.details["ele"] } == [elevation])
    }
    // One of its own comes first.
    let own = [
      "time,wkt,ele\n2024-06-15T08:00:00Z,\"\(position)\",300\n",
      #"[{"time":"2024-06-15T08:00:00Z","wkt":"\#(position)","ele":300}]"#,
    ]
    for text in own {
      #expect(try points("a", text).map { $0.details["ele"] } == ["300"], "\(text)")
    }
  }

  @Test func `columns and members are known with their units, and of two alike none is lost`()
    throws
  {
    let table =
      "time,lat,lon,alt,Elevation (m),Heart Rate (bpm)\n2024-06-15T08:00:00Z,1,2,5,6,120\n"
    let object =
      #"[{"time":"2024-06-15T08:00:00Z","lat":1,"lon":2,"alt":5,"Elevation (m)":6,"Heart Rate (bpm)":120}]"#
    for text in [table, object] {
      let fields = try points("a", text)
        .flatMap { $0.details.fields.map { "\($0.name)=\($0.value)" } }
      #expect(fields == ["ele=5", "Elevation (m)=6", "hr=120"], "\(text)")
    }
  }

  @Test func `waypoints of NMEA keep their names`() throws {
    let text =
      "$GPRMC,103000,A,0130.0000,N,00230.0000,W,,,150624,,\n"
      + "$GPWPL,0130.0000,N,00230.0000,W,HÜTTE\n$GPWPL,0130.0000,N,00230.0000,W,\n"
    let waypoints = try points("a.nmea", text).filter { $0.kind == .waypoint }
    #expect(waypoints.map { $0.details["name"] } == ["HÜTTE", nil])
  }

  @Test func `TCX has a track for each activity, with its sport, and courses with their points`()
    throws
  {
    func position(_ latitude: Double) -> String {
      "<Position><LatitudeDegrees>\(latitude)</LatitudeDegrees>"
        + "<LongitudeDegrees>-2.5</LongitudeDegrees></Position>"
    }
    func activity(_ sport: String, _ hour: Int) -> String {
      "<Activity Sport=\"\(sport)\"><Id>x</Id><Lap><Track>"
        + "<Trackpoint><Time>2024-06-15T\(hour):29:59Z</Time></Trackpoint>"
        + "<Trackpoint><Time>2024-06-15T\(hour):30:00Z</Time>\(position(1.5))</Trackpoint></Track>"
        + "</Lap><Creator><Name>Watch</Name></Creator></Activity>"
    }
    let notes = String(repeating: "left at the mill, ", count: 40)
    let text =
      "<TrainingCenterDatabase><Activities>\(activity("Running", 10))\(activity("Biking", 12))"
      + "</Activities><Courses><Course><Name>Round the lake</Name><Track><Trackpoint>\(position(1))"
      + "</Trackpoint></Track><CoursePoint><Name>Mill</Name><Time>2024-06-15T10:30:00Z</Time>"
      + position(2) + "<AltitudeMeters>9</AltitudeMeters><PointType>Left</PointType><Notes>\(notes)"
      + "</Notes></CoursePoint></Course></Courses></TrainingCenterDatabase>"
    let found = try points("a.tcx", text)
    #expect(
      found.filter { $0.kind == .track }.map { $0.details.group?["type"] } == ["Running", "Biking"]
    )
    let route = try #require(found.first { $0.kind == .route })
    #expect(route.details.group?["name"] == "Round the lake" && !route.isTimed)
    let waypoints = found.filter { $0.kind == .waypoint }
    #expect(waypoints.map { $0.details["name"] } == ["Mill"])
    #expect(waypoints.map { $0.details["ele"] } == ["9"] && waypoints[0].isTimed)
    #expect(waypoints.map { $0.details["type"] } == ["Left"])
    #expect(waypoints[0].details["desc"] == notes.dropLast(1) + "")
  }

  @Test func `a line of KML with a span stays a line, wherever the span stands`() throws {
    let span =
      "<TimeSpan><begin>2024-06-15T10:30:00Z</begin><end>2024-06-15T10:40:00Z</end></TimeSpan>"
    let line =
      "<LineString><coordinates>2,1 2,1.1,5 2,1.2 2,1.3</coordinates></LineString>"
    for parts in [span + line, line + span] {
      let text =
        "<kml><Document><Placemark><name>Walking</name>\(parts)</Placemark></Document></kml>"
      let found = try points("a.kml", text)
      #expect(found.map(\.kind) == Array(repeating: .track, count: 4))
      #expect(found.map { $0.record.fix?.coordinate.latitude } == [1, 1.1, 1.2, 1.3])
      #expect(found.map(\.isTimed) == [true, false, false, true])
      #expect(found.map { $0.details.group?["name"] } == ["Walking", nil, nil, nil])
      #expect(found[1].details["ele"] == "5")
    }
  }

  @Test func `what is said of a track is not lost with a first point that is none`() throws {
    let points = try points(
      "a.gpx",
      "<gpx><trk><name>Day</name><trkseg><trkpt lat='91' lon='2'/><trkpt lat='1' lon='2'/>"
        + "</trkseg></trk></gpx>"
    )
    #expect(points.map { $0.details.group?["name"] } == ["Day"])
    let rows =
      "time,lat,lon,track.name\n2024-06-15T10:30:00Z,91,2,Day\n2024-06-15T10:30:01Z,1,2,Day\n"
    #expect(try self.points("a.csv", rows).map { $0.details.group?["name"] } == ["Day"])
  }

  @Test(arguments: formats)
  func `elevations, names, pulse, satellites, routes and waypoints come back`(
    _ format: TraceWriter.Format
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.gpx")
    try Data(Self.document.utf8).write(to: URL(fileURLWithPath: path))
    let points = try Self.points(path)
    #expect(
      points.map(\.kind) == [.waypoint] + Array(repeating: .route, count: 3)
        + Array(repeating: .track, count: 4)
    )
    let first = try #require(points.first { $0.kind == .track })
    #expect(first.details["hr"] == "121" && first.details["sat"] == "7")
    #expect(first.details["direction"] == "E" && first.details["ext_type"] == "odd")
    #expect(first.details.group?["name"] == "Morning")
    #expect(first.record.fix?.horizontalAccuracyMeters == 7.5 && first.details["hdop"] == "1.2")
    #expect(points.first?.details["link"] == "https://example.org/?a=1&b=2")
    #expect(points.count { $0.details.group != nil } == 4)
    let back = try Self.through(format, points, folder)
    #expect(Self.plain(back) == Self.plain(points))
  }

  @Test(arguments: formats)
  func `a track that is longer than a part of KML comes back in one piece`(
    _ format: TraceWriter.Format
  ) throws {
    let folder = try TemporaryFolder()
    var text = "time,lat,lon,ele,heart rate,segment\n"
    for second in 0..<10_000 {
      let hour = 10 + second / 3_600
      let clock = String(format: "%02d:%02d:%02d", hour, second / 60 % 60, second % 60)
      let pulse = second % 3 == 0 ? "" : "\(100 + second % 7)"
      text +=
        "2024-06-15T\(clock)Z,1,\(Double(second) / 10_000),\(second),\(pulse),\(second / 9_000)\n"
    }
    let path = folder.path("long.csv")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let points = try Self.points(path)
    #expect(points.count == 10_000 && points[1].details["hr"] == "101")
    let back = try Self.through(format, points, folder)
    #expect(Self.plain(back) == Self.plain(points))
    #expect(back.count { $0.record.startsSegment } == 2)
  }

  @Test(
    .enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)),
    arguments: formats
  )
  func `everything that other people's files say comes back`(
    _ format: TraceWriter.Format
  ) throws {
    let shared = try #require(SharedData.folder)
    let folder = try TemporaryFolder()
    var files = 0
    var detailed = 0
    for name in ["gpx-odd", "traces-real"] {
      let root = shared.appendingPathComponent(name)
      let names = try #require(FileManager.default.enumerator(atPath: root.path))
        .compactMap { $0 as? String }.sorted()
      for name in names where !name.hasSuffix(".md") && !name.hasSuffix(".tsv") {
        let path = root.appendingPathComponent(name).path
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        guard size < 1_000_000, let points = try? Self.points(path), !points.isEmpty else {
          continue
        }
        // GPX has the kinds in its own order, so the others are given that, too.
        let ordered = [PointKind.waypoint, .route, .track]
          .flatMap { kind in points.filter { $0.kind == kind } }
        let back = Self.plain(try Self.through(format, ordered, folder))
        var wanted = Self.plain(ordered)
        // An element's name has no blanks.
        for i in wanted.indices where format == .gpx {
          wanted[i].fields = Dictionary(
            uniqueKeysWithValues: wanted[i].fields
              .map { ($0.replacingOccurrences(of: " ", with: "_"), $1) }
          )
        }
        let wrong = zip(back, wanted).first { $0 != $1 }
        #expect(
          back.count == wanted.count && wrong == nil,
          "\(name): \(back.count) of \(wanted.count); \(String(describing: wrong))"
        )
        files += 1
        detailed += wanted.contains { !$0.fields.isEmpty } ? 1 : 0
      }
    }
    #expect(files > 150 && detailed > 80, "\(files) files, \(detailed) with details")
  }

  @Test(arguments: [3, 100])
  func `values for each point that stand beside the times of a line are kept`(count: Int) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("a.geojson")
    func list(_ value: (Int) -> String) -> String {
      "[" + (0..<count).map(value).joined(separator: ",") + "]"
    }
    let times = list { "\"2024-06-15T08:\(10 + $0 / 60):\(10 + $0 % 50)Z\"" }
    let text =
      "{\"type\":\"Feature\",\"properties\":{\"name\":\"x\",\"coordTimes\":\(times),\"heartRates\":"
      + list { "\(100 + $0)" } + "},\"geometry\":{\"type\":\"LineString\",\"coordinates\":"
      + list { "[14.5,\(38 + Double($0) / 1_000)]" } + "}}"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    let points = try Self.points(path)
    #expect(points.count == count)
    let rates = points.map { $0.details.fields.first { $0.name == "hr" }?.value }
    #expect(rates.first == "100")
    #expect(rates.last == "\(99 + count)")
  }

  @Test(arguments: [
    ("iso-8859-2", UInt8(0xE6), "\u{107}"), ("Windows-1251", 0xE6, "\u{436}"),
    ("KOI8-R", 0xE6, "\u{424}"), ("iso-8859-15", 0xA4, "€"), ("windows-1252", 0x80, "€"),
  ])
  func `letters of single-byte encodings are read`(
    encoding: String,
    byte: UInt8,
    letter: String
  ) throws {
    let declaration = "<?xml version=\"1.0\" encoding=\"\(encoding)\"?>"
    let text = gpx(trkpt(1, inside: "<name>a%b</name>"), declaration: declaration)
    let bytes = text.utf8.map { $0 == UInt8(ascii: "%") ? byte : $0 }
    #expect(try points("a.gpx", bytes).map { $0.details["name"] } == ["a\(letter)b"])
  }

  @Test func `values of a line in parts come in parts`() throws {
    let text = #"""
      {"type":"Feature","properties":{"coordTimes":[["2024-06-15T08:00:00Z"],
      ["2024-06-15T08:00:01Z","2024-06-15T08:00:02Z"]],
      "coordinateProperties":{"heartRates":[[100],[101,102]]}},
      "geometry":{"type":"MultiLineString","coordinates":[[[14.5,38]],[[14.5,38.1],[14.5,38.2]]]}}
      """#
    let points = try points("a.geojson", text)
    #expect(points.map { $0.details["hr"] } == ["100", "101", "102"])
  }

  @Test func `an accuracy in words costs no point`() throws {
    let text = #"[{"time":"2024-06-15T08:00:00Z","lat":38.5,"lon":14.5,"accuracy":"high"}]"#
    let points = try points("a.json", text)
    #expect(points.map { $0.details["accuracy"] } == ["high"])
  }

  @Test func `long names of values are kept whole in KML`() throws {
    let name = String(repeating: "n", count: 100)
    let text = """
      <kml xmlns="http://www.opengis.net/kml/2.2"><Placemark>
      <TimeStamp><when>2024-06-15T08:00:00Z</when></TimeStamp>
      <ExtendedData><Data name="\(name)"><value>7</value></Data></ExtendedData>
      <Point><coordinates>14.5,38.5</coordinates></Point></Placemark></kml>
      """
    #expect(try points("a.kml", text).map { $0.details[name] } == ["7"])
  }

  @Test func `places of FIT have names and elevations, and no value of a signed type is none`()
    throws
  {
    func little(_ value: UInt32) -> [UInt8] {
      (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    // 2³¹ are 180°.
    let position = little(1 << 29) + little(1 << 28)
    let time = little(1_000_000_000)
    // A field is its number, its bytes and its type.
    let place: [UInt8] =
      [0x40, 0, 0, 29, 0, 5, 0, 6, 0x07, 1, 4, 0x85, 2, 4, 0x85, 4, 2, 0x84, 253, 4, 0x86]
      + [0] + Array("Home\0\0".utf8) + position + [0x1C, 0x0C] + time
    let fix: [UInt8] =
      [0x41, 0, 0, 20, 0, 4, 0, 4, 0x85, 1, 4, 0x85, 13, 1, 0x01, 253, 4, 0x86]
      + [1] + position + [0x7F] + time
    let size = little(UInt32(place.count + fix.count))
    let bytes = [14, 0x10, 0, 0] + size + Array(".FIT".utf8) + [0, 0] + place + fix + [0, 0]
    let points = try points("a.fit", bytes)
    #expect(points.map(\.record.fix?.coordinate.latitude) == [45, 45])
    // 0x0C1C is 3,100: 620 m, less 500 m.
    #expect(points.compactMap { $0.details["name"] } == ["Home"])
    #expect(points.compactMap { $0.details["ele"] } == ["120"])
    #expect(points.compactMap { $0.details["atemp"] } == [])
  }
}
