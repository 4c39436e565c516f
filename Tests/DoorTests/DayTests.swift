import Basics
import Foundation
import GRDB
import Geodesy
import HTTPTypes
import Places
import Testing
import Timeline
import UserStore

import Door

/// A day, and the way of it.
@Suite struct DayTests {
  private static let morning = Timestamp(milliseconds: 1_795_500_000_000)

  private static func spot(_ meters: Double) -> Coordinate {
    Coordinate(uncheckedLatitude: 38 + meters / 111_195, longitude: -34)
  }

  @Test func `an hour on a table is its first and its last moment, and a stay`() {
    var way = DayWay()
    for second in 0..<3_600 {
      way.add(Self.spot(Double(second % 7)), at: Self.morning + Milliseconds(Int64(second) * 1_000))
    }
    for minute in Int64(1)...20 {
      way.add(
        Self.spot(Double(minute) * 80),
        at: Self.morning + .minutes(60 + minute)
      )
    }
    #expect(way.points.count == 22)
    let stays = DayWay.stays(in: way.points)
    #expect(stays.map(\.from) == [Self.morning])
    #expect(stays.first.map { $0.until - $0.from } ?? .minutes(0) >= .minutes(59))
  }

  @Test func `a stay is where the phone lay, not where it began to be near`() throws {
    var way = DayWay()
    for (second, meters) in [(0, 0), (20, 40), (40, 90)] {
      way.add(Self.spot(Double(meters)), at: Self.morning + Milliseconds(Int64(second) * 1_000))
    }
    for minute in Int64(1)...30 { way.add(Self.spot(92), at: Self.morning + .minutes(minute)) }
    let stay = try #require(DayWay.stays(in: way.points).first)
    #expect(stay.from == Self.morning)
    #expect(stay.coordinate.distanceMeters(to: Self.spot(92)) < 10)
  }

  @Test func `a day on the road stays small, in order, and ends after a day`() {
    var way = DayWay()
    for second in 0..<90_000 {
      way.add(
        Self.spot(Double(second) * 15),
        at: Self.morning + Milliseconds(Int64(second) * 1_000)
      )
    }
    #expect(way.points.count <= DayWay.mostPoints)
    #expect(zip(way.points, way.points.dropFirst()).allSatisfy { $0.at < $1.at })
    let count = way.points.count
    way.add(Self.spot(0), at: Self.morning)
    #expect(way.points.count == count)
    way.add(Self.spot(0), at: Self.morning + .minutes(3 * 24 * 60))
    #expect(way.points.count == 1)
  }

  @Test func `a night at home is a stay of both its days`() throws {
    var way = DayWay()
    let midnight = Timestamp(milliseconds: 1_795_478_400_000)
    for minutes in stride(from: Int64(-120), through: 420, by: 10) {
      way.add(Self.spot(Double(minutes / 10 % 5)), at: midnight + .minutes(minutes))
    }
    for step in Int64(1)...10 {
      way.add(Self.spot(Double(step) * 400), at: midnight + .minutes(420 + step))
    }
    let (day, before) = (midnight + .minutes(24 * 60), midnight - .minutes(24 * 60))
    let night = way.stays(from: midnight, before: day)
    #expect(night.map(\.from) == [midnight])
    #expect(night.map(\.until) == [midnight + .minutes(420)])
    let evening = way.stays(from: before, before: midnight)
    #expect(evening.map(\.from) == [midnight - .minutes(120)])
    #expect(evening.map(\.until) == [midnight])
    // The way of the day begins there, too.
    let points = way.points(from: midnight, before: day)
    #expect(points.first?.at == midnight && points.count == 12)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.at < $1.at })
    #expect(way.points(from: before, before: midnight).count == 1)
  }

