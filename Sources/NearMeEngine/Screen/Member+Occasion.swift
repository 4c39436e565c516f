import Places

extension ReminderNotification.Member {
  /// An occasion as a line of a notification: wording from evidence.
  ///
  /// On the way the category is told; which of its points it will be is not known yet.
  init?(_ occasion: Occasion, _ policy: Policy, _ roster: Roster) {
    guard let spot = occasion.spot, let reminder = roster[occasion.reminder] else { return nil }
    let wording = Wording(policy: policy.text)
    let text: String
    switch occasion.tier {
    case .approach(let ringMeters):
      text = wording.approach(
        ringMeters: ringMeters,
        distanceMeters: spot.distanceMeters,
        target: roster.name(of: reminder.target) ?? spot.name,
        title: reminder.title
      )
    case .arrival: text = wording.arrival(place: spot.name, title: reminder.title)
    case .postArrival: text = wording.postArrival(title: reminder.title)
    }
    self.init(
      reminder: occasion.reminder,
      tier: occasion.tier,
      poi: spot.poi,
      text: text,
      distanceMeters: spot.distanceMeters,
      coordinate: spot.coordinate
    )
  }
}
