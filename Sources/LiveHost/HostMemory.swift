import Timeline
import UserStore

/// What a host remembers beside the engine's state, in the same transaction.
struct HostMemory: Hashable, Sendable, Codable {
  /// The number of the last delivery.
  var serial = 0
  /// The newest instant of a fix that was handed to the engine; fixes up to it have been seen.
  var newestFix: Timestamp?
  /// The newest instant of a signal of the feed that was handed to the engine; those before it have been seen.
  var newestSignal: Timestamp?
  /// The zone by which instants that wait were made of local times.
  var zone: String?
}

extension HostFailure {
  /// Does something with the database.
  ///
  /// - Throws: the database's error as a host's.
  package static func mapping<Value>(
    _ body: () throws(UserStoreError) -> Value
  ) throws(HostFailure) -> Value {
    do {
      return try body()
    } catch {
      throw HostFailure(error)
    }
  }

  /// A failure of the database.
  package init(_ error: UserStoreError) {
    let code: Code =
      switch error.code {
      case .missing, .keyMissing: .missing
      case .inputOutput, .full, .readOnly, .busy: .inputOutput
      case .stateMoved: .busy
      default: .badInput
      }
    self.init(code, error.description)
  }
}
