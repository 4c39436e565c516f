import Timeline

/// How many reminders of a kind a plan has room for.
public struct Quota: Hashable, Sendable {
  /// The plan that has it.
  public let access: Access
  /// Which reminders count.
  public let scope: Scope
  /// So many fit.
  public let limit: Int
  /// What becomes of one more.
  public let enforcement: Enforcement

  /// Makes a quota; the limit must not be negative.
  public init(access: Access, scope: Scope, limit: Int, enforcement: Enforcement) {
    precondition(limit >= 0, "a quota's limit is not negative")
    self.access = access
    self.scope = scope
    self.limit = limit
    self.enforcement = enforcement
  }

  /// Which reminders count.
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Those that can still speak: not done, not muted, not deleted.
    case active
    /// Those that are not done and not deleted.
    case open
    /// Those made in the present month of the account's calendar, whatever became of them.
    case createdPerCalendarMonth = "created_per_calendar_month"
  }

  /// What becomes of one more.
  public enum Enforcement: String, Hashable, Sendable, CaseIterable {
    /// It is refused, and the reason is said.
    case hard
    /// It is taken, and the reason is said.
    case soft
  }
}

/// A reminder as far as quotas and counts look at it.
public struct CountedReminder: Hashable, Sendable {
  /// When it was made.
  public let madeAt: Timestamp
  /// What has become of it.
  public let status: Status

  /// Makes one.
  public init(madeAt: Timestamp, status: Status) {
    self.madeAt = madeAt
    self.status = status
  }

  /// What becomes of reminders.
  public enum Status: String, Hashable, Sendable, CaseIterable {
    case live, muted, done, deleted
  }
}

/// How many reminders there are, by what counts.
public struct Counts: Hashable, Sendable {
  /// Not done, not muted, not deleted.
  public var active: Int
  /// Not done and not deleted.
  public var open: Int
  /// Made in this calendar month.
  public var createdThisMonth: Int
  /// Ever made.
  public var created: Int

  /// Makes counts, 0 by default.
  public init(active: Int = 0, open: Int = 0, createdThisMonth: Int = 0, created: Int = 0) {
    self.active = active
    self.open = open
    self.createdThisMonth = createdThisMonth
    self.created = created
  }

  /// Counts reminders at an instant; months are those of the account's zone.
  ///
  /// - Complexity: O(reminders · log eras).
  public init(
    of reminders: some Sequence<CountedReminder>,
    at now: Timestamp,
    zone: UTCOffsetTable
  ) {
    self.init()
    for reminder in reminders {
      created += 1
      if LocalDays.areInOneMonth(reminder.madeAt, now, in: zone) { createdThisMonth += 1 }
      switch reminder.status {
      case .live:
        active += 1
        open += 1
      case .muted: open += 1
      case .done, .deleted: break
      }
    }
  }

  /// How many count for a scope.
  public func count(_ scope: Quota.Scope) -> Int {
    switch scope {
    case .active: active
    case .open: open
    case .createdPerCalendarMonth: createdThisMonth
    }
  }
}

/// What a plan says to one more reminder.
public enum CreationVerdict: Hashable, Sendable {
  /// It is taken.
  case allowed
  /// It is taken, beyond a soft quota: say so.
  case allowedBeyond(Quota)
  /// It is not taken.
  case refused(Quota)

  /// Whether the reminder is taken.
  public var isTaken: Bool {
    if case .refused = self { return false }
    return true
  }
}
