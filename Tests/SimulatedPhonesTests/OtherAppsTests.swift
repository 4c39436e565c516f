import Basics
import SimulatedPhones
import Testing
import Timeline
import Traces

/// Overland, Traccar Client and apps that send in parallel.
@Suite struct OtherAppsTests {
  @Test func `Overland sends a whole batch again until the body says ok`() {
    var app = OverlandIOS(account, batchSize: 50, interval: .minutes(1))
    for second in 0..<30 { app.take(fix(Int64(second))) }
    #expect(app.nextRequests(at: start).isEmpty)
    var now = start + .minutes(1)
    var ids: Set<Int> = []
    for answer in [Answer.none, .status(503, body: []), taken("{}"), taken("[]")] {
      let sent = app.sendOnce(at: now, answer)
      ids.formUnion(sent.map(\.id))
      #expect(sent.map(\.fixes.count) == [30])
      now = now + .minutes(1)
    }
    #expect(ids.count == 1)
    #expect(app.sendOnce(at: now, taken("{\"result\":\"ok\"}")).count == 1)
    #expect(app.waitingCount == 0)
  }

  @Test func `Overland follows a full batch by the next, and shows an error`() {
    var app = OverlandIOS(account, batchSize: 50, interval: .minutes(1))
    for second in 0..<120 { app.take(fix(Int64(second))) }
    let sent = app.sendAll(at: start + .minutes(2), taken("{\"result\":\"ok\"}"))
    #expect(sent.map(\.fixes.count) == [50, 50])
    #expect(app.waitingCount == 20)
    _ = app.sendOnce(at: start + .minutes(4), taken("{\"error\":\"no\"}"))
    #expect(app.errorCount == 1)
    #expect(app.waitingCount == 20)
  }

  @Test func `Overland rounds speeds, and of two fixes of a second the later one stays`() {
    var app = OverlandIOS(account, interval: .minutes(1))
    app.take(fix(0, speed: 1.4))
    app.take(
      Fix(
        at: start + Milliseconds(500),
        coordinate: fix(0, northMeters: 5).coordinate,
        horizontalAccuracyMeters: 5
      )
    )
    let sent = app.sendOnce(at: start + .minutes(1))
    #expect(sent.first?.fixes.map(\.at) == [start])
    let feature = sent.first.flatMap { values($0)["locations"]?.elements?.first }
    #expect(feature?["properties"]?["speed"]?.double == -1)
    #expect(feature?["properties"]?["timestamp"]?.text == "2026-03-03T12:00:00Z")
  }

  @Test func `Traccar Client sends one position after the other, in knots`() {
    var app = TraccarClient(account)
    app.take(fix(0, speed: 10))
    app.take(fix(10, northMeters: 50))
    app.take(fix(20, northMeters: 100))
    let first = app.sendOnce(at: start + .seconds(20), .status(404, body: []))
    #expect(app.nextRequests(at: start + .seconds(24)).isEmpty)
    let sent = app.sendAll(at: start + .seconds(25))
    #expect(first.first == sent.first)
    #expect(sent.count == 2)
    let form = String(decoding: sent.first?.body ?? [], as: UTF8.self)
    #expect(form.contains("&speed=19.4384&"))
    #expect(form.hasPrefix("id=phone&lat=38.000000&lon=-34.000000&timestamp=1772539200&"))
  }

  @Test func `a heartbeat of Traccar Client has no position`() {
    var app = TraccarClient(account)
    app.take(fix(0))
    let sent = app.sendAll(at: start + .minutes(10))
    #expect(sent.map(\.fixes.count) == [1, 0])
    #expect(String(decoding: sent.last?.body ?? [], as: UTF8.self).contains("lat=") == false)
  }

  @Test func `Colota sends ten at once in any order, and keeps what is not taken`() {
    var app = ParallelSender(.colota, account, interval: .minutes(1), seed: 4)
    for second in 0..<40 { app.take(fix(Int64(second), northMeters: Double(second))) }
    let now = start + .minutes(1)
    let sent = app.nextRequests(at: now)
    #expect(sent.count == 10)
    #expect(sent.map(\.id) != sent.map(\.id).sorted())
    for request in sent { app.answered(request.id, request.id % 2 == 0 ? taken() : .none, at: now) }
    let odd = sent.count { $0.id % 2 != 0 }
    #expect(app.waitingCount == 30 + odd)
    let rest = app.sendAll(at: now)
    #expect(rest.count == 30)
    #expect(app.sendAll(at: now + .seconds(30)).count == odd)
    #expect(app.droppedCount == 0)
  }

  @Test func `GPSLogger gives a position up after three more attempts`() {
    var app = ParallelSender(.gpslogger, account, interval: .minutes(1))
    app.take(fix(0))
    var now = start + .minutes(1)
    var attempts = 0
    while app.waitingCount > 0, attempts < 20 {
      attempts += app.sendOnce(at: now, .none).count
      now = now + .minutes(15)
    }
    #expect(attempts == 4)
    #expect(app.droppedCount == 1)
  }
}
