import Timeline

/// A product as data: what its plans have, what they cost, and how it behaves where products differ.
///
/// A profile selects and restricts; nothing in the code asks which product it is. The default has everything and
/// asks for nothing.
public struct ProductProfile: Hashable, Sendable {
  /// Its name.
  public var name: String
  /// Who has which feature; those that are not named are free.
  public var availability: [Feature: Availability] = [:]
  /// How many reminders plans have room for.
  public var quotas: [Quota] = []
  /// What can be tried.
  public var trial: TrialTerms?
  /// What can be bought.
  public var offers: [Offer] = []
  /// Groups of accounts with terms of their own.
  public var cohorts: [Cohort] = []
  /// Who belongs to which; nil if the product has no cohorts.
  public var cohortTable: CohortTable?
  /// When something to buy is shown.
  public var paywall = PaywallTable()
  /// The words shown with it.
  public var messages: [PaywallMessage] = []
  /// Other words that the product fixes, by key, in the order of the file.
  public var texts: [Text] = []
  /// How conditions may hang together.
  public var logic = LogicRule.tree
  /// Whether the engine may ask to be woken.
  public var timers = TimerRule.allowed
  /// What ends a reminder that does not say so itself.
  public var persistence = PersistenceRule.usual
  /// Whether there is any sync.
  public var sync = Switch.on
  /// The most that may be counted.
  public var telemetry = TelemetryLevel.full
  /// How lists are sorted.
  public var sort = SortOrder.nextTrigger
  /// Whether an address is asked for.
  public var email = EmailRule.optional
  /// How one can sign in.
  public var auth = AuthMethod.allCases
  /// When permissions are asked for.
  public var permissions = PermissionRule.justInTime
  /// How reminders can be put off.
  public var snooze = SnoozeChoices()
  /// The tone of reminders that name none.
  public var tone = "plain"

  /// A profile that has everything and asks for nothing.
  public init(name: String = "unified") { self.name = name }

  /// Words that the product fixes.
  public struct Text: Hashable, Sendable {
    /// Where they stand.
    public let key: String
    /// The words.
    public let text: String

    /// Makes one.
    public init(key: String, text: String) {
      self.key = key
      self.text = text
    }
  }

  /// How conditions may hang together.
  public enum LogicRule: String, Hashable, Sendable, CaseIterable {
    /// One list, all of which must hold.
    case flatAnd = "flat_and"
    /// All, any and not, within each other.
    case tree
  }

  /// Whether the engine may ask to be woken.
  public enum TimerRule: String, Hashable, Sendable, CaseIterable {
    case allowed, none
  }

  /// What ends a reminder that does not say so itself.
  public enum PersistenceRule: String, Hashable, Sendable, CaseIterable {
    /// It goes on until it is done, and one that recurs comes again.
    case usual
    /// It speaks once; one that recurs comes again.
    case once
  }

  /// On or off.
  public enum Switch: String, Hashable, Sendable, CaseIterable {
    case on, off
  }

  /// Whether an address is asked for.
  public enum EmailRule: String, Hashable, Sendable, CaseIterable {
    case required, optional, never
  }

  /// The cohort of a name.
  public func cohort(named name: String) -> Cohort? { cohorts.first { $0.name == name } }

  /// Words that the product fixes, by key.
  public func text(_ key: String) -> String? { texts.first { $0.key == key }?.text }
}

/// How much is counted.
public enum TelemetryLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Nothing, and nothing is kept to be counted.
  case off
  /// What operation needs.
  case essential
  /// What the user agreed to.
  case full

  /// Orders from nothing to all.
  public static func < (a: TelemetryLevel, b: TelemetryLevel) -> Bool {
    (allCases.firstIndex(of: a) ?? 0) < (allCases.firstIndex(of: b) ?? 0)
  }

  /// The level that holds where a product allows this one: never more than either wants.
  ///
  /// A user who has not agreed gets what operation needs at most.
  public func agreed(byUser hasAgreed: Bool) -> TelemetryLevel {
    hasAgreed ? self : min(self, .essential)
  }
}

/// How reminders can be put off.
public struct SnoozeChoices: Hashable, Sendable {
  /// Choices with a name: minutes, or nil for until tomorrow.
  public var fixedMinutes: [Int] = [15, 60]
  /// Whether "today" is a choice.
  public var offersToday = true
  /// Any number of minutes of this range.
  public var minutes = 1...60
  /// Where a slider begins.
  public var defaultMinutes = 15

  /// The usual ones.
  public init() {}
}

extension ProductProfile {
  // MARK: - Gates

  /// Whether a window of time is a trigger of this product, so that one that stands alone wakes its reminder.
  public var hasWindowTrigger: Bool {
    availability[.windowTrigger].map { $0 != .absent } ?? false
  }

  /// Who has a feature.
  public func availability(of feature: Feature) -> Availability { availability[feature] ?? .free }

  /// Whether a plan has a feature.
  public func has(_ feature: Feature, access: Access) -> Bool {
    switch availability(of: feature) {
    case .free: true
    case .paid: access.isFull
    case .absent: false
    }
  }

  /// Why a reminder cannot be saved as it is, most basic reason first; nil if it can.
  public func refusal(of shape: ReminderShape, access: Access) -> ShapeRefusal? {
    if logic == .flatAnd, let conditions = shape.conditions, !conditions.isFlat { return .logic }
    let used = shape.features
    if let absent = used.first(where: { availability(of: $0) == .absent }) {
      return .absent(absent)
    }
    return used.first { !has($0, access: access) }.map { .needsEntitlement($0) }
  }

