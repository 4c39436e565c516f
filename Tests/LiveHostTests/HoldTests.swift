import Basics
import Foundation
import Geodesy
import LiveHost
import Logging
import Testing
import Timeline
import Traces
import UserStore

/// A host that runs while another program holds its database.
@Suite struct HoldTests {
  private let day: SmallDay
  private let clock = VirtualClock()
  private let said = SaidLines()
  private let sink = RecordingSink(takesRecords: false)
  private let pipe = Pipe()
  private let begin = Timestamp(seconds: 1_772_524_800)

  init() throws { day = try SmallDay() }

  /// A run of a recorded day, under way.
  private struct Run {
    let host: LiveHost
    let continuation: AsyncStream<HostInput>.Continuation
    let counts: Task<FeedCounts, any Error>
  }

  private func run(
    _ store: UserStore,
    _ pipe: Pipe,
    _ other: (any Sink)? = nil
  ) async throws -> Run {
    let (said, clock) = (said, clock)
    let log = Logger(label: "test") { _ in
      HostLogHandler(level: .notice, clock: clock) { said.add($0) }
    }
    let host = try await makeHost(
      day.setup(.fixes),
      store: store,
      sinks: [other ?? sink],
      clock: clock,
      log: log
    )
    let (inputs, continuation) = AsyncStream.makeStream(of: HostInput.self)
    let feed = FixFeed(descriptor: pipe.fileHandleForReading.fileDescriptor)
    feed.start(continuation)
    let counts = Task { () throws -> FeedCounts in
      try await host.run(
        inputs,
        continuation,
        clock: clock,
        ending: LiveHost.Ending(),
        log: log,
        took: { feed.took() }
      )
    }
    return Run(host: host, continuation: continuation, counts: counts)
  }

