import Foundation
import Geodesy
import Testing
import Timeline
import Traces

import TraceFiles

/// What each format other than GPX means, on small files.
@Suite struct FormatTests {
  private let noon = Timestamp(seconds: 1_718_447_400)

  private func fix(
    _ milliseconds: Int64,
    _ latitude: Double,
    _ longitude: Double,
    _ accuracy: Double = 20,
    speed: Double? = nil,
    course: Double? = nil
  ) -> Fix {
    Fix(
      at: Timestamp(milliseconds: noon.milliseconds + milliseconds),
      coordinate: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
      horizontalAccuracyMeters: accuracy,
      speedMetersPerSecond: speed,
      courseDegrees: course
    )
  }

  // MARK: CSV

  @Test(arguments: [
    "time,lat,lon,accuracy,speed,course\n2024-06-15T10:30:00Z,1.5,-2.5,8,3,90\n",
    "\u{FEFF}course;speed;accuracy;time;lat;lon\n90;3,0;8;2024-06-15T10:30:00Z;1,5;-2,5\n",
    "\"id\",\"Latitude\",\"Longitude\",\"timestamp\",\"hAcc\",\"velocity\",\"heading\"\r\n"
      + "\"a \"\"b\"\", c\",\"1.5\",\"-2.5\",\"1718447400\",\"8\",\"3\",\"90\"\r\n",
    "timestampMs\tlatitudeE7\tlongitudeE7\taccuracy_m\tspeed_kmh\tbearing\n"
      + "1718447400000\t15000000\t-25000000\t8\t10.8\t90",
    "DATE,TIME,LATITUDE N/S,LONGITUDE E/W,accuracy,speed,course\n"
      + "2024/06/15,10:30:00,1.5N,2.5W,8,3,90\n",
    "Date (UTC)\tTime (UTC)\tLatitude\tLongitude\taccuracy\tspeed\tcourse\n"
      + "15-Jun-2024\t10:30:00\t1.5\t-2.5\t8\t3\t90\n",
    "time;lat;lon;accuracy;speed;course\n15.06.2024 10:30;1.5;-2.5;8;3;90\n",
    "time;lat;lon;accuracy;speed;course\n15 June 2024 10:30:00;1.5;-2.5;8;3;90\n",
    "X|Y|t|acc|speed (m/s)|cog\r-2.5|1.5|2024-06-15 12:30:00+02|8|3|90\r",
    "time,lat,lon,accuracy,speed,course\n2024-06-15T10:30:00Z,\"1,5\",\"-2,5\",8,\"3,0\",90\n",
    "time,GPSLatitude,GPSLongitude,accuracy,speed,course\n2024-06-15T10:30:00Z,1.5,-2.5,8,3,90\n",
    "GPS Date,GPS Time,Latitude,Longitude,accuracy(m),speed(m/s),bearing(deg)\n"
      + "2024-06-15,10:30:00,1.5,-2.5,8,3,90\n",
    "Datum;Uhrzeit;Breite;Länge;Genauigkeit (m);Geschwindigkeit (km/h);Richtung (°)\n"
      + "15.06.2024;10:30:00;1,5;-2,5;8;10,8;90\n",
    "Zeit;Breite;Länge;Genauigkeit;Geschwindigkeit [m/s];Richtung\n"
      + "15.06.2024 10:30:00;1,5;-2,5;8;3,0;90\n",
    "loggingTime(txt),locationTimestamp_since1970(s),locationLatitude(WGS84),locationLongitude(WGS84),"
      + "locationSpeed(m/s),locationCourse(°),locationHorizontalAccuracy(m)\n"
      + "2024-06-15T12:30:00.250+02:00,1718447400.000000,1.5,-2.5,3,90,8\n",
    "geom,started_at,precision,speed_mps,direction\n"
      + "POINT (-2.5 1.5),2024-06-15 12:30:00 +0200,8,3,90\n",
  ])
  func `the columns of a table are found`(text: String) throws {
    let reading = try Reading(text)
    #expect(reading.fixes == [fix(0, 1.5, -2.5, 8, speed: 3, course: 90)], "\(text)")
    #expect(reading.report?.format == .csv)
    #expect(reading.report?.understanding?.contains("columns ") == true)
  }

  /// As spreadsheets write them.
  @Test(arguments: ["15.6.2024", "15.06.2024", "2024-6-15", "2024/06/15", "15-Jun-2024"])
  func `hours, days and months may lack their zero`(date: String) throws {
    for row in [
      "time;lat;lon\n\(date) 9:05:10;1,5;-2,5\n", "date;time;lat;lon\n\(date);9:05:10;1,5;-2,5\n",
    ] {
      let reading = try Reading(row)
      #expect(reading.fixes.map { RFC3339.format($0.at) } == ["2024-06-15T09:05:10Z"], "\(row)")
    }
    let minutes = try Reading("time;lat;lon\n\(date) 9:05;1,5;-2,5\n")
    #expect(minutes.fixes.map { RFC3339.format($0.at) } == ["2024-06-15T09:05:00Z"])
    for wrong in ["\(date) 9", "\(date) 9:5", "\(date) 13:05 PM", "\(date) 109:05"] {
      #expect(try Reading("time;lat;lon\n\(wrong);1,5;-2,5\n").fixes.isEmpty, "\(wrong)")
    }
  }

