import Fencing
import Foundation
import Geodesy
import NearMeEngine
import Places
import TestSupport
import Timeline
import Traces
import UserStore

/// A user with a database in a folder of its own, and a clock that goes when it is told to.
final class User {
  let folder: TemporaryFolder
  let path: String
  let store: UserStore
  /// 2026-03-03T14:00:00Z at first.
  private(set) var now = Timestamp(seconds: 1_772_546_400)

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("user.db")
    store = try UserStore(path: path, key: .besides(path))
  }

  /// Opens the database once more.
  func open(
    _ access: UserStore.Access = .edit,
    policy: Policy = Policy()
  ) throws -> UserStore {
    try UserStore(path: path, key: .besides(path), access: access, policy: policy)
  }

  /// The path of a copy of a closed database and its key, in the same folder.
  static func copyPath(of user: User) throws -> String {
    let path = user.folder.path("copy-\(UUID()).db")
    try FileManager.default.copyItem(atPath: user.path, toPath: path)
    try FileManager.default.copyItem(atPath: user.path + ".key", toPath: path + ".key")
    return path
  }

  /// A copy of a closed database, opened.
  static func copy(of user: User) throws -> UserStore {
    let path = try copyPath(of: user)
    return try UserStore(path: path, key: .besides(path), access: .edit)
  }

  func tick(minutes: Int64 = 1) -> Timestamp {
    now = now + .minutes(minutes)
    return now
  }

  func add(
    place name: String,
    _ kind: PlaceKind = .other,
    _ latitude: Double,
    _ longitude: Double
  ) throws -> Place {
    try store.addPlace(at: tick()) {
      Place(
        id: $0,
        name: name,
        kind: kind,
        coordinate: Coordinate(uncheckedLatitude: latitude, longitude: longitude)
      )
    }
    .get()
  }

  func add(_ title: String, at place: Place, notes: String? = nil) throws -> Reminder {
    try store.addReminder(at: tick()) {
      Reminder(id: $0, title: title, notes: notes, target: .place(place.id))
    }
    .get()
  }

  func add(_ title: String, _ category: String, notes: String? = nil) throws -> Reminder {
    try store.addReminder(at: tick()) {
      Reminder(id: $0, title: title, notes: notes, target: .category(CategoryID(category)))
    }
    .get()
  }
}

/// A host as small as can be: the engine, and a store to commit its turns to.
struct Host {
  let store: UserStore
  private(set) var engine: Engine
  private var serial = 0
  /// What was told, in order.
  private(set) var said: [String] = []

  init(_ user: User, catalog: POICatalog = .empty) throws {
    try self.init(user.store, at: user.tick(), catalog: catalog)
  }

  init(_ store: UserStore, at now: Timestamp, catalog: POICatalog = .empty) throws {
    self.store = store
    let stored = try store.load()
    var policy = Policy()
    policy.fencing.arrivalDetection = .radius
    engine = Engine(
      policy: policy,
      zone: .utc,
      catalog: catalog,
      monitoring: .everyFix,
      state: stored.state ?? EngineState()
    )
    serial = stored.host.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    try takeInbox()
    try take(Event(at: now, .launched))
  }

  /// What an event comes to.
  mutating func turn(_ event: Event, inbox: Int64? = nil) throws -> Turn {
    let effects = engine.handle(event)
    var drafts: [OutboxDraft] = []
    var records: [Record] = []
    var archived: [Reminder] = []
    for effect in effects {
      switch effect {
      case .post(let notification), .replace(let notification):
        serial += 1
        said.append(notification.text)
        let payload = try JSONEncoder().encode(effect)
        drafts.append(OutboxDraft(key: "terminal/\(serial)", payload: payload))
      case .archive(let reminder): archived.append(reminder)
      case .record(let record): records.append(record)
      default: break
      }
    }
    return Turn(
      state: engine.state,
      host: Data(String(serial).utf8),
      effects: drafts,
      archived: archived,
      records: records,
      usedInbox: inbox.map { [$0] } ?? []
    )
  }

  mutating func take(_ event: Event, inbox: Int64? = nil, before: () throws -> Void = {}) throws {
    let turn = try turn(event, inbox: inbox)
    try before()
    try store.commit(turn)
  }

  mutating func takeInbox() throws {
    for entry in try store.pendingInbox() { try take(entry.event, inbox: entry.serial) }
  }

  mutating func fix(
    _ latitude: Double,
    _ longitude: Double,
    at now: Timestamp,
    before: () throws -> Void = {}
  ) throws {
    try take(Self.event(latitude, longitude, at: now), before: before)
  }

  /// Stays at a spot until an arrival has held.
  ///
  /// - Parameter before: happens between the turn that tells of the arrival and its commit.
  mutating func arrive(
    _ latitude: Double,
    _ longitude: Double,
    at now: Timestamp,
    before: () throws -> Void = {}
  ) throws {
    for second in stride(from: Int64(0), through: 60, by: 10) {
      let turn = try turn(Self.event(latitude, longitude, at: now + .seconds(second)))
      if !turn.effects.isEmpty { try before() }
      try store.commit(turn)
    }
  }

  /// Stays at a spot until an arrival has held, and keeps the turn that tells of it to itself.
  mutating func arrive(
    _ latitude: Double,
    _ longitude: Double,
    at now: Timestamp,
    last: inout Turn?
  ) throws {
    for second in stride(from: Int64(0), through: 120, by: 10) {
      let turn = try turn(Self.event(latitude, longitude, at: now + .seconds(second)))
      if !turn.effects.isEmpty {
        last = turn
        return
      }
      try store.commit(turn)
    }
  }

  private static func event(_ latitude: Double, _ longitude: Double, at now: Timestamp) -> Event {
    let fix = Fix(
      at: now,
      coordinate: Coordinate(uncheckedLatitude: latitude, longitude: longitude),
      horizontalAccuracyMeters: 5,
      speedMetersPerSecond: 1
    )
    return Event(at: now, .fix(fix))
  }
}
