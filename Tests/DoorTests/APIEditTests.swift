import Basics
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import NearMeEngine
import Testing
import Timeline
import UserStore

import Door

/// What people do: reminders, places, phones, settings.
@Suite struct APIEditTests {
  @Test func `a reminder is made, read, changed by its ETag, answered and deleted`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let body = #"{"title":"buy milk","target":{"category":"groceries"},"notes":"two"}"#
      let made = try await door.ask(.post, "/reminders", body, as: anna)
      let etag = try #require(made.etag)
      let id = try #require(made["id"]?.text)
      #expect(made.status == 201 && made.headers[.location] == "/api/v1/reminders/\(id)")
      #expect(made["standing"]?.text == "live" && made["etag"]?.text == etag)

      let path = "/reminders/\(id)"
      #expect(try await door.ask(.get, path, as: anna).text == made.text)
      let new = #"{"title":"buy oat milk","target":{"category":"groceries"}}"#
      #expect(try await door.ask(.put, path, new, as: anna).status == 428)
      let stale = try await door.ask(.put, path, new, as: anna, [(.ifMatch, "\"00\"")])
      #expect(stale.status == 412)
      let changed = try await door.ask(.put, path, new, as: anna, [(.ifMatch, etag)])
      #expect(changed.status == 200 && changed["title"]?.text == "buy oat milk")
      #expect(changed["notes"] == nil && changed.etag != etag)
      // The second of two who read the same is told so.
      #expect(try await door.ask(.put, path, body, as: anna, [(.ifMatch, etag)]).status == 412)
      #expect(try await door.ask(.delete, path, as: anna, [(.ifMatch, etag)]).status == 412)

