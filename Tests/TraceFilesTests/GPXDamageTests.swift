import Foundation
import TestSupport
import Testing
import Traces

import TraceFiles

@Suite struct GPXDamageTests {
  @Test func `cut at any byte, the points before the cut are delivered`() throws {
    let bytes = Array(gpx(trkpt(1) + "\n" + trkpt(2, inside: "<hdop>2</hdop>")).utf8)
    let ends = (0..<bytes.count)
      .filter { bytes[..<$0].reversed().starts(with: "</trkpt>".utf8.reversed()) }
    for count in 0..<bytes.count {
      let reading = try Reading(bytes: Array(bytes[..<count]))
      #expect(reading.fixes.count == ends.count { $0 <= count }, "\(count) bytes")
      let error = try #require(reading.error, "\(count) bytes")
      #expect([.malformed, .notATrace].contains(error.code), "\(count) bytes: \(error)")
    }
    #expect(try Reading(bytes: bytes).error == nil)
  }

  @Test func `gzip cut at any byte is an error with an offset`() throws {
    let packed = try gzip(Array(gpx(trkpt(1) + trkpt(2)).utf8))
    for count in 2..<packed.count {
      let reading = try Reading(bytes: Array(packed[..<count]))
      #expect(reading.error?.code == .malformed, "\(count) bytes")
      #expect(reading.error?.byteOffset == count, "\(count) bytes")
    }
  }

  @Test(arguments: 1...400 as ClosedRange<UInt64>)
  func `changed bytes never crash or hang the reader`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = Array(gpx(trkpt(1) + trkpt(2, inside: "<hdop>2</hdop>") + trkpt(3)).utf8)
    if seed % 2 == 0 { bytes = try gzip(bytes) }
    for _ in 0..<random.integer(1...6) {
      bytes[random.integer(0...(bytes.count - 1))] = UInt8(random.integer(0...255))
    }
    #expect(try Reading(bytes: bytes).records.count <= 3, "seed \(seed)")
  }

  @Test func `a file without times is an error that says what to do`() throws {
    let reading = try Reading(gpx(#"<trkpt lat="1" lon="2"/><trkpt lat="1" lon="2"/>"#))
    #expect(reading.refusals == ["no_time:2"])
    #expect(reading.error?.code == .withoutTimes)
    #expect(reading.error?.description.contains("a replay needs times") == true)
  }

  @Test func `a file without points is empty, not wrong`() throws {
    let reading = try Reading(gpx(""))
    #expect(reading.error == nil)
    #expect(reading.report?.points == 0)
  }

  @Test(arguments: [
    ("", "empty"), ("  \n ", "empty"), ("\u{FEFF}", "empty"), ("{\"type\":1}", "JSON"),
    ("a,b,c\n1,2,3\n", "--columns"), ("Dear diary,\n", "plain text"),
    ("PK\u{3}\u{4}", "zip"), ("\u{1F}\u{8B}", "gzip"), ("SQLite format 3\u{0}", "SQLite"),
    ("\u{0}\u{1}\u{2}\u{3}", "binary"), ("<!DOCTYPE html><html></html>", "HTML"),
    ("<osm/>", "OpenStreetMap"), ("<other/>", "<other>"),
  ])
  func `what is no trace is named`(text: String, name: String) throws {
    let bytes =
      text.unicodeScalars.allSatisfy { $0.value < 256 }
      ? text.unicodeScalars.map { UInt8($0.value) } : Array(text.utf8)
    let error = try #require(try Reading(bytes: bytes).error)
    #expect([.notATrace, .malformed].contains(error.code))
    #expect(error.description.contains(name), "\(error)")
  }

  @Test func `a missing file and a folder are named`() {
    #expect(Reading(path: "/nonexistent/near-me.gpx").error?.code == .missing)
    let folder = Reading(path: FileManager.default.temporaryDirectory.path).error
    #expect(folder?.code == .notATrace)
    #expect(folder?.description.contains("folder") == true)
  }

  @Test func `damage is located by line and byte`() throws {
    let reading = try Reading(gpx("\n\n" + trkpt(1) + "\n</trk>"))
    #expect(reading.fixes.count == 1)
    #expect(reading.error?.line == 4)
    #expect(reading.error?.byteOffset ?? 0 > 150)
  }

  @Test func `entities of a document's own are refused before they grow`() throws {
    let lol = #"<!DOCTYPE gpx [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>"#
    let reading = try Reading(gpx(trkpt(1, inside: "<name>&b;</name>"), declaration: lol))
    #expect(reading.error?.code == .excessive)
    let harmless = try Reading(gpx(trkpt(1), declaration: "<!DOCTYPE gpx>"))
    #expect(harmless.fixes.count == 1)
  }

  @Test func `what would fill the memory is refused`() throws {
    let nested = String(repeating: "<a>", count: 100_000)
    #expect(try Reading(gpx("<extensions>" + nested)).error?.code == .excessive)
    let comment = "<!--" + String(repeating: "x", count: 3 << 20) + "-->"
    #expect(try Reading(gpx(comment)).error?.code == .excessive)
    let attribute = "<a b='" + String(repeating: "x", count: 3 << 20) + "'/>"
    #expect(try Reading(gpx(attribute)).error?.code == .excessive)
    let names = (0..<20_000).map { "<n\($0)/>" }.joined()
    #expect(try Reading(gpx(names)).error?.code == .excessive)
    let attributes = (0..<20_000).map { "<n a\($0)=''/>" }.joined()
    #expect(try Reading(gpx(attributes)).error?.code == .excessive)
  }

  @Test func `long text is passed over, in a value it is no value`() throws {
    let text = String(repeating: "x", count: 3 << 20)
    let name = try Reading(gpx(trkpt(1, inside: "<name>\(text)</name>")))
    #expect(name.fixes.count == 1)
    #expect(name.error == nil)
    let blank = String(repeating: " ", count: 1 << 20)
    let time = "<time>\(blank)2025-09-08T12:00:00Z\(blank)</time>"
    #expect(try Reading(gpx("<trkpt lat='1' lon='2'>\(time)</trkpt>")).fixes.count == 1)
    let number = try Reading(gpx(trkpt(1, inside: "<hacc>1\(text)</hacc>")))
    #expect(number.refusals == ["bad_number:1"])
  }
}
