import Foundation
import GRDBSQLite

/// The file system that SQLite sees: the usual one, with ``FaultyDisk/judge(_:on:of:)`` in between.
extension FaultyDisk {
  /// Registered for the life of the process, so nothing of it is ever freed.
  static let isInstalled: Bool = {
    guard let usual = sqlite3_vfs_find(nil) else { return false }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: usual.pointee)
    vfs.pointee.zName = UnsafePointer(strdup("faulty"))
    vfs.pointee.pNext = nil
    vfs.pointee.pAppData = UnsafeMutableRawPointer(usual)
    vfs.pointee.szOsFile = Int32(Handle.size) + usual.pointee.szOsFile
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      guard let usual = usualVFS(vfs), let file else { return SQLITE_MISUSE }
      let handle = Handle(file)
      handle.reset()
      let result = usual.pointee.xOpen(usual, name, handle.real, flags, outFlags)
      guard handle.real.pointee.pMethods != nil else { return result }
      if let name, let database = database(of: String(cString: name)) {
        begin(String(cString: name), of: database)
        handle.set(name: String(cString: name), database: database)
      }
      file.pointee.pMethods = UnsafePointer(methods)
      return result
    }
    vfs.pointee.xDelete = { vfs, name, syncsFolder in
      guard let usual = usualVFS(vfs) else { return SQLITE_MISUSE }
      if let file = name.map({ String(cString: $0) }), let database = database(of: file) {
        if let failure = judge(.delete, on: file, of: database) { return failure }
        if kills(database) { _ = kill(getpid(), SIGKILL) }
      }
      return usual.pointee.xDelete(usual, name, syncsFolder)
    }
    // PROJ, behind SpatiaLite, closes its database when the process ends, and looks then at what it
    // wrote behind the file of whichever disk is the usual one: that must be the one it was opened on.
    // What is registered later is run earlier, so this puts back the usual disk before that close
    // exactly if PROJ was there first.
    atexit {
      if let usual = sqlite3_vfs_find(nil)?.pointee.pAppData {
        sqlite3_vfs_register(usual.assumingMemoryBound(to: sqlite3_vfs.self), 1)
      }
    }
    return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
  }()

  private static func usualVFS(
    _ vfs: UnsafeMutablePointer<sqlite3_vfs>?
  ) -> UnsafeMutablePointer<sqlite3_vfs>? {
    vfs?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
  }

  /// What lies in the memory that SQLite gives for a file: ours first, then the usual one's.
  struct Handle {
    /// The file that SQLite sees, a pointer to ``Watched``, padding; a multiple of 16.
    static let size = 32
    private let memory: UnsafeMutableRawPointer

    init(_ file: UnsafeMutablePointer<sqlite3_file>) { memory = UnsafeMutableRawPointer(file) }

    var real: UnsafeMutablePointer<sqlite3_file> {
      (memory + Self.size).assumingMemoryBound(to: sqlite3_file.self)
    }

    var watched: Watched? {
      memory.load(fromByteOffset: 16, as: UnsafeRawPointer?.self)
        .map { Unmanaged<Watched>.fromOpaque($0).takeUnretainedValue() }
    }

    func reset() {
      memory.assumingMemoryBound(to: sqlite3_file.self).pointee.pMethods = nil
      memory.storeBytes(of: nil, toByteOffset: 16, as: UnsafeRawPointer?.self)
      real.pointee.pMethods = nil
    }

    func set(name: String, database: String) {
      let watched = Unmanaged.passRetained(Watched(name: name, database: database))
      memory.storeBytes(
        of: UnsafeRawPointer(watched.toOpaque()),
        toByteOffset: 16,
        as: UnsafeRawPointer?.self
      )
    }

    func release() {
      guard let pointer = memory.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else {
        return
      }
      Unmanaged<Watched>.fromOpaque(pointer).release()
    }
  }

  final class Watched {
    let name: String
    let database: String

    init(name: String, database: String) {
      self.name = name
      self.database = database
    }

    func judge(_ operation: Operation) -> Int32? {
      FaultyDisk.judge(operation, on: name, of: database)
    }
  }

  nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 3
    methods.pointee.xClose = { file in
      guard let file else { return SQLITE_MISUSE }
      let handle = Handle(file)
      handle.release()
      return handle.real.methods.xClose(handle.real)
    }
    methods.pointee.xRead = { file, buffer, count, offset in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xRead(real, buffer, count, offset)
    }
    methods.pointee.xWrite = { file, buffer, count, offset in
      guard let file else { return SQLITE_MISUSE }
      let handle = Handle(file)
      let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
      if let watched = handle.watched {
        if let failure = watched.judge(.write(bytes, at: Int(offset))) { return failure }
        if kills(watched.database) {
          _ = handle.real.methods.xWrite(handle.real, buffer, count / 2, offset)
          _ = kill(getpid(), SIGKILL)
        }
      }
      return handle.real.methods.xWrite(handle.real, buffer, count, offset)
    }
    methods.pointee.xTruncate = { file, size in
      guard let file else { return SQLITE_MISUSE }
      let handle = Handle(file)
      if let watched = handle.watched {
        if let failure = watched.judge(.truncate(Int(size))) { return failure }
        if kills(watched.database) { _ = kill(getpid(), SIGKILL) }
      }
      return handle.real.methods.xTruncate(handle.real, size)
    }
    methods.pointee.xSync = { file, flags in
      guard let file else { return SQLITE_MISUSE }
      let handle = Handle(file)
      if let watched = handle.watched {
        if let failure = watched.judge(.sync) { return failure }
        if kills(watched.database) { _ = kill(getpid(), SIGKILL) }
      }
      return handle.real.methods.xSync(handle.real, flags)
    }
    methods.pointee.xFileSize = { file, size in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xFileSize(real, size)
    }
    methods.pointee.xLock = { file, level in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xLock(real, level)
    }
    methods.pointee.xUnlock = { file, level in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xUnlock(real, level)
    }
    methods.pointee.xCheckReservedLock = { file, result in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xCheckReservedLock(real, result)
    }
    methods.pointee.xFileControl = { file, operation, argument in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xFileControl(real, operation, argument)
    }
    methods.pointee.xSectorSize = { file in
      guard let real = file.map({ Handle($0).real }) else { return 4_096 }
      return real.methods.xSectorSize(real)
    }
    // No promises about what a power failure leaves: they would be the usual disk's.
    methods.pointee.xDeviceCharacteristics = { _ in 0 }
    methods.pointee.xShmMap = { file, page, size, extends, memory in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xShmMap(real, page, size, extends, memory)
    }
    methods.pointee.xShmLock = { file, offset, count, flags in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xShmLock(real, offset, count, flags)
    }
    methods.pointee.xShmBarrier = { file in
      guard let real = file.map({ Handle($0).real }) else { return }
      real.methods.xShmBarrier(real)
    }
    methods.pointee.xShmUnmap = { file, deletes in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xShmUnmap(real, deletes)
    }
    methods.pointee.xFetch = { file, offset, count, memory in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xFetch(real, offset, count, memory)
    }
    methods.pointee.xUnfetch = { file, offset, memory in
      guard let real = file.map({ Handle($0).real }) else { return SQLITE_MISUSE }
      return real.methods.xUnfetch(real, offset, memory)
    }
    return methods
  }()
}

extension UnsafeMutablePointer<sqlite3_file> {
  fileprivate var methods: sqlite3_io_methods { pointee.pMethods.pointee }
}
