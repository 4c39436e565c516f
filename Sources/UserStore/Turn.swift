import Foundation
import NearMeEngine
import Places
import Timeline

/// What one event came to: all of it is stored, or nothing.
public struct Turn: Sendable {
  /// The engine's state after the event.
  public var state: EngineState
  /// What the host itself must remember with it, in a form of its own.
  public var host: Data
  /// What is to be done once this is stored, in order.
  public var effects: [OutboxDraft]
  /// The reminders that have ended.
  public var archived: [Reminder]
  /// What happened and why.
  public var records: [Record]
  /// The inbox entries that led to this, by serial: they are done with.
  public var usedInbox: [Int64]

  /// Makes a turn.
  public init(
    state: EngineState,
    host: Data = Data(),
    effects: [OutboxDraft] = [],
    archived: [Reminder] = [],
    records: [Record] = [],
    usedInbox: [Int64] = []
  ) {
    self.state = state
    self.host = host
    self.effects = effects
    self.archived = archived
    self.records = records
    self.usedInbox = usedInbox
  }
}

/// An effect that is to be stored until it has been performed.
public struct OutboxDraft: Hashable, Sendable {
  /// Its identity in the life of the database: other systems tell by it what they have seen.
  public var key: String
  /// What is to be done, in the host's form.
  public var payload: Data

  /// Makes an entry.
  public init(key: String, payload: Data) {
    self.key = key
    self.payload = payload
  }
}

/// An effect that has not been performed yet.
public struct OutboxEntry: Hashable, Sendable {
  /// Its identity.
  public let key: String
  /// What is to be done.
  public let payload: Data
  /// How often that has been tried in vain.
  public let attempts: Int
  /// When it is to be tried again; nil at once.
  public let notBefore: Timestamp?
}

/// Something the user did while the host may have been asleep, for the engine.
public struct InboxEntry: Hashable, Sendable {
  /// Its number: they are to be taken in in its order.
  public let serial: Int64
  /// What was done, with its instant.
  public let event: Event
}

/// Everything that a host needs to go on.
public struct StoredUser: Sendable {
  /// The engine's state; nil if none has been stored yet.
  ///
  /// Then the inbox holds the user's reminders and places from the first one on.
  public let state: EngineState?
  /// What the host stored with it.
  public let host: Data?
  /// The user's places, in order of their ids.
  public let places: [Place]
  /// The user's reminders, in the order in which they were made.
  public let reminders: [Reminder]
  /// How many of them may be live.
  public let entitlement: Entitlement
  /// What the user did since, in order.
  public let inbox: [InboxEntry]
}
