import Basics
import Foundation
import Geodesy
import NearMeEngine
import Places
import SettingsFiles
import Timeline
import Tones

/// What a life of a host began with: the first line of its part of a journal.
struct JournalLaunch: Hashable, Codable {
  /// The version of journals that this program writes; it reads those before it, too.
  static let version = 2

  let identity: String
  /// The number of the last delivery before it.
  let serial: Int
  let policy: Policy
  let zone: UTCOffsetTable
  /// The tones that reminders could speak in; absent where there was the plain one only.
  let tones: TonePacks
  /// Of the points of interest, which are not in the journal.
  let catalog: String
  let state: EngineState

  private enum Key: String, CodingKey {
    case version, identity, serial, policy, zone, tones, catalog, state
  }

  init(
    identity: String,
    serial: Int,
    policy: Policy,
    zone: UTCOffsetTable,
    tones: TonePacks,
    catalog: String,
    state: EngineState
  ) {
    self.identity = identity
    self.serial = serial
    self.policy = policy
    self.zone = zone
    self.tones = tones
    self.catalog = catalog
    self.state = state
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard (1...Self.version).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: .version,
        in: container,
        debugDescription: "a journal of version \(version), and this program reads 1 to "
          + "\(Self.version)"
      )
    }
    policy =
      version == 1
      ? try container.decode(FirstJournalPolicy.self, forKey: .policy).policy
      : try container.decode(StoredPolicy.self, forKey: .policy).policy
    identity = try container.decode(String.self, forKey: .identity)
    serial = try container.decode(Int.self, forKey: .serial)
    zone = try container.decode(UTCOffsetTable.self, forKey: .zone)
    tones = try container.decodeIfPresent(TonePacks.self, forKey: .tones) ?? TonePacks()
    catalog = try container.decode(String.self, forKey: .catalog)
    state = try container.decode(EngineState.self, forKey: .state)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.version, forKey: .version)
    try container.encode(identity, forKey: .identity)
    try container.encode(serial, forKey: .serial)
    try container.encode(StoredPolicy(policy), forKey: .policy)
    if tones != TonePacks() { try container.encode(tones, forKey: .tones) }
    try container.encode(zone, forKey: .zone)
    try container.encode(catalog, forKey: .catalog)
    try container.encode(state, forKey: .state)
  }
}

/// A line of a journal.
struct JournalLine: Codable {
  /// Nil on any other line.
  let launch: JournalLaunch?
}

/// Records every event before the engine sees it, so that a run can be repeated.
///
/// It holds every position and every title: a diary. Only its owner can read a new one. An event that
/// is in the journal may not have been handled, if the process ended between the two; what came of it
/// then is told by the next life, and a replay tells it once.
package final class Journal: Sendable {
  private let path: String
  private let descriptor: Int32

  /// Opens a journal to write at its end; it is made if it is not there.
  ///
  /// - Throws: ``HostFailure`` for a file that is not a journal, which stays as it is.
  package init(path: String) throws(HostFailure) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .system(path, "cannot be opened", errno, advice: "check its folder and permissions")
    }
    // What is thrown from here on ends in `deinit`, which closes the file. Once: its number may be another's by then.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw HostFailure(.busy, "\(path): another process writes to it: name another file")
    }
    var head = [UInt8](repeating: 0, count: Self.mark.utf8.count)
    let count = pread(descriptor, &head, head.count, 0)
    guard count <= 0 || head.prefix(count).elementsEqual(Self.mark.utf8.prefix(count)) else {
      throw HostFailure(.badInput, "\(path): is no journal of Near Me: name another file")
    }
    try cutTornLine()
  }

  deinit {
    // Before closing: a process that is being started holds a copy until it runs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// How every part of a journal begins.
  private static let mark = "{\"launch\":"

  /// An event that was written in part was never handled.
  private func cutTornLine() throws(HostFailure) {
    var end = lseek(descriptor, 0, SEEK_END)
    var byte: UInt8 = 0
    while end > 0, pread(descriptor, &byte, 1, end - 1) == 1, byte != 0x0A { end -= 1 }
    guard ftruncate(descriptor, end) == 0 else {
      throw .system(path, "cannot be cut", errno, advice: "check its permissions")
    }
  }

  func begin(_ launch: JournalLaunch) throws(HostFailure) {
    try append(line: JournalLine(launch: launch))
  }

  func append(_ event: Event) throws(HostFailure) { try append(line: event) }

  private func append(line: some Encodable) throws(HostFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var bytes: [UInt8]
    do {
      bytes = Array(try encoder.encode(line))
    } catch {
      preconditionFailure("an event can always be written: \(error)")
    }
    bytes.append(0x0A)
    let number = writeAll(bytes, to: descriptor)
    guard number == 0 else {
      throw .system(path, "cannot be written", number, advice: "check the disk's space")
    }
  }
}

/// Tells catalogs apart.
struct CatalogFingerprint: Hashable {
  let text: String

  init(_ catalog: POICatalog) {
    var fingerprint = FNV1a()
    for point in catalog.points {
      fingerprint.add(point.sourceID.utf8)
      for category in point.categories { fingerprint.add(category.name.utf8) }
      fingerprint.add((point.name ?? "").utf8)
      fingerprint.add(bits: point.coordinate.latitude.bitPattern)
      fingerprint.add(bits: point.coordinate.longitude.bitPattern)
      fingerprint.add(bits: point.footprintRadiusMeters.bitPattern)
    }
    text = "\(catalog.points.count)-\(fingerprint.text)"
  }
}
