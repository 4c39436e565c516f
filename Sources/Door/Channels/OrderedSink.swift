import Channels
import LiveHost
import NearMeEngine
import Timeline

/// A channel in its place among a person's: it is told when those before it were not heard.
///
/// It waits in its queue in the person's database: so it waits on after a kill, and what is withdrawn meanwhile is
/// never told.
struct OrderedSink: Sink {
  let sink: any Sink
  /// Its own id.
  let channel: String
  /// The channels that come before it, and the names of their sinks; one that could not be opened has none.
  let before: [(channel: String, sinks: [String])]
  let order: ChannelOrder
  let person: DoorPerson
  let heard: HeardNews
  let clock: any HostClock
  /// Is called when this channel has given up: the next one need not wait.
  let hurry: @Sendable () -> Void

  var name: String { sink.name }
  var takesRecords: Bool { sink.takesRecords }
  var batchLimit: Int { 1 }
  var lane: String? { sink.lane }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> {
    try sink.alreadyDelivered(among: pending)
  }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    guard let delivery = deliveries.first, let id = delivery.notificationID else {
      return .refused(reason: "not_a_notification")
    }
    noteLost(delivery)
    if case .posted(let notification) = delivery.news {
      if let outcome = outcomeOfWaiting(notification) { return outcome }
    } else if heard.mark(id, of: person).spared.contains(channel) {
      return .delivered
    }
    let outcome = await sink.deliver([delivery])
    // One channel that is broken stops neither the others nor the engine.
    if case .broken(let failure) = outcome { return .refused(reason: "broken: \(failure.code)") }
    return outcome
  }

  func gaveUp(_ delivery: Delivery) async {
    await sink.gaveUp(delivery)
    guard let id = delivery.notificationID else { return }
    // Where it cannot be noted, the next channel is told when its minutes are over.
    let now = clock.now()
    try? heard.note(id, of: person, at: now) { $0.failed[name] = now }
    hurry()
  }

  func end() async { await sink.end() }

  /// What becomes of something new without telling it; nil if it is to be told now.
  private func outcomeOfWaiting(_ notification: ReminderNotification) -> DeliveryOutcome? {
    let mark = heard.mark(notification.id, of: person)
    let now = clock.now()
    var story = ChannelStory(postedAt: since(notification, now: now))
    story.told = before.map(\.channel)
    // One that tells nobody is waited for by nobody; one of several browsers is enough.
    story.failed = Set(
      before.filter { $0.sinks.allSatisfy { mark.hasFailed($0, since: notification.at) } }
        .map(\.channel)
    )
    story.seenAt = mark.isSeen(since: notification.at)
    let next = order.next(story, now: now)
    if !next.tell.contains(channel), let again = next.again { return .waits(until: again) }
    let isSpared = !next.tell.contains(channel)
    do throws(HostFailure) {
      try heard.note(notification.id, of: person, at: now) { mark in
        if isSpared { mark.spared.insert(channel) } else { mark.spared.remove(channel) }
      }
    } catch {
      return .putOff(reason: "not_noted", atLeast: nil)
    }
    return isSpared ? .delivered : nil
  }

  /// Since when the oldest of what a notification tells has not been answered: a nag and an update begin no new wait.
  private func since(_ notification: ReminderNotification, now: Timestamp) -> Timestamp {
    guard order.waits else { return notification.at }
    // Where it cannot be noted, the wait begins with what is told now.
    return (try? heard.begin(notification, of: person, at: now)) ?? notification.at
  }

  /// Notes which lines are not on the screen any more.
  private func noteLost(_ delivery: Delivery) {
    guard order.waits, let id = delivery.notificationID else { return }
    let now = clock.now()
    switch delivery.news {
    case .withdrawn: try? heard.end(id, but: nil, of: person, at: delivery.at, now: now)
    case .replaced(let notification, _):
      try? heard.end(id, but: notification, of: person, at: delivery.at, now: now)
      _ = since(notification, now: now)
    case .posted, .transition, .decision: return
    }
  }
}
