import Foundation
import LiveHost
import Logging
import Timeline

/// What the pages and the API have in common.
package final class PersonSide: Sendable {
  package let household: Household
  package let sessions: Sessions
  package let hub: EventHub
  let languages = Languages()
  let channels: PersonChannels
  package let dailyMails: DailyMails
  let points: PointSearch
  let counts = DoorCounts()
  let limits: DoorLimits
  /// By credential.
  let requests: RateLimits
  /// Failed credentials, by address.
  let failures: RateLimits
  /// Examples, by channel, and by person.
  let examples: (ofChannel: RateLimits, ofPerson: RateLimits)
  /// What bodies of those who are not signed in may take.
  let strangers: Room
  /// Whether the door itself speaks https.
  let hasTLS: Bool
  /// Whether what a proxy on this machine says of addresses and https is believed.
  let trustsProxy: Bool
  /// What the product says in words of its own, by key.
  let words: [(key: String, text: String)]
  private let lock = NSLock()
  private nonisolated(unsafe) var turnstiles: [Int64: Turnstile] = [:]
  private nonisolated(unsafe) var zones: [String: UTCOffsetTable] = [:]

  var setup: DoorSetup { household.setup }
  var store: DoorStore { household.setup.store }
  var log: Logger { household.setup.log }
  var now: Timestamp { household.setup.clock.now() }

  init(
    _ household: Household,
    hub: EventHub,
    channels: PersonChannels,
    limits: DoorLimits,
    points: PointSearch,
    hasTLS: Bool,
    trustsProxy: Bool,
    words: [(key: String, text: String)]
  ) throws(HostFailure) {
    self.household = household
    self.hub = hub
    self.channels = channels
    dailyMails = DailyMails(household: household, services: channels.services)
    self.limits = limits
    self.points = points
    self.hasTLS = hasTLS
    self.trustsProxy = trustsProxy
    self.words = words
    sessions = try Sessions(household.setup.store)
    requests = RateLimits(perSecond: limits.requestsPerSecond, burst: limits.requestBurst)
    failures = RateLimits(perSecond: limits.failuresPerSecond, burst: limits.failureBurst)
    strangers = Room(limits.strangersBytes)
    let (perSecond, burst) = (limits.examplesPerHour / 3_600, limits.exampleBurst)
    examples = (
      ofChannel: RateLimits(perSecond: perSecond, burst: burst),
      ofPerson: RateLimits(perSecond: 4 * perSecond, burst: 4 * burst)
    )
  }

  /// Lets one change of a person in at a time that a client may send again.
  func turnstile(of person: DoorPerson) -> Turnstile {
    lock.withLock {
      if let turnstile = turnstiles[person.id] { return turnstile }
      let turnstile = Turnstile()
      turnstiles[person.id] = turnstile
      return turnstile
    }
  }

  /// The zone of a person's clock.
  func zone(_ settings: PersonSettings) -> UTCOffsetTable {
    guard let name = settings.zone else { return setup.zone }
    return lock.withLock {
      if let zone = zones[name] { return zone }
      let zone = setup.zone(of: settings)
      zones[name] = zone
      return zone
    }
  }

  /// What a person has set.
  func settings(of person: DoorPerson) throws(HostFailure) -> PersonSettings {
    try PersonSettings(of: person, in: store)
  }
}
