import Foundation
import Geodesy
import Testing
import Timeline
import Traces

import TraceFiles

@Suite struct GPXReadingTests {
  @Test func `a point with everything becomes a fix`() throws {
    let reading = try Reading(
      gpx(
        """
        <trkpt lat="39.269420" lon="-76.595472"><ele>10.7</ele>
        <time>2026-01-05T11:23:36.250Z</time><hdop>4.8</hdop><extensions>
        <fix:hacc xmlns:fix="urn:person-day:fix:1">24.0</fix:hacc><speed>1.50</speed>
        <course>114</course></extensions></trkpt>
        """
      )
    )
    let fix = Fix(
      at: Timestamp(milliseconds: 1_767_612_216_250),
      coordinate: Coordinate(uncheckedLatitude: 39.26942, longitude: -76.595472),
      horizontalAccuracyMeters: 24,
      speedMetersPerSecond: 1.5,
      courseDegrees: 114
    )
    #expect(reading.fixes == [fix])
    #expect(reading.error == nil)
    #expect(reading.report?.accuracyReported == 1)
  }

  @Test(arguments: [
    ("<extensions><a:hAcc>7</a:hAcc></extensions>", 7, AccuracySource.reported),
    ("<extensions><b><accuracy>8.5</accuracy></b></extensions>", 8.5, .reported),
    ("<extensions><horizontalAccuracy>9</horizontalAccuracy></extensions>", 9, .reported),
    ("<extensions><o:accuracy_horizontal>6</o:accuracy_horizontal></extensions>", 6, .reported),
    ("<extensions><e:horaccur>5</e:horaccur></extensions>", 5, .reported),
    ("<hdop>3</hdop>", 15, .modeledFromHDOP),
    ("<hdop>3</hdop><extensions><hacc>4</hacc></extensions>", 4, .reported),
    ("<hdop>3</hdop><extensions><hacc>0</hacc></extensions>", 15, .modeledFromHDOP),
    ("<hdop>0</hdop>", 20, .assumed),
    ("<hdop>1,2</hdop>", 20, .assumed),
    ("", 20, .assumed),
    ("<extensions><hdop>3</hdop></extensions>", 20, .assumed),
  ])
  func `accuracy is reported, modeled or assumed`(
    inside: String,
    meters: Double,
    source: AccuracySource
  ) throws {
    let reading = try Reading(gpx(trkpt(1, inside: inside)))
    #expect(reading.fixes.map(\.horizontalAccuracyMeters) == [meters])
    #expect(reading.records.map(\.accuracySource) == [source])
  }

  @Test(arguments: [
    ("lat='91' lon='0'", "<time>2025-01-01T00:00:00Z</time>", "bad_coordinate"),
    ("lat='0' lon='-180.5'", "<time>2025-01-01T00:00:00Z</time>", "bad_coordinate"),
    ("lon='0'", "<time>2025-01-01T00:00:00Z</time>", "bad_coordinate"),
    ("lat='1,5' lon='0'", "<time>2025-01-01T00:00:00Z</time>", "bad_number"),
    ("lat='NaN' lon='0'", "<time>2025-01-01T00:00:00Z</time>", "bad_number"),
    ("lat='1' lon='0'", "", "no_time"),
    ("lat='1' lon='0'", "<time/>", "no_time"),
    ("lat='1' lon='0'", "<time>yesterday</time>", "bad_time"),
    ("lat='1' lon='0'", "<time>2025-01-01T00:00:00Z</time><hacc>-1</hacc>", "invalid_accuracy"),
    ("lat='1' lon='0'", "<time>2025-01-01T00:00:00Z</time><hacc>good</hacc>", "bad_number"),
  ])
  func `a point that is no fix says why and where`(
    attributes: String,
    inside: String,
    reason: String
  ) throws {
    let bad = "\n<trkpt \(attributes)>\(inside)</trkpt>\n"
    let reading = try Reading(gpx(bad + trkpt(5)))
    #expect(reading.refusals == [reason + ":1"])
    #expect(reading.records.map(\.line) == [2, 3])
    #expect(reading.records.map(\.startsSegment) == [false, true])
    #expect(reading.report?.points == 2)
    #expect(reading.error == nil)
  }

  @Test func `speed and course that are not known are nil`() throws {
    let inside = "<speed>-1</speed><course>-1</course>"
    let fix = try #require(try Reading(gpx(trkpt(1, inside: inside))).fixes.first)
    #expect(fix.speedMetersPerSecond == nil)
    #expect(fix.courseDegrees == nil)
    let north = try Reading(gpx(trkpt(1, inside: "<course>360</course>"))).fixes.first
    #expect(north?.courseDegrees == 0)
  }