  /// What becomes of a reminder that comes from another device: it is never lost.
  public func verdict(onImported shape: ReminderShape, access: Access) -> ImportVerdict {
    refusal(of: shape, access: access).map { .waiting($0) } ?? .live
  }

  /// What to say when a reminder is saved.
  public func warnings(for shape: ReminderShape) -> [ShapeWarning] {
    guard timers == .none, !shape.triggers.isEmpty,
      shape.triggers.allSatisfy({ $0 == .windowTrigger || $0 == .scheduleTrigger })
    else { return [] }
    return [.noWakeSource]
  }

  // MARK: - Quotas

  /// How many reminders speak at once without a purchase; nil is any number.
  public var freeLiveReminders: Int? {
    quotas
      .filter { $0.access == .free && $0.scope == .active && $0.enforcement == .hard }
      .map(\.limit).min()
  }

  /// What is said to one more reminder.
  ///
  /// A hard quota that is full refuses; otherwise the first soft one that is full is named.
  public func verdict(onCreatingWith counts: Counts, access: Access) -> CreationVerdict {
    let full = quotas.filter { $0.access == access && counts.count($0.scope) >= $0.limit }
    if let hard = full.first(where: { $0.enforcement == .hard }) { return .refused(hard) }
    return full.first.map { .allowedBeyond($0) } ?? .allowed
  }

  /// Which reminders speak: those that use nothing the plan lacks, the picked ones first, then the oldest, as many as
  /// hard quotas have room for.
  ///
  /// Nothing is changed by it: with more room the same call gives all of them back. Soft quotas and those on what was
  /// made in a month silence nothing.
  ///
  /// - Complexity: O(n log n).
  public func live(among candidates: [LiveCandidate], access: Access) -> LiveChoice {
    let ordered = candidates.sorted {
      ($0.isPicked ? 0 : 1, $0.madeAt, $0.id) < ($1.isPicked ? 0 : 1, $1.madeAt, $1.id)
    }
    let tightest =
      quotas.filter {
        $0.access == access && $0.enforcement == .hard && $0.scope != .createdPerCalendarMonth
      }
      .min { $0.limit < $1.limit }
    var choice = LiveChoice()
    for candidate in ordered {
      let lacking = Feature.allCases.first {
        candidate.features.contains($0) && !has($0, access: access)
      }
      if let lacking {
        choice.waiting.append(.init(id: candidate.id, cause: .feature(lacking)))
      } else if let tightest, choice.live.count >= tightest.limit {
        choice.waiting.append(.init(id: candidate.id, cause: .quota(tightest)))
      } else {
        choice.live.append(candidate.id)
      }
    }
    return choice
  }

  // MARK: - Offers and messages

  /// What an account of a cohort is offered; nothing to those who never have to pay.
  public func offers(cohort name: String?) -> [Offer] {
    guard let cohort = name.flatMap({ self.cohort(named: $0) }) else { return offers }
    guard !cohort.isGrandfathered else { return [] }
    guard let ids = cohort.offers else { return offers }
    return ids.compactMap { id in offers.first { $0.id == id } }
  }

  /// The words for a reason, with what is known filled in: those of the cohort if it has its own, else those for all.
  ///
  /// Words that need something that is not known are passed over, so that nobody reads a placeholder.
  public func message(
    for reason: String,
    cohort: String?,
    values: [String: String]
  ) -> PaywallMessage? {
    let ofReason = messages.filter { $0.reason == reason }
    return [
      ofReason.filter { $0.cohort != nil && $0.cohort == cohort },
      ofReason.filter { $0.cohort == nil },
    ]
    .joined()
    .first { $0.neededValues.allSatisfy { values[$0] != nil } }?
    .filled(with: values)
  }

  /// What is known of an account, for the placeholders of messages.
  ///
  /// - Parameters:
  ///   - reached: the scope of the quota that the words are about; nil for the first one of the free plan.
  ///   - emailCount: how many daily mails it got; nil where nobody knows.
  public func messageValues(
    cohort: String?,
    counts: Counts,
    trial: TrialState,
    reached: Quota.Scope? = nil,
    emailCount: Int? = nil
  ) -> [String: String] {
    var values: [String: String] = [:]
    let offers = offers(cohort: cohort)
    let monthly = offers.first { $0.kind == .monthly }
    let yearly = offers.first { $0.kind == .yearly }
    if let first = offers.first { values["price"] = first.price }
    values["monthly_price"] = monthly?.price
    values["yearly_price"] = yearly?.price
    if let monthly, let saved = yearly?.savingsPercent(over: monthly) {
      values["savings_percent"] = "\(saved)"
    }
    if case .running(_, let days?, _) = trial { values["days_left"] = "\(days)" }
    let quota = quotas.first {
      $0.access == .free && (reached == nil || $0.scope == reached)
    }
    if let quota {
      values["limit"] = "\(quota.limit)"
      values["count"] = "\(counts.count(quota.scope))"
    }
    values["task_count"] = "\(counts.created)"
    values["email_count"] = emailCount.map { "\($0)" }
    return values
  }

  /// What is shown to an account at an event.
  public func paywall(
    at event: PaywallEvent,
    account: Account,
    counts: Counts,
    now: Timestamp,
    zone: UTCOffsetTable
  ) -> PaywallVerdict {
    paywall.verdict(
      to: event,
      access: account.access(self, counts: counts, at: now, zone: zone),
      trial: account.trialState(self, counts: counts, at: now, zone: zone),
      remindersMade: counts.created,
      log: account.paywall
    )
  }
}
