import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline

@Suite struct NDJSONSinkTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("told.ndjson")
  }

  private func deliveries(_ numbers: ClosedRange<Int>) -> [Delivery] {
    numbers.map { aNotification("test-\($0)") }
  }

  private func write(_ text: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private var written: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

  private func text(_ numbers: ClosedRange<Int>) -> String {
    deliveries(numbers).map { $0.line + "\n" }.joined()
  }

  /// Whatever part of its lines an earlier life wrote, to the byte, the file ends up the same.
  @Test func `a file cut off anywhere is completed, and nothing stands in it twice`() async throws {
    let before = "{\"something\":\"else\"}\n"
    let whole = text(1...6)
    // Deliveries 3 to 6 were under way; 1 and 2 are known to have been made.
    let known = text(1...2).utf8.count
    let size = text(3...3).utf8.count
    // Every byte around the ends of lines, some of the others: each costs a sync of the disk.
    for cut in known...whole.utf8.count
    where (cut - known) % 11 == 0 || (cut - known + 3) % size < 6 {
      try Data((before + whole).utf8.prefix(before.utf8.count + cut))
        .write(to: URL(fileURLWithPath: path))
      let sink = try NDJSONSink(path: path)
      let pending = deliveries(3...6)
      let there = try sink.alreadyDelivered(among: pending)
      let rest = pending.filter { !there.contains($0.key) }
      if !rest.isEmpty { #expect(await sink.deliver(rest) == .delivered) }
      #expect(written == before + whole, "cut at \(cut)")
      #expect(there.count == (cut - known) / size, "cut at \(cut)")
    }
  }

  @Test(arguments: ["SQLite format 3\0…", "near-me-key-1 0123"])
  func `a database or a key stays as it is`(_ text: String) throws {
    try write(text)
    let error = #expect(throws: HostFailure.self) { try NDJSONSink(path: path) }
    #expect(error?.description.contains("name another file") ?? false)
    #expect(written == text)
  }

  @Test func `half a line of somebody else stays, and ours begin on the next one`() async throws {
    try write("half a line")
    let sink = try NDJSONSink(path: path)
    #expect(try sink.alreadyDelivered(among: deliveries(1...1)).isEmpty)
    #expect(await sink.deliver(deliveries(1...1)) == .delivered)
    #expect(written == "half a line\n" + text(1...1))
  }

  @Test func `a file that is moved away, as logs are rotated, is followed by one of its name`()
    async throws
  {
    let sink = try NDJSONSink(path: path)
    #expect(await sink.deliver(deliveries(1...2)) == .delivered)
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    #expect(await sink.deliver(deliveries(3...3)) == .delivered)
    #expect(written == text(3...3))
    try FileManager.default.removeItem(atPath: path)
    #expect(await sink.deliver(deliveries(4...4)) == .delivered)
    #expect(written == text(4...4))
    #expect(try String(contentsOfFile: path + ".1", encoding: .utf8) == text(1...2))
  }

  @Test func `a steady file goes on where its folder was gone, and nothing stands in it twice`()
    async throws
  {
    let (away, told) = (folder.path("away"), folder.path("away/told.ndjson"))
    try "not a folder".write(toFile: away, atomically: true, encoding: .utf8)
    let sink = SteadyFileSink(path: told)
    // An earlier life wrote the first two and noted neither.
    #expect(try sink.alreadyDelivered(among: deliveries(1...3)).isEmpty)
    guard case .putOff(let reason, _) = await sink.deliver(deliveries(1...1)) else {
      Issue.record("there is no folder")
      return
    }
    #expect(reason.contains("away/told.ndjson: cannot be opened"))
    try FileManager.default.removeItem(atPath: away)
    try FileManager.default.createDirectory(atPath: away, withIntermediateDirectories: true)
    try text(1...2).write(toFile: told, atomically: false, encoding: .utf8)
    for i in 1...3 { #expect(await sink.deliver(deliveries(i...i)) == .delivered) }
    #expect(try String(contentsOfFile: told, encoding: .utf8) == text(1...3))
    try FileManager.default.removeItem(atPath: away)
    guard case .putOff = await sink.deliver(deliveries(4...4)) else {
      Issue.record("its folder was removed")
      return
    }
    #expect(await sink.deliver(deliveries(4...5)) == .delivered)
    #expect(try String(contentsOfFile: told, encoding: .utf8) == text(4...5))
    let other = SteadyFileSink(path: told)
    guard case .putOff = await other.deliver(deliveries(6...6)) else {
      Issue.record("another one writes to it")
      return
    }
  }

  @Test func `only its owner can read a new file, and only one process writes to it`() throws {
    let sink = try NDJSONSink(path: path)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(throws: HostFailure.self) { try NDJSONSink(path: path) }
    withExtendedLifetime(sink) {}
    #expect(throws: HostFailure.self) { try NDJSONSink(path: folder.path("no/such/folder")) }
    #expect(throws: HostFailure.self) { try NDJSONSink(path: "/dev/null") }
  }

  @Test
  func `CTX-9.1: a person reads the text and hears the bell, and nothing steers the terminal`()
    throws
  {
    let text = try #require(TerminalText(zone: .utc, rings: true).text(aNotification()))
    #expect(text.hasPrefix("2026-03-03 "))
    #expect(text.hasSuffix("  arriving   Arriving at Home — take out the bins now?\u{7}\n"))
    let silent = TerminalText(zone: .utc)
    #expect(
      silent.text(aNotification("k") { .replaced($0, isNews: true) })?.contains("+arriving") == true
    )
    #expect(silent.text(aNotification("k") { .replaced($0, isNews: false) }) == nil)
  }
}
