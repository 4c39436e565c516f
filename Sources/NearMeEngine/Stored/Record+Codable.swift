import Fencing
import Timeline
import Traces

/// Records as they are stored: one object each, with the words of the replay's lines.
extension Record: Codable {
  private enum Key: String, CodingKey {
    case record, at, reason, error, id, ids, slots, access, transition, decision, notification
    case cancelled, entitlement, live, event, signal
    case isOn = "on"
  }

  /// Reads a stored record.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    func at() throws -> Timestamp { try container.decode(Timestamp.self, forKey: .at) }
    let name = try container.decode(String.self, forKey: .record)
    switch name {
    case "fix_refused":
      self = .fixRefused(at: try at(), try container.decode(FixRefusal.self, forKey: .reason))
    case "reminder_refused":
      self = .reminderRefused(
        at: try at(),
        ReminderLoadError(
          reminder: try container.decode(String.self, forKey: .id),
          reason: try container.decode(ReminderError.self, forKey: .error)
        )
      )
    case "empty_catalog_refused": self = .emptyCatalogRefused(at: try at())
    case "location_access":
      self = .locationAccess(
        at: try at(),
        try container.decode(LocationAccess.self, forKey: .access)
      )
    case "regions_refused":
      self = .regionsRefused(
        at: try at(),
        ids: try container.decode([String].self, forKey: .ids),
        slots: try container.decode(Int.self, forKey: .slots)
      )
    case "transition":
      self = .transition(try container.decode(TransitionRecord.self, forKey: .transition))
    case "decision":
      self = .decision(try container.decode(DecisionRecord.self, forKey: .decision))
    case "presented":
      self = .presented(try container.decode(ReminderNotification.self, forKey: .notification))
    case "cancelled": self = .cancelled(try container.decode(CancelRecord.self, forKey: .cancelled))
    case "action_refused":
      self = .actionRefused(
        at: try at(),
        reminder: try container.decode(String.self, forKey: .id),
        try container.decode(ActionRefusal.self, forKey: .reason)
      )
    case "signal_refused":
      self = .signalRefused(
        at: try at(),
        try container.decode(Signal.self, forKey: .signal),
        try container.decode(SignalRefusal.self, forKey: .reason)
      )
    case "entitlement":
      self = .entitlement(
        at: try at(),
        try container.decode(Entitlement.self, forKey: .entitlement),
        live: try container.decode([String].self, forKey: .live)
      )
    case "analytics_consent":
      self = .analyticsConsent(at: try at(), isOn: try container.decode(Bool.self, forKey: .isOn))
    case "analytics":
      self = .analytics(at: try at(), try container.decode(AnalyticsEvent.self, forKey: .event))
    default: throw container.unknown(name, .record)
    }
  }

  /// Writes a record to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func name(_ name: String, _ instant: Timestamp? = nil) throws {
      try container.encode(name, forKey: .record)
      try container.encodeIfPresent(instant, forKey: .at)
    }
    switch self {
    case .fixRefused(let at, let refusal):
      try name("fix_refused", at)
      try container.encode(refusal, forKey: .reason)
    case .reminderRefused(let at, let refusal):
      try name("reminder_refused", at)
      try container.encode(refusal.reminder, forKey: .id)
      try container.encode(refusal.reason, forKey: .error)
    case .emptyCatalogRefused(let at): try name("empty_catalog_refused", at)
    case .locationAccess(let at, let access):
      try name("location_access", at)
      try container.encode(access, forKey: .access)
    case .regionsRefused(let at, let ids, let slots):
      try name("regions_refused", at)
      try container.encode(ids, forKey: .ids)
      try container.encode(slots, forKey: .slots)
    case .transition(let transition):
      try name("transition")
      try container.encode(transition, forKey: .transition)
    case .decision(let decision):
      try name("decision")
      try container.encode(decision, forKey: .decision)
    case .presented(let notification):
      try name("presented")
      try container.encode(notification, forKey: .notification)
    case .cancelled(let cancelled):
      try name("cancelled")
      try container.encode(cancelled, forKey: .cancelled)
    case .actionRefused(let at, let reminder, let refusal):
      try name("action_refused", at)
      try container.encode(reminder, forKey: .id)
      try container.encode(refusal, forKey: .reason)
    case .signalRefused(let at, let signal, let refusal):
      try name("signal_refused", at)
      try container.encode(signal, forKey: .signal)
      try container.encode(refusal, forKey: .reason)
    case .entitlement(let at, let entitlement, let live):
      try name("entitlement", at)
      try container.encode(entitlement, forKey: .entitlement)
      try container.encode(live, forKey: .live)
    case .analyticsConsent(let at, let isOn):
      try name("analytics_consent", at)
      try container.encode(isOn, forKey: .isOn)
    case .analytics(let at, let event):
      try name("analytics", at)
      try container.encode(event, forKey: .event)
    }
  }
}

