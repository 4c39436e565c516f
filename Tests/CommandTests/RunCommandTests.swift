import Foundation
import GRDBSQLite
import TestSupport
import Testing

/// `nearme run` as people run it.
@Suite struct RunCommandTests {
  private let day: LiveDay

  init() throws { day = try LiveDay() }

  private var fixes: String { get throws { try String(contentsOfFile: day.feed, encoding: .utf8) } }

  @Test func `lines that are no fixes are named, counted and passed over`() throws {
    let database = try day.database("me.db")
    let lines = try fixes.split(separator: "\n").map(String.init)
    let odd = ["hello", "{\"lat\":1", "$GPRMC,1*00", "{\"class\":\"SKY\"}"]
    let input = (odd + lines.prefix(400) + odd + lines.dropFirst(400)).joined(separator: "\n")
    let clean = try Command(
      day.arguments(try day.database("clean.db"), ["ndjson"]),
      input: try fixes
    )
    let result = try Command(day.arguments(database, ["ndjson"]), input: input)
    #expect(result.status == 0)
    #expect(result.output == clean.output)
    for part in [
      "a line is passed over line=1 reason=unknown_line",
      "a line is passed over line=2 reason=bad_json", "passed_over_unknown_line=2",
      "passed_over_bad_check_sum=2", "passed_over_no_position=2", "fixes=5",
    ] {
      #expect(result.errors.contains(part), "\(part): \(result.errors)")
    }
    for secret in ["prescription", "Library", "-34."] {
      #expect(!result.errors.contains(secret), "\(secret): \(result.errors)")
    }
    // With four decimals: times have three, and some are of 37.99 seconds.
    #expect(!result.errors.contains(/37\.99\d\d/), "\(result.errors)")
  }

