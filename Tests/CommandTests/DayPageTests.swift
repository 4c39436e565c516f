import DayReports
import Foundation
import Testing
import TestSupport
import Timeline

/// The page of a day, and the day as data.
@Suite struct DayPageTests {
  private let folder: TemporaryFolder
  private let sample: [String]

  init() throws {
    folder = try TemporaryFolder()
    let cache = folder.path("pois.sqlite")
    let build = try Command([
      "cache", "build", Self.repository("data/port-ardent.osm.pbf"), "-o", cache,
    ])
    #expect(build.status == 0, "\(build.errors)")
    sample = [
      Self.repository("traces/errands.gpx.gz"), "--cache", cache, "--reminders",
      Self.repository("traces/reminders.json"), "--policy", Self.repository("traces/policy.yaml"),
    ]
  }

  private static func repository(_ path: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(path).path
  }

  private func dayJSON(_ more: [String] = []) throws -> DayReport {
    let run = try Command(["replay"] + sample + ["--format", "day-json"] + more)
    #expect(run.status == 0, "\(run.errors)")
    return try JSONDecoder().decode(DayReport.self, from: Data(run.output.utf8))
  }

  @Test(arguments: [["--monitor", "ideal"], ["--monitor", "ios"], ["--monitor", "stream"]])
  func `a day has the lines of the NDJSON, to the byte`(_ monitor: [String]) throws {
    // Without the truth beside it, of which the NDJSON knows nothing.
    let alone = folder.path("alone.gpx.gz")
    try FileManager.default.copyItem(atPath: sample[0], toPath: alone)
    func replay(_ trace: String, _ format: String) throws -> Command {
      try Command(["replay", trace] + sample.dropFirst() + ["--format", format] + monitor)
    }
    let ndjson = try replay(alone, "ndjson")
    let bare = try JSONDecoder()
      .decode(DayReport.self, from: Data(replay(alone, "day-json").output.utf8))
    #expect(bare.lines.joined(separator: "\n") + "\n" == ndjson.output)
    #expect(try replay(sample[0], "ndjson").output == ndjson.output)
    #expect(bare.formatVersion == DayReport.formatVersion)
    // With it the phone goes on until its day ends: what its silence says comes after all else, but for the summary.
    let report = try dayJSON(monitor)
    #expect(report.lines.starts(with: bare.lines.dropLast()))
    #expect(report.end > bare.end)
    if monitor.contains("stream") {
      #expect(report.wakes.last.map { $0.at > bare.end } == true, "five seconds after the last fix")
    }
    for day in [bare, report] {
      #expect(day.wakes.count == day.lines.count { $0.contains("\"type\":\"wake\"") })
    }
  }

  @Test func `a day that is written to a file is for its owner's eyes`() throws {
    let file = folder.path("day.json")
    let run = try Command(["replay"] + sample + ["--format", "day-json", "-o", file])
    #expect(run.status == 0, "\(run.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `how late fixes come is said with a unit`() throws {
    let run = try Command(["replay"] + sample + ["--monitor", "stream", "--handed-over", "2,10"])
    #expect(run.status == 64 && run.errors.contains("such as 2m,10m"), "\(run.errors)")
  }

  @Test func `why is what nearme explain says`() throws {
    let report = try dayJSON()
    let moments = report.moments.filter { $0.about != "hour" }
    #expect(moments.count > 50)
    for moment in stride(from: 0, to: moments.count, by: 13).map({ moments[$0] }) {
      let at = ISO8601DateFormatter()
      at.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
      let date = Date(timeIntervalSince1970: Double(moment.at.milliseconds) / 1_000)
      let run = try Command(
        ["explain"] + sample
          + ["--monitor", "ideal", "--reminder", moment.reminder, "--at", at.string(from: date)]
      )
      #expect(run.status == 0, "\(run.errors)")
      let lines = run.output.split(separator: "\n").map(String.init)
      let wanted =
        [moment.outcome] + moment.causes.map { "  because   \($0)" }
        + moment.evidence.map {
          "  \($0.label.padding(toLength: 8, withPad: " ", startingAt: 0))  \($0.text)"
        }
      #expect(
        lines == wanted + ["  service   ideal"],
        "\(moment.reminder) at \(at.string(from: date))"
      )
    }
  }

  @Test func `what came on the screen went from it, and the truth has a verdict on it`() throws {
    let report = try dayJSON()
    let came = Set(report.screen.filter { $0.change == "came" }.map(\.id))
    #expect(came.count == 20)
    #expect(report.screen.allSatisfy { came.contains($0.id) })
    let truth = try #require(report.truth)
    #expect(truth.visits.contains { $0.isTold } && truth.visits.contains { !$0.isTold })
    #expect(truth.verdicts.count { $0.subject == "arrival" } == 7)
    let bins = try #require(report.reminders.first { $0.id == "bins" })
    #expect(bins.bands.contains { $0.kind == "waiting" && $0.text.contains("quiet_hours") })
  }

  @Test(.enabled(if: ReportPage.canBeDrawn))
  func `NM-3.4: places and points of interest have symbols of their own on the page`() throws {
    let page = folder.path("day.html")
    let run = try Command(["replay"] + sample + ["--format", "html", "-o", page])
    #expect(run.status == 0, "\(run.errors)")
    let written = try ReportPage(path: page)
    let report = try written.report(DayReport.self)
    #expect(report.places.count == 3 && report.points.count == 57)
    let drawn = try written.drawn()
    for words in ["own place", "point of interest", "The phone", "data-key=\"registrations\">260<"]
    {
      #expect(drawn.contains(words), "\(words)")
    }
    #expect(!written.html.contains("unsafe-inline"))
    #expect(written.html.contains("script-src 'sha256-"))
  }

  @Test func `streets and shores of an extract lie under the map`() throws {
    let map = try #require(
      try dayJSON(["--basemap", Self.repository("data/port-ardent.osm.pbf")]).baseMap
    )
    #expect(map.layers.map(\.kind).first == "land")
    #expect(map.layers.contains { $0.kind == "coast" })
    #expect(map.layers.allSatisfy { !$0.lines.isEmpty && $0.lines.allSatisfy { $0.count > 3 } })
  }

  @Test(arguments: [
    (["--format", "html"], Int32(64), "-o day.html"),
    (["--format", "day-json", "second.gpx"], 64, "shows one trace"),
    (["--format", "html", "-o", "/dev/null", "--map-library", "none.js"], 66, "none.js"),
    (["--format", "day-json", "--basemap", "none.osm.pbf"], 66, "none.osm.pbf"),
  ])
  func `what cannot be made into a page is said`(
    _ more: [String],
    _ status: Int32,
    _ words: String
  ) throws {
    let run = try Command(["replay"] + sample + more)
    #expect(run.status == status, "\(run.errors)")
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test func `another script is not taken for Leaflet, nor a page without its style`() throws {
    let script = folder.path("leaflet.js")
    try "alert('this is leaflet</script>')".write(toFile: script, atomically: true, encoding: .utf8)
    let ended = try Command(
      ["replay"] + sample + [
        "--format", "html", "-o", folder.path("a.html"), "--map-library", script,
      ]
    )
    #expect(ended.status == 65 && ended.errors.contains("this is not Leaflet"), "\(ended.errors)")
    try "/* leaflet */".write(toFile: script, atomically: true, encoding: .utf8)
    let bare = try Command(
      ["replay"] + sample + [
        "--format", "html", "-o", folder.path("a.html"), "--map-library", script,
      ]
    )
    #expect(bare.status == 66 && bare.errors.contains("leaflet.css"), "\(bare.errors)")
  }
}
