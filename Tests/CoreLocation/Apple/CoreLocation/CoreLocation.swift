// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Signatures of Core Location as its public documentation gives them, as far as NearMeCoreLocation uses them.
// What is optional for a delegate is required here, so that a slip in a signature does not go unseen.
import Foundation

public typealias CLLocationDegrees = Double
public typealias CLLocationDistance = Double
public typealias CLLocationAccuracy = Double
public typealias CLLocationSpeed = Double
public typealias CLLocationDirection = Double

public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
public let kCLDistanceFilterNone: CLLocationDistance = -1

public struct CLLocationCoordinate2D: Sendable {
  public var latitude: CLLocationDegrees
  public var longitude: CLLocationDegrees

  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

public final class CLLocation: NSObject {
  public let coordinate: CLLocationCoordinate2D
  public let horizontalAccuracy: CLLocationAccuracy
  public let course: CLLocationDirection
  public let speed: CLLocationSpeed
  public let timestamp: Date

  public init(
    coordinate: CLLocationCoordinate2D,
    altitude: CLLocationDistance,
    horizontalAccuracy hAccuracy: CLLocationAccuracy,
    verticalAccuracy vAccuracy: CLLocationAccuracy,
    course: CLLocationDirection,
    speed: CLLocationSpeed,
    timestamp: Date
  ) {
    self.coordinate = coordinate
    horizontalAccuracy = hAccuracy
    self.course = course
    self.speed = speed
    self.timestamp = timestamp
  }
}

public final class CLVisit: NSObject {}

public class CLRegion: NSObject {
  public let identifier: String
  public var notifyOnEntry = true
  public var notifyOnExit = true

  init(identifier: String) { self.identifier = identifier }
}

public final class CLCircularRegion: CLRegion {
  public let center: CLLocationCoordinate2D
  public let radius: CLLocationDistance

  public init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
    self.center = center
    self.radius = radius
    super.init(identifier: identifier)
  }
}

public enum CLRegionState: Int, Sendable {
  case unknown, inside, outside
}

public enum CLAuthorizationStatus: Int32, Sendable {
  case notDetermined, restricted, denied, authorizedAlways, authorizedWhenInUse
}

public enum CLAccuracyAuthorization: Int, Sendable {
  case fullAccuracy, reducedAccuracy
}

public struct CLError: Error {
  public enum Code: Int, Sendable {
    case locationUnknown, denied, network, headingFailure
    case regionMonitoringDenied, regionMonitoringFailure
    case regionMonitoringSetupDelayed, regionMonitoringResponseDelayed
  }

  public let code: Code

  public init(_ code: Code) { self.code = code }
}

public protocol CLLocationManagerDelegate: NSObjectProtocol {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  )
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
  func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  )
}

/// Remembers what it was asked for, and does none of it.
public class CLLocationManager: NSObject {
  public weak var delegate: (any CLLocationManagerDelegate)?
  public var authorizationStatus: CLAuthorizationStatus { Asked.shared.status }
  public var accuracyAuthorization: CLAccuracyAuthorization { Asked.shared.accuracy }
  public var desiredAccuracy = kCLLocationAccuracyBest
  public var distanceFilter = kCLDistanceFilterNone
  public var pausesLocationUpdatesAutomatically = true
  public var allowsBackgroundLocationUpdates = false
  public var maximumRegionMonitoringDistance: CLLocationDistance { 400_000 }
  public var monitoredRegions: Set<CLRegion> {
    Set(Asked.shared.isLate ? [] : Asked.shared.regions)
  }

  public override init() {}

  public func requestWhenInUseAuthorization() { Asked.shared.log.append("ask while in use") }
  public func requestAlwaysAuthorization() { Asked.shared.log.append("ask") }
  public func startUpdatingLocation() { Asked.shared.log.append("start") }
  public func stopUpdatingLocation() { Asked.shared.log.append("stop") }
  public func startMonitoringSignificantLocationChanges() { Asked.shared.log.append("move on") }
  public func stopMonitoringSignificantLocationChanges() { Asked.shared.log.append("move off") }

  public func startMonitoringVisits() { Asked.shared.log.append("visits on") }
  public func stopMonitoringVisits() { Asked.shared.log.append("visits off") }

  public func requestState(for region: CLRegion) {
    Asked.shared.log.append("state of \(region.identifier)")
  }

  public func startMonitoring(for region: CLRegion) {
    Asked.shared.log.append("watch \(region.identifier)")
    Asked.shared.regions.removeAll { $0.identifier == region.identifier }
    Asked.shared.regions.append(region)
  }

