import Foundation
import LiveHost
import NearMeEngine
import Testing
import Timeline
import UserStore

/// Many people's deliveries at once, to servers that do not answer.
@Suite(.timeLimit(.minutes(10))) struct DeliveryLanesTests {
  private let lanes = DeliveryLanes(most: 3, mostInLane: 2)
  private let gate = Gate()

  /// Somebody with a reminder, who comes home.
  private struct Person {
    let day: SmallDay
    let store: UserStore
    let clock: VirtualClock
    let host: LiveHost
  }

  private func arrived(_ sink: any Sink) async throws -> Person {
    let day = try SmallDay()
    let store = try day.database.open()
    let clock = VirtualClock()
    let host = try await makeHost(
      day.setup(.wall),
      store: store,
      sinks: [sink],
      clock: clock,
      lanes: lanes
    )
    try await day.arrive(host, clock)
    #expect(await host.counts.notifications == 1)
    return Person(day: day, store: store, clock: clock, host: host)
  }

  private func wait(_ what: String, _ isSo: () async -> Bool) async throws {
    for _ in 0..<1_500 {
      if await isSo() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("after 30 seconds: \(what)")
  }

  @Test func `who waits for a server that does not answer leaves room for others`() async throws {
    var people: [Person] = []
    for _ in 0..<4 { people.append(try await arrived(GateSink(lane: "host/hung", gate))) }
    try await wait("two wait for the server, two for them") {
      await gate.waitingCount == 2 && lanes.counts == (2, 2)
    }
    // Another server is asked meanwhile, and no third time at once.
    let other = Gate()
    for _ in 0..<2 { people.append(try await arrived(GateSink(lane: "host/other", other))) }
    try await wait("one is on its way to the other server") {
      await other.waitingCount == 1 && lanes.counts == (3, 3)
    }
    // A page of our own waits for nobody.
    let own = RecordingSink("own", takesRecords: false)
    people.append(try await arrived(own))
    try await people[6].host.settle()
    #expect(own.deliveries.count == 1)
    await other.open()
    await gate.open()
    for person in people { try await person.host.settle() }
    #expect(await gate.passedCount == 4)
    #expect(await gate.mostWaiting == 2)
    #expect(await other.passedCount == 2)
    #expect(lanes.counts == (0, 0))
    for person in people { #expect(try person.store.unperformed().isEmpty) }
  }

  @Test func `what waits behind others when its host ends is delivered by the next one`()
    async throws
  {
    var people: [Person] = []
    for _ in 0..<3 { people.append(try await arrived(GateSink(lane: "host/hung", gate))) }
    try await wait("one waits for the others") { lanes.counts == (2, 1) }
    let last = people[2]
    // It does not wait for those that hang.
    await last.host.abandon()
    #expect(lanes.counts == (2, 0))
    #expect(try last.store.unperformed().count == 1)
    try last.store.close()
    let store = try last.day.database.open()
    let sink = RecordingSink("gate", takesRecords: false)
    let next = try await makeHost(
      last.day.setup(.wall),
      store: store,
      sinks: [sink],
      clock: last.clock,
      lanes: lanes
    )
    try await next.settle()
    #expect(sink.deliveries.count == 1)
    await gate.open()
    for person in people.prefix(2) { try await person.host.settle() }
    #expect(lanes.counts == (0, 0))
  }

  @Test func `an example that finds no room is put off and says why`() async throws {
    let sink = GateSink(lane: "host/hung", gate)
    let (lanes, gate) = (lanes, gate)
    let hanging = (0..<2)
      .map { number in
        Task { await lanes.deliverNow(aNotification("test-\(number)"), by: sink) }
      }
    try await wait("two are on their way") { await gate.waitingCount == 2 }
    let third = await lanes.deliverNow(aNotification("test-3"), by: sink)
    #expect(third == .putOff(reason: "others_under_way", atLeast: nil))
    await gate.open()
    for task in hanging { #expect(await task.value == .delivered) }
    #expect(lanes.counts == (0, 0))
  }

  @Test func `the same server is the same lane, whatever is asked for there`() throws {
    let lane = DeliveryLanes.lane(to: "https://Example.org/one")
    #expect(lane == DeliveryLanes.lane(to: "https://example.org/two?x=3"))
    #expect(lane != DeliveryLanes.lane(to: "https://example.com/one"))
    #expect(lane != DeliveryLanes.lane(to: "https://example.org:8443/one"))
    #expect(lane == DeliveryLanes.lane(to: "https://example.org:443/one"))
    let hook = WebhookSink(try WebhookAddress("https://example.org/hook"), clock: VirtualClock())
    #expect(hook.lane == lane)
    #expect(try CommandSink(["/bin/true", "one"]).lane == CommandSink(["/bin/true", "two"]).lane)
  }
}

/// Keeps deliveries on their way until it is opened.
private actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var passedCount = 0
  private(set) var mostWaiting = 0

  var waitingCount: Int { waiting.count }

  func pass() async {
    if !isOpen {
      await withCheckedContinuation { continuation in
        waiting.append(continuation)
        mostWaiting = max(mostWaiting, waiting.count)
      }
    }
    passedCount += 1
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// A sink that waits for a gate.
private struct GateSink: Sink {
  let name = "gate"
  let lane: String?
  private let gate: Gate

  init(lane: String, _ gate: Gate) {
    self.lane = lane
    self.gate = gate
  }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    await gate.pass()
    return .delivered
  }
}
