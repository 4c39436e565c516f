import Foundation
import LiveHost
import NearMeEngine
import Places
import TestSupport
import Testing
import Timeline
import Traces
import UserStore

@Suite struct JournalTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("host.journal")
  }

  private func replayed(_ catalog: POICatalog? = nil) throws -> [String] {
    var lines: [String] = []
    _ = try JournalReplay(path: path, catalog: catalog ?? ErrandsDay.catalog)
      .run { delivery, _ in lines.append(delivery.line) }
    return lines
  }

  @Test func `a day's journal replays to the bytes that its sink was told`() async throws {
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let store = try database.open()
    let sink = RecordingSink()
    let host = try await makeHost(
      ErrandsDay.setup,
      store: store,
      sinks: [sink],
      journal: try Journal(path: path)
    )
    try await host.take(ErrandsDay.records)
    try await host.finish()
    #expect(sink.lines.count > 50)
    #expect(try replayed() == sink.lines)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `the journal of a host by the clock on the wall replays`() async throws {
    let day = try SmallDay()
    let store = try day.database.open()
    let sink = RecordingSink()
    let clock = VirtualClock()
    let host = try await makeHost(
      day.setup(.wall),
      store: store,
      sinks: [sink],
      clock: clock,
      journal: try Journal(path: path)
    )
    try await day.arrive(host, clock)
    clock.advance(.minutes(30))
    try await host.tick()
    try await host.finish()
    #expect(sink.lines.count > 2)
    #expect(try replayed(day.setup(.wall).catalog) == sink.lines)
  }

  /// Lives that end in the middle of things: their journal tells each thing once, too.
  @Test func `the journal of many short lives replays to the same bytes`() async throws {
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let sink = RecordingSink()
    let seed: UInt64 = 21
    var generator = SeededGenerator(seed: seed)
    var lives = 0
    while true {
      lives += 1
      let store = try database.open()
      let host = try await makeHost(
        ErrandsDay.setup,
        store: store,
        sinks: [sink],
        journal: try Journal(path: path)
      )
      let count = generator.integer(1...900)
      let newest = await host.newestFix
      let rest = ErrandsDay.records.drop { record in
        newest.map { newest in record.fix.map { $0.at <= newest } ?? true } ?? false
      }
      try await host.take(Array(rest.prefix(count)))
      if count >= rest.count {
        try await host.finish()
        break
      }
      // Fixes of which nothing came are lost with this life: nothing is written any more.
      await host.abandon()
      try store.close()
      if lives % 3 == 0 { try tear() }
    }
    #expect(lives > 5)
    #expect(try replayed() == sink.lines, "seed \(seed), \(lives) lives")
  }

  /// Leaves half a line, as a kill does.
  private func tear() throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seekToEnd()
    try file.write(contentsOf: Data("{\"at\":\"2026-03-03T0".utf8))
    try file.close()
  }

  @Test func `what is no journal stays as it is`() throws {
    for text in ["hello\n", "{\"type\":\"notification\"}\n", "{\"lau"] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      if text.hasPrefix("{\"lau") {
        // The beginning of a journal that was cut off before its first line was whole.
        #expect(throws: Never.self) { _ = try Journal(path: path) }
        continue
      }
      #expect(throws: HostFailure.self) { _ = try Journal(path: path) }
      #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }
  }

  @Test func `a journal of another cache, a torn one and a wrong line are named`() async throws {
    #expect(throws: HostFailure.self) { try replayed() }
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let store = try database.open()
    defer { withExtendedLifetime(database) {} }
    let host = try await makeHost(
      ErrandsDay.setup,
      store: store,
      sinks: [],
      journal: try Journal(path: path)
    )
    try await host.take(Array(ErrandsDay.records.prefix(50)))
    try await host.finish()
    let error = #expect(throws: HostFailure.self) { try replayed(.empty) }
    #expect(error?.description.contains("another cache") == true)
    try tear()
    #expect(throws: Never.self) { try replayed() }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    let wrong = #expect(throws: HostFailure.self) { try replayed() }
    #expect(wrong?.description.contains("line ") == true)
    #expect(wrong?.code == .badInput)
  }

  @Test func `a policy's key or a version that is not known is named`() async throws {
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let store = try database.open()
    defer { withExtendedLifetime(database) {} }
    let host = try await makeHost(
      ErrandsDay.setup,
      store: store,
      sinks: [],
      journal: try Journal(path: path)
    )
    try await host.take(Array(ErrandsDay.records.prefix(5)))
    try await host.finish()
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.contains(#""policy":{"accuracy":{"crossing_gap":"#))
    for (old, new, reason) in [
      (#""cooldown":{"#, #""cooldown":{"per_moon":"1s","#, "cooldown: unknown key \"per_moon\""),
      (#""version":2,"#, #""version":3,"#, "of version 3, and this program reads 1 to 2"),
    ] {
      let other = text.replacingOccurrences(of: old, with: new)
      #expect(other != text)
      try other.write(toFile: path, atomically: true, encoding: .utf8)
      let error = #expect(throws: HostFailure.self) { try replayed() }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
      #expect(error?.code == .badInput)
    }
    // A key that a later version has gained is not in an earlier journal.
    let fewer = text.replacingOccurrences(of: #""crossing_gap":"10m","#, with: "")
    #expect(fewer != text)
    try fewer.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(throws: Never.self) { try replayed() }
  }
}