extension DecisionRecord: Codable {
  private enum Key: String, CodingKey {
    case at, reminder, outcome, reason, until
    case step = "tier"
  }

  /// Reads a stored decision.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    at = try container.decode(Timestamp.self, forKey: .at)
    reminder = try container.decode(String.self, forKey: .reminder)
    step = try container.decode(Step.self, forKey: .step)
    func reason() throws -> Silence { try container.decode(Silence.self, forKey: .reason) }
    let name = try container.decode(String.self, forKey: .outcome)
    switch name {
    case "delivered": outcome = .delivered
    case "deferred":
      outcome = .deferred(
        try reason(),
        until: try container.decodeIfPresent(Timestamp.self, forKey: .until)
      )
    case "suppressed": outcome = .suppressed(try reason())
    default: throw container.unknown(name, .outcome)
    }
  }

  /// Writes a decision to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(at, forKey: .at)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(step, forKey: .step)
    switch outcome {
    case .delivered: try container.encode("delivered", forKey: .outcome)
    case .deferred(let silence, let until):
      try container.encode("deferred", forKey: .outcome)
      try container.encode(silence, forKey: .reason)
      try container.encodeIfPresent(until, forKey: .until)
    case .suppressed(let silence):
      try container.encode("suppressed", forKey: .outcome)
      try container.encode(silence, forKey: .reason)
    }
  }
}

extension ReminderError: Codable {
  private enum Key: String, CodingKey {
    case name, place
    case outerMeters = "outer"
    case innerMeters = "inner"
  }

  /// Reads a stored reason.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let name = try container.decode(String.self, forKey: .name)
    switch name {
    case "no_tier": self = .badTiers(.empty)
    case "arrival_not_last": self = .badTiers(.arrivalNotLast)
    case "not_nested":
      self = .badTiers(
        .notNested(
          outer: try container.decode(Double.self, forKey: .outerMeters),
          inner: try container.decode(Double.self, forKey: .innerMeters)
        )
      )
    case "two_post_arrivals": self = .twoPostArrivals
    case "post_arrival_without_arrival": self = .postArrivalWithoutArrival
    case "unknown_place":
      self = .unknownPlace(try container.decode(String.self, forKey: .place))
    default: throw container.unknown(name, .name)
    }
  }

  /// Writes a reason to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .badTiers(.empty): try container.encode("no_tier", forKey: .name)
    case .badTiers(.arrivalNotLast): try container.encode("arrival_not_last", forKey: .name)
    case .badTiers(.notNested(let outer, let inner)):
      try container.encode("not_nested", forKey: .name)
      try container.encode(outer, forKey: .outerMeters)
      try container.encode(inner, forKey: .innerMeters)
    case .twoPostArrivals: try container.encode("two_post_arrivals", forKey: .name)
    case .postArrivalWithoutArrival:
      try container.encode("post_arrival_without_arrival", forKey: .name)
    case .unknownPlace(let place):
      try container.encode("unknown_place", forKey: .name)
      try container.encode(place, forKey: .place)
    }
  }
}
