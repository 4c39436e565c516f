import Foundation
import Scoring
import TestSupport
import Testing
import Tuning

/// `nearme tune` and `nearme evaluate` as people run them, on copies of the sample day.
@Suite struct TuneCommandTests {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  private static func path(_ path: String) -> String { root.appendingPathComponent(path).path }

  private let folder: TemporaryFolder
  private let cache: String
  private let corpus: String
  private let space: String
  /// A policy of today that tells nothing on these days: whatever is found is better.
  private let deaf: String

  /// Six days of six people who live alike, each with a recording of its own.
  init() throws {
    folder = try TemporaryFolder()
    cache = folder.path("pois.sqlite")
    corpus = folder.path("corpus")
    space = folder.path("space.yaml")
    deaf = folder.path("deaf.yaml")
    try "arrival: {detector: radius}\npersistence: {arrival: 3600s}\n"
      .write(toFile: deaf, atomically: true, encoding: .utf8)
    let build = try Command(["cache", "build", Self.path("data/port-ardent.osm.pbf"), "-o", cache])
    #expect(build.status == 0, "\(build.errors)")
    try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
    for day in 1...6 { try addDay("d\(day)", of: "p\(day)", to: corpus) }
    try """
    arrival: {detector: radius}
    tiers: {arrival_radius: [40m, 80m, 150m]}
    persistence: {arrival: {from: 0s, to: 80s, step: 40s}}

    """
    .write(toFile: space, atomically: true, encoding: .utf8)
  }

