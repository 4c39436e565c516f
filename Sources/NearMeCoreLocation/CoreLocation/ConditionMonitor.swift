// Linux: against the signatures in Tests/CoreLocation.
#if canImport(CoreLocation) && (os(iOS) || os(Linux))
import CoreLocation
import NearMe

/// Regions by `CLMonitor`.
///
/// The monitor is an actor: what is to be watched waits in line for it, of which the newest counts.
@available(iOS 17.0, macOS 14.0, *)
@MainActor
public final class ConditionMonitor: RegionService {
  /// Who is told what happens.
  public weak var listener: (any PhoneListener)?
  private let name: String
  private var regions: [Region] = []
  private var kinds: [String: Region.Kind] = [:]
  private let lists: AsyncStream<Wanted>
  private let wanted: AsyncStream<Wanted>.Continuation
  /// Nil before the first list.
  private var work: Task<Void, Never>?
  /// Nil before the first list, and where one is to be opened anew.
  private var monitor: CLMonitor?
  private var listening: Task<Void, Never>?
  /// How often one was opened anew since an event came.
  private var renewals = 0
  /// What the system says of how it watches.
  private var complaints: Set<String> = []
  /// Held for as long as this is: from iOS 18 on, without one the app is not woken reliably.
  private var session: AnyObject?
  private var sessionStatus: CLAuthorizationStatus?
  private let manager = CLLocationManager()
  /// Those that are to be asked for anew, until the monitor has done so, with the number of the list after which it
  /// was known.
  private var spent: [String: Int] = [:]
  /// The number of the newest list.
  private var serial = 0
  /// Until the regions that were one too many are all known.
  private var gathering: Task<Void, Never>?
  /// Until what is watched no longer is asked for anew.
  private var pause: Task<Void, Never>?
  /// How often that was since the list last changed.
  private var pauses = 0
  /// Whether the monitor has not done yet what it was last asked for.
  public private(set) var isSettling = false

  /// After an error the monitor is listened to again after this, and ever later where it goes on.
  private static let deafSpan = Duration.seconds(1)
  /// Where there is one region too many, all that the system gives up for it are known after this.
  private static let gatherSpan = Duration.seconds(1)

  private struct Wanted: Sendable {
    let serial: Int
    let regions: [Region]
    let spent: Set<String>
  }

  /// Makes one, which opens the monitor of a name with the first list.
  ///
  /// - Parameter name: of letters and digits; there must be one only of each in a process.
  public init(name: String = "nearme") {
    self.name = name
    (lists, wanted) = AsyncStream.makeStream(of: Wanted.self, bufferingPolicy: .bufferingNewest(1))
    holdSession()
  }

  deinit {
    wanted.finish()
    work?.cancel()
    listening?.cancel()
    gathering?.cancel()
    pause?.cancel()
  }

  /// Watches exactly these regions; the first list is asked for as a whole.
  public func watch(_ regions: [Region]) {
    holdSession()
    self.regions = regions
    kinds = Dictionary(regions.map { ($0.id, $0.kind) }) { first, _ in first }
    spent = spent.filter { kinds[$0.key] != nil }
    pause?.cancel()
    (pause, pauses) = (nil, 0)
    // To open a monitor and hear its events would ask the user for the permission, which is the app's to do; with it, the
    // host asks for its regions anew.
    if work == nil, manager.authorizationStatus != .notDetermined { work = open() }
    hand()
  }

  /// Watches some of them anew.
  public func rearm(_ ids: [String]) {
    for id in ids where kinds[id] != nil { spent[id] = serial }
    hand()
  }

  /// Opens the monitor, which must not be before the phone's first unlock: the host has a first list when it could read
  /// what was kept, and the monitor's own file is protected no better.
  private func open() -> Task<Void, Never> {
    Task { [weak self, lists] in
      for await list in lists { await self?.watch(list) }
    }
  }

  private func watch(_ list: Wanted) async {
    // The system stops watching what was crossed while no process could hear of it, and lists it as before: what an
    // earlier process asked for, or an earlier monitor of this one, is asked for anew, and whoever is on the other side
    // is told at once.
    let isFirst = monitor == nil
    let monitor = await opened()
    await Self.watch(
      list.regions,
      spent: isFirst ? Set(list.regions.map(\.id)) : list.spent,
      with: monitor
    )
    settle(list)
  }

  /// The monitor that is open, or a new one, of which there must be one only: the one before is let go of first.
  private func opened() async -> CLMonitor {
    if let monitor { return monitor }
    await listening?.value
    let opened = await CLMonitor(name)
    monitor = opened
    listening = listen(to: opened)
    return opened
  }

  /// Hears what a monitor tells until it has failed twice in a row, or this is gone; after the first time it is listened
  /// to anew.
  private func listen(to monitor: CLMonitor) -> Task<Void, Never> {
    Task { [weak self] in
      var failures = 0
      while failures < 2 {
        var why = "they have ended"
        do {
          for try await event in await monitor.events {
            failures = 0
            self?.take(event)
          }
        } catch { why = "\(error)" }
        failures += 1
        guard let span = self?.deafness(after: failures, why) else { return }
        do { try await Task.sleep(for: span) } catch { return }
      }
      self?.renew()
    }
  }

