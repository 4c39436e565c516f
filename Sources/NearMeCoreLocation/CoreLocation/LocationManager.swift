// Linux: against the signatures in Tests/CoreLocation.
#if canImport(CoreLocation) && (os(iOS) || os(Linux))
import CoreLocation
import Foundation
import NearMe

/// Positions, the permission for them, and regions by `CLCircularRegion`, from one `CLLocationManager`.
@MainActor
public final class LocationManager: NSObject, PositionService, AuthorizationService, RegionService {
  /// Regions of this host begin with this, among those of the app.
  nonisolated static let prefix = "nearme/"
  /// A region that differs by less is the same one: the system may round.
  nonisolated static let sameMeters = 0.5
  nonisolated static let sameDegrees = 1e-6

  /// Who is told what happens.
  public weak var listener: (any PhoneListener)?
  private let manager = CLLocationManager()
  /// The regions as this process has asked for them, by id, for the system's list follows later; nil: as that has them.
  private var known: [String: CLRegion]?
  /// The permission when that was last looked at.
  private var permission: (CLAuthorizationStatus, CLAccuracyAuthorization)?
  private let usesVisits: Bool
  /// Whether to ask for positions at all times once the user has allowed them while the app is used.
  private var wantsAlways = false
  /// What is to be done with the first list, once.
  var atFirstList: (() -> Void)?
  /// That of the phone that this process has.
  static weak var ofPhone: LocationManager?

  /// Makes one; on the main thread, before the app's launch ends.
  ///
  /// - Parameter usesVisits: whether visits wake the app as well. They are one switch for all of the app, and with the
  ///   end of a wait for a position they are off.
  public init(
    mayUpdateInBackground: Bool = LocationManager.mayUpdateInBackground,
    usesVisits: Bool = true
  ) {
    self.usesVisits = usesVisits
    super.init()
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.distanceFilter = kCLDistanceFilterNone
    // An arrival is a stop: that is when the positions must go on.
    manager.pausesLocationUpdatesAutomatically = false
    manager.allowsBackgroundLocationUpdates = mayUpdateInBackground
    permission = (manager.authorizationStatus, manager.accuracyAuthorization)
    manager.delegate = self
  }

  /// Whether the app's Info.plist has the background mode `location`; an app without it that asks for
  /// positions in the background is ended by the system.
  public nonisolated static var mayUpdateInBackground: Bool {
    let modes = Bundle.main.object(forInfoDictionaryKey: "UIBackgroundModes") as? [String]
    return modes?.contains("location") ?? false
  }

  // MARK: Positions

  /// Measures from now on.
  public func start() {
    manager.desiredAccuracy = kCLLocationAccuracyBest
    manager.startUpdatingLocation()
  }

  /// Goes on by networks: satellites are not needed for a hundred meters, and the app is not suspended.
  public func ease() { manager.desiredAccuracy = kCLLocationAccuracyHundredMeters }

  /// Measures no longer.
  public func stop() { manager.stopUpdatingLocation() }

  /// Whether a significant change of location, or a visit, wakes the app.
  public func wakeOnMove(_ isOn: Bool) {
    if isOn {
      manager.startMonitoringSignificantLocationChanges()
      if usesVisits { manager.startMonitoringVisits() }
    } else {
      manager.stopMonitoringSignificantLocationChanges()
      if usesVisits { manager.stopMonitoringVisits() }
    }
  }

  // MARK: Permission

  /// What the app may know of the position.
  ///
  /// An approximate position crosses no regions, so it counts as one that is known while the app is used.
  public var access: LocationAccess {
    switch manager.authorizationStatus {
    case .authorizedAlways:
      manager.accuracyAuthorization == .fullAccuracy ? .always : .whileInUse
    case .authorizedWhenInUse: .whileInUse
    case .notDetermined, .restricted, .denied: .servicesOff
    @unknown default: .servicesOff
    }
  }

  /// Asks the user for the position at all times, in two steps: first while the app is used, then always.
  ///
  /// Asked for at once, "always" would be granted for a trial by who allows it "while using", and no word of it said:
  /// the second question would come some day, when the app does not run.
  public func ask() {
    guard manager.authorizationStatus == .notDetermined else {
      return manager.requestAlwaysAuthorization()
    }
    wantsAlways = true
    manager.requestWhenInUseAuthorization()
  }

  private func goOnAsking() {
    guard wantsAlways, manager.authorizationStatus != .notDetermined else { return }
    wantsAlways = false
    if manager.authorizationStatus == .authorizedWhenInUse { manager.requestAlwaysAuthorization() }
  }

  // MARK: Regions

  /// Watches exactly these regions, by difference.
  public func watch(_ regions: [Region]) {
    atFirstList?()
    atFirstList = nil
    var watched = watched()
    let wanted = Set(regions.map(\.id))
    for (id, region) in watched.sorted(by: { $0.key < $1.key }) where !wanted.contains(id) {
      manager.stopMonitoring(for: region)
      watched[id] = nil
    }
    for region in regions {
      let circle = circle(region)
      if let old = watched[region.id] as? CLCircularRegion, Self.areSame(old, circle) { continue }
      manager.startMonitoring(for: circle)
      watched[region.id] = circle
    }
    known = watched
  }

  /// Watches some of them anew.
  public func rearm(_ ids: [String]) {
    let watched = watched()
    for region in ids.compactMap({ watched[$0] }) {
      manager.stopMonitoring(for: region)
      manager.startMonitoring(for: region)
    }
  }

