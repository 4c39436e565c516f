import ArgumentParser
import Fencing
import NearMeEngine
import PlaceStore
import Places
import Replay
import TrialFiles

/// The places, the policy and the location service of a replay, as options of a command.
struct ServiceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The cache of places.", valueName: "FILE"))
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
  var monitor = MonitorName.ideal

  @Option(help: ArgumentHelp("Numbers of ios or android that differ.", valueName: "FILE"))
  var twin: String?

  @Option(
    help: """
      How regions are chosen: safe_region misses nothing if the service is never late; \
      nearest_centre, nearest_edge and server_bubble are what others do; unlimited watches \
      everything.
      """
  )
  var planner = RegionStrategy.safeRegion

  @Option(help: "How many regions the planner uses; 20 if neither this nor the policy says.")
  var slots: Int?

  func validate() throws {
    if let slots, !(1...10_000).contains(slots) {
      throw ValidationError("--slots must lie between 1 and 10000")
    }
    if twin != nil, monitor.settings == nil {
      throw ValidationError("--twin needs --monitor ios or android")
    }
  }

  /// The places of the cache.
  func catalog() throws -> POICatalog {
    POICatalog(try POICache.open(cache).allPointsOfInterest())
  }

  /// The numbers of a service that has latencies; nil for those that have none.
  func settings() throws -> TwinSettings? {
    guard let base = monitor.settings else { return nil }
    return try twin.map { try TwinFile.read(path: $0, over: base) } ?? base
  }
}
