import Fencing
import Places
import Timeline

/// What is on the screen and what the system will show by itself: notifications shown, joined, shrunk
/// and taken away.
package struct Screen: Hashable, Sendable, Codable {
  /// What is on the screen, oldest first.
  package private(set) var posted: [ReminderNotification] = []
  /// The notification that news may still join.
  package private(set) var openBundle: OpenBundle?
  /// What the system will show by itself, earliest first.
  package private(set) var scheduled: [ReminderNotification] = []
  /// The number of the newest notification.
  package private(set) var serial = 0
  /// Which sentences were said last; absent while no reminder had a choice.
  private var sentences: SaidSentences?

  /// Which sentences were said last.
  package var said: SaidSentences {
    get { sentences ?? SaidSentences() }
    set { sentences = newValue.isEmpty ? nil : newValue }
  }

  package init(
    posted: [ReminderNotification] = [],
    openBundle: OpenBundle? = nil,
    scheduled: [ReminderNotification] = [],
    serial: Int = 0
  ) {
    self.posted = posted
    self.openBundle = openBundle
    self.scheduled = scheduled
    self.serial = serial
  }

  /// When the system shows something by itself next.
  package var nextInstant: Timestamp? { scheduled.first?.at }

  /// The notification on the screen that news may still join.
  package func joinable(at now: Timestamp, _ policy: Policy) -> ReminderNotification? {
    guard let openBundle, now - openBundle.since <= policy.bundle.window else { return nil }
    return posted.last { $0.id == openBundle.id }
  }

  /// Tells what happened at one instant, in one notification.
  ///
  /// - Parameter standing: the lines of the bundle that are still true.
  /// - Returns: whether it is a new one, with a sound.
  package mutating func tell(
    _ news: [ReminderNotification.Member],
    joining bundle: ReminderNotification?,
    standing: [ReminderNotification.Member],
    asSummary: Bool,
    at now: Timestamp,
    policy: Policy,
    roster: Roster,
    speech: Speech,
    _ turn: inout EventTurn
  ) -> Bool {
    let standing = standing.filter { old in !news.contains { Self.overtakes($0, old, policy) } }
    let members = Self.nearestFirst(standing + news, roster)
    let id = bundle?.id ?? newID()
    let isSummary = asSummary || bundle?.kind == .summary
    let notification = ReminderNotification(
      id: id,
      at: now,
      isSummary: isSummary,
      headline: isSummary ? speech.headline(over: members.count, serial: serial) : nil,
      members: members
    )
    said = speech.said
    if bundle == nil { openBundle = OpenBundle(id: notification.id, since: now) }
    keep(notification, policy, &turn)
    turn.emit(bundle == nil ? .post(notification) : .replace(notification))
    return bundle == nil
  }

  /// A notification on the screen, by id.
  package subscript(id: String) -> ReminderNotification? { posted.first { $0.id == id } }

  /// Whether a reminder has a line on the screen.
  package func tells(of reminder: String) -> Bool {
    posted.contains { $0.members.contains { $0.reminder == reminder } }
  }

  /// The id of the notification on the screen with a line about a farther tier of the same target.
  package func shown(fartherThan occasion: Occasion, _ policy: Policy) -> String? {
    guard case .tier(.approach(let meters)) = occasion.step else { return nil }
    return posted.last { notification in
      notification.members.contains { old in
        guard case .tier(.approach(let oldMeters)) = old.step, oldMeters > meters else {
          return false
        }
        return Self.isSameTarget(
          old,
          reminder: occasion.reminder,
          poi: occasion.spot?.poi,
          policy
        )
      }
    }?
    .id
  }

  private mutating func newID() -> String {
    serial += 1
    return "n\(serial)"
  }

  /// Whether news makes an older line about the same target pointless.
  private static func overtakes(
    _ news: ReminderNotification.Member,
    _ old: ReminderNotification.Member,
    _ policy: Policy
  ) -> Bool {
    isSameTarget(old, reminder: news.reminder, poi: news.poi, policy)
  }

  private static func isSameTarget(
    _ line: ReminderNotification.Member,
    reminder: String,
    poi: String?,
    _ policy: Policy
  ) -> Bool {
    line.reminder == reminder && (policy.tiers.fenceSemantics != .perPOI || line.poi == poi)
  }

  /// Remembers what is on the screen.
  ///
  /// Older lines about the same targets go: they are out of date, and what is not answered must not
  /// pile up.
  private mutating func keep(
    _ notification: ReminderNotification,
    _ policy: Policy,
    _ turn: inout EventTurn
  ) {
    posted.removeAll { $0.id == notification.id }
    shrink(&turn) { old in
      notification.members.contains { Self.overtakes($0, old, policy) }
    }
    posted.append(notification)
  }

  /// Takes lines away from what is on the screen; a notification without lines is withdrawn.
  package mutating func shrink(
    _ turn: inout EventTurn,
    removing isGone: (ReminderNotification.Member) -> Bool
  ) {
    var kept: [ReminderNotification] = []
    for old in posted {
      let members = old.members.filter { !isGone($0) }
      if members.count == old.members.count {
        kept.append(old)
      } else if members.isEmpty {
        turn.emit(.withdraw(id: old.id))
      } else {
        let smaller = ReminderNotification(
          id: old.id,
          at: old.at,
          isSummary: old.kind == .summary,
          members: members
        )
        kept.append(smaller)
        turn.emit(.replace(smaller))
      }
    }
    posted = kept
  }

  /// Puts what is on the screen in other words, where there are some for a line.
  package mutating func reword(
    _ turn: inout EventTurn,
    _ words: (ReminderNotification.Member) -> String?
  ) {
    for i in posted.indices {
      let old = posted[i]
      let members = old.members.map { line in words(line).map(line.saying) ?? line }
      guard members != old.members else { continue }
      posted[i] = ReminderNotification(
        id: old.id,
        at: old.at,
        isSummary: old.kind == .summary,
        headline: old.headline,
        members: members
      )
      turn.emit(.replace(posted[i]))
    }
  }

  /// The nearest first, and first of all what is at no place; at one distance by priority, then by id.
  private static func nearestFirst(
    _ members: [ReminderNotification.Member],
    _ roster: Roster
  ) -> [ReminderNotification.Member] {
    guard members.count > 1 else { return members }
    let ranked = members.map { member in
      (
        meters: member.distanceMeters ?? -1,
        rank: roster[member.reminder]?.priority ?? 0,
        member: member
      )
    }
    return
      ranked.sorted { a, b in
        let (one, other) = (a.member, b.member)
        if (a.meters, a.rank) != (b.meters, b.rank) {
          return (a.meters, b.rank) < (b.meters, a.rank)
        }
        // In the order of their making: r2 before r10.
        if one.reminder != other.reminder {
          return POICatalog.precedes(one.reminder, other.reminder)
        }
        // Names are long to write, and seldom needed.
        return (one.poi ?? "", one.step.name) < (other.poi ?? "", other.step.name)
      }
      .map(\.member)
  }

  // MARK: What the system shows by itself

  /// Takes out the next notification that the system has shown by now.
  package mutating func takeShown(upTo now: Timestamp) -> ReminderNotification? {
    guard let first = scheduled.first, first.at <= now else { return nil }
    return scheduled.removeFirst()
  }

  /// Remembers that the system has shown a notification.
  package mutating func noteShown(
    _ notification: ReminderNotification,
    _ policy: Policy,
    _ turn: inout EventTurn
  ) {
    keep(notification, policy, &turn)
    openBundle = OpenBundle(id: notification.id, since: notification.at)
    turn.record(.presented(notification))
  }

  /// Makes what the system will show by itself equal to what should be shown, by difference.
  ///
  /// What it has shown by the time that this is heard of stays.
  ///
  /// - Parameter due: what nothing speaks against as things stand, as ``held(of:_:)`` has it; what is due at one time
  ///   is shown as one, and what a stay brings waits up to a bundle window for what comes next.
  package mutating func reconcile(
    _ due: [Due],
    after now: Timestamp,
    heardAt: Timestamp,
    policy: Policy,
    roster: Roster,
    speech: Speech,
    _ turn: inout EventTurn
  ) {
    let wanted = Self.groups(of: due, policy)
      .map { group in
        var group = group
        group.at = max(group.at, now)
        group.members = Self.nearestFirst(group.members, roster)
        return group
      }
    var kept: [ReminderNotification] = []
    for old in scheduled {
      if old.at > now && old.at <= heardAt && !turn.schedules(old.id)
        || wanted.contains(where: { $0.at == old.at && $0.members == old.members })
      {
        kept.append(old)
      } else {
        turn.unschedule(old.id)
      }
    }
    for group in wanted
    where !kept.contains(where: { $0.at == group.at && $0.members == group.members }) {
      let id = newID()
      let headline =
        group.isSummed ? speech.headline(over: group.members.count, serial: serial) : nil
      let notification = ReminderNotification(
        id: id,
        at: group.at,
        isSummary: group.isSummed,
        headline: headline,
        members: group.members
      )
      kept.append(notification)
      turn.emit(.schedule(notification, at: group.at))
    }
    scheduled = kept.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// A line that the system is to show by itself.
  package struct Due {
    let at: Timestamp
    let member: ReminderNotification.Member
    /// Whether it is summed up after a time in which nothing was to be heard.
    let isSummed: Bool
    /// How many times it has been told by then without an answer.
    let nags: Int

    package init(
      at instant: Timestamp,
      member: ReminderNotification.Member,
      isSummed: Bool = false,
      nags: Int = 0
    ) {
      at = instant
      self.member = member
      self.isSummed = isSummed
      self.nags = nags
    }
  }

  /// Lines that are shown as one.
  private struct Group {
    var at: Timestamp
    var members: [ReminderNotification.Member]
    let isSummed: Bool
  }

  /// Of lines in the order in which they are due as many as the system takes; and how many reminders have none among
  /// them.
  ///
  /// Day by day from now on, what is told for the first time comes before what is told again unanswered, and of that
  /// the second time before the third.
  package static func held(
    of inOrder: [Due],
    after now: Timestamp,
    _ policy: Policy
  ) -> (lines: [Due], crowdedOut: Int) {
    let room = max(0, policy.schedules.mostPending)
    guard room < inOrder.count else { return (inOrder, 0) }
    let days = inOrder.map { ($0.at - now).value / Milliseconds.minutes(24 * 60).value }
    let ranked = inOrder.indices.sorted {
      (days[$0], inOrder[$0].nags, $0) < (days[$1], inOrder[$1].nags, $1)
    }
    let lines = ranked.prefix(room).sorted().map { inOrder[$0] }
    let told = Set(lines.map(\.member.reminder))
    return (lines, Set(inOrder.map(\.member.reminder)).subtracting(told).count)
  }

  private static func groups(of inOrder: [Due], _ policy: Policy) -> [Group] {
    var groups: [Group] = []
    var groupSince: Timestamp?
    for line in inOrder {
      let (at, member) = (line.at, line.member)
      // Two times of one reminder are two notifications: the first is not kept waiting for the second. Nor is
      // anything that is due at an hour: only what a stay brings may wait a little.
      let isAgain =
        member.tier == nil && !line.isSummed
        && groups.last?.members.contains { $0.reminder == member.reminder } ?? false
      let mayWait =
        groups.last.map { last in
          last.isSummed == line.isSummed
            && (last.at == at || !last.members.contains { $0.tier == nil })
        } ?? false
      if let since = groupSince, at - since <= policy.bundle.window, mayWait, !isAgain {
        groups[groups.count - 1].at = at
        groups[groups.count - 1].members.append(member)
      } else {
        groupSince = at
        groups.append(Group(at: at, members: [member], isSummed: line.isSummed))
      }
    }
    return groups
  }

  /// Goes on by a clock that was set: the host's alarms were set by the old one.
  mutating func shiftClock(by span: Milliseconds, _ turn: inout EventTurn) {
    if let bundle = openBundle { openBundle?.since = bundle.since + span }
    for i in scheduled.indices {
      scheduled[i] = scheduled[i].moved(by: span)
      turn.emit(.unschedule(id: scheduled[i].id))
      turn.emit(.schedule(scheduled[i], at: scheduled[i].at))
    }
  }
}

/// The notification that news may still join.
package struct OpenBundle: Hashable, Sendable, Codable {
  package let id: String
  /// When it was first shown: the window counts from then, so that it cannot go on for ever.
  package var since: Timestamp
}

extension ReminderNotification {
  /// Whether one of its lines is about a newer time of the same reminder than one that has come by then.
  func speaks(for key: OccasionKey) -> Bool {
    guard let ring = key.ring, ring <= at else { return false }
    return members.contains { line in
      guard line.reminder == key.reminder, case .schedule(let due, let lead) = line.step else {
        return false
      }
      return ring <= due - lead && line.step != key.step
    }
  }

  /// Whether one of its lines is about a happening.
  func tells(_ key: OccasionKey, _ spot: Spot?) -> Bool {
    members.contains {
      $0.reminder == key.reminder && $0.poi == spot?.poi && $0.step == key.step
    }
  }

  fileprivate func moved(by span: Milliseconds) -> ReminderNotification {
    ReminderNotification(
      id: id,
      at: at + span,
      isSummary: kind == .summary,
      headline: headline,
      members: members
    )
  }
}

extension [ReminderNotification] {
  /// Whether one of them is about a happening.
  package func tells(_ key: OccasionKey, _ spot: Spot?) -> Bool {
    !isEmpty && contains { $0.tells(key, spot) }
  }

  /// Whether one of them tells of a time when it comes, and not later because of what keeps it silent.
  func tell(_ time: OccasionKey) -> Bool { time.ring.map { tell(time, nil, by: $0) } ?? false }

  /// Whether one of them tells of what waits when that may be told, and not later.
  func tell(_ waiting: Occasion, within window: Milliseconds) -> Bool {
    guard let until = waiting.until else { return tells(waiting.key, waiting.spot) }
    return tell(waiting.key, waiting.spot, by: until + window)
  }

  /// Whether one of them tells of a happening by an instant.
  func tell(_ key: OccasionKey, _ spot: Spot?, by latest: Timestamp) -> Bool {
    !isEmpty && contains { $0.at <= latest && $0.tells(key, spot) }
  }
}