  @Test func `times with offsets, fractions and none are one clock`() throws {
    let times = [
      "2025-09-08T08:00:00-04:00", "2025-09-08T12:00:00.123456Z", "2025-09-08T12:00:00",
      "<![CDATA[2025-09-08T12:00:00Z]]>", " 2025-09<!-- broken -->-08T12:00:00Z\n",
      "2025-09-08T12:00:00&#90;",
    ]
    let points = times.map { #"<trkpt lat="1" lon="2"><time>\#($0)</time></trkpt>"# }.joined()
    let reading = try Reading(gpx(points))
    let noon: Int64 = 1_757_332_800_000
    #expect(
      reading.fixes.map(\.at.milliseconds) == [noon, noon + 123, noon, noon, noon, noon]
    )
  }

  @Test func `prefixes do not matter, foreign namespaces do`() throws {
    let prefixed = """
      <g:gpx xmlns:g="http://www.topografix.com/GPX/1/0"><g:trk><g:trkseg>
      <g:trkpt lat="1" lon="2"><g:time>2025-09-08T12:00:00Z</g:time></g:trkpt>
      <trkpt lat="3" lon="4"/>
      </g:trkseg></g:trk></g:gpx>
      """
    #expect(try Reading(prefixed).fixes.count == 1)
    #expect(try Reading(prefixed).records.count == 1)
    let foreign = gpx(
      trkpt(1) + #"<trkpt xmlns="urn:x" lat="0" lon="0"/><x:trkpt lat="0" lon="0"/>"#
        + trkpt(2, inside: "<x:time>1999-01-01T00:00:00Z</x:time>")
    )
    #expect(try Reading(foreign).records.count == 2)
    #expect(try Reading(foreign).refusals.isEmpty)
  }

