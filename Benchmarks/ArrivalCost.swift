import Arrivals
import Geodesy
import Places
import Traces

/// What the arrival detector costs for each fix: on a drive with stops at places, and far from all.
func measureArrivals(_ fixes: [Fix], _ catalog: POICatalog) {
  let points = fixes.map { SurfacePoint($0.coordinate) }
  let far = POICatalog([
    PointOfInterest(
      sourceID: "node/1",
      categories: [CategoryID("pharmacy")],
      coordinate: Coordinate(uncheckedLatitude: -41, longitude: 174)
    )
  ])
  for (name, places) in [("a drive with stops at places", catalog), ("far from every place", far)] {
    report(
      measure(
        "arrival detector, \(name)",
        size: "\(fixes.count) fixes, \(places.points.count) POIs",
        work: Double(fixes.count),
        unit: "fixes"
      ) {
        var detector = ArrivalDetector(settings: ArrivalSettings(), catalog: places)
        var arrivals = 0
        for (fix, point) in zip(fixes, points) {
          for case .arrived in detector.observe(fix, at: point) { arrivals += 1 }
        }
        keep(arrivals)
      }
    )
  }
}
