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

@MainActor func perform(_ effects: [Effect]) {
  for effect in effects {
    switch effect {
    case .monitor(let change): print("watch", change.start.map(\.id), "instead of", change.stop)
    case .locate: print("ask for the next position, once")
    case .follow(until: let instant): print("ask for every position until", instant as Any)
    case .ease(from: let instant, every: _): print("the receiver may rest from", instant)
    case .post(let news), .replace(let news): print("show", news.text)
    case .withdraw(let id): print("take away", id)
    case .schedule(let news, at: let instant): print("show", news.text, "at", instant)
    case .unschedule(let id): print("do not show", id)
    case .wakeAt(let instant): print("send .timer at", instant as Any)
    case .listen(to: let names): print("pass on the signals", names)
    case .archive(let reminder): print("keep", reminder.title, "among what is done")
    case .record: break
    }
  }
}

let start = Timestamp(seconds: 1_772_550_000)
perform(engine.handle(Event(at: start, .launched)))
for minute in 0...20 {
  let fix = Fix(
    at: start + .minutes(Int64(minute)),
    coordinate: try Coordinate(latitude: 39.19 + 0.005 * Double(minute), longitude: -76.61),
    horizontalAccuracyMeters: 5
  )
  perform(engine.handle(Event(at: fix.at, .woken(by: fix, previous: nil))))
}
