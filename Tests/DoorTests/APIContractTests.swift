import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

import Door

/// The contract, the routes and the files are the same things.
@Suite struct APIContractTests {
  private static let assets = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Door/Assets").path

  /// The paths and methods of the contract, by the places of their lines.
  private static func contract() throws -> Set<String> {
    let text = try String(contentsOfFile: assets + "/openapi.yaml", encoding: .utf8)
    var path = ""
    var found: Set<String> = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("components:") { break }
      if line.hasPrefix("  /"), line.hasSuffix(":") {
        path = String(line.dropFirst(2).dropLast()).replacing("{id}", with: ":id")
      }
      for method in ["get", "post", "put", "delete"] where line == "    \(method):" {
        found.insert("\(method.uppercased()) \(path)")
      }
    }
    return found
  }

  @Test func `what can be asked is what the contract says`() async throws {
    try await TestDoor.with { door in
      let routes = APIRoutes(door.server.side).routes.map { "\($0.method.rawValue) \($0.path)" }
      let contract = try Self.contract()
      #expect(Set(routes).union(["POST /session"]) == contract)
      #expect(Set(routes).count == routes.count)
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
      let read = try door.token(of: door.anna, [.read])
      #expect(try await door.ask(.get, "//metrics", nil, read).status == 403)
      let token = try door.token(of: door.anna, [.metrics])
      let metrics = try await door.ask(.get, "//metrics", nil, token)
      #expect(
        metrics.text.contains("nearme_api_answers_total{route=\"/places\",status=\"201\"} 1\n")
      )
      #expect(!metrics.text.contains("hideout") && !metrics.text.contains("anna"))
      #expect(try await door.ask(.get, "//healthz").text == "ok\n")
    }
  }
}
