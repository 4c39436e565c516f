import Basics
import Geodesy
import Timeline
import Traces

/// OwnTracks for iOS in HTTP mode, as its release 26.3 behaves.
///
/// It watches the regions that answers bring, reports each crossing with a transition and a position, sends one
/// message after the other, deletes what is answered 4xx and keeps what is not answered.
package struct OwnTracksIOS: PhoneApp {
  /// What its owner has set.
  package struct Settings: Hashable, Sendable {
    /// Whether it obeys commands; off in a new app.
    package var allowsCommands = false
    /// Whether it may be configured, and given regions, from afar; off in a new app.
    package var allowsRemoteConfiguration = false
    /// Whether it says where it is when asked; on in a new app.
    package var allowsRemoteLocation = true
    /// −1 quiet, 0 manual, 1 significant, 2 move.
    package var monitoring = 1
    /// In move mode, a position so far from the last one is sent.
    package var displacementMeters = 200.0
    /// In move mode, a position so many seconds after the last one is sent.
    package var intervalSeconds = 180
    /// Regions that its owner has made.
    package var ownRegions: [PhoneRegion] = []

    /// A new app.
    package init() {}

    /// One whose owner has opened our link: both switches are on.
    package static var setUp: Settings {
      var settings = Settings()
      settings.allowsCommands = true
      settings.allowsRemoteConfiguration = true
      return settings
    }
  }

  /// Core Location watches so many regions for one app, and refuses others with an error that is only logged.
  package static let mostRegions = 20
  /// What it calls itself.
  private static let userAgent = "OwnTracks/26.3.1.0 CFNetwork/3860.100.1 Darwin/25.0.0"
  /// Core Location's service for significant changes: after 500 m, and not within 5 min of the last one.
  static let significantMeters = 500.0
  static let significantSpan = Milliseconds.minutes(5)

  /// What its owner has set, and what answers have changed of it.
  package private(set) var settings: Settings
  /// The regions in the app's list, its owner's first.
  package private(set) var regions: [PhoneRegion]
  /// Messages that a 4xx has deleted.
  package private(set) var deletedCount = 0
  private let account: Account
  private var outbox = Outbox(backoff: Outbox.Backoff(first: .seconds(1), most: .seconds(64)))
  private var watch = RegionWatch()
  private var position: Fix?
  private var lastSent: (fix: Fix, at: Timestamp)?
  private var lastSignificant: Fix?
  private var lastTaken: Message?
  private var hasStarted = false

  /// Makes one that has never run.
  package init(_ account: Account, settings: Settings = .setUp) {
    self.account = account
    self.settings = settings
    regions = settings.ownRegions
    for region in regions { begin(region) }
  }

  /// The regions that the system watches, in the order in which they were given.
  package var watchedRegions: [PhoneRegion] { watch.regions }
  package var waitingCount: Int { outbox.count }

  package var nextInstant: Timestamp? {
    let timer = settings.monitoring == 2 ? lastSent.map { $0.at + interval } : nil
    return [outbox.nextAttempt, timer].compactMap(\.self).min()
  }

  private var interval: Milliseconds { .seconds(Int64(settings.intervalSeconds)) }
  private var topic: String { "owntracks/\(account.user)/\(account.device)" }

  // MARK: What it measures

  package mutating func take(_ fix: Fix) {
    if !hasStarted { start() }
    runTimer(upTo: fix.at)
    position = fix
    let crossings = watch.take(fix)
    if settings.monitoring >= 0 {
      for crossing in crossings { report(crossing, fix) }
    }
    switch settings.monitoring {
    case 1: takeSignificant(fix)
    case 2: takeMoving(fix)
    default: break
    }
  }

  private mutating func start() {
    hasStarted = true
    outbox.add(waypointsText(regions, topic: topic))
  }

  private mutating func takeSignificant(_ fix: Fix) {
    if let last = lastSignificant {
      guard fix.at - last.at >= Self.significantSpan,
        fix.coordinate.distanceMeters(to: last.coordinate) >= Self.significantMeters
      else { return }
    }
    lastSignificant = fix
    send(fix, trigger: nil, at: fix.at)
  }

  private mutating func takeMoving(_ fix: Fix) {
    if let last = lastSent {
      guard fix.coordinate.distanceMeters(to: last.fix.coordinate) >= settings.displacementMeters
      else { return }
    }
    send(fix, trigger: nil, at: fix.at)
  }

  /// In move mode a timer sends the last position again, with its old time.
  private mutating func runTimer(upTo now: Timestamp) {
    guard settings.monitoring == 2, let position, let last = lastSent, now - last.at >= interval
    else { return }
    send(position, trigger: "t", at: last.at + interval)
  }

  private mutating func report(_ crossing: RegionWatch.Crossing, _ fix: Fix) {
    var json = JSONText()
    json.add("_type", "transition")
    json.add("tst", seconds(fix.at))
    json.add("lat", fix.coordinate.latitude, digits: 6)
    json.add("lon", fix.coordinate.longitude, digits: 6)
    json.add("acc", accuracy(fix))
    json.add("t", "c")
    json.add("event", crossing.isEnter ? "enter" : "leave")
    json.add("desc", crossing.region.name)
    json.add("wtst", crossing.region.seconds)
    if let rid = crossing.region.rid { json.add("rid", rid) }
    json.add("tid", String(account.device.prefix(2)))
    json.add("topic", topic + "/event")
    outbox.add(json.closed)
    send(fix, trigger: "c", at: fix.at)
  }

  private mutating func send(_ fix: Fix, trigger: String?, at now: Timestamp) {
    let speed = fix.speedMetersPerSecond.map { Int(($0 * 3.6).rounded()) }
    let course = fix.courseDegrees.map { Int($0.rounded()) }
    var json = JSONText()
    json.add("_type", "location")
    json.add("tid", String(account.device.prefix(2)))
    json.add("tst", seconds(fix.at))
    // Sent only where it differs from the fix's time by more than a second.
    if seconds(now) - seconds(fix.at) > 1 { json.add("created_at", seconds(now)) }
    json.add("lat", fix.coordinate.latitude, digits: 6)
    json.add("lon", fix.coordinate.longitude, digits: 6)
    json.add("acc", accuracy(fix))
    if let speed, speed >= 0 { json.add("vel", speed) }
    if let course { json.add("cog", course) }
    json.add("batt", 80)
    json.add("bs", 1)
    json.add("conn", "m")
    json.add("m", settings.monitoring)
    if let trigger { json.add("t", trigger) }
    let around = watch.regions.filter {
      $0.center.distanceMeters(to: fix.coordinate) <= $0.radiusMeters
    }
    if !around.isEmpty {
      json.add("inregions", around.map(\.name))
      json.add("inrids", around.compactMap(\.rid))
    }
    json.add("topic", topic)
    let isOld = lastSent.map { $0.fix.at == fix.at } ?? false && trigger == "t"
    let told = Fix(
      at: Timestamp(seconds: Int64(seconds(fix.at))),
      coordinate: sixDigits(fix.coordinate),
      horizontalAccuracyMeters: Double(accuracy(fix)),
      speedMetersPerSecond: speed.map { Double($0) / 3.6 },
      courseDegrees: course.map(Double.init)
    )
    outbox.add(json.closed, fixes: isOld ? [] : [told])
    lastSent = (fix, now)
  }

  // MARK: What it sends

  package mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest] {
    runTimer(upTo: now)
    guard let message = outbox.next(at: now) else { return [] }
    return [OutgoingRequest(message, to: account, userAgent: Self.userAgent)]
  }

  package mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp) {
    switch answer {
    case .status(200...299, _):
      lastTaken = outbox.messages.first { $0.id == id }
      outbox.drop(id)
      for command in OwnTracksCommand.read(answer.text) ?? [] { obey(command, at: now) }
    case .status(400...499, _):
      // The app believes that it could never be taken.
      if outbox.messages.first?.id == id { deletedCount += 1 }
      outbox.drop(id)
    default: outbox.keep(id, at: now)
    }
  }

  package mutating func restart(at now: Timestamp) {
    outbox.restart()
    // What was answered just before the end may still stand in the queue on the disk.
    if let lastTaken { outbox.putBack(lastTaken) }
    lastTaken = nil
    outbox.add(waypointsText(regions, topic: topic))
  }

  // MARK: What it is told

  private mutating func obey(_ command: OwnTracksCommand, at now: Timestamp) {
    guard settings.allowsCommands else { return }
    switch command {
    case .setWaypoints(let set, let removed):
      guard settings.allowsRemoteConfiguration else { return }
      for rid in removed { remove(rid: rid) }
      for region in set { put(region) }
    case .clearWaypoints:
      guard settings.allowsRemoteConfiguration else { return }
      watch.stopAll()
      regions = []
    case .setConfiguration(let monitoring, let intervalSeconds, let displacementMeters):
      guard settings.allowsRemoteConfiguration else { return }
      settings.intervalSeconds = intervalSeconds ?? settings.intervalSeconds
      settings.displacementMeters = displacementMeters ?? settings.displacementMeters
      change(to: monitoring)
    case .reportLocation:
      guard settings.allowsRemoteLocation, settings.monitoring > 0, let position else { return }
      send(position, trigger: "r", at: now)
    case .waypoints: outbox.add(waypointsText(regions, topic: topic))
    case .status: outbox.add(statusText)
    case .other: break
    }
  }

  private mutating func change(to monitoring: Int?) {
    guard let monitoring, monitoring != settings.monitoring else { return }
    settings.monitoring = monitoring
    lastSignificant = position
    outbox.add(waypointsText(regions, topic: topic))
  }

  /// A region that is the same in everything is left alone; another one is begun anew.
  private mutating func put(_ new: PhoneRegion) {
    let region = PhoneRegion(
      name: new.name,
      rid: new.rid ?? "\(new.seconds % 1_000_000)",
      seconds: new.seconds,
      center: new.center,
      radiusMeters: new.radiusMeters
    )
    if let index = regions.firstIndex(where: { $0.rid == region.rid }) {
      guard regions[index] != region else { return }
      watch.stop(name: regions[index].name)
      regions[index] = region
    } else {
      regions.append(region)
    }
    begin(region)
  }

  private mutating func remove(rid: String) {
    for region in regions where region.rid == rid { watch.stop(name: region.name) }
    regions.removeAll { $0.rid == rid }
  }

  /// Has the system watch a region.
  ///
  /// A colon in the name makes it a beacon. The name is the system's identifier: an equal one takes its place. One
  /// too many is refused, and the app does not notice.
  private mutating func begin(_ region: PhoneRegion) {
    guard !region.name.contains(":") else { return }
    watch.stop(name: region.name)
    guard watch.regions.count < Self.mostRegions else { return }
    watch.start(region, reportsInside: false)
  }

  private var statusText: String {
    var phone = JSONText()
    phone.add("version", "26.3.1")
    phone.add("locationManagerAuthorizationStatus", "kCLAuthorizationStatusAuthorizedAlways")
    phone.add("backgroundRefreshStatus", "UIBackgroundRefreshStatusAvailable")
    var json = JSONText()
    json.add("_type", "status")
    json.add("iOS", json: phone.closed)
    json.add("topic", topic)
    return json.closed
  }
}

// MARK: Numbers as apps write them

/// Whole Unix seconds.
func seconds(_ instant: Timestamp) -> Int { Int(instant.milliseconds / 1_000) }

/// Whole meters, never 0, which would say that nothing is known.
func accuracy(_ fix: Fix) -> Int { max(1, Int(fix.horizontalAccuracyMeters.rounded())) }

/// A position with six digits: 11 cm.
func sixDigits(_ coordinate: Coordinate) -> Coordinate {
  Coordinate(
    uncheckedLatitude: Double(fixed(coordinate.latitude, 6)) ?? coordinate.latitude,
    longitude: Double(fixed(coordinate.longitude, 6)) ?? coordinate.longitude
  )
}
