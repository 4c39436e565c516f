import Foundation
import TestSupport
import Testing
import Timeline
import TraceFiles

@Suite struct FeedKindTests {
  private static let traces: [String] = [
    "<?xml version=\"1.0\"?>\n<gpx>", "\u{FEFF}\n <gpx version='1.1'>", "<kml>\n",
    "<!-- a comment -->\n<gpx>", "<g:gpx xmlns:g='x'>\n", "<TrainingCenterDatabase>\n",
    "{\n  \"locations\": [\n", "[\r\n{\"lat\":1}", "{ \"type\": \"FeatureCollection\",\n",
    "{\"features\":[" + String(repeating: "{},", count: 2_000) + "{}]}",
    "{\"semanticSegments\":[]}",
    "time,lat,lon\n", "\n\nlatitude;longitude;time\r\n1;2;3", "Geolife trajectory\nWGS 84\n",
    "OziExplorer Track Point File Version 2.1\n", "AXXX001\r\nHFDTE010203\r\n",
    "ALXNGII\nI023638\nJ010812\nB1101355206343N00006198WA0058700558\n",
    "SQLite format 3", "\u{0E}\u{10}\u{01}\u{02}\u{03}\u{04}\u{05}\u{06}.FITab",
  ]
  private static let lines: [String] = [
    "", "\n \n", "{\"time\":\"2026-03-03T08:00:00Z\",\"lat\":38,\"lon\":-34}\n",
    "{\"locations\":[" + String(repeating: "{\"type\":\"Feature\"},", count: 300) + "{}]}\n",
    "{\"locations\":" + String(repeating: " ", count: 4_082) + "[{},{}]}\n",
    "{\"locations\":[{\"type\":\"Feature\"}]}\n",
    "{\"type\":\"FeatureCollection\",\"features\":[]}\n", "[{\"lat\":1,\"lon\":2}]\n",
    "{\"lat\":1\n",
    "{\"lat\":1,\n", "owntracks/me/phone {\"_type\":\"lwt\"}\n", "\u{1E}{\"lat\":1}\n",
    "$GPRMC,080002.00,A,3800.0000,N,03400.0000,W,1.0,90.0,030326,,,A*76\n",
    "!AIVDM,1,1,,A,14eG;o@034o8sd<L9i:a;WF>062D,0*7D\n", "<14>1 a line of a log\n",
    "<info> time, lat, lon\n", "hello\n", "AXXX001\nhello\n",
    "Airport: nothing\n{\"lat\":1}\n",
    "2026-03-03T09:00:00Z\t*\t{\"_type\":\"location\"}\n",
    String(repeating: "x", count: 5_000), "\u{0C}\n", "\u{0C}hello, all of you\n",
  ]
  private static let feeds: [(kind: FeedKind, bytes: [UInt8])] = {
    var feeds = traces.map { (kind: FeedKind.trace, bytes: Array($0.utf8)) }
    feeds += lines.map { (kind: FeedKind.lines, bytes: Array($0.utf8)) }
    feeds.append((.trace, [0xFF, 0xFE] + "time,lat,lon\n".utf16.flatMap { [UInt8($0), 0] }))
    feeds.append((.trace, [0xFE, 0xFF] + "<gpx>\n".utf16.flatMap { [0, UInt8($0)] }))
    feeds.append((.trace, [0x3C, 0, 0x67, 0, 0x70, 0, 0x78, 0, 0x3E, 0]))
    feeds.append((.trace, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]))
    feeds.append((.trace, [0x1F, 0x8B, 8, 0]))
    // What a serial line gives at the wrong speed.
    let noise: [UInt8] = [
      0xFF, 0xFE, 0xF0, 0x80, 0x0E, 0xFE, 0xFF, 0xFF, 0x80, 0x91, 0xA0, 0xFF, 0x0A,
    ]
    feeds.append((.lines, noise))
    feeds.append((.lines, [0x00, 0x80, 0x0A]))
    return feeds
  }()

  private static func kind(_ bytes: some Collection<UInt8>, isAll: Bool) -> FeedKind? {
    Array(bytes).withUnsafeBytes { FeedKind($0, isAll: isAll, options: TraceOptions()) }
  }

  @Test func `files that people export are traces, what trackers send is lines`() {
    for (kind, bytes) in Self.feeds {
      let text = String(decoding: bytes.prefix(60), as: UTF8.self)
      #expect(Self.kind(bytes, isAll: true) == kind, "\(text)")
    }
  }

  @Test func `what is decided early is what is decided late`() {
    for (kind, bytes) in Self.feeds {
      // Whatever follows.
      for tail in ["", "\n", "\n\n\n\n\n\n\n\n\n", "time,lat,lon\n", "<gpx>", "{\n", ".FIT\n"] {
        let whole = bytes + Array(tail.utf8)
        let decided = Self.kind(whole, isAll: true)
        for count in 0...whole.count {
          guard let early = Self.kind(whole.prefix(count), isAll: false) else { continue }
          #expect(
            early == decided,
            "\(kind): \(count) bytes of \(String(decoding: whole.prefix(60), as: UTF8.self))"
          )
          break
        }
      }
    }
  }

  @Test func `it is decided by the first line that says something`() {
    for (kind, bytes) in Self.feeds where !bytes.isEmpty {
      let isOpen = bytes.allSatisfy { $0 <= 0x20 }
      let more = bytes + Array("\nB1101355206343N\nx\n".utf8)
      #expect(Self.kind(more, isAll: false) != nil || isOpen, "\(kind): \(bytes.prefix(40))")
    }
    #expect(Self.kind([UInt8](repeating: 0x20, count: 4_096), isAll: false) == .lines)
  }

  @Test func `columns that are named make a table of what has no header`() {
    var options = TraceOptions()
    options.columns = try? CSVColumns(parsing: "time=1,lat=2,lon=3")
    let kinds = ["2026-03-03T08:00:00Z,38,-34\n", "{\"lat\":1,\"lon\":2}\n", "$GPRMC,1*00\n"]
      .map {
        Array($0.utf8).withUnsafeBytes { FeedKind($0, isAll: false, options: options) }
      }
    #expect(kinds == [.trace, .lines, .lines])
    // So do times that are to be made up.
    options = TraceOptions()
    options.assumedMotion = .init(speedMetersPerSecond: 10, start: Timestamp(seconds: 0))
    let untimed = Array("{\"lat\":1,\"lon\":2}\n".utf8)
    #expect(untimed.withUnsafeBytes { FeedKind($0, isAll: false, options: options) } == .trace)
  }
}
