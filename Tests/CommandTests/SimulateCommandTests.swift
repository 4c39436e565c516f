import Foundation
import TestSupport
import Testing

/// `nearme simulate` as people run it.
@Suite struct SimulateCommandTests {
  private static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func simulate(_ arguments: [String], to name: String) throws -> Command {
    try Command(["simulate"] + arguments + ["-o", folder.path(name)])
  }

  private func contents(_ name: String) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(name))
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try Data(contentsOf: URL(fileURLWithPath: folder.path(name) + "/" + $0)))
      }
    )
  }

  @Test func `a town is the same on one core and on two, and another one for another seed`() throws
  {
    let town = ["--city", "--people", "3", "--days", "2", "--seed", "7"]
    for (name, more) in [("one", ["--jobs", "1"]), ("two", ["--jobs", "2"])] {
      let run = try simulate(town + more, to: name)
      #expect(run.status == 0, "\(run.errors)")
    }
    let one = try contents("one")
    #expect(one.count == 3 * 2 * 4 + 2)
    #expect(try contents("two") == one)
    _ = try simulate(["--city", "--people", "3", "--days", "2", "--seed", "8"], to: "other")
    #expect(try contents("other")["p01-d1.gpx.gz"] != one["p01-d1.gpx.gz"])
  }

  @Test func `a corpus that was made in parts is the one that is made at once`() throws {
    let town = ["--city", "--people", "3", "--days", "2", "--seed", "7"]
    let whole = try simulate(town, to: "whole")
    try FileManager.default.createDirectory(
      atPath: folder.path("parts"),
      withIntermediateDirectories: false
    )
    for number in [3, 1, 4] {
      #expect(try simulate(town + ["--part", "\(number)/4"], to: "parts/\(number)").status == 0)
    }
    let missing = try simulate(["--of-parts", folder.path("parts")], to: "all")
    #expect(missing.status == 65)
    #expect(missing.errors.contains("part 2 of 4 is missing"), "\(missing.errors)")
    let other = ["--city", "--people", "3", "--days", "2", "--seed", "8", "--part", "2/4"]
    #expect(try simulate(other, to: "parts/2").status == 0)
    let mixed = try simulate(["--of-parts", folder.path("parts")], to: "all")
    #expect(mixed.status == 65)
    #expect(mixed.errors.contains("another corpus"), "\(mixed.errors)")
    try FileManager.default.removeItem(atPath: folder.path("parts/2"))
    #expect(try simulate(town + ["--part", "2/4"], to: "parts/2").status == 0)
    let all = try simulate(["--of-parts", folder.path("parts")], to: "all")
    #expect(all.status == 0, "\(all.errors)")
    #expect(try contents("all") == contents("whole"))
    #expect(
      all.output.replacing(folder.path("all"), with: "")
        == whole.output.replacing(folder.path("whole"), with: "")
    )
    let described = folder.path("parts/2/part.json")
    let text = try String(contentsOfFile: described, encoding: .utf8)
    for (from, to) in [
      ("\"parts\":4", "\"parts\":0"), ("\"days\":1,", "\"days\":9223372036854775807,"),
      ("\"variance\":[", "\"variance\":[],\"unknown\":["), ("{", ""),
    ] {
      #expect(text.contains(from))
      try text.replacing(from, with: to)
        .write(
          toFile: described,
          atomically: true,
          encoding: .utf8
        )
      let altered = try simulate(["--of-parts", folder.path("parts")], to: "altered")
      #expect(altered.status == 65, "\(to): \(altered.errors)")
    }
    for part in ["0/4", "5/4", "1", "1/0", "1/2/3", "a/b"] {
      #expect(try simulate(town + ["--part", part], to: "refused").status == 64, "\(part)")
    }
    #expect(try simulate(["--of-parts", folder.path("whole")], to: "refused").status == 65)
  }

  @Test(arguments: [
    ["--people", "3"], ["--days", "1"], ["--seed", "7"], ["--phone", "every-50m"],
    ["--white-noise"], ["--stop-offset", "40m"], ["--category", "bank"],
  ])
  func `an option that says nothing of parts is refused by its name`(_ option: [String]) throws {
    let run = try simulate(["--of-parts", folder.path("parts")] + option, to: "refused")
    #expect(run.status == 64)
    #expect(run.errors.contains("\(option[0]) is of new days: --of-parts"), "\(run.errors)")
  }

  @Test func `days on a map are scored by the scorer and found healthy by the trace doctor`() throws
  {
    let map = Self.root.appendingPathComponent("data/port-ardent.osm.pbf").path
    let run = try simulate(["--osm", map, "--people", "3", "--days", "1"], to: "days")
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("share of fixes within their claimed accuracy"))
    let cache = folder.path("pois.sqlite")
    #expect(try Command(["cache", "build", map, "-o", cache]).status == 0)
    let score = try Command(
      ["score", folder.path("days"), "--cache", cache, "--monitor", "stream", "--format", "json"]
    )
    #expect(score.status == 0, "\(score.errors)")
    #expect(score.output.contains("\"recall\""))
    let check = try Command(["trace", "check", folder.path("days") + "/p01-d1.gpx.gz"])
    #expect(check.output.contains("nothing would distort a replay"), "\(check.output)")
  }

  @Test func `a corpus is seen anew by another phone, and what happened stays as it was`() throws {
    let run = try simulate(["--city", "--people", "2", "--days", "1"], to: "days")
    #expect(run.status == 0, "\(run.errors)")
    let cache = folder.path("pois.sqlite")
    let places = folder.path("days") + "/places.csv"
    #expect(try Command(["cache", "build", places, "-o", cache]).status == 0)
    let asked = ["--again", folder.path("days"), "--cache", cache, "--phone", "zero-speed"]
    for (name, jobs) in [("one", "1"), ("two", "2")] {
      let again = try simulate(asked + ["--jobs", jobs], to: name)
      #expect(again.status == 0, "\(again.errors)")
    }
    let town = folder.path("town.sqlite")
    let map = Self.root.appendingPathComponent("data/port-ardent.osm.pbf").path
    #expect(try Command(["cache", "build", map, "-o", town]).status == 0)
    let elsewhere = try simulate(
      ["--again", folder.path("days"), "--cache", town, "--phone", "zero-speed"],
      to: "elsewhere"
    )
    #expect(elsewhere.errors.contains("is it the cache of another town?"), "\(elsewhere.errors)")
    let (days, one) = (try contents("days"), try contents("one"))
    #expect(try contents("two") == one)
    #expect(one["p01-d1.true.csv.gz"] == days["p01-d1.true.csv.gz"])
    #expect(one["p01-d1.gpx.gz"] != days["p01-d1.gpx.gz"])
    var truths: [[String: Any]] = []
    for files in [days, one] {
      let bytes = try #require(files["p01-d1.truth.json"])
      truths.append(try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any]))
    }
    for key in ["drive_bys", "near_stays", "stays", "decoy_stops", "home"] {
      let (before, after) = (truths[0][key] as? NSObject, truths[1][key] as? NSObject)
      #expect(before != nil && before == after, "\(key)")
    }
    #expect((truths[1]["sampling"] as? [String: Any])?["name"] as? String == "zero-speed")
    let score = try Command(["score", folder.path("one"), "--cache", cache, "--no-ledger"])
    #expect(score.status == 0, "\(score.errors)")
    let errands = Self.root.appendingPathComponent("traces").path
    for (arguments, status) in [
      (["--again", errands], 64),
      (["--again", "/nowhere", "--cache", cache, "--phone", "levels"], 66),
      (["--again", errands, "--cache", "/nowhere.sqlite", "--phone", "levels"], 66),
      (["--city", "--phone", "levels", "--speed", "none"], 64), (["--city", "--cache", cache], 64),
    ] as [([String], Int32)] {
      let run = try simulate(arguments, to: "refused")
      #expect(run.status == status, "\(arguments): \(run.status) \(run.errors)")
    }
  }

  @Test func `wrong wishes are refused, and nothing is left behind`() throws {
    for (arguments, status) in [
      ([], 64), (["--city", "--osm", "x"], 64), (["--city", "--people", "0"], 64),
      (["--city", "--time-zone", "Mars"], 64), (["--city", "--date", "2026-02-30"], 64),
      (["--city", "--stop-offset", "far"], 64), (["--city", "--stop-offset", "40"], 64),
      (["--city", "--around", "91,0"], 64),
      (["--city", "--category", "bank"], 64),
      (["--osm", "/nowhere.osm.pbf"], 66),
      (["--osm", Self.root.appendingPathComponent("README.md").path], 65),
    ] as [([String], Int32)] {
      let run = try simulate(arguments, to: "refused")
      #expect(run.status == status, "\(arguments): \(run.status) \(run.errors)")
      #expect(!run.errors.isEmpty)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).isEmpty)
    try FileManager.default.createDirectory(
      atPath: folder.path("full"),
      withIntermediateDirectories: false
    )
    try Data([1]).write(to: URL(fileURLWithPath: folder.path("full") + "/mine"))
    let run = try simulate(["--city", "--people", "1"], to: "full")
    #expect(run.status == 65)
    #expect(run.errors.contains("files in it already"))
    #expect(try contents("full") == ["mine": Data([1])])
  }
}
