import Geodesy
import Places
import Timeline
import Traces

/// Events as a journal keeps them: one object each, keys in snake_case, instants as in RFC 3339.
///
/// Written out by hand, for a journal outlives the names of this source. A test pins every case.
extension Event: Codable {
  private enum Key: String, CodingKey {
    case at, event
    case madeAt = "made_at"
    case fix, previous
    case id, action, milliseconds
    case isOn = "on"
    case reminder, place, access, ids, entitlement, zone, signal, events, answer
  }

  /// Reads an event of a journal.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    at = try container.decode(InstantText.self, forKey: .at).instant
    kind = try Self.kind(container)
    madeAt = try container.decodeIfPresent(InstantText.self, forKey: .madeAt)?.instant
  }

  /// Writes an event for a journal.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(InstantText(at), forKey: .at)
    try container.encode(name, forKey: .event)
    try container.encodeIfPresent(madeAt.map { InstantText($0) }, forKey: .madeAt)
    switch kind {
    case .launched, .timer: break
    case .fix(let fix): try container.encode(FixText(fix), forKey: .fix)
    case .woken(let fix, let previous):
      try container.encode(FixText(fix), forKey: .fix)
      try container.encodeIfPresent(previous.map { FixText($0) }, forKey: .previous)
    case .action(let id, let action):
      try container.encode(id, forKey: .id)
      try container.encode(Self.name(of: action), forKey: .action)
      if case .snoozeFor(let span) = action { try container.encode(span, forKey: .milliseconds) }
    case .focus(let isOn): try container.encode(isOn, forKey: .isOn)
    case .reminderSaved(let reminder), .reminderReopened(let reminder):
      try container.encode(reminder, forKey: .reminder)
    case .reminderDeleted(let id), .placeDeleted(let id): try container.encode(id, forKey: .id)
    case .reminderAnswered(let id, let answer):
      try container.encode(id, forKey: .id)
      try container.encode(answer, forKey: .answer)
    case .placeSaved(let place): try container.encode(PlaceText(place), forKey: .place)
    case .locationAccess(let access): try container.encode(access, forKey: .access)
    case .regionsRefused(let ids): try container.encode(ids, forKey: .ids)
    case .signal(let signal): try container.encode(signal, forKey: .signal)
    case .entitlement(let entitlement): try container.encode(entitlement, forKey: .entitlement)
    case .analytics(let isOn): try container.encode(isOn, forKey: .isOn)
    case .zoneChanged(let zone): try container.encode(zone, forKey: .zone)
    case .clockChanged(let span): try container.encode(span, forKey: .milliseconds)
    case .written(let events): try container.encode(events, forKey: .events)
    }
  }

  private var name: String {
    switch kind {
    case .launched: "launched"
    case .fix: "fix"
    case .woken: "woken"
    case .timer: "timer"
    case .action: "action"
    case .focus: "focus"
    case .reminderSaved: "reminder_saved"
    case .reminderReopened: "reminder_reopened"
    case .reminderDeleted: "reminder_deleted"
    case .reminderAnswered: "reminder_answered"
    case .placeSaved: "place_saved"
    case .placeDeleted: "place_deleted"
    case .locationAccess: "location_access"
    case .regionsRefused: "regions_refused"
    case .signal: "signal"
    case .entitlement: "entitlement"
    case .analytics: "analytics"
    case .zoneChanged: "zone_changed"
    case .clockChanged: "clock_changed"
    case .written: "written"
    }
  }

  private static func kind(_ container: KeyedDecodingContainer<Key>) throws -> Kind {
    let name = try container.decode(String.self, forKey: .event)
    switch name {
    case "launched": return .launched
    case "timer": return .timer
    case "fix": return .fix(try container.decode(FixText.self, forKey: .fix).fix)
    case "woken":
      return .woken(
        by: try container.decode(FixText.self, forKey: .fix).fix,
        previous: try container.decodeIfPresent(FixText.self, forKey: .previous)?.fix
      )
    case "action":
      return .action(
        reminder: try container.decode(String.self, forKey: .id),
        try action(container)
      )
    case "focus": return .focus(try container.decode(Bool.self, forKey: .isOn))
    case "reminder_saved":
      return .reminderSaved(try container.decode(Reminder.self, forKey: .reminder))
    case "reminder_reopened":
      return .reminderReopened(try container.decode(Reminder.self, forKey: .reminder))
    case "reminder_deleted":
      return .reminderDeleted(try container.decode(String.self, forKey: .id))
    case "reminder_answered":
      return .reminderAnswered(
        try container.decode(String.self, forKey: .id),
        try container.decode(ReminderAnswer.self, forKey: .answer)
      )
    case "place_saved":
      return .placeSaved(try container.decode(PlaceText.self, forKey: .place).place)
    case "place_deleted": return .placeDeleted(try container.decode(String.self, forKey: .id))
    case "location_access":
      return .locationAccess(try container.decode(LocationAccess.self, forKey: .access))
    case "regions_refused":
      return .regionsRefused(try container.decode([String].self, forKey: .ids))
    case "signal": return .signal(try container.decode(Signal.self, forKey: .signal))
    case "entitlement":
      return .entitlement(try container.decode(Entitlement.self, forKey: .entitlement))
    case "analytics": return .analytics(try container.decode(Bool.self, forKey: .isOn))
    case "zone_changed":
      return .zoneChanged(try container.decode(UTCOffsetTable.self, forKey: .zone))
    case "written":
      let events = try container.decode([Event].self, forKey: .events)
      guard events.allSatisfy(\.kind.isOfUser) else {
        throw DecodingError.dataCorruptedError(
          forKey: .events,
          in: container,
          debugDescription: "only what a user does is written: reminders, places and answers"
        )
      }
      return .written(events)
    case "clock_changed":
      return .clockChanged(by: try container.decode(Milliseconds.self, forKey: .milliseconds))
    default: throw container.unknown(name, .event)
    }
  }

  // MARK: Actions

  private static func name(of action: ReminderAction) -> String {
    switch action {
    case .complete: "complete"
    case .snoozeFor: "snooze"
    case .snoozeToday: "snooze_today"
    case .snoozeUntilNextArrival: "snooze_next_arrival"
    case .mute: "mute"
    case .unmute: "unmute"
    case .dismiss: "dismiss"
    case .reopen: "reopen"
    }
  }

  private static func action(_ container: KeyedDecodingContainer<Key>) throws -> ReminderAction {
    let name = try container.decode(String.self, forKey: .action)
    switch name {
    case "complete": return .complete
    case "snooze":
      return .snoozeFor(try container.decode(Milliseconds.self, forKey: .milliseconds))
    case "snooze_today": return .snoozeToday
    case "snooze_next_arrival": return .snoozeUntilNextArrival
    case "mute": return .mute
    case "unmute": return .unmute
    case "dismiss": return .dismiss
    case "reopen": return .reopen
    default: throw container.unknown(name, .action)
    }
  }
}

