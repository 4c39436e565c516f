import Basics
import Foundation
import Geodesy
import HTTPTypes
import Hummingbird
import LiveHost
import Logging
import NIOCore
import NearMeEngine
import Places
import Testing
import Timeline
import UserStore

import Door

/// A clock that stands until it is set.
final class StandingClock: HostClock, @unchecked Sendable {
  private let lock = NSLock()
  private var instant = Timestamp(milliseconds: 1_795_500_000_000)

  func now() -> Timestamp { lock.withLock { instant } }
  func uptime() -> Milliseconds { Milliseconds(now().milliseconds) }
  func pass(_ span: Milliseconds) { lock.withLock { instant = instant + span } }
}

/// What came back.
struct Answer {
  let status: Int
  let headers: HTTPFields
  let text: String

  /// A member of the body, deeper with each name.
  subscript(names: String...) -> JSONValue? {
    var value = try? JSONValue.parse(text)
    for name in names {
      if let index = Int(name) {
        let elements = value?.elements ?? []
        value = elements.indices.contains(index) ? elements[index] : nil
      } else {
        value = value?[name]
      }
    }
    return value
  }

  /// The name of a problem.
  var name: String? { self["name"]?.text }
  var items: [JSONValue] { self["items"]?.elements ?? [] }
  var etag: String? { headers[.eTag] }
}

/// Somebody who is signed in.
struct Browser {
  let cookie: String
  let csrf: String

  var headers: HTTPFields {
    var headers = HTTPFields()
    headers[.cookie] = cookie
    headers[.csrfToken] = csrf
    return headers
  }
}

/// A door without a network, in a folder of its own, with anna and ben.
struct TestDoor {
  let folder: String
  let store: DoorStore
  let clock: StandingClock
  let anna: DoorPerson
  let ben: DoorPerson
  let server: DoorServer
  let configuration: DoorConfiguration
  let client: RouterClient

  /// Runs a body with a door; its folder is gone afterward.
  static func with<Value: Sendable>(
    _ change: (inout DoorConfiguration) -> Void = { _ in },
    _ body: @escaping @Sendable (TestDoor) async throws -> Value
  ) async throws -> Value {
    let folder = NSTemporaryDirectory() + "door-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try DoorStore(DoorFolder(folder))
    let clock = StandingClock()
    let anna = try store.addPerson("anna", at: clock.now())
    let ben = try store.addPerson("ben", at: clock.now())
    var configuration = DoorConfiguration(
      address: .network(host: "127.0.0.1", port: 0),
      policy: Policy(),
      zone: .utc,
      catalog: catalog
    )
    // A machine with other things to do takes seconds for what takes no time elsewhere.
    configuration.longestWait = .seconds(600)
    configuration.metricsToken = metricsToken
    // Whoever reads at an address of these tests wants it.
    configuration.channels.asks = false
    change(&configuration)
    let settled = configuration
    let server = try DoorServer(
      configuration,
      store: store,
      clock: clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let value = try await body(
      TestDoor(
        folder: folder,
        store: store,
        clock: clock,
        anna: anna,
        ben: ben,
        server: server,
        configuration: settled,
        client: RouterClient(server)
      )
    )
    await server.side.household.endAll()
    return value
  }

  /// The door of another life over the same files.
  func restarted() throws -> DoorServer {
    try DoorServer(
      configuration,
      store: try DoorStore(DoorFolder(folder)),
      clock: clock,
      log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  static let catalog = POICatalog((0..<40).map(point))

  /// Pharmacies and groceries by turns, on a line to the north.
  private static func point(_ i: Int) -> PointOfInterest {
    let isPharmacy = i % 2 == 0
    return PointOfInterest(
      sourceID: "node/\(i)",
      categories: [CategoryID(isPharmacy ? "pharmacy" : "groceries")],
      name: isPharmacy ? "Café Pharmacy \(i)" : "Corner Grocery \(i)",
      coordinate: Coordinate(uncheckedLatitude: 38 + Double(i) * 0.001, longitude: -34)
    )
  }

  // MARK: Asking

  /// Asks something of the API.
  func ask(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ body: String? = nil,
    _ headers: HTTPFields = HTTPFields(),
    type: String = "application/json"
  ) async throws -> Answer {
    var headers = headers
    if body != nil, headers[.contentType] == nil { headers[.contentType] = type }
    let whole = path.hasPrefix("//") ? String(path.dropFirst()) : "/api/v1" + path
    let reply = try await client.execute(
      uri: whole,
      method: method,
      headers: headers,
      body: body.map { ByteBuffer(string: $0) }
    )
    return Answer(
      status: reply.status.code,
      headers: reply.headers,
      text: String(buffer: reply.body)
    )
  }

  func ask(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ body: String? = nil,
    as browser: Browser,
    _ extra: [(HTTPField.Name, String)] = []
  ) async throws -> Answer {
    var headers = browser.headers
    for (name, value) in extra { headers[name] = value }
    return try await ask(method, path, body, headers)
  }

  /// Signs a browser in by a link.
  func signIn(_ person: DoorPerson) async throws -> Browser {
    let link = try store.makeLink(for: person, at: clock.now())
    let answer = try await ask(.post, "/session", "{\"token\":\"\(link)\"}")
    let cookie = try #require(answer.headers[.setCookie]).prefix { $0 != ";" }
    return Browser(cookie: String(cookie), csrf: try #require(answer["csrf"]?.text))
  }

  /// Adds a phone, and has what it sends with every body.
  func letIn(_ phone: String, as browser: Browser) async throws -> HTTPFields {
    let made = try await ask(.post, "/phones", "{\"name\":\"\(phone)\"}", as: browser)
    let user = try #require(made["user"]?.text)
    let password = try #require(made["password"]?.text)
    var headers = HTTPFields()
    headers[.authorization] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    return headers
  }

  /// The headers of a token of anna's or somebody else's.
  func token(
    of person: DoorPerson,
    _ scopes: Set<SessionScope>,
    span: Milliseconds = .minutes(60)
  ) throws -> HTTPFields {
    let now = clock.now()
    let made = try server.side.sessions.addToken(
      of: person,
      label: "test",
      scopes: scopes,
      at: now,
      until: now + span
    )
    var headers = HTTPFields()
    headers[.authorization] = "Bearer \(made.secret)"
    return headers
  }

  private static let metricsToken = "the-owners-own-token"

  /// The headers by which the door's owner reads what it counts.
  static var owner: HTTPFields {
    var headers = HTTPFields()
    headers[.authorization] = "Bearer \(metricsToken)"
    return headers
  }

  /// Lets a person have more reminders than the free plan has room for.
  func liftLimits(of person: DoorPerson) async throws {
    let now = clock.now()
    try await server.side.household.desk(person).edit { try $0.setEntitlement(.premium, at: now) }
  }
}
