import NearMe

let catalog = POICatalog([
  PointOfInterest(
    sourceID: "node/1",
    categories: [CategoryID("pharmacy")],
    name: "Corner Pharmacy",
    coordinate: try Coordinate(latitude: 39.29, longitude: -76.61)
  )
])

var policy = Policy()
policy.monitor = .ios
var engine = Engine(
  policy: policy,
  zone: .utc,
  catalog: catalog,
  monitoring: .regions(MonitorLimits(slots: policy.monitor.slots))
)
let pharmacy = Reminder.Target.category(CategoryID("pharmacy"))
try engine.load(
  places: [],
  reminders: [Reminder(id: "meds", title: "pick up the prescription", target: pharmacy)]
)
