import Fencing
import Recurrence
import Timeline
import Traces

/// Records as they are stored: one object each, with the keys of the lines that a replay prints.
///
/// Such a line is a record, too, with its distance rounded. What is not there is left out.
extension Record: Codable {
  private enum Key: String, CodingKey {
    case type, at, reminder, reason, error, ids, slots, access, notification
    case entitlement, live, event, signal, times, count, level
    case heldUntil = "held_until"
    case isOn = "on"
    /// Only in earlier versions, which had the name under `record` and what it names under its name.
    case record, id, transition, decision
    case canceled = "cancelled"
  }

  /// Reads a stored record, a line of a replay that is one, or a record of an earlier version.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let isLine = container.contains(.type)
    func at() throws -> Timestamp { try container.decode(InstantText.self, forKey: .at).instant }
    func reminder() throws -> String {
      try container.decode(String.self, forKey: isLine ? .reminder : .id)
    }
    func whole<Value: Decodable>(_ key: Key) throws -> Value {
      try isLine ? Value(from: decoder) : container.decode(Value.self, forKey: key)
    }
    let name = try container.decode(String.self, forKey: isLine ? .type : .record)
    switch name {
    case "fix_refused":
      self = .fixRefused(at: try at(), try container.decode(FixRefusal.self, forKey: .reason))
    case "reminder_refused":
      self = .reminderRefused(
        at: try at(),
        ReminderLoadError(
          reminder: try reminder(),
          reason: try container.decode(ReminderError.self, forKey: .error)
        )
      )
    case "place_refused": self = .placeRefused(at: try at(), try PlaceRefusal(from: decoder))
    case "empty_catalog_refused": self = .emptyCatalogRefused(at: try at())
    case "location_access":
      self = .locationAccess(
        at: try at(),
        try container.decode(LocationAccess.self, forKey: .access)
      )
    case "power_level":
      self = .powerLevel(at: try at(), try container.decode(PowerLevel.self, forKey: .level))
    case "regions_refused":
      self = .regionsRefused(
        at: try at(),
        ids: try container.decode([String].self, forKey: .ids),
        slots: try container.decode(Int.self, forKey: .slots)
      )
    case "transition": self = .transition(try whole(.transition))
    case "decision": self = .decision(try whole(.decision))
    case "presented":
      self = .presented(try container.decode(ReminderNotification.self, forKey: .notification))
    case "cancelled": self = .canceled(try whole(.canceled))
    case "action_refused":
      self = .actionRefused(
        at: try at(),
        reminder: try reminder(),
        try container.decode(ActionRefusal.self, forKey: .reason)
      )
    case "signal_refused":
      self = .signalRefused(
        at: try at(),
        try container.decode(Signal.self, forKey: .signal),
        try container.decode(SignalRefusal.self, forKey: .reason)
      )
    case "answered", "answer_taken_back", "schedules_left_out":
      self =
        try Self.ofTimes(name, isLine: isLine, at: at(), container)
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
    default: throw container.unknown(name, isLine ? .type : .record)
    }
  }

  private static func ofTimes(
    _ name: String,
    isLine: Bool,
    at: Timestamp,
    _ container: KeyedDecodingContainer<Key>
  ) throws -> Record {
    guard name != "schedules_left_out" else {
      return .schedulesLeftOut(
        at: at,
        count: try container.decode(Int.self, forKey: .count),
        heldUntil: try container.decode(InstantText.self, forKey: .heldUntil).instant
      )
    }
    let reminder = try container.decode(String.self, forKey: isLine ? .reminder : .id)
    let times = try container.decode([InstantText].self, forKey: .times).map(\.instant)
    return name == "answered"
      ? .answered(at: at, reminder: reminder, times: times)
      : .answerTakenBack(at: at, reminder: reminder, times: times)
  }

  /// Writes a record to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func name(_ name: String, _ instant: Timestamp? = nil) throws {
      try container.encode(name, forKey: .type)
      try container.encodeIfPresent(instant.map { InstantText($0) }, forKey: .at)
    }
    switch self {
    case .fixRefused(let at, let refusal):
      try name("fix_refused", at)
      try container.encode(refusal, forKey: .reason)
    case .reminderRefused(let at, let refusal):
      try name("reminder_refused", at)
      try container.encode(refusal.reminder, forKey: .reminder)
      try container.encode(refusal.reason, forKey: .error)
    case .placeRefused(let at, let refusal):
      try name("place_refused", at)
      try refusal.encode(to: encoder)
    case .emptyCatalogRefused(let at): try name("empty_catalog_refused", at)
    case .locationAccess(let at, let access):
      try name("location_access", at)
      try container.encode(access, forKey: .access)
    case .powerLevel(let at, let level):
      try name("power_level", at)
      try container.encode(level, forKey: .level)
    case .regionsRefused(let at, let ids, let slots):
      try name("regions_refused", at)
      try container.encode(ids, forKey: .ids)
      try container.encode(slots, forKey: .slots)
    case .transition(let transition):
      try name("transition")
      try transition.encode(to: encoder)
    case .decision(let decision):
      try name("decision")
      try decision.encode(to: encoder)
    case .presented(let notification):
      try name("presented")
      try container.encode(notification, forKey: .notification)
    case .canceled(let canceled):
      try name("cancelled")
      try canceled.encode(to: encoder)
    case .actionRefused(let at, let reminder, let refusal):
      try name("action_refused", at)
      try container.encode(reminder, forKey: .reminder)
      try container.encode(refusal, forKey: .reason)
    case .signalRefused(let at, let signal, let refusal):
      try name("signal_refused", at)
      try container.encode(signal, forKey: .signal)
      try container.encode(refusal, forKey: .reason)
    case .answered(let at, let reminder, let times),
      .answerTakenBack(let at, let reminder, let times):
      let isAnswer = if case .answered = self { true } else { false }
      try name(isAnswer ? "answered" : "answer_taken_back", at)
      try container.encode(reminder, forKey: .reminder)
      try container.encode(times.map { InstantText($0) }, forKey: .times)
    case .schedulesLeftOut(let at, let count, let heldUntil):
      try name("schedules_left_out", at)
      try container.encode(count, forKey: .count)
      try container.encode(InstantText(heldUntil), forKey: .heldUntil)
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

extension TransitionRecord: Codable {
  private enum Key: String, CodingKey {
    case at, reminder, kind, poi
    case step = "tier"
    case distanceMeters = "distance"
  }

  /// Reads a stored transition.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      at: try container.decode(InstantText.self, forKey: .at).instant,
      reminder: try container.decode(String.self, forKey: .reminder),
      step: try container.decode(Step.self, forKey: .step),
      kind: try container.decode(Kind.self, forKey: .kind),
      poi: try container.decodeIfPresent(String.self, forKey: .poi),
      distanceMeters: try container.decodeIfPresent(Double.self, forKey: .distanceMeters)
    )
  }

  /// Writes a transition to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(InstantText(at), forKey: .at)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(step, forKey: .step)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(poi, forKey: .poi)
    try container.encodeIfPresent(distanceMeters, forKey: .distanceMeters)
  }
}

