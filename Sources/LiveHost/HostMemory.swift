import Foundation
import NearMeEngine
import Fencing
import Timeline
import UserStore

/// What a host remembers beside the engine's state, in the same transaction.
struct HostMemory: Hashable, Sendable, Codable {
  /// The number of the last delivery.
  var serial = 0
  /// The newest instant of a fix that was handed to the engine; fixes up to it have been seen.
  var newestFix: Timestamp?
  /// Up to when the signals of the feed have been handed to the engine.
  var signals = SignalTimes()
  /// The zone by which instants that wait were made of local times.
  var zone: String?
  /// What whoever feeds the host keeps with it.
  var guest: Data?
  /// What the phone was asked for.
  var phone = Phone()

  /// What a phone was asked for by the engine.
  struct Phone: Hashable, Sendable, Codable {
    /// What the engine was made of; nil where the next life is to begin anew.
    var make: String?
    /// Whether one more position would decide something.
    var wantsPosition = false
    /// Up to when each position is of use; nil: none.
    var followUntil: Timestamp?
  }

  /// What databases of earlier versions have: one instant for all signals.
  private enum OlderKeys: String, CodingKey {
    case newestSignal
  }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    serial = try container.decode(Int.self, forKey: .serial)
    newestFix = try container.decodeIfPresent(Timestamp.self, forKey: .newestFix)
    zone = try container.decodeIfPresent(String.self, forKey: .zone)
    guest = try container.decodeIfPresent(Data.self, forKey: .guest)
    let older = try decoder.container(keyedBy: OlderKeys.self)
    signals =
      try container.decodeIfPresent(SignalTimes.self, forKey: .signals)
      ?? SignalTimes(ofAll: older.decodeIfPresent(Timestamp.self, forKey: .newestSignal))
    // Databases of earlier versions have none.
    phone = try container.decodeIfPresent(Phone.self, forKey: .phone) ?? Phone()
  }
}

/// What whoever feeds a host must know after a kill: how far the host has come with what it was fed.
package protocol HostGuest: Sendable {
  /// As it is to be found again.
  var stored: Data { get }
}

/// What an engine asks of a phone that sleeps and watches regions.
package struct AskedOfPhone: Hashable, Sendable {
  /// The regions to watch.
  package let regions: [Region]
  /// Whether one more position would decide something.
  package let wantsPosition: Bool
  /// Up to when each position is of use; nil: none.
  package let followUntil: Timestamp?
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
      case .inputOutput, .full, .readOnly: .inputOutput
      case .busy: .held
      case .stateMoved, .notLoaded: .busy
      default: .badInput
      }
    self.init(code, error.description)
  }
}
