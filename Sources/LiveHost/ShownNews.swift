import Fencing
import NearMeEngine
import Timeline

/// What is shown, by which it is known whether what takes its place says more.
struct ShownNews {
  private var shown: [String: ReminderNotification]

  /// What an engine has on the screen.
  init(_ engine: Engine) {
    shown = Dictionary(
      engine.state.shownNow.map { ($0.id, $0) },
      uniquingKeysWith: { _, newest in newest }
    )
  }

  /// What effects tell, without keys, in order.
  ///
  /// - Parameter engine: as it is after them.
  mutating func news(
    of effects: [Effect],
    _ event: Event,
    _ engine: Engine
  ) -> [(at: Timestamp, news: Delivery.News)] {
    let now = engine.newestInstant ?? event.at
    var hasChanged = false
    let news = effects.compactMap { effect -> (at: Timestamp, news: Delivery.News)? in
      switch effect {
      case .post(let notification), .record(.presented(let notification)):
        // What the system would have shown by itself: here the host is the system.
        hasChanged = true
        return (notification.at, .posted(notification))
      case .replace(let notification):
        hasChanged = true
        return (now, .replaced(notification, isNews: isNews(notification, now)))
      case .withdraw(let id):
        hasChanged = true
        return (now, .withdrawn(id: id))
      case .record(.transition(let transition)): return (transition.at, .transition(transition))
      case .record(.decision(let decision)): return (decision.at, .decision(decision))
      default: return nil
      }
    }
    // With the clock, the instants of what is shown are set, too.
    if case .clockChanged = event.kind { hasChanged = true }
    let before = shown
    if hasChanged { self = ShownNews(engine) }
    return Self.together(news, before: before)
  }

  /// What one event brought, each notification as it is in the end: after a night in which nothing ran nobody needs ten
  /// of a series that are taken back at once.
  private static func together(
    _ news: [(at: Timestamp, news: Delivery.News)],
    before: [String: ReminderNotification]
  ) -> [(at: Timestamp, news: Delivery.News)] {
    var last: [String: Int] = [:]
    for (i, one) in news.enumerated() {
      if let id = one.news.notificationID { last[id] = i }
    }
    return news.enumerated()
      .compactMap { i, one in
        guard let id = one.news.notificationID else { return one }
        guard last[id] == i else { return nil }
        switch one.news {
        case .replaced(let notification, _) where before[id] == nil:
          return (one.at, .posted(notification))
        case .withdrawn where before[id] == nil: return nil
        default: return one
        }
      }
  }

  /// Whether it says more than what it takes the place of.
  ///
  /// What has only lost lines keeps its instant. What is told anew has that of what happened: by the wall's clock a
  /// fix is heard of a moment after its own.
  private func isNews(_ notification: ReminderNotification, _ now: Timestamp) -> Bool {
    guard notification.at != now, let before = shown[notification.id],
      before.at == notification.at
    else { return true }
    return notification.members.contains { new in
      // In other words it is no news.
      !before.members.contains {
        ($0.reminder, $0.step, $0.poi) == (new.reminder, new.step, new.poi)
      }
    }
  }
}
