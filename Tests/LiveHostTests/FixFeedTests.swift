import Foundation
import LiveHost
import TestSupport
import Testing
import TraceFiles

/// What comes through a pipe, bit by bit.
@Suite struct FixFeedTests {
  /// What a feed makes of pieces, each of which is written when the fixes before it have come.
  private func feed(
    _ pieces: [(text: [UInt8], fixes: Int)],
    closes: Bool = true
  ) async throws -> (counts: FeedCounts, failure: HostFailure?) {
    let pipe = Pipe()
    let (inputs, continuation) = AsyncStream.makeStream(of: HostInput.self)
    let feed = FixFeed(descriptor: pipe.fileHandleForReading.fileDescriptor)
    feed.start(continuation)
    var counts = FeedCounts()
    var items = 0
    var failure: HostFailure?
    var iterator = inputs.makeAsyncIterator()
    for (text, fixes) in pieces {
      try pipe.fileHandleForWriting.write(contentsOf: Data(text))
      while items < fixes, let input = await iterator.next() {
        guard case .batch(let batch) = input else { break }
        counts = batch.counts
        items += batch.items.count
        feed.took()
      }
      #expect(items == fixes)
    }
    try pipe.fileHandleForWriting.close()
    end: while let input = await iterator.next() {
      switch input {
      case .batch(let batch):
        counts = batch.counts
        items += batch.items.count
        feed.took()
      case .ended(let error):
        failure = error
        break end
      default: break
      }
    }
    #expect(items == counts.fixes)
    try pipe.fileHandleForReading.close()
    return (counts, failure)
  }

  private func row(_ second: Int) -> String { "2026-03-03T08:00:0\(second)Z,38.0,-34.0" }

  @Test func `a row of a table is taken in before the next one comes`() async throws {
    let (counts, failure) = try await feed([
      (Array("time,lat,lon\n\(row(0))\n".utf8), 1), (Array("\(row(1))\n\(row(2))\n".utf8), 3),
      (Array(row(3).utf8), 3),
    ])
    #expect(failure == nil && counts.fixes == 4 && counts.format == .csv)
  }

  @Test func `a line is taken in before the next one comes`() async throws {
    let line = Array(#"{"time":"2026-03-03T08:00:00Z","lat":38,"lon":-34}"#.utf8)
    let (counts, failure) = try await feed([
      (Array("hello\n".utf8) + line + [0x0A], 1), (line, 1),
    ])
    #expect(failure == nil && counts.fixes == 2 && counts.format == nil)
    #expect(counts.passedOver == ["unknown_line": 1] && counts.firstLines == ["unknown_line": 1])
  }

  @Test func `a broken trace ends the feed after what stands before the damage`() async throws {
    let point = #"<trkpt lat="38" lon="-34"><time>2026-03-03T08:00:00Z</time></trkpt>"#
    let (counts, failure) = try await feed([
      (Array("<gpx><trk><trkseg>\(point)\n\(point)<trkpt".utf8), 0)
    ])
    #expect(counts.fixes == 2 && counts.format == .gpx)
    #expect(failure?.code == .badInput)
    #expect(failure?.description.hasPrefix("standard input:2 ") == true, "\(failure as Any)")
  }

  @Test func `many points come in batches that are soon taken in`() async throws {
    let rows = (0..<3_000).map { "\(1_772_524_800 + $0),38.0,-34.0" }.joined(separator: "\n")
    let (counts, failure) = try await feed([(Array("time,lat,lon\n\(rows)\n".utf8), 3_000)])
    #expect(failure == nil && counts.fixes == 3_000)
  }

  @Test func `a trace without points says what it was`() async throws {
    let (counts, failure) = try await feed([(Array("<gpx></gpx>".utf8), 0)])
    #expect(failure == nil && counts.format == .gpx && counts.points == 0)
  }
}