  /// How long nothing is heard after an error, not in a spin.
  private func deafness(after failures: Int, _ why: String) -> Duration {
    if failures > 1 { listener?.take(.failed(.regionsUnheard(why))) }
    return Self.deafSpan * (1 << min(renewals, 6))
  }

  private func renew() {
    renewals += 1
    monitor = nil
    hand()
  }

  private func hand() {
    serial += 1
    isSettling = work != nil
    wanted.yield(Wanted(serial: serial, regions: regions, spent: Set(spent.keys)))
  }

  private func settle(_ list: Wanted) {
    // What has become so since this list was handed over waits for the next one.
    spent = spent.filter { $0.value >= list.serial }
    guard list.serial == serial else { return }
    isSettling = false
    listener?.take(.regionsWatched)
  }

  /// A session asks the user for the permission that it is for, which is the app's to do: one is held for what is there,
  /// and for nothing where nothing is; and again when the user has changed it.
  private func holdSession() {
    let status = manager.authorizationStatus
    guard #available(iOS 18.0, macOS 15.0, *), status != sessionStatus else { return }
    sessionStatus = status
    let old = session as? CLServiceSession
    let need: CLServiceSession.AuthorizationRequirement =
      switch status {
      case .authorizedAlways: .always
      case .authorizedWhenInUse: .whenInUse
      default: .none
      }
    session = CLServiceSession(authorization: need)
    old?.invalidate()
  }

  /// Lets go of all that a monitor of a name watches, for the regions are watched another way.
  static func forget(name: String = "nearme") {
    // As with one that watches: it would ask for the permission, without which nothing is watched.
    guard CLLocationManager().authorizationStatus != .notDetermined else { return }
    Task { await watch([], spent: [], with: CLMonitor(name)) }
  }

  private static func watch(
    _ regions: [Region],
    spent: Set<String>,
    with monitor: CLMonitor
  ) async {
    for id in await monitor.identifiers where !regions.contains(where: { $0.id == id }) {
      await monitor.remove(id)
    }
    for region in regions {
      let condition = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(region.center),
        radius: region.radiusMeters
      )
      if let record = await monitor.record(for: region.id) {
        if !spent.contains(region.id), !isGivenUp(record.lastEvent.state),
          let old = record.condition as? CLMonitor.CircularGeographicCondition,
          abs(old.radius - condition.radius) < LocationManager.sameMeters,
          old.center.isNearly(condition.center)
        {
          continue
        }
        await monitor.remove(region.id)
      }
      // Whoever is on the other side already is told at once: no region lies dead.
      await monitor.add(
        condition,
        identifier: region.id,
        assuming: region.kind == .enter ? .unsatisfied : .satisfied
      )
    }
  }

  /// Whether the system watches a region no longer.
  private static func isGivenUp(_ state: CLMonitor.Event.State) -> Bool {
    // The case is of iOS 17.2: a pattern may name it on every iOS, a comparison may not.
    switch state {
    case .unmonitored: true
    case .unknown, .satisfied, .unsatisfied: false
    @unknown default: false
    }
  }

  private func take(_ event: CLMonitor.Event) {
    let id = event.identifier
    renewals = 0
    guard let kind = kinds[id] else { return }
    complain(of: event)
    if #available(iOS 18.0, macOS 15.0, *) {
      if event.conditionUnsupported {
        listener?.take(.regionsRefused([id]))
        return
      }
      if event.conditionLimitExceeded { return gather(id) }
    }
    if Self.isGivenUp(event.state) { return askAnew(for: id) }
    guard kind == .enter ? event.state == .satisfied : event.state == .unsatisfied else { return }
    listener?.take(.crossed(region: id))
  }

  /// Passes on what the system says of how it watches, each word once until an event comes without any.
  private func complain(of event: CLMonitor.Event) {
    guard #available(iOS 18.0, macOS 15.0, *) else { return }
    let words = [
      ("accuracyLimited", event.accuracyLimited),
      ("insufficientlyInUse", event.insufficientlyInUse),
      ("persistenceUnavailable", event.persistenceUnavailable),
      ("serviceSessionRequired", event.serviceSessionRequired),
    ]
    .filter(\.1).map(\.0)
    if words.isEmpty { complaints = [] }
    for word in words where complaints.insert(word).inserted {
      listener?.take(.failed(.regionsUnsure(word)))
    }
  }

  /// Has the region that matters least refused, and asks anew for the others with the list that follows.
  ///
  /// Where there is one region too many, the system may give up any number, each with an event of its own: told one by
  /// one, they would be taken for so many too many.
  private func gather(_ id: String) {
    spent[id] = serial
    guard gathering == nil else { return }
    gathering = Task { [weak self] in
      do { try await Task.sleep(for: Self.gatherSpan) } catch { return }
      self?.refuseLast()
    }
  }

  private func refuseLast() {
    gathering = nil
    if let last = regions.last { listener?.take(.regionsRefused([last.id])) }
  }

  /// Asks anew for what is watched no longer, at once, and again ever less often: without the permission it would be
  /// given up each time.
  private func askAnew(for id: String) {
    spent[id] = serial
    guard pause == nil else { return }
    let minutes = pauses == 0 ? 0 : 1 << min(pauses - 1, 4)
    pauses += 1
    pause = Task { [weak self] in
      do { try await Task.sleep(for: .seconds(60 * minutes)) } catch { return }
      self?.pause = nil
      self?.hand()
    }
  }
}
#endif