      let muted = try await door.ask(.post, "\(path)/answers", #"{"action":"mute"}"#, as: anna)
      #expect(muted["standing"]?.text == "muted")
      let again = try await door.ask(.post, "\(path)/answers", #"{"action":"mute"}"#, as: anna)
      #expect(again.status == 409 && again.name == "nothing_to_change")
      _ = try await door.ask(.post, "\(path)/answers", #"{"action":"unmute"}"#, as: anna)
      let snoozed = try await door.ask(
        .post,
        "\(path)/answers",
        #"{"action":"snooze","until":"next-arrival"}"#,
        as: anna
      )
      #expect(snoozed["snoozed_until"]?.text == "next-arrival")
      let done = try await door.ask(.post, "\(path)/answers", #"{"action":"complete"}"#, as: anna)
      #expect(done["status"]?.text == "completed")
      let open = try await door.ask(.post, "\(path)/answers", #"{"action":"reopen"}"#, as: anna)
      #expect(open["status"]?.text == "active")
      #expect(try await door.ask(.delete, path, as: anna).status == 204)
      #expect(try await door.ask(.get, path, as: anna).status == 404)
    }
  }

  @Test func `one that has spoken its once is open, and not to be opened again`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"stretch","triggers":[{"signal":"unlock"}],"persistence":"once"}"#,
        as: anna
      )
      let path = "/reminders/\(try #require(made["id"]?.text))"
      _ = try await door.ask(.post, "/signals", #"{"signal":"unlock"}"#, as: anna)
      #expect(try await door.ask(.get, path, as: anna)["status"]?.text == "fired")
      let shown = try await door.ask(.get, "/notifications", as: anna)
      #expect(shown.items.count == 1)
      let again = try await door.ask(.post, "\(path)/answers", #"{"action":"reopen"}"#, as: anna)
      #expect(again.status == 409 && again.name == "nothing_to_change", "\(again.text)")
      // Nothing is said anew.
      #expect(try await door.ask(.get, "/notifications", as: anna).text == shown.text)
      let done = try await door.ask(.post, "\(path)/answers", #"{"action":"complete"}"#, as: anna)
      #expect(done["status"]?.text == "completed", "\(done.text)")
      let open = try await door.ask(.post, "\(path)/answers", #"{"action":"reopen"}"#, as: anna)
      #expect(open.status == 200 && open["status"]?.text != "completed", "\(open.text)")
    }
  }

  /// It would never speak, and nothing would say so.
  @Test func `a reminder at what no place is, is refused with what may be meant`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      for body in [
        #"{"title":"x","target":{"category":"pharmcy"}}"#,
        #"{"title":"x","triggers":[{"leave":{"category":"pharmcy"}}]}"#,
        #"{"title":"x","conditions":[{"not":{"inside":{"category":"pharmcy"}}}]}"#,
      ] {
        let refused = try await door.ask(.post, "/reminders", body, as: anna)
        #expect(refused.status == 422 && refused.name == "bad_member", "\(refused.text)")
        #expect(refused.text.contains("did you mean pharmacy?"), "\(refused.text)")
      }
    }
  }

  @Test func `one that has ended takes no change, and one that would end too early is none`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(.post, "/reminders", #"{"title":"milk"}"#, as: anna)
      let path = "/reminders/" + (try #require(made["id"]?.text))
      let done = try await door.ask(.post, path + "/answers", #"{"action":"complete"}"#, as: anna)
      #expect(done.status == 200, "\(done.text)")
      let match: [(HTTPField.Name, String)] = [(.ifMatch, try #require(done.etag))]
      let put = try await door.ask(.put, path, #"{"title":"oat milk"}"#, as: anna, match)
      #expect(put.status == 409 && put.name == "completed", "\(put.text)")
      #expect(put["detail"]?.text?.contains("reopen") == true)
      #expect(try await door.ask(.get, path, as: anna)["title"]?.text == "milk")
      let late = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"x","triggers":[{"schedule":{"start":"2027-01-02T09:00"}}],"expires":"2027-01-01"}"#,
        as: anna
      )
      #expect(late.status == 422 && late.name == "bad_member", "\(late.text)")
      let detail = late["detail"]?.text ?? ""
      #expect(detail.contains("2027-01-02T09:00") && detail.contains("2027-01-01"), "\(detail)")
    }
  }

  @Test func `what was read can be sent back as it is`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      _ = try await door.ask(
        .post,
        "/places",
        #"{"id":"home","name":"Home","kind":"home","lat":38,"lon":-34}"#,
        as: anna
      )
      try await door.liftLimits(of: door.anna)
      let bodies = [
        #"{"title":"a","target":{"place":"home"},"tiers":["arrival"],"window":{"days":["mon"],"start":"17:00","end":"20:00"}}"#,
        #"{"title":"b","triggers":[{"schedule":{"start":"2026-12-01T15:00","rrule":"FREQ=WEEKLY;BYDAY=TU"}},{"leave":{"place":"home"}}],"nag":{"every":"10m"},"priority":3}"#,
        #"{"title":"c","triggers":[{"signal":"charging","to":"on"}],"conditions":[{"not":{"inside":{"place":"home"}}},{"signal":{"wifi":true},"for":"10m"}],"fallback":{"at":"18:00"},"expires":"2027-01-01"}"#,
        #"{"title":"d"}"#,
      ]
      for body in bodies {
        let made = try await door.ask(.post, "/reminders", body, as: anna)
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made["id"]?.text)
        let back = try await door.ask(
          .put,
          "/reminders/\(id)",
          made.text,
          as: anna,
          [(.ifMatch, try #require(made.etag))]
        )
        #expect(back.status == 200 && back.text == made.text, "\(back.text)")
      }
      let place = try await door.ask(.get, "/places/home", as: anna)
      let back = try await door.ask(
        .put,
        "/places/home",
        place.text,
        as: anna,
        [(.ifMatch, try #require(place.etag))]
      )
      #expect(back.status == 200 && back.text == place.text)
    }
  }

  @Test func `how long ago it was said counts, and not by whose clock`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let now = door.clock.now()
      let first = { (said: Timestamp, sent: Timestamp?) async throws -> String? in
        let body = #"{"text":"feed the cat in 20 minutes","said_at":"\#(RFC3339.format(said))"}"#
        let answer = try await door.ask(
          .post,
          "/understand",
          body,
          as: anna,
          sent.map { [(.sentAt, RFC3339.format($0))] } ?? []
        )
        guard answer.status == 200 else { return answer.name }
        return answer["reminder", "triggers", "0", "schedule", "start"]?.text
      }
      let right = try await first(now, nil)
      // A browser that is an hour ahead.
      let ahead = now + .minutes(60)
      #expect(try await first(ahead, ahead) == right)
      #expect(try await first(ahead - .minutes(5), ahead) == first(now - .minutes(5), nil))
      #expect(try await first(ahead, nil) == "bad_member")
      let body = #"{"text":"feed the cat","said_at":"\#(RFC3339.format(now))"}"#
      let odd = try await door.ask(.post, "/understand", body, as: anna, [(.sentAt, "soon")])
      #expect(odd.status == 422 && odd.name == "bad_member")
      #expect(try await first(now - .minutes(60 * 24 * 400), nil) == "bad_member")
    }
  }

  @Test func `NM-10.2: a change that is sent again is done once, and answered as before`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let ben = try await door.signIn(door.ben)
      let key: [(HTTPField.Name, String)] = [(.idempotencyKey, "edit-0001")]
      let body = #"{"text":"call mum tomorrow at 9","said_at":"2026-11-23T09:00:00Z"}"#
      let first = try await door.ask(.post, "/remember", body, as: anna, key)
      #expect(first.status == 201, "\(first.text)")
      let second = try await door.ask(.post, "/remember", body, as: anna, key)
      #expect(second.text == first.text && second.etag == first.etag)
      #expect(second.headers[.location] == first.headers[.location])
      #expect(try await door.ask(.get, "/reminders", as: anna).items.count == 1)
      let other = try await door.ask(.post, "/remember", #"{"text":"buy milk"}"#, as: anna, key)
      #expect(other.status == 422 && other.name == "key_reused")
      // Another person's keys are another person's.
      #expect(try await door.ask(.post, "/remember", body, as: ben, key).status == 201)
      #expect(try await door.ask(.get, "/reminders", as: ben).items.count == 1)

      // What was refused is not kept.
      let wrong: [(HTTPField.Name, String)] = [
        (.idempotencyKey, "edit-0002"), (.ifMatch, "\"00\""),
      ]
      let path = try #require(first.headers[.location]).dropFirst("/api/v1".count)
      #expect(try await door.ask(.delete, String(path), as: anna, wrong).status == 412)
      let right = [wrong[0], (.ifMatch, try #require(first.etag))]
      #expect(try await door.ask(.delete, String(path), as: anna, right).status == 204)
      #expect(try await door.ask(.delete, String(path), as: anna, right).status == 204)
    }
  }

  @Test func `many at once under one key are one`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let body = #"{"name":"home","lat":38,"lon":-34}"#
      let texts = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask {
            try await door.ask(.post, "/places", body, as: anna, [(.idempotencyKey, "same-key-1")])
              .text
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(texts.count == 1)
      #expect(try await door.ask(.get, "/places", as: anna).items.count == 1)
    }
  }

  @Test func `YOMO-4.6.2c: sixty browsers that edit at once, each edit twice, see one list`()
    async throws
  {
    try await TestDoor.with { door in
      try await door.liftLimits(of: door.anna)
      var made: [Browser] = []
      for _ in 0..<60 { made.append(try await door.signIn(door.anna)) }
      let browsers = made
      // Each has a page open, which is told.
      let side = door.server.side
      let pages = (0..<60)
        .compactMap { _ in
          side.hub.listen(door.anna, after: nil, most: DoorLimits().streamsPerPerson)
        }
      #expect(pages.count == 60)
      let heard = pages.map { _, events in
        Task {
          var edits = 0
          for await text in events where text.contains("event: edit") { edits += 1 }
          return edits
        }
      }
      try await withThrowingTaskGroup(of: Int.self) { group in
        // The second time as after an answer that was lost.
        for i in 0..<120 {
          group.addTask {
            let (number, browser) = (i % 60, browsers[i % 60])
            let body = #"{"title":"number \#(number)","triggers":[{"signal":"unlock"}]}"#
            let key = [(HTTPField.Name.idempotencyKey, "key-of-browser-\(number)")]
            return try await door.ask(.post, "/reminders", body, as: browser, key).status
          }
        }
        for try await status in group { #expect(status == 201) }
      }
      var lists: Set<[String]> = []
      for browser in browsers {
        let list = try await door.ask(.get, "/reminders?limit=100", as: browser)
        lists.insert(list.items.compactMap { $0["title"]?.text })
      }
      #expect(lists.count == 1)
      #expect(lists.first?.sorted() == (0..<60).map { "number \($0)" }.sorted())
      for page in pages { side.hub.leave(page.number, of: door.anna) }
      for edits in heard { #expect(await edits.value >= 60) }
    }
  }

  @Test func `a change that a killed door had begun is found, and not done twice`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let cases: [(path: String, body: String, list: String)] = [
        ("/reminders", #"{"title":"milk","target":{"category":"groceries"}}"#, "/reminders"),
        ("/places", #"{"name":"home","lat":38,"lon":-34}"#, "/places"),
      ]
      for (number, one) in cases.enumerated() {
        let key: [(HTTPField.Name, String)] = [(.idempotencyKey, "killed-\(number)00")]
        let first = try await door.ask(.post, one.path, one.body, as: anna, key)
        // As if the door had been killed between the change and its answer.
        try door.store.write { try $0.execute(sql: "UPDATE reply SET body = NULL") }
        let again = try await door.ask(.post, one.path, one.body, as: anna, key)
        #expect(again.text == first.text && again.status == 201)
        #expect(try await door.ask(.get, one.list, as: anna).items.count == 1)
      }
      let id = try #require(
        try await door.ask(.get, "/reminders", as: anna)["items", "0", "id"]?.text
      )
      let key: [(HTTPField.Name, String)] = [(.idempotencyKey, "killed-300")]
      for _ in 0..<2 {
        let done = try await door.ask(
          .post,
          "/reminders/\(id)/answers",
          #"{"action":"complete"}"#,
          as: anna,
          key
        )
        #expect(done.status == 200 && done["status"]?.text == "completed", "\(done.text)")
        try door.store.write { try $0.execute(sql: "UPDATE reply SET body = NULL") }
      }
    }
  }

  @Test func `bodies that are none are refused, each by its name`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
      let long = "{\"text\":\"" + String(repeating: "x", count: 200 << 10) + "\"}"
      let cases: [(body: String, status: Int, name: String)] = [
        ("", 400, "bad_json"), ("{", 400, "bad_json"), ("{\"text\":\"a\"}}", 400, "bad_json"),
        ("{\"text\":\(deep)}", 400, "bad_json"), (long, 413, "too_large"),
        ("[]", 422, "bad_member"), ("null", 422, "bad_member"), ("{}", 422, "bad_member"),
        ("{\"text\":1}", 422, "bad_member"), ("{\"text\":\"\"}", 422, "bad_member"),
        ("{\"text\":null}", 422, "bad_member"), ("{\"text\":\"a\",\"x\":1}", 422, "bad_member"),
        ("{\"text\":\"a\",\"text\":\"b\"}", 422, "bad_member"),
        ("{\"text\":\"a\",\"said_at\":\"soon\"}", 422, "bad_member"),
        ("{\"text\":\"every day at 8\"}", 422, "no_title"),
      ]
      for one in cases {
        let answer = try await door.ask(.post, "/remember", one.body, as: anna)
        #expect(
          answer.status == one.status && answer.name == one.name,
          "\(one.body.prefix(60)): \(answer.text)"
        )
        #expect(answer.headers[.contentType] == "application/problem+json")
      }
      var form = anna.headers
      form[.contentType] = "application/x-www-form-urlencoded"
      #expect(try await door.ask(.post, "/remember", "text=a", form).status == 415)
      #expect(try await door.ask(.get, "/reminders", as: anna).items.isEmpty)
    }
  }