  @Test func `a feed in gzip is the same feed`() throws {
    let plain = try Command(
      day.arguments(try day.database("plain.db"), ["ndjson"]),
      input: try fixes
    )
    let packed = day.folder.path("feed.gz")
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
    gzip.arguments = ["-c", "gzip -c '\(day.feed)' > '\(packed)'"]
    try gzip.run()
    gzip.waitUntilExit()
    let bytes = try Data(contentsOf: URL(fileURLWithPath: packed))
    let result = try Command(day.arguments(try day.database("me.db"), ["ndjson"]), data: bytes)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == plain.output && !plain.output.isEmpty)
    let torn = try Command(
      day.arguments(try day.database("torn.db"), ["ndjson"]),
      data: bytes.prefix(bytes.count / 2)
    )
    #expect(torn.status == 65)
    #expect(torn.errors.contains("the gzip data ends in the middle"), "\(torn.errors)")
    #expect(!torn.output.isEmpty)
  }

  @Test func `a day is the same in every format and packing`() throws {
    let plain = try Command(
      day.arguments(try day.database("plain.db"), ["ndjson"]),
      input: try fixes
    )
    var inputs = [
      "gpx.gz": try Data(contentsOf: LiveDay.root.appending(path: "traces/errands.gpx.gz"))
    ]
    for format in ["csv", "kml", "geojson", "gpx"] {
      let path = day.folder.path("day.\(format)")
      #expect(try Command(["trace", "convert", day.feed, "-o", path]).status == 0)
      inputs[format] = try Data(contentsOf: URL(fileURLWithPath: path))
    }
    let geojson = try JSONSerialization.jsonObject(with: try #require(inputs["geojson"]))
    inputs["lines of JSON"] = try JSONSerialization.data(
      withJSONObject: geojson,
      options: .prettyPrinted
    )
    let table = String(decoding: try #require(inputs["csv"]), as: UTF8.self)
    inputs["UTF-16"] = Data([0xFF, 0xFE]) + (table.data(using: .utf16LittleEndian) ?? Data())
    for (name, path) in [("bzip2", "bzip2 -c '%'"), ("zip", "zip -q -j - '%'")] {
      let command = path.replacingOccurrences(of: "%", with: day.folder.path("day.kml"))
      let packer = Process()
      packer.executableURL = URL(fileURLWithPath: "/bin/sh")
      packer.arguments = ["-c", "\(command) > '\(day.folder.path(name))'"]
      try packer.run()
      packer.waitUntilExit()
      // Not every system has them.
      guard packer.terminationStatus == 0 else { continue }
      inputs[name] = try Data(contentsOf: URL(fileURLWithPath: day.folder.path(name)))
    }
    for (name, bytes) in inputs.sorted(by: { $0.key < $1.key }) {
      let database = try day.database("\(name).db")
      let result = try Command(day.arguments(database, ["ndjson"]), data: bytes)
      #expect(result.status == 0, "\(name): \(result.errors)")
      #expect(result.output == plain.output && !plain.output.isEmpty, "\(name)")
      #expect(result.errors.contains("fixes=5909"), "\(name): \(result.errors)")
    }
  }

  @Test func `a policy file changes what it names, and not the room that the profile gives`() throws
  {
    let database = day.folder.path("five.db")
    for number in 1...5 {
      let added = try Command([
        "reminder", "add", "errand \(number)", "--category", "pharmacy", "--db", database,
      ])
      #expect(added.status == 0, "\(added.errors)")
    }
    let policy = day.folder.path("km.yaml")
    try "text:\n  distance_unit: kilometers\n"
      .write(
        toFile: policy,
        atomically: true,
        encoding: .utf8
      )
    let live = try Command(
      day.arguments(database, ["ndjson"]) + ["--policy", policy],
      input: try fixes
    )
    let again = try Command([
      "replay", day.feed, "--cache", day.cache, "--db", database, "--monitor", "stream",
    ])
    for (result, unit) in [(live, "kilometers"), (again, "miles")] {
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("errand 5") && result.output.contains(unit))
    }
  }

  @Test func `a pause behind packed sentences cuts no instant in two`() throws {
    func sentence(_ body: String) -> String {
      let sum = body.utf8.reduce(UInt8(0)) { $0 ^ $1 }
      return "$\(body)*" + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true) + "\r\n"
    }
    let text = (0..<4_000)
      .map { second in
        let clock = [second / 3_600 + 8, second / 60 % 60, second % 60]
          .map { ($0 < 10 ? "0" : "") + "\($0)" }.joined()
        return sentence("GPRMC,\(clock).00,A,3800.0000,N,03400.0000,W,1.0,90.0,030326,,,A")
          + sentence("GPGGA,\(clock).00,3800.0000,N,03400.0000,W,1,08,1.0,10.0,M,,M,,")
      }
      .joined()
    let (plain, packed) = (day.folder.path("day.nmea"), day.folder.path("day.nmea.gz"))
    try text.write(toFile: plain, atomically: true, encoding: .utf8)
    let database = try day.database("me.db")
    let arguments = day.arguments(database, ["ndjson"]).map { "'\($0)'" }.joined(separator: " ")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c",
      "gzip -c '\(plain)' > '\(packed)'; (cat '\(packed)'; sleep 3) | '\(Command.binary.path)' \(arguments) > /dev/null 2> '\(plain).said'",
    ]
    try shell.run()
    shell.waitUntilExit()
    let said = try String(contentsOfFile: plain + ".said", encoding: .utf8)
    #expect(said.contains("fixes=4000") && !said.contains("refused"), "\(said)")
  }

  @Test func `a trace that cannot be used says why`() throws {
    let gpx = "<gpx><trk><trkseg><trkpt lat=\"38\" lon=\"-34\"/></trkseg></trk></gpx>"
    for (index, (input, more, part)) in [
      ("<gpx></gpx>", [], "no fix could be read (GPX of 0 points)"),
      ("time,lat,lon\n1772524800,138,-34\n", [], "no fix could be read (CSV of 1 point)"),
      (gpx, [], "no point has a time"), ("SQLite format 3", [], "looks like an SQLite database"),
      ("a,b,c\n1,2,3\n", ["--columns", "time=a,lat=b,lon=x"], "there is no column x"),
    ]
    .enumerated() as EnumeratedSequence<[(String, [String], String)]> {
      let database = try day.database("me\(index).db")
      let result = try Command(day.arguments(database, ["ndjson"]) + more, input: input)
      #expect(result.status == 65, "\(input): \(result.errors)")
      #expect(result.errors.contains(part), "\(result.errors)")
    }
    let motion = ["--assume-speed", "10", "--assume-start", "2026-03-03T08:00:00Z"]
    let lines = (0..<3).map { "{\"lat\":38.00\($0),\"lon\":-34.15}\n" }.joined()
    let untimed = try day.database("untimed.db")
    for input in [lines, try fixes] {
      let result = try Command(day.arguments(untimed, ["ndjson"]) + motion, input: input)
      #expect(result.status == 0 && result.errors.contains("fixes="), "\(result.errors)")
    }
    for (input, name) in [
      ("time,lat,lon\n2026-03-03 09:00:00,38,-34.15\n", "table"),
      ("{\"time\":\"2026-03-03 09:00:00\",\"lat\":38,\"lon\":-34.15}\n", "lines"),
    ] {
      let arguments = day.arguments(try day.database("\(name).db"), ["ndjson"])
      let plain = try Command(arguments, input: input)
      #expect(
        plain.errors.contains(
          "times without a zone are taken as UTC: --assume-zone says otherwise"
        ),
        "\(plain.errors)"
      )
      let assumed = try Command(arguments + ["--assume-zone", "Europe/Berlin"], input: input)
      #expect(assumed.errors.contains("zone=Europe/Berlin"), "\(assumed.errors)")
    }
    // What was made up must not harm what comes after it.
    let after = try Command(day.arguments(untimed, ["ndjson"]), input: try fixes)
    #expect(after.status == 0, "\(after.errors)")
    let result = try Command(
      day.arguments(try day.database("moved.db"), ["ndjson"]) + motion,
      input: gpx
    )
    #expect(result.status == 0 && result.errors.contains("fixes=1"), "\(result.errors)")
  }

  @Test func `dates that may be two are said by a feed, and read once it is known what they are`()
    throws
  {
    let said =
      "12/03/2026 09:00 left out: --dates mdy or --dates dmy says which number is the month"
    for (input, name) in [
      ("time,lat,lon\n12/03/2026 09:00,38,-34.15\n", "table"),
      ("{\"time\":\"12/03/2026 09:00\",\"lat\":38,\"lon\":-34.15}\n", "lines"),
    ] {
      let arguments = day.arguments(try day.database("\(name).db"), ["ndjson"])
      let plain = try Command(arguments, input: input)
      #expect(plain.errors.contains(said), "\(plain.errors)")
      let settled = try Command(arguments + ["--dates", "dmy"], input: input)
      #expect(!settled.errors.contains("left out"), "\(settled.errors)")
      #expect(settled.errors.contains("fixes=1"), "\(settled.errors)")
    }
  }

  @Test func `an input of which nothing can be read ends with 65 and says what was in it`() throws {
    let input = """
      owntracks/me/phone {"_type":"encrypted","data":"AAAA"}
      owntracks/me/phone {"_type":"encrypted","data":"AAAA"}
      owntracks/me/phone {"_type":"lwt","tst":1}
      hello

      """
    let result = try Command(day.arguments(try day.database("me.db"), ["ndjson"]), input: input)
    #expect(result.status == 65)
    #expect(
      result.errors.contains(
        "no fix could be read (2 encrypted, first on line 1; 1 lwt, first on line 3; 1 unknown_line, "
          + "first on line 4)"
      ),
      "\(result.errors)"
    )
    #expect(result.errors.contains("passed_over_encrypted=2"))
    #expect(result.errors.contains("switch the app's encryption off"))
    let nothing = try Command(day.arguments(try day.database("none.db"), ["ndjson"]), input: "\n")
    #expect(nothing.status == 65)
    #expect(
      nothing.errors.contains("no fix could be read (nothing with a position came in)"),
      "\(nothing.errors)"
    )
    // Positions without a day: GGA has the time alone.
    let undated = try Command(
      day.arguments(try day.database("undated.db"), ["ndjson"]),
      input: "$GPGGA,103000,0130.0000,N,00230.0000,W,1,08,1.2,12.0,M,,M,,\n"
    )
    #expect(undated.status == 65)
    #expect(undated.errors.contains("(1 point without a time)"), "\(undated.errors)")
    #expect(undated.errors.contains("--assume-date 2024-06-15"), "\(undated.errors)")
    let untimed = try Command(
      day.arguments(try day.database("untimed.db"), ["ndjson"]),
      input: String(repeating: #"{"signal":"unlock"}"# + "\n", count: 3)
    )
    #expect(untimed.status == 65)
    #expect(untimed.errors.contains("(3 signal_without_time)"), "\(untimed.errors)")
    #expect(untimed.errors.contains("passed_over_signal_without_time=3"))
  }

  @Test func `who stays needs no input`() throws {
    let database = try day.database("me.db")
    let added = try Command(["reminder", "add", "hello", "--on", "unlock", "--db", database])
    #expect(added.status == 0, "\(added.errors)")
    let (told, said) = (day.folder.path("told.ndjson"), day.folder.path("said"))
    for path in [told, said] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    let host = Process()
    host.executableURL = Command.binary
    host.arguments = [
      "run", "--cache", day.cache, "--db", database, "--sink", "ndjson", "--stay", "--log-level",
      "info",
    ]
    host.standardInput = FileHandle.nullDevice
    host.standardOutput = FileHandle(forWritingAtPath: told)
    host.standardError = FileHandle(forWritingAtPath: said)
    try host.run()
    #expect(try Self.waits(for: "the input has ended", in: said))
    // What is asked for after that is done.
    #expect(try Command(["signal", "unlock", "--db", database]).status == 0)
    #expect(try Self.waits(for: "Don't forget: hello.", in: told))
    host.interrupt()
    host.waitUntilExit()
    let errors = try String(contentsOfFile: said, encoding: .utf8)
    #expect(host.terminationReason == .exit && host.terminationStatus == 0, "\(errors)")
    #expect(errors.contains("ended delivered="), "\(errors)")
  }

  /// Waits until a file has a text, for a minute at most.
  private static func waits(for text: String, in path: String) throws -> Bool {
    for _ in 0..<3_000 {
      if try String(contentsOfFile: path, encoding: .utf8).contains(text) { return true }
      usleep(20_000)
    }
    return false
  }

  @Test func `it waits for more, and ends cleanly when it is told to`() throws {
    let database = try day.database("me.db")
    let result = try Command(
      day.arguments(database, ["terminal"]),
      input: try fixes,
      interruptedAfter: 0,
      onceItHasSaid: "Still need to",
      keepsInputOpen: true
    )
    #expect(result.status == 0)
    #expect(result.output.contains("Still need to"))
    #expect(result.errors.contains("ended delivered="))
  }

  @Test func `a reader that has gone loses nothing for the next one`() throws {
    let database = try day.database("me.db")
    let command = day.arguments(database, ["ndjson"]).map { "'\($0)'" }.joined(separator: " ")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    let status = day.folder.path("status")
    shell.arguments = [
      "-c",
      "{ '\(Command.binary.path)' \(command) < '\(day.feed)'; echo $? > '\(status)'; } 2>/dev/null "
        + "| true",
    ]
    try shell.run()
    shell.waitUntilExit()
    #expect(try String(contentsOfFile: status, encoding: .utf8) == "74\n")
    let rest = try Command(day.arguments(database, ["ndjson"]), input: try fixes)
    let clean = try Command(
      day.arguments(try day.database("clean.db"), ["ndjson"]),
      input: try fixes
    )
    #expect(rest.status == 0)
    #expect(rest.output == clean.output)
  }

  private static let perl = "/usr/bin/perl"

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: perl), "it needs perl"))
  func `how a command ended is known where whoever started the run ignores that`() throws {
    let told = day.folder.path("told")
    let script = day.folder.path("tell")
    try "#!/bin/sh\ncat >/dev/null\necho \"$NEARME_KEY $NEARME_EVENT\" >>'\(told)'\n"
      .write(toFile: script, atomically: true, encoding: .utf8)
    chmod(script, 0o700)
    let parent = Process()
    parent.executableURL = URL(fileURLWithPath: Self.perl)
    // What it ignores is ignored from the start by the program that takes its place; shells restore this one.
    parent.arguments =
      ["-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV", Command.binary.path]
      + day.arguments(try day.database("me.db"), ["exec:" + script])
    parent.standardInput = FileHandle(forReadingAtPath: day.feed)
    parent.standardOutput = FileHandle.nullDevice
    parent.standardError = FileHandle.nullDevice
    try parent.run()
    parent.waitUntilExit()
    #expect(parent.terminationStatus == 0)
    let lines = try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n")
    #expect(lines.contains { $0.hasSuffix(" posted") })
    #expect(Set(lines).count == lines.count, "told twice: \(lines)")
  }

  @Test func `a second host on a database is told who runs the first`() throws {
    let database = try day.database("me.db")
    let first = Process()
    first.executableURL = Command.binary
    first.arguments = day.arguments(database, ["terminal"])
    let feed = Pipe()
    first.standardInput = feed
    first.standardOutput = FileHandle.nullDevice
    first.standardError = FileHandle.nullDevice
    try first.run()
    for _ in 0..<6_000 {
      let holder = try? String(contentsOfFile: database + ".lock", encoding: .utf8)
      if holder == "\(first.processIdentifier)\n" { break }
      usleep(10_000)
    }
    let second = try Command(day.arguments(database, ["terminal"]))
    #expect(second.status == 74)
    #expect(second.errors.contains("process \(first.processIdentifier) runs a host on it"))
    first.terminate()
    first.waitUntilExit()
    #expect(first.terminationReason == .exit)
    #expect(first.terminationStatus == 0)
  }

  /// Runs the day while another program holds the database, and does something meanwhile.
  ///
  /// - Returns: the exit status, and what was told.
  private func heldRun(
    _ name: String,
    _ meanwhile: (Process, _ letGo: () -> Void) -> Void
  ) throws -> (status: Int32, told: String) {
    let (database, told) = (try day.database(name + ".db"), day.folder.path(name + ".ndjson"))
    var holder: OpaquePointer?
    #expect(sqlite3_open(database, &holder) == SQLITE_OK)
    defer { sqlite3_close(holder) }
    #expect(sqlite3_exec(holder, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    let said = day.folder.path(name + ".said")
    _ = FileManager.default.createFile(atPath: said, contents: nil)
    let errors = try #require(FileHandle(forWritingAtPath: said))
    let process = try day.start(database, ["ndjson:\(told)"], errors: errors)
    #expect(try Self.waits(for: "another program holds the database", in: said))
    meanwhile(process) { sqlite3_exec(holder, "ROLLBACK", nil, nil, nil) }
    process.waitUntilExit()
    return (process.terminationStatus, try String(contentsOfFile: told, encoding: .utf8))
  }

  @Test(.timeLimit(.minutes(30)))
  func `while another program holds the database a run waits, and tells the same afterward`() throws
  {
    let clean = day.folder.path("clean.ndjson")
    #expect(try day.run(try day.database("clean.db"), ["ndjson:\(clean)"]).status == 0)
    let held = try heldRun("held") { process, letGo in
      // Longer than a command waits.
      Thread.sleep(forTimeInterval: 12)
      #expect(process.isRunning)
      letGo()
    }
    #expect(held.status == 0)
    #expect(held.told == (try String(contentsOfFile: clean, encoding: .utf8)))
  }

  @Test(.timeLimit(.minutes(30)))
  func `SIGTERM ends a run whose database another program holds`() throws {
    let held = try heldRun("stopped") { process, _ in process.terminate() }
    #expect(held.status == 0)
    #expect(held.told.isEmpty)
  }

  @Test func `what cannot be is refused before anything happens`() throws {
    let database = try day.database("me.db")
    for (arguments, status, part) in [
      (["--sink", "mail:me"], 64, "known are terminal"),
      (["--sink", "webhook:http://example.org/"], 64, "use https"),
      (["--sink", "exec:/no/such/thing"], 66, "no command /no/such/thing"),
      (["--sink", "ndjson", "--sink", "terminal"], 64, "standard output"),
      (["--sink", "ndjson", "--sink", "ndjson"], 64, "twice"),
      (["--journal", day.feed], 65, "no journal"),
      (["--time-zone", "Nowhere"], 64, "no such zone"),
      (["--policy", "/no/such/file"], 66, "/no/such/file"),
      (["--sink", "ndjson:/no/such/folder/x"], 74, "/no/such/folder/x"),
    ] as [([String], Int32, String)] {
      let result = try Command(
        ["run", "--cache", day.cache, "--db", database, "--clock", "fixes"] + arguments
      )
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.contains(part), "\(arguments): \(result.errors)")
    }
    let missing = try Command(["run", "--cache", day.cache, "--db", day.folder.path("none.db")])
    #expect(missing.status == 66)
    #expect(missing.errors.contains("reminder add"))
    #expect(!FileManager.default.fileExists(atPath: day.folder.path("none.db.lock")))
  }
}
