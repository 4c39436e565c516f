import Basics
import Geodesy
import Timeline
import Traces

/// OwnTracks for Android with Google's services in HTTP mode, as its release 2.6 behaves.
///
/// It keeps every message until it is answered 2xx with a body that it understands, and repeats the last position
/// with its old time while nothing moves. A region that is set is begun anew, with all others.
package struct OwnTracksAndroid: PhoneApp {
  /// What its owner has set.
  package struct Settings: Hashable, Sendable {
    /// Whether it obeys commands, which is all that regions need; on in a new app.
    package var allowsCommands = true
    /// Whether its settings may be changed from afar; off in a new app.
    package var allowsRemoteConfiguration = false
    /// −1 quiet, 0 manual, 1 significant, 2 move.
    package var monitoring = 1

    /// A new app.
    package init() {}

    /// One whose owner has opened our link.
    package static var setUp: Settings {
      var settings = Settings()
      settings.allowsRemoteConfiguration = true
      return settings
    }
  }

  /// Google's services watch so many regions for one app.
  package static let mostRegions = 100
  /// What it calls itself.
  private static let userAgent = "Owntracks-Android/gms/420600000"
  /// In significant mode a position is asked for so often, and so far from the last one.
  static let (significantSpan, significantMeters) = (Milliseconds.seconds(60), 500.0)
  static let moveSpan = Milliseconds.seconds(10)
  static let pingSpan = Milliseconds.minutes(15)

  /// What its owner has set, and what answers have changed of it.
  package private(set) var settings: Settings
  /// The regions in the app's list, by their times.
  package private(set) var regions: [PhoneRegion] = []
  /// Answers that were thrown away for an action that the app does not know.
  package private(set) var thrownAwayCount = 0
  private let account: Account
  private var outbox = Outbox(backoff: Outbox.Backoff(first: .seconds(1), most: .minutes(2)))
  private var watch = RegionWatch()
  private var position: Fix?
  private var lastLocation: Fix?
  private var nextPing: Timestamp?

  /// Makes one that has never run.
  package init(_ account: Account, settings: Settings = .setUp) {
    self.account = account
    self.settings = settings
  }

  /// The regions that the system watches, in the order of their times.
  package var watchedRegions: [PhoneRegion] { watch.regions }
  package var waitingCount: Int { outbox.count }
  package var nextInstant: Timestamp? { [outbox.nextAttempt, nextPing].compactMap(\.self).min() }
  private var topic: String { "owntracks/\(account.user)/\(account.device)" }

  // MARK: What it measures

  package mutating func take(_ fix: Fix) {
    ping(upTo: fix.at)
    let isFirst = position == nil
    position = fix
    let crossings = watch.take(fix)
    if settings.monitoring >= 0 { for crossing in crossings { report(crossing, fix) } }
    guard settings.monitoring > 0 else { return }
    if nextPing == nil { nextPing = fix.at + Self.pingSpan }
    guard let last = lastLocation, !isFirst else { return send(fix, trigger: nil, at: fix.at) }
    let (span, meters) =
      settings.monitoring == 2 ? (Self.moveSpan, 0) : (Self.significantSpan, Self.significantMeters)
    if fix.at - last.at >= span, fix.coordinate.distanceMeters(to: last.coordinate) >= meters {
      send(fix, trigger: nil, at: fix.at)
    }
  }

  /// Says every 15 minutes where it last was, with the time of that position.
  private mutating func ping(upTo now: Timestamp) {
    while let due = nextPing, due <= now {
      if let lastLocation { send(lastLocation, trigger: "p", at: due) }
      nextPing = due + Self.pingSpan
    }
  }

  private mutating func report(_ crossing: RegionWatch.Crossing, _ fix: Fix) {
    var json = JSONText()
    json.add("_type", "transition")
    json.add("_id", messageID)
    json.add("acc", accuracy(fix))
    json.add("desc", crossing.region.name)
    json.add("event", crossing.isEnter ? "enter" : "leave")
    json.add("lat", fix.coordinate.latitude, digits: 6)
    json.add("lon", fix.coordinate.longitude, digits: 6)
    json.add("t", "c")
    json.add("tid", String(account.device.suffix(2)))
    json.add("tst", seconds(fix.at))
    json.add("wtst", crossing.region.seconds)
    outbox.add(json.closed)
    send(fix, trigger: "c", at: fix.at)
  }

  private mutating func send(_ fix: Fix, trigger: String?, at now: Timestamp) {
    let speed = fix.speedMetersPerSecond.map { Int(($0 * 3.6).rounded()) } ?? 0
    let course = fix.courseDegrees.map { Int($0.rounded()) } ?? 0
    var json = JSONText()
    json.add("_type", "location")
    json.add("_id", messageID)
    json.add("acc", accuracy(fix))
    json.add("batt", 71)
    json.add("bs", 1)
    // Zeros are left out.
    if course != 0 { json.add("cog", course) }
    json.add("conn", "m")
    json.add("created_at", seconds(now))
    json.add("lat", fix.coordinate.latitude, digits: 6)
    json.add("lon", fix.coordinate.longitude, digits: 6)
    json.add("m", settings.monitoring)
    if let trigger { json.add("t", trigger) }
    json.add("tid", String(account.device.suffix(2)))
    json.add("topic", topic)
    json.add("tst", seconds(fix.at))
    if speed != 0 { json.add("vel", speed) }
    let told = Fix(
      at: Timestamp(seconds: Int64(seconds(fix.at))),
      coordinate: sixDigits(fix.coordinate),
      horizontalAccuracyMeters: Double(accuracy(fix)),
      speedMetersPerSecond: speed == 0 ? nil : Double(speed) / 3.6,
      courseDegrees: course == 0 ? nil : Double(course)
    )
    outbox.add(json.closed, fixes: trigger == "p" ? [] : [told])
    lastLocation = fix
    // A position of its own puts the next ping off.
    if nextPing != nil { nextPing = now + Self.pingSpan }
  }

  /// The app draws it; here it only has to be another one for each message.
  private var messageID: String {
    let digits = String(UInt32(truncatingIfNeeded: outbox.nextID &* 2_654_435_761), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  // MARK: What it sends

  package mutating func nextRequests(at now: Timestamp) -> [OutgoingRequest] {
    ping(upTo: now)
    guard let message = outbox.next(at: now) else { return [] }
    return [OutgoingRequest(message, to: account, userAgent: Self.userAgent)]
  }

  package mutating func answered(_ id: Int, _ answer: Answer, at now: Timestamp) {
    guard answer.isSuccess else { return outbox.keep(id, at: now) }
    outbox.drop(id)
    // What is not JSON was a reason to resend for ever before 2.6; since then it is passed over.
    guard settings.allowsCommands, let commands = OwnTracksCommand.read(answer.text) else { return }
    if commands.contains(where: { if case .other = $0 { true } else { false } }) {
      thrownAwayCount += 1
      return
    }
    for command in commands { obey(command, at: now) }
  }

  package mutating func restart(at now: Timestamp) { outbox.restart() }

  // MARK: What it is told

  private mutating func obey(_ command: OwnTracksCommand, at now: Timestamp) {
    switch command {
    case .setWaypoints(let set, _):
      // One that is not valid is passed over, so none can be taken away.
      guard !set.isEmpty else { return }
      put(set)
    case .clearWaypoints:
      watch.stopAll()
      regions = []
    case .setConfiguration(let monitoring, _, _):
      guard settings.allowsRemoteConfiguration else { return }
      settings.monitoring = monitoring ?? settings.monitoring
    case .reportLocation:
      guard settings.monitoring != 0, let position else { return }
      send(position, trigger: "r", at: now)
    case .waypoints: outbox.add(waypointsText(regions, topic: topic))
    case .status:
      outbox.add(
        "{\"_type\":\"status\",\"android\":{\"bo\":0,\"hib\":0,\"loc\":0,\"ps\":0,\"wifi\":1}}"
      )
    case .other: break
    }
  }

  /// All fences are torn down and added anew; of those that were listed it is forgotten on which side one stands, and
  /// each that one stands in is reported.
  private mutating func put(_ set: [PhoneRegion]) {
    for new in set {
      let region = PhoneRegion(
        name: new.name,
        rid: nil,
        seconds: new.seconds,
        center: new.center,
        radiusMeters: new.radiusMeters
      )
      regions.removeAll { $0.seconds == new.seconds }
      regions.append(region)
      watch.stop(seconds: new.seconds)
      if watch.regions.count < Self.mostRegions { watch.start(region, reportsInside: true) }
    }
    regions.sort { $0.seconds < $1.seconds }
    guard let position else { return }
    for crossing in watch.settle() { report(crossing, position) }
  }
}
