import Geodesy
import NearMeEngine
import Places
import Replay
import Timeline
import Traces

/// The points of interest around a way, and where the way came near to them.
struct DaySurroundings {
  /// Beyond the outermost ring of the defaults, 5 miles, a point is of no use to the eye.
  static let reachMeters = 12_000.0
  /// More would be drawn over each other.
  static let mostPoints = 2_000
  /// So near one might have expected to hear something.
  static let passMeters = 250.0
  /// A pass is over when one has been away for so long.
  static let passGap = Milliseconds.minutes(10)
  /// So many of a reminder's passes are explained, the nearest first.
  static let mostPasses = 20

  private let catalog: POICatalog
  private let places: [Place]
  /// The way without fixes that are nearly where the one before was.
  private let way: [(at: Timestamp, point: SurfacePoint)]

  init(_ fixes: [Fix], _ person: Person, _ catalog: POICatalog) {
    self.catalog = catalog
    places = person.places
    var way: [(at: Timestamp, point: SurfacePoint)] = []
    for fix in fixes where fix.horizontalAccuracyMeters <= 200 {
      let point = SurfacePoint(fix.coordinate)
      if let last = way.last, point.distanceMeters(to: last.point) < 20,
        fix.at - last.at < .minutes(5)
      {
        continue
      }
      way.append((fix.at, point))
    }
    self.way = way
  }

  /// The points of some categories, the nearest to the way first.
  func points(_ categories: [CategoryID]) -> (points: [PointOfInterest], leftOut: Int) {
    let wanted = Set(categories)
    var coarse: [SurfacePoint] = []
    for (_, point) in way where coarse.last.map({ $0.distanceMeters(to: point) > 300 }) ?? true {
      coarse.append(point)
    }
    var near: [(meters: Double, index: Int)] = []
    for (index, poi) in catalog.points.enumerated()
    where poi.categories.contains(where: wanted.contains) {
      let position = catalog.positions[index]
      let chord = coarse.lazy.map { $0.chordSquared(to: position) }.min()
      guard let meters = chord.map({ arcMeters(chordSquared: $0) }), meters <= Self.reachMeters
      else { continue }
      near.append((meters, index))
    }
    near.sort { ($0.meters, $0.index) < ($1.meters, $1.index) }
    let kept = near.prefix(Self.mostPoints)
    return (kept.map { catalog.points[$0.index] }, near.count - kept.count)
  }

  /// Where the way came near to something that a reminder is about.
  struct Pass {
    /// The id of the point or place.
    let spot: String
    let meters: Double
    let at: Timestamp
  }

  /// The passes of a reminder's targets, in order of time.
  func passes(_ reminder: Reminder) -> [Pass] {
    var passes: [Pass] = []
    for target in reminder.triggers.compactMap(\.target) {
      switch target {
      case .category(let category):
        guard let slot = catalog.slot(of: category) else { continue }
        passes += self.passes { point in
          guard let near = catalog.nearest(slot: slot, to: point) else { return nil }
          return (catalog.points[near.index].sourceID, near.distanceMeters)
        }
      case .place(let id):
        guard let place = places.first(where: { $0.id == id }) else { continue }
        let center = SurfacePoint(place.coordinate)
        passes += self.passes { (id, center.distanceMeters(to: $0)) }
      }
    }
    let nearest = passes.sorted { ($0.meters, $0.at, $0.spot) < ($1.meters, $1.at, $1.spot) }
      .prefix(Self.mostPasses)
    return nearest.sorted { ($0.at, $0.spot) < ($1.at, $1.spot) }
  }

  private func passes(
    _ nearest: (SurfacePoint) -> (spot: String, meters: Double)?
  ) -> [Pass] {
    var done: [Pass] = []
    var open: [(pass: Pass, last: Timestamp)] = []
    for (at, point) in way {
      done += open.filter { at - $0.last > Self.passGap }.map(\.pass)
      open.removeAll { at - $0.last > Self.passGap }
      guard let (spot, meters) = nearest(point), meters <= Self.passMeters else { continue }
      let pass = Pass(spot: spot, meters: meters, at: at)
      if let i = open.firstIndex(where: { $0.pass.spot == spot }) {
        open[i].last = at
        if meters < open[i].pass.meters { open[i].pass = pass }
      } else {
        open.append((pass, at))
      }
    }
    return done + open.map(\.pass)
  }
}
