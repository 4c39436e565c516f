// Without Foundation: the engine is all that is linked. `remind` is the README's example.
#if canImport(NearMe)
import NearMe
#else
#error("one import must be enough")
#endif

let catalog = POICatalog([
  PointOfInterest(
    sourceID: "node/1",
    categories: [CategoryID("pharmacy")],
    name: "Corner Pharmacy",
    coordinate: try Coordinate(latitude: 39.29, longitude: -76.61)
  )
])
let start = Timestamp(seconds: 1_772_550_000)
let way = (0...20).map { step in (39.19 + 0.005 * Double(step), Int64(60 * step)) }
var events = [Event(at: start, .launched)]
for (latitude, seconds) in way {
  let fix = Fix(
    at: start + .seconds(seconds),
    coordinate: try Coordinate(latitude: latitude, longitude: -76.61),
    horizontalAccuracyMeters: 5
  )
  events.append(Event(at: fix.at, .woken(by: fix, previous: nil)))
}
try remind(of: "pick up the prescription", catalog, events)
