import NearMe

func remind(of title: String, _ catalog: POICatalog, _ events: [Event]) throws {
  // iOS takes 20 regions, and is a little late.
  var policy = Policy()
  policy.monitor = .ios
  let limits = MonitorLimits(slots: policy.monitor.slots)
  var engine = Engine(
    policy: policy,
    zone: .utc,
    catalog: catalog,
    monitoring: .regions(limits)
  )
  let pharmacy = Reminder.Target.category(CategoryID("pharmacy"))
  try engine.load(places: [], reminders: [Reminder(id: "meds", title: title, target: pharmacy)])
  for event in events {
    for effect in engine.handle(event) {
      switch effect {
      case .monitor(let change): print("stop", change.stop, "then start", change.start)
      case .locate: print("ask for the next position, once")
      case .follow(until: let instant): print("ask for every position until", instant as Any)
      case .ease(from: let instant, every: _): print("the receiver may rest from", instant)
      case .post(let news), .replace(let news): print("show", news.id, news.text)
      case .withdraw(let id): print("take away", id)
      case .schedule(let news, at: let instant): print("show", news.id, news.text, "at", instant)
      case .unschedule(let id): print("do not show", id)
      case .wakeAt(let instant): print("send .timer at", instant as Any)
      case .listen(to: let names): print("pass on the signals", names)
      case .archive(let reminder): print("keep", reminder.title, "among what is done")
      case .record(let record): print("log", record)
      }
    }
  }
}
