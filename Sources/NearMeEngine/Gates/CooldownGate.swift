import Timeline

/// Notifications of approaches keep their distance in time; arrivals are exempt and spend nothing.
///
/// Cooldowns count sounds. So a nearer tier of a target that is on the screen is not held back: it takes
/// the older line's place without one.
struct CooldownGate: Gate {
  let question = "was an approach told a while ago?"
  var silences: [Silence] { [.reminderCooldown, .overallCooldown, .denseCooldown] }
  var endsOnTheWay: Bool { true }

  /// The cooldown that ends last, if any is on.
  ///
  /// What joins a notification of approaches that is on the screen makes no new one, so only the
  /// reminder's own cooldown can hold it back.
  func objection(to question: Question, _ world: GateWorld) -> Verdict? {
    let occasion = question.occasion
    guard occasion.step.kind == .approach else { return nil }
    let cooldown = world.policy.cooldown
    var ends: [(Silence, Timestamp)] = []
    let own = world.cooldowns.lastApproach(of: occasion.reminder)
    // The end of a snooze was asked for; what the reminder itself has told does not hold it back, whatever
    // else it has waited for since.
    // Nor does it what was asked to be said again, or a nearer tier of what was said and is not on the screen.
    let isOwnDue =
      occasion.wasSnoozed || occasion.nags > 0
      || question.isNearerThanSaid && !question.isNearerThanShown
    if !isOwnDue, let own {
      ends.append((.reminderCooldown, own + cooldown.perReminder))
    }
    if !question.joinsApproaches, let last = world.cooldowns.lastApproachAt,
      !((occasion.wasSnoozed || occasion.nags > 0) && last == own)
    {
      ends.append((.overallCooldown, last + cooldown.overall))
      if occasion.isDense { ends.append((.denseCooldown, last + cooldown.dense)) }
    }
    var latest: (silence: Silence, end: Timestamp)?
    for (silence, end) in ends where end > question.now && latest.map({ $0.end < end }) ?? true {
      latest = (silence, end)
    }
    return latest.map { question.isNearerThanShown ? .renew : .wait($0.silence, until: $0.end) }
  }
}

/// When approaches were last told.
package struct Cooldowns: Hashable, Sendable, Codable {
  package struct Spent: Hashable, Sendable, Codable {
    package let reminder: String
    package var at: Timestamp
  }

  /// Of any reminder.
  package var lastApproachAt: Timestamp?
  /// Of each reminder that has spoken of one, in order of their ids.
  package private(set) var ofReminders: [Spent] = []

  package init(lastApproachAt: Timestamp? = nil, ofReminders: [Spent] = []) {
    self.lastApproachAt = lastApproachAt
    self.ofReminders = ofReminders.sorted { $0.reminder < $1.reminder }
  }

  package func lastApproach(of reminder: String) -> Timestamp? {
    let i = position(of: reminder)
    return i < ofReminders.count && ofReminders[i].reminder == reminder ? ofReminders[i].at : nil
  }

  package mutating func spend(_ reminder: String, at now: Timestamp) {
    lastApproachAt = now
    forget(reminder)
    ofReminders.insert(Spent(reminder: reminder, at: now), at: position(of: reminder))
  }

  package mutating func forget(_ reminder: String) {
    let i = position(of: reminder)
    if i < ofReminders.count, ofReminders[i].reminder == reminder { ofReminders.remove(at: i) }
  }

  mutating func shiftClock(by span: Milliseconds) {
    lastApproachAt = lastApproachAt.map { $0 + span }
    for i in ofReminders.indices { ofReminders[i].at = ofReminders[i].at + span }
  }

  /// Where a reminder stands or would stand.
  private func position(of reminder: String) -> Int {
    var (low, high) = (0, ofReminders.count)
    while low < high {
      let middle = (low + high) / 2
      if ofReminders[middle].reminder < reminder { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
