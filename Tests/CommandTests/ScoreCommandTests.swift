import Foundation
import TestSupport
import Testing

/// `nearme score` and `nearme explain` as people run them, on the sample day.
@Suite struct ScoreCommandTests {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  private static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

  private let folder: TemporaryFolder
  private let cache: String

  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    let build = try Command(["cache", "build", Self.path("data/port-ardent.osm.pbf"), "-o", cache])
    #expect(build.status == 0, "\(build.errors)")
  }

  /// A corpus of the sample day that a test may spoil.
  private func corpus() throws -> String {
    let target = folder.path("corpus")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in ["errands.gpx.gz", "errands.truth.json", "errands.true.csv.gz"] {
      try FileManager.default.copyItem(
        atPath: Self.path("traces/" + name),
        toPath: target + "/" + name
      )
    }
    return target
  }

  private func score(_ arguments: [String]) throws -> Command {
    let service = arguments.contains("--monitor") ? [] : ["--monitor", "ideal"]
    return try Command(["score"] + arguments + ["--cache", cache] + service)
  }

  @Test func `the sample day is scored from a clean clone`() throws {
    let run = try score([Self.path("traces")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.isEmpty)
    #expect(run.output.contains("1 person-day of 1 person"))
    #expect(run.output.contains("recall, visits of 5 min or more    100.0 %"))
    #expect(run.output.contains("why arrivals were told"))
    let own = try score([
      Self.path("traces"), "--reminders", Self.path("traces/reminders.json"), "--policy",
      Self.path("traces/policy.yaml"),
    ])
    #expect(own.status == 0, "\(own.errors)")
    #expect(own.output.contains("target library"))
    #expect(own.output.contains("quiet hours"))
  }

  @Test(arguments: ["text", "json"])
  func `the output does not depend on the number of jobs`(_ format: String) throws {
    let target = try corpus()
    // Seven days of seven people who live alike.
    for day in 1...6 {
      for suffix in ["gpx.gz", "true.csv.gz"] {
        try FileManager.default.copyItem(
          atPath: "\(target)/errands.\(suffix)",
          toPath: "\(target)/d\(day).\(suffix)"
        )
      }
      // The time of packing, for the same file twice would be one day.
      let trace = URL(fileURLWithPath: "\(target)/d\(day).gpx.gz")
      var packed = try Data(contentsOf: trace)
      packed[4] = UInt8(day)
      try packed.write(to: trace)
      let truth = try String(contentsOfFile: target + "/errands.truth.json", encoding: .utf8)
      try truth.replacing("\"id\": \"errands\"", with: "\"id\": \"d\(day)\"")
        .write(toFile: "\(target)/d\(day).truth.json", atomically: true, encoding: .utf8)
    }
    let runs = try [1, 2, 5]
      .map {
        try score([target, "--jobs", "\($0)", "--format", format, "--monitor", "ios"])
      }
    for run in runs {
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output == runs[0].output)
    }
    #expect(runs[0].output.contains(format == "json" ? "\"days\":7" : "7 person-days of 7 people"))
  }

  @Test func `NM-9.3: JSON is an object with every score`() throws {
    let run = try score([Self.path("traces"), "--format", "json", "--require", "recall>=0.5"])
    let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let report = try #require(object as? [String: Any])
    let parts = try #require(report["parts"] as? [[String: Any]])
    let scores = try #require(parts.first?["scores"] as? [String: Any])
    #expect(scores.count > 30)
    #expect((scores["recall_5min"] as? [String: Any])?["value"] as? Double == 1)
    let ledger = try #require(report["ledger"] as? [String: [[String: Any]]])
    for subject in ["visit", "arrival", "approach"] {
      let shares = try #require(ledger[subject]).compactMap { $0["share"] as? Double }
      #expect(abs(shares.reduce(0, +) - 1) < 1e-4, "\(subject)")
    }
    let kept = try #require(report["requirements"] as? [[String: Any]])
    #expect(kept.first?["kept"] as? Bool == true)
  }

  @Test func `several draws are what each of them is by itself`() throws {
    func read(_ arguments: [String]) throws -> [String: Any] {
      let target = Self.path("traces")
      let run = try score([target, "--monitor", "ios", "--format", "json"] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      return try #require(object as? [String: Any])
    }
    func whole(_ report: [String: Any], _ key: String) throws -> [String: Any] {
      let parts = try #require(report["parts"] as? [[String: Any]])
      return try #require(parts.first?[key] as? [String: Any])
    }
    func battery(_ scores: [String: Any]) throws -> Double {
      let name = "battery_percent_per_day"
      let value = (scores[name] as? [String: Any])?["value"] ?? scores[name]
      return try #require(value as? Double)
    }
    let singles = try ["5", "6", "7"].map { try read(["--seed", $0]) }
    let all = try read(["--seed", "5", "--draws", "3"])
    let draws = try #require(all["draws"] as? [[String: Any]])
    #expect(draws.map { $0["seed"] as? Int } == [5, 6, 7])
    #expect(
      try draws.map { try battery($0) } == singles.map { try battery(try whole($0, "scores")) }
    )
    #expect(Set(try draws.map { try battery($0) }).count > 1, "they are drawn differently")
    let sums = try whole(all, "counts")
    for (name, value) in sums {
      let each = try singles.map { try #require(try whole($0, "counts")[name] as? Double) }
      let sum = try #require(value as? Double)
      #expect(abs(sum - each.reduce(0, +)) <= 1e-6 * max(1, abs(sum)), "\(name)")
    }
    #expect(all["days"] as? Int == 1)
    #expect(singles[0]["draws"] == nil)
    let text = try score([Self.path("traces"), "--monitor", "ios", "--draws", "3"])
    #expect(text.output.contains("from draw to draw, seeds 1 to 3"))
    for refused in [["--draws", "3"], ["--monitor", "ios", "--draws", "0"]] {
      #expect(try score([Self.path("traces")] + refused).status == 64)
    }
  }

  @Test func `a requirement that is not met ends with 1 and says by how much`() throws {
    let target = Self.path("traces")
    #expect(try score([target, "--require", "recall_5min>=100%"]).status == 0)
    let run = try score([target, "--require", "delay_median<=10, recall>=50%, wakes_per_hour<0"])
    #expect(run.status == 1)
    #expect(run.output.contains("recall"))
    #expect(run.errors.contains("not met: delay_median<=10"))
    #expect(run.errors.contains("too high by"))
    #expect(!run.errors.contains("95 % interval"), "one day has none: \(run.errors)")
    #expect(run.errors.contains("2 of 3 requirements not met"))
    let typo = try score([target, "--require", "recal>=0.9"])
    #expect(typo.status == 64)
    #expect(typo.errors.contains("did you mean recall?"))
  }

  @Test func `a spoiled corpus ends with a sentence and the right status`() throws {
    let empty = folder.path("empty")
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let none = try score([empty])
    #expect(none.status == 65)
    #expect(none.errors.contains("there is no person-day in it"))
    #expect(try score([folder.path("nowhere")]).status == 66)

    let target = try corpus()
    try FileManager.default.removeItem(atPath: target + "/errands.true.csv.gz")
    let pathless = try score([target])
    #expect(pathless.status == 66)
    #expect(pathless.errors.contains("errands.true.csv.gz"))
    #expect(pathless.errors.contains("no true path"))
    try FileManager.default.removeItem(atPath: target + "/errands.truth.json")
    let truthless = try score([target])
    #expect(truthless.status == 66)
    #expect(truthless.errors.contains("the day errands has no truth"))
  }

  /// A truth that is changed as JSON.
  private func change(
    _ path: String,
    _ body: (inout [String: Any]) throws -> Void
  ) throws {
    let url = URL(fileURLWithPath: path)
    var truth = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    )
    try body(&truth)
    try JSONSerialization.data(withJSONObject: truth).write(to: url)
  }

  /// `score` and `explain` both refuse it with a sentence.
  private func refuse(_ target: String, _ words: String) throws {
    let trace =
      FileManager.default.fileExists(atPath: target + "/errands.gpx")
      ? "errands.gpx" : "errands.gpx.gz"
    let explained = [
      "explain", "\(target)/\(trace)", "--reminder", "pharmacy", "--at", "2026-03-03T14:34:00Z",
      "--cache", cache, "--monitor", "ideal",
    ]
    for run in [try score([target]), try Command(explained)] {
      #expect(run.status == 65, "\(run.errors)")
      #expect(run.errors.contains(words), "\(run.errors)")
      #expect(run.output.isEmpty)
    }
  }

  @Test func `the truth of another day is refused`() throws {
    let target = try corpus()
    let truth = target + "/errands.truth.json"
    try String(contentsOfFile: truth, encoding: .utf8).replacing("2026-03-0", with: "2026-04-0")
      .write(toFile: truth, atomically: true, encoding: .utf8)
    try refuse(target, "this is the truth of another day")
  }

  @Test func `fixes outside of the truth's hours are left out of scores and pages, and named`()
    throws
  {
    let target = try corpus()
    let trace = target + "/errands.gpx"
    let plain = try Command(["trace", "convert", target + "/errands.gpx.gz", "-o", trace])
    #expect(plain.status == 0, "\(plain.errors)")
    try FileManager.default.removeItem(atPath: target + "/errands.gpx.gz")
    let reminders = ["--reminders", Self.path("traces/reminders.json"), "--cache", cache]
    func runs() throws -> [Command] {
      try [
        score([target]),
        Command(["replay", trace, "--format", "day-json", "--monitor", "ideal"] + reminders),
        Command(
          [
            "explain", trace, "--reminder", "gas", "--at", "2026-03-03T14:28:20Z", "--monitor",
            "ideal",
          ]
            + reminders
        ),
        Command(["evaluate", target, "--monitor", "ideal", "--cache", cache]),
      ]
    }
    let clean = try runs()
    let text = try String(contentsOfFile: trace, encoding: .utf8)
    func point(_ time: String) -> String {
      "<trkpt lat=\"38.0036\" lon=\"-34.1552\"><time>\(time)</time></trkpt>"
    }
    let first = try #require(text.range(of: "<trkpt"))
    let last = try #require(text.range(of: "</trkpt>", options: .backwards))
    // On lines that are there, so that all others keep their numbers.
    let spoiled =
      text[..<first.lowerBound] + point("1970-01-01T00:00:00Z")
      + text[first.lowerBound..<last.upperBound]
      + point("2026-03-04T09:00:00Z") + point("2099-03-04T09:00:00Z") + text[last.upperBound...]
    try String(spoiled).write(toFile: trace, atomically: true, encoding: .utf8)
    let note = "note: 3 fixes of 1 day are left out"
    let again = try runs()
    for (run, wanted) in zip(again, clean) {
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n").filter { !$0.contains(note) }
      #expect(lines == wanted.output.split(separator: "\n"))
      #expect(!(wanted.output + wanted.errors).contains("left out"))
    }
    #expect(again[0].output.contains(note))
    for run in again.dropFirst() { #expect(run.errors.contains(note), "\(run.errors)") }
  }

  @Test func `the truth of another town is refused`() throws {
    let target = try corpus()
    try FileManager.default.removeItem(atPath: target + "/errands.gpx.gz")
    let points = (0..<9)
      .map {
        "<trkpt lat=\"48.1\" lon=\"11.5\"><time>2026-03-03T14:3\($0):00Z</time></trkpt>"
      }
    try "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>"
      .write(toFile: target + "/errands.gpx", atomically: true, encoding: .utf8)
    try refuse(target, "this is the truth of another trace")
  }

  @Test func `visits that overlap are refused, also behind one in between`() throws {
    let target = try corpus()
    try change(target + "/errands.truth.json") { truth in
      var visits = try #require(truth["visits"] as? [[String: Any]])
      // A second one to the same place within the first, and one to another place after that.
      var inner = visits[0]
      let arrive = try #require(inner["arrive_utc"] as? String)
      inner["leave_utc"] = arrive
      var other = visits[0]
      other["place_id"] = "node/987654"
      visits.insert(contentsOf: [inner, other], at: 1)
      truth["visits"] = visits
    }
    try refuse(target, "nobody is at two places at once")
  }

  @Test func `a day with two traces, and a corpus that comes twice, are refused`() throws {
    let target = try corpus()
    let twice = try score([target, target])
    #expect(twice.status == 65)
    #expect(twice.errors.contains("name each corpus once"), "\(twice.errors)")
    try "<gpx/>".write(toFile: target + "/errands.gpx", atomically: true, encoding: .utf8)
    let doubled = try score([target])
    #expect(doubled.status == 65)
    #expect(doubled.errors.contains("has two traces"), "\(doubled.errors)")
  }

  @Test func `a map of another island is a cause and no crash`() throws {
    let other = folder.path("other.csv")
    try "id,lat,lon,category\n1,10,10,pharmacy\n"
      .write(toFile: other, atomically: true, encoding: .utf8)
    let cache = folder.path("other.sqlite")
    let build = try Command(["cache", "build", other, "-o", cache])
    #expect(build.status == 0, "\(build.errors)")
    let run = try Command(["score", Self.path("traces"), "--cache", cache])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("stale cache"))
    #expect(run.output.contains("the cache lacks"))
  }

  @Test func `what was wrong is listed, each with a command that explains it`() throws {
    // A policy that misses some.
    let policy = folder.path("deaf policy.yaml")
    try "arrival: {detector: posterior, threshold: 0.99}\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let run = try score([
      Self.path("traces"), "--policy", policy, "--wrong", "2", "--monitor", "stream",
    ])
    #expect(run.status == 0, "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    let title = try #require(
      lines.firstIndex { $0.hasPrefix("visits that were missed and arrivals that were wrong: ") }
    )
    #expect(lines[title].contains("wrong: "), "\(lines[title])")
    #expect([3, 5].contains(lines.count - title))
    #expect(lines[title + 1].hasPrefix("  errands, 2026-03-03T"), "\(lines[title + 1])")
    #expect(
      lines[title + 1].contains(": visit missed, ")
        || lines[title + 1].contains(": arrival wrong, "),
      "\(lines[title + 1])"
    )
    // As a shell takes it.
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c", lines[title + 2].replacing("nearme", with: Command.binary.path, maxReplacements: 1),
    ]
    let output = Pipe()
    shell.standardOutput = output
    try shell.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    #expect(text.contains("because"), "\(text)")
    let none = try score([
      Self.path("traces"), "--policy", policy, "--wrong", "0", "--monitor", "stream",
    ])
    #expect(!none.output.contains("visits that were missed"))
  }

  /// What was told as a line of another notification was told: the list has what the counts lack, and no more.
  @Test func `the list of what was wrong has as many entries as the scores count`() throws {
    let policy = folder.path("radius.yaml")
    try "arrival: {detector: radius}\n".write(toFile: policy, atomically: true, encoding: .utf8)
    let arguments = [Self.path("traces"), "--policy", policy, "--monitor", "stream"]
    let json = try score(arguments + ["--format", "json"])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    let report = try #require(object as? [String: Any])
    let entries = try #require(report["entries"] as? [[String: Any]])
    #expect(entries.contains { $0["cause"] as? String == "bundled" && $0["delay"] is NSNumber })
    let parts = try #require(report["parts"] as? [[String: Any]])
    let counts = try #require(parts.first?["counts"] as? [String: Double])
    func count(_ name: String) throws -> Double { try #require(counts[name], "\(name)") }
    let missed =
      try count("visits") - count("visits_found") + count("own_visits") - count("own_visits_found")
    let wrong =
      try count("arrivals_repeated") + count("arrivals_false") + count("own_arrivals_false")
    let text = try score(arguments + ["--wrong", "100"]).output
    let title = "visits that were missed and arrivals that were wrong: \(Int(missed + wrong))\n"
    #expect(text.contains(title), "\(text)")
    #expect(!text.contains(", bundled\n"), "\(text)")
  }

  @Test func `a category of the truth that no reminder asks for is named`() throws {
    let target = try corpus()
    try change(target + "/errands.truth.json") { truth in
      var visits = try #require(truth["visits"] as? [[String: Any]])
      for i in visits.indices where visits[i]["category"] as? String == "grocery" {
        visits[i]["category"] = "grocry"
      }
      truth["visits"] = visits
    }
    let run = try score([target])
    #expect(run.status == 0, "\(run.errors)")
    let note =
      "note: no reminder asks for grocry, which the truth names; visits to them are left out"
    #expect(run.output.contains(note), "\(run.output)")
    #expect(!run.output.contains("the cache lacks"), "\(run.output)")
    // The same where days are scored elsewhere.
    let days = folder.path("days.ndjson")
    #expect(try score([target, "--days-only", "-o", days]).status == 0)
    #expect(try score([target, "--of-days", days]).output == run.output)
    #expect(try !score([Self.path("traces")]).output.contains("no reminder asks for"))
  }

  @Test func `score takes a phone that exists if none is named`() throws {
    let named = try score([Self.path("traces"), "--monitor", "ios"])
    #expect(try Command(["score", Self.path("traces"), "--cache", cache]).output == named.output)
    #expect(try score([Self.path("traces")]).output != named.output)
  }

  @Test
  func `days that cannot be read are named all at once, and left out where that is asked for`()
    throws
  {
    let target = try corpus()
    func add(_ name: String, _ change: (String) -> String) throws {
      for suffix in ["gpx.gz", "true.csv.gz"] {
        try FileManager.default.copyItem(
          atPath: "\(target)/errands.\(suffix)",
          toPath: "\(target)/\(name).\(suffix)"
        )
      }
      let truth = try String(contentsOfFile: target + "/errands.truth.json", encoding: .utf8)
      try change(truth.replacing("\"id\": \"errands\"", with: "\"id\": \"\(name)\""))
        .write(toFile: "\(target)/\(name).truth.json", atomically: true, encoding: .utf8)
    }
    try add("d1") { String($0.dropLast(20)) }
    try add("d2") { $0.replacing("2026-03-0", with: "2026-04-0") }
    try add("d3") { $0 }
    try FileManager.default.removeItem(atPath: target + "/d3.gpx.gz")
    let run = try score([target])
    #expect(run.status == 65)
    #expect(run.output.isEmpty)
    for name in [
      "d1.truth.json", "d2.truth.json", "d3.gpx.gz", "3 days cannot be read", "--skip-bad",
    ] {
      #expect(run.errors.contains(name), "\(name): \(run.errors)")
    }
    let rest = try score([target, "--skip-bad"])
    #expect(rest.status == 0, "\(rest.errors)")
    #expect(rest.output.contains("1 person-day of 1 person"))
    #expect(rest.errors.split(separator: "\n").count == 3, "\(rest.errors)")
    #expect(
      try rest.output
        == score([Self.path("traces")]).output.replacing(Self.path("traces"), with: target)
    )
    for name in ["errands.gpx.gz", "errands.truth.json", "errands.true.csv.gz"] {
      try FileManager.default.removeItem(atPath: target + "/" + name)
    }
    let none = try score([target, "--skip-bad"])
    #expect(none.status == 65)
    #expect(none.errors.contains("no day is left that can be read"), "\(none.errors)")
  }

  @Test func `a gap that goes on beyond the day is a gap of the day`() throws {
    let target = try corpus()
    try change(target + "/errands.truth.json") { truth in
      truth["gaps"] = [
        [
          "start_utc": "2026-03-03T23:00:00Z", "end_utc": "2026-03-05T00:00:00Z",
          "reason": "suspended",
        ]
      ]
    }
    #expect(try score([target]).status == 0)
  }

  // MARK: Explain

  private func explain(_ reminder: String, _ at: String, _ more: [String] = []) throws -> Command {
    try Command(
      [
        "explain", Self.path("traces/errands.gpx.gz"), "--reminder", reminder, "--at", at,
        "--cache", cache,
      ] + (more.contains("--monitor") ? [] : ["--monitor", "ideal"]) + more
    )
  }

  /// Replay prints the wall clock of the person, without a zone.
  @Test func `a time without a zone is one of the person's`() throws {
    let own = [
      "--reminders", Self.path("traces/reminders.json"), "--policy",
      Self.path("traces/policy.yaml"),
    ]
    let utc = try explain("gas", "2026-03-03T19:36:00Z", own)
    #expect(utc.output.contains("2026-03-03T19:36:32Z"), "\(utc.output)")
    for wall in ["2026-03-03 18:36", "2026-03-03T18:36:00"] {
      #expect(try explain("gas", wall, own).output == utc.output)
    }
  }

  @Test func `what fired is explained, and what did not`() throws {
    let own = [
      "--reminders", Self.path("traces/reminders.json"), "--policy",
      Self.path("traces/policy.yaml"),
    ]
    let told = try explain("meds", "2026-03-03T14:34:00Z", own)
    #expect(told.status == 0, "\(told.errors)")
    #expect(told.output.contains("meds: "))
    #expect(told.output.contains("because   correct"))
    #expect(told.output.contains("closest"))
    let muted = try explain("parcel", "2026-03-03T15:21:00Z", own)
    #expect(muted.output.contains("nothing was told"))
    #expect(muted.output.contains("mute: the reminder was muted"))
    let passed = try explain("gas", "2026-03-03T14:28:20Z", own)
    #expect(passed.output.contains("no arrival: dwell: the app slept"), "\(passed.output)")
    #expect(passed.output.contains("drive by of node/4"), "\(passed.output)")
    let measuring = folder.path("measuring.yaml")
    try
      (String(contentsOfFile: Self.path("traces/policy.yaml"), encoding: .utf8)
      + "\nmonitor: {weigh: 0s}\n")
      .write(toFile: measuring, atomically: true, encoding: .utf8)
    let measured = try explain("gas", "2026-03-03T14:28:20Z", own.dropLast() + [measuring])
    #expect(measured.output.contains("no arrival: dwell: inside for 22 s"), "\(measured.output)")
    let quiet = try explain("bins", "2026-03-03T23:24:00Z", own)
    #expect(quiet.output.contains("quiet hours"), "\(quiet.output)")
  }

  @Test func `where arrivals are weighed, the weights are told`() throws {
    let policy = folder.path("posterior.yaml")
    try "arrival: {detector: posterior, threshold: 0.99}\n"
      .write(toFile: policy, atomically: true, encoding: .utf8)
    let arguments = ["--policy", policy, "--monitor", "stream"]
    let missed = try explain("pharmacy", "2026-03-03T14:34:00Z", arguments)
    #expect(missed.status == 0, "\(missed.errors)")
    #expect(missed.output.contains(": the visit to node/5 at "), "\(missed.output)")
    #expect(missed.output.contains("  probable  0."), "\(missed.output)")
    #expect(missed.output.contains("m away; 0.99 must hold for"), "\(missed.output)")
    #expect(missed.output.contains("  against   bias -"), "\(missed.output)")
    let passed = try explain("gas_station", "2026-03-03T14:28:20Z", arguments)
    #expect(passed.output.contains("in clear motion nobody arrives"), "\(passed.output)")
  }

  @Test func `without a truth the replay itself must say`() throws {
    let trace = folder.path("day.gpx.gz")
    try FileManager.default.copyItem(atPath: Self.path("traces/errands.gpx.gz"), toPath: trace)
    let bare = [
      "explain", trace, "--reminder", "parcel", "--at", "2026-03-03T15:21:00Z", "--cache", cache,
    ]
    let lost = try Command(bare)
    #expect(lost.status == 64)
    #expect(lost.errors.contains("name --reminders"))
    let run = try Command(bare + ["--reminders", Self.path("traces/reminders.json")])
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("mute: the reminder was muted"))
  }

  @Test func `a wrong reminder or time is told with the right ones`() throws {
    let typo = try explain("grocerry", "2026-03-03T14:34:00Z")
    #expect(typo.status == 64)
    #expect(typo.errors.contains("did you mean grocery?"))
    let late = try explain("grocery", "2027-03-03T14:34:00Z")
    #expect(late.status == 64)
    #expect(late.errors.contains("lies outside the day"))
    #expect(try explain("grocery", "yesterday").status == 64)
  }
}
