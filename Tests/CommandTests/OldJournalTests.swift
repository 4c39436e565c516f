import Foundation
import TestSupport
import Testing

/// Journals of earlier versions, which can be repeated by the rules of today.
@Suite struct OldJournalTests {
  private static func old(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("OldFiles/\(name)")
  }

  /// Version 1 had the policy with the names of the source, and here a state of format 2; the host was
  /// stopped once on its day, and had quiet hours.
  ///
  /// What its own version told is as kept here but for five things: a person who leaves home has left once they
  /// have been on the way for half a minute from 150 m on; an arrival at a pharmacy is found six minutes sooner; what
  /// comes two minutes after another one leaves a minute to act on it, which is 3 s later; a shop is left 150 m away and
  /// not 90 m, 48 s later; and of an arrival and what comes five minutes after it, of both of which a host hears at its
  /// start, only the latter is told.
  @Test func `a journal of version 1 replays to the same bytes by the rules of today`() throws {
    let folder = try TemporaryFolder()
    let cache = folder.path("pois.sqlite")
    let extract = LiveDay.root.appendingPathComponent("data/port-ardent.osm.pbf").path
    let built = try Command(["cache", "build", extract, "-o", cache])
    #expect(built.status == 0, "\(built.errors)")
    let replay = try Command([
      "replay", "--journal", Self.old("version-1.journal").path, "--cache", cache,
      "--format", "ndjson",
    ])
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.errors.contains("of 2 lives"), "\(replay.errors)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
      try replay.output.write(to: Self.old("version-1.ndjson"), atomically: true, encoding: .utf8)
    }
    let told = try String(contentsOf: Self.old("version-1.ndjson"), encoding: .utf8)
    #expect(told.split(separator: "\n").count > 50)
    #expect(replay.output == told)
  }
}