  @Test func `who has been at home for longer than is kept is there still`() throws {
    var way = DayWay()
    let last = Self.morning + .minutes(60 * 60)
    for quarter in Int64(0)...240 {
      way.add(Self.spot(Double(quarter % 3)), at: Self.morning + .minutes(quarter * 15))
    }
    #expect(way.points.map(\.at) == [last - .minutes(25 * 60), last])
    let stays = DayWay.stays(in: way.points)
    #expect(stays.map(\.from) == [last - .minutes(25 * 60)] && stays.map(\.until) == [last])
    // Whoever comes in after the road has no night behind them.
    for minute in Int64(1)...(26 * 60) {
      way.add(Self.spot(Double(minute) * 900), at: last + .minutes(minute))
    }
    #expect(DayWay.stays(in: way.points).isEmpty)
    #expect(way.points.allSatisfy { last + .minutes(26 * 60) - $0.at <= .minutes(25 * 60) })
  }

  @Test func `a day tells of itself alone, and only dates are taken`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let desk = door.server.side.household.desk(door.anna)
      _ = try await desk.edit { store in
        try store.addPlace(id: nil, at: Self.morning) {
          .init(id: $0, name: "Home", kind: .home, coordinate: Self.spot(0))
        }
      }
      let today = try await door.ask(.get, "/day", as: browser)
      #expect(today.status == 200 && today["date"]?.text == "2026-11-24")
      #expect(
        today["track", "at"]?.elements?.isEmpty == true
          && today["decisions"]?.elements?.isEmpty == true
      )
      let before = try await door.ask(.get, "/day?date=2026-11-01", as: browser)
      #expect(before["start"]?.text == "2026-11-01T00:00:00Z")
      for wrong in ["2026-02-30", "26-1-1", "tomorrow", "0000-01-01", "2026-11-01T"] {
        let refused = try await door.ask(.get, "/day?date=\(wrong)", as: browser)
        #expect(refused.status == 400 && refused.name == "bad_query", "\(wrong)")
      }
    }
  }

  @Test func `what late positions have decided stands where it was, however much lies between`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let now = door.clock.now()
      // In the order in which they were made, by minutes before now: a page of what positions of two days ago have
      // decided lies between.
      let old = [Int64](repeating: 2 * 24 * 60, count: 498)
      let minutes = [30, 10, 20, 5] + old + [15, 2 * 24 * 60]
      // The file is made when it is looked into.
      _ = try await door.ask(.get, "/day", as: browser)
      let file = try DatabaseQueue(path: door.folder + "/people/anna.db")
      try await file.write { database in
        for minute in minutes {
          try database.execute(
            sql: "INSERT INTO decision (at, reminder, outcome) VALUES (?, 'r1', 'delivered')",
            arguments: [(now - .minutes(minute)).milliseconds]
          )
        }
      }
      try file.close()
      let day = try await door.ask(.get, "/day", as: browser)
      let instants = day["decisions"]?.elements?.map { $0["at"]?.text }
      let expected: [Int64] = [5, 10, 15, 20, 30]
      #expect(instants == expected.map { RFC3339.format(now - .minutes($0)) }, "\(day.text)")
    }
  }

  @Test func `a phone that was taken off leads no more, but the next that reports`() async throws {
    try await TestDoor.with({ $0.hold = Milliseconds(0) }) { door in
      let browser = try await door.signIn(door.anna)
      /// Adds a phone that reports once, and does not move.
      func report(_ name: String) async throws {
        let login = try await door.letIn(name, as: browser)
        door.clock.pass(.minutes(1))
        let seconds = door.clock.now().milliseconds / 1_000
        let fix = #"{"_type":"location","lat":38,"lon":-34,"acc":10,"tst":\#(seconds)}"#
        #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
      }
      func leading() async throws -> [String?] {
        try await door.ask(.get, "/phones", as: browser).items
          .filter { $0["leading"]?.compact == "true" }.map { $0["name"]?.text }
      }
      try await report("old")
      try await report("new")
      #expect(try await leading() == ["old"])
      #expect(try await door.ask(.delete, "/phones/old", as: browser).status == 204)
      try await report("newer")
      #expect(try await leading() == ["newer"])
      let day = try await door.ask(.get, "/day", as: browser)
      #expect(day["track", "at"]?.elements?.count == 2)
    }
  }

  @Test func `one position that lies of a phone at home takes nothing over, two do`() async throws {
    try await TestDoor.with({ $0.hold = Milliseconds(0) }) { door in
      let browser = try await door.signIn(door.anna)
      let carried = try await door.letIn("carried", as: browser)
      let tablet = try await door.letIn("tablet", as: browser)
      func report(_ latitude: Double, _ login: HTTPFields) async throws -> String? {
        door.clock.pass(.minutes(1))
        let seconds = door.clock.now().milliseconds / 1_000
        let fix = #"{"_type":"location","lat":\#(latitude),"lon":-34,"acc":30,"tst":\#(seconds)}"#
        #expect(try await door.ask(.post, "//in/owntracks", fix, login).status == 200)
        return try await door.ask(.get, "/phones", as: browser).items
          .first { $0["leading"]?.compact == "true" }?["name"]?
          .text
      }
      // One goes to a shop and stands there; the other lies at home.
      for step in 0...4 { _ = try await report(38 + Double(step) / 100, carried) }
      for _ in 0..<10 {
        _ = try await report(38.04, carried)
        #expect(try await report(38, tablet) == "carried")
      }
      #expect(try await report(38.0013, tablet) == "carried")
      #expect(try await report(38, tablet) == "carried")
      #expect(try await report(38.003, tablet) == "carried")
      #expect(try await report(38.006, tablet) == "tablet")
    }
  }

  @Test func `a phone that takes regions only later is given them then`() async throws {
    try await TestDoor.with({ $0.hold = Milliseconds(0) }) { door in
      let browser = try await door.signIn(door.anna)
      let body = #"{"title":"pills","target":{"category":"pharmacy"}}"#
      #expect(try await door.ask(.post, "/reminders", body, as: browser).status == 201)
      var login = try await door.letIn("iphone", as: browser)
      login[.userAgent] = "OwnTracks/26.3.1 CFNetwork/1"
      func report(_ minute: Int, _ extra: String = "") async throws -> Answer {
        door.clock.pass(.minutes(1))
        let seconds = door.clock.now().milliseconds / 1_000
        let latitude = 38 + Double(minute % 2) / 30
        let fix =
          #"{"_type":"location","lat":\#(latitude),"lon":-34,"acc":10,"tst":\#(seconds)\#(extra)}"#
        return try await door.ask(.post, "//in/owntracks", fix, login)
      }
      // Remote commands are off: whatever is asked, nothing is shown.
      var asked = 0
      for minute in 0..<120 {
        let isAsked = try await report(minute).text.contains(#""action":"waypoints""#)
        if minute >= 30, isAsked { asked += 1 }
      }
      #expect((3...6).contains(asked), "it is asked again now and then: \(asked)")
      func held() async throws -> String? {
        let phone = try await door.ask(.get, "/phones", as: browser).items.first
        return phone?["regions"]?["held"]?.compact
      }
      #expect(try await held() == "0")
      // Now they are on: the next question is answered with what it was told to hold.
      for minute in 0..<40 {
        let answer = try await report(minute)
        guard answer.text.contains(#""action":"setWaypoints""#) else { continue }
        let told = try JSONValue.parse(answer.text).elements?
          .first { $0["action"]?.text == "setWaypoints" }
        let list = try #require(told?["waypoints"]?["waypoints"]?.compact)
        let held = #"{"_type":"waypoints","waypoints":\#(list)}"#
        #expect(try await door.ask(.post, "//in/owntracks", held, login).status == 200)
        break
      }
      _ = try await report(1)
      #expect(try await held() != "0")
    }
  }

  @Test func `what is to be said at home is taken once home is set on the pages`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let home = #"{"name":"My house","kind":"home","lat":38,"lon":-34}"#
      let text = #"{"text":"take out the bins when I get home"}"#
      #expect(try await door.ask(.post, "/remember", text, as: browser).status == 422)
      let ids = [
        try await door.ask(.post, "/places", home, as: browser)["id"]?.text,
        try await door.ask(.post, "/places", home, as: browser)["id"]?.text,
      ]
      #expect(ids.first == "home" && ids.last != "home" && ids.last != nil)
      #expect(try await door.ask(.post, "/remember", text, as: browser).status == 201)
    }
  }
}
