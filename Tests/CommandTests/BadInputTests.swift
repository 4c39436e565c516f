import Foundation
import TestSupport
import Testing

/// Everything that people get wrong: a sentence, the right exit status, and nothing half written.
@Suite struct BadInputTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let trace: String
  private let reminders: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    trace = folder.path("day.gpx")
    reminders = folder.path("reminders.json")
    let places = folder.path("places.csv")
    try "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner Pharmacy\n"
      .write(toFile: places, atomically: true, encoding: .utf8)
    try Self.gpx(points: 20).write(toFile: trace, atomically: true, encoding: .utf8)
    try Self.person.write(toFile: reminders, atomically: true, encoding: .utf8)
    #expect(try Command(["cache", "build", places, "-o", cache]).status == 0)
  }

  private static let person = """
    {"time_zone": "America/New_York",
     "places": [{"id": "home", "name": "Home", "kind": "home", "lat": 39.29, "lon": -76.59}],
     "reminders": [{"id": "meds", "title": "fetch meds", "target": {"category": "pharmacy"}}]}
    """

  /// Drives north past the pharmacy, a mile a minute.
  private static func gpx(points: Int) -> String {
    "<gpx><trk><trkseg>"
      + (0..<points)
      .map { i in
        let minute = i < 10 ? "0\(i)" : "\(i % 60)"
        let latitude = 39.1 + Double(i) * 0.01449
        return "<trkpt lat=\"\(latitude)\" lon=\"-76.6\">"
          + "<time>2026-01-05T\(12 + i / 60):\(minute):00Z</time></trkpt>"
      }
      .joined() + "</trkseg></trk></gpx>"
  }

  private func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func replay(
    _ trace: String? = nil,
    cache: String? = nil,
    reminders: String? = nil,
    more: [String] = []
  ) throws -> Command {
    try Command(
      [
        "replay", trace ?? self.trace, "--cache", cache ?? self.cache, "--reminders",
        reminders ?? self.reminders,
      ] + more
    )
  }

  @Test func `an answer that is no map leaves the cache as it was`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: cache))
    for text in ["{\"message\": \"Not Found\"}", "{\"type\": \"Topology\", \"objects\": {}}"] {
      let answer = try write("answer.json", text)
      let result = try Command(["cache", "build", answer, "-o", cache])
      #expect(result.status == 65)
      #expect(result.errors.contains("neither a feature nor a collection"), "\(result.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: cache)) == before)
    }
  }

  @Test func `a pipe that nobody writes to is not waited for`() throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let map = try write("map.csv", "id,lat,lon,category,name\n1,39.3,-76.6,pharmacy,Corner\n")
    for arguments in [
      ["cache", "build", pipe, "-o", cache], ["cache", "build", map, "-o", pipe],
      ["cache", "info", pipe],
    ] {
      let result = try Command(arguments)
      #expect(result.status == 65, "\(arguments): \(result.errors)")
    }
  }

  @Test func `regions that no planner can count, and promises that nobody gave`() throws {
    let many = try replay(more: ["--slots", "9223372036854775807"])
    #expect(many.status == 64)
    #expect(many.errors.contains("--slots must lie between 1 and 10000"))
    let rival = try replay(more: ["--planner", "nearest_edge", "--check-certificate"])
    #expect(rival.status == 64)
    #expect(rival.errors.contains("promises nothing"))
  }

  @Test func `a good day is told, and twice the same`() throws {
    let first = try replay(more: ["--format", "ndjson"])
    #expect(first.status == 0)
    #expect(first.output.contains("You're 5 miles from pharmacy — fetch meds?"))
    #expect(try replay(more: ["--format", "ndjson"]).output == first.output)
    #expect(try replay().output.contains("notified"))
    let map = try replay(more: ["--format", "geojson"])
    let json = try JSONSerialization.jsonObject(with: Data(map.output.utf8)) as? [String: Any]
    #expect((json?["features"] as? [Any])?.count ?? 0 > 1)
    for line in first.output.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
      #expect((object as? [String: Any])?["type"] is String)
    }
  }

  @Test func `an emoji that JSON escapes is read`() throws {
    let text = Self.person.replacingOccurrences(of: "fetch meds", with: #"fetch \ud83d\udc8a"#)
    let result = try replay(reminders: write("emoji.json", text))
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("fetch 💊"))
  }

  @Test func `several traces at once print what one after the other prints`() throws {
    var traces: [String] = []
    for points in 2...9 {
      let path = folder.path("day-\(points).gpx")
      try Self.gpx(points: points * 3).write(toFile: path, atomically: true, encoding: .utf8)
      traces.append(path)
    }
    let broken = folder.path("broken.gpx")
    try Self.gpx(points: 20).dropLast(20).write(toFile: broken, atomically: true, encoding: .utf8)
    for list in [traces, traces + [broken] + traces] {
      for format in ["text", "ndjson"] {
        func run(_ jobs: String) throws -> Command {
          try Command(
            ["replay"] + list + ["--cache", cache, "--reminders", reminders, "--format", format]
              + ["--jobs", jobs]
          )
        }
        let one = try run("1")
        let several = try run("5")
        #expect(several.output == one.output)
        #expect(several.errors == one.errors)
        #expect(several.status == one.status)
        #expect(one.status == (list.contains(broken) ? 65 : 0))
      }
    }
  }

  @Test(arguments: ["text", "ndjson", "day-json"])
  func `a trace without a fix is bad input, and the others are replayed`(format: String) throws {
    let empty = try write("empty.gpx", "<gpx version=\"1.1\"></gpx>")
    let alone = try replay(empty, more: ["--format", format])
    #expect(alone.status == 65)
    #expect(alone.errors.contains("empty.gpx: no fix could be read"), "\(alone.errors)")
    guard format != "day-json" else { return #expect(alone.output.isEmpty) }
    let target = folder.path("both.out")
    let both = try replay(empty, more: [trace, "--format", format, "-o", target])
    #expect(both.status == 65)
    #expect(both.errors.contains("empty.gpx: no fix could be read"), "\(both.errors)")
    #expect(try String(contentsOfFile: target, encoding: .utf8).contains("fetch meds"))
  }

  @Test func `a day on which nothing is told says why`() throws {
    // A file of reminders has at least one; a database may have none yet.
    let database = folder.path("none.db")
    let added = try Command(["place", "add", "home", "--at", "35.9,14.5", "--db", database])
    #expect(added.status == 0, "\(added.errors)")
    let none = try Command(["replay", trace, "--cache", cache, "--db", database])
    #expect(none.output.contains("notified  nothing: there is no reminder\n"), "\(none.output)")
    let bank = Self.person.replacingOccurrences(of: "\"pharmacy\"", with: "\"bank\"")
    let absent = try replay(reminders: write("bank.json", bank))
    #expect(
      absent.output.contains("nothing: the cache has no place of the categories asked for\n"),
      "\(absent.output)"
    )
  }

  @Test func `a policy that cannot be read leaves no half of one`() throws {
    let result = try Command([
      "policy", "show", "--policy", write("policy.yaml", "tiers: {arrival_radius: soon}\n"),
    ])
    #expect(result.status == 65, "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func `a file that is quoted drives no terminal`() throws {
    let file = try write("p.yaml", "a: \"\u{1B}[31mRED\u{1B}]0;owned\u{7}\"\n")
    let result = try replay(more: ["--policy", file])
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("nearme: "))
    #expect(
      !result.errors.contains { "\u{1B}\u{7}".contains($0) },
      "\(result.errors.debugDescription)"
    )
  }

  @Test func `standard input is a trace, too`() throws {
    let result = try Command(
      ["replay", "-", "--cache", cache, "--reminders", reminders],
      input: Self.gpx(points: 20)
    )
    #expect(result.status == 0)
    #expect(result.output.contains("fetch meds"))
  }

  @Test func `missing files are named`() throws {
    for result in [
      try replay("/nowhere/day.gpx"), try replay(cache: "/nowhere/pois.sqlite"),
      try replay(reminders: "/nowhere/r.json"),
      try replay(more: ["--policy", "/nowhere/p.yaml"]),
      try Command(["cache", "build", "/nowhere/x.osm.pbf", "-o", cache]),
    ] {
      #expect(result.status == 66, "\(result.errors)")
      #expect(result.errors.contains("/nowhere/"))
      #expect(result.output.isEmpty)
    }
  }

  @Test func `wrong formats are named`() throws {
    let text = try write("notes.txt", "just some notes\n")
    for result in [
      try replay(text), try replay(cache: text),
      try Command(["cache", "build", text, "-o", folder.path("new.sqlite")]),
    ] {
      #expect(result.status == 65, "\(result.errors)")
      #expect(result.errors.contains("notes.txt"))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("new.sqlite")))
  }

  @Test func `a track without times is refused with advice`() throws {
    let file = try write(
      "route.gpx",
      "<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>"
    )
    let result = try replay(file)
    #expect(result.status == 65)
    #expect(result.errors.contains("a replay needs times"))
  }

  @Test func `a cut trace says where it breaks, and leaves no half output`() throws {
    let file = try write("cut.gpx", String(Self.gpx(points: 20).prefix(900)))
    let target = folder.path("out.ndjson")
    let result = try replay(file, more: ["--format", "ndjson", "-o", target])
    #expect(result.status == 65)
    #expect(result.errors.contains("cut.gpx:1"))
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(folder.names.allSatisfy { !$0.contains("partial") })
  }

  @Test func `mistakes in a reminders file name the line and the nearest known key`() throws {
    let answer = #", "actions": [{"reminder": "meds", "action": "complete", "at": "#
    let cases: [(String, String)] = [
      (
        Self.person.dropLast() + answer + #""2026-01-05T12:00:00"}]}"#,
        "must have its zone behind it"
      ),
      (#"{"reminder": []}"#, "did you mean \"reminders\"?"),
      (#"{"reminders": []}"#, "has no reminders"),
      (Self.person.replacingOccurrences(of: "39.29", with: "91"), "latitude 91"),
      (Self.person.replacingOccurrences(of: "title", with: "titel"), "did you mean \"title\"?"),
      (
        Self.person.replacingOccurrences(of: #""category": "pharmacy""#, with: #""place": "hom""#),
        "did you mean \"home\"?"
      ),
      (Self.person.replacingOccurrences(of: "America/New_York", with: "Mars/Base"), "time zone"),
      (Self.person.replacingOccurrences(of: #""fetch meds""#, with: "null"), "needs the key"),
      (
        Self.person.replacingOccurrences(of: #""target""#, with: #""tiers": ["9e9km"], "target""#),
        "is no tier"
      ),
      (
        Self.person.dropLast() + #", "actions": [{"at": "2026-01-05T12:00:00Z", "#
          + #""reminder": "meds", "action": "complete", "for": "15m"}]}"#,
        "only snooze has"
      ),
      ("{", "neither YAML nor JSON"),
      ("", "empty"),
    ]
    for (i, (text, hint)) in cases.enumerated() {
      let result = try replay(reminders: write("bad\(i).json", text))
      #expect(result.status == 65, "\(hint): \(result.errors)")
      #expect(result.errors.contains(hint), "\(result.errors)")
      #expect(result.errors.contains("bad\(i).json"))
    }
  }

  @Test func `a folder where a file is needed is said to be one`() throws {
    let inner = folder.path("inner")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    let database = folder.path("me.db")
    #expect(try Command(["reminder", "add", "call Ann", "--db", database]).status == 0)
    for (arguments, status) in [
      (["trace", "check", inner], 65), (["cache", "info", inner], 65),
      (["cache", "build", inner, "-o", folder.path("new.sqlite")], 65),
      (["cache", "build", cache, "-o", inner], 64),
      (["policy", "show", "--policy", inner], 65), (["reminder", "list", "--db", inner], 65),
      (["reminder", "import", inner, "--db", database], 65),
      (["reminder", "list", "--db", database, "--key-file", inner], 65),
      (["replay", "--journal", inner, "--cache", cache], 65),
      (["reminder", "export", "--db", database, "-o", inner], 64),
      (["run", "--cache", cache, "--db", database, "--journal", inner], 64),
      (["run", "--cache", cache, "--db", database, "--sink", "ndjson:" + inner], 64),
      (
        [
          "run", "--cache", cache, "--db", database, "--sink", "webhook:http://127.0.0.1:1",
          "--webhook-authorization", inner,
        ], 65
      ),
    ] as [([String], Int32)] {
      let result = try Command(arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(
        result.errors.contains(inner) && result.errors.contains("is a folder"),
        "\(arguments): \(result.errors)"
      )
    }
    // The other way round.
    let served = try Command(["person", "add", "anna", "--home", database])
    #expect(served.status == 65)
    #expect(
      served.errors.contains("\(database): this is a file: name a folder"),
      "\(served.errors)"
    )
  }

  @Test func `mistakes in a policy name the key`() throws {
    for (text, hint) in [
      ("cooldwon: {}", "did you mean \"cooldown\"?"),
      ("cooldown: {overall: sometimes}", "must be a span"),
      ("quiet_hours: {start: \"25:00\", end: \"07:00\"}", "time of day"),
      ("quiet_hours: {start: \"22:00\"}", "both start and end"),
      ("tiers: {category: [\"arival\"]}", "is no tier"),
      ("monitor: {slots: 0}", "whole number"),
    ] {
      let result = try replay(more: ["--policy", write("p.yaml", text)])
      #expect(result.status == 65, "\(hint)")
      #expect(result.errors.contains(hint), "\(result.errors)")
    }
  }

  @Test func `tiers that do not lie inside one another are refused`() throws {
    let text = Self.person.replacingOccurrences(
      of: #""target""#,
      with: #""tiers": ["100m", "arrival"], "target""#
    )
    let result = try replay(reminders: write("tiers.json", text))
    #expect(result.status == 65)
    #expect(result.errors.contains("arrival must be the innermost tier"))
  }

  @Test func `wrong usage is told apart from bad data`() throws {
    for arguments in [
      ["replay"], ["replay", trace], ["replay", trace, "--cache", cache, "--reminders"],
      ["replay", trace, "--cache", cache, "--reminders", reminders, "--slots", "0"],
      ["replay", trace, "--cache", cache, "--reminders", reminders, "--monitor", "magic"],
      ["nonsense"],
    ] {
      #expect(try Command(arguments).status == 64, "\(arguments)")
    }
    let negative = try Command([
      "replay", trace, "--cache", cache, "--reminders", reminders, "--slots", "-1",
    ])
    #expect(negative.status == 64)
    #expect(negative.errors.contains("--slots must lie between 1 and 10000"))
  }

  @Test func `a folder that cannot be written to is an I/O error`() throws {
    #expect(try replay(more: ["-o", "/nowhere/deep/out.txt"]).status == 74)
    #expect(
      try Command(["cache", "build", folder.path("places.csv"), "-o", "/nowhere/p.sqlite"]).status
        == 74
    )
  }

  @Test func `Ctrl-C stops cleanly and writes nothing`() throws {
    let target = folder.path("stopped.ndjson")
    // Enough of a day to be in the middle of, with the pipe still open.
    let endless = String(Self.gpx(points: 600).dropLast("</trkseg></trk></gpx>".count))
    let result = try Command(
      [
        "replay", "-", "--cache", cache, "--reminders", reminders, "--format", "ndjson", "-o",
        target,
      ],
      input: endless,
      interruptedAfter: 0.5,
      // The end of the input would be a cut trace, and race with Ctrl-C.
      keepsInputOpen: true
    )
    #expect(result.status == 130, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: target))
    #expect(folder.names.allSatisfy { !$0.contains("partial") })
  }

  @Test func `Ctrl-C ends a command that waits for input`() throws {
    let result = try Command(
      ["replay", "-", "--cache", cache, "--reminders", reminders, "-o", folder.path("never.txt")],
      input: "<gpx>",
      interruptedAfter: 0.3,
      keepsInputOpen: true
    )
    #expect(result.status == 130)
    #expect(folder.names.allSatisfy { !$0.contains("never") })
  }

  @Test func `a category that the cache has none of is pointed out`() throws {
    let text = Self.person.replacingOccurrences(of: "\"pharmacy\"", with: "\"bank\"")
    let result = try replay(reminders: write("bank.json", text))
    #expect(result.status == 0)
    #expect(result.errors.contains("has no bank"))
  }

  @Test func `help teaches by example`() throws {
    for arguments in [
      ["replay", "--help"], ["cache", "build", "--help"], ["policy", "show", "--help"],
    ] {
      let result = try Command(arguments)
      #expect(result.status == 0)
      #expect(result.output.contains("nearme "))
    }
  }
}