extension CancelRecord: Codable {
  private enum Key: String, CodingKey {
    case at, reminder, tier, poi, reason
  }

  /// Reads a stored record.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self.init(
      at: try container.decode(InstantText.self, forKey: .at).instant,
      reminder: try container.decode(String.self, forKey: .reminder),
      tier: try container.decode(Tier.self, forKey: .tier),
      poi: try container.decodeIfPresent(String.self, forKey: .poi),
      reason: try container.decode(Reason.self, forKey: .reason)
    )
  }

  /// Writes a record to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(InstantText(at), forKey: .at)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(tier, forKey: .tier)
    try container.encodeIfPresent(poi, forKey: .poi)
    try container.encode(reason, forKey: .reason)
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
    at = try container.decode(InstantText.self, forKey: .at).instant
    reminder = try container.decode(String.self, forKey: .reminder)
    step = try container.decode(Step.self, forKey: .step)
    func reason() throws -> Silence { try container.decode(Silence.self, forKey: .reason) }
    let name = try container.decode(String.self, forKey: .outcome)
    switch name {
    case "delivered": outcome = .delivered
    case "deferred":
      outcome = .deferred(
        try reason(),
        until: try container.decodeIfPresent(InstantText.self, forKey: .until)?.instant
      )
    case "suppressed": outcome = .suppressed(try reason())
    default: throw container.unknown(name, .outcome)
    }
  }

  /// Writes a decision to store it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(InstantText(at), forKey: .at)
    try container.encode(reminder, forKey: .reminder)
    try container.encode(step, forKey: .step)
    switch outcome {
    case .delivered: try container.encode("delivered", forKey: .outcome)
    case .deferred(let silence, let until):
      try container.encode("deferred", forKey: .outcome)
      try container.encode(silence, forKey: .reason)
      try container.encodeIfPresent(until.map { InstantText($0) }, forKey: .until)
    case .suppressed(let silence):
      try container.encode("suppressed", forKey: .outcome)
      try container.encode(silence, forKey: .reason)
    }
  }
}

extension ReminderError: Codable {
  private enum Key: String, CodingKey {
    case name, place, zone, kind, part, reason
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
    case "unknown_zone": self = .unknownZone(try container.decode(String.self, forKey: .zone))
    case "bad_schedule":
      let kind = RecurrenceError.Kind(rawValue: try container.decode(String.self, forKey: .kind))
      self = .badSchedule(
        RecurrenceError(
          kind ?? .malformed,
          part: try container.decode(String.self, forKey: .part),
          try container.decode(String.self, forKey: .reason)
        )
      )
    case "bad_condition":
      self = .badCondition(try container.decode(String.self, forKey: .reason))
    case "out_of_bounds":
      self = .outOfBounds(try container.decode(String.self, forKey: .reason))
    case "has_ended": self = .hasEnded
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
    case .unknownZone(let zone):
      try container.encode("unknown_zone", forKey: .name)
      try container.encode(zone, forKey: .zone)
    case .badSchedule(let error):
      try container.encode("bad_schedule", forKey: .name)
      try container.encode(error.kind.rawValue, forKey: .kind)
      try container.encode(error.part, forKey: .part)
      try container.encode(error.reason, forKey: .reason)
    case .outOfBounds(let fault):
      try container.encode("out_of_bounds", forKey: .name)
      try container.encode(fault, forKey: .reason)
    case .badCondition(let fault):
      try container.encode("bad_condition", forKey: .name)
      try container.encode(fault, forKey: .reason)
    case .hasEnded: try container.encode("has_ended", forKey: .name)
    }
  }
}
