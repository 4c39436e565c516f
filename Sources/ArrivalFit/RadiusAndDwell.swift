import Geodesy
import Places
import Timeline
import Traces

/// The plain detector, for comparison: within a radius of a place for a time.
///
/// Every place has a circle of its own; one is inside from the first fix within it whose accuracy is
/// at most the radius or 50 m, until a fix lies 50 m beyond it. Silence counts as staying.
struct RadiusAndDwell {
  var radiusMeters: Double
  var dwellSeconds: Int64

  var name: String {
    let radius = "radius \(Int(radiusMeters)) m"
    return dwellSeconds == 0 ? "\(radius), entry" : "\(radius), dwell \(dwellSeconds) s"
  }

  func notices(_ day: Day) -> [Notice] {
    struct Inside {
      var slot: Int
      var poi: Int
      var since: Timestamp
      var isTold = false
    }
    var inside: [Inside] = []
    var notices: [Notice] = []
    let catalog = day.catalog
    func tell(upTo now: Timestamp) {
      for i in inside.indices where !inside[i].isTold {
        let due = inside[i].since + .seconds(dwellSeconds)
        guard due <= now else { continue }
        inside[i].isTold = true
        notices.append(
          Notice(
            at: due,
            category: catalog.categories[inside[i].slot].name,
            poi: catalog.points[inside[i].poi].sourceID
          )
        )
      }
    }
    for (fix, point) in zip(day.fixes, day.points) {
      tell(upTo: fix.at)
      inside.removeAll {
        catalog.positions[$0.poi].distanceMeters(to: point) > radiusMeters + 50
      }
      guard fix.horizontalAccuracyMeters <= max(radiusMeters, 50) else { continue }
      for slot in catalog.categories.indices {
        var near: [Int] = []
        catalog.forEach(slot: slot, withinMeters: radiusMeters, of: point) { near.append($0) }
        for poi in near.sorted() where !inside.contains(where: { ($0.slot, $0.poi) == (slot, poi) })
        {
          inside.append(Inside(slot: slot, poi: poi, since: fix.at))
        }
      }
      tell(upTo: fix.at)
    }
    if let last = day.fixes.last { tell(upTo: last.at + .minutes(20)) }
    return notices.sorted { ($0.at, $0.category, $0.poi) < ($1.at, $1.category, $1.poi) }
  }
}