  /// What the system watches for this host, by id, as it will in a moment.
  private func watched() -> [String: CLRegion] {
    if let known { return known }
    let ours = manager.monitoredRegions.filter { $0.identifier.hasPrefix(Self.prefix) }
    return Dictionary(
      ours.map { (String($0.identifier.dropFirst(Self.prefix.count)), $0) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// The largest radius that Core Location watches.
  public var largestRegionMeters: Double? {
    let most = manager.maximumRegionMonitoringDistance
    return most > 0 ? most : nil
  }

  private func circle(_ region: Region) -> CLCircularRegion {
    // The host asks for none that is larger; what an earlier version has kept is cut until the next plan.
    let circle = CLCircularRegion(
      center: CLLocationCoordinate2D(region.center),
      radius: min(region.radiusMeters, largestRegionMeters ?? .infinity),
      identifier: Self.prefix + region.id
    )
    circle.notifyOnEntry = region.kind == .enter
    circle.notifyOnExit = region.kind != .enter
    return circle
  }

  private static func areSame(_ a: CLCircularRegion, _ b: CLCircularRegion) -> Bool {
    a.notifyOnEntry == b.notifyOnEntry && a.notifyOnExit == b.notifyOnExit
      && abs(a.radius - b.radius) < sameMeters && a.center.isNearly(b.center)
  }

  private func crossed(_ identifier: String) {
    guard identifier.hasPrefix(Self.prefix) else { return }
    listener?.take(.crossed(region: String(identifier.dropFirst(Self.prefix.count))))
  }
}

// Core Location calls back on the thread on which the manager was made: the main one.
extension LocationManager: CLLocationManagerDelegate {
  /// Passes positions on.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didUpdateLocations locations: [CLLocation]
  ) {
    let fixes = locations.compactMap(Fix.init)
    MainActor.assumeIsolated {
      if !fixes.isEmpty { listener?.take(.positions(fixes)) }
    }
  }

  /// Passes on that there is a visit; its own position is minutes old.
  public nonisolated func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
    MainActor.assumeIsolated { if usesVisits { listener?.take(.visited) } }
  }

  /// The host has a time limit of its own for positions that do not come.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didFailWithError error: any Error
  ) {
    guard (error as? CLError)?.code == .denied else { return }
    MainActor.assumeIsolated { listener?.take(.accessMayHaveChanged) }
  }

  /// Passes on that the permission may be another one.
  public nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    MainActor.assumeIsolated {
      goOnAsking()
      // The system calls back without a change, too, as at every launch.
      let now = (self.manager.authorizationStatus, self.manager.accuracyAuthorization)
      if permission.map({ $0 != now }) ?? true {
        permission = now
        // What was watched may be so no longer.
        known = nil
      }
      listener?.take(.accessMayHaveChanged)
    }
  }

  /// Asks on which side the phone is: of a line that it had passed by then, no crossing is told.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didStartMonitoringFor region: CLRegion
  ) {
    if region.identifier.hasPrefix(Self.prefix) { manager.requestState(for: region) }
  }

  /// Passes on that the phone is beyond the line already.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didDetermineState state: CLRegionState,
    for region: CLRegion
  ) {
    guard region.notifyOnEntry ? state == .inside : state == .outside else { return }
    let identifier = region.identifier
    MainActor.assumeIsolated { crossed(identifier) }
  }

  /// Passes a crossing on.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didEnterRegion region: CLRegion
  ) {
    let identifier = region.identifier
    MainActor.assumeIsolated { crossed(identifier) }
  }

  /// Passes a crossing on.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    didExitRegion region: CLRegion
  ) {
    let identifier = region.identifier
    MainActor.assumeIsolated { crossed(identifier) }
  }

  /// Passes on that a region is not watched; a delay or a permission that is missing is no refusal.
  public nonisolated func locationManager(
    _ manager: CLLocationManager,
    monitoringDidFailFor region: CLRegion?,
    withError error: any Error
  ) {
    guard (error as? CLError)?.code == .regionMonitoringFailure,
      let identifier = region?.identifier, identifier.hasPrefix(Self.prefix)
    else { return }
    let id = String(identifier.dropFirst(Self.prefix.count))
    MainActor.assumeIsolated {
      known?[id] = nil
      listener?.take(.regionsRefused([id]))
    }
  }
}

extension CLLocationCoordinate2D {
  init(_ coordinate: Coordinate) {
    self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  func isNearly(_ other: CLLocationCoordinate2D) -> Bool {
    abs(latitude - other.latitude) < LocationManager.sameDegrees
      && abs(longitude - other.longitude) < LocationManager.sameDegrees
  }
}

extension Fix {
  /// A position of Core Location; nil for one that is none: a negative accuracy says so.
  init?(_ location: CLLocation) {
    let place = location.coordinate
    guard location.horizontalAccuracy >= 0, location.horizontalAccuracy.isFinite,
      let coordinate = try? Coordinate(latitude: place.latitude, longitude: place.longitude)
    else { return nil }
    self.init(
      at: Timestamp(location.timestamp),
      coordinate: coordinate,
      horizontalAccuracyMeters: location.horizontalAccuracy,
      speedMetersPerSecond: location.speed >= 0 ? location.speed : nil,
      courseDegrees: location.course >= 0 ? location.course : nil
    )
  }
}
#endif
