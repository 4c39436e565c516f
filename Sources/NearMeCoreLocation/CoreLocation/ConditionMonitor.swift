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
  private let wanted: AsyncStream<[Region]>.Continuation
  private var work: Task<Void, Never>?
  /// Held for as long as this is: from iOS 18 on, without one the app is not woken reliably.
  private var session: AnyObject?

  /// Opens the monitor of a name; there must be one only of each.
  public init(name: String = "nearme") {
    let (lists, wanted) = AsyncStream.makeStream(
      of: [Region].self,
      bufferingPolicy: .bufferingNewest(1)
    )
    self.wanted = wanted
    if #available(iOS 18.0, macOS 15.0, *) { session = CLServiceSession(authorization: .always) }
    work = Task { [weak self] in
      let monitor = await CLMonitor(name)
      let events = Task { [weak self] in
        // It ends when the monitor does; an error leaves what is watched, and the next launch tries anew.
        do {
          for try await event in await monitor.events { self?.take(event) }
        } catch {}
      }
      for await regions in lists { await Self.watch(regions, with: monitor) }
      events.cancel()
    }
  }

  deinit {
    wanted.finish()
    work?.cancel()
  }

  /// Watches exactly these regions, by difference.
  public func watch(_ regions: [Region]) {
    kinds = Dictionary(regions.map { ($0.id, $0.kind) }) { first, _ in first }
    wanted.yield(regions)
  }

  /// Lets go of all that a monitor of a name watches, for the regions are watched another way.
  static func forget(name: String = "nearme") {
    Task { await watch([], with: CLMonitor(name)) }
  }

  private static func watch(_ regions: [Region], with monitor: CLMonitor) async {
    for id in await monitor.identifiers where !regions.contains(where: { $0.id == id }) {
      await monitor.remove(id)
    }
    for region in regions {
      let condition = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(region.center),
        radius: region.radiusMeters
      )
      if let record = await monitor.record(for: region.id) {
        if let old = record.condition as? CLMonitor.CircularGeographicCondition,
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
    case .satisfied: if kinds[id] == .enter { listener?.take(.crossed(region: id)) }
    case .unsatisfied:
      if let kind = kinds[id], kind != .enter { listener?.take(.crossed(region: id)) }
    // Not watched at the moment, such as without the permission, which is told apart from this.
    case .unknown, .unmonitored: break
    @unknown default: break
    }
  }
}
#endif
