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
  /// Held for as long as this is: from iOS 18 on, without one the app is not woken reliably.
  private var session: AnyObject?
  private var isForAlways: Bool?
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

  /// After an error the monitor is listened to again after this.
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
    hand()
    if work == nil { work = open() }
  }

  /// Watches some of them anew.
  public func rearm(_ ids: [String]) {
    for id in ids where kinds[id] != nil { spent[id] = serial }
    hand()
  }

  /// Opens the monitor, which must not be before the phone's first unlock: the host has a first list when it could read
  /// what was kept, and the monitor's own file is protected no better.
  private func open() -> Task<Void, Never> {
    Task { [weak self, name, lists] in
      let monitor = await CLMonitor(name)
      let events = Task { [weak self] in
        // An error leaves what is watched: it is listened to anew, and not in a spin.
        do {
          while true {
            do {
              for try await event in await monitor.events { self?.take(event) }
            } catch {}
            // Throws when this monitor is no longer wanted.
            try await Task.sleep(for: Self.deafSpan)
          }
        } catch {}
      }
      // The system stops watching what was crossed while no process could hear of it, and lists it as before: what an
      // earlier process asked for is asked for anew, and whoever is on the other side is told at once.
      var isFirst = true
      for await list in lists {
        let spent = isFirst ? Set(list.regions.map(\.id)) : list.spent
        await Self.watch(list.regions, spent: spent, with: monitor)
        isFirst = false
        self?.settle(list)
      }
      events.cancel()
    }
  }

  private func hand() {
    serial += 1
    isSettling = true
    wanted.yield(Wanted(serial: serial, regions: regions, spent: Set(spent.keys)))
  }

  private func settle(_ list: Wanted) {
    // What has become so since this list was handed over waits for the next one.
    spent = spent.filter { $0.value >= list.serial }
    guard list.serial == serial else { return }
    isSettling = false
    listener?.take(.regionsWatched)
  }

  /// A session for always asks the user for the permission, which is the app's to do: until it is there, one that
  /// asks for nothing is held, and again when the user has taken it back.
  private func holdSession() {
    let isAllowed = manager.authorizationStatus == .authorizedAlways
    guard #available(iOS 18.0, macOS 15.0, *), isAllowed != isForAlways else { return }
    isForAlways = isAllowed
    let old = session as? CLServiceSession
    session = CLServiceSession(authorization: isAllowed ? .always : .none)
    old?.invalidate()
  }

  /// Lets go of all that a monitor of a name watches, for the regions are watched another way.
  static func forget(name: String = "nearme") {
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
    guard let kind = kinds[id] else { return }
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
