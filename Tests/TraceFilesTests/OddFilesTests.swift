import Foundation
import TestSupport
import Testing
import TraceFiles
import Traces

/// Odd files from other projects' test suites, and hostile ones made for ours.
@Suite(.enabled(if: SharedData.folder != nil, Comment(rawValue: SharedData.absent)))
struct OddFilesTests {
  /// Every GPX file beside what gpxpy 1.6.2 reads of it.
  @Test func `track points with times are as many as another reader finds`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    let manifest = try String(
      contentsOf: folder.appendingPathComponent("MANIFEST.tsv"),
      encoding: .utf8
    )
    var compared = 0
    for line in manifest.split(separator: "\n").dropFirst() {
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard columns.count == 3, columns[0].hasSuffix(".gpx"), columns[2].hasPrefix("ok"),
        let track = Self.number("trkpt", columns[2]), track > 0,
        let timed = Self.number("timed", columns[2])
      else { continue }
      let reading = Reading(path: folder.appendingPathComponent(columns[0]).path)
      let points = reading.fixes.count + reading.refusals.count
      if let reason = Self.explained[columns[0]] {
        #expect(points != track || reading.fixes.count != timed, "\(columns[0]): \(reason)")
        continue
      }
      compared += 1
      #expect(points == track, "\(columns[0]) \(reading.message)")
      #expect(reading.fixes.count == timed, "\(columns[0])")
    }
    #expect(compared > 60)
  }

  /// Where we read otherwise than gpxpy, and why that is right.
  private static let explained: [String: String] = [
    "coregpx/wptError.gpx": "a longitude of 180.88 is off the globe",
    "made/deep-nesting.gpx": "5,000 nested elements are refused",
    "made/lat-out-of-range.gpx": "coordinates off the globe are refused",
    "made/times-all-forms.gpx": "the offset +00 is read, too",
    "made/times-bad.gpx": "24:00:00 and a leap second are times",
  ]

  private static func number(_ key: String, _ text: String) -> Int? {
    text.split(separator: " ").first { $0.hasPrefix(key + "=") }
      .flatMap { Int($0.dropFirst(key.count + 1)) }
  }

  /// The hostile files: how many fixes, how many refused, and whether the end is an error.
  @Test(
    arguments: [
      ("utf16le-bom", 3, 0, nil), ("utf16be-bom", 3, 0, nil), ("utf8-bom", 3, 0, nil),
      ("latin1", 3, 0, nil), ("latin1-undeclared", 0, 0, .malformed),
      ("no-declaration", 3, 0, nil), ("crlf", 3, 0, nil), ("leading-blank-line", 0, 0, .notGPX),
      ("no-namespace", 3, 0, nil), ("prefixed-namespace", 3, 0, nil), ("foreign-trkpt", 3, 0, nil),
      ("empty-file", 0, 0, .notGPX), ("only-space", 0, 0, .notGPX),
      ("html-error-page", 0, 0, .notGPX), ("gzip-inside", 3, 0, nil),
      ("entity-expansion", 0, 0, .excessive), ("doctype-external-entity", 0, 0, .excessive),
      ("lat-edge", 4, 0, nil), ("null-island", 4, 0, nil), ("antimeridian", 5, 0, nil),
      ("pole", 6, 0, nil), ("times-all-forms", 9, 0, nil), ("time-order", 9, 0, nil),
      ("dst-fold-new-york", 5, 0, nil), ("dst-gap-new-york", 2, 0, nil),
      ("midnight-utc", 2, 0, nil), ("many-segments", 500, 0, nil),
      ("gpx10-speed-course", 1, 0, nil), ("duplicate-attribute", 0, 0, .malformed),
      ("deep-nesting", 0, 0, .excessive), ("long-name", 3, 0, nil),
      ("emoji-rtl-name", 3, 0, nil), ("huge-jump", 3, 0, nil), ("hdop-odd", 7, 0, nil),
      ("lat-out-of-range", 1, 4, nil), ("lat-bad-number", 1, 5, nil), ("lat-missing", 0, 4, nil),
      ("times-bad", 5, 8, nil), ("empty-segments", 1, 0, nil),
    ] as [(String, Int, Int, TraceError.Code?)]
  )
  func `hostile files are read or refused as expected`(
    _ name: String,
    _ fixes: Int,
    _ refused: Int,
    _ failure: TraceError.Code?
  ) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd/made")
    let reading = Reading(path: folder.appendingPathComponent(name + ".gpx").path)
    #expect(reading.failure == failure, "\(reading.message)")
    #expect(reading.fixes.count == fixes)
    #expect(reading.refusals.count == refused)
  }

  @Test func `every file of the folder ends in points or a sentence`() throws {
    let folder = try #require(SharedData.folder).appendingPathComponent("gpx-odd")
    let files = try #require(FileManager.default.enumerator(atPath: folder.path))
    for case let path as String in files {
      let reading = Reading(path: folder.appendingPathComponent(path).path)
      #expect(reading.failure == nil || !reading.message.isEmpty, "\(path)")
    }
  }

  @Test(arguments: ["corpus-dev", "corpus-dev-wide"])
  func `person-days have the points that their index says`(_ corpus: String) throws {
    let folder = try #require(SharedData.folder).appendingPathComponent(corpus)
    let index = try String(
      contentsOf: folder.appendingPathComponent("index.csv"),
      encoding: .utf8
    )
    let rows = index.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    let column = try #require(rows.first?.firstIndex(of: "points"))
    for row in rows.dropFirst() {
      let reading = Reading(path: folder.appendingPathComponent(row[0] + ".gpx.gz").path)
      #expect(reading.failure == nil, "\(row[0])")
      #expect(reading.fixes.count + reading.refusals.count == Int(row[column]), "\(row[0])")
    }
  }
}
