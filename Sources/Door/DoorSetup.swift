import Fencing
import Foundation
import LiveHost
import Logging
import NearMeEngine
import Phones
import Places
import Timeline
import TimeZones
import Tones
import UserStore

/// What all desks of a door have in common.
struct DoorSetup: Sendable {
  let store: DoorStore
  let intake: IntakeLog
  let ledger: DeviceLedger
  let credentials: Credentials
  let policy: Policy
  let zone: UTCOffsetTable
  let tones: TonePacks
  let catalog: POICatalog
  /// What all engines have in common.
  let make: EngineMake
  let time: TimeSource
  let clock: any HostClock
  let hold: Milliseconds
  /// Nobody waits longer for what is done at somebody else's desk.
  let longestWait: Duration
  /// Makes a person's sinks, which may have what waits to be told tried again.
  let sinks:
    @Sendable (DoorPerson, _ hurry: @escaping @Sendable () -> Void) throws(HostFailure) ->
      [any Sink]
  /// Which sinks' names are those of channels that a person has no more.
  let areOver: @Sendable (DoorPerson) throws(HostFailure) -> @Sendable (_ sink: String) -> Bool
  let log: Logger

  /// So long may fixes of which nothing came be missing from a person's database: the log has them.
  private static let quietSpan = Milliseconds.minutes(5)
  /// A phone that has shown none of its regions after so many bodies does not take them.
  private static let bodiesBeforeDoubt = 20

  /// Whether the leading phone sleeps and is woken for regions.
  func hasRegions(_ memory: DeskMemory) -> Bool {
    guard let id = memory.leading, let device = credentials.devices[id] else { return false }
    let known = memory[device: id]
    switch device.settings.regions {
    case .on: return true
    case .off: return false
    case .auto:
      return PhoneKind.kind(userAgent: known.userAgent).hasRegions
        && (known.hasShownRegions || known.bodiesWithoutRegions < Self.bodiesBeforeDoubt)
    }
  }

  /// The zone of a person's clock.
  func zone(of settings: PersonSettings) -> UTCOffsetTable {
    settings.zone.flatMap { SystemZones().zone(named: $0) } ?? zone
  }

  /// Makes a person's host.
  func host(
    of person: DoorPerson,
    _ store: UserStore,
    hasRegions: Bool,
    hurry: @escaping @Sendable () -> Void
  ) async throws(HostFailure) -> LiveHost {
    let settings = try PersonSettings(of: person, in: self.store)
    var policy = policy
    if let hours = settings.quietHours { policy.quietHours = hours }
    let zone = zone(of: settings)
    var hostSetup = LiveHost.Setup(
      policy: policy,
      zone: zone,
      tones: tones,
      catalog: catalog,
      time: time,
      monitoring: hasRegions ? .regions(MonitorLimits(slots: policy.monitor.slots)) : .everyFix,
      quietSpan: Self.quietSpan,
      make: make.text(quietHours: settings.quietHours, zone: zone, hasRegions: hasRegions)
    )
    hostSetup.isOver = try areOver(person)
    let host = try await LiveHost(
      hostSetup,
      store: store,
      sinks: try sinks(person, hurry),
      clock: clock,
      generator: { _ in SystemRandomNumberGenerator() },
      log: log
    )
    await host.noteAfterHolds()
    return host
  }
}
