import Foundation
import HTTPTypes
import Hummingbird
import LiveHost
import NIOCore
import Testing

import Door

/// The contract, the routes and the files are the same things.
@Suite struct APIContractTests {
  private static let assets = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Door/Assets").path

  private static func text() throws -> String {
    try String(contentsOfFile: assets + "/openapi.yaml", encoding: .utf8)
  }

  /// The paths and methods of the contract and the statuses of each, by the places of their lines.
  private static func contract() throws -> [String: Set<Int>] {
    var (path, route) = ("", "")
    var found: [String: Set<Int>] = [:]
    for line in try text().split(separator: "\n") {
      if line.hasPrefix("components:") { break }
      if line.hasPrefix("  /"), line.hasSuffix(":") {
        path = String(line.dropFirst(2).dropLast()).replacing("{id}", with: ":id")
      }
      for method in ["get", "post", "put", "delete"] where line == "    \(method):" {
        route = "\(method.uppercased()) \(path)"
        found[route] = []
      }
      if line.hasPrefix("        \""), let status = Int(line.dropFirst(9).prefix(3)) {
        found[route]?.insert(status)
      }
    }
    return found
  }

  @Test func `what can be asked is what the contract says`() async throws {
    try await TestDoor.with { door in
      let routes = APIRoutes(door.server.side).routes.map { "\($0.method.rawValue) \($0.path)" }
      let contract = try Self.contract()
      #expect(Set(routes).union(["POST /session"]) == Set(contract.keys))
      #expect(Set(routes).count == routes.count)
    }
  }