extension KeyedDecodingContainer {
  /// A name that this version does not know.
  func unknown(_ name: String, _ key: Key) -> DecodingError {
    .dataCorruptedError(
      forKey: key,
      in: self,
      debugDescription: "\"\(name)\" is not known to this version: read it with a newer one"
    )
  }
}

/// An instant as text; as milliseconds where the calendar of RFC 3339 ends.
///
/// One that lies more than 100 million days from 1970, as in ECMA-262, is refused: sums with it would
/// overflow.
struct InstantText: Codable {
  let instant: Timestamp

  init(_ instant: Timestamp) { self.instant = instant }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let milliseconds = try? container.decode(Int64.self) {
      guard milliseconds.magnitude <= 8_640_000_000_000_000 else {
        throw DecodingError.dataCorruptedError(
          in: container,
          debugDescription: "\(milliseconds) ms is too far from 1970"
        )
      }
      instant = Timestamp(milliseconds: milliseconds)
      return
    }
    let text = try container.decode(String.self)
    guard let instant = RFC3339.parse(text) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\"\(text)\" is no instant such as 2026-01-05T17:20:00Z"
      )
    }
    self.instant = instant
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    let text = RFC3339.format(instant)
    if RFC3339.parse(text) == instant {
      try container.encode(text)
    } else {
      try container.encode(instant.milliseconds)
    }
  }
}

