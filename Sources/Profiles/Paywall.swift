import Timeline

/// How something to buy is shown.
public enum PaywallPresentation: String, Hashable, Sendable, CaseIterable {
  /// Beside what one does, with a way past it at once.
  case soft
  /// A line that stays until it is closed.
  case banner
  /// In front of what one does, with a way to close it.
  case modal
  /// In front of everything; the way past it is to go on with what is free.
  case blocking
}

/// Something that happens and may be a moment for a paywall.
public enum PaywallEvent: Hashable, Sendable {
  /// The app is opened for the first time.
  case firstOpen
  /// The app is opened.
  case open
  /// The introduction is over.
  case onboardingDone
  /// One reminder more than fits was asked for, by a quota of this scope.
  case quotaReached(Quota.Scope)
  /// Something was chosen that the plan does not have.
  case featureLocked(Feature)
  /// The user signed in on a device more.
  case secondDevice
  /// The user asked to see what there is to buy.
  case manual

  /// Its name in profiles.
  public var name: Name {
    switch self {
    case .firstOpen: .firstOpen
    case .open: .open
    case .onboardingDone: .onboardingDone
    case .quotaReached: .quotaReached
    case .featureLocked: .featureLocked
    case .secondDevice: .secondDevice
    case .manual: .manual
    }
  }

  /// The names of events in profiles.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case firstOpen = "first_open"
    case open
    case onboardingDone = "onboarding_done"
    case quotaReached = "quota_reached"
    case featureLocked = "feature_locked"
    case secondDevice = "second_device"
    case manual
  }
}

/// One line of a paywall table.
public struct PaywallRule: Hashable, Sendable {
  /// The event.
  public let event: PaywallEvent.Name
  /// Only for this feature; nil for any.
  public var feature: Feature?
  /// Only for this quota; nil for any.
  public var scope: Quota.Scope?
  /// Only while a trial runs, on these days of it, 0 being its first; half open.
  public var trialDays: Range<Int>?
  /// Only once a trial has ended.
  public var afterTrial = false
  /// Only to accounts that are grandfathered, which see no other line; it may ask for support, not for money that
  /// is owed.
  public var forGrandfathered = false
  /// How it is shown.
  public let presentation: PaywallPresentation
  /// Why, in a word: the key of messages and counters.
  public let reason: String
  /// Whether it is shown to an account once at most.
  public var once = false

  /// Makes a line.
  public init(event: PaywallEvent.Name, presentation: PaywallPresentation, reason: String) {
    self.event = event
    self.presentation = presentation
    self.reason = reason
  }
}

/// When something to buy is shown.
public struct PaywallTable: Hashable, Sendable {
  /// The lines; the first that fits counts.
  public let rules: [PaywallRule]
  /// Before so many reminders were made, nothing is shown that the user did not ask for.
  public let leastReminders: Int

  /// Makes a table.
  public init(rules: [PaywallRule] = [], leastReminders: Int = 0) {
    self.rules = rules
    self.leastReminders = leastReminders
  }
}

/// What a paywall table says to an event.
public enum PaywallVerdict: Hashable, Sendable {
  /// Nothing is shown, and why.
  case none(Cause)
  /// Something is shown.
  case show(PaywallPresentation, reason: String)

  /// Why nothing is shown.
  public enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The account never has to pay.
    case grandfathered
    /// The account has paid.
    case paid
    /// No line fits.
    case noRule = "no_rule"
    /// It has been shown.
    case shownBefore = "shown_before"
    /// Too few reminders were made yet.
    case tooEarly = "too_early"
  }
}

/// What an account has seen of paywalls.
public struct PaywallLog: Hashable, Sendable {
  /// One reason's entries.
  public struct Entry: Hashable, Sendable {
    /// Why it was shown.
    public let reason: String
    /// How often it was shown.
    public internal(set) var shownCount = 0
    /// When it was last shown.
    public internal(set) var lastShownAt: Timestamp?
    /// How often it was closed without buying.
    public internal(set) var dismissals = 0
  }

  /// How a purchase came about.
  public enum Conversion: String, Hashable, Sendable, CaseIterable {
    /// After the trial's time.
    case trialExpiry = "trial_expiry"
    /// After so many reminders.
    case taskLimit = "task_limit"
    /// From the settings.
    case manual
    /// At a locked feature or a full plan.
    case gate
  }

  /// The entries, in the order in which reasons first came up.
  public private(set) var entries: [Entry] = []
  /// How the account came to pay, if it did.
  public private(set) var conversion: Conversion?

  /// An empty log.
  public init() {}

  /// How often anything was shown.
  public var shownCount: Int { entries.reduce(0) { $0 + $1.shownCount } }
  /// How often anything was closed without buying.
  public var dismissals: Int { entries.reduce(0) { $0 + $1.dismissals } }
  /// When anything was last shown.
  public var lastShownAt: Timestamp? { entries.compactMap(\.lastShownAt).max() }

  /// Whether a reason was shown.
  public func wasShown(_ reason: String) -> Bool {
    entries.contains { $0.reason == reason && $0.shownCount > 0 }
  }

  /// Notes that something was shown.
  public mutating func noteShown(_ reason: String, at now: Timestamp) {
    change(reason) { entry in
      entry.shownCount += 1
      entry.lastShownAt = max(entry.lastShownAt ?? now, now)
    }
  }

