import CacheBuilder
import FaultyDisk
import Foundation
import LiveHost
import Logging
import NearMeEngine
import OutputLines
import Places
import Replay
import TestSupport
import Timeline
import TraceFiles
import Traces
import TrialFiles
import UserStore

/// A clock that stands until a test moves it.
///
/// Unchecked: the time is touched under the lock only.
final class VirtualClock: HostClock, @unchecked Sendable {
  private let lock = NSLock()
  private var time: Timestamp
  private var up = Milliseconds(0)

  init(_ time: Timestamp = Timestamp(seconds: 1_772_524_800)) { self.time = time }

  func now() -> Timestamp { lock.withLock { time } }
  func uptime() -> Milliseconds { lock.withLock { up } }

  /// Lets time pass.
  func advance(_ span: Milliseconds) {
    lock.withLock {
      time = time + span
      up = up + span
    }
  }

  /// Sets the clock on the wall; no time passes.
  func set(by span: Milliseconds) { lock.withLock { time = time + span } }
}

/// A sink that remembers, and answers as a test wants.
///
/// Unchecked: everything is touched under the lock only.
final class RecordingSink: Sink, @unchecked Sendable {
  let name: String
  let takesRecords: Bool
  let batchLimit: Int
  /// Whether it knows again what it had, as a file does.
  let remembers: Bool
  private let lock = NSLock()
  private var taken: [Delivery] = []
  private var answers: [DeliveryOutcome] = []
  private var attempts = 0

  init(
    _ name: String = "test",
    takesRecords: Bool = true,
    batchLimit: Int = 1_000,
    remembers: Bool = true,
    answers: [DeliveryOutcome] = []
  ) {
    self.name = name
    self.takesRecords = takesRecords
    self.batchLimit = batchLimit
    self.remembers = remembers
    self.answers = answers
  }

  var deliveries: [Delivery] {
    lock.lock()
    defer { lock.unlock() }
    return taken
  }

  var attemptCount: Int {
    lock.lock()
    defer { lock.unlock() }
    return attempts
  }

  var lines: [String] { deliveries.map(\.line) }

  /// What was said, as a person hears it.
  var heard: [String] {
    deliveries.compactMap {
      switch $0.news {
      case .posted(let notification): notification.text
      case .replaced(let notification, let isNews):
        (isNews ? "+ " : "~ ") + notification.text
      case .withdrawn(let id): "- \(id)"
      case .transition, .decision: nil
      }
    }
  }

  /// What the next attempts are answered; after them everything is taken.
  func answer(_ outcomes: [DeliveryOutcome]) {
    lock.lock()
    defer { lock.unlock() }
    answers = outcomes
  }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> {
    guard remembers else { return [] }
    let known = Set(deliveries.map(\.key))
    return Set(pending.map(\.key)).intersection(known)
  }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome { take(deliveries) }

  private func take(_ deliveries: [Delivery]) -> DeliveryOutcome {
    lock.lock()
    defer { lock.unlock() }
    attempts += 1
    if !answers.isEmpty {
      let answer = answers.removeFirst()
      guard answer == .delivered else { return answer }
    }
    taken += deliveries
    return .delivered
  }
}

/// The sample day: a person with errands in an invented town, whose fixes are all known.
enum ErrandsDay {
  static let root: URL = {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { folder.deleteLastPathComponent() }
    return folder
  }()

  static func path(_ name: String) -> String { root.appendingPathComponent(name).path }

  static let catalog: POICatalog = {
    do {
      return POICatalog(try importPlaces(path: path("data/port-ardent.osm.pbf")).places)
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  static let person: RemindersFile = {
    do {
      return try RemindersFile(path: path("traces/reminders.json"))
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  static let records: [TraceRecord] = {
    do {
      let reader = try TraceReader(path: path("traces/errands.gpx.gz"))
      var records: [TraceRecord] = []
      while let record = try reader.nextRecord() { records.append(record) }
      return records
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  static var setup: LiveHost.Setup {
    LiveHost.Setup(policy: Policy(), zone: person.zone, catalog: catalog, time: .fixes)
  }

  /// A database into which commands have put the person's places and reminders.
  static let template: UserDatabase = {
    do {
      let database = try UserDatabase()
      let store = try database.open(.make)
      let start = Timestamp(seconds: 0)
      try store.setEntitlement(.premium, at: start)
      for place in person.places {
        _ = try store.addPlace(id: place.id, at: start) { _ in place }.get()
      }
      for reminder in person.reminders {
        _ = try store.addReminder(id: reminder.id, at: start) { _ in reminder }.get()
      }
      try store.close()
      return database
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// The lines of a replay in which every fix is seen, without those that only a replay has.
  static func replayed() throws -> [String] {
    var session = try ReplaySetup(catalog: catalog, service: .stream)
      .session(
        for: Person(zone: person.zone, places: person.places, reminders: person.reminders)
      )
    var lines: [String] = []
    func keep(_ news: [ReplayLine]) {
      for line in news {
        switch line {
        case .transition, .decision, .notification: lines.append(NDJSONFormat().text(line))
        default: break
        }
      }
    }
    for record in records {
      guard case .fix(let fix) = record.outcome else { continue }
      keep(try session.consume(fix))
    }
    keep(try session.finish())
    return lines
  }
}

/// A host without randomness of its own that says nothing.
func makeHost(
  _ setup: LiveHost.Setup,
  store: UserStore,
  sinks: [any Sink],
  clock: any HostClock = VirtualClock(),
  journal: Journal? = nil,
  lanes: DeliveryLanes = DeliveryLanes(),
  log: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
) async throws(HostFailure) -> LiveHost {
  try await LiveHost(
    setup,
    store: store,
    sinks: sinks,
    clock: clock,
    generator: { SeededGenerator(seed: UInt64($0)) },
    journal: journal,
    lanes: lanes,
    log: log
  )
}

extension Delivery {
  /// The line without the key, as a replay prints it.
  var replayLine: String {
    let place = line.range(of: ",\"lat\":", options: .backwards)
    guard let mark = place ?? line.range(of: ",\"key\":", options: .backwards) else { return line }
    return line[..<mark.lowerBound] + "}"
  }
}

/// A user database in a folder of its own, with the key beside it.
final class UserDatabase: Sendable {
  let folder: TemporaryFolder
  let path: String

  init() throws {
    FaultyDisk.install()
    folder = try TemporaryFolder()
    path = folder.path("user.db")
  }

  /// A copy, of the same identity.
  init(copyOf other: UserDatabase) throws {
    folder = try TemporaryFolder()
    path = folder.path("user.db")
    for suffix in ["", ".key"] {
      try FileManager.default.copyItem(atPath: other.path + suffix, toPath: path + suffix)
    }
  }

  func open(_ access: UserStore.Access = .edit) throws(UserStoreError) -> UserStore {
    // The end of a process is what is tried here; the store's own tests cut the power.
    try UserStore(path: path, key: .besides(path), access: access, durability: .processEnd)
  }
}
