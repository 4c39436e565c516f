import Places
import Timeline

extension ReminderNotification.Member {
  /// An occasion as a line of a notification: wording from evidence.
  ///
  /// On the way the category is told; which of its points it will be is not known yet.
  ///
  /// - Returns: nil if the reminder is gone.
  package init?(_ occasion: Occasion, _ policy: Policy, _ roster: Roster) {
    guard let reminder = roster[occasion.reminder] else { return nil }
    let wording = Wording(policy: policy.text)
    let spot = occasion.spot
    let title = reminder.title
    let text: String
    switch occasion.step {
    case .tier(.approach(let ringMeters)):
      var target: String?
      if case .place(let aim, _) = reminder.triggers[occasion.key.trigger] {
        target = roster.name(of: aim)
      }
      text = wording.approach(
        ringMeters: ringMeters,
        distanceMeters: spot?.distanceMeters ?? ringMeters,
        target: target ?? spot?.name ?? "",
        title: title
      )
    case .tier(.arrival): text = wording.arrival(place: spot?.name ?? "", title: title)
    case .tier(.postArrival): text = wording.postArrival(title: title)
    case .schedule(_, let lead):
      text =
        lead.value == 0 ? wording.scheduled(title: title) : wording.ahead(lead, title: title)
    case .leave: text = wording.leaving(place: spot?.name ?? "", title: title)
    case .signal: text = wording.signal(title: title)
    }
    self.init(
      reminder: occasion.reminder,
      step: occasion.step,
      poi: spot?.poi,
      text: text,
      distanceMeters: spot?.distanceMeters,
      coordinate: spot?.coordinate
    )
  }
}