  @Test func `columns are taken by name or number, with a header or without`() throws {
    let byName = TraceOptions(columns: try CSVColumns(parsing: "time=wann,lat=b,lon=l"))
    #expect(
      try Reading("l,b,wann\n-2.5,1.5,1718447400\n", options: byName).fixes == [fix(0, 1.5, -2.5)]
    )
    let byNumber = TraceOptions(columns: try CSVColumns(parsing: "time=3,lat=2,lon=1"))
    let rows = "-2.5,1.5,1718447400\n-2.5,1.6,1718447401\n"
    for text in [rows, "a,b,c\n" + rows] {
      #expect(
        try Reading(text, options: byNumber).fixes == [fix(0, 1.5, -2.5), fix(1_000, 1.6, -2.5)]
      )
    }
    let error = try #require(try Reading("a,b\n1,2\n", options: byName).error)
    #expect(error.code == .unfitOptions)
    #expect(error.description.contains("there is no column wann; there are a, b"))
    for wrong in ["", "lat=1,lon=2", "time=1", "time", "time=1,lat=2,lon=3,foo=4"] {
      #expect(throws: CSVColumns.Failure.self) { try CSVColumns(parsing: wrong) }
    }
  }

  @Test func `a row that is no fix says why, and where`() throws {
    let text = """
      time,lat,lon,segment
      2024-06-15T10:30:00Z,1,2,1
      ,1,2,1

      soon,1,2,1
      2024-06-15T10:30:01Z,91,2,1
      2024-06-15T10:30:02Z,1;5,2,1
      2024-06-15T10:30:03Z
      2024-06-15T10:30:04Z,1,2,2
      """
    let reading = try Reading(text)
    #expect(reading.fixes.count == 2)
    #expect(reading.refusals == ["no_time:1", "bad_time:1", "bad_coordinate:2", "bad_number:1"])
    #expect(reading.records.map(\.line) == [2, 3, 5, 6, 7, 8, 9])
    #expect(
      reading.records.map(\.startsSegment) == [true, false, false, false, false, false, true]
    )
    #expect(try Reading("time,lat,lon\n1,2,3\n\"1").error?.line == 3)
  }

  // MARK: JSON

  @Test(arguments: [
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[-2.5,1.5]},"properties":{"time":"2024-06-15T10:30:00Z"}}"#,
    #"{"type":"LineString","coordinates":[[-2.5,1.5,9]],"coordTimes":["2024-06-15T10:30:00Z"]}"#,
    #"{"features":[{"geometry":{"coordinates":[[[-2.5,1.5]]],"type":"MultiLineString"},"properties":{"coordinateProperties":{"times":[[1718447400]]}},"type":"Feature"}],"type":"FeatureCollection"}"#,
    #"{"locations":[{"latitudeE7":15000000,"longitudeE7":4269967296,"timestampMs":"1718447400000"}]}"#,
    #"[{"lat":"1.5","lng":-2.5,"tst":1718447400}]"#,
    #"{"coords":{"latitude":1.5,"longitude":-2.5},"timestamp":1718447400000}"#,
    "\u{1E}{\"lat\":1.5,\"lon\":-2.5,\"time\":\"2024-06-15T10:30:00Z\"}\n",
    #"[{"point":"POINT(-2.5 1.5)","time":"2024-06-15 12:30:00+0200","id":"\\x1"}]"#,
    #"[{"startTime":"2024-06-15T10:00:00Z","endTime":"x","timelinePath":[{"point":"geo:1.5,-2.5","durationMinutesOffsetFromStartTime":"30"}]}]"#,
    #"{"semanticSegments":[{"startTime":"2024-06-15T10:30:00Z","activity":{"start":{"latLng":"1.5\u00b0, -2.5°"}}}]}"#,
    #"{"rawSignals":[{"wifiScan":{}},{"position":{"LatLng":"1.5°, -2.5°","timestamp":"2024-06-15T10:30:00.000Z"}}]}"#,
    #"{"timelineObjects":[{"activitySegment":{"duration":{"startTimestampMs":"1718447400000"},"waypointPath":{"waypoints":[{"latE7":15000000,"lngE7":-25000000}]}}}]}"#,
    #"{"timelineEdits":[{"rawSignal":{"signal":{"position":{"point":{"latE7":15000000,"lngE7":-25000000},"timestamp":"2024-06-15T10:30:00Z"}}}}]}"#,
  ])
  func `a position in JSON is found in whatever shape`(text: String) throws {
    let reading = try Reading(text)
    #expect(reading.fixes == [fix(0, 1.5, -2.5)], "\(text) \(String(describing: reading.error))")
    // The same, a byte at a time as far as the reader can see.
    let units = text.utf16.flatMap { unit -> [UInt8] in [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
    let utf16: [UInt8] = [0xFF, 0xFE] + units
    #expect(try Reading(bytes: utf16).fixes == reading.fixes)
  }

  @Test(arguments: [
    #"{"coords":{"latitude":1.5,"longitude":-2.5,"accuracy":8,"speed":3,"heading":90},"timestamp":1718447400000}"#,
    #"{"position":{"lat":1.5,"lng":-2.5,"accuracy":8,"speed_kmh":10.8,"bearing":90},"time":1718447400}"#,
    #"{"location":{"lat":1.5,"lon":-2.5,"acc":99,"speed":3,"time":1718447400},"acc":8,"heading":90}"#,
  ])
  func `accuracy, speed and course stand beside a position that is nested`(text: String) throws {
    let wanted = [fix(0, 1.5, -2.5, 8, speed: 3, course: 90)]
    #expect(try Reading(text).fixes == wanted, "\(text)")
    var feed = FixLineReader()
    let items = Array((text + "\n").utf8).withUnsafeBytes { feed.read($0) }
    #expect(items.compactMap(\.point?.fix) == wanted, "\(text)")
  }

  @Test func `numbers of Python that are none cost no point, and no file`() throws {
    let text =
      #"[{"time":"2024-06-15T10:30:00Z","lat":1.5,"lon":-2.5,"speed":NaN,"accuracy":Infinity},"#
      + #"{"time":"2024-06-15T10:30:01Z","lat":NaN,"lon":-2.5,"speed":-Infinity}]"#
    let reading = try Reading(text)
    #expect(reading.error == nil)
    #expect(reading.fixes == [fix(0, 1.5, -2.5)])
  }

  @Test func `a zone's name behind an offset says no more`() throws {
    for (time, seconds) in [
      ("2024-06-15T12:30:00+02:00[Europe/Berlin]", 0),
      ("2024-06-15T07:30:00.000000000-03:00[America/Argentina/Buenos_Aires]", 0),
      ("2024-06-15T10:30:01Z[UTC]", 1),
    ] {
      let fixes = try Reading("time,lat,lon\n\(time),1.5,-2.5\n").fixes
      #expect(fixes == [fix(Int64(seconds) * 1_000, 1.5, -2.5)], "\(time)")
    }
    let bare = try Reading("time,lat,lon\n2024-06-15T12:30:00[Europe/Berlin],1.5,-2.5\n")
    #expect(bare.refusals == ["bad_time:1"])
  }

  @Test func `segments of JSON may have names`() throws {
    let objects = ["\"a\"", "\"a\"", "\"b\"", "7", "7.0"].enumerated()
      .map {
        #"{"time":"2024-06-15T10:30:0\#($0)Z","lat":1.5,"lon":-2.5,"segment":\#($1)}"#
      }
    let reading = try Reading("[" + objects.joined(separator: ",") + "]")
    #expect(reading.records.map(\.startsSegment) == [true, false, true, true, false])
  }

  @Test func `OwnTracks has speed in km/h, Overland events have no position`() throws {
    let ownTracks = try Reading(
      #"{"_type":"location","lat":1.5,"lon":-2.5,"tst":1718447400,"vel":36,"cog":9,"acc":7}"#
    )
    #expect(ownTracks.fixes == [fix(0, 1.5, -2.5, 7, speed: 10, course: 9)])
    #expect(ownTracks.report?.format == .ownTracks)
    let overland = try Reading(
      #"{"locations":[{"type":"Feature","properties":{"timestamp":"2024-06-15T10:30:00Z"}}]}"#
    )
    #expect(overland.refusals == ["bad_coordinate:1"])
    #expect(overland.report?.format == .overland)
  }

  @Test func `a half line of a recorder's log is one point that cannot be read`() throws {
    func line(_ second: Int) -> String {
      "2024-06-15T10:30:0\(second)Z\t*                 \t"
        + #"{"_type":"location","lat":1.5,"lon":-2.5,"acc":7,"tst":"# + "\(1_718_447_400 + second)}"
    }
    let lines = [line(0), String(line(1).dropLast(20)), line(2)]
    let reading = try Reading(lines.joined(separator: "\n"))
    #expect(reading.fixes == [fix(0, 1.5, -2.5, 7), fix(2_000, 1.5, -2.5, 7)])
    #expect(reading.refusals == ["bad_number:1"] && reading.error == nil)
  }

  @Test func `stays and ways of a timeline come in the order of their times`() throws {
    func time(_ minute: Int) -> String { "2024-06-15T10:\(30 + minute):00Z" }
    let text = """
      {"semanticSegments":[
      {"startTime":"\(time(0))","endTime":"\(time(20))",
       "visit":{"topCandidate":{"placeLocation":{"latLng":"1.5°, -2.5°"}}}},
      {"startTime":"\(time(5))","endTime":"\(time(25))",
       "timelinePath":[{"point":"1.6°, -2.5°","time":"\(time(10))"},
                       {"point":"1.7°, -2.5°","time":"\(time(22))"}]}],
      "rawSignals":[{"position":{"LatLng":"1.5°, -2.5°","timestamp":"\(time(0))"}}]}
      """
    let reading = try Reading(text)
    #expect(
      reading.fixes == [
        fix(0, 1.5, -2.5), fix(600_000, 1.6, -2.5), fix(1_200_000, 1.5, -2.5),
        fix(1_320_000, 1.7, -2.5),
      ]
    )
    #expect(reading.report?.pointsOfOtherKinds ?? -1 >= 0)
    #expect(reading.report?.format == .google)
  }

  @Test(arguments: [
    ("{\"a\":1,}", 1), ("[1,2\n3]", 2), ("{\"lat\":1", 1), ("{\"a\":\"\u{1}\"}", 1), ("[nul]", 1),
    ("{\"a\":\"\\x\"}", 1), ("{}\n}", 2), ("[{]", 1),
  ])
  func `JSON that is wrong is refused with its line`(text: String, line: Int) throws {
    let error = try #require(try Reading(text).error)
    #expect(error.code == .malformed)
    #expect(error.line == line)
  }

  // MARK: NMEA

  private func sentences(_ bodies: String...) -> String {
    bodies
      .map { body in
        let sum = String(body.utf8.reduce(0) { $0 ^ $1 }, radix: 16, uppercase: true)
        return "$\(body)*\(sum.utf8.count == 1 ? "0" : "")\(sum)\r\n"
      }
      .joined()
  }

  @Test(arguments: [
    ("3800.0060", 38.0001), ("3800.006", 38.0001), ("3409.0090", 34.15015), ("0000", 0),
    ("8959.99999999999", 89.99999999999983), ("3845.123456789", 38.75205761315),
  ])
  func `minutes of NMEA become the number that is nearest to what was written`(
    text: String,
    degrees: Double
  ) throws {
    let body = "GPRMC,103000.00,A,\(text),N,00230.0000,W,,,150624,,"
    #expect(try Reading(sentences(body)).fixes.map(\.coordinate.latitude) == [degrees])
  }

  @Test func `what a receiver says of one instant is one fix`() throws {
    let text = sentences(
      "GPGGA,103000.00,0130.0000,N,00230.0000,W,1,08,1.2,12.0,M,,M,,",
      "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,2.0,1.2,1.6",
      "GPRMC,103000.00,A,0130.0000,N,00230.0000,W,9.71922,091.0,150624,,",
      "GNGLL,0136.0000,N,00230.0000,W,103000.50,A,A",
      "GNVTG,092.0,T,,M,9.71922,N,18,K,A",
      "GPRMC,103001.00,V,,,,,,,150624,,",
      "GPGGA,103002.00,0142.0000,N,00230.0000,W,1,08,,12.0,M,,M,,",
      "GPGST,103002.00,,,,,3.0,4.0,5.0"
    )
    let reading = try Reading("logger 1.0\n" + text)
    let knots = 9.71922 * 1_852 / 3_600
    #expect(
      reading.fixes == [
        fix(0, 1.5, -2.5, 6, speed: knots, course: 91),
        fix(500, 1.6, -2.5, 20, speed: knots, course: 92),
        fix(2_000, 1.7, -2.5, 1.51 * 12.5.squareRoot()),
      ]
    )
    #expect(reading.report?.format == .nmea)
    #expect(reading.report?.understanding == "in 1 of 8 the receiver has no position")
  }

  @Test func `a wrong check sum costs the sentence, and the report says so`() throws {
    let good = sentences("GPRMC,103000,A,0130.0000,N,00230.0000,W,,,150624,,")
    let bad = "$GPRMC,103001,A,0130.0000,N,00230.0000,W,,,150624,,*00\r\n"
    let reading = try Reading(good + bad)
    #expect(reading.fixes == [fix(0, 1.5, -2.5)])
    #expect(
      reading.report?.understanding
        == "1 of 2 sentences have a wrong check sum, the first on line 2"
    )
  }

  @Test func `a receiver may say the old date for a moment after midnight`() throws {
    func gga(_ time: String) -> String {
      "GPGGA,\(time),0130.0000,N,00230.0000,W,1,08,1.2,12.0,M,,M,,"
    }
    func rmc(_ time: String, _ date: String) -> String {
      "GPRMC,\(time),A,0130.0000,N,00230.0000,W,,,\(date),,"
    }
    let day = Timestamp(seconds: 1_718_409_600).milliseconds
    func times(_ sentences: String...) throws -> [Int64] {
      try Reading(sentences.map { self.sentences($0) }.joined()).fixes
        .map { ($0.at.milliseconds - day) / 1_000 }
    }
    let (old, new) = ("150624", "160624")
    #expect(
      try times(
        rmc("235959", old),
        gga("000000"),
        rmc("000000", old),
        rmc("000001", old),
        gga("000002"),
        rmc("000003", new),
        rmc("000004", new)
      ) == [86_399, 86_400, 86_401, 86_402, 86_403, 86_404]
    )
    // Who goes back a day later than that means it: another log begins.
    #expect(
      try times(rmc("235959", old), rmc("001001", old), rmc("001002", old)) == [86_399, 601, 602]
    )
    #expect(
      try times(rmc("235959", old), rmc("000001", new), rmc("000002", old)) == [86_399, 86_401, 2]
    )
  }

  @Test func `a logger's time before a sentence may stand in brackets`() throws {
    let sentence = sentences("GPRMC,103000,A,0130.0000,N,00230.0000,W,,,150624,,")
    for time in ["[2024-06-15 10:30:00] ", "[INFO] ", "10:30:00 "] {
      let reading = try Reading(time + sentence)
      #expect(reading.report?.format == .nmea, "\(time)")
      #expect(reading.fixes.map(\.at) == [noon], "\(time)")
    }
    #expect(try Reading("[1, {\"time\":1718447400,\"lat\":1,\"lon\":2}]").fixes.count == 1)
  }

  @Test func `dates roll over at midnight, forward and backward from the one that is said`()
    throws
  {
    func gga(_ time: String) -> String {
      "GPGGA,\(time),0130.0000,N,00230.0000,W,1,08,1.2,12.0,M,,M,,"
    }
    func rmc(_ time: String, _ date: String) -> String {
      "GPRMC,\(time),A,0130.0000,N,00230.0000,W,,,\(date),,"
    }
    let text = sentences(
      gga("235959"),
      gga("000000"),
      gga("120000"),
      gga("235959"),
      gga("000001"),
      rmc("000002", "150624"),
      gga("120002"),
      gga("235958"),
      gga("000003")
    )
    let day = Timestamp(seconds: 1_718_409_600).milliseconds
    let times = try Reading(text).fixes.map { ($0.at.milliseconds - day) / 1_000 }
    #expect(times == [-86_401, -86_400, -43_200, -1, 1, 2, 43_202, 86_398, 86_403])
    // What comes late over midnight is of the day before, and turns no other day.
    let late = sentences(
      gga("235957"),
      gga("000000"),
      gga("235958"),
      gga("235959"),
      gga("000001"),
      rmc("000002", "150624"),
      gga("235956"),
      gga("000003"),
      gga("235955"),
      gga("000004")
    )
    let order = try Reading(late).fixes.map { ($0.at.milliseconds - day) / 1_000 }
    #expect(order == [-3, 0, -2, -1, 1, 2, -4, 3, -5, 4])
    // All but ten minutes of a day is a day.
    let far = sentences(rmc("000002", "150624"), gga("234959"), gga("000003"))
    let apart = try Reading(far).fixes.map { ($0.at.milliseconds - day) / 1_000 }
    #expect(apart == [2, 85_799, 86_403])
    // Without any date the day is assumed, or said to be missing.
    let undated = sentences(gga("235959"), gga("000001"))
    let error = try #require(try Reading(undated).error)
    #expect(error.code == .withoutTimes)
    #expect(error.description.contains("--assume-date"))
    let assumed = TraceOptions(assumedDate: CivilDate(year: 2024, month: 6, day: 14))
    #expect(
      try Reading(undated, options: assumed).fixes.map { ($0.at.milliseconds - day) / 1_000 } == [
        -1, 1,
      ]
    )
  }

  @Test func `what waits for more is there where a file breaks off`() throws {
    let undated = sentences(
      "GPGGA,103000,0130.0000,N,00230.0000,W,1,08,,12.0,M,,M,,",
      "GPGGA,103001,0136.0000,N,00230.0000,W,1,08,,12.0,M,,M,,"
    )
    let assumed = TraceOptions(assumedDate: CivilDate(year: 2024, month: 6, day: 15))
    let packed = Array(try gzip(Array(undated.utf8)).dropLast(4))
    let cut = try Reading(bytes: packed, options: assumed)
    #expect(cut.error?.code == .malformed)
    #expect(cut.fixes == [fix(0, 1.5, -2.5), fix(1_000, 1.6, -2.5)])
    let visit = try Reading(
      #"{"semanticSegments":[{"startTime":"2024-06-15T10:30:00Z","endTime":"2024-06-15T10:40:00Z","#
        + #""visit":{"topCandidate":{"placeLocation":{"latLng":"1.5°, -2.5°"}}}},} "#
    )
    #expect(visit.error?.code == .malformed)
    #expect(visit.fixes == [fix(0, 1.5, -2.5), fix(600_000, 1.5, -2.5)])
    let whole = kml(
      "<Placemark><gx:Track><when>2024-06-15T10:30:00Z</when><when>2024-06-15T10:30:01Z</when>"
        + "<gx:coord>-2.5 1.5</gx:coord><gx:coord>-2.5 1.6</gx:coord></gx:Track></Placemark>"
    )
    let end = try #require(whole.range(of: "<gx:coord>-2.5 1.6"))
    let track = try Reading(String(whole[..<end.upperBound]))
    #expect(track.error?.code == .malformed)
    #expect(track.fixes == [fix(0, 1.5, -2.5)])
  }

  // MARK: XML

  private func kml(_ inside: String) -> String {
    "<?xml version='1.0'?><!-- a --><k:kml xmlns:k='http://www.opengis.net/kml/2.2'>"
      + "<k:Document>\(inside)</k:Document></k:kml>"
  }

  @Test func `a track of KML has its times before its positions`() throws {
    let reading = try Reading(
      kml(
        """
        <Placemark><gx:Track><when>2024-06-15T10:30:00Z</when><when>2024-06-15T10:30:01Z</when>
        <when/><gx:coord>-2.5 1.5 0</gx:coord>
        <gx:coord>-2.5 1.6</gx:coord><gx:coord/><ExtendedData><SchemaData>
        <gx:SimpleArrayData name="accuracy"><gx:value>4</gx:value><gx:value>5</gx:value>
        <gx:value>6</gx:value></gx:SimpleArrayData></SchemaData></ExtendedData></gx:Track></Placemark>
        <Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>
        """
      )
    )
    #expect(reading.fixes == [fix(0, 1.5, -2.5, 4), fix(1_000, 1.6, -2.5, 5)])
    #expect(reading.refusals == ["bad_coordinate:1"])
    #expect(reading.records.map(\.line) == [2, 3, 3])
    #expect(reading.report?.pointsOfOtherKinds == 1)
  }

  @Test func `the angles of a track are its courses where no array has them`() throws {
    func courses(_ angles: [String], _ more: String = "") throws -> [Double?] {
      try Reading(
        kml(
          "<Placemark><gx:Track><when>2024-06-15T10:30:00Z</when><when>2024-06-15T10:30:01Z</when>"
            + "<gx:coord>-2.5 1.5</gx:coord><gx:coord>-2.5 1.6</gx:coord>"
            + angles.map { "<gx:angles>\($0)</gx:angles>" }.joined() + more
            + "</gx:Track></Placemark>"
        )
      )
      .fixes.map(\.courseDegrees)
    }
    #expect(try courses(["90 10 0", "-90.5 0 0"]) == [90, 269.5])
    #expect(try courses(["", "45"]) == [nil, 45])
    // What programs write that know none, and what may be of any point.
    #expect(try courses(["0 0 0", "0 0 0"]) == [nil, nil])
    #expect(try courses(["90 0 0"]) == [nil, nil])
    // A camera's tilt is no course.
    #expect(try courses(["0 45 0", "0 45 0"]) == [nil, nil])
    let array =
      "<ExtendedData><SchemaData><gx:SimpleArrayData name='bearing'><gx:value>1</gx:value>"
      + "<gx:value>2</gx:value></gx:SimpleArrayData></SchemaData></ExtendedData>"
    #expect(try courses(["90 0 0", "91 0 0"], array) == [1, 2])
  }

  @Test func `a document is recognized behind a long comment`() throws {
    let comment = "<!-- \(String(repeating: "<gpx> é\n", count: 2_000)) -->"
    let track =
      "<Placemark><gx:Track><when>2024-06-15T10:30:00Z</when><gx:coord>-2.5 1.5</gx:coord>"
      + "</gx:Track></Placemark>"
    let text = kml(track).replacing("<!-- a -->", with: comment)
    #expect(text.contains(comment))
    let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let files: [[UInt8]] = [
      Array(text.utf8), [0xEF, 0xBB, 0xBF] + Array(text.utf8), [0xFF, 0xFE] + wide, wide,
    ]
    for bytes in files {
      let reading = try Reading(bytes: bytes)
      #expect(reading.fixes == [fix(0, 1.5, -2.5)], "\(String(describing: reading.error))")
      #expect(reading.report?.format == .kml)
    }
  }

  @Test func `placemarks are fixes at their times, and lines without are a route`() throws {
    let line =
      "<Placemark><LineString><coordinates>-2.5,1.5 -2.5,1.6</coordinates></LineString></Placemark>"
    let places = """
      <Placemark><LookAt><TimeStamp><when>2020-01-01</when></TimeStamp></LookAt>
      <TimeSpan><begin>2024-06-15T10:30:00Z</begin><end>2024-06-15T10:40:00Z</end></TimeSpan>
      <Point><coordinates>-2.5,1.5,0</coordinates></Point></Placemark>
      <Placemark><TimeStamp><when>2024-06-15T10:50:00Z</when></TimeStamp><ExtendedData>
      <Data name="accuracy"><value>5</value></Data></ExtendedData>
      <Point><coordinates> -2.5, 1.6 </coordinates></Point></Placemark>
      """
    let reading = try Reading(kml(line + places))
    #expect(
      reading.fixes == [fix(0, 1.5, -2.5), fix(600_000, 1.5, -2.5), fix(1_200_000, 1.6, -2.5, 5)]
    )
    let route = try Reading(kml(line))
    #expect(route.refusals == ["no_time:2"])
    #expect(route.error?.code == .withoutTimes)
  }

  @Test func `what a placemark says of its kind counts where only fixes are read`() throws {
    func line(_ kind: String, _ minute: Int) -> String {
      "<Placemark><ExtendedData><Data name='kind'><value>\(kind)</value></Data></ExtendedData>"
        + "<gx:Track><when>2024-06-15T10:\(minute):00Z</when><gx:coord>-2.5 1.\(minute)</gx:coord>"
        + "</gx:Track></Placemark>"
    }
    let reading = try Reading(kml(line("route", 30) + line("track", 40)))
    #expect(reading.fixes == [fix(600_000, 1.40, -2.5)])
  }

  @Test func `the points of a line with a span are in their order, between the stays`() throws {
    func placemark(_ from: Int, _ geometry: String) -> String {
      "<Placemark>\(geometry)<TimeSpan><begin>2024-06-15T10:\(from):00Z</begin>"
        + "<end>2024-06-15T10:\(from + 5):00Z</end></TimeSpan></Placemark>"
    }
    func line(_ positions: String) -> String {
      "<LineString><coordinates>\(positions)</coordinates></LineString>"
    }
    let reading = try Reading(
      kml(
        placemark(30, "<Point><coordinates>-2.5,1.5</coordinates></Point>")
          + placemark(40, line("-2.5,1.5 -2.5,1.6 -2.5,1.7 -2.5,1.8"))
          + placemark(50, line("-2.5,1.9"))
      )
    )
    #expect(
      reading.fixes == [
        fix(0, 1.5, -2.5), fix(300_000, 1.5, -2.5), fix(600_000, 1.5, -2.5),
        fix(900_000, 1.8, -2.5), fix(1_200_000, 1.9, -2.5), fix(1_500_000, 1.9, -2.5),
      ]
    )
    #expect(reading.refusals == ["no_time:2"])
    #expect(
      reading.records.map { $0.fix == nil } == [
        false, false, false, true, true, false, false, false,
      ]
    )
  }

  @Test func `a long line of KML is read in parts, without a time or with one`() throws {
    let line = (0..<40_000).map { "-2.5,\(Double($0) / 1_000)" }.joined(separator: " ")
    let body = "<LineString><coordinates>\(line)</coordinates></LineString>"
    let route = try Reading(kml("<Placemark>\(body)</Placemark>"))
    #expect(route.refusals == ["no_time:40000"])
    let span =
      "<TimeSpan><begin>2024-06-15T10:30:00Z</begin><end>2024-06-15T10:30:01Z</end></TimeSpan>"
    let timed = try Reading(kml("<Placemark>\(span)\(body)</Placemark>"))
    #expect(timed.fixes == [fix(0, 0, -2.5), fix(1_000, 39.999, -2.5)])
    #expect(timed.refusals == ["no_time:39998"])
  }

  @Test func `all points of a placemark are read`() throws {
    let points = (0..<20_000)
      .map { "<Point><coordinates>-2.5,\(Double($0) / 1_000)</coordinates></Point>" }
    let span =
      "<TimeSpan><begin>2024-06-15T10:30:00Z</begin><end>2024-06-15T10:30:01Z</end></TimeSpan>"
    let body = "\(span)<MultiGeometry>\(points.joined())</MultiGeometry>"
    let reading = try Reading(kml("<Placemark>\(body)</Placemark>"))
    #expect(reading.fixes == [fix(0, 0, -2.5), fix(1_000, 19.999, -2.5)])
    #expect(reading.refusals == ["no_time:19998"])
  }

  @Test func `a line of KML that is cut is read up to the cut`() throws {
    let line = (0..<500).map { "-2.5,\(Double($0) / 1_000)\n" }.joined()
    let span =
      "<TimeSpan><begin>2024-06-15T10:30:00Z</begin><end>2024-06-15T10:31:00Z</end></TimeSpan>"
    for time in ["", span] {
      let text = kml("<Placemark>\(time)<LineString><coordinates>\(line)")
      let cut = String(try #require(text.components(separatedBy: "0.499").first)) + "0.4"
      let reading = try Reading(cut)
      #expect(reading.error?.code == .malformed)
      #expect(reading.records.count == 499, "\(time)")
      // The end of a span is not the time of the last point before the cut.
      #expect(reading.fixes == (time.isEmpty ? [] : [fix(0, 0, -2.5)]))
      // The same where the bytes cannot be unpacked to their end.
      let packed = try Reading(bytes: Array(try gzip(Array(cut.utf8)).dropLast(4)))
      #expect(packed.error != nil && packed.records.count == 499, "\(time)")
    }
  }

  @Test func `TCX breaks where the timer was stopped, not at each lap`() throws {
    func point(_ second: Int) -> String {
      "<Trackpoint><Time>2024-06-15T10:30:0\(second)Z</Time><Position><LatitudeDegrees>1.5</LatitudeDegrees>"
        + "<LongitudeDegrees>-2.5</LongitudeDegrees></Position><Extensions><n:TPX><n:Speed>3</n:Speed>"
        + "</n:TPX></Extensions></Trackpoint>"
    }
    let text =
      "<TrainingCenterDatabase><Activities><Activity><Lap><Track>\(point(0))</Track>"
      + "<Track>\(point(1))</Track></Lap><Lap><Track>\(point(2))<Trackpoint><Time>2024-06-15T10:30:03Z"
      + "</Time></Trackpoint></Track></Lap></Activity></Activities><Courses><Course><Track>\(point(4))"
      + "</Track></Course></Courses></TrainingCenterDatabase>"
    let reading = try Reading(text)
    #expect(reading.fixes == (0..<3).map { fix(Int64($0) * 1_000, 1.5, -2.5, speed: 3) })
    #expect(reading.records.map(\.startsSegment) == [true, true, false, false])
    #expect(reading.refusals == ["bad_coordinate:1"])
    #expect(reading.report?.pointsOfOtherKinds == 1)
  }

  // MARK: Others

  @Test func `IGC has more digits and the accuracy where its header says so`() throws {
    let text = """
      AXXX001
      HFDTEDATE:150624,01
      I043638FXA3941GSP4242LAD4343LOD
      B1030000130000N00230000WA001000001200503600
      B1030010136000N00230000WV0010000012005036
      """
    let reading = try Reading(text)
    #expect(
      reading.fixes == [fix(0, 1.5, -2.5, 5, speed: 10), fix(1_000, 1.6, -2.5, 5, speed: 10)]
    )
  }

  @Test func `PLT takes its dates from the text, else from the days`() throws {
    let head = "Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2\r\n0\r\n"
    let reading = try Reading(
      head
        + "1.5,-2.5,0,492,45458.4375,2024-06-15,10:30:00\r\n1.6,-2.5,1,-777,45458.4375115741,15-Jun-24,x\r\n1.5\r\n"
    )
    #expect(reading.fixes == [fix(0, 1.5, -2.5), fix(1_000, 1.6, -2.5)])
    #expect(reading.records.map(\.startsSegment) == [true, true, false])
    #expect(reading.refusals == ["bad_number:1"])
  }

  @Test func `a log of OwnTracks is its messages of locations`() throws {
    let reading = try Reading(
      """
      2024-06-15T10:30:00Z\t*                 \t{"_type":"location","lat":1.5,"lon":-2.5,"tst":1718447400}
      2024-06-15T10:30:00Z\tlwt               \t{"_type":"lwt","tst":1}
      2024-06-15T10:30:01Z\t*                 \t{"_type":"transition","lat":1.5,"lon":-2.5,"tst":1718447401}

      """
    )
    #expect(reading.fixes == [fix(0, 1.5, -2.5)])
    #expect(reading.report?.pointsOfOtherKinds == 1)
    #expect(try Reading("2024-06-15T10:30:00Z\t*\t{\"_type\":").refusals == ["bad_number:1"])
  }

  private func message(_ topic: String, _ second: Int, _ members: String = "") -> String {
    topic
      + #" {"_type":"location","lat":1.5,"lon":-2.5,"tst":\#(1_718_447_400 + second)\#(members)}"#
      + "\n"
  }

  @Test func `a log of mosquitto_sub is the messages of its first topic with a position`() throws {
    let reading = try Reading(
      "owntracks/me/phone/status on\n"
        + #"owntracks/me/phone/waypoints {"_type":"waypoints","waypoints":[]}"# + "\n"
        + message("owntracks/me/phone", 0) + message("owntracks/joe/phone", 1)
        + message("owntracks/me/phone", 2)
        + #"owntracks/me/phone {"_type":"encrypted","data":"AAAA"}"# + "\n"
        + #"owntracks/me/phone/event {"_type":"transition","lat":1.5,"lon":-2.5,"tst":1718447403}"#
        + "\n" + message("owntracks/joe/phone", 4) + #"owntracks/me/phone {"_type":"#
    )
    #expect(reading.error == nil)
    #expect(reading.fixes == [fix(0, 1.5, -2.5), fix(2_000, 1.5, -2.5)])
    #expect(reading.refusals == ["bad_number:1"])
    #expect(reading.report?.format == .ownTracks)
    #expect(reading.report?.pointsOfOtherKinds == 1)
    #expect(
      reading.report?.passedOver
        == "2 messages are of another topic than owntracks/me/phone, the first on line 4, "
        + "1 message is encrypted, the first on line 6"
    )
  }

  @Test func `a log of messages may have other objects, and batches`() throws {
    let other = try Reading(
      #"cars/vw/gps {"time":"2024-06-15 10:30:00","lat":1.5,"lon":-2.5}"# + "\n"
        + #"cars/vw/gps {"locations":[{"geometry":{"type":"Point","coordinates":[-2.5,1.5]},"#
        + #""properties":{"timestamp":"2024-06-15T10:30:01Z"}}]}"# + "\n"
    )
    #expect(other.fixes == [fix(0, 1.5, -2.5), fix(1_000, 1.5, -2.5)])
    #expect(other.report?.format == .json)
    #expect(other.report?.haveTimesNoZone == true)
    #expect(other.report?.passedOver == nil)
  }

  @Test func `what only looks like a topic and a message is no log of messages`() throws {
    for text in ["INFO a/b: x {y}\n", "a/b,1 {\"c\":1}\n", "time/lat {lon}\n", "a b {\"lat\":1}\n"]
    {
      #expect(try Reading(text).error?.code == .notATrace, "\(text)")
    }
  }

  // MARK: Times that are missing

  @Test func `a track without times moves at the speed that is said`() throws {
    let start = Timestamp(seconds: 1_718_447_400)
    let options = TraceOptions(assumedMotion: .init(speedMetersPerSecond: 10, start: start))
    let text = gpx(
      "<trkpt lat='0' lon='0'/><trkpt lat='0' lon='0.001'/><trkpt lat='95' lon='0'/>"
        + "<trkpt lat='0' lon='0.002'/>"
    )
    let reading = try Reading(text, options: options)
    #expect(reading.error == nil)
    // 0.001° of the equator are 111.3195 m.
    #expect(
      reading.fixes.map { $0.at - start } == [
        Milliseconds(0), Milliseconds(11_132), Milliseconds(22_264),
      ]
    )
    let refused = try #require(try Reading(text).error)
    #expect(refused.description.contains("--assume-speed"))
    let line = #"{"type":"LineString","coordinates":[[0,0],[0.001,0]]}"#
    #expect(
      try Reading(line, options: options).fixes.map { $0.at - start } == [
        Milliseconds(0), Milliseconds(11_132),
      ]
    )
  }

  @Test func `a movement that takes forever ends with the last time that can be written`() throws {
    let motion = TraceOptions.AssumedMotion(
      speedMetersPerSecond: .leastNormalMagnitude,
      start: Timestamp(seconds: 1_718_447_400)
    )
    let text = gpx("<trkpt lat='0' lon='0'/><trkpt lat='0' lon='0.001'/>")
    let fixes = try Reading(text, options: TraceOptions(assumedMotion: motion)).fixes
    #expect(fixes.map { RFC3339.format($0.at) }.last == "9999-12-31T23:59:59.999Z")
  }
}
