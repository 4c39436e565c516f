import FaultyDisk
import Foundation
import LiveHost
import NearMeEngine
import TestSupport
import Testing
import Timeline
import Traces
import UserStore

/// The sample day, live: the same as its replay, and whatever happens to the process.
@Suite(.serialized) struct PersonDayTests {
  /// Runs the rest of the day, from what the database says was taken in.
  private func run(
    _ database: UserDatabase,
    _ sink: RecordingSink
  ) async throws(HostFailure) {
    let store = try HostFailure.mapping { () throws(UserStoreError) in try database.open() }
    defer { try? store.close() }
    let host = try await makeHost(ErrandsDay.setup, store: store, sinks: [sink])
    var rest = ErrandsDay.records[...]
    if let newest = await host.newestFix {
      rest = rest.drop { $0.fix.map { $0.at <= newest } ?? true }
    }
    do throws(HostFailure) {
      // In pieces, as a pipe brings them.
      while !rest.isEmpty {
        try await host.take(Array(rest.prefix(200)))
        rest = rest.dropFirst(200)
      }
      try await host.finish()
    } catch {
      // A process that ends has no couriers left; here they would go on beside the next life's.
      await host.abandon()
      throw error
    }
  }

  /// What the day tells when nothing goes wrong.
  private func undisturbed() async throws -> RecordingSink {
    let sink = RecordingSink()
    try await run(UserDatabase(copyOf: ErrandsDay.template), sink)
    return sink
  }

  @Test func `a live day tells what its replay tells`() async throws {
    let sink = try await undisturbed()
    let live = sink.deliveries.map(\.replayLine)
      // Two types that a replay leaves out.
      .filter { !$0.hasPrefix("{\"type\":\"changed\"") && !$0.hasPrefix("{\"type\":\"withdrawn\"") }
    let replayed = try ErrandsDay.replayed()
    #expect(live.count > 50)
    let different = zip(live, replayed).first { $0 != $1 }
    #expect(live == replayed, "\(String(describing: different))")
    #expect(Set(sink.deliveries.map(\.key)).count == sink.deliveries.count)
  }

  /// The process dies before every single write to the disk, transaction by transaction: each life one
  /// write later than the last, until one of them has brought the day further.
  @Test(arguments: [(FaultyDisk.Fault.broken, 1), (.full, 6)])
  func `a disk that fails at any write of the day loses nothing and doubles nothing`(
    _ fault: FaultyDisk.Fault,
    _ longestStep: Int
  ) async throws {
    let seed: UInt64 = 3
    var generator = SeededGenerator(seed: seed)
    let whole = try await undisturbed()
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let sink = RecordingSink()
    var (lives, step, reached) = (0, 1, -1)
    var reasons: Set<String> = []
    while true {
      lives += 1
      FaultyDisk.plan(database.path, fault, atWrite: step)
      do throws(HostFailure) {
        try await run(database, sink)
        break
      } catch {
        #expect(error.code == .inputOutput, "\(error)")
        #expect(error.description.hasPrefix(database.path + ": "), "\(error)")
        reasons.insert(String(error.description.dropFirst(database.path.count + 2)))
      }
      try FaultyDisk.repair(database.path)
      let progress = sink.deliveries.count
      // With a longest step of 1 no write is left out.
      let further = generator.integer(1...longestStep)
      step = progress > reached ? further : step + further
      reached = progress
      try #require(lives < 20_000)
    }
    try FaultyDisk.repair(database.path)
    print("\(fault): \(lives - 1) failed writes survived; \(reasons.sorted())")
    #expect(lives > 500)
    let different = zip(sink.lines, whole.lines).first { $0 != $1 }
    #expect(sink.lines == whole.lines, "seed \(seed): \(String(describing: different))")
    let store = try database.open()
    #expect(try store.unperformed().isEmpty)
    #expect(try store.pendingInbox().isEmpty)
  }

  @Test func `a day that is fed again tells nothing`() async throws {
    let database = try UserDatabase(copyOf: ErrandsDay.template)
    let sink = RecordingSink()
    try await run(database, sink)
    let lines = sink.lines
    let store = try database.open()
    let host = try await makeHost(ErrandsDay.setup, store: store, sinks: [sink])
    try await host.take(ErrandsDay.records)
    try await host.finish()
    #expect(sink.lines == lines)
    #expect(await host.counts.fixes == 0)
    #expect(await host.counts.takenBefore > 1_000)
  }
}
