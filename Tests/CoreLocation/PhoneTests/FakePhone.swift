import Foundation
import NearMeCoreLocation

/// What outlives a process: the system with its regions, notifications and files, and the way of the phone.
@MainActor
final class FakeSystem {
  var now: Timestamp
  var uptime = Milliseconds.minutes(90)
  var zone = UTCOffsetTable.utc
  var access = LocationAccess.always
  var mostRegions = 20
  /// The largest region that it watches.
  var largestRegionMeters: Double?
  /// Whether the receiver has a position.
  var hasPosition = true
  var canRead = true
  /// Whether what is kept is none.
  var isDamaged = false
  var canWrite = true
  var isWithinReach = true
  /// Whether the user lets the app show notifications.
  var allowsNotifications = true
  /// The notifications that the system was given, taken or not.
  var offered: [PhoneNotification] = []
  var offers: Int { offered.count }
  /// Whether it takes a while to say what became of them.
  var holdsReceipts = false
  private var receipts: [@MainActor (PhoneReceipt) -> Void] = []

  /// Says what became of all that it was given.
  func answerReceipts(_ receipt: PhoneReceipt) {
    let waiting = receipts
    receipts = []
    for told in waiting { told(receipt) }
  }

  func hold(_ told: @escaping @MainActor (PhoneReceipt) -> Void) { receipts.append(told) }

  private(set) var regions: [Region] = []
  private var inside: Set<String> = []
  /// Regions of which the system holds the phone to be on the other side, until it watches them anew.
  private var mistaken: Set<String> = []
  /// Whether the system takes a while to watch what it was asked to.
  var isSlow = false
  private(set) var mostWatched = 0
  private(set) var registrations = 0
  var pending: [String: (notification: PhoneNotification, at: Timestamp)] = [:]
  private(set) var mostPending = 0
  private(set) var shown: [String: PhoneNotification] = [:]
  /// What made a sound.
  private(set) var heard: [String] = []
  private(set) var file: Data?
  private(set) var aside: Data?
  private(set) var saves = 0
  private(set) var measured = Milliseconds.seconds(0)
  /// For how long of that by what costs little.
  private(set) var eased = Milliseconds.seconds(0)
  /// Whether the process ends with the next save, after it.
  var killsAfterSave = false
  /// Whether the system takes what it is told and the process never hears of it.
  var losesReceipts = false
  /// Whether it takes a while to say which notifications it holds.
  var answersLater = false
  /// What it has not said yet.
  var late: [@MainActor () -> Void] = []

  private(set) var process: FakePhone?
  private(set) var host: PhoneHost?
  private(set) var launches = 0
  /// What the next process is launched with.
  var settings: PhoneSettings
  let app = FakeApp()
  private var position: Fix?
  private(set) var wakesOnMove = false
  /// Each time that it was asked to wake the app on a move, or not to.
  private(set) var moves: [Bool] = []
  private var anchor: Coordinate?
  private var lastMove: Timestamp?
  private var rest: (at: Coordinate, since: Timestamp?)?
  /// Up to when the process runs, unless it measures: afterward it is suspended, and its timers with it.
  private var awakeUntil: Timestamp
  /// So long it runs after something has woken it.
  private static let wakeSpan = Milliseconds.seconds(10)

  init(at now: Timestamp, _ settings: PhoneSettings) {
    self.now = now
    self.settings = settings
    awakeUntil = now
  }

  @discardableResult
  func launch(isOnScreen: Bool = false) -> PhoneHost {
    launches += 1
    awakeUntil = now + Self.wakeSpan
    let process = FakePhone(self)
    self.process = process
    let phone = Phone(
      regions: process,
      positions: process,
      authorization: process,
      notifications: process,
      storage: process,
      clock: process
    )
    let host = PhoneHost(phone, settings)
    host.app = app
    self.host = host
    host.launch(isOnScreen: isOnScreen)
    return host
  }

  func kill() {
    process?.isDead = true
    process = nil
    host = nil
  }

  /// Something that wakes the app, or launches it.
  private func wake(_ happening: PhoneHappening) {
    if process == nil { launch() }
    awakeUntil = now + Self.wakeSpan
    process?.listener?.take(happening)
  }