  /// Notes that it was closed without buying.
  public mutating func noteDismissed(_ reason: String) { change(reason) { $0.dismissals += 1 } }

  /// Notes how the account came to pay; the first time counts.
  public mutating func noteConversion(_ conversion: Conversion) {
    self.conversion = self.conversion ?? conversion
  }

  private mutating func change(_ reason: String, _ body: (inout Entry) -> Void) {
    if !entries.contains(where: { $0.reason == reason }) { entries.append(Entry(reason: reason)) }
    for index in entries.indices where entries[index].reason == reason { body(&entries[index]) }
  }

  /// What two devices have seen, together: as often as either, so that telling it twice changes nothing.
  func merged(with other: PaywallLog) -> PaywallLog {
    var merged = self
    for theirs in other.entries {
      merged.change(theirs.reason) { mine in
        mine.shownCount = max(mine.shownCount, theirs.shownCount)
        mine.dismissals = max(mine.dismissals, theirs.dismissals)
        mine.lastShownAt = [mine.lastShownAt, theirs.lastShownAt].compactMap { $0 }.max()
      }
    }
    merged.entries.sort { $0.reason < $1.reason }
    merged.conversion = [conversion, other.conversion].compactMap { $0 }
      .min { $0.rawValue < $1.rawValue }
    return merged
  }
}

/// Words to show with a paywall or a notice; `{price}` and the like stand for what is known when it is shown.
public struct PaywallMessage: Hashable, Sendable {
  /// The reason that it is for.
  public private(set) var reason: String
  /// The cohort that it is for; nil for all others.
  public let cohort: String?
  /// The headline.
  public var title = ""
  /// Under it.
  public var text = ""
  /// At most three points.
  public var points: [String] = []
  /// On the buttons that go on, the most important first.
  public var actions: [String] = []
  /// On the button that closes it.
  public var dismissal = ""
  /// In small letters.
  public var finePrint = ""

  /// Makes a message.
  public init(reason: String, cohort: String?) {
    self.reason = reason
    self.cohort = cohort
  }

  /// The placeholders that messages may have.
  public static let placeholders = [
    "price", "monthly_price", "yearly_price", "savings_percent", "days_left", "limit", "count",
    "task_count", "email_count",
  ]

  /// The same words for another reason.
  public func given(reason: String) -> PaywallMessage {
    var message = self
    message.reason = reason
    return message
  }

  /// All its texts.
  public var texts: [String] { [title, text, finePrint, dismissal] + points + actions }

  /// The placeholders in it.
  public var neededValues: [String] { texts.flatMap(Self.placeholders(in:)) }

  /// The names in braces of a text, in order.
  public static func placeholders(in text: String) -> [String] {
    text.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
      .compactMap { part in part.firstIndex(of: "}").map { String(part[..<$0]) } }
  }

  /// The message with values for its placeholders; those without a value stay as they are.
  public func filled(with values: [String: String]) -> PaywallMessage {
    var filled = self
    func fill(_ text: String) -> String { fillingPlaceholders(text) { values[$0] } }
    filled.title = fill(title)
    filled.text = fill(text)
    filled.points = points.map(fill)
    filled.actions = actions.map(fill)
    filled.dismissal = fill(dismissal)
    filled.finePrint = fill(finePrint)
    return filled
  }
}

/// Replaces `{name}` by its value, once: what a value contains is never read as a placeholder.
func fillingPlaceholders(_ text: String, _ value: (String) -> String?) -> String {
  var filled = ""
  var rest = text[...]
  while let open = rest.firstIndex(of: "{") {
    filled += rest[..<open]
    guard let close = rest[open...].firstIndex(of: "}") else {
      rest = rest[open...]
      break
    }
    let name = String(rest[rest.index(after: open)..<close])
    filled += value(name) ?? "{\(name)}"
    rest = rest[rest.index(after: close)...]
  }
  return filled + rest
}

extension PaywallTable {
  /// What is shown at an event: a function of its arguments and of nothing else.
  ///
  /// Who has paid sees nothing, and grandfathered accounts see only the lines that are meant for them. Nothing is ever
  /// shown at the first opening.
  public func verdict(
    to event: PaywallEvent,
    access: Access,
    trial: TrialState,
    remindersMade: Int,
    log: PaywallLog
  ) -> PaywallVerdict {
    if access == .paid { return .none(.paid) }
    guard event != .firstOpen else { return .none(.tooEarly) }
    var silent: PaywallVerdict.Cause = access == .grandfathered ? .grandfathered : .noRule
    for rule in rules
    where rule.fits(event, trial) && rule.forGrandfathered == (access == .grandfathered) {
      if event != .manual, remindersMade < leastReminders {
        silent = .tooEarly
      } else if rule.once, log.wasShown(rule.reason) {
        silent = .shownBefore
      } else {
        return .show(rule.presentation, reason: rule.reason)
      }
    }
    return .none(silent)
  }
}

extension PaywallRule {
  fileprivate func fits(_ event: PaywallEvent, _ trial: TrialState) -> Bool {
    guard event.name == self.event else { return false }
    if let feature, event != .featureLocked(feature) { return false }
    if let scope, event != .quotaReached(scope) { return false }
    if let trialDays {
      guard case .running(let day, _, _) = trial, trialDays.contains(day) else { return false }
    }
    if afterTrial {
      guard case .ended = trial else { return false }
    }
    return true
  }
}
