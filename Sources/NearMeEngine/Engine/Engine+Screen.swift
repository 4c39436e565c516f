import Fencing
import Places
import Timeline

/// What is on the screen: notifications shown, joined, shrunk and taken away.
extension Engine {
  /// The notification on the screen that news may still join.
  func joinableBundle(at now: Timestamp) -> ReminderNotification? {
    guard let bundle = state.openBundle, now - bundle.since <= policy.bundle.window else {
      return nil
    }
    return state.posted.last { $0.id == bundle.id }
  }

  /// Tells what happened at one instant, in one notification.
  mutating func tell(
    _ told: [Candidate],
    joining bundle: ReminderNotification?,
    at now: Timestamp,
    asSummary: Bool
  ) {
    let news = told.map(member)
    let isPerPOI = policy.tiers.fenceSemantics == .perPOI
    let standing = (bundle?.members ?? [])
      .filter { old in
        !news.contains { Self.overtakes($0, old, isPerPOI: isPerPOI) }
      }
    let members = nearestFirst(standing + news)
    let id: String
    if let bundle {
      id = bundle.id
    } else {
      state.notificationSerial += 1
      id = "n\(state.notificationSerial)"
      state.openBundle = OpenBundle(id: id, since: now)
    }
    let notification = ReminderNotification(
      id: id,
      at: now,
      isSummary: asSummary || bundle?.kind == .summary,
      members: members
    )
    keepPosted(notification)
    effects.append(bundle == nil ? .post(notification) : .replace(notification))
    if bundle == nil { count(.nudgeShown, at: now) }
  }

  /// Whether news makes an older line about the same target pointless.
  private static func overtakes(
    _ news: ReminderNotification.Member,
    _ old: ReminderNotification.Member,
    isPerPOI: Bool
  ) -> Bool {
    news.reminder == old.reminder && (!isPerPOI || news.poi == old.poi)
  }

  /// Remembers what is on the screen.
  ///
  /// Older lines about the same targets go: they are out of date,
  /// and what nobody answers must not pile up.
  mutating func keepPosted(_ notification: ReminderNotification) {
    state.posted.removeAll { $0.id == notification.id }
    let isPerPOI = policy.tiers.fenceSemantics == .perPOI
    shrinkPosted { old in
      notification.members.contains { Self.overtakes($0, old, isPerPOI: isPerPOI) }
    }
    state.posted.append(notification)
  }

  /// Takes lines away from what is on the screen; a notification without lines is withdrawn.
  mutating func shrinkPosted(removing isGone: (ReminderNotification.Member) -> Bool) {
    var kept: [ReminderNotification] = []
    for old in state.posted {
      let members = old.members.filter { !isGone($0) }
      if members.count == old.members.count {
        kept.append(old)
      } else if members.isEmpty {
        effects.append(.withdraw(id: old.id))
      } else {
        let smaller = ReminderNotification(
          id: old.id,
          at: old.at,
          isSummary: old.kind == .summary,
          members: members
        )
        kept.append(smaller)
        effects.append(.replace(smaller))
      }
    }
    state.posted = kept
  }

  /// A candidate as a line of a notification.
  func member(_ candidate: Candidate) -> ReminderNotification.Member {
    let tracked = state.reminders.first { $0.reminder.id == candidate.reminder }
    let title = tracked?.reminder.title ?? ""
    let wording = Wording(policy: policy.text)
    let text: String
    switch candidate.tier {
    case .approach(let ringMeters):
      text = wording.approach(
        ringMeters: ringMeters,
        distanceMeters: candidate.spot.distanceMeters,
        target: targetName(tracked?.reminder.target) ?? candidate.spot.name,
        title: title
      )
    case .arrival: text = wording.arrival(place: candidate.spot.name, title: title)
    case .postArrival: text = wording.postArrival(title: title)
    }
    return ReminderNotification.Member(
      reminder: candidate.reminder,
      tier: candidate.tier,
      poi: candidate.spot.poi,
      text: text,
      distanceMeters: candidate.spot.distanceMeters,
      coordinate: candidate.spot.coordinate
    )
  }

  /// On the way one is told the category; which of its points it will be is not known yet.
  private func targetName(_ target: Reminder.Target?) -> String? {
    switch target {
    case .category(let category): category.label
    case .place(let id): state.places.first { $0.id == id }?.name
    case nil: nil
    }
  }

  /// The nearest first; at one distance by priority, then by id.
  func nearestFirst(_ members: [ReminderNotification.Member]) -> [ReminderNotification.Member] {
    func rank(_ member: ReminderNotification.Member) -> Int {
      -(index(of: member.reminder).map { state.reminders[$0].reminder.priority } ?? 0)
    }
    return members.map { (rank($0), $0) }
      .sorted { a, b in
        (a.1.distanceMeters, a.0, a.1.reminder, a.1.poi ?? "")
          < (b.1.distanceMeters, b.0, b.1.reminder, b.1.poi ?? "")
      }
      .map(\.1)
  }
}
