import Foundation
import TestSupport
import Testing
import Traces

import TraceFiles

/// Other people's files, beside the checkout, against what is known about them.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct SharedTracesTests {
  @Test func `every odd file has the points that gpxpy reads`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    let manifest = try String(
      contentsOf: folder.appendingPathComponent("MANIFEST.tsv"),
      encoding: .utf8
    )
    var compared = 0
    for line in manifest.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count >= 3, fields[0].hasSuffix(".gpx") else { continue }
      let name = String(fields[0])
      let reading = Reading(path: folder.appendingPathComponent(name).path)
      guard let expected = points(gpxpy: String(fields[2])) else { continue }
      compared += 1
      let points = reading.report?.points ?? 0
      if let known = differences[name] {
        #expect(points == known.points, "\(name): \(known.why)")
      } else {
        #expect(points == expected, "\(name): \(reading.error.map(String.init(describing:)) ?? "")")
      }
    }
    #expect(compared >= 100)
  }

  /// Where we read something else than gpxpy, and why that is right.
  private let differences: [String: (points: Int, why: String)] = [
    "made/prefixed-namespace.gpx": (3, "gpxpy does not know prefixes; its own manifest says 3")
  ]

  /// The points that a reader delivers of what gpxpy counts; nil where gpxpy failed.
  private func points(gpxpy text: String) -> Int? {
    guard text.hasPrefix("ok ") else { return nil }
    var counts: [String: Int] = [:]
    for field in text.split(separator: " ").dropFirst(2) {
      let parts = field.split(separator: "=")
      guard parts.count == 2, let last = parts[1].split(separator: "/").last else { continue }
      counts[String(parts[0])] = Int(last)
    }
    for kind in ["trkpt", "rte", "wpt"] {
      if let count = counts[kind], count > 0 { return count }
    }
    return 0
  }

  @Test(arguments: MadeFile.all)
  func `every hostile file reads as its manifest says`(file: MadeFile) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd/made")
    let reading = Reading(path: folder.appendingPathComponent(file.name).path)
    #expect(reading.fixes.count == file.fixes, "\(file.name)")
    #expect(reading.refusals == file.refusals, "\(file.name)")
    #expect(reading.error?.code == file.error, "\(file.name): \(String(describing: reading.error))")
  }

  @Test(arguments: ["corpus-dev", "corpus-dev-wide"])
  func `every person-day has the points of its index`(corpus: String) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent(corpus)
    let index = try String(
      contentsOf: folder.appendingPathComponent("index.csv"),
      encoding: .utf8
    )
    .split(whereSeparator: \.isNewline)
    .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let header = try #require(index.first)
    let pointsColumn = try #require(header.firstIndex(of: "points"))
    let segmentsColumn = try #require(header.firstIndex(of: "segments"))
    for row in index.dropFirst() {
      let reading = Reading(path: folder.appendingPathComponent("\(row[0]).gpx.gz").path)
      #expect(reading.error == nil, "\(row[0])")
      #expect(reading.report?.points == Int(row[pointsColumn]), "\(row[0])")
      let segments = reading.records.count { $0.startsSegment }
      #expect(segments == Int(row[segmentsColumn]), "\(row[0])")
      #expect(reading.refusals.isEmpty, "\(row[0])")
      #expect(reading.report?.accuracyReported == reading.report?.points, "\(row[0])")
    }
    #expect(index.count == (corpus == "corpus-dev" ? 61 : 21))
  }
}

/// What we read of a file of `gpx-odd/made`, in the terms of its manifest.
struct MadeFile: CustomTestStringConvertible, Sendable {
  let name: String
  let fixes: Int
  var refusals: [String] = []
  var error: TraceError.Code?

  var testDescription: String { name }

  static let all: [MadeFile] = [
    MadeFile(name: "utf16le-bom.gpx", fixes: 3),
    MadeFile(name: "utf16be-bom.gpx", fixes: 3),
    MadeFile(name: "utf8-bom.gpx", fixes: 3),
    MadeFile(name: "latin1.gpx", fixes: 3),
    MadeFile(name: "latin1-undeclared.gpx", fixes: 0, error: .malformed),
    MadeFile(name: "no-declaration.gpx", fixes: 3),
    MadeFile(name: "crlf.gpx", fixes: 3),
    MadeFile(name: "leading-blank-line.gpx", fixes: 3),
    MadeFile(name: "no-namespace.gpx", fixes: 3),
    MadeFile(name: "prefixed-namespace.gpx", fixes: 3),
    MadeFile(name: "foreign-trkpt.gpx", fixes: 3),
    MadeFile(name: "truncated.gpx", fixes: 1, error: .malformed),
    MadeFile(name: "empty-file.gpx", fixes: 0, error: .notATrace),
    MadeFile(name: "only-space.gpx", fixes: 0, error: .notATrace),
    MadeFile(name: "html-error-page.gpx", fixes: 0, error: .notATrace),
    MadeFile(name: "gzip-inside.gpx", fixes: 3),
    MadeFile(name: "nul-bytes.gpx", fixes: 3, error: .malformed),
    MadeFile(name: "doctype-external-entity.gpx", fixes: 0, error: .excessive),
    MadeFile(name: "entity-expansion.gpx", fixes: 0, error: .excessive),
    MadeFile(name: "lat-out-of-range.gpx", fixes: 1, refusals: ["bad_coordinate:4"]),
    MadeFile(name: "lat-edge.gpx", fixes: 4),
    MadeFile(name: "lat-bad-number.gpx", fixes: 1, refusals: ["bad_number:5"]),
    // Its one valid point has no time, so there is nothing to replay.
    MadeFile(
      name: "lat-missing.gpx",
      fixes: 0,
      refusals: ["no_time:1", "bad_coordinate:3"],
      error: .withoutTimes
    ),
    MadeFile(name: "null-island.gpx", fixes: 4),
    MadeFile(name: "antimeridian.gpx", fixes: 5),
    MadeFile(name: "pole.gpx", fixes: 6),
    MadeFile(name: "times-all-forms.gpx", fixes: 9),
    // The empty time counts as none; the suspicious years are readable times.
    MadeFile(name: "times-bad.gpx", fixes: 5, refusals: ["no_time:1", "bad_time:7"]),
    MadeFile(name: "time-order.gpx", fixes: 9),
    MadeFile(name: "dst-fold-new-york.gpx", fixes: 5),
    MadeFile(name: "dst-gap-new-york.gpx", fixes: 2),
    MadeFile(name: "midnight-utc.gpx", fixes: 2),
    // The two points of each are counted, and have no times.
    MadeFile(name: "route-only.gpx", fixes: 0, refusals: ["no_time:2"], error: .withoutTimes),
    MadeFile(name: "waypoints-only.gpx", fixes: 0, refusals: ["no_time:2"], error: .withoutTimes),
    MadeFile(name: "empty-segments.gpx", fixes: 1),
    MadeFile(name: "many-segments.gpx", fixes: 500),
    MadeFile(name: "gpx10-speed-course.gpx", fixes: 1),
    MadeFile(name: "two-roots.gpx", fixes: 3, error: .malformed),
    MadeFile(name: "duplicate-attribute.gpx", fixes: 0, error: .malformed),
    MadeFile(name: "deep-nesting.gpx", fixes: 3),
    MadeFile(name: "long-name.gpx", fixes: 3),
    MadeFile(name: "emoji-rtl-name.gpx", fixes: 3),
    MadeFile(name: "huge-jump.gpx", fixes: 3),
    MadeFile(name: "hdop-odd.gpx", fixes: 7),
  ]
}
