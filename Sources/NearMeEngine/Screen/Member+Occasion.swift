import Places
import Timeline

extension ReminderNotification.Member {
  /// An occasion as a line of a notification: wording from evidence.
  ///
  /// On the way the category is told; which of its points it will be is not known yet.
  ///
  /// - Parameter told: when it is told.
  /// - Returns: nil if the reminder is gone.
  package init?(_ occasion: Occasion, _ roster: Roster, _ speech: Speech, at told: Timestamp) {
    guard let reminder = roster[occasion.reminder] else { return nil }
    let spot = occasion.spot
    var place = spot?.name ?? ""
    let trigger = occasion.key.trigger
    if reminder.triggers.indices.contains(trigger), let aim = reminder.triggers[trigger].target,
      let name = roster.name(of: aim)
    {
      switch aim {
      case .category where occasion.step.kind != .approach: break
      // The user may have renamed it since it was seen.
      case .category, .place: place = name
      }
    }
    let (text, choice) = speech.sentence(for: occasion, of: reminder, place: place, at: told)
    self.init(
      reminder: occasion.reminder,
      step: occasion.step,
      poi: spot?.poi,
      text: text,
      choice: choice,
      distanceMeters: spot?.distanceMeters,
      coordinate: spot?.coordinate
    )
  }

  /// The same in other words.
  func saying(_ words: String) -> Self {
    Self(
      reminder: reminder,
      step: step,
      poi: poi,
      text: words,
      choice: choice,
      distanceMeters: distanceMeters,
      coordinate: coordinate
    )
  }

  /// Whether it tells that one is at a place, or has left it, and an occasion the opposite.
  func isOver(with occasion: Occasion) -> Bool {
    guard let spot = occasion.spot, coordinate == spot.coordinate else { return false }
    return switch (step, occasion.step) {
    case (.leave, .tier(let tier)): tier == .arrival
    case (.tier(let tier), .leave): tier.kind != .approach
    default: false
    }
  }
}