  private func addDay(_ day: String, of person: String, to folder: String) throws {
    for suffix in ["gpx.gz", "true.csv.gz"] {
      try FileManager.default.copyItem(
        atPath: Self.path("traces/errands.\(suffix)"),
        toPath: "\(folder)/\(day).\(suffix)"
      )
    }
    // The same file twice would be one day: its time, which is in the head of what is packed, is another.
    let trace = URL(fileURLWithPath: "\(folder)/\(day).gpx.gz")
    var packed = try Data(contentsOf: trace)
    packed[4] = UInt8(day.utf8.reduce(0) { $0 + Int($1) } % 256)
    try packed.write(to: trace)
    let url = URL(fileURLWithPath: Self.path("traces/errands.truth.json"))
    var truth = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    )
    truth["id"] = day
    truth["person"] = person
    try JSONSerialization.data(withJSONObject: truth)
      .write(to: URL(fileURLWithPath: "\(folder)/\(day).truth.json"))
  }

  private func arguments(_ more: [String]) -> [String] {
    [
      "tune", corpus, "--cache", cache, "--monitor", "stream", "--space", space, "--policy", deaf,
      "--goal", "fpr<=0.9 then max recall",
    ] + more
  }

  private func tune(_ more: [String]) throws -> Command { try Command(arguments(more)) }

  /// Others try what the search wants, each one half of the days, twice over and in another order; the
  /// search says the same as one that has tried by itself.
  ///
  /// Days that cannot be read keep their numbers.
  @Test(arguments: [("grid", false), ("halving", false), ("grid", true)])
  func `a search that asks others ends as one that tries itself`(
    _ method: String,
    _ isSpoiled: Bool
  ) throws {
    let skip = isSpoiled ? ["--skip-bad"] : []
    if isSpoiled {
      // One that is not complete, before all others, and one that cannot be read, among them.
      for day in ["d0", "d2b"] { try addDay(day, of: day, to: corpus) }
      try FileManager.default.removeItem(atPath: corpus + "/d0.true.csv.gz")
      try "{".write(toFile: corpus + "/d2b.truth.json", atomically: true, encoding: .utf8)
    }
    let more = ["--method", method, "--budget", "9"] + skip
    let alone = try tune(more + ["-o", folder.path("alone.yaml")])
    let asking = more + ["-o", folder.path("asked.yaml"), "--wanted", folder.path("wanted")]
    let listed = try Command(["score", corpus, "--cache", cache, "--list-days"] + skip).output
    let days = listed.split(separator: "\n").map(String.init)
    let numbers = days.indices.map { isSpoiled ? $0 + 1 : $0 }
    #expect(days.count == (isSpoiled ? 7 : 6))
    for (day, number) in zip(days, numbers) { #expect(day.contains("\"number\":\(number)")) }
    var asked = try tune(asking)
    var rounds = 0
    while asked.status == 75, rounds < 10 {
      rounds += 1
      #expect(asked.output == "")
      var answers: [String] = []
      for half in [days.prefix(2), days.dropFirst(2)] {
        try half.joined(separator: "\n")
          .write(toFile: folder.path("days"), atomically: true, encoding: .utf8)
        let answer = try Command([
          "evaluate", "--trials", folder.path("wanted"), "--days", folder.path("days"), "--cache",
          cache, "--monitor", "stream", "--policy", deaf,
        ])
        #expect(answer.status == 0, "\(answer.errors)")
        answers += answer.output.split(separator: "\n").map(String.init)
      }
      let log = folder.path("asked.yaml.log")
      let before = try String(contentsOfFile: log, encoding: .utf8)
      try (before + (answers.reversed() + answers).map { $0 + "\n" }.joined())
        .write(toFile: log, atomically: true, encoding: .utf8)
      asked = try tune(asking)
    }
    #expect(rounds >= (method == "halving" ? 3 : 2), "there is a barrier after each round")
    #expect(asked.status == alone.status, "\(asked.errors)")
    #expect(asked.output == alone.output)
    #expect(
      FileManager.default.contents(atPath: folder.path("asked.yaml"))
        == FileManager.default.contents(atPath: folder.path("alone.yaml"))
    )
    try "nothing\n".write(toFile: folder.path("days"), atomically: true, encoding: .utf8)
    let bad = try Command([
      "evaluate", "--trials", folder.path("wanted"), "--days", folder.path("days"), "--cache",
      cache,
    ])
    #expect(bad.status == 65)
    #expect(bad.errors.contains("line 1: is no line that `nearme score --list-days` printed"))
  }

  @Test func `a search on one day prints no intervals, and says so once`() throws {
    let day = folder.path("one")
    try FileManager.default.createDirectory(atPath: day, withIntermediateDirectories: true)
    try addDay("d1", of: "p1", to: day)
    let page = folder.path("one.html")
    let words = arguments([]).map { $0 == corpus ? day : $0 }
    let run = try Command(words + ["--report", page])
    #expect([0, 3].contains(run.status), "\(run.errors)")
    // Nor does it say anything of chance, but that nobody can.
    #expect(run.output.contains("costs beside the policy of today\n"), "\(run.output)")
    for claim in ["more than chance", "may be chance", "cannot be told apart", "bootstrap"] {
      #expect(!run.output.contains(claim), "\(run.output)")
    }
    let report = try ReportPage(path: page).report(TuningReport.self)
    #expect((report.noticed + report.load).allSatisfy { !$0.mayBeChance })
    let json = try #require(Self.json(Command(words + ["--format", "json"]).output))
    let told = ["costs", "effects"]
      .flatMap { (json[$0] as? [[String: Any]] ?? []).compactMap { $0["sentence"] as? String } }
    #expect(!report.costs.isEmpty && !report.effects.isEmpty)
    for sentence in report.costs + report.effects.map(\.sentence) + told {
      #expect(!sentence.contains("[") && !sentence.contains("chance"), "\(sentence)")
    }
    #expect(told.count == report.costs.count + report.effects.count)
    #expect(run.output.contains("; one day has no intervals\n"), "\(run.output)")
    #expect(run.output.contains("recall"))
    #expect(run.output.matches(of: /\[-?[0-9.]+ … -?[0-9.]+\]/).isEmpty, "\(run.output)")
    #expect(!(try tune([]).output.matches(of: /\[-?[0-9.]+ … -?[0-9.]+\]/).isEmpty))
  }

  /// Days that were scored one by one, in another order and some twice, add up to the same bytes.
  @Test func `days that others score add up to what one machine prints`() throws {
    let words = ["score", corpus, "--cache", cache, "--monitor", "ideal"]
    let alone = try Command(words + ["--format", "json"])
    let lines = try Command(words + ["--days-only"]).output.split(separator: "\n")
    #expect(lines.count == 6)
    let path = folder.path("lines")
    func add(_ lines: [Substring], _ more: [String] = []) throws -> Command {
      try lines.map { $0 + "\n" }.joined()
        .write(toFile: path, atomically: true, encoding: .utf8)
      return try Command(words + ["--format", "json", "--of-days", path] + more)
    }
    #expect(try add(lines.reversed() + lines.prefix(2)).output == alone.output)
    let missing = try add(Array(lines.dropFirst()))
    #expect(missing.status == 65)
    #expect(missing.errors.contains("1 days are missing, the first is d1"))
    let skipped = try add(Array(lines.dropFirst(2)), ["--skip-bad"])
    #expect(skipped.status == 0, "\(skipped.errors)")
    #expect(skipped.output.contains("\"days\":4"))
    #expect(
      skipped.errors.contains("no score of 2 of 6 days, left out here: d1, d2"),
      "\(skipped.errors)"
    )
    let nothing = try add([], ["--skip-bad"])
    #expect(nothing.status == 65)
    #expect(nothing.errors.contains("no day of the corpus is in it"), "\(nothing.errors)")
    #expect(nothing.output.isEmpty)
    let other = Substring(lines[0].replacing("\"cause\":\"correct\"", with: "\"cause\":\"late\""))
    #expect(other != lines[0])
    #expect(try add(lines + [other]).errors.contains("d1 is there twice and not the same"))
    #expect(try add(lines + ["{}"]).errors.contains("line 7: is no line"))
  }

  @Test(.timeLimit(.minutes(30)))
  func `a policy is chosen, whatever the number of jobs, and replay takes it`() throws {
    var outputs: [String] = []
    var policies: [String] = []
    for jobs in 1...3 {
      let best = folder.path("best\(jobs).yaml")
      let run = try tune(["--jobs", "\(jobs)", "--folds", "3", "-o", best])
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.isEmpty, "\(run.errors)")
      outputs.append(run.output)
      policies.append(try String(contentsOfFile: best, encoding: .utf8))
    }
    #expect(Set(outputs).count == 1)
    #expect(Set(policies).count == 1)
    #expect(outputs[0].contains("9 of 9 policies tried on 6 person-days of 6 people"))
    #expect(outputs[0].contains("on people not tuned for"))
    #expect(outputs[0].contains("what each knob of the chosen policy does"))
    #expect(policies[0].contains("detector: radius"))
    let replay = try Command([
      "replay", Self.path("traces/errands.gpx.gz"), "--cache", cache, "--reminders",
      Self.path("traces/reminders.json"), "--monitor", "stream", "--policy",
      folder.path("best1.yaml"),
    ])
    #expect(replay.status == 0, "\(replay.errors)")
    // What the search says of its choice is what the scores say of the file.
    let score = try Command([
      "score", corpus, "--cache", cache, "--monitor", "stream", "--no-ledger", "--policy",
      folder.path("best1.yaml"), "--format", "json",
    ])
    let json = try tune(["--format", "json"])
    let result = try #require(Self.json(json.output))
    let chosen = (result["chosen"] as? [String: Any])?["scores"] as? [String: [String: Double]]
    let report = try #require(Self.json(score.output))
    let part = (report["parts"] as? [[String: Any]])?[0]
    let scores = part?["scores"] as? [String: Any]
    for name in ["recall", "recall_5min", "fpr", "delay_median", "notifications_per_day"] {
      let score = try #require(scores?[name] as? [String: Double], "\(name)")
      #expect(chosen?[name] == score, "\(name)")
    }
  }

  private static func json(_ text: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  @Test(.timeLimit(.minutes(30)), arguments: ["grid", "random", "halving"])
  func `a search that is killed goes on and ends with the same bytes`(_ method: String) throws {
    let more = ["--method", method, "--budget", "9", "--folds", "2", "--format", "json"]
    let whole = try tune(more + ["-o", folder.path("whole.yaml")])
    #expect(whole.status == 0, "\(whole.errors)")
    let best = folder.path("best.yaml")
    var kills = 0
    var found = 0
    for round in 0..<6 {
      let process = Process()
      process.executableURL = Command.binary
      process.arguments = arguments(more + ["-o", best, "--jobs", "1"])
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // Killed once it has got further than before.
      let deadline = ContinuousClock.now + .seconds(30)
      while process.isRunning, ContinuousClock.now < deadline {
        usleep(2_000)
        let lines =
          (try? String(contentsOfFile: best + ".log", encoding: .utf8))?
          .split(separator: "\n").count ?? 0
        if lines > found {
          found = lines
          break
        }
      }
      if process.isRunning {
        kill(process.processIdentifier, SIGKILL)
        kills += 1
      }
      process.waitUntilExit()
      // And a line that was being written.
      let log = try FileHandle(forWritingTo: URL(fileURLWithPath: best + ".log"))
      try log.seekToEnd()
      if round % 2 == 0 { try log.write(contentsOf: Data("persistence.arrival=40s\t0/1=2".utf8)) }
      try log.close()
      try? FileManager.default.removeItem(atPath: best)
    }
    #expect(kills >= 1)
    let resumed = try tune(more + ["-o", best, "--jobs", "3"])
    #expect(resumed.status == 0, "\(resumed.errors)")
    #expect(resumed.errors.contains("going on: "), "\(resumed.errors)")
    #expect(resumed.output == whole.output)
    #expect(
      FileManager.default.contentsEqual(atPath: best, andPath: folder.path("whole.yaml"))
    )
  }

  @Test func `a damaged line in a log costs what it holds, and no more`() throws {
    let best = folder.path("best.yaml")
    let whole = try tune(["-o", best])
    #expect(whole.status == 0)
    var lines = try String(contentsOfFile: best + ".log", encoding: .utf8).split(separator: "\n")
    let count = lines.count
    #expect(count > 4)
    lines[2] = "spoiled " + lines[2]
    try (lines.joined(separator: "\n") + "\n")
      .write(toFile: best + ".log", atomically: true, encoding: .utf8)
    try FileManager.default.removeItem(atPath: best)
    let again = try tune(["-o", best])
    #expect(again.status == 0 && again.output == whole.output)
    #expect(again.errors.contains("1 line cannot be read, the first is line 3"), "\(again.errors)")
    let after = try String(contentsOfFile: best + ".log", encoding: .utf8).split(separator: "\n")
    #expect(after.count == count + 1, "what was lost is there anew, and all else as it was")
    #expect(Array(after.prefix(count)) == lines)
  }

  @Test func `a log of another search is refused and kept`() throws {
    let best = folder.path("best.yaml")
    #expect(try tune(["-o", best]).status == 0)
    let log = try String(contentsOfFile: best + ".log", encoding: .utf8)
    try addDay("d7", of: "p7", to: corpus)
    let other = try tune(["-o", best])
    #expect(other.status == 65)
    #expect(other.errors.contains("a search with another corpus"), "\(other.errors)")
    #expect(try String(contentsOfFile: best + ".log", encoding: .utf8) == log)
    let text = folder.path("text")
    try "hello\n".write(toFile: text + ".log", atomically: true, encoding: .utf8)
    let foreign = try tune(["-o", text])
    #expect(foreign.status == 65)
    #expect(foreign.errors.contains("no log of a search"), "\(foreign.errors)")
    #expect(try String(contentsOfFile: text + ".log", encoding: .utf8) == "hello\n")
  }

  @Test func `a goal that nothing meets ends with 1, the nearest, and by how much`() throws {
    let best = folder.path("best.yaml")
    let run = try Command(
      arguments(["-o", best]).map { $0.hasPrefix("fpr<=") ? "recall>1 then min fpr" : $0 }
    )
    #expect(run.status == 1)
    #expect(run.output.contains("no policy keeps \"recall>1 then min fpr\"; the nearest one"))
    #expect(run.output.contains("not met: recall>1.0: it is "), "\(run.output)")
    #expect(run.output.contains("that is the limit itself"))
    #expect(run.errors.contains("was not written"), "\(run.errors)")
    #expect(!FileManager.default.fileExists(atPath: best))
  }

  @Test func `what today's policy does not keep is said beside what is chosen`() throws {
    let run = try Command(
      arguments(["-o", folder.path("best.yaml")])
        .map { $0.hasPrefix("fpr<=") ? "recall>=0.5 then min fpr" : $0 }
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("  not met today: recall>=0.5: it is 0.0000, too low by 0.5000"),
      "\(run.output)"
    )
  }

  @Test func `what is not better than today's policy is not chosen, and ends with 3`() throws {
    // The default finds every visit of these days, and so does much of the space.
    let best = folder.path("best.yaml")
    let page = folder.path("page.html")
    let arguments = [
      "tune", corpus, "--cache", cache, "--monitor", "stream", "--space", space, "--goal",
      "fpr<=0.9 then max recall",
    ]
    let run = try Command(arguments + ["-o", best, "--report", page])
    #expect(run.status == 3, "\(run.errors)")
    #expect(run.output.contains("nothing better than the policy of today was found"))
    #expect(run.output.contains("the delay of the slowest twentieth grows from 51 s to 61 s"))
    #expect(!run.output.contains("chosen for"), "\(run.output)")
    #expect(run.errors.contains("best.yaml is the policy of today"), "\(run.errors)")
    // The file is a policy, the one that the search began with.
    let shown = try Command(["policy", "show", "--policy", best])
    let standard = try Command(["policy", "show"])
    #expect(shown.status == 0 && shown.output == standard.output, "\(shown.errors)")
    let report = try ReportPage(path: page).report(TuningReport.self)
    #expect(report.verdict == "today_stays" && report.doubt != nil && !report.costs.isEmpty)
    let json = try #require(Self.json(Command(arguments + ["--format", "json"]).output))
    #expect(json["verdict"] as? String == "today_stays")
    #expect(((json["chosen"] as? [String: Any])?["policy"] as? [String: Any])?.isEmpty == true)
    #expect((json["costs"] as? [[String: Any]])?.isEmpty == false)
  }

  @Test func `what the chosen policy costs is said in words`() throws {
    let run = try tune([])
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("notifications a day grow from 19.00 to 25.00, by +6.00"),
      "\(run.output)"
    )
  }

  @Test func `a value beside the chosen one that makes no policy costs no search`() throws {
    let alone = folder.path("beside")
    try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
    try addDay("d1", of: "p1", to: alone)
    let contrary = folder.path("contrary.yaml")
    try "power: {saving_below: [20, 40], saving_until: [30, 50]}\n"
      .write(toFile: contrary, atomically: true, encoding: .utf8)
    let run = try Command([
      "tune", alone, "--cache", cache, "--space", contrary, "--goal", "max recall", "--method",
      "random", "--budget", "1", "--seed", "1",
    ])
    #expect(!run.output.isEmpty, "\(run.errors)")
    #expect(!run.errors.contains("saving_below"), "\(run.errors)")
  }

  @Test
  func `values that contradict each other are left out and named, and only all of them refused`()
    throws
  {
    func tune(_ space: String) throws -> Command {
      let file = folder.path("contrary.yaml")
      try space.write(toFile: file, atomically: true, encoding: .utf8)
      return try Command(arguments(["--budget", "10"]).map { $0 == self.space ? file : $0 })
    }
    let some = try tune(
      "persistence: {arrival: [0s, 40s]}\npower: {saving_below: [20, 40], saving_until: [30, 50]}\n"
    )
    #expect([0, 3].contains(some.status), "\(some.errors)")
    #expect(some.output.hasPrefix("6 of 8 policies tried"), "\(some.output)")
    #expect(some.errors.contains("contrary.yaml: 2 of 8 policies left out"), "\(some.errors)")
    for hold in ["0s", "40s"] {
      let words =
        "left out: persistence.arrival=\(hold) power.saving_below=40 power.saving_until=30: "
        + "power.saving_until: is below saving_below"
      #expect(some.errors.contains(words), "\(some.errors)")
    }
    let many = try tune(
      "persistence: {arrival: [0s, 20s, 40s, 60s]}\npower: {saving_below: [20, 40], saving_until: 30}\n"
    )
    #expect(many.errors.contains("4 of 8 policies left out"), "\(many.errors)")
    #expect(many.errors.split(separator: "\n").count { $0.contains("nearme: left out: ") } == 3)
    let none = try tune("power: {saving_below: [50, 40], saving_until: 30}\n")
    #expect(none.status == 65)
    #expect(none.output.isEmpty)
    #expect(none.errors.contains("none of its values go together"), "\(none.errors)")
    #expect(none.errors.contains("is below saving_below"), "\(none.errors)")
  }

  @Test func `a corpus that another phone recorded has the same people`() throws {
    let twin = folder.path("twin")
    try FileManager.default.copyItem(atPath: corpus, toPath: twin)
    let words = try #require(arguments([]).firstIndex(of: corpus))
    var both = arguments([])
    both.insert(twin, at: words)
    let run = try Command(both)
    let many = "12 recordings of 6 person-days of 6 people"
    #expect(run.output.contains("tried on " + many), "\(run.output) \(run.errors)")
    // What is there twice is no more than what is there once, and the files are named.
    #expect(run.errors.contains("corpus/d1.gpx.gz is the same file as "), "\(run.errors)")
    #expect(run.errors.contains("and 5 further traces are there twice, too"), "\(run.errors)")
    #expect(run.status == 0)
    let score = try Command([
      "score", twin, corpus, "--cache", cache, "--monitor", "stream", "--no-ledger",
    ])
    #expect(score.output.hasPrefix(many), "\(score.output) \(score.errors)")
    #expect(score.errors.contains(" is the same file as "), "\(score.errors)")
  }

  @Test func `a diary without stays is tuned by what it says`() throws {
    let diary = folder.path("diary")
    try FileManager.default.createDirectory(atPath: diary, withIntermediateDirectories: true)
    for day in 1...6 {
      try addDay("d\(day)", of: "p\(day)", to: diary)
      try FileManager.default.removeItem(atPath: "\(diary)/d\(day).true.csv.gz")
      let url = URL(fileURLWithPath: "\(diary)/d\(day).truth.json")
      var truth = try #require(
        JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
      )
      truth["stays"] = nil
      truth["true_path"] = "trace"
      try JSONSerialization.data(withJSONObject: truth).write(to: url)
    }
    let words = [
      "tune", diary, "--cache", cache, "--monitor", "stream", "--space", space, "--policy", deaf,
    ]
    // The default goal has limits of places of one's own.
    let run = try Command(words)
    #expect(run.errors.contains("the truths of 6 days have no \"stays\""), "\(run.errors)")
    #expect(run.errors.contains("the goal is \"fpr<=0.02 then max recall_5min\""), "\(run.errors)")
    #expect(!run.output.contains("own_false_per_day<="), "\(run.output)")
    let score = try Command(["score", diary, "--cache", cache, "--monitor", "stream"])
    #expect(score.output.contains("note: the truths of 6 days have no \"stays\""))
    #expect(score.errors.contains("the cause \"path unknown\""), "\(score.errors)")
    let json = try Command(["score", diary, "--cache", cache, "--no-ledger", "--format", "json"])
    #expect(json.errors.contains("note: the truths of 6 days have no \"stays\""), "\(json.errors)")
    #expect(!score.output.contains("position noise") && !score.output.contains("accuracy noise"))
  }

  @Test func `one person only is said, and an empty corpus refused`() throws {
    let alone = folder.path("alone")
    try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
    let empty = try Command(
      ["tune", alone, "--cache", cache, "--space", space, "--goal", "max recall"]
    )
    #expect(empty.status == 65)
    #expect(empty.errors.contains("there is no person-day in it"))
    try addDay("d1", of: "p1", to: alone)
    try addDay("d2", of: "p1", to: alone)
    let run = try Command(
      [
        "tune", alone, "--cache", cache, "--space", space, "--policy", deaf, "--goal",
        "recall>=0.5 then max recall",
      ]
    )
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("all days are of one person"))
    #expect(run.output.contains("add days of other people"))
  }

  @Test(arguments: [
    ("persistence: {arival: [1s]}", 65, "did you mean \"arrival\""),
    ("persistence: {arrival: {from: 9s, to: 1s, step: 1s}}", 65, "is an empty range"),
    ("persistence: {arrival: {from: 1s, to: 9s}}", 64, "has no grid"),
    ("persistence: {arrival: {from: 1s, to: 9s, step: 10ms}}", 64, "allow them with --budget"),
    ("cooldown: {gone_since_version_1: [1]}", 65, "unknown key \"gone_since_version_1\""),
  ])
  func `a wrong space ends with a sentence`(
    _ text: String,
    _ status: Int32,
    _ words: String
  ) throws {
    try text.write(toFile: space, atomically: true, encoding: .utf8)
    let run = try tune(["--method", "grid", "--budget", "100"])
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
    #expect(run.output.isEmpty)
  }

  @Test func `a policy file of another version is named with what is known today`() throws {
    let old = folder.path("old.yaml")
    try "arrival: {radius_of_old: 3}\n".write(toFile: old, atomically: true, encoding: .utf8)
    let run = try tune(["--policy", old])
    #expect(run.status == 65)
    #expect(run.errors.contains("old.yaml:1: arrival: unknown key \"radius_of_old\""))
    #expect(run.errors.contains("known here: detector"))
  }

  @Test func `the page stands alone, with and without the library of charts`() throws {
    let page = folder.path("page.html")
    let library = folder.path("chart.js")
    try "/*! Chart.js */ self.Chart = function () {};"
      .write(toFile: library, atomically: true, encoding: .utf8)
    let run = try tune(["--report", page, "--chart-library", library])
    #expect(run.status == 0, "\(run.errors)")
    let written = try ReportPage(path: page)
    #expect(written.html.contains("/*! Chart.js */"))
    #expect(written.dangers.isEmpty)
    let report = try written.report(TuningReport.self)
    #expect(report.title == "corpus" && report.tried == 9 && report.hasLeftOut)
    #expect(report.noticed.count == 12 && report.load.count == 11)
    #expect(report.noticed.allSatisfy { ($0.leftOut == nil) == ($0.chosen == nil) })
    #expect(report.plots.first?.x == "fpr" && report.front.count + report.others.count >= 8)
    #expect(!report.effects.isEmpty && !report.visitCauses.isEmpty)
    // What the page shows is what the command printed.
    let result = try #require(Self.json(tune(["--format", "json"]).output))
    let scores = (result["chosen"] as? [String: Any])?["scores"] as? [String: [String: Double]]
    for row in report.noticed + report.load where row.chosen != nil {
      #expect(
        scores?[row.score.name]?["value"].map { abs($0 - (row.chosen?.value ?? -1)) < 1e-3 }
          ?? false,
        "\(row.score.name)"
      )
    }
    let missing = try tune(["--report", page, "--chart-library", folder.path("nowhere.js")])
    #expect(missing.status == 66)
    let wrong = try tune(["--report", page, "--chart-library", space])
    #expect(wrong.status == 65)
    #expect(wrong.errors.contains("not Chart.js"))
  }

  /// Runs a command as if the packages that bring Chart.js were not installed.
  private static func withoutLibraries(_ arguments: [String]) throws -> (Int32, errors: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
    let hide =
      "for d in /usr/share/javascript /usr/share/nodejs; do "
      + "[ ! -d $d ] || mount -t tmpfs none $d || exit 99; done; exec \"$@\""
    process.arguments =
      ["--user", "--map-root-user", "--mount", "sh", "-c", hide, "sh"] + arguments
    let errors = Pipe()
    process.standardError = errors
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  /// Not every machine lets one hide a folder.
  private static let canHide: Bool = (try? withoutLibraries(["true"]).0 == 0) ?? false

  @Test(.enabled(if: canHide))
  func `without Chart.js the page has everything but plots`() throws {
    let page = folder.path("page.html")
    let run = try Self.withoutLibraries([Command.binary.path] + arguments(["--report", page]))
    #expect(run.0 == 0, "\(run.errors)")
    #expect(run.errors.contains("note: Chart.js was not found"), "\(run.errors)")
    #expect(run.errors.contains("apt-get install libjs-chart.js"), "\(run.errors)")
    let written = try ReportPage(path: page)
    #expect(!written.html.contains("/*! Chart.js"))
    guard ReportPage.canBeDrawn else { return }
    let drawn = try written.drawn()
    for words in [
      "<h1>Tuned on corpus</h1>", "What people notice", "What each knob does",
      "The ledger before", "visits, by why they were announced or not</th>", "The load on",
      "The worst days", "The front as a table",
      "The column of people not tuned for is the honest one",
    ] {
      #expect(drawn.contains(words), "\(words)")
    }
    #expect(!drawn.contains("<canvas"))
  }

  @Test(.enabled(if: ReportPage.canBeDrawn))
  func `names stay text in a page, and nobody is called honest who was not left out`() throws {
    let corpus = folder.path("<img src=x onerror=alert(1)>")
    try FileManager.default.createDirectory(atPath: corpus, withIntermediateDirectories: true)
    for day in 1...2 { try addDay("d\(day)", of: "p1", to: corpus) }
    let page = folder.path("page.html")
    let run = try Command([
      "tune", corpus, "--cache", cache, "--monitor", "stream", "--space", space, "--policy", deaf,
      "--goal", "recall>=0.5 then max recall", "--report", page,
    ])
    #expect(run.status == 0, "\(run.errors)")
    let drawn = try ReportPage(path: page).drawn()
    #expect(drawn.contains("<h1>Tuned on &lt;img src=x onerror=alert(1)&gt;</h1>"))
    #expect(drawn.contains("nobody is left to test the choice on"))
    #expect(!drawn.contains("honest"))
  }

  @Test func `a policy in, a line of scores out`() throws {
    let service = [corpus, "--cache", cache, "--monitor", "stream"]
    let one = try Command(["evaluate"] + service)
    #expect(one.status == 0, "\(one.errors)")
    #expect(one.output.split(separator: "\n").count == 1)
    let scores = try #require(Self.json(one.output))
    #expect(scores["recall"] as? Double != nil)
    #expect(scores["approach_missed"] as? Double != nil)
    let many = try Command(
      ["evaluate", "--stdin"] + service,
      input: """
        {}
        {"arrival": {"detector": "radius"}, "persistence": {"arrival": "600s"}}

        {"persistence": {"arival": "60s"}}
        {

        """
    )
    #expect(many.status == 65)
    let lines = many.output.split(separator: "\n", omittingEmptySubsequences: true)
    #expect(lines.count == 4)
    #expect(lines.first.map { $0 + "\n" == one.output } == true)
    #expect(lines.dropFirst().first != lines.first)
    #expect(lines.dropFirst(2).first?.contains("\"error\":\"line 4: ") == true, "\(many.output)")
    #expect(lines.last?.contains("\"error\":\"line 5: ") == true, "\(many.output)")
    #expect(many.errors.contains("2 of 4 lines were no policies"), "\(many.errors)")
  }
}
