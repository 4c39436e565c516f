import Foundation
import Replay
import TestSupport
import Testing

/// `nearme compare`, `nearme twin`, and replays on phones, as people run them.
@Suite struct CompareTests {
  private let folder: TemporaryFolder
  private let cache: String
  private let trace: String
  private let reminders: String

  /// A drive north past a pharmacy, a mile a minute; home is where it begins.
  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    trace = folder.path("day.gpx")
    reminders = folder.path("reminders.json")
    let places = folder.path("places.csv")
    let rows = (1...40).map { "\($0),\(39.2 + Double($0) * 0.004),-76.6,pharmacy,P\($0)\n" }
    try ("id,lat,lon,category,name\n" + rows.joined())
      .write(toFile: places, atomically: true, encoding: .utf8)
    try Self.gpx.write(toFile: trace, atomically: true, encoding: .utf8)
    try Self.person.write(toFile: reminders, atomically: true, encoding: .utf8)
    #expect(try Command(["cache", "build", places, "-o", cache]).status == 0)
  }

  private static let person = """
    {"places": [{"id": "home", "name": "Home", "kind": "home", "lat": 39.1, "lon": -76.6}],
     "reminders": [{"id": "meds", "title": "fetch meds", "target": {"category": "pharmacy"}},
                   {"id": "keys", "title": "take the keys", "target": {"place": "home"}}]}
    """

  private static let gpx: String = {
    let points = (0..<480)
      .map { i in
        let (minute, second) = (i / 12, i % 12 * 5)
        let time =
          "2026-01-05T12:\(minute < 10 ? "0" : "")\(minute):\(second < 10 ? "0" : "")\(second)Z"
        let latitude = 39.1 + Double(i) * 0.0012
        return "<trkpt lat=\"\(latitude)\" lon=\"-76.6\"><time>\(time)</time></trkpt>"
      }
    return "<gpx><trk><trkseg>" + points.joined() + "</trkseg></trk></gpx>"
  }()

  private func write(_ name: String, _ text: String) throws -> String {
    try text.write(toFile: folder.path(name), atomically: true, encoding: .utf8)
    return folder.path(name)
  }

  private func compare(_ more: [String], traces: [String]? = nil) throws -> Command {
    try Command(["compare"] + (traces ?? [trace]) + ["--cache", cache] + more)
  }

  /// A folder with two people, each with a home of their own.
  private func corpus() throws -> String {
    let corpus = folder.path("corpus")
    try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
    for (i, name) in ["ada", "ben"].enumerated() {
      try Self.gpx.write(toFile: "\(corpus)/\(name).gpx", atomically: true, encoding: .utf8)
      let truth = """
        {"tz": "America/New_York", "home": {"lat": \(39.12 + Double(i) * 0.01), "lon": -76.6},
         "work": null, "visits": []}
        """
      try truth.write(toFile: "\(corpus)/\(name).truth.json", atomically: true, encoding: .utf8)
    }
    return corpus
  }

  @Test func `ours misses nothing on an ideal service, and the table says what others do`() throws {
    let result = try compare(["--reminders", reminders, "--slots", "3,20", "--format", "json"])
    #expect(result.status == 0, "\(result.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let rows = try #require((object as? [String: Any])?["rows"] as? [[String: Any]])
    // Two services, two numbers of regions and four strategies, and one without a limit each.
    #expect(rows.count == 18)
    let ours = rows.filter {
      $0["strategy"] as? String == "safe_region" && $0["monitor"] as? String == "ideal"
    }
    #expect(ours.count == 2)
    for row in ours {
      #expect(row["missed"] as? Int == 0 && row["spurious"] as? Int == 0)
      #expect(row["expected"] as? Int ?? 0 > 4)
      #expect(row["minutes_at_risk"] as? Double == 0)
    }
    for row in rows {
      if let slots = row["slots"] as? Int { #expect(row["held_most"] as? Int ?? 99 <= slots) }
    }
  }

  @Test func `the same seed gives the same bytes, whatever the number of jobs`() throws {
    let corpus = try corpus()
    let page = folder.path("page.html")
    let first = try compare(["--jobs", "1", "--report", page], traces: [corpus])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output.contains("2 traces"))
    #expect(first.output.contains("server_bubble"))
    let again = try compare(["--jobs", "4"], traces: [corpus])
    #expect(first.output == again.output)
    let written = try ReportPage(path: page)
    #expect(try written.report(ComparisonReport.self).rows.count == 10)
    #expect(written.dangers.isEmpty)
    #expect(written.html.hasSuffix("</html>\n"))
    let other = try compare(["--seed", "2"], traces: [corpus])
    #expect(other.output != first.output)
  }

  @Test func `a trace that is named twice, by whatever name, is refused`() throws {
    let corpus = try corpus()
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: corpus)
    for traces in [
      [trace, trace], [corpus, corpus + "/ada.gpx"], [corpus + "/ada.gpx", link],
    ] {
      let run = try compare(["--reminders", reminders], traces: traces)
      #expect(run.status == 65, "\(run.errors)")
      #expect(run.errors.contains("would count twice: name it once"), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  @Test func `a time zone that nobody knows is refused`() throws {
    let corpus = try corpus()
    let truth = corpus + "/ben.truth.json"
    let text = try String(contentsOfFile: truth, encoding: .utf8)
    try text.replacing("America/New_York", with: "America/New_Yrok")
      .write(toFile: truth, atomically: true, encoding: .utf8)
    let run = try compare([], traces: [corpus])
    #expect(run.status == 65, "\(run.errors)")
    #expect(
      run.errors.contains("ben.truth.json: \"America/New_Yrok\" is no time zone this system knows"),
      "\(run.errors)"
    )
  }

  private static let hostile = "</script><script>alert(1)</script>"

  /// A walk past a place with a hostile name; places with nearer edges lie to the side.
  private func hostilePage() throws -> ReportPage {
    let places = (0..<100).map { "\($0),39.3036,\(-76.6417 + Double($0) * 0.00058),pharmacy,P\n" }
    let points = (0..<500)
      .map { i in
        let time = "2026-01-05T12:00:00Z"
          .replacingOccurrences(
            of: "12:00:00",
            with: [12 + i / 720, i / 12 % 60, i % 12 * 5].map { $0 < 10 ? "0\($0)" : "\($0)" }
              .joined(separator: ":")
          )
        let longitude = -76.6417 + Double(i) * 0.000116
        return "<trkpt lat=\"39.3\" lon=\"\(longitude)\"><time>\(time)</time></trkpt>"
      }
    let me = """
      {"places": [{"id": "\(Self.hostile)", "name": "x", "kind": "other", "lat": 39.3, "lon": -76.6}],
       "reminders": [{"id": "\(Self.hostile)", "title": "t", "target": {"place": "\(Self.hostile)"},
                      "tiers": ["arrival"]},
                     {"id": "meds", "title": "t", "target": {"category": "pharmacy"},
                      "tiers": ["arrival"]}]}
      """
    let cache = folder.path("hostile.sqlite")
    let build = try Command([
      "cache", "build", write("hostile.csv", "id,lat,lon,category,name\n" + places.joined()), "-o",
      cache,
    ])
    #expect(build.status == 0, "\(build.errors)")
    let page = folder.path("hostile.html")
    let result = try Command([
      "compare",
      write("hostile.gpx", "<gpx><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"),
      "--cache", cache, "--reminders", write("hostile.json", me), "--slots", "5,20", "--report",
      page,
    ])
    #expect(result.status == 0, "\(result.errors)")
    return try ReportPage(path: page)
  }

  @Test func `names stay text in a page, and the report is in it`() throws {
    let page = try hostilePage()
    let report = try page.report(ComparisonReport.self)
    #expect(report.drive?.reminder == Self.hostile)
    #expect(!page.html.contains("<script>alert"))
    // Each ends where it should: the report, and the script that shows it.
    #expect(page.html.components(separatedBy: "</script>").count == 3)
  }

  @Test(.enabled(if: ReportPage.canBeDrawn))
  func `a browser shows the drive and the table of the page`() throws {
    let page = try hostilePage()
    let report = try page.report(ComparisonReport.self)
    let drawn = try page.drawn()
    #expect(drawn.contains("of \"&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;\""))
    for words in [
      "<h1>Regions compared</h1>", "<h2>One drive</h2>", "</b>: ", " regions, missed",
      " regions, found", "the boundary that was crossed", "<h3>ideal</h3>", "<h3>ios</h3>",
      report.summary, "<td class=\"left\">server_bubble</td>", "OpenStreetMap contributors",
    ] {
      #expect(drawn.contains(words), "\(words)")
    }
    #expect(drawn.components(separatedBy: "<svg viewBox=\"0 0").count == 3)
    #expect(drawn.components(separatedBy: "<tr").count == report.rows.count + 3)
  }

  @Test(.enabled(if: ReportPage.canBeDrawn), arguments: [true, false])
  func `a page without a drive says why`(_ isAlone: Bool) throws {
    let page = folder.path("none.html")
    let strategies = isAlone ? "safe_region" : "safe_region,nearest_edge"
    let result = try compare([
      "--reminders", reminders, "--monitors", "ideal", "--slots", "100", "--strategies",
      strategies, "--report", page,
    ])
    #expect(result.status == 0, "\(result.errors)")
    let written = try ReportPage(path: page)
    let missed = try written.report(ComparisonReport.self).missedByOthers
    #expect(missed == (isAlone ? nil : 0))
    #expect(
      try written.drawn()
        .contains(isAlone ? "Nothing was compared with" : "no strategy missed a transition")
    )
  }

  @Test func `a phone is late, and a twin file changes how`() throws {
    let twin = try write("twin.yaml", "latency: {moving: {p50: 4m, p90: 5m, p95: 5m}}\n")
    let replay = ["replay", trace, "--cache", cache, "--reminders", reminders]
    let quick = try Command(replay + ["--monitor", "ios"])
    let slow = try Command(replay + ["--monitor", "ios", "--twin", twin])
    #expect(quick.status == 0 && slow.status == 0, "\(slow.errors)")
    #expect(quick.output != slow.output)
    #expect(try Command(replay + ["--monitor", "ios", "--seed", "2"]).output != quick.output)
  }

  @Test func `what twin show prints can be read, and changes nothing`() throws {
    for name in ["ideal", "ios", "android"] {
      let shown = try Command(["twin", "show", name])
      #expect(shown.status == 0)
      let file = try write("\(name).yaml", shown.output)
      // Over the wrong one, too: it is complete.
      let other = name == "ios" ? "android" : "ios"
      #expect(try Command(["twin", "show", other, "--twin", file]).output == shown.output)
    }
  }

  @Test func `policies for phones are shown and can be read`() throws {
    let ios = try Command(["policy", "show", "--monitor", "ios"])
    #expect(ios.output.contains("anticipation: \"200m\""))
    #expect(ios.output.contains("largest_region: \"100000m\""))
    for key in ["smallest_region", "smallest_safe_radius", "cushion"] {
      #expect(ios.output.contains("\(key): \"100m\""), "\(key)")
    }
    let file = try write("ios-policy.yaml", ios.output)
    // The first line says whose defaults it is shown over.
    let shown = try Command(["policy", "show", "--policy", file]).output
    #expect(
      shown.split(separator: "\n").dropFirst() == ios.output.split(separator: "\n").dropFirst()
    )
    #expect(ios.output.hasPrefix("# With the defaults of --monitor ios.\n"))
  }

  @Test func `incidents happen in a replay`() throws {
    let incidents = try write(
      "incidents.json",
      """
      {"incidents": [{"at": "2026-01-05T12:02:00Z", "kind": "killed"},
                     {"at": "2026-01-05T12:09:00Z", "kind": "services_off"},
                     {"at": "2026-01-05T12:11:00Z", "kind": "services_on"}]}
      """
    )
    let result = try Command([
      "replay", trace, "--cache", cache, "--reminders", reminders, "--incidents", incidents,
      "--format", "ndjson",
    ])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines.count { $0.contains("\"cause\":\"launch\"") } == 2)
    #expect(lines.contains { $0.contains("\"access\":\"services_off\"") })
    #expect(lines.contains { $0.contains("\"access\":\"always\"") })
  }

  static let wrongWishes: [([String], Int, String)] = [
    (["--reminders", "R", "--monitors", "ios,iso"], 64, "did you mean ios?"),
    (["--reminders", "R", "--monitors", "stream"], 64, "stream is what the others"),
    (["--reminders", "R", "--monitors", "ios,ios"], 64, "ios comes twice"),
    (["--reminders", "R", "--strategies", "nearest_center"], 64, "did you mean nearest_centre?"),
    (["--reminders", "R", "--slots", "0"], 64, "\"0\" is no number from 1"),
    (["--reminders", "R", "--slots", "20,20"], 64, "comes twice"),
    (["--reminders", "R", "--jobs", "0"], 64, "--jobs must lie"),
    (["--reminders", "R", "--tolerance", "soon"], 64, "must be a span"),
    (["--reminders", "R", "--twin", "R"], 64, "--twin needs"),
    (
      ["--reminders", "R", "--monitors", "ios", "--slots", "100", "--strategies", "safe_region"],
      64, "no phone has so many regions"
    ),
    (["--reminders", "R", "--report", "/nowhere/page.html"], 74, "cannot be written"),
    ([], 64, "day.truth.json"),
  ]

  @Test(arguments: wrongWishes)
  func `wrong wishes are told`(_ more: [String], _ status: Int, _ sentence: String) throws {
    let result = try compare(more.map { $0 == "R" ? reminders : $0 })
    #expect(Int(result.status) == status, "\(result.errors)")
    #expect(result.errors.contains(sentence), "\(result.errors)")
    #expect(result.output.isEmpty)
  }

  @Test func `wrong files are told, with the line`() throws {
    let missing = try compare([], traces: [folder.path("nothing.gpx")])
    #expect(missing.status == 66)
    #expect(missing.errors.contains("there is no such file or folder"))
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    #expect(try compare([], traces: [empty]).status == 65)
    let corpus = try corpus()
    try "{\"home\": 3}".write(toFile: corpus + "/ben.truth.json", atomically: true, encoding: .utf8)
    let truth = try compare([], traces: [corpus])
    #expect(truth.status == 65)
    #expect(truth.errors.contains("ben.truth.json: is no truth file"))
    let replay = ["replay", trace, "--cache", cache, "--reminders", reminders]
    for (name, text, option, sentence) in [
      ("t1.yaml", "crossing:\n  cusion: 100m\n", "--twin", "t1.yaml:2: crossing: unknown key"),
      ("t2.yaml", "latency: {moving: {p50: 5m, p90: 1m}}\n", "--twin", "must not shrink"),
      ("t3.yaml", "limit: {regions: 0}\n", "--twin", "whole number from 1"),
      ("i1.yaml", "incidents: [{at: noon, kind: killed}]\n", "--incidents", "must be a time"),
      (
        "i2.yaml", "incidents: [{at: 2026-01-05T12:00:00Z, kind: kiled}]\n", "--incidents",
        "did you mean \"killed\"?"
      ),
      ("i3.yaml", "killed: true\n", "--incidents", "unknown key"),
    ] {
      let result = try Command(replay + ["--monitor", "ios", option, write(name, text)])
      #expect(result.status == 65, "\(name): \(result.errors)")
      #expect(result.errors.contains(sentence), "\(name): \(result.errors)")
      #expect(result.output.isEmpty)
    }
    let ideal = try Command(replay + ["--twin", write("t4.yaml", "limit: {regions: 5}\n")])
    #expect(ideal.status == 64)
  }

  @Test func `Ctrl-C stops a comparison and leaves no page behind`() throws {
    let corpus = try corpus()
    let long = (0..<60)
      .map { "\(corpus)/x\($0).gpx" }
    for path in long {
      try FileManager.default.copyItem(atPath: "\(corpus)/ada.gpx", toPath: path)
      try FileManager.default.copyItem(
        atPath: "\(corpus)/ada.truth.json",
        toPath: path.replacingOccurrences(of: ".gpx", with: ".truth.json")
      )
    }
    let page = folder.path("stopped.html")
    let result = try Command(
      [
        "compare", corpus, "--cache", cache, "--slots",
        (1...16).map(String.init).joined(separator: ","), "--monitors", "ideal,ios,android",
        "--jobs", "1", "--report", page,
      ],
      interruptedAfter: 1
    )
    #expect(result.status == 130, "\(result.errors)")
    #expect(!folder.names.contains { $0.hasPrefix("stopped.html") })
  }
}
