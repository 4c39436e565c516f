import Basics
import SimulatedPhones
import Testing
import Timeline
import Traces

/// OwnTracks for iOS as its documentation and its users describe it.
@Suite struct OwnTracksIOSTests {
  /// A phone that has said where it is and was given regions.
  private func phone(
    _ settings: OwnTracksIOS.Settings = .setUp,
    _ answer: Answer = setting([(1, 1_000, 200)])
  ) -> OwnTracksIOS {
    var phone = OwnTracksIOS(account, settings: settings)
    phone.take(fix(0))
    _ = phone.sendOnce(at: start, answer)
    _ = phone.sendAll(at: start)
    return phone
  }

  @Test func `both ways over an edge are told, each by a transition and a position`() {
    var phone = phone()
    phone.take(fix(60, northMeters: 900))
    #expect(kinds(phone.sendAll(at: start)) == ["transition enter R1", "location c"])
    phone.take(fix(120, northMeters: 1_300))
    #expect(kinds(phone.sendAll(at: start)) == ["transition leave R1", "location c"])
  }

  @Test func `a way between two fixes that leads through a region is told`() {
    var phone = phone()
    phone.take(fix(60, northMeters: 700))
    #expect(phone.sendAll(at: start).isEmpty)
    phone.take(fix(80, northMeters: 1_300))
    #expect(
      kinds(phone.sendAll(at: start)) == [
        "transition enter R1", "location c", "transition leave R1", "location c",
      ]
    )
  }

  @Test func `nothing is told of a region that was added while inside`() {
    var phone = phone(.setUp, setting([(1, 0, 200)]))
    phone.take(fix(60, northMeters: 50))
    #expect(phone.sendAll(at: start).isEmpty)
    phone.take(fix(120, northMeters: 300))
    #expect(kinds(phone.sendAll(at: start)) == ["transition leave R1", "location c"])
  }

  @Test func `without its switches it takes no regions and still tells where it is`() {
    for isRemote in [false, true] {
      var settings = OwnTracksIOS.Settings()
      settings.allowsCommands = !isRemote
      settings.allowsRemoteConfiguration = isRemote
      let phone = phone(settings)
      #expect(phone.regions.isEmpty)
      #expect(phone.waitingCount == 0)
    }
  }

  @Test func `a region that is set again as it was keeps its side; a changed one begins anew`() {
    var phone = phone()
    phone.take(fix(60, northMeters: 1_000))
    _ = phone.sendOnce(at: start, setting([(1, 1_000, 200)]))
    _ = phone.sendAll(at: start)
    phone.take(fix(70, northMeters: 1_001))
    #expect(phone.sendAll(at: start).isEmpty)
    // Moved on: it stands in the new one, and is not told.
    phone.take(fix(80, northMeters: 1_300))
    _ = phone.sendOnce(at: start, setting([(1, 1_300, 200)]))
    _ = phone.sendAll(at: start)
    phone.take(fix(90, northMeters: 1_310))
    #expect(phone.sendAll(at: start).isEmpty)
    #expect(phone.watchedRegions.count == 1)
  }

  @Test func `a latitude off the globe takes a region away`() {
    var phone = phone()
    phone.take(fix(60, northMeters: 900))
    _ = phone.sendOnce(at: start, setting([waypoint(1, 200, 100)]))
    #expect(phone.regions.isEmpty)
    #expect(phone.watchedRegions.isEmpty)
  }

  @Test func `more than twenty are held, and not watched, without a word`() {
    let many = (1...25).map { (number: $0, northMeters: 1_000 * Double($0), radius: 100) }
    var phone = phone(.setUp, setting(many))
    #expect(phone.watchedRegions.map(\.name) == (1...20).map { "R\($0)" })
    phone.take(fix(700, northMeters: 24_000))
    _ = phone.sendOnce(at: start, command("waypoints"))
    let list = kinds(phone.sendAll(at: start))
    #expect(!list.contains { $0.hasPrefix("transition") })
    #expect(phone.regions.count == 25)
  }

  @Test func `two of one name are one for the system, and a colon makes a beacon`() {
    let phone = phone(
      .setUp,
      setting([
        waypoint(1, 38.1, 100, name: "A"), waypoint(2, 38.2, 100, name: "A"),
        waypoint(3, 38.3, 100, name: "x:y"),
      ])
    )
    #expect(phone.regions.count == 3)
    #expect(phone.watchedRegions.map(\.rid) == ["r2"])
  }

  @Test func `a waypoint that lacks something is passed over`() {
    let phone = phone(
      .setUp,
      setting(["{\"_type\":\"waypoint\",\"desc\":\"A\",\"lat\":38,\"lon\":1,\"rad\":50}"])
    )
    #expect(phone.regions.isEmpty)
  }

  @Test func `a 4xx deletes the message, and the next one follows`() {
    var phone = OwnTracksIOS(account)
    phone.take(fix(0))
    let first = phone.sendOnce(at: start, .status(429, body: []))
    let second = phone.sendOnce(at: start)
    #expect(first.first?.id != second.first?.id)
    #expect(phone.deletedCount == 1)
  }

  @Test(arguments: [Answer.none, .status(503, body: []), .status(301, body: [])])
  func `what is not answered is kept: 1 s, doubled up to 64 s`(_ answer: Answer) {
    var phone = OwnTracksIOS(account)
    phone.take(fix(0))
    var now = start
    var waits: [Int64] = []
    var ids: Set<Int> = []
    for _ in 0..<9 {
      ids.formUnion(phone.sendOnce(at: now, answer).map(\.id))
      guard let next = phone.nextInstant else { break }
      #expect(phone.nextRequests(at: next - Milliseconds(1)).isEmpty)
      waits.append((next - now).value / 1_000)
      now = next
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 64, 64])
    #expect(ids.count == 1)
  }

  @Test func `after a kill the message that was just taken may come again`() {
    var phone = OwnTracksIOS(account)
    phone.take(fix(0))
    let sent = phone.sendAll(at: start)
    phone.restart(at: start)
    let again = phone.sendAll(at: start)
    #expect(again.first == sent.last)
    #expect(kinds(Array(again.dropFirst())) == ["waypoints"])
  }

  @Test func `it says what it holds and how it is allowed to run when asked`() {
    var phone = phone()
    phone.take(fix(60, northMeters: 900))
    _ = phone.sendOnce(at: start, command("waypoints"))
    _ = phone.sendOnce(at: start, command("status"))
    let said = phone.sendAll(at: start)
    #expect(kinds(said) == ["waypoints", "status"])
    let held = said.first.flatMap { values($0)["waypoints"]?.elements } ?? []
    #expect(held.compactMap { $0["rid"]?.text } == ["r1"])
    #expect(said.allSatisfy { $0.fixes.isEmpty })
  }

  @Test func `asked where it is, it says so, in the modes that allow it`() {
    for (mode, count) in [(0, 0), (1, 1), (2, 1)] {
      var settings = OwnTracksIOS.Settings.setUp
      settings.monitoring = mode
      var phone = OwnTracksIOS(account, settings: settings)
      phone.take(fix(0))
      _ = phone.sendOnce(at: start, command("reportLocation"))
      #expect(kinds(phone.sendAll(at: start)).count { $0 == "location r" } == count)
    }
  }

  @Test func `significant changes are 500 m and 5 min apart, moves 200 m`() {
    var phone = phone()
    phone.take(fix(200, northMeters: -600))
    phone.take(fix(320, northMeters: -400))
    #expect(phone.sendAll(at: start).isEmpty)
    phone.take(fix(330, northMeters: -600))
    let sent = phone.sendOnce(at: start, monitoring(2))
    #expect(kinds(sent) == ["location"])
    #expect(kinds(phone.sendAll(at: start)) == ["waypoints"])
    phone.take(fix(340, northMeters: -700))
    phone.take(fix(350, northMeters: -801))
    #expect(kinds(phone.sendAll(at: start)) == ["location"])
  }

  @Test func `in move mode a timer repeats the last position with its old time`() {
    var phone = phone()
    phone.take(fix(330, northMeters: 600))
    _ = phone.sendOnce(at: start + .seconds(330), monitoring(2))
    _ = phone.sendAll(at: start + .seconds(330))
    #expect(phone.nextInstant == start + .seconds(510))
    let repeated = phone.sendAll(at: start + .seconds(510))
    #expect(kinds(repeated) == ["location t"])
    #expect(repeated.first.flatMap { values($0)["tst"]?.double } == 1_772_539_530)
    #expect(repeated.first.flatMap { values($0)["created_at"]?.double } == 1_772_539_710)
    #expect(repeated.allSatisfy { $0.fixes.isEmpty })
  }

  @Test func `a position is told in whole kilometers an hour and meters`() {
    var phone = OwnTracksIOS(account)
    phone.take(fix(0, speed: 10))
    let sent = phone.sendAll(at: start).first { !$0.fixes.isEmpty }
    #expect(sent.flatMap { values($0)["vel"]?.double } == 36)
    #expect(sent?.fixes.first?.speedMetersPerSecond == 10)
    #expect(
      sent?.headers.first { $0.name == "Authorization" }?.value == "Basic YW5uYS9waG9uZTpzZWNyZXQ="
    )
  }
}
