import Foundation
import TestSupport
import Testing

/// `nearme trace convert` as people run it.
@Suite struct TraceConvertTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func gpx(_ about: String, _ hour: String, end: String = "</trkseg></trk></gpx>") -> String
  {
    "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><trk>\(about)<trkseg>"
      + "<trkpt lat=\"1\" lon=\"2\"><time>2024-06-15T\(hour):00:00Z</time></trkpt>\(end)"
  }

  @Test func `one point and one waypoint are one`() throws {
    let head = "<gpx><wpt lat=\"1\" lon=\"2\"><time>2024-06-15T08:00:00Z</time></wpt>"
    let one = try Command(["trace", "convert", "--to", "csv", write("one.gpx", head + "</gpx>")])
    #expect(one.errors.contains("1 of 1 point (1 waypoint);"), "\(one.errors)")
    let two = "<wpt lat=\"1\" lon=\"2\"/></gpx>"
    let more = try Command(["trace", "convert", "--to", "csv", write("two.gpx", head + two)])
    #expect(
      more.errors.contains("2 of 2 points (2 waypoints, 1 without a time);"),
      "\(more.errors)"
    )
    let check = ["trace", "check", folder.path("one.gpx"), "--fix", "-o", folder.path("clean.gpx")]
    let repaired = try Command(check)
    #expect(repaired.output.contains("repaired: 1 of 1 point is now in"), "\(repaired.output)")
  }

  @Test func `times without a zone are said to be of UTC, or of the one that is assumed`() throws {
    let path = try write("walk.csv", "time,lat,lon\n2024-06-15 10:30:00,1,2\n")
    let convert = ["trace", "convert", "--to", "ndjson", path]
    let plain = try Command(convert)
    #expect(plain.output.contains("\"2024-06-15T10:30:00Z\""), "\(plain.output)")
    #expect(
      plain.errors.hasSuffix(
        "; times without a zone taken as UTC, --assume-zone says otherwise\n"
      ),
      "\(plain.errors)"
    )
    let assumed = try Command(convert + ["--assume-zone", "Europe/Berlin"])
    #expect(assumed.output.contains("\"2024-06-15T08:30:00Z\""), "\(assumed.output)")
    #expect(
      assumed.errors.hasSuffix("; times without a zone taken as Europe/Berlin\n"),
      "\(assumed.errors)"
    )
    let check = try Command(["trace", "check", path, "--assume-zone", "Europe/Berlin"])
    #expect(
      check.output.contains("\n  times without a zone taken as Europe/Berlin\n"),
      "\(check.output)"
    )
    let unknown = try Command(convert + ["--assume-zone", "Europe/Berln"])
    #expect(unknown.status == 64)
    #expect(
      unknown.errors.contains(
        "--assume-zone Europe/Berln: this system knows no such zone; one is America/New_York"
      ),
      "\(unknown.errors)"
    )
  }

  @Test func `dates that may be two and columns that are two are said, and can be settled`() throws
  {
    let path = try write("us.csv", "time,lat,lon,lat\n12/05/2026 9:05 PM,1,2,3\n")
    let taken = "of 2 columns lat column 2 is taken: --columns takes another by its number"
    let refused =
      "1 time such as 12/05/2026 9:05 PM left out: "
      + "--dates mdy or --dates dmy says which number is the month"
    let plain = try Command(["trace", "convert", "--to", "ndjson", path])
    #expect(plain.status == 65)
    #expect(plain.errors.contains("; \(taken); \(refused)\n"), "\(plain.errors)")
    let check = try Command(["trace", "check", path])
    #expect(check.output.contains("\n  \(taken)\n  \(refused)\n"), "\(check.output)")
    let said = try Command(["trace", "convert", "--to", "ndjson", path, "--dates", "mdy"])
    #expect(said.output.contains("\"2026-12-05T21:05:00Z\""), "\(said.output)\(said.errors)")
    let unknown = try Command(["trace", "convert", "--to", "ndjson", path, "--dates", "us"])
    #expect(unknown.status == 64)
  }

  @Test func `each file begins a track of its own, also one that names none`() throws {
    let head = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2\n0\n"
    let files = [
      try write("a.gpx", gpx("<name>Monday</name>", "08")),
      try write("b.csv", "time,lat,lon\n2024-06-15T09:00:00Z,1,2\n"),
      try write("c.plt", head + "1,2,0,-777,45458.4166666667,2024-06-15,10:00:00\n"),
    ]
    let written = try Command(["trace", "convert", "--to", "gpx"] + files)
    #expect(written.status == 0, "\(written.errors)")
    #expect(written.output.components(separatedBy: "<trk>").count == 4, "\(written.output)")
    #expect(written.output.components(separatedBy: "Monday").count == 2)
    let table = try Command(["trace", "convert", "--to", "csv"] + files)
    #expect(
      table.output == """
        time,lat,lon,accuracy_m,hdop,speed_mps,course_deg,segment,track.name,track.again
        2024-06-15T08:00:00Z,1,2,,,,,1,Monday,
        2024-06-15T09:00:00Z,1,2,,,,,2,,
        2024-06-15T10:00:00Z,1,2,,,,,3,,2

        """
    )
  }

  @Test func `each file begins a track in the file of each person`() throws {
    let rows = { (hour: String) in
      "time,lat,lon,uid\n2024-06-15T\(hour):00:00Z,1,2,a\n2024-06-15T\(hour):00:01Z,1,2,b\n"
    }
    let files = [try write("1.csv", rows("08")), try write("2.csv", rows("09"))]
    let out = folder.path("out")
    let done = try Command(["trace", "convert", "--by", "uid", "--to", "gpx", "-o", out] + files)
    #expect(done.status == 0, "\(done.errors)")
    for name in ["a.gpx", "b.gpx"] {
      let text = try String(contentsOfFile: "\(out)/\(name)", encoding: .utf8)
      #expect(text.components(separatedBy: "<trk>").count == 3, "\(text)")
    }
  }

  @Test func `people in turn keep their own tracks and segments`() throws {
    // Who, segment, track, a second each for both.
    let rows = [
      ("a", "1", "Out"), ("b", "7", "Ride"), ("a", "1", "Out"), ("b", "7", "Ride"),
      ("a", "2", "Out"), ("b", "", "Ride"), ("a", "2", "Back"), ("b", "7", "Ride"),
    ]
    let table = rows.enumerated()
      .map { "2024-06-15T08:00:0\($0)Z,1,2,\($1.0),\($1.1),\($1.2)\n" }
    let objects = rows.enumerated()
      .map { second, row in
        #"{"time":"2024-06-15T08:00:0\#(second)Z","lat":1,"lon":2,"uid":"\#(row.0)","#
          + (row.1.isEmpty ? "" : #""segment":\#(row.1),"#) + #""track.name":"\#(row.2)"}"#
      }
    let files = [
      try write("a.csv", "time,lat,lon,uid,segment,track.name\n" + table.joined()),
      try write("a.json", "[" + objects.joined(separator: ",") + "]"),
    ]
    for file in files {
      let out = file + ".out"
      let done = try Command(["trace", "convert", file, "--by", "uid", "--to", "gpx", "-o", out])
      #expect(done.status == 0, "\(done.errors)")
      for (name, tracks, segments) in [("a", 2, 3), ("b", 1, 1)] {
        let text = try String(contentsOfFile: "\(out)/\(name).gpx", encoding: .utf8)
        #expect(text.components(separatedBy: "<trk>").count - 1 == tracks, "\(file): \(text)")
        #expect(text.components(separatedBy: "<trkseg>").count - 1 == segments, "\(file): \(text)")
        #expect(text.components(separatedBy: "<trkpt").count - 1 == 4, "\(file): \(text)")
      }
      let parts = file + ".parts"
      let parted = try Command([
        "trace", "convert", file, "--by", "segment", "--to", "csv", "-o", parts,
      ])
      #expect(parted.status == 0, "\(parted.errors)")
      #expect(parted.errors.contains("1 point has no segment"), "\(parted.errors)")
      let names = try FileManager.default.contentsOfDirectory(atPath: parts).sorted()
      #expect(names == ["1.csv", "2.csv", "7.csv"])
    }
  }

  @Test func `GPX is taken apart by its segments and its tracks`() throws {
    func segment(_ hour: String) -> String {
      "<trkseg><trkpt lat=\"1\" lon=\"2\"><time>2024-06-15T\(hour):00:00Z</time></trkpt></trkseg>"
    }
    let text =
      "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\"><wpt lat=\"3\" lon=\"4\"/>"
      + "<trk><name>A</name>\(segment("08"))\(segment("09"))</trk><trk>\(segment("10"))</trk></gpx>"
    let (one, two) = (try write("one.gpx", text), try write("two.gpx", text))
    for (by, files, hours) in [
      ("trkseg", [one], ["1.gpx": "08", "2.gpx": "09", "3.gpx": "10"]),
      ("segment", [one], ["1.gpx": "08", "2.gpx": "09", "3.gpx": "10"]),
      ("trk", [one], ["1.gpx": "08 09", "2.gpx": "10"]),
      (
        "track", [one, two],
        ["1-1.gpx": "08 09", "1-2.gpx": "10", "2-1.gpx": "08 09", "2-2.gpx": "10"]
      ),
    ] {
      let out = folder.path("\(by)-\(files.count)")
      let done = try Command(["trace", "convert", "--by", by, "--to", "gpx", "-o", out] + files)
      #expect(done.status == 0, "\(done.errors)")
      #expect(done.errors.contains("have no \(by)") || done.errors.contains("1 point has no \(by)"))
      let names = try FileManager.default.contentsOfDirectory(atPath: out)
      #expect(Set(names) == Set(hours.keys), "\(by)")
      for (name, hours) in hours {
        let text = try String(contentsOfFile: "\(out)/\(name)", encoding: .utf8)
        let found = text.components(separatedBy: "2024-06-15T").dropFirst().map { $0.prefix(2) }
        #expect(found.joined(separator: " ") == hours, "\(by) \(name): \(text)")
      }
    }
  }

  @Test func `what is said of a track and has no column is named, from standard input`() throws {
    let about = "<name>Monday</name><desc>to work</desc><type>run</type>"
    let result = try Command(["trace", "convert", "-", "--to", "csv"], input: gpx(about, "08"))
    #expect(result.status == 0)
    #expect(result.output.contains("Monday"))
    #expect(
      result.errors.contains("these have no column: track.desc, track.type;"),
      "\(result.errors)"
    )
  }

  @Test func `a repair is only advised where it finds a fix`() throws {
    let advice = "what stands before it is kept by: nearme trace check"
    let point = "<wpt lat=\"1\" lon=\"2\"/><trk><trkseg><trkpt lat="
    for (name, text, isAdvised) in [
      ("cut.gpx", gpx("", "08", end: "<trkpt lat="), true),
      ("early.gpx", "<gpx xmlns=\"http://www.topografix.com/GPX/1/1\">" + point, false),
    ] {
      let path = try write(name, text)
      for format in ["csv", "ndjson"] {
        let result = try Command(["trace", "convert", path, "--to", format])
        #expect(result.status == 65)
        #expect(result.errors.contains(advice) == isAdvised, "\(name): \(result.errors)")
      }
      let repair = try Command(["trace", "check", path, "--fix", "-o", folder.path("clean.gpx")])
      #expect((repair.status == 0) == isAdvised, "\(name): \(repair.errors)")
    }
  }

  @Test func `what can be read only once, or takes forever, is refused`() throws {
    let trace = try write("a.csv", "lat,lon\n1,2\n")
    let start = ["--assume-start", "2024-06-15T08:00:00Z"]
    let cases = [
      (["-", "-", "--to", "csv"], "standard input can be read only once"),
      (
        ["/dev/null", "--by", "uid", "--to", "gpx", "-o", folder.path("out")],
        "--by reads twice, and /dev/null cannot be"
      ),
      ([trace, "--to", "csv", "--assume-speed", "0.0001"] + start, "at least 0.001"),
    ]
    for (arguments, message) in cases {
      let result = try Command(["trace", "convert"] + arguments)
      #expect(result.status == 64, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
  }

  @Test func `a person with a long name has a file whose name the disk takes`() throws {
    // Three bytes each: 66 of them are the most within 200 bytes.
    let person = String(repeating: "\u{8A9E}", count: 90)
    let trace = try write("a.csv", "time,lat,lon,uid\n2024-06-15T08:00:00Z,1,2,\(person)\n")
    let out = folder.path("out")
    let done = try Command(["trace", "convert", trace, "--by", "uid", "--to", "gpx", "-o", out])
    #expect(done.status == 0, "\(done.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: out)
    #expect(names == [String(repeating: "\u{8A9E}", count: 66) + ".gpx"])
  }
}
