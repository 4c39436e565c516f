import CorpusFiles
import Foundation
import Geodesy
import NearMeEngine
import Places
import Replay
import Scoring
import TestSupport
import Testing
import Timeline
import Traces

@Suite struct CorpusFolderTests {
  private let corpus: SmallCorpus

  init() throws { corpus = try SmallCorpus() }

  private func read() throws -> PersonDay {
    let folder = try CorpusFolder(path: corpus.path)
    return try #require(folder.days.first).read()
  }

  /// The sentence with which reading ends.
  private func complaint(_ code: CorpusError.Code) -> String {
    do {
      _ = try read()
      return "no complaint"
    } catch let error as CorpusError {
      return error.code == code ? error.description : "\(error.code): \(error)"
    } catch {
      return "\(error)"
    }
  }

  @Test func `a day comes with its truth, its path and its fixes`() throws {
    let day = try read()
    #expect(day.fixes.count == 3)
    #expect(day.path.rows.count == 4)
    #expect(day.truth.visits.map(\.poi) == ["node/1"])
    #expect(day.truth.encounters.map(\.kind) == [.driveBy, .decoy])
    #expect(day.truth.noise == "dev")
    #expect(day.truth.gaps.map(\.reason) == ["tunnel"])
    #expect(day.person.zone.identifier == "America/New_York")
    // Home, and no work: this person has none.
    #expect(
      day.person.reminders.map(\.id)
        == ["bank", "gas_station", "grocery", "pharmacy", "post_office", "home"]
    )
  }

  @Test func `a path without gzip will do, and so will an index of any system`() throws {
    try corpus.remove("a.true.csv.gz")
    try corpus.write(SmallCorpus.path.replacing("\n", with: "\r\n"), "a.true.csv")
    try corpus.write("id,person\r\na,p1\r\n", "index.csv")
    #expect(try read().path.rows.count == 4)
    #expect(try CorpusFolder(path: corpus.path).days.count == 1)
  }

  @Test func `what macOS keeps beside the files of a day is no day`() throws {
    for name in ["._a.gpx", "._a.truth.json", ".DS_Store"] { try corpus.write("x", name) }
    #expect(try CorpusFolder(path: corpus.path).days.map(\.name) == ["a"])
  }

  @Test(arguments: [
    "\u{FEFF}id,person\na,p1\n", "\"id\",\"person\"\n\"a\",\"p1\"\n",
    "\u{FEFF}\"id\"\r\n\"a\"\r\n",
  ])
  func `an index may have a byte order mark, and quotes`(_ index: String) throws {
    try corpus.write(index, "index.csv")
    #expect(try CorpusFolder(path: corpus.path).days.map(\.name) == ["a"])
    try corpus.write(index + "\"a, \"\"b\"\"\",p1\n", "index.csv")
    #expect(complaint(.missing).contains("the day a, \"b\" has no truth"))
  }

  @Test func `days keep the numbers that they have on disk, whatever is left out`() throws {
    let other = try SmallCorpus()
    for name in ["b", "c"] {
      let truth = SmallCorpus.truth.replacing("\"id\": \"a\"", with: "\"id\": \"\(name)\"")
      try corpus.write(truth, name + ".truth.json")
      try corpus.write(SmallCorpus.trace, name + ".gpx")
      try corpus.write(SmallCorpus.path, name + ".true.csv")
    }
    func numbers() throws -> [Int] {
      try CorpusFolder.days(of: [corpus.path, other.path], noteFault: { _ in }).map(\.number)
    }
    #expect(try numbers() == [0, 1, 2, 3])
    try corpus.remove("b.gpx")
    #expect(try numbers() == [0, 2, 3])
    try corpus.remove("c.true.csv")
    #expect(try numbers() == [0, 3])
  }

  @Test func `a corpus that another name leads to is refused, and not counted twice`() throws {
    let others = try TemporaryFolder()
    let link = others.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: corpus.path)
    #expect(try CorpusFolder.days(of: [link]).count == 1)
    let copy = others.path("copy")
    try FileManager.default.copyItem(atPath: corpus.path, toPath: copy)
    #expect(try CorpusFolder.days(of: [corpus.path, copy]).count == 2)
    do {
      _ = try CorpusFolder.days(of: [copy, corpus.path, link])
      Issue.record("the day counts twice")
    } catch {
      #expect(error.code == .malformed)
      #expect(error.description.contains("link/a.gpx: it is the same file as \(corpus.path)/a.gpx"))
    }
  }

  @Test func `an empty or missing folder says what a corpus is`() throws {
    for name in ["a.truth.json", "a.gpx", "a.true.csv.gz"] { try corpus.remove(name) }
    #expect(complaint(.malformed).contains("there is no person-day in it"))
    #expect(throws: CorpusError.self) { try CorpusFolder(path: corpus.path + "/nowhere") }
    try corpus.write("x", "file")
    do {
      _ = try CorpusFolder(path: corpus.file("file"))
      Issue.record("a file is no folder")
    } catch {
      #expect(error.description.contains("name the folder"))
    }
  }

  @Test(arguments: [
    ("a.truth.json", "no truth"), ("a.gpx", "no trace"), ("a.true.csv.gz", "no true path"),
  ])
  func `a day that lacks a file is named`(_ file: String, _ words: String) throws {
    try corpus.remove(file)
    let sentence = complaint(.missing)
    #expect(sentence.contains(words), "\(sentence)")
    #expect(sentence.contains(file.prefix(6)), "\(sentence)")
  }

  @Test func `a recording whose true path is unknown says so, and stands for it`() throws {
    try corpus.remove("a.true.csv.gz")
    #expect(complaint(.missing).contains("write \"true_path\": \"trace\" into its truth"))
    func rewrite(_ words: String) throws {
      let truth = SmallCorpus.truth
        .replacingOccurrences(of: "\"seed\": 3", with: "\"true_path\": \(words)")
      try corpus.write(truth, "a.truth.json")
    }
    try rewrite("\"trace\"")
    let day = try #require(try CorpusFolder(path: corpus.path).days.first)
    #expect(day.path == nil)
    let read = try day.read()
    #expect(read.path.rows.map(\.at) == read.fixes.map(\.at))
    #expect(read.path.rows.map(\.coordinate) == read.fixes.map(\.coordinate))
    // 1.1 km in 21 minutes, and none in the next eight.
    #expect(abs(read.path.rows[1].speedMetersPerSecond - 0.88) < 0.01)
    #expect(read.path.rows[2].speedMetersPerSecond == 0)
    // A time that is years off, before which all others would come too late, is none of the day.
    let stray = "<trkpt lat=\"39.31\" lon=\"-76.60\"><time>2099-01-05T12:05:00Z</time></trkpt>"
    let first = try #require(SmallCorpus.trace.split(separator: "\n").dropFirst().first)
    try corpus.write(SmallCorpus.trace.replacing(first, with: first + stray), "a.gpx")
    let spoiled = try day.read()
    #expect(spoiled.fixesOutside == 1)
    #expect(spoiled.fixes == read.fixes)
    #expect(spoiled.path == read.path)
    try corpus.write(SmallCorpus.trace, "a.gpx")
    try rewrite("\"nowhere\"")
    #expect(complaint(.malformed).contains("\"true_path\" can only be \"trace\""))
    try rewrite("\"trace\"")
    try corpus.write(SmallCorpus.path, "a.true.csv.gz")
    #expect(try CorpusFolder(path: corpus.path).days.first?.path != nil, "a file knows more")
  }

  @Test(arguments: [
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", "1767615000.0,39.3000000,-76.6000000"),
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", "1767615000.0,39.3000000,-76.6000000,,home"),
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", "1767615000.0,39.3,-76.6,-1,home"),
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", "1767615000.0,99.3,-76.6,0,home"),
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", "x,39.3,-76.6,0,home"),
    ("1767615000.0,39.3000000,-76.6000000,0.00,home", ","),
  ])
  func `a row of a path that is none is named by its line`(_ old: String, _ new: String) throws {
    try corpus.write(SmallCorpus.path.replacing(old, with: new), "a.true.csv.gz")
    let sentence = complaint(.malformed)
    #expect(sentence.contains("no row of numbers") && sentence.contains(":3"), "\(sentence)")
  }

  @Test func `the columns of a path may stand in any order, with others among them`() throws {
    try corpus.write(
      """
      speed_mps,x,lon,t_unix,lat
      0,,-76.6,1767614400,39.30

      1.5,,-76.6,1767618000,39.31
      """,
      "a.true.csv.gz"
    )
    let rows = try read().path.rows
    #expect(rows.map(\.coordinate.latitude) == [39.30, 39.31])
    #expect(rows.map(\.speedMetersPerSecond) == [0, 1.5])
    #expect(rows[1].at - rows[0].at == .minutes(60))
  }

  @Test func `a day that only the index knows is missed`() throws {
    try corpus.write("id\nzz\n", "index.csv")
    #expect(complaint(.missing).contains("zz.truth.json"))
    try corpus.write("name\nzz\n", "index.csv")
    #expect(complaint(.malformed).contains("the first column must be"))
  }

  @Test(arguments: [
    ("\"id\": \"a\"", "\"id\": \"b\"", "it is the truth of \"b\""),
    ("\"id\": \"a\",", "", "the key \"id\" is missing"),
    ("\"lat\": 39.31, \"lon\": -76.60,", "\"lat\": \"x\", \"lon\": 1,", "visits[0].lat"),
    ("12:20:00Z\",\n    \"leave", "noon\",\n    \"leave", "is no time such as"),
    ("\"2026-01-05T12:30:00Z\"", "\"2026-01-05T12:19:00Z\"", "ends before it begins"),
    ("\"2026-01-05T12:30:00Z\"", "\"2026-01-05T18:30:00Z\"", "lies outside"),
    ("America/New_York", "Mars/Olympus", "no time zone"),
    ("\"lat\": 39.31, \"lon\": -76.60,", "\"lat\": 39.91, \"lon\": 1.0,", "belong together"),
    ("\"lat\": 39.31, \"lon\": -76.60,", "\"lat\": 139.31, \"lon\": 1.0,", "latitude"),
    ("\"gaps\"", "gaps", "it is no JSON"),
    ("\"near_stays\"", "\"near_stay\"", "did you mean \"near_stays\"?"),
  ])
  func `a spoiled truth says where and what`(
    _ old: String,
    _ new: String,
    _ words: String
  ) throws {
    let spoiled = SmallCorpus.truth.replacing(old, with: new, maxReplacements: 1)
    #expect(spoiled != SmallCorpus.truth)
    try corpus.write(spoiled, "a.truth.json")
    let malformed = complaint(.malformed)
    let sentence = malformed.contains(words) ? malformed : complaint(.unfit)
    #expect(sentence.contains(words), "\(sentence)")
    #expect(sentence.contains("a.truth.json"))
  }

  @Test func `visits that overlap are refused by name`() throws {
    let second = """
      "visits": [{"place_id": "node/9", "category": "bank", "lat": 39.31, "lon": -76.60,
        "arrive_utc": "2026-01-05T12:25:00Z", "leave_utc": "2026-01-05T12:28:00Z"},
      """
    try corpus.write(
      SmallCorpus.truth.replacing("\"visits\": [", with: second),
      "a.truth.json"
    )
    #expect(complaint(.malformed).contains("visits to node/1 and node/9 overlap"))
  }

  @Test func `the truth of another day or another town is refused`() throws {
    try corpus.write(
      SmallCorpus.trace.replacing("2026-01-05", with: "2026-02-07"),
      "a.gpx"
    )
    #expect(complaint(.unfit).contains("another day"))
    try corpus.write(SmallCorpus.trace.replacing("-76.60", with: "-64.90"), "a.gpx")
    #expect(complaint(.unfit).contains("another trace"))
  }

  @Test(arguments: [
    ("39.3100000,-76.6000000,1.85,car", "39.31x,-76.6,1.85,car", ":4: "),
    ("39.3100000,-76.6000000,1.85,car", "99.31,-76.6,1.85,car", ":4: "),
    ("1767615600.0,39.31", "1767615600.0;39.31", ":4: "),
    ("1767615600.0", "1767614300.0", "row 3"),
    ("lat,lon", "latitude,lon", "no column lat"),
    ("1767615600.0", "1e300", ":4: "),
  ])
  func `a spoiled path says in which line`(
    _ old: String,
    _ new: String,
    _ words: String
  ) throws {
    try corpus.write(SmallCorpus.path.replacing(old, with: new), "a.true.csv.gz")
    let sentence = complaint(.malformed)
    #expect(sentence.contains(words), "\(sentence)")
  }

  @Test func `a path that breaks off is damaged`() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: corpus.file("a.true.csv.gz")))
    for count in [whole.count - 4, whole.count / 2, 12] {
      try whole.prefix(count).write(to: URL(fileURLWithPath: corpus.file("a.true.csv.gz")))
      #expect(complaint(.malformed).contains("the gzip data "), "\(count) bytes")
    }
    try corpus.write("", "a.true.csv.gz")
    #expect(complaint(.malformed).contains("empty"))
  }
}
