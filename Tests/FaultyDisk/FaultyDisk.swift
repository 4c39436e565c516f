import Foundation
import GRDBSQLite

/// A disk under SQLite that fails when it is told to.
///
/// ``install()`` puts it between SQLite and the system for the whole process. Databases that nobody
/// plans a fault for do not notice. It counts every write, truncation, sync and deletion of a
/// database and its journal; the fault comes at one of them and stays until ``repair(_:)``, so that
/// what was on the disk at that instant is all that there is, as after the death of the process.
public enum FaultyDisk {
  /// What goes wrong.
  public enum Fault: Sendable {
    /// No space is left: writes fail, the rest works.
    case full
    /// The disk is gone: everything fails.
    case broken
    /// The power fails: everything fails, and of what was written since the last sync of a file, an
    /// arbitrary part is lost. Drawn from the seed.
    case powerFailure(seed: UInt64)
    /// The process is killed, after half of a write.
    case killed
  }

  /// Puts the disk under SQLite; once is enough.
  public static func install() { _ = isInstalled }

  /// Has a fault happen at a write of a database, 1 being the next.
  ///
  /// - Parameter write: nil only counts.
  public static func plan(_ path: String, _ fault: Fault, atWrite write: Int?) {
    lock.withLock { disks[path] = Disk(fault: fault, failsAt: write) }
  }

  /// How many writes a database has seen since ``plan(_:_:atWrite:)``.
  public static func writes(_ path: String) -> Int { lock.withLock { disks[path]?.count ?? 0 } }

  /// Whether the fault has happened.
  public static func hasFailed(_ path: String) -> Bool {
    lock.withLock { disks[path]?.hasFailed ?? false }
  }

  /// Ends the fault.
  ///
  /// The database must be closed; after a power failure its files lose what they lose.
  public static func repair(_ path: String) throws {
    let disk = lock.withLock { disks.removeValue(forKey: path) }
    guard let disk, disk.hasFailed, case .powerFailure(let seed) = disk.fault else { return }
    var random = seed
    for (file, image) in disk.images.sorted(by: { $0.key < $1.key }) {
      try image.afterPowerFailure(&random).write(to: URL(fileURLWithPath: file))
    }
  }

  // MARK: What is known of a database's files

  struct Disk {
    let fault: Fault
    let failsAt: Int?
    var count = 0
    var hasFailed = false
    var images: [String: Image] = [:]
  }

  /// A file as the last sync left it, and what was done to it since.
  struct Image {
    var synced: Data
    var changes: [Change] = []

    enum Change {
      case write(Data, at: Int)
      case truncate(Int)
    }

    /// Each change since the last sync is there, or not: the cache of a disk keeps no order.
    func afterPowerFailure(_ random: inout UInt64) -> Data {
      var data = synced
      for change in changes {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        guard random >> 63 == 1 else { continue }
        switch change {
        case .truncate(let size):
          data = size <= data.count ? data.prefix(size) : data + Data(count: size - data.count)
        case .write(let bytes, let offset):
          if offset > data.count { data += Data(count: offset - data.count) }
          data.replaceSubrange(offset..<min(data.count, offset + bytes.count), with: bytes)
        }
      }
      return data
    }
  }

  enum Operation {
    case write(UnsafeRawBufferPointer, at: Int)
    case truncate(Int)
    case sync
    case delete
  }

  private static let lock = NSLock()
  nonisolated(unsafe) private static var disks: [String: Disk] = [:]

  /// The database that a file belongs to, if a fault is planned for it.
  static func database(of file: String) -> String? {
    var name = file
    if name.hasSuffix("-journal") { name.removeLast("-journal".count) }
    // A new database is written under another name first.
    if let mark = name.range(of: ".new-", options: .backwards) {
      name.removeSubrange(mark.lowerBound...)
    }
    return lock.withLock { disks[name] == nil ? nil : name }
  }

  static func begin(_ file: String, of database: String) {
    lock.withLock {
      guard disks[database]?.images[file] == nil else { return }
      disks[database]?.images[file] = Image(
        synced: FileManager.default.contents(atPath: file) ?? Data()
      )
    }
  }

  /// What is to become of an operation: nil if it is to happen.
  static func judge(_ operation: Operation, on file: String, of database: String) -> Int32? {
    lock.withLock {
      guard var disk = disks[database] else { return nil }
      defer { disks[database] = disk }
      disk.count += 1
      if disk.count == disk.failsAt { disk.hasFailed = true }
      guard disk.hasFailed else {
        disk.images[file]?.note(operation)
        return nil
      }
      switch disk.fault {
      case .full:
        guard case .write = operation else { return nil }
        return SQLITE_FULL
      case .broken, .powerFailure: return operation.failure
      case .killed: return nil
      }
    }
  }

  /// Whether the process is to be killed at this operation.
  static func kills(_ database: String) -> Bool {
    lock.withLock {
      if let disk = disks[database], disk.hasFailed, case .killed = disk.fault {
        true
      } else {
        false
      }
    }
  }
}

extension FaultyDisk.Image {
  fileprivate mutating func note(_ operation: FaultyDisk.Operation) {
    switch operation {
    case .write(let bytes, let offset): changes.append(.write(Data(bytes), at: offset))
    case .truncate(let size): changes.append(.truncate(size))
    case .sync:
      for change in changes {
        switch change {
        case .truncate(let size):
          synced =
            size <= synced.count ? synced.prefix(size) : synced + Data(count: size - synced.count)
        case .write(let bytes, let offset):
          if offset > synced.count { synced += Data(count: offset - synced.count) }
          synced.replaceSubrange(offset..<min(synced.count, offset + bytes.count), with: bytes)
        }
      }
      synced = Data(synced)
      changes = []
    case .delete: break
    }
  }
}

extension FaultyDisk.Operation {
  /// How SQLite is told.
  ///
  /// - Source: sqlite.org/rescode.html, the extended codes of SQLITE_IOERR.
  fileprivate var failure: Int32 {
    switch self {
    case .write: SQLITE_IOERR | 3 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .delete: SQLITE_IOERR | 10 << 8
    }
  }
}
