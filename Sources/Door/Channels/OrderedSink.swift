import Channels
import LiveHost
import NearMeEngine
import Timeline

/// A channel in its place among a person's: it is told when those before it were not heard.
///
/// It waits as what fails for now waits, in the person's database: so it waits on after a kill, and what is
/// withdrawn meanwhile is never told.
struct OrderedSink: Sink {
  let sink: any Sink
  /// Its own id, and those that come before it.
  let channel: String
  let before: [String]
  let order: ChannelOrder
  let person: DoorPerson
  let heard: HeardNews
  let clock: any HostClock
  /// Is called when this channel has given up: the next one need not wait.
  let giveUp: @Sendable () -> Void

  var name: String { sink.name }
  var takesRecords: Bool { sink.takesRecords }
  var batchLimit: Int { 1 }

  func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> {
    try sink.alreadyDelivered(among: pending)
  }

  func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    guard let delivery = deliveries.first, let id = delivery.notificationID else {
      return .refused(reason: "not_a_notification")
    }
    if case .posted(let notification) = delivery.news {
      if let outcome = outcomeOfWaiting(notification) { return outcome }
    } else if heard.mark(id, of: person).spared.contains(channel) {
      return .delivered
    }
    let outcome = await sink.deliver([delivery])
    if case .refused = outcome {
      heard.note(id, of: person) { $0.failed.insert(channel) }
      giveUp()
    }
    return outcome
  }

  func end() async { await sink.end() }

  /// What becomes of something new without telling it; nil if it is to be told now.
  private func outcomeOfWaiting(_ notification: ReminderNotification) -> DeliveryOutcome? {
    let mark = heard.mark(notification.id, of: person)
    var story = ChannelStory(postedAt: notification.at)
    story.told = before
    story.failed = mark.failed
    story.seenAt = mark.seenAt
    let now = clock.now()
    let next = order.next(story, now: now)
    guard !next.tell.contains(channel) else { return nil }
    if let again = next.again { return .putOff(reason: "waits_for_another", atLeast: again - now) }
    heard.note(notification.id, of: person) { $0.spared.insert(channel) }
    return .delivered
  }
}
