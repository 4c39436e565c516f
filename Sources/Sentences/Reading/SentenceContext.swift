import NearMeEngine
import Places
import Recurrence
import Timeline

/// When and where a sentence is said: all that it depends on beside its words.
public struct SentenceContext: Sendable {
  /// One of the user's own places.
  public struct Place: Hashable, Sendable {
    /// Its id, which reminders name.
    public let id: String
    /// What the user calls it.
    public let name: String

    /// Makes a place.
    public init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// The wall clock where it is said.
  public var now: LocalDateTime
  /// The zone of that clock; nil: other zones that are named cannot be converted.
  public var zone: UTCOffsetTable?
  /// Where zones are found that a sentence names.
  public var zones: any ZoneSource
  /// Whether the day stands before the month in 3/4.
  public var isDayFirst: Bool
  /// The user's own places.
  public var places: [Place]
  /// What comes again and began before then is said to have begun, and not to come next at its first time.
  public var begunBefore: LocalDateTime

  /// Makes a context.
  ///
  /// - Parameter begunBefore: another instant than `now` where dates are to be said in full.
  public init(
    now: LocalDateTime,
    zone: UTCOffsetTable? = nil,
    zones: any ZoneSource = NoZones(),
    isDayFirst: Bool = false,
    places: [Place] = [],
    begunBefore: LocalDateTime? = nil
  ) {
    self.now = now
    self.zone = zone
    self.zones = zones
    self.isDayFirst = isDayFirst
    self.places = places
    self.begunBefore = begunBefore ?? now
  }

  /// Whether something that comes again has had its first time; a date is due at the hour that is usual for dates.
  public func hasBegun(_ schedule: Schedule) -> Bool {
    let first = schedule.start
    let minute = Policy.Schedules().minuteOfDay
    let local =
      first.isDate ? LocalDateTime(first.local.date, minuteOfDay: minute) : first.local
    return local < begunBefore
  }
}

extension Places.Place {
  /// What it may be called in a sentence: its name, and what it is.
  public var spoken: [SentenceContext.Place] {
    var names = [name]
    switch kind {
    case .home: names.append("home")
    case .work: names += ["work", "office"]
    case .other: break
    }
    return names.map { SentenceContext.Place(id: id, name: $0) }
  }
}
