import Fencing
import Geodesy
import SimulatedPhones
import Timeline
import Traces

/// A kind of app, and what is particular about it here.
enum Simulator: String, CaseIterable {
  case ownTracksIOS = "owntracks-ios"
  case ownTracksAndroid = "owntracks-android"
  case overland
  case traccar
  case colota
  case gpslogger

  /// The name of its road in, as the credentials have it.
  var road: String {
    switch self {
    case .ownTracksIOS, .ownTracksAndroid: "owntracks"
    case .overland, .traccar, .gpslogger: rawValue
    case .colota: "osmand"
    }
  }

  /// Whether its phone sleeps and is woken for regions.
  var hasRegions: Bool { self == .ownTracksIOS || self == .ownTracksAndroid }

  /// Whether its requests overtake each other.
  var isParallel: Bool { self == .colota || self == .gpslogger }

  /// How long the door holds what may have been overtaken, in seconds.
  ///
  /// Longer where it is killed: of a group that takes more than the hold, what is sent again after a start is late, and
  /// some kills fall on the same group.
  func holdSeconds(under trouble: Trouble) -> Double {
    guard isParallel else { return 0.02 }
    return trouble.kills > 0 ? 10 : 1.5
  }

  /// What it is tried with.
  ///
  /// GPSLogger gives up, so that of a request whose answer never came nobody knows whether the server has it.
  func troubles(kills: Int) -> [Trouble] {
    switch self {
    case .gpslogger: [.calm, Trouble(name: "losses", lostRequests: 0.1, doubles: 0.05)]
    default: [.calm, .network, .outages, .kills(kills)]
    }
  }

  func app(_ account: Account) -> any PhoneApp {
    switch self {
    case .ownTracksIOS: OwnTracksIOS(account)
    case .ownTracksAndroid: OwnTracksAndroid(account)
    case .overland: OverlandIOS(account, batchSize: 100, interval: .minutes(3))
    case .traccar: TraccarClient(account)
    case .colota: ParallelSender(.colota, account, interval: .minutes(60))
    case .gpslogger: ParallelSender(.gpslogger, account, interval: .minutes(60))
    }
  }

  /// Whether a phone watches what the engine wants watched, to the meter; nil where none are watched.
  static func hasPlan(_ app: any PhoneApp, _ wanted: [Region]) -> Bool? {
    difference(app, wanted).map { $0.missing.isEmpty && $0.strange.isEmpty }
  }

  /// What a phone should watch and does not, and what it watches beside it; nil where none are watched.
  static func difference(
    _ app: any PhoneApp,
    _ wanted: [Region]
  ) -> (missing: [Region], strange: [PhoneRegion])? {
    var held: [PhoneRegion]
    switch app {
    case let phone as OwnTracksIOS: held = phone.watchedRegions
    case let phone as OwnTracksAndroid:
      // Empty slots are parked where nobody goes.
      held = phone.watchedRegions.filter { $0.center.latitude > -80 }
    default: return nil
    }
    var missing: [Region] = []
    for region in wanted {
      let index = held.firstIndex {
        abs($0.radiusMeters - region.radiusMeters) <= 1
          && $0.center.distanceMeters(to: region.center) <= 1
      }
      if let index { held.remove(at: index) } else { missing.append(region) }
    }
    return (missing, held)
  }
}