/// A fix with the words of traces.
///
/// JSON has no numbers that are not finite: an accuracy of this kind is left out and read back as -1, and a position
/// where there is none as one that is no number; both are refused for the same reason.
private struct FixText: Codable {
  let fix: Fix

  private enum Key: String, CodingKey {
    case at
    case latitude = "lat"
    case longitude = "lon"
    case accuracy, speed, course
  }

  init(_ fix: Fix) { self.fix = fix }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    fix = Fix(
      at: try container.decode(InstantText.self, forKey: .at).instant,
      coordinate: try container.coordinate(.latitude, .longitude),
      horizontalAccuracyMeters: try container.decodeIfPresent(Double.self, forKey: .accuracy) ?? -1,
      speedMetersPerSecond: try container.decodeIfPresent(Double.self, forKey: .speed),
      courseDegrees: try container.decodeIfPresent(Double.self, forKey: .course)
    )
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
    try container.encode(InstantText(fix.at), forKey: .at)
    try container.encode(fix.coordinate, .latitude, .longitude)
    try container.encodeIfPresent(finite(fix.horizontalAccuracyMeters), forKey: .accuracy)
    try container.encodeIfPresent(finite(fix.speedMetersPerSecond), forKey: .speed)
    try container.encodeIfPresent(finite(fix.courseDegrees), forKey: .course)
  }
}

/// A place with the words of the reminders file.
private struct PlaceText: Codable {
  let place: Place

  private enum Key: String, CodingKey {
    case id, name, kind
    case latitude = "lat"
    case longitude = "lon"
    case arrivalRadius = "arrival_radius"
  }

  init(_ place: Place) { self.place = place }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    place = Place(
      id: try container.decode(String.self, forKey: .id),
      name: try container.decode(String.self, forKey: .name),
      kind: try container.decode(PlaceKind.self, forKey: .kind),
      coordinate: try container.coordinate(.latitude, .longitude),
      arrivalRadiusMeters: try container.decodeIfPresent(Double.self, forKey: .arrivalRadius)
    )
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(place.id, forKey: .id)
    try container.encode(place.name, forKey: .name)
    try container.encode(place.kind, forKey: .kind)
    try container.encode(place.coordinate, .latitude, .longitude)
    try container.encodeIfPresent(place.arrivalRadiusMeters, forKey: .arrivalRadius)
  }
}

extension KeyedEncodingContainer {
  /// Writes a position; nothing of one that lies nowhere on the globe.
  fileprivate mutating func encode(
    _ coordinate: Coordinate,
    _ latitude: Key,
    _ longitude: Key
  ) throws {
    guard coordinate.fault == nil else { return }
    try encode(coordinate.latitude, forKey: latitude)
    try encode(coordinate.longitude, forKey: longitude)
  }
}

extension KeyedDecodingContainer {
  /// Reads a position; where none was written it lies nowhere on the globe.
  fileprivate func coordinate(_ latitude: Key, _ longitude: Key) throws -> Coordinate {
    guard contains(latitude) || contains(longitude) else {
      return Coordinate(uncheckedLatitude: .nan, longitude: .nan)
    }
    do {
      return try Coordinate(
        latitude: decode(Double.self, forKey: latitude),
        longitude: decode(Double.self, forKey: longitude)
      )
    } catch let error as CoordinateError {
      throw DecodingError.dataCorruptedError(
        forKey: latitude,
        in: self,
        debugDescription: "\(error)"
      )
    }
  }
}
