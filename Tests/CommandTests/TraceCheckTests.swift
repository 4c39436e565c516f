import Foundation
import TestSupport
import Testing

/// `nearme trace check` as people run it.
@Suite struct TraceCheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  /// Drives north at 15 m/s, a fix a second; `order` are the seconds in the order of the file.
  private func gpx(_ name: String, _ order: [Int], away: Range<Int> = 0..<0) throws -> String {
    let points = order.map { second in
      let latitude = 39.1 + Double(second) * 0.000135 + (away.contains(second) ? 0.2 : 0)
      let clock = "12:" + (second < 600 ? "0" : "") + "\(second / 60):"
      let stamp = clock + (second % 60 < 10 ? "0" : "") + "\(second % 60)"
      return "<trkpt lat=\"\(latitude)\" lon=\"-76.6\"><time>2026-01-05T\(stamp)Z</time></trkpt>"
    }
    return try write(
      name,
      "<gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\">\n<trk><trkseg>\n"
        + points.joined(separator: "\n") + "\n</trkseg></trk></gpx>\n"
    )
  }

  private func objects(_ result: Command) throws -> [[String: Any]] {
    try result.output.split(separator: "\n")
      .map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
  }

  @Test func `a clean trace passes`() throws {
    let result = try Command(["trace", "check", gpx("day.gpx", Array(0..<100))])
    #expect(result.status == 0)
    #expect(result.errors.isEmpty)
    #expect(result.output.contains("day.gpx: 100 fixes in 99 s, mostly every 1 s"))
    #expect(result.output.contains("nothing would distort a replay"))
    #expect(
      result.output.contains(
        "this phone: a fix mostly every 1 s, silent for 1 s at most, no speed, no accuracy"
      ),
      "\(result.output)"
    )
  }

  @Test func `sentences of NMEA that were passed over are counted, wherever it is read`() throws {
    func sentence(_ second: Int, isRight: Bool) -> String {
      let body = "GPRMC,12000\(second),A,3918.0\(second),N,07636.0,W,9.0,0.0,050126,,"
      let sum = body.utf8.reduce(0, ^) ^ (isRight ? 0 : 1)
      return "$\(body)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true) + "\r\n"
    }
    let text = (0..<8).map { sentence($0, isRight: $0 % 4 == 0) }.joined()
    let path = try write("day.nmea", text)
    let words = "6 of 8 sentences have a wrong check sum, the first on line 2"
    let check = try Command(["trace", "check", path])
    #expect(check.output.contains("passed over: " + words), "\(check.output)")
    let json = try objects(Command(["trace", "check", path, "--format", "json"]))
    #expect(json.first?["passed_over"] as? String == words)
    let none = try write("none.nmea", (0..<8).map { sentence($0, isRight: false) }.joined())
    let empty = try Command(["trace", "check", none])
    #expect(empty.status == 1 && empty.output.contains("8 of 8 sentences"), "\(empty.output)")
  }

  @Test func `a table of several people is told how to be taken apart`() throws {
    let rows = (0..<60)
      .flatMap { second in
        ["ann,-76.6", "bob,-71.1"]
          .map { who in
            "2026-01-05T12:00:\(second < 10 ? "0" : "")\(second)Z,39.3,"
              + "\(who.split(separator: ",")[1]),\(who.split(separator: ",")[0])"
          }
      }
    let path = try write("fleet.csv", "time,lat,lon,uid\n" + rows.joined(separator: "\n"))
    let hint = "nearme trace convert \(path) --by COLUMN"
    let result = try Command(["trace", "check", path])
    #expect(result.status == 1 && result.output.contains(hint), "\(result.output)")
    let json = try objects(Command(["trace", "check", path, "--format", "json"]))
    #expect((json.first?["advice"] as? String)?.contains(hint) == true)
    let folder = folder.path("fleet")
    let parted = try Command([
      "trace", "convert", path, "--by", "uid", "--to", "csv", "-o", folder,
    ])
    #expect(parted.status == 0, "\(parted.errors)")
    let one = try Command(["trace", "check", folder + "/ann.csv"])
    #expect(one.status == 0 && !one.output.contains("--by"), "\(one.output)")
  }

  @Test func `how a table was taken is in the JSON as it is in the text`() throws {
    let rows = (0..<20).map { "11/30/2026 9:05:\($0 + 10),39.3,-76.6\n" }
    let path = try write("day.csv", "time,lat,lon\n" + rows.joined())
    let text = try Command(["trace", "check", path]).output
    let json = try objects(Command(["trace", "check", path, "--format", "json"]))
    let guesses = try #require(json.first?["guesses"] as? [String])
    #expect(guesses.count == 2 && guesses.contains("dates read as month/day/year"), "\(guesses)")
    for guess in guesses { #expect(text.contains("  " + guess), "\(text)") }
    #expect(json.first?["advice"] is NSNull)
  }

  @Test func `what a phone says of speed and accuracy is told in a line`() throws {
    let fixes = (0..<200)
      .map { i in
        let (minute, second) = (i / 60, i % 60)
        let time = "2026-01-05T12:0\(minute):\(second < 10 ? "0" : "")\(second)Z"
        let longitude = -76.6 + Double(i) * 1e-4
        return "\(time),39.3,\(longitude),\(i < 100 ? 5 : 40),\(i % 4 == 0 ? 0 : 8)\n"
      }
    let path = folder.path("day.csv")
    try ("time,lat,lon,accuracy_m,speed_mps\n" + fixes.joined())
      .write(toFile: path, atomically: true, encoding: .utf8)
    let text = try Command(["trace", "check", path]).output
    #expect(text.contains("speed in 100 %, 0 in 25 %, accuracy 5 to 40 m"), "\(text)")
    let json = try #require(
      try objects(Command(["trace", "check", path, "--format", "json"])).first
    )
    let receiver = try #require(json["receiver"] as? [String: Any])
    #expect(receiver["speeds"] as? Int == 200 && receiver["zero_speeds"] as? Int == 50)
    #expect(receiver["least_accuracy_m"] as? Double == 5)
    #expect(receiver["most_accuracy_m"] as? Double == 40)
  }

  @Test func `accuracies of meters and of kilometers each say their unit`() throws {
    let rows = "2026-01-05T12:00:00Z,39.3,-76.6,5\n2026-01-05T12:00:01Z,39.3,-76.6,15000\n"
    let path = try write("day.csv", "time,lat,lon,accuracy_m\n" + rows)
    let text = try Command(["trace", "check", path]).output
    #expect(text.contains("accuracy 5 m to 15 km"), "\(text)")
  }

  @Test func `what would distort a replay is named with its line, and fails the check`() throws {
    let trace = try gpx("jump.gpx", Array(0..<100), away: 40..<46)
    let result = try Command(["trace", "check", trace])
    #expect(result.status == 1)
    #expect(result.output.contains("1 teleport: away faster than anything travels, and back"))
    #expect(
      result.output.contains("line 43, point 41 to 46, 2026-01-05T12:00:40Z: 22 km, 5 s, 6 fixes")
    )
  }

  @Test func `what is allowed does not fail the check`() throws {
    let trace = try gpx("jump.gpx", Array(0..<100), away: 40..<46)
    let result = try Command(["trace", "check", trace, "--allow", "gap,teleport"])
    #expect(result.status == 0)
    #expect(result.output.contains("and is allowed"))
    let other = try Command(["trace", "check", trace, "--allow", "gap"])
    #expect(other.status == 1)
  }

  @Test func `mistakes on the command line say what to do`() throws {
    let trace = try gpx("day.gpx", Array(0..<10))
    let cases = [
      (["--allow", "teleports"], "did you mean teleport?"),
      (["--allow", "x"], "known here: missing_time"),
      (["--places=-1"], "at least 0"), (["--jobs", "0"], "at least 1"),
      (["--fix"], "say with -o"), (["-o", folder.path("x.gpx")], "add --fix"),
      (["--fix", "-o", folder.path("x.shp")], "does not end with"),
      (["--fix", "-o", trace], "is the trace itself"),
      ([trace, "--fix", "-o", folder.path("x.gpx")], "one trace"),
    ]
    for (arguments, message) in cases {
      let result = try Command(["trace", "check", trace] + arguments)
      #expect(result.status == 64, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
    #expect(folder.names == ["day.gpx"])
  }

  @Test func `JSON names the same places`() throws {
    let trace = try gpx("jump.gpx", Array(0..<100), away: 40..<46)
    let result = try Command(["trace", "check", trace, "--format", "json"])
    #expect(result.status == 1)
    let object = try #require(try objects(result).first)
    #expect(object["distorts"] as? Bool == true)
    #expect(object["fixes"] as? Int == 100)
    let finding = try #require((object["findings"] as? [[String: Any]])?.first)
    #expect(finding["kind"] as? String == "teleport")
    #expect(finding["severity"] as? String == "distorts")
    let place = try #require((finding["places"] as? [[String: Any]])?.first)
    #expect(place["point"] as? Int == 41)
    #expect(place["last_point"] as? Int == 46)
    #expect(place["line"] as? Int == 43)
    #expect(place["at"] as? String == "2026-01-05T12:00:40Z")
  }

  @Test func `several traces give the same output however many are read at once`() throws {
    var traces: [String] = []
    for number in 0..<12 {
      traces.append(
        try gpx("\(number).gpx", Array(0..<(50 + 211 * number % 400)), away: 20..<(20 + number % 4))
      )
    }
    traces.insert("/nowhere/x.gpx", at: 5)
    traces.insert(try write("notes.txt", "just some notes\n"), at: 9)
    for format in ["text", "json"] {
      let one = try Command(["trace", "check", "--jobs", "1", "--format", format] + traces)
      #expect(one.status == 66)
      for jobs in ["2", "7"] {
        let many = try Command(["trace", "check", "--jobs", jobs, "--format", format] + traces)
        #expect(many.output == one.output)
        #expect(many.errors == one.errors)
        #expect(many.status == one.status)
      }
    }
  }

  @Test func `an unreadable trace says more than a finding`() throws {
    let jump = try gpx("jump.gpx", Array(0..<100), away: 40..<46)
    let notes = try write("notes.txt", "just some notes\n")
    for traces in [[jump, notes], [notes, jump]] {
      let result = try Command(["trace", "check"] + traces)
      #expect(result.status == 65)
      #expect(result.errors.contains("notes.txt"))
      #expect(result.output.contains("teleport"))
    }
  }

  @Test func `a trace without times fails the check, and is told how to get some`() throws {
    let route = try write(
      "route.gpx",
      "<gpx><rte><rtept lat=\"1\" lon=\"2\"/><rtept lat=\"1\" lon=\"2.1\"/></rte></gpx>"
    )
    for more in [[], ["--allow", "missing_time"]] {
      let result = try Command(["trace", "check", route] + more)
      // There is nothing to replay, and every point was read.
      #expect(result.status == 1, "\(result.errors)")
      #expect(result.output.contains("2 missing_time: "), "\(result.output)")
      #expect(result.errors.contains("--assume-speed 13.9"), "\(result.errors)")
    }
    let object = try #require(
      try objects(Command(["trace", "check", route, "--format", "json"])).first
    )
    #expect(object["distorts"] as? Bool == true)
    let notes = try write("notes.txt", "just some notes\n")
    #expect(try Command(["trace", "check", route, notes]).status == 65)
    #expect(try Command(["trace", "check", notes, route]).status == 65)
  }

  @Test func `a trace that breaks off is told as far as it goes`() throws {
    let whole = try gpx("day.gpx", Array(0..<100))
    let text = try String(contentsOfFile: whole, encoding: .utf8)
    let cut = try write("cut.gpx", String(text.prefix(4_000)))
    let result = try Command(["trace", "check", cut])
    #expect(result.status == 65)
    #expect(result.output.contains(" fixes in "))
    #expect(result.errors.contains("cut.gpx:"))
    let repaired = folder.path("whole.gpx")
    let repair = try Command(["trace", "check", cut, "--fix", "-o", repaired])
    #expect(repair.status == 0)
    #expect(repair.errors.contains("what stands before that place was repaired"))
    #expect(try Command(["trace", "check", repaired]).status == 0)
  }

  @Test func `a repair says what it did, checks clean, and leaves the trace alone`() throws {
    let order = Array(0..<30) + Array(60..<90) + Array(30..<60) + [89, 90, 91] + Array(92..<150)
    let trace = try gpx("odd.gpx", order, away: 100..<104)
    let before = try String(contentsOfFile: trace, encoding: .utf8)
    for ending in ["gpx"] {
      let clean = folder.path("clean.\(ending)")
      let result = try Command(["trace", "check", trace, "--fix", "-o", clean])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      #expect(result.output.contains("30 fixes moved to their place in time"))
      #expect(result.output.contains("1 fix dropped that had the same stamp as another"))
      #expect(result.output.contains("4 fixes dropped that nothing could have reached"))
      let again = folder.path("again.\(ending)")
      let second = try Command(["trace", "check", clean, "--fix", "-o", again])
      #expect(second.status == 0)
      #expect(second.output.contains("nothing was changed"))
      #expect(
        try String(contentsOfFile: again, encoding: .utf8)
          == String(contentsOfFile: clean, encoding: .utf8)
      )
    }
    #expect(try String(contentsOfFile: trace, encoding: .utf8) == before)
  }

  @Test func `a trace without a usable point is not repaired into an empty one`() throws {
    let empty = try write("empty.gpx", "<gpx><trk><trkseg/></trk></gpx>")
    let result = try Command(["trace", "check", empty, "--fix", "-o", folder.path("x.gpx")])
    #expect(result.status == 65)
    #expect(folder.names == ["empty.gpx"])
  }

  @Test func `standard input is a trace, too`() throws {
    let trace = try gpx("day.gpx", Array(0..<100))
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    let result = try Command(["trace", "check", "-"], input: text)
    #expect(result.status == 0)
    #expect(result.output.contains("standard input: 100 fixes"))
  }

  @Test func `the help names every finding`() throws {
    let help = try Command(["trace", "check", "--help"]).output
    for name in ["teleport", "time_reversal", "stuck", "cadence_change", "optimistic_accuracy"] {
      #expect(help.contains(name))
    }
  }

  @Test func `memory does not grow with the trace`() throws {
    func trace(hours: Int) throws -> String {
      let text = (0..<(hours * 3_600))
        .map { second in
          let clock = [second / 3_600 % 24, second / 60 % 60, second % 60]
            .map { $0 < 10 ? "0\($0)" : "\($0)" }
          let latitude = 39 + Double(second % 36_000) * 1e-5
          return "<trkpt lat=\"\(latitude)\" lon=\"-76.6\"><time>2026-01-0\(1 + second / 86_400)T"
            + clock.joined(separator: ":") + "Z</time></trkpt>\n"
        }
      return try write(
        "\(hours).gpx",
        "<gpx><trk><trkseg>\n" + text.joined() + "</trkseg></trk></gpx>\n"
      )
    }
    let small = try Command(["trace", "check", trace(hours: 4)], measuresMemory: true)
    let large = try Command(["trace", "check", trace(hours: 150)], measuresMemory: true)
    #expect(small.status == 0 || small.status == 1, "\(small.errors)")
    let (least, most) = (try #require(small.peakMebibytes), try #require(large.peakMebibytes))
    // A short run may end before its peak is seen.
    #expect(most < max(least, 30) + 20, "\(least) MiB for 4 h, \(most) MiB for 150 h")
  }
}