  public func stopMonitoring(for region: CLRegion) {
    Asked.shared.log.append("leave \(region.identifier)")
    Asked.shared.regions.removeAll { $0.identifier == region.identifier }
  }
}

/// What managers were asked for, and what they answer; of this stub alone.
public final class Asked: @unchecked Sendable {
  public static let shared = Asked()
  public var status = CLAuthorizationStatus.authorizedAlways
  public var accuracy = CLAccuracyAuthorization.fullAccuracy
  public var regions: [CLRegion] = []
  /// Whether regions that were asked for are not listed yet.
  public var isLate = false
  public var log: [String] = []
}

// MARK: Conditions

public protocol CLCondition: Sendable {}

public enum CLMonitoringState: UInt, Sendable {
  case unknown, satisfied, unsatisfied
  @available(iOS 17.2, macOS 14.2, *) case unmonitored
}

@available(iOS 17.0, macOS 14.0, *)
public actor CLMonitor {
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    public let radius: CLLocationDistance

    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }
  }

  public struct Event: Sendable {
    public typealias State = CLMonitoringState

    public let identifier: String
    public let state: State
    @available(iOS 18.0, macOS 15.0, *) public var conditionLimitExceeded: Bool { limit }
    @available(iOS 18.0, macOS 15.0, *) public var conditionUnsupported: Bool { false }
    @available(iOS 18.0, macOS 15.0, *)
    public var accuracyLimited: Bool { complaint == "accuracyLimited" }
    @available(iOS 18.0, macOS 15.0, *)
    public var insufficientlyInUse: Bool { complaint == "insufficientlyInUse" }
    @available(iOS 18.0, macOS 15.0, *)
    public var persistenceUnavailable: Bool { complaint == "persistenceUnavailable" }
    @available(iOS 18.0, macOS 15.0, *)
    public var serviceSessionRequired: Bool { complaint == "serviceSessionRequired" }
    let limit: Bool
    var complaint: String?
  }

  public struct Record: Sendable {
    public let condition: any CLCondition
    public let lastEvent: Event
  }

  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event

    public struct Iterator: AsyncIteratorProtocol {
      var inner: AsyncThrowingStream<Event, any Error>.Iterator

      public mutating func next() async throws -> Event? { try await inner.next() }
    }

    let stream: AsyncThrowingStream<Event, any Error>

    public func makeAsyncIterator() -> Iterator { Iterator(inner: stream.makeAsyncIterator()) }
  }

  public let events: Events
  public var identifiers: [String] { records.keys.sorted() }

  private let told: AsyncThrowingStream<Event, any Error>.Continuation
  private var records: [String: Record] = [:]
  /// What was asked for, and the newest monitor, which has the conditions of the one before; of this stub alone.
  public private(set) var log: [String] = []
  @MainActor public private(set) static var made: [String: CLMonitor] = [:]

  public init(_ name: String) async {
    let (stream, told) = AsyncThrowingStream.makeStream(of: Event.self)
    events = Events(stream: stream)
    self.told = told
    if let earlier = await MainActor.run(body: { Self.made[name] }) {
      records = await earlier.records
    }
    await MainActor.run { Self.made[name] = self }
  }

  public func add(
    _ condition: any CLCondition,
    identifier: String,
    assuming state: Event.State
  ) {
    log.append("add \(identifier) \(state)")
    let event = Event(identifier: identifier, state: state, limit: false)
    records[identifier] = Record(condition: condition, lastEvent: event)
  }

  public func remove(_ identifier: String) {
    log.append("remove \(identifier)")
    records[identifier] = nil
  }

  public func record(for identifier: String) -> Record? { records[identifier] }

  /// Of this stub alone: the events end with an error, and bring nothing more to whoever asks anew.
  public func fail() {
    struct Failed: Error {}
    told.finish(throwing: Failed())
  }

  /// Of this stub alone.
  public func happen(
    _ identifier: String,
    _ state: Event.State,
    limit: Bool = false,
    complaint: String? = nil
  ) {
    let event = Event(identifier: identifier, state: state, limit: limit, complaint: complaint)
    told.yield(event)
    guard let old = records[identifier] else { return }
    records[identifier] = Record(condition: old.condition, lastEvent: event)
  }
}

@available(iOS 18.0, *)
public final class CLServiceSession: Sendable {
  public enum AuthorizationRequirement: Sendable {
    case none, whenInUse, always
  }

  public init(authorization: AuthorizationRequirement) {
    Asked.shared.log.append("session \(authorization)")
  }

  public func invalidate() { Asked.shared.log.append("session over") }
}
