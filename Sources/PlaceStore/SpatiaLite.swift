import Foundation
import GRDB

/// SpatiaLite's functions for SQL, loaded where a cache is made or checked.
///
/// To read a cache needs none of them. Linked, SpatiaLite and the fifty libraries behind it would cost every start of a
/// program some 14 ms, and every cache that is opened 7 ms more.
struct SpatiaLite: Sendable {
  /// What SpatiaLite keeps beside a connection.
  typealias State = UnsafeMutableRawPointer

  private typealias MakeState = @convention(c) () -> State?
  private typealias AddFunctions = @convention(c) (OpaquePointer, State, CInt) -> Void
  private typealias End = @convention(c) (State) -> Void

  // It keeps process-wide tables of its connections; one at a time comes and goes.
  private static let lock = NSLock()

  private let makeState: MakeState
  private let addFunctions: AddFunctions
  private let endState: End

  /// The library; a program loads it once and keeps it.
  static let loaded = Result { try SpatiaLite() }

  /// By the names of its interface, newest first, and where Homebrew puts it.
  private static let names = [
    "libspatialite.so.8", "libspatialite.so.7", "libspatialite.so", "libspatialite.dylib",
    "/opt/homebrew/lib/libspatialite.dylib", "/usr/local/lib/libspatialite.dylib",
  ]

  /// - Throws: ``NotThere``.
  private init() throws {
    guard let library = Self.names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
      let make = dlsym(library, "spatialite_alloc_connection"),
      let add = dlsym(library, "spatialite_init_ex"),
      let end = dlsym(library, "spatialite_cleanup_ex")
    else { throw NotThere() }
    makeState = unsafeBitCast(make, to: MakeState.self)
    addFunctions = unsafeBitCast(add, to: AddFunctions.self)
    endState = unsafeBitCast(end, to: End.self)
  }

  /// The system has no SpatiaLite, or one without the functions that are called.
  struct NotThere: Error {}

  /// Gives a connection SpatiaLite's functions; nil if there is no memory for them.
  func begin(on connection: OpaquePointer) -> State? {
    Self.lock.withLock {
      guard let state = makeState() else { return nil }
      addFunctions(connection, state, 0)
      return state
    }
  }

  /// Ends what ``begin(on:)`` began, after SQLite has let go of the connection.
  func end(_ state: State) { Self.lock.withLock { endState(state) } }
}