  /// A fix so many meters north of home, as a line of the feed.
  private func line(north meters: Double, minutes: Int64, seconds: Int64 = 0) -> String {
    let fix = SmallDay.fix(north: meters, at: begin + .minutes(minutes) + .seconds(seconds))
    let (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
    return """
      {"time":"\(RFC3339.format(fix.at))","lat":\(fixed(latitude, 6)),"lon":\(fixed(longitude, 6)),\
      "accuracy_m":5,"speed_mps":1}

      """
  }

  private var departure: String { line(north: 9_000, minutes: 0) }
  private var arrival: String {
    (0..<7).map { line(north: 10, minutes: 30, seconds: 10 * $0) }.joined()
  }
  private var rest: String { line(north: 9_000, minutes: 90) }

  private func write(_ text: String, _ pipe: Pipe) throws {
    try pipe.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  /// Has time pass until something is said.
  private func wait(for sentence: String) async throws {
    for _ in 0..<1_000 where !said.all.contains(where: { $0.contains(sentence) }) {
      clock.advance(.seconds(1))
      try await Task.sleep(for: .milliseconds(20))
    }
    try #require(said.all.contains { $0.contains(sentence) }, "\(sentence): \(said.all)")
  }

  private func takeIn(_ text: String, upTo minutes: Int64, _ run: Run) async throws {
    try write(text, pipe)
    for _ in 0..<1_000 where await run.host.newestFix != begin + .minutes(minutes) {
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `what comes in while another program holds the database is kept, and told afterward`()
    async throws
  {
    var store = try day.database.open()
    let run = try await run(store, pipe)
    try await takeIn(departure, upTo: 0, run)
    let other = try Holder(day.database)
    try write(arrival, pipe)
    try await wait(for: "another program holds the database")
    try write(rest, pipe)
    try pipe.fileHandleForWriting.close()
    try await Task.sleep(for: .seconds(2))
    #expect(sink.deliveries.isEmpty, "nothing is told that is not stored")
    other.letGo()
    #expect(try await run.counts.value.fixes == 9)
    #expect(sink.heard.first == "Arriving at Home [31m — take out the bins now?")
    #expect(said.all.count { $0.contains("another program holds") } == 1, "\(said.all)")
    #expect(said.all.contains { $0.contains("the database is free again") }, "\(said.all)")
    try store.close()
    store = try day.database.open()
    let next = try await makeHost(day.setup(.fixes), store: store, sinks: [sink], clock: clock)
    #expect(await next.newestFix == begin + .minutes(90))
  }

  @Test(.timeLimit(.minutes(30)))
  func `a feed that never pauses does not put off another attempt`() async throws {
    let store = try day.database.open()
    let run = try await run(store, pipe)
    try await takeIn(departure, upTo: 0, run)
    let other = try Holder(day.database)
    var newest: Timestamp?
    for second in 0..<60 {
      if second == 15 { other.letGo() }
      try write(line(north: 10, minutes: 30, seconds: Int64(second)), pipe)
      try await Task.sleep(for: .milliseconds(200))
      newest = await run.host.newestFix
    }
    // Before the feed has come to any end.
    #expect(newest.map { $0 > begin + .minutes(30) } ?? false)
    try pipe.fileHandleForWriting.close()
    #expect(try await run.counts.value.fixes == 61)
  }

  @Test(.timeLimit(.minutes(30)))
  func `stopped while another program holds the database, a run ends and says what to feed again`()
    async throws
  {
    var store = try day.database.open()
    let first = try await run(store, pipe)
    try await takeIn(departure, upTo: 0, first)
    let other = try Holder(day.database)
    try write(arrival, pipe)
    try await wait(for: "another program holds the database")
    first.continuation.yield(.stop)
    // It ends while the other one still holds it.
    _ = try await first.counts.value
    #expect(said.all.contains { $0.contains("taken in when it is fed again") }, "\(said.all)")
    #expect(sink.deliveries.isEmpty)
    try pipe.fileHandleForWriting.close()
    other.letGo()
    try store.close()
    store = try day.database.open()
    let again = Pipe()
    let second = try await run(store, again)
    try write(departure + arrival + rest, again)
    try again.fileHandleForWriting.close()
    _ = try await second.counts.value
    #expect(
      sink.heard.filter { $0.hasPrefix("Arriving") }
        == ["Arriving at Home [31m — take out the bins now?"]
    )
  }

  @Test(.timeLimit(.minutes(30)))
  func
    `stopped while only a delivery waits for the database, a run ends and says what comes again`()
    async throws
  {
    var store = try day.database.open()
    let held = HeldSink(day.database, sink)
    let first = try await run(store, pipe, held)
    try await takeIn(departure, upTo: 0, first)
    try write(arrival, pipe)
    let other = try #require(await held.holder())
    first.continuation.yield(.stop)
    // It ends while the other one still holds it.
    _ = try await first.counts.value
    #expect(said.all.contains { $0.contains("delivered once more") }, "\(said.all)")
    try pipe.fileHandleForWriting.close()
    other.letGo()
    try store.close()
    let told = sink.deliveries.map(\.key)
    #expect(told.count == 1)
    store = try day.database.open()
    let next = RecordingSink(takesRecords: false, remembers: false)
    let second = try await makeHost(day.setup(.fixes), store: store, sinks: [next], clock: clock)
    try await second.settle()
    #expect(next.deliveries.map(\.key) == told, "by its key a server knows it again")
  }

  @Test(.timeLimit(.minutes(30)))
  func `what was told just before a host is given up is noted once the database is free`()
    async throws
  {
    let store = try day.database.open()
    try store.limitWaits(to: DatabaseHold.attempt)
    let held = HeldSink(day.database, sink)
    let host = try await makeHost(day.setup(.wall), store: store, sinks: [held], clock: clock)
    await host.noteAfterHolds()
    // It fails where it wants to store something else meanwhile.
    try? await day.arrive(host, clock)
    let other = try #require(await held.holder())
    let ending = Task { await host.abandon() }
    try await Task.sleep(for: .seconds(2))
    other.letGo()
    await ending.value
    #expect(sink.deliveries.count == 1)
    #expect(try store.unperformed().isEmpty)
  }
}

/// A sink in whose delivery another program gets hold of the database.
private final class HeldSink: Sink, Sendable {
  let name = "test"
  let takesRecords = false
  let batchLimit = 1
  private let database: UserDatabase
  private let sink: RecordingSink
  private let holders = AsyncStream.makeStream(of: Holder.self)

  init(_ database: UserDatabase, _ sink: RecordingSink) {
    self.database = database
    self.sink = sink
  }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> { [] }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    let outcome = await sink.deliver(deliveries)
    guard let holder = try? Holder(database) else { return .refused(reason: "no holder") }
    holders.continuation.yield(holder)
    return outcome
  }

  /// Who has got hold of it.
  func holder() async -> Holder? { await holders.stream.first { _ in true } }
}

/// Another program that holds a database's right to write until it is told to let go.
private final class Holder: Sendable {
  private let isToLetGo = DispatchSemaphore(value: 0)
  private let hasLetGo = DispatchSemaphore(value: 0)

  init(_ database: UserDatabase) throws {
    let store = try database.open()
    let holds = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [isToLetGo, hasLetGo] in
      // What changes nothing is undone.
      _ = try? store.editReminder("bins", at: Timestamp(seconds: 0)) { _ in
        holds.signal()
        isToLetGo.wait()
      }
      hasLetGo.signal()
    }
    holds.wait()
  }

  func letGo() {
    isToLetGo.signal()
    hasLetGo.wait()
  }
}

/// What a host has said.
///
/// Unchecked: the lines are touched under the lock only.
final class SaidLines: @unchecked Sendable {
  private let lock = NSLock()
  private var held: [String] = []

  var all: [String] { lock.withLock { held } }

  func add(_ line: String) { lock.withLock { held.append(line) } }
}
