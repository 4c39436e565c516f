import Basics
import Foundation
import HTTPTypes
import Hummingbird
import NearMeEngine
import Testing
import Timeline

import Door

/// Who may ask what.
@Suite struct APIAccessTests {
  /// A request for each route that is sound but for who sends it.
  private static func sample(_ route: APIRoute) -> (path: String, body: String?) {
    let path = route.path.replacing(":id", with: "p1")
    let body =
      switch route.path {
      case "/reminders", "/reminders/:id": #"{"title":"milk","target":{"category":"groceries"}}"#
      case "/reminders/:id/answers", "/notifications/:id/answers": #"{"action":"mute"}"#
      case "/understand", "/remember": #"{"text":"buy milk near a grocery"}"#
      case "/places", "/places/:id": #"{"name":"home","lat":38,"lon":-34}"#
      case "/phones": #"{"name":"spare"}"#
      case "/signals": #"{"signal":"unlock"}"#
      case "/settings": #"{"onboarded":true}"#
      case "/tokens": #"{"name":"x","scopes":["read"]}"#
      case "/erase": #"{"confirm":"ERASE"}"#
      default: "{}"
      }
    return (path == "/near" ? "/near?lat=38&lon=-34" : path, route.hasBody ? body : nil)
  }

  @Test func `who signs in is told how sentences are read, and how they could be`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let first = try await door.ask(.get, "/session", as: anna)
      #expect(first["locale"]?.text == "en-US")
      let locales = first["locales"]?.elements?.compactMap(\.text)
      #expect(locales == ["en-US", "en-GB", "de"])
      let etag = try #require(try await door.ask(.get, "/settings", as: anna).etag)
      let set = try await door.ask(
        .put,
        "/settings",
        #"{"locale":"de"}"#,
        as: anna,
        [(.ifMatch, etag)]
      )
      #expect(set.status == 200, "\(set.text)")
      #expect(try await door.ask(.get, "/session", as: anna)["locale"]?.text == "de")
    }
  }

  @Test func `who signs in is told the words of the product`() async throws {
    try await TestDoor.with({ $0.words = [("list.empty", "No \"reminders\" yet.")] }) { door in
      let anna = try await door.signIn(door.anna)
      let session = try await door.ask(.get, "/session", as: anna)
      #expect(session["words", "list.empty"]?.text == "No \"reminders\" yet.")
    }
  }

  @Test func `who has lost a phone signs out all others, and stays`() async throws {
    try await TestDoor.with { door in
      let (here, lost) = (try await door.signIn(door.anna), try await door.signIn(door.anna))
      let token = try door.token(of: door.anna, [.read])
      let other = try await door.signIn(door.ben)
      #expect(try await door.ask(.get, "/session", as: lost).status == 200)
      #expect(try await door.ask(.delete, "/sessions", as: here).status == 200)
      #expect(try await door.ask(.get, "/session", as: lost).status == 401)
      #expect(try await door.ask(.get, "/session", as: here).status == 200)
      #expect(try await door.ask(.get, "/session", as: other).status == 200)
      #expect(try await door.ask(.get, "/session", nil, token).status == 200)
    }
  }

  @Test func `every route refuses nobody, a guess, and what has expired, in the same words`()
    async throws
  {
    try await TestDoor.with({ $0.limits.failureBurst = 10_000 }) { door in
      let browser = try await door.signIn(door.anna)
      let routes = APIRoutes(door.server.side).routes
      #expect(!routes.isEmpty)
      var guess = HTTPFields()
      guess[.authorization] = "Bearer \(SessionSecret.make())"
      let old = try door.token(of: door.anna, Set(SessionScope.allCases), span: .minutes(1))
      door.clock.pass(Milliseconds(Sessions.sessionSpan.value + 1))
      for route in routes {
        let (path, body) = Self.sample(route)
        let answers = [
          try await door.ask(route.method, path, body),
          try await door.ask(route.method, path, body, guess),
          try await door.ask(route.method, path, body, old),
          try await door.ask(route.method, path, body, browser.headers),
        ]
        for answer in answers {
          #expect(answer.status == 401, "\(route.method) \(path)")
          #expect(answer.text == answers[0].text, "\(route.method) \(path)")
          #expect(answer.headers[.wwwAuthenticate] != nil)
        }
      }
    }
  }

  @Test func `a token does what its scope says, and nothing that needs a session`() async throws {
    try await TestDoor.with { door in
      for route in APIRoutes(door.server.side).routes {
        let (path, body) = Self.sample(route)
        let others = Set(SessionScope.allCases).subtracting([route.scope])
        let answer = try await door.ask(
          route.method,
          path,
          body,
          try door.token(of: door.anna, others)
        )
        #expect(answer.status == 403, "\(route.method) \(path)")
        #expect(answer.name == (route.needsSession ? "session_only" : "wrong_scope"))
        guard route.needsSession else { continue }
        let whole = try door.token(of: door.anna, Set(SessionScope.allCases))
        let refused = try await door.ask(route.method, path, body, whole)
        #expect(refused.name == "session_only", "\(route.method) \(path)")
      }
      // Nothing of all that was done.
      #expect(try door.store.people().count == 2)
      #expect(try door.store.devices(of: door.anna).isEmpty)
    }
  }

  @Test func `a cookie alone changes nothing: the page's own word must come with it`() async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let other = try await door.signIn(door.ben)
      var wrong = browser.headers
      wrong[.csrfToken] = other.csrf
      var bare = browser.headers
      bare[.csrfToken] = nil
      var foreign = browser.headers
      foreign[.fetchSite] = "cross-site"
      for route in APIRoutes(door.server.side).routes where route.method != .get {
        let (path, body) = Self.sample(route)
        for headers in [wrong, bare, foreign] {
          let answer = try await door.ask(route.method, path, body, headers)
          #expect(answer.status == 403 && answer.name == "csrf", "\(route.method) \(path)")
        }
      }
      #expect(try await door.ask(.get, "/session", nil, bare).status == 200)
    }
  }

  @Test func `nobody sees, changes or guesses anything of another person`() async throws {
    try await TestDoor.with { door in
      let anna = try await door.signIn(door.anna)
      let ben = try await door.signIn(door.ben)
      let place = try await door.ask(
        .post,
        "/places",
        #"{"id":"secret","name":"hideout","lat":38,"lon":-34}"#,
        as: anna
      )
      let reminder = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"surprise","target":{"place":"secret"}}"#,
        as: anna
      )
      _ = try await door.ask(.post, "/phones", #"{"name":"annas"}"#, as: anna)
      let token = try await door.ask(
        .post,
        "/tokens",
        #"{"name":"hers","scopes":["read"]}"#,
        as: anna
      )
      let id = try #require(reminder["id"]?.text)
      let tokenID = try #require(token["id"]?.text)
      #expect(place.status == 201 && token.status == 201)
      for path in [
        "/reminders", "/places", "/phones", "/tokens", "/export", "/decisions", "/regions",
      ] {
        let answer = try await door.ask(.get, path, as: ben)
        #expect(answer.status == 200, "\(path)")
        for word in ["surprise", "hideout", "annas", "hers", "secret\""] {
          #expect(!answer.text.contains(word), "\(path) says \(word)")
        }
      }
      let etag = try #require(reminder.etag)
      let attempts: [(HTTPRequest.Method, String, String?)] = [
        (.get, "/reminders/\(id)", nil), (.get, "/places/secret", nil),
        (.put, "/reminders/\(id)", #"{"title":"x","triggers":[]}"#),
        (.put, "/places/secret", #"{"name":"x","lat":1,"lon":1}"#),
        (.delete, "/reminders/\(id)", nil), (.delete, "/places/secret", nil),
        (.delete, "/phones/annas", nil), (.delete, "/tokens/\(tokenID)", nil),
        (.post, "/reminders/\(id)/answers", #"{"action":"complete"}"#),
      ]
      for (method, path, body) in attempts {
        let there = try await door.ask(method, path, body, as: ben, [(.ifMatch, etag)])
        #expect(there.status == 404, "\(method) \(path): \(there.text)")
        // What is not there at all is answered in the same way.
        let nowhere = try await door.ask(
          method,
          path.replacing(id, with: "r99").replacing("secret", with: "p99")
            .replacing("annas", with: "nobodys").replacing(tokenID, with: "0000000000000000"),
          body,
          as: ben,
          [(.ifMatch, etag)]
        )
        #expect(nowhere.status == there.status && nowhere.name == there.name)
      }
      // A reminder cannot aim at what is another person's.
      let aimed = try await door.ask(
        .post,
        "/reminders",
        #"{"title":"x","target":{"place":"secret"}}"#,
        as: ben
      )
      #expect(aimed.name == "unknown_place")
      #expect(try await door.ask(.get, "/reminders/\(id)", as: anna).status == 200)
    }
  }

  @Test func `NM-1.4: a link is worth one session, for a day`() async throws {
    try await TestDoor.with { door in
      let link = try door.store.makeLink(for: door.anna, at: door.clock.now())
      let body = "{\"token\":\"\(link)\"}"
      let first = try await door.ask(.post, "/session", body)
      #expect(first["person", "name"]?.text == "anna")
      let cookie = try #require(first.headers[.setCookie])
      for word in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(word)) }
      #expect(!cookie.contains("Secure"))
      let second = try await door.ask(.post, "/session", body)
      let unknown = try await door.ask(.post, "/session", #"{"token":"guess"}"#)
      #expect(second.status == 401 && second.text == unknown.text)
      let late = try door.store.makeLink(for: door.anna, at: door.clock.now())
      door.clock.pass(.minutes(24 * 60 + 1))
      #expect(try await door.ask(.post, "/session", "{\"token\":\"\(late)\"}").name == "bad_link")
      // Who has a session is not asked again.
      var later = HTTPFields()
      later[.cookie] = String(cookie.prefix { $0 != ";" })
      let visit = try await door.ask(.get, "/session", nil, later)
      #expect(visit.status == 200 && visit["person", "name"]?.text == "anna")
    }
  }

  @Test func `a browser that comes now and then stays signed in`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      for _ in 0..<3 {
        door.clock.pass(.minutes(80 * 24 * 60))
        let visit = try await door.ask(.get, "/session", as: browser)
        let cookie = try #require(visit.headers[.setCookie])
        #expect(visit.status == 200 && cookie.prefix { $0 != ";" } == browser.cookie)
        #expect(cookie.contains("Max-Age=\(Sessions.sessionSpan.value / 1_000);"))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
      }
      // Only there, and only for whoever came in by it.
      #expect(try await door.ask(.get, "/places", as: browser).headers[.setCookie] == nil)
      var token = try door.token(of: door.anna, [.read])
      token[.cookie] = browser.cookie
      let program = try await door.ask(.get, "/session", nil, token)
      #expect(program["kind"]?.text == "token" && program.headers[.setCookie] == nil)
      var wrong = HTTPFields()
      wrong[.cookie] = "nearme=\(SessionSecret.make())"
      let refused = try await door.ask(.get, "/session", nil, wrong)
      #expect(refused.status == 401 && refused.headers[.setCookie] == nil)
    }
  }

  @Test func `TODO-NFR8: what is kept of credentials cannot be used`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let secret = browser.cookie.split(separator: "=")[1]
      let stored = try door.store.sessions()
      #expect(stored.count == 1)
      #expect(!stored[0].hash.base64EncodedString().contains(secret))
      var headers = HTTPFields()
      headers[.cookie] = "nearme=\(stored[0].hash.base64EncodedString())"
      #expect(try await door.ask(.get, "/session", nil, headers).status == 401)
      // A session's secret is no token, and the other way round.
      headers = HTTPFields()
      headers[.authorization] = "Bearer \(secret)"
      #expect(try await door.ask(.get, "/session", nil, headers).status == 401)
    }
  }

  @Test(arguments: [
    (
      "Mozilla/5.0 (Android 16; Mobile; rv:148.0) Gecko/148.0 Firefox/148.0", "Firefox, Android"
    ),
    (
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        + "Version/26.1 Mobile/15E148 Safari/604.1", "Safari, iPhone"
    ),
    (
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 "
        + "Safari/537.36 Edg/142.0.0.0", "Edge, Windows"
    ), ("curl/8.5", "browser"), (nil, "browser"),
  ])
  func `a token says when it was made and in which browser`(
    agent: String?,
    name: String
  )
    async throws
  {
    try await TestDoor.with { door in
      let link = try door.store.makeLink(for: door.anna, at: door.clock.now())
      var headers = HTTPFields()
      headers[.userAgent] = agent
      let session = try await door.ask(.post, "/session", "{\"token\":\"\(link)\"}", headers)
      let cookie = try #require(session.headers[.setCookie]).prefix { $0 != ";" }
      let browser = Browser(cookie: String(cookie), csrf: try #require(session["csrf"]?.text))
      door.clock.pass(.minutes(5))
      let body = #"{"name":"x","scopes":["read"]}"#
      let made = try await door.ask(.post, "/tokens", body, as: browser)
      #expect(made["made_by"]?.text == name, "\(made.text)")
      // Written down, and told by another life.
      let token = try #require(try door.store.sessions().first { $0.kind == .token })
      #expect(token.maker == name && token.created == door.clock.now())
      let listed = try await door.ask(.get, "/tokens", as: browser).items
      #expect(listed.first?["made_by"]?.text == name)
    }
  }

  @Test func `signing out and taking a token back end them at once`() async throws {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let made = try await door.ask(
        .post,
        "/tokens",
        #"{"name":"x","scopes":["read"]}"#,
        as: browser
      )
      var bearer = HTTPFields()
      bearer[.authorization] = "Bearer \(try #require(made["token"]?.text))"
      #expect(try await door.ask(.get, "/places", nil, bearer).status == 200)
      let id = try #require(made["id"]?.text)
      #expect(try await door.ask(.delete, "/tokens/\(id)", as: browser).status == 204)
      #expect(try await door.ask(.get, "/places", nil, bearer).status == 401)
      let out = try await door.ask(.delete, "/session", as: browser)
      #expect(out.status == 204 && out.headers[.setCookie]?.contains("Max-Age=0") ?? false)
      #expect(try await door.ask(.get, "/places", as: browser).status == 401)
    }
  }

  @Test func `what another process takes away is noticed`() async throws {
    try await TestDoor.with { door in
      let token = try door.token(of: door.anna, [.read])
      #expect(try await door.ask(.get, "/places", nil, token).status == 200)
      let other = try DoorStore(DoorFolder(door.folder))
      try other.removePerson(door.anna)
      try await Task.sleep(for: .milliseconds(1_100))
      #expect(try await door.ask(.get, "/places", nil, token).status == 401)
    }
  }

  /// The phone is in somebody's hand then, and its app may give up after one refusal.
  @Test func `a phone that another process adds is let in at once`() async throws {
    try await TestDoor.with { door in
      let other = try DoorStore(DoorFolder(door.folder))
      for name in ["first", "second"] {
        let credentials = try other.addDevice(
          name,
          of: door.anna,
          at: Timestamp(seconds: 1_767_600_000)
        )
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(credentials.password)"
        let answer = try await door.ask(.post, "//in/signals", #"{"signal":"unlock"}"#, fields)
        #expect(answer.status == 200, "\(name)")
      }
    }
  }

  @Test func `many requests and many guesses are told when to come back`() async throws {
    try await TestDoor.with({
      ($0.limits.requestBurst, $0.limits.requestsPerSecond) = (3, 0.001)
      ($0.limits.failureBurst, $0.limits.failuresPerSecond) = (2, 0.001)
    }) { door in
      let token = try door.token(of: door.anna, [.read])
      var answers: [Answer] = []
      for _ in 0..<4 { answers.append(try await door.ask(.get, "/places", nil, token)) }
      #expect(answers.map(\.status) == [200, 200, 200, 429])
      #expect(answers[3].headers[.retryAfter] != nil && answers[3].name == "too_many")
      var guess = HTTPFields()
      guess[.authorization] = "Bearer guess"
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await door.ask(.get, "/places", nil, guess).status) }
      #expect(statuses == [401, 401, 429])
      // Phones are never told so: OwnTracks for iOS would delete what it sent.
      for _ in 0..<5 {
        #expect(try await door.ask(.post, "//in/owntracks", "{}", guess).status == 401)
      }
      // Whoever has a good credential is not kept out by another's guesses.
      let good = try door.token(of: door.ben, [.read])
      #expect(try await door.ask(.get, "/places", nil, good).status == 200)
    }
  }

  @Test func `a proxy's word counts only where one is trusted`() async throws {
    for trusts in [false, true] {
      try await TestDoor.with({
        $0.trustsProxy = trusts
        ($0.limits.failureBurst, $0.limits.failuresPerSecond) = (1, 0.001)
      }) { door in
        let link = try door.store.makeLink(for: door.anna, at: door.clock.now())
        var proxied = HTTPFields()
        proxied[.forwardedProto] = "https"
        let answer = try await door.ask(.post, "/session", "{\"token\":\"\(link)\"}", proxied)
        let cookie = try #require(answer.headers[.setCookie])
        #expect(cookie.hasPrefix("__Host-") == trusts && cookie.contains("Secure") == trusts)
        var guess = HTTPFields()
        guess[.authorization] = "Bearer guess"
        var statuses: [Int] = []
        for i in 0..<3 {
          guess[.forwardedFor] = "10.9.9.9, 192.0.2.\(i)"
          statuses.append(try await door.ask(.get, "/places", nil, guess).status)
        }
        #expect(statuses == (trusts ? [401, 401, 401] : [401, 429, 429]))
      }
    }
  }
}