  /// Lets time pass, and the phone be somewhere afterward.
  func pass(_ span: Milliseconds, at latitude: Double, accuracyMeters: Double = 8) {
    now = now + span
    uptime = uptime + span
    if process?.isMeasuring == true {
      awakeUntil = now + Self.wakeSpan
      measured = measured + span
      if process?.isEased == true { eased = eased + span }
    }
    for (id, entry) in pending.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) })
    where entry.at <= now {
      pending[id] = nil
      present(entry.notification)
    }
    if let at = process?.wakesAt, at <= now, at <= awakeUntil {
      process?.wakesAt = nil
      process?.listener?.take(.timer)
    }
    position = Fix(
      at: now,
      coordinate: Coordinate(uncheckedLatitude: latitude, longitude: -76.61),
      horizontalAccuracyMeters: accuracyMeters
    )
    lookAtRegions()
    lookAtMove()
    measure()
  }

  func wakeOnMove(_ isOn: Bool) {
    if isOn, !wakesOnMove { anchor = position?.coordinate }
    moves.append(isOn)
    wakesOnMove = isOn
  }

  /// The services for visits and for significant changes: after 500 m, not more often than every 5 min.
  private func lookAtMove() {
    guard wakesOnMove, hasPosition, access == .always, let position else { return }
    let here = position.coordinate
    // A visit: five minutes within 100 m.
    if let rest, here.distanceMeters(to: rest.at) < 100 {
      if let since = rest.since, now - since >= .minutes(5) {
        self.rest?.since = nil
        wake(.visited)
      }
    } else {
      rest = (here, now)
    }
    if let anchor, here.distanceMeters(to: anchor) < 500 { return }
    if let last = lastMove, now - last < .minutes(5) { return }
    let isFirst = anchor == nil
    anchor = here
    guard !isFirst else { return }
    lastMove = now
    wake(.positions([position]))
  }

  /// By networks, the system takes the phone to have crossed each region, and says so once.
  func mistake() {
    mistaken = Set(regions.map(\.id))
    for region in regions { wake(.crossed(region: region.id)) }
  }

  private func lookAtRegions() {
    guard let position, access == .always else { return }
    for region in regions where !mistaken.contains(region.id) {
      let isInside =
        position.coordinate.distanceMeters(to: region.center) <= max(100, region.radiusMeters)
      guard isInside != inside.contains(region.id) else { continue }
      if isInside { inside.insert(region.id) } else { inside.remove(region.id) }
      if isInside == (region.kind == .enter) { wake(.crossed(region: region.id)) }
    }
  }

  private func measure() {
    guard let process, process.isMeasuring, hasPosition, access != .servicesOff, let position
    else { return }
    process.listener?.take(.positions([position]))
  }

  func watch(_ wanted: [Region]) {
    let old = regions
    var taken: [Region] = []
    var refused: [String] = []
    for region in wanted {
      guard taken.count < mostRegions else {
        refused.append(region.id)
        continue
      }
      taken.append(region)
      if !old.contains(region) { register(region) }
    }
    regions = taken
    mostWatched = max(mostWatched, taken.count)
    if !refused.isEmpty { process?.listener?.take(.regionsRefused(refused)) }
  }

  func rearm(_ ids: [String]) {
    for region in regions where ids.contains(region.id) { register(region) }
  }

  private func register(_ region: Region) {
    registrations += 1
    mistaken.remove(region.id)
    let isInside =
      position.map { $0.coordinate.distanceMeters(to: region.center) <= region.radiusMeters }
      ?? (region.kind != .enter)
    if isInside { inside.insert(region.id) } else { inside.remove(region.id) }
  }

  func present(_ notification: PhoneNotification) {
    shown[notification.id] = notification
    if !notification.isSilent { heard.append(notification.text) }
  }

  func schedule(_ notification: PhoneNotification, at instant: Timestamp) {
    pending[notification.id] = (notification, instant)
    mostPending = max(mostPending, pending.count)
  }

  func remove(_ ids: [String]) {
    for id in ids {
      pending[id] = nil
      shown[id] = nil
    }
  }

  func putAside() { (file, aside) = (nil, file) }

  func write(_ data: Data) {
    file = data
    saves += 1
    if killsAfterSave {
      killsAfterSave = false
      kill()
    }
  }

  /// The user does something with the notification that has a text.
  func answer(_ text: String, _ choice: PhoneAnswer.Choice) {
    guard let found = shown.values.first(where: { $0.text.contains(text) }) else { return }
    // Whatever the user does with it, the system takes it away.
    shown[found.id] = nil
    wake(
      .answered(
        PhoneAnswer(
          notification: found.id,
          reminders: found.reminders,
          mapLink: found.mapLink,
          choice: choice
        )
      )
    )
  }
}

