import ArgumentParser
import Fencing
import Foundation
import NearMeEngine
import PlaceStore
import Places
import Replay
import SettingsFiles
import Timeline
import TrialFiles

/// Which location service a command takes if none is named.
protocol MonitorDefault: Sendable {
  static var monitor: LocationService.Name { get }
}

/// A service without faults, on which nothing but the engine shows.
enum IdealByDefault: MonitorDefault {
  static let monitor = LocationService.Name.ideal
}

/// A phone that exists: figures of an ideal one would be promises that nobody can keep.
enum PhoneByDefault: MonitorDefault {
  static let monitor = LocationService.Name.ios
}

/// The places, the policy and the location service of a replay, as options of a command.
struct ServiceOptions<Default: MonitorDefault>: ParsableArguments {
  @Option(help: ArgumentHelp("The cache of places, or a folder of cells.", valueName: "FILE"))
  var cache: String

  @Option(
    help: ArgumentHelp("Numbers that differ from the defaults, YAML or JSON.", valueName: "FILE")
  )
  var policy: String?

  @Option(
    help: """
      The location service: ideal is never late and has --slots regions; ios and android are late \
      as phones are (nearme twin show ios); stream passes on every fix.
      """
  )
  var monitor = Default.monitor

  @Option(help: ArgumentHelp("Numbers of ios or android that differ.", valueName: "FILE"))
  var twin: String?

  /// The files that are read.
  var inputs: [String?] { [cache, policy, twin] }

  @Option(
    help: """
      How regions are chosen: safe_region misses nothing if the service is never late; \
      nearest_centre, nearest_edge and server_bubble are what others do; unlimited watches \
      everything.
      """
  )
  var planner = RegionStrategy.safeRegion

  @Option(
    parsing: .unconditional,
    help: "How many regions the planner uses; 20 if neither this nor the policy says."
  )
  var slots: Int?

  @Option(
    help: ArgumentHelp(
      "With stream, hand fixes over in batches of such spans, each late.",
      valueName: "SPAN,SPAN"
    )
  )
  var handedOver: String?

  func validate() throws {
    if handedOver != nil, monitor != .stream {
      throw ValidationError("--handed-over needs --monitor stream: regions wake an app at once")
    }
    _ = try handOver(seed: 1)
    if monitor == .stream, slots != nil || planner != .safeRegion {
      throw ValidationError("--slots and --planner choose regions, and --monitor stream has none")
    }
    if let slots, !(1...10_000).contains(slots) {
      throw ValidationError("--slots must lie between 1 and 10000")
    }
    if twin != nil, monitor.settings == nil {
      throw ValidationError("--twin needs --monitor ios or android")
    }
  }

  /// The places of the cache; of a folder, those of all cells.
  func catalog() throws -> POICatalog {
    try POICatalog(cache: cache)
  }

  /// The folder of cells, if it is one.
  func cells() throws -> CellFolder? {
    try CellIndex.isThere(cache) ? CellFolder(cache) : nil
  }

  /// The policy.
  ///
  /// - Parameter profile: that of a product, over which the file is read.
  func readPolicy(_ profile: Policy = Policy()) throws -> Policy {
    try monitor.policy(policy, over: profile)
  }

  /// How late fixes are handed over; nil for at once.
  func handOver(seed: UInt64) throws -> HandOver? {
    guard let handedOver else { return nil }
    let spans = handedOver.split(separator: ",", omittingEmptySubsequences: false)
      .map { typedSpan($0) }
    guard spans.count == 2, let least = spans[0], let most = spans[1], least.value >= 1_000,
      least <= most, most <= .minutes(24 * 60)
    else {
      throw ValidationError(
        "--handed-over takes the least and the greatest span between two batches, such as 2m,10m; "
          + "1 s to a day"
      )
    }
    return HandOver(from: least, to: most, seed: seed)
  }

  /// The location service, for any policy.
  func choice(seed: UInt64) throws -> ServiceChoice {
    ServiceChoice(
      name: monitor,
      settings: try monitor.settings(twin),
      planner: planner,
      slots: slots,
      seed: seed
    )
  }

  /// The policy on its service, in the world of the cache.
  ///
  /// - Parameter profile: the policy of a product, over which the file is read.
  /// - Parameter cells: a folder whose cells are opened on the way, instead of all at once.
  func setup(
    seed: UInt64,
    over profile: Policy = Policy(),
    cells: CellFolder? = nil
  ) throws -> ReplaySetup {
    let policy = try readPolicy(profile)
    var setup = ReplaySetup(
      policy: policy,
      catalog: try cells == nil ? catalog() : .empty,
      service: try choice(seed: seed).service(policy),
      zones: SystemZones(),
      handOver: try handOver(seed: seed)
    )
    setup.parts = cells
    return setup
  }
}

/// A location service, for any policy.
struct ServiceChoice: Sendable {
  let name: LocationService.Name
  let settings: TwinSettings?
  let planner: RegionStrategy
  /// What the command line says; nil: what the policy says.
  let slots: Int?
  let seed: UInt64

  func service(_ policy: Policy) -> LocationService {
    name.service(
      settings,
      slots: slots ?? policy.monitor.slots,
      strategy: planner,
      seed: seed
    )
  }
}

extension LocationService.Name: ExpressibleByArgument {
  /// A policy on this service, as a file changes it.
  func policy(_ path: String?, over profile: Policy = Policy()) throws -> Policy {
    var base = profile
    // What the service asks of the planner, unless the product asks for something else.
    if base.monitor == Policy.Monitor() { base.monitor = policy.monitor }
    return try path.map { try PolicyFile.read(path: $0, over: base) } ?? base
  }

  /// The numbers of a service that has latencies, as a file changes them; nil for those that have none.
  func settings(_ path: String?) throws -> TwinSettings? {
    try settings.map { base in try path.map { try TwinFile.read(path: $0, over: base) } ?? base }
  }
}

extension RegionStrategy: ExpressibleByArgument {}

extension EngineState {
  /// A state as an app finds it that has been killed.
  @Sendable static func storedAndRead(_ state: EngineState) -> EngineState {
    do {
      return try JSONDecoder().decode(EngineState.self, from: JSONEncoder().encode(state))
    } catch {
      preconditionFailure("a state cannot be read that was stored a moment ago: \(error)")
    }
  }
}