  @Test(arguments: ["OsmAnd 4.7.10", "OsmAnd+", "Locus Map, Android"])
  func `makers that write meters as hdop are known`(creator: String) throws {
    let text = gpx(trkpt(1, inside: "<hdop>3.9</hdop>"))
      .replacingOccurrences(of: #"creator="t""#, with: #"creator="\#(creator)""#)
    let reading = try Reading(text)
    #expect(reading.fixes.map(\.horizontalAccuracyMeters) == [3.9])
    #expect(reading.report?.accuracyReported == 1)
  }

  @Test func `speed and course of the makers are read`() throws {
    for course in ["bearing", "gpxtpx:course", "cog", "gpxtpx:bearing"] {
      let inside =
        "<extensions><osmand:speed>2.5</osmand:speed><\(course)>9</\(course)></extensions>"
      let fix = try #require(try Reading(gpx(trkpt(1, inside: inside))).fixes.first)
      #expect(fix.speedMetersPerSecond == 2.5)
      #expect(fix.courseDegrees == 9)
    }
  }

  @Test func `segments begin where the file says`() throws {
    let text = gpx(trkpt(1) + trkpt(2) + "</trkseg><trkseg/><trkseg>" + trkpt(3))
    let reading = try Reading(text)
    #expect(reading.records.map(\.startsSegment) == [true, false, true])
  }

  @Test func `UTF-8 with a byte order mark, UTF-16 and single-byte encodings are read`() throws {
    let text = gpx(trkpt(1, inside: "<name>Stra\u{DF}e</name>"), declaration: "")
    #expect(try Reading(bytes: [0xEF, 0xBB, 0xBF] + Array(text.utf8)).fixes.count == 1)
    let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(try Reading(bytes: [0xFF, 0xFE] + little).fixes.count == 1)
    let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    #expect(try Reading(bytes: [0xFE, 0xFF] + big).fixes.count == 1)
    for encoding in ["ISO-8859-1", "ISO-8859-15", "windows-1252"] {
      let declared = #"<?xml version="1.0" encoding="\#(encoding)"?>"# + text
      let latin = declared.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      #expect(try Reading(bytes: latin).fixes.count == 1, "\(encoding)")
    }
    #expect(try Reading(#"<?xml version="1.0" encoding="EBCDIC"?>"# + text).error != nil)
  }

  @Test func `white space before the document is taken away, and lines still count`() throws {
    let reading = try Reading("\n\n " + gpx("\n" + trkpt(1)))
    #expect(reading.records.map(\.line) == [4])
  }

  @Test func `track points win over route points, those over waypoints`() throws {
    let wpt = trkpt(1, tag: "wpt")
    let rte = "<rte>" + trkpt(2, tag: "rtept") + trkpt(3, tag: "rtept") + "</rte>"
    let trk = "<trk><trkseg>" + trkpt(4) + "</trkseg></trk>"
    func seconds(_ reading: Reading) -> [Int64] {
      reading.fixes.map { $0.at.milliseconds / 1_000 % 60 }
    }
    for parts in [[wpt, rte, trk], [trk, rte, wpt], [wpt, trk, wpt, rte]] {
      let reading = try Reading("<gpx>" + parts.joined() + "</gpx>")
      #expect(seconds(reading) == [4])
      #expect(reading.records.count == 1)
      #expect(reading.report?.pointsOfOtherKinds ?? 0 >= 3)
    }
    let route = try Reading("<gpx>" + wpt + rte + "</gpx>")
    #expect(seconds(route) == [2, 3])
    #expect(route.records.map(\.startsSegment) == [true, false])
    let spots = try Reading("<gpx>" + wpt + wpt + "</gpx>")
    #expect(seconds(spots) == [1, 1])
    #expect(spots.records.map(\.startsSegment) == [true, false])
  }

  @Test func `gzip is unpacked, of one member or of several`() throws {
    let bytes = Array(gpx(trkpt(1) + trkpt(2)).utf8)
    #expect(try Reading(bytes: gzip(bytes)).fixes.count == 2)
    let halves = try gzip(Array(bytes[..<150])) + gzip([]) + gzip(Array(bytes[150...]))
    #expect(try Reading(bytes: halves).fixes.count == 2)
    #expect(try Reading(bytes: halves + [0, 0, 0]).error == nil)
    let junk = try Reading(bytes: halves + [1, 2, 3])
    #expect(junk.fixes.count == 2)
    #expect(junk.error?.code == .malformed)
  }

  @Test func `a reader can be left early`() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("near-me-\(UUID().uuidString).gpx")
    try Data(gpx((0..<10_000).map { trkpt($0 % 60) }.joined()).utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let reader = try TraceReader(path: url.path)
    for _ in 0..<3 { #expect(try reader.nextRecord() != nil) }
    #expect(reader.report.points < 10_000)
  }
}

/// What cannot be read twice: routes and waypoints wait until it is clear that there is no track.
@Suite struct PipedReadingTests {
  @Test func `a pipe gives what a file gives`() throws {
    let wpt = trkpt(1, tag: "wpt")
    let rte = "<rte>" + trkpt(2, tag: "rtept") + trkpt(3, tag: "rtept") + "</rte>"
    let trk = "<trk><trkseg>" + trkpt(4) + "</trkseg></trk>"
    for parts in [[wpt, rte, trk], [trk, rte, wpt], [wpt, rte], [wpt, wpt], []] {
      let text = "<gpx>" + parts.joined() + "</gpx>"
      let piped = try readThroughPipe(text)
      let filed = try Reading(text)
      #expect(piped.records == filed.records)
      #expect(piped.error == filed.error)
    }
  }

  @Test(arguments: [5_000, 200_000])
  func `a document behind a comment is recognized, also if it comes in pieces`(
    length: Int
  ) throws {
    let text =
      "<?xml version='1.0'?><!-- \(String(repeating: "a", count: length)) --><kml><Placemark>"
      + "<TimeStamp><when>2024-06-15T10:30:00Z</when></TimeStamp><Point><coordinates>2,1</coordinates>"
      + "</Point></Placemark></kml>"
    let piped = try readThroughPipe(text)
    #expect(piped.report?.format == .kml && piped.fixes.count == 1)
    #expect(try Reading(text).records == piped.records)
  }

  @Test func `more waypoints than are held back are an error that says what to do`() throws {
    let wpt = trkpt(1, tag: "wpt")
    let many = String(repeating: wpt, count: TraceReader.heldLimit + 2_000)
    let piped = try readThroughPipe("<gpx>" + many + "</gpx>")
    #expect(piped.error?.code == .excessive)
    #expect(piped.records.isEmpty)
    #expect(try Reading("<gpx>" + many + "</gpx>").fixes.count == TraceReader.heldLimit + 2_000)
  }

  private func readThroughPipe(_ text: String) throws -> Reading {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("near-me-\(UUID().uuidString).pipe")
    #expect(mkfifo(url.path, 0o600) == 0)
    defer { try? FileManager.default.removeItem(at: url) }
    // Closed by the reader before its end, a pipe would end the process of the writer.
    signal(SIGPIPE, SIG_IGN)
    let path = url.path
    let bytes = Array(text.utf8)
    let writer = Thread {
      let descriptor = open(path, O_WRONLY)
      var written = 0
      while written < bytes.count {
        let count = bytes[written...]
          .withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count <= 0 { break }
        written += count
      }
      close(descriptor)
    }
    writer.start()
    return Reading(path: path)
  }
}
