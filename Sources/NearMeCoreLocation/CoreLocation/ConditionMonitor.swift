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
  private var kinds: [String: Region.Kind] = [:]
  /// What the monitor said before it was known what is watched, by region: whether the phone is inside.
  private var early: [String: Bool]? = [:]
  private let wanted: AsyncStream<Wanted>.Continuation
  private var work: Task<Void, Never>?
  /// Held for as long as this is: from iOS 18 on, without one the app is not woken reliably.
  private var session: AnyObject?
  private var isForAlways: Bool?
  private let manager = CLLocationManager()
  private var regions: [Region] = []
  /// Those that are to be asked for anew, until the monitor has done so.
  private var spent: Set<String> = []
  /// The number of the newest list.
  private var serial = 0
  /// Whether the monitor has not done yet what it was last asked for.
  public private(set) var isSettling = false

  /// After an error the monitor is listened to again after this.
  private static let deafSpan = Duration.seconds(1)

  private struct Wanted: Sendable {
    let serial: Int
    let regions: [Region]
    let spent: Set<String>
  }

  /// Opens the monitor of a name; there must be one only of each.
  public init(name: String = "nearme") {
    let (lists, wanted) = AsyncStream.makeStream(
      of: Wanted.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    self.wanted = wanted
    holdSession()
    work = Task { [weak self] in
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
      for await list in lists {
        await Self.watch(list.regions, spent: list.spent, with: monitor)
        self?.settle(list)
      }
      events.cancel()
    }
  }

  deinit {
    wanted.finish()
    work?.cancel()
  }

  /// Watches exactly these regions, by difference.
  public func watch(_ regions: [Region]) {
    holdSession()
    self.regions = regions
    kinds = Dictionary(regions.map { ($0.id, $0.kind) }) { first, _ in first }
    spent = spent.filter { kinds[$0] != nil }
    hand()
    guard let early else { return }
    self.early = nil
    for (id, isInside) in early.sorted(by: { $0.key < $1.key }) { take(id, isInside: isInside) }
  }

  /// Watches some of them anew.
  public func rearm(_ ids: [String]) {
    spent.formUnion(ids.filter { kinds[$0] != nil })
    hand()
  }

  private func hand() {
    serial += 1
    isSettling = true
    wanted.yield(Wanted(serial: serial, regions: regions, spent: spent))
  }

  private func settle(_ list: Wanted) {
    spent.subtract(list.spent)
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
        if !spent.contains(region.id),
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

  private func take(_ event: CLMonitor.Event) {
    let id = event.identifier
    if #available(iOS 18.0, macOS 15.0, *),
      event.conditionLimitExceeded || event.conditionUnsupported
    {
      listener?.take(.regionsRefused([id]))
      return
    }
    switch event.state {
    case .satisfied: take(id, isInside: true)
    case .unsatisfied: take(id, isInside: false)
    // Not watched at the moment, such as without the permission, which is told apart from this.
    case .unknown, .unmonitored: break
    @unknown default: break
    }
  }

  private func take(_ id: String, isInside: Bool) {
    // As before the first unlock of a phone, when what is kept cannot be read.
    early?[id] = isInside
    guard let kind = kinds[id], (kind == .enter) == isInside else { return }
    listener?.take(.crossed(region: id))
  }
}
#endif
