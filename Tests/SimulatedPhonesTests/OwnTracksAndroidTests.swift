import Basics
import Geodesy
import SimulatedPhones
import Testing
import Timeline
import Traces

/// OwnTracks for Android as its documentation and its users describe it.
@Suite struct OwnTracksAndroidTests {
  private func phone(_ answer: Answer = taken()) -> OwnTracksAndroid {
    var phone = OwnTracksAndroid(account)
    phone.take(fix(0))
    _ = phone.sendOnce(at: start, answer)
    return phone
  }

  @Test func `after a set each listed region that one stands in is told as entered`() {
    var phone = phone(setting([(1, 0, 200), (2, 1_000, 200)]))
    #expect(kinds(phone.sendAll(at: start)) == ["transition enter R1", "location c"])
    // Set again as it was: told again.
    phone.take(fix(60, northMeters: 900))
    _ = phone.sendOnce(at: start, setting([(2, 1_000, 200)]))
    _ = phone.sendAll(at: start)
    phone.take(fix(70, northMeters: 905))
    #expect(phone.sendAll(at: start).isEmpty)
  }

  @Test func `a region that is not listed keeps its side`() {
    var phone = phone(setting([(1, 0, 200)]))
    _ = phone.sendOnce(at: start, setting([(2, 1_000, 200)]))
    #expect(kinds(phone.sendAll(at: start)) == ["location c"])
  }

  @Test func `the same time is the same region, and an invalid one takes nothing away`() {
    var phone = phone(setting([(1, 1_000, 200), (2, 2_000, 200)]))
    phone.take(fix(60, northMeters: 600))
    _ = phone.sendOnce(at: start, setting([(1, 5_000, 200)]))
    phone.take(fix(130, northMeters: -600))
    _ = phone.sendOnce(at: start, setting([waypoint(2, 200, 100)]))
    #expect(phone.regions.map(\.name) == ["R1", "R2"])
    #expect(phone.regions.first.map { $0.center.latitude > 38.04 } == true)
  }

  @Test func `an action it does not know throws the whole answer away`() {
    var phone = OwnTracksAndroid(account)
    phone.take(fix(0))
    _ = phone.sendOnce(
      at: start,
      taken(
        "[{\"_type\":\"cmd\",\"action\":\"dump\"},{\"_type\":\"cmd\",\"action\":\"reportLocation\"}]"
      )
    )
    #expect(phone.thrownAwayCount == 1)
    #expect(phone.waitingCount == 0)
  }

  @Test(arguments: [Answer.none, .status(401, body: []), .status(503, body: [])])
  func `what is not answered 2xx stays at the head for ever: 1 s, doubled up to 2 min`(
    _ answer: Answer
  ) {
    var phone = OwnTracksAndroid(account)
    phone.take(fix(0))
    var now = start
    var waits: [Int64] = []
    for _ in 0..<9 {
      #expect(phone.sendOnce(at: now, answer).first?.id == 1)
      guard let next = phone.nextInstant else { break }
      waits.append((next - now).value / 1_000)
      now = next
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 120, 120])
  }

  @Test func `a ping repeats the last position with its old time and a new one of its making`() {
    var phone = phone()
    let sent = phone.sendAll(at: start + .minutes(31))
    #expect(kinds(sent) == ["location p", "location p"])
    #expect(sent.compactMap { values($0)["tst"]?.double } == [1_772_539_200, 1_772_539_200])
    #expect(sent.compactMap { values($0)["created_at"]?.double } == [1_772_540_100, 1_772_541_000])
    #expect(sent.allSatisfy { $0.fixes.isEmpty })
    #expect(Set(sent.compactMap { values($0)["_id"]?.text }).count == 2)
  }

  @Test func `zeros are left out, and what they said is not known`() {
    var phone = OwnTracksAndroid(account)
    phone.take(fix(0, speed: 0.1))
    let sent = phone.sendAll(at: start)
    #expect(sent.first.map { values($0)["vel"] == nil } == true)
    #expect(sent.first?.fixes.first.map { $0.speedMetersPerSecond == nil } == true)
  }

  @Test func `its settings change from afar only where that is switched on`() {
    var closed = OwnTracksAndroid(account, settings: .init())
    closed.take(fix(0))
    _ = closed.sendOnce(at: start, monitoring(2))
    #expect(closed.settings.monitoring == 1)
    #expect(phone(monitoring(2)).settings.monitoring == 2)
  }
}