  @Test func `what a reminder would pass over is refused with its path`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let cases: [(body: String, path: String)] = [
        (#"{"title":"x","target":{"place":"a","category":"b"}}"#, "target"),
        (#"{"title":"x","triggers":[{"place":"a","leave":{"place":"a"}}]}"#, "triggers[0]"),
        (#"{"title":"x","triggers":[{"signal":"a","tiers":["arrival"]}]}"#, "triggers[0].tiers"),
        (#"{"title":"x","triggers":[{"schedule":{"start":"2026-12-01","rule":"x"}}]}"#, "rule"),
        (#"{"title":"x","triggers":[{"schedule":{"start":"soon"}}]}"#, "start"),
        (#"{"title":"x","triggers":[],"conditions":[{}]}"#, "conditions[0]"),
        (#"{"title":"x","triggers":[],"conditions":[{"not":{"inside":{}}}]}"#, "not.inside"),
        (#"{"title":"x","triggers":[],"nag":{"every":"10m","at_most":-1}}"#, "nag.at_most"),
        (#"{"title":"x","triggers":[],"priority":1e300}"#, "priority"),
        (#"{"title":"x","triggers":[],"muted":"yes"}"#, "muted"),
        (#"{"title":"x","tiers":["arrival"]}"#, "tiers"),
      ]
      for one in cases {
        let answer = try await door.ask(.post, "/reminders", one.body, as: anna)
        #expect(answer.status == 422, "\(one.body): \(answer.text)")
        #expect(answer["detail"]?.text?.contains(one.path) ?? false, "\(one.body): \(answer.text)")
      }
      let blank = try await door.ask(.post, "/reminders", #"{"title":"  "}"#, as: anna)
      #expect(blank.name == "blank")
    }
  }

  @Test func `lists come in pages that neither miss nor double`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      try await door.liftLimits(of: door.anna)
      try await door.server.side.household.desk(door.anna)
        .edit { store in
          for i in 0..<230 {
            _ =
              try store.addReminder(at: Timestamp(milliseconds: 1_795_500_000_000)) {
                Reminder(id: $0, title: "thing \(i)", triggers: [])
              }
              .get()
          }
        }
      var titles: [String] = []
      var after = ""
      var sizes: [Int] = []
      while true {
        let page = try await door.ask(.get, "/reminders?limit=100\(after)", as: anna)
        sizes.append(page.items.count)
        titles += page.items.compactMap { $0["title"]?.text }
        guard let next = page["next"]?.text else { break }
        after = "&after=\(next)"
      }
      #expect(sizes == [100, 100, 30] && titles == (0..<230).map { "thing \($0)" })
      #expect(try await door.ask(.get, "/reminders?limit=101", as: anna).name == "bad_query")
      #expect(try await door.ask(.get, "/reminders?after=r999", as: anna).name == "bad_query")
      #expect(try await door.ask(.get, "/reminders?text=THING%2022", as: anna).items.count == 11)
    }
  }

  @Test func `what is to be done and what has ended are lists of their own, each in pages`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      try await door.liftLimits(of: door.anna)
      let start = door.clock.now()
      door.clock.pass(.minutes(10))
      try await door.server.side.household.desk(door.anna)
        .edit { store in
          let ids = try (0..<25)
            .map { i in
              try store.addReminder(at: start) {
                Reminder(id: $0, title: "thing \(i)", triggers: [])
              }
              .get().id
            }
          // The first ones end last, two at each instant.
          for (turn, id) in ids.prefix(15).reversed().enumerated() {
            let end = start + .minutes(Int64(turn / 2))
            _ = try store.act(.complete, on: id, at: end, zone: .utc).get()
          }
        }
      func titles(_ query: String) async throws -> (all: [String], sizes: [Int]) {
        var (all, sizes, after) = ([String](), [Int](), "")
        while true {
          let page = try await door.ask(.get, "/reminders?\(query)\(after)", as: anna)
          #expect(page.status == 200, "\(page.text)")
          sizes.append(page.items.count)
          all += page.items.compactMap { $0["title"]?.text }
          guard let next = page["next"]?.text else { return (all, sizes) }
          after = "&after=\(next)"
        }
      }
      let ended = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13]
      for limit in [1, 4, 5, 14, 15, 100] {
        let live = try await titles("status=active&limit=\(limit)")
        #expect(live.all == (15..<25).map { "thing \($0)" }, "\(limit)")
        #expect(live.sizes.dropLast().allSatisfy { $0 == limit })
        let over = try await titles("status=ended&limit=\(limit)")
        #expect(over.all == ended.map { "thing \($0)" }, "\(limit)")
      }
      #expect(try await titles("limit=7").all == (0..<25).map { "thing \($0)" })
      let some = try await titles("status=ended&text=thing%201&limit=2")
      #expect(some.all == ended.filter { $0 == 1 || $0 >= 10 }.map { "thing \($0)" })
      #expect(try await titles("status=active&text=thing%201&limit=2").all.count == 5)
    }
  }

  @Test func `a page goes on behind one that has ended, or was reopened, meanwhile`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      try await door.liftLimits(of: door.anna)
      var ids: [String] = []
      for i in 0..<6 {
        let body = "{\"title\":\"thing \(i)\",\"triggers\":[]}"
        let made = try await door.ask(.post, "/reminders", body, as: anna)
        ids.append(try #require(made["id"]?.text))
      }
      func answer(_ id: String, _ action: String) async throws -> Answer {
        door.clock.pass(.minutes(1))
        let body = "{\"action\":\"\(action)\"}"
        return try await door.ask(.post, "/reminders/\(id)/answers", body, as: anna)
      }
      func page(_ query: String) async throws -> (ids: [String?], next: String) {
        let page = try await door.ask(.get, "/reminders?\(query)", as: anna)
        return (page.items.map { $0["id"]?.text }, page["next"]?.text ?? "none")
      }
      let first = try await page("status=active&limit=2")
      #expect(first.ids == [ids[0], ids[1]])
      _ = try await answer(ids[1], "complete")
      let second = try await page("status=active&limit=2&after=\(first.next)")
      #expect(second.ids == [ids[2], ids[3]])
      _ = try await answer(ids[0], "complete")
      _ = try await answer(ids[2], "complete")
      let newest = try await page("status=ended&limit=2")
      #expect(newest.ids == [ids[2], ids[0]])
      _ = try await answer(ids[0], "reopen")
      let older = try await page("status=ended&limit=2&after=\(newest.next)")
      #expect(older.ids == [ids[1]] && older.next == "none")
      for wrong in [
        "status=done", "status=", "status=all", "status=active&status=ended",
        "status=ended&after=r1", "status=active&after=r999", "status=ended&after=",
      ] {
        let refused = try await door.ask(.get, "/reminders?\(wrong)", as: anna)
        #expect(refused.status == 400 && refused.name == "bad_query", "\(wrong)")
      }
    }
  }

  @Test func `TODO-FR31: what is done says since when, and that may come back`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let body = #"{"title":"milk","triggers":[]}"#
      let made = try await door.ask(.post, "/reminders", body, as: anna)
      let id = try #require(made["id"]?.text)
      #expect(made["done_at"] == nil)
      door.clock.pass(.minutes(30))
      let answers = "/reminders/\(id)/answers"
      let done = try await door.ask(.post, answers, #"{"action":"complete"}"#, as: anna)
      #expect(done["done_at"]?.text == "2026-11-24T06:30:00Z", "\(done.text)")
      door.clock.pass(.minutes(30))
      let list = try await door.ask(.get, "/reminders?status=ended", as: anna)
      #expect(list["items", "0", "done_at"]?.text == "2026-11-24T06:30:00Z")
      let again = try await door.ask(.post, answers, #"{"action":"reopen"}"#, as: anna)
      #expect(again.status == 200 && again["done_at"] == nil)
      // What was read can be sent back as it was.
      let back = #"{"title":"oat milk","triggers":[],"done_at":"2026-11-24T06:30:00Z"}"#
      let etag = try #require(again["etag"]?.text)
      let put = try await door.ask(.put, "/reminders/\(id)", back, as: anna, [(.ifMatch, etag)])
      #expect(put.status == 200 && put["done_at"] == nil, "\(put.text)")
      let odd = #"{"title":"oat milk","triggers":[],"done_at":1}"#
      #expect(try await door.ask(.post, "/reminders", odd, as: anna).name == "bad_member")
    }
  }

  @Test func `a sentence is read and not saved, and says what it does not know`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      _ = try await door.ask(
        .post,
        "/places",
        #"{"name":"the allotment","lat":38,"lon":-34}"#,
        as: anna
      )
      let read = try await door.ask(
        .post,
        "/understand",
        #"{"text":"water the beds when I get to the allotment"}"#,
        as: anna
      )
      #expect(read["title"]?.text == "water the beds")
      #expect(read["reminder", "target", "place"]?.text == "p1", "\(read.text)")
      #expect(read["errors"]?.elements?.isEmpty ?? false)
      let odd = try await door.ask(
        .post,
        "/understand",
        #"{"text":"sow beans every full moon"}"#,
        as: anna
      )
      #expect(odd["questions", "0", "name"]?.text == "moon", "\(odd.text)")
      let over = try await door.ask(
        .post,
        "/understand",
        #"{"text":"call bob on 3 March 2020"}"#,
        as: anna
      )
      #expect(over["questions", "0", "name"]?.text == "over", "\(over.text)")
      let bare = try await door.ask(.post, "/understand", #"{"text":"every day at 8"}"#, as: anna)
      #expect(bare["errors", "0", "name"]?.text == "no_title")
      // What would not be saved says so before, and in the same words.
      let lost = #"{"text":"take the keys when I leave home"}"#
      let asked = try await door.ask(.post, "/understand", lost, as: anna)
      let refused = try await door.ask(.post, "/remember", lost, as: anna)
      #expect(refused.status == 422 && refused.name == "unknown_place", "\(refused.text)")
      #expect(asked["errors", "0", "name"]?.text == "unknown_place", "\(asked.text)")
      #expect(asked["errors", "0", "text"]?.text == refused["detail"]?.text)
      #expect(try await door.ask(.get, "/reminders", as: anna).items.isEmpty)
    }
  }

  @Test func `NM-3.1: points are found near a position, by category and by words without accents`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let near = try await door.ask(.get, "/near?lat=38&lon=-34&limit=3", as: anna)
      #expect(near.items.compactMap { $0["id"]?.text } == ["node/0", "node/1", "node/2"])
      let one = try await door.ask(
        .get,
        "/near?lat=38&lon=-34&category=groceries&limit=2",
        as: anna
      )
      #expect(one.items.compactMap { $0["id"]?.text } == ["node/1", "node/3"])
      let words = try await door.ask(
        .get,
        "/near?lat=38.02&lon=-34&text=CAFE%20pharm&limit=1",
        as: anna
      )
      #expect(words.items.first?["name"]?.text == "Café Pharmacy 20")
      for query in [
        "lat=91&lon=0", "lat=38", "lat=x&lon=0", "lat=nan&lon=0", "lat=1&lon=1&radius_m=0",
        "lat=1&lon=1&category=grocerie",
      ] {
        #expect(
          try await door.ask(.get, "/near?\(query)", as: anna).name == "bad_query",
          "\(query)"
        )
      }
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `others are answered while the first search for a text looks at all places`() async throws {
    let isFree = DispatchSemaphore(value: 0)
    let looks = DispatchGroup()
    looks.enter()
    try await TestDoor.with({ configuration in
      configuration.points = PointSearch(
        TestDoor.catalog,
        addresses: {
          // Longer than anybody would wait; a minute after all, lest nobody is ever answered.
          _ = isFree.wait(timeout: .now() + 60)
          looks.leave()
          return ["node/4": "Harbor Road"]
        }
      )
    }) { door in
      let anna = try await door.signIn(door.anna)
      // More than there are threads that answer.
      let searches = (0..<40)
        .map { _ in
          Task { try await door.ask(.get, "/near?lat=38&lon=-34&text=harbor", as: anna) }
        }
      try await Task.sleep(for: .milliseconds(500))
      let near = try await door.ask(.get, "/near?lat=38&lon=-34&limit=3", as: anna)
      #expect(near.items.count == 3)
      // Nobody has ended looking: it was not that which was waited for.
      #expect(isUnderWay(looks))
      isFree.signal()
      for search in searches {
        #expect(try await search.value.items.compactMap { $0["id"]?.text } == ["node/4"])
      }
    }
  }

  @Test func `settings are changed by their ETag, and the engine keeps the new hours`() async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let before = try await door.ask(.get, "/settings", as: anna)
      let etag = try #require(before.etag)
      let body =
        #"{"quiet_hours":{"from":"22:00","until":"07:00"},"zone":"Europe/Malta","channels":[{"id":"browsers","type":"web_push"}],"onboarded":true}"#
      #expect(try await door.ask(.put, "/settings", body, as: anna).status == 428)
      let changed = try await door.ask(.put, "/settings", body, as: anna, [(.ifMatch, etag)])
      #expect(changed.status == 200, "\(changed.text)")
      #expect(
        try await door.ask(.put, "/settings", "{}", as: anna, [(.ifMatch, etag)]).status == 412
      )
      #expect(try await door.ask(.get, "/settings", as: anna).text == changed.text)
      #expect(
        try await door.ask(.get, "/session", as: anna)["onboarded"].map { "\($0)" } == "bool(true)"
      )
      let now = try #require(changed.etag)
      for wrong in [
        #"{"quiet_hours":{"from":"24:00","until":"07:00"}}"#, #"{"zone":"../../etc/passwd"}"#,
        #"{"zone":"Mars/Base"}"#, #"{"channels":[1]}"#, #"{"locale":"fr"}"#, #"{"x":1}"#,
        #"{"quiet_hours":{"from":"22:00","until":"22:00"}}"#,
      ] {
        let answer = try await door.ask(.put, "/settings", wrong, as: anna, [(.ifMatch, now)])
        #expect(answer.status == 422, "\(wrong)")
      }
      // Nothing of it stands in the door's file in the clear.
      let file = try Data(contentsOf: URL(fileURLWithPath: door.folder + "/door.sqlite"))
      let log =
        (try? Data(contentsOf: URL(fileURLWithPath: door.folder + "/door.sqlite-wal"))) ?? Data()
      #expect((file + log).range(of: Data("Europe/Malta".utf8)) == nil)
    }
  }

  @Test func `a phone is let in by what was said once, and no longer when it is taken off`()
    async throws
  {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let made = try await door.ask(.post, "/phones", #"{"name":"iphone"}"#, as: anna)
      #expect(made.status == 201 && made["owntracks"]?.text?.hasPrefix("owntracks:///") ?? false)
      #expect(
        try await door.ask(.post, "/phones", #"{"name":"iphone"}"#, as: anna).name == "name_taken"
      )
      #expect(
        try await door.ask(.post, "/phones", #"{"name":"Big Phone"}"#, as: anna).status == 422
      )
      var bearer = HTTPFields()
      bearer[.authorization] = "Bearer \(try #require(made["token"]?.text))"
      let signal = try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, bearer)
      #expect(signal.status == 200, "\(signal.status) \(signal.text)")
      // A phone's credential opens nothing but its own road.
      #expect(try await door.ask(.get, "/places", nil, bearer).status == 401)
      let list = try await door.ask(.get, "/phones", as: anna)
      #expect(list["items", "0", "name"]?.text == "iphone")
      #expect(!list.text.contains(try #require(made["token"]?.text)))
      #expect(try await door.ask(.delete, "/phones/iphone", as: anna).status == 204)
      #expect(
        try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, bearer).status == 401
      )
    }
  }

  @Test func `everything comes out, and everything goes`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let ben = try await door.signIn(door.ben)
      _ = try await door.ask(.post, "/places", #"{"name":"home","lat":38,"lon":-34}"#, as: anna)
      _ = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"trash","target":{"place":"p1"}}"#,
        as: anna
      )
      _ = try await door.ask(.post, "/phones", #"{"name":"iphone"}"#, as: anna)
      let export = try await door.ask(.get, "/export", as: anna)
      #expect(export["reminders", "0", "title"]?.text == "trash")
      #expect(export["places", "0", "name"]?.text == "home")
      #expect(export["phones", "0", "name"]?.text == "iphone")
      for wrong in ["{}", #"{"confirm":"erase"}"#, #"{"confirm":null}"#] {
        #expect(try await door.ask(.post, "/erase", wrong, as: anna).status == 422)
      }
      let path = door.store.folder.database(of: "anna")
      #expect(FileManager.default.fileExists(atPath: path))
      #expect(try await door.ask(.post, "/erase", #"{"confirm":"ERASE"}"#, as: anna).status == 204)
      #expect(!FileManager.default.fileExists(atPath: path))
      #expect(!FileManager.default.fileExists(atPath: path + ".key"))
      #expect(try await door.ask(.get, "/reminders", as: anna).status == 401)
      #expect(try door.store.people().map(\.name) == ["ben"])
      #expect(try await door.ask(.get, "/reminders", as: ben).status == 200)
      // Somebody of the same name begins with nothing.
      let again = try door.store.addPerson("anna", at: door.clock.now())
      let browser = try await door.signIn(again)
      #expect(try await door.ask(.get, "/reminders", as: browser).items.isEmpty)
    }
  }
}

/// Whether somebody is still in a group.
private func isUnderWay(_ group: DispatchGroup) -> Bool { group.wait(timeout: .now()) == .timedOut }