/// One process of the app, as its host sees the phone.
@MainActor
final class FakePhone: RegionService, PositionService, AuthorizationService, NotificationService,
  PhoneStorage, PhoneClock
{
  weak var listener: (any PhoneListener)?
  private let system: FakeSystem
  /// After a kill nothing that the process does reaches the system.
  var isDead = false
  private(set) var isMeasuring = false
  /// Whether it measures by what costs little.
  private(set) var isEased = false
  private(set) var asked = 0
  var wakesAt: Timestamp?

  init(_ system: FakeSystem) { self.system = system }

  private(set) var isSettling = false
  var largestRegionMeters: Double? { system.largestRegionMeters }

  func watch(_ regions: [Region]) {
    guard !isDead else { return }
    system.watch(regions)
    isSettling = system.isSlow
  }

  func rearm(_ ids: [String]) {
    guard !isDead else { return }
    system.rearm(ids)
    isSettling = system.isSlow
  }

  /// The system watches what it was asked to.
  func settle() {
    isSettling = false
    listener?.take(.regionsWatched)
  }
  func start() { (isMeasuring, isEased) = (true, false) }
  func ease() { isEased = true }
  func stop() { (isMeasuring, isEased) = (false, false) }
  func wakeOnMove(_ isOn: Bool) { if !isDead { system.wakeOnMove(isOn) } }
  var access: LocationAccess { system.access }
  func ask() { asked += 1 }

  func show(
    _ notification: PhoneNotification,
    at instant: Timestamp?,
    told: @escaping @MainActor @Sendable (PhoneReceipt) -> Void
  ) {
    guard !isDead else { return }
    system.offered.append(notification)
    guard !system.holdsReceipts else { return system.hold(told) }
    guard system.allowsNotifications else { return told(.notAllowed) }
    guard system.isWithinReach else { return told(.refused("out of reach")) }
    if let instant {
      system.schedule(notification, at: instant)
    } else {
      system.present(notification)
    }
    if !system.losesReceipts { told(.taken) }
  }

  func remove(_ ids: [String]) { if !isDead { system.remove(ids) } }

  func standing(
    _ found: @escaping @MainActor @Sendable (_ pending: [String], _ shown: [String]) -> Void
  ) {
    let (pending, shown) = (system.pending.keys.sorted(), system.shown.keys.sorted())
    guard system.answersLater else { return found(pending, shown) }
    system.late.append { found(pending, shown) }
  }

  struct Locked: Error {}

  func load() throws -> PhoneMemory? {
    guard system.canRead else { throw Locked() }
    guard !system.isDamaged else { throw PhoneFailure.stateDamaged("not JSON") }
    return try system.file.map { try JSONDecoder().decode(PhoneMemory.self, from: $0) }
  }

  func setAside() throws {
    system.isDamaged = false
    system.putAside()
  }

  func save(_ memory: PhoneMemory) throws {
    guard system.canWrite else { throw Locked() }
    guard !isDead else { return }
    system.write(try JSONEncoder().encode(memory))
  }

  var now: Timestamp { system.now }
  var uptime: Milliseconds { system.uptime }
  var zone: UTCOffsetTable { system.zone }
  var zones: any ZoneSource { NoZones() }
  func wake(at instant: Timestamp?) { wakesAt = instant }
}

/// An app that keeps what it is told.
@MainActor
final class FakeApp: PhoneApp {
  var opened: [[String]] = []
  var maps: [String] = []
  var archived: [String] = []
  var failures: [PhoneFailure] = []
  var records: [Record] = []
  var signals: [String] = []
  /// How often it was told that what it shows has changed.
  var changes = 0

  func changed() { changes += 1 }
  func listen(to signals: [String]) { self.signals = signals }
  func open(reminders: [String]) { opened.append(reminders) }
  func openMap(_ link: String) { maps.append(link) }
  func archive(_ reminder: Reminder) { archived.append(reminder.id) }
  func failed(_ failure: PhoneFailure) { failures.append(failure) }
  func note(_ record: Record) { records.append(record) }
}
