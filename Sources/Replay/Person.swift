import Geodesy
import NearMeEngine
import Places
import Timeline

/// What one person wants to be reminded of, and does about it.
public struct Person: Hashable, Sendable {
  /// Where quiet hours are.
  public var zone: UTCOffsetTable
  /// The person's own places.
  public var places: [Place]
  /// What to be reminded of.
  public var reminders: [Reminder]
  /// What the person does during a replay.
  public var actions: [ReplayAction]
  /// Whether reminders are limited in number.
  public var entitlement: Entitlement

  /// Makes a person.
  public init(
    zone: UTCOffsetTable = .utc,
    places: [Place] = [],
    reminders: [Reminder],
    actions: [ReplayAction] = [],
    entitlement: Entitlement = .premium
  ) {
    self.zone = zone
    self.places = places
    self.reminders = reminders
    self.actions = actions
    self.entitlement = entitlement
  }

  /// A person with a reminder for each of some categories, for home and for work.
  ///
  /// - Parameter work: nil if they have no place of work.
  public init(
    zone: UTCOffsetTable = .utc,
    home: Coordinate?,
    work: Coordinate?,
    categories: [CategoryID]
  ) {
    let places = [(PlaceKind.home, home), (.work, work)]
      .compactMap { kind, spot in
        spot.map { Place(id: kind.rawValue, name: kind.rawValue, kind: kind, coordinate: $0) }
      }
    let reminders =
      categories.map { Reminder(id: $0.name, title: "do \($0.name)", target: .category($0)) }
      + places.map { Reminder(id: $0.id, title: "do \($0.id)", target: .place($0.id)) }
    self.init(zone: zone, places: places, reminders: reminders)
  }
}
