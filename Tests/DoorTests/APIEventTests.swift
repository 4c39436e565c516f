import HTTPTypes
import Hummingbird
import Testing

import Door

/// What open pages are told.
@Suite struct APIEventTests {
  private let anna = DoorPerson(id: 1, name: "anna")
  private let ben = DoorPerson(id: 2, name: "ben")

  /// What a page is told until nothing more is to come.
  private func told(
    _ hub: EventHub,
    _ person: DoorPerson,
    after id: String?
  ) async throws -> [String] {
    let (_, events) = try #require(hub.listen(person, after: id, most: 9))
    hub.end(person)
    var all: [String] = []
    for await event in events { all.append(event) }
    return all
  }

  private func id(_ event: String) throws -> String {
    let line = try #require(event.split(separator: "\n").first { $0.hasPrefix("id: ") })
    return String(line.dropFirst(4))
  }

  @Test func `a page is told what happens, in order, and another person's page is not`()
    async throws
  {
    let hub = EventHub()
    let (_, events) = try #require(hub.listen(anna, after: nil, most: 9))
    hub.publish("news", #"{"id":"n1"}"#, to: anna)
    hub.publish("news", #"{"id":"n2"}"#, to: ben)
    hub.publishEdit(of: "places", to: anna)
    hub.close()
    var all: [String] = []
    for await event in events { all.append(event) }
    #expect(all.count == 3 && all[0].hasPrefix("retry: "))
    #expect(all[1].hasSuffix("event: news\ndata: {\"id\":\"n1\"}\n\n"))
    #expect(all[2].hasSuffix("event: edit\ndata: {\"what\":\"places\"}\n\n"))
    #expect(hub.listen(anna, after: nil, most: 9) == nil)
  }

  @Test func `who comes back is told what was missed, or to look at everything again`() async throws
  {
    let hub = EventHub()
    let (number, events) = try #require(hub.listen(anna, after: nil, most: 9))
    for i in 0..<5 { hub.publish("news", "{\"id\":\"n\(i)\"}", to: anna) }
    hub.leave(number, of: anna)
    var ids: [String] = []
    for await event in events.dropFirst() { ids.append(try id(event)) }
    #expect(ids.count == 5)
    let (again, later) = try #require(hub.listen(anna, after: ids[2], most: 9))
    hub.leave(again, of: anna)
    var missed: [String] = []
    for await event in later.dropFirst() { missed.append(try id(event)) }
    #expect(missed == Array(ids[3...]))
    // Nothing was missed.
    let (last, none) = try #require(hub.listen(anna, after: ids[4], most: 9))
    hub.leave(last, of: anna)
    var count = 0
    for await _ in none { count += 1 }
    #expect(count == 1)
    for i in 0..<100 { hub.publish("news", "{\"id\":\"m\(i)\"}", to: anna) }
    for unknown in [ids[0], "other-1", "x", ids[0].split(separator: "-")[0] + "-9999"] {
      let (number, events) = try #require(hub.listen(anna, after: String(unknown), most: 9))
      hub.leave(number, of: anna)
      var all: [String] = []
      for await event in events { all.append(event) }
      #expect(all.count == 2 && all[1].contains("event: reset"), "\(unknown)")
    }
  }

  @Test func `a page that takes nothing is let go of, and holds up nobody`() async throws {
    let hub = EventHub()
    let (_, events) = try #require(hub.listen(anna, after: nil, most: 9))
    for i in 0..<1_000 { hub.publish("news", "{\"id\":\"n\(i)\"}", to: anna) }
    #expect(hub.count(of: anna) == 0)
    var count = 0
    for await _ in events { count += 1 }
    #expect(count < 100)
  }

  @Test func `a person has so many open pages`() {
    let hub = EventHub()
    for _ in 0..<3 { #expect(hub.listen(anna, after: nil, most: 3) != nil) }
    #expect(hub.listen(anna, after: nil, most: 3) == nil)
    #expect(hub.listen(ben, after: nil, most: 3) != nil)
    #expect(hub.count == 4)
  }

  @Test func `a change by the API is told to the person's pages`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let hub = door.server.side.hub
      let (_, events) = try #require(hub.listen(door.anna, after: nil, most: 9))
      _ = try await door.ask(.post, "/places", #"{"name":"home","lat":38,"lon":-34}"#, as: browser)
      _ = try await door.ask(.post, "/places", #"{"name":""}"#, as: browser)
      hub.end(door.anna)
      var all: [String] = []
      for await event in events { all.append(event) }
      #expect(all.count == 2 && all[1].contains(#"{"what":"places"}"#), "\(all)")
    }
  }

  @Test func `YOMO-4.6.1a: each edit is told to open pages by the time it is answered`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let hub = door.server.side.hub
      let milk = #"{"title":"buy milk","target":{"category":"groceries"}}"#
      let edits: [(method: HTTPRequest.Method, path: String, body: String?)] = [
        (.post, "/reminders", milk),
        (.put, "/reminders/r1", milk.replacing("milk", with: "bread")),
        (.post, "/reminders/r1/answers", #"{"action":"complete"}"#),
        (.delete, "/reminders/r1", nil),
      ]
      for edit in edits {
        let (_, events) = try #require(hub.listen(door.anna, after: nil, most: 9))
        var tag: [(HTTPField.Name, String)] = []
        if edit.method == .put {
          tag.append(
            (.ifMatch, try #require(try await door.ask(.get, edit.path, as: browser).etag))
          )
        }
        let answer = try await door.ask(edit.method, edit.path, edit.body, as: browser, tag)
        // What is told later is told to nobody.
        hub.end(door.anna)
        #expect((200..<300).contains(answer.status), "\(edit): \(answer.text)")
        var all: [String] = []
        for await event in events { all.append(event) }
        #expect(all.contains { $0.contains(#"{"what":"reminders"}"#) }, "\(edit): \(all)")
      }
    }
  }
}