  @Test func `looking at what another process holds is refused as the contract says`() async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let contract = try Self.contract()
      let lock = try HostLock(database: door.store.folder.database(of: "anna"))
      var refused: [String] = []
      for route in APIRoutes(door.server.side).routes
      where route.method == .get && route.path != "/events" {
        let path = route.path.replacing(":id", with: "p1")
        let query = path == "/near" ? "?lat=38&lon=-34" : ""
        let answer = try await door.ask(.get, path + query, as: browser)
        let statuses = contract["GET \(route.path)"] ?? []
        #expect(statuses.contains(answer.status), "\(path): \(answer.status)")
        if answer.status == 503 { refused.append(route.path) }
      }
      withExtendedLifetime(lock) {}
      let known = [
        "/reminders", "/reminders/:id", "/places", "/places/:id", "/notifications", "/decisions",
        "/regions", "/phones", "/day", "/export",
      ]
      #expect(Set(refused).isSuperset(of: known), "\(refused)")
    }
  }

  @Test func `the dates that the contract allows are those that are taken`() async throws {
    let text = try Self.text()
    let begin = try #require(text.range(of: "pattern: '^((19")).lowerBound
    let quoted = text[begin...].split(separator: "'", maxSplits: 2)
    let pattern = String(quoted[1])
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      for date in [
        "1970-01-01", "1972-02-29", "2000-02-29", "2026-02-28", "2028-02-29", "2196-02-29",
        "2199-12-31", "2200-12-31", "1969-12-31", "1970-02-29", "2026-02-29", "2100-02-29",
        "2026-04-31", "2026-13-01", "2026-00-10", "2026-12-32", "2200-02-29", "2201-01-01",
      ] {
        let answer = try await door.ask(.get, "/day?date=\(date)", as: browser)
        let isAllowed = try date.wholeMatch(of: Regex(pattern)) != nil
        #expect(answer.status == (isAllowed ? 200 : 400), "\(date): \(answer.status)")
      }
    }
  }

  @Test func `other methods and other addresses are refused in the form of all refusals`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      let wrong = try await door.ask(.patch, "/places", "{}", as: browser)
      #expect(wrong.status == 405 && wrong.headers[.allow] == "GET, HEAD, POST")
      for path in ["/nothing", "/places/p1/x", "//api/v2/places", "", "/", "//api"] {
        let answer = try await door.ask(.get, path, as: browser)
        #expect(answer.status == 404 && answer.name == "no_route", "\(path)")
      }
      let head = try await door.ask(.head, "/places", as: browser)
      #expect(head.status == 200 && head.text.isEmpty)
    }
  }

  @Test func `every file of the pages is served, with its headers, and once`() async throws {
    try await TestDoor.with { door in
      let names = try FileManager.default.contentsOfDirectory(atPath: Self.assets)
      let paths = names.map { name in
        switch name {
        case "index.html": "/"
        case "join.html": "/join"
        default: "/\(name)"
        }
      }
      #expect(Set(paths) == Set(PageAssets.paths))
      for (name, path) in zip(names, paths) {
        let answer = try await door.client.execute(uri: path, method: .get)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(Self.assets)/\(name)"))
        #expect(Data(answer.body.readableBytesView) == bytes, "\(name): build anew")
        let policy = try #require(answer.headers[.contentSecurityPolicy])
        #expect(policy.contains("default-src 'self'") && !policy.contains("unsafe"), "\(name)")
        #expect(answer.headers[.xContentTypeOptions] == "nosniff", "\(name)")
        #expect(answer.headers[.referrerPolicy] == "no-referrer", "\(name)")
        var known = HTTPFields()
        known[.ifNoneMatch] = answer.headers[.eTag]
        let again = try await door.ask(.get, "/\(path)", nil, known)
        #expect(again.status == 304, "\(name)")
      }
    }
  }

  @Test func `no page holds a script, a style or an address of another`() throws {
    for name in ["index.html", "join.html"] {
      let text = try String(contentsOfFile: "\(Self.assets)/\(name)", encoding: .utf8)
      #expect(!text.contains("style=") && !text.contains("<style"), "\(name)")
      #expect(!text.contains("onclick=") && !text.contains("//cdn"), "\(name)")
      for part in text.components(separatedBy: "<script").dropFirst() {
        #expect(part.prefix { $0 != ">" }.contains("src=\"/"), "\(name)")
      }
    }
  }

  @Test func `TODO-NFR13: nothing on the pages moves for longer than 600 ms`() throws {
    var seen = 0
    for name in ["app.css", "index.html", "join.html"] {
      let text = try String(contentsOfFile: "\(Self.assets)/\(name)", encoding: .utf8)
      for rule in text.matches(of: /(?:animation|transition)[a-z-]*:([^;}]*)/) {
        for span in rule.1.matches(of: /([0-9]*\.?[0-9]+)(ms|s)\b/) {
          let seconds = try #require(Double(span.1.hasPrefix(".") ? "0\(span.1)" : String(span.1)))
          #expect(seconds * (span.2 == "s" ? 1_000 : 1) <= 600, "\(name): \(rule.0)")
          seen += 1
        }
      }
    }
    #expect(seen >= 2)
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.assets)
    where name.hasSuffix(".js") {
      let text = try String(contentsOfFile: "\(Self.assets)/\(name)", encoding: .utf8)
      #expect(!text.contains(".animate(") && !text.contains("style.transition"), "\(name)")
    }
  }

  @Test func `what the door counts is told to those who may know it, and names nobody`()
    async throws
  {
    try await TestDoor.with { door in
      let browser = try await door.signIn(door.anna)
      _ = try await door.ask(
        .post,
        "/places",
        #"{"name":"hideout","lat":38,"lon":-34}"#,
        as: browser
      )
      #expect(try await door.ask(.get, "//metrics").status == 401)
      // Not for one person, who could guess from it what another does.
      #expect(try await door.ask(.get, "//metrics", as: browser).status == 401)
      let persons = try door.token(of: door.anna, Set(SessionScope.allCases))
      #expect(try await door.ask(.get, "//metrics", nil, persons).status == 401)
      let metrics = try await door.ask(.get, "//metrics", nil, TestDoor.owner)
      #expect(
        metrics.text.contains("nearme_api_answers_total{route=\"/places\",status=\"201\"} 1\n")
      )
      #expect(!metrics.text.contains("hideout") && !metrics.text.contains("anna"))
      #expect(try await door.ask(.get, "//healthz").text == "ok\n")
      let scopes = #"{"name":"counts","scopes":["metrics"]}"#
      #expect(try await door.ask(.post, "/tokens", scopes, as: browser).status == 422)
    }
    try await TestDoor.with({ $0.metricsToken = nil }) { door in
      let hidden = try await door.ask(.get, "//metrics", nil, TestDoor.owner)
      #expect(hidden.status == 404)
    }
  }
}
