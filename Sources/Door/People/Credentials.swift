import Foundation
import LiveHost

/// Who is who, by what a request brings.
///
/// All credentials are held in memory as hashes of 160 random bits, so that to look one up says nothing about the others;
/// a change by a command is noticed with the next look.
final class Credentials: Sendable {
  private struct Known {
    var bySecret: [Data: DoorDevice] = [:]
    var byPath: [Data: DoorDevice] = [:]
    var byID: [Int64: DoorDevice] = [:]
    var version = -1
  }

  /// How often the file is looked at for secrets that are not known.
  ///
  /// - Source: judgment: nobody who was just let in waits, and who guesses does not keep the file busy.
  private static let looksPerSecond = 20.0

  private let store: DoorStore
  private let lock = NSLock()
  private nonisolated(unsafe) var known = Known()
  /// One read after the other, so that none puts back what is older.
  private let reading = NSLock()
  private let looks = RateLimits(perSecond: looksPerSecond, burst: looksPerSecond)

  init(_ store: DoorStore) throws(HostFailure) {
    self.store = store
    try refresh()
  }

  /// Reads the credentials anew, if another process has changed the file.
  ///
  /// - Returns: a number that changes when another process has changed the file.
  @discardableResult
  func refresh(always: Bool = false) throws(HostFailure) -> Int {
    let version = try store.dataVersion()
    if always || lock.withLock({ known.version != version }) { try read(version) }
    return version
  }

  /// Reads the credentials anew, of which the door itself has changed one; where that fails, with the next look.
  func followChange() {
    do { try refresh(always: true) } catch { lock.withLock { known.version = -1 } }
  }

  private func read(_ version: Int) throws(HostFailure) {
    reading.lock()
    defer { reading.unlock() }
    var fresh = Known(version: version)
    for (device, secret, path) in try store.devices() {
      fresh.bySecret[secret] = device
      fresh.byPath[path] = device
      fresh.byID[device.id] = device
    }
    let new = fresh
    lock.withLock { known = new }
  }

  /// Looks for a credential, and once more where a command has let somebody in since the last look.
  private func find(_ look: (Known) -> DoorDevice?) -> DoorDevice? {
    let (found, version) = lock.withLock { (look(known), known.version) }
    if let found { return found }
    guard looks.take("") == nil else { return nil }
    guard let now = try? store.dataVersion(), now != version else { return nil }
    // The version stays, so that the next look of the door still finds a change.
    guard (try? read(version)) != nil else { return nil }
    return lock.withLock { look(known) }
  }

  /// Everybody's phones, by number.
  var devices: [Int64: DoorDevice] { lock.withLock { known.byID } }

  /// The phone with a password or token.
  ///
  /// - Parameter user: the name that came with it; nil for a token. It may be the whole `NAME/PHONE` or the phone's
  ///   name alone, for apps that put the rest elsewhere.
  func device(secret: some StringProtocol, user: (some StringProtocol)?) -> DoorDevice? {
    let hash = Secret.hash(secret)
    guard let device = find({ $0.bySecret[hash] }) else { return nil }
    if let user {
      guard user == "\(device.personName)/\(device.name)" || user == device.name else { return nil }
    }
    return device
  }

  /// The phone that a request gives itself out for, whose password does not fit.
  func device(user: some StringProtocol) -> DoorDevice? {
    lock.withLock {
      known.byID.values.filter { user == "\($0.personName)/\($0.name)" }.min { $0.id < $1.id }
    }
  }

  /// The phone whose secret stands in a path.
  func device(path: some StringProtocol) -> DoorDevice? {
    let hash = Secret.hash(path)
    return find { $0.byPath[hash] }
  }
}
