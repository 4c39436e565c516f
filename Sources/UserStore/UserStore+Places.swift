import Foundation
import GRDB
import Geodesy
import NearMeEngine
import Places
import Timeline

/// The user's places, as they make and change them.
extension UserStore {
  /// Makes a place.
  ///
  /// - Parameters:
  ///   - id: an id of the user's choice, which is not sealed; nil for the next of `p1`, `p2`, ….
  ///   - make: makes it, with the id it is to have.
  public func addPlace(
    id wanted: String? = nil,
    at now: Timestamp,
    _ make: (String) -> Place
  ) throws(UserStoreError) -> Result<Place, EditRefusal> {
    try editing { database in
      let serial = try nextSerial("place", database)
      let id = try newID(wanted, letter: "p", serial: serial, table: "place", database)
      let made = try checked(make(id))
      try insert(made, serial: serial, vault, database)
      try insertEvent(Event(at: now, .placeSaved(made)), reminder: nil, vault, database)
      return made
    }
  }

  /// Changes a place; the fences of its reminders move at once.
  ///
  /// - Parameter change: makes the new place of the old one, with the same id.
  public func editPlace(
    _ id: String,
    at now: Timestamp,
    _ change: (Place) -> Place
  ) throws(UserStoreError) -> Result<Place, EditRefusal> {
    try editing { database in
      let old = try known(id, database)
      let new = try checked(change(old))
      precondition(new.id == id, "a place keeps its id")
      guard new != old else { throw EditRefusal.nothingToChange(id) }
      try requireWatchable(new, database)
      try database.execute(
        sql: "UPDATE place SET body = ? WHERE id = ?",
        arguments: [try vault.seal(new, for: .place(id)), id]
      )
      try insertEvent(Event(at: now, .placeSaved(new)), reminder: nil, vault, database)
      return new
    }
  }

  /// Deletes a place.
  ///
  /// - Parameter withReminders: whether the reminders that aim at it go, too; if not, they keep it.
  /// - Returns: the ids of the reminders that were deleted with it.
  public func deletePlace(
    _ id: String,
    withReminders: Bool,
    at now: Timestamp
  ) throws(UserStoreError) -> Result<[String], EditRefusal> {
    try editing { database in
      _ = try known(id, database)
      let aiming = try reminders(aimingAt: id, database)
      guard aiming.isEmpty || withReminders else {
        throw EditRefusal.placeInUse(id, by: aiming.map(\.id))
      }
      for reminder in aiming { try delete(reminder, at: now, database) }
      try database.execute(sql: "DELETE FROM place WHERE id = ?", arguments: [id])
      try insertEvent(Event(at: now, .placeDeleted(id)), reminder: nil, vault, database)
      return aiming.map(\.id)
    }
  }

  // MARK: Parts

  private func known(_ id: String, _ database: Database) throws -> Place {
    do {
      return try known(.place(id), database) { .unknownPlace(id, nearest: $0) }
    } catch EditRefusal.unknownPlace(_, nearest: nil) {
      throw EditRefusal.unknownPlace(id, nearest: Self.nearest(to: id, among: try places(database)))
    }
  }

  /// What is sealed in the row with an id.
  ///
  /// - Parameter unknown: what is said if there is none, with the id that is most like it.
  func known<Body: Decodable>(
    _ cell: Vault.Cell,
    _ database: Database,
    unknown: (_ nearest: String?) -> EditRefusal
  ) throws -> Body {
    let (table, id) = (cell.table, cell.row)
    let sealed = try Data.fetchOne(
      database,
      sql: "SELECT body FROM \(table) WHERE id = ?",
      arguments: [id]
    )
    guard let sealed else {
      let ids = try String.fetchAll(database, sql: "SELECT id FROM \(table) ORDER BY serial")
      throw unknown(nearestName(to: id, among: ids))
    }
    return try vault.open(Body.self, sealed, for: cell)
  }

  func checked(_ place: Place) throws -> Place {
    precondition(place.arrivalRadiusMeters ?? 1 > 0, "a radius is above 0")
    return Place(
      id: place.id,
      name: try checkedName(place.name),
      kind: place.kind,
      coordinate: place.coordinate,
      arrivalRadiusMeters: place.arrivalRadiusMeters
    )
  }

  private func reminders(aimingAt place: String, _ database: Database) throws -> [Reminder] {
    try reminders(database).filter { $0.aims(at: .place(place)) }
  }

  /// Refuses a place with which one of its reminders could not be watched for.
  private func requireWatchable(_ place: Place, _ database: Database) throws {
    var engine = Engine(policy: Policy(), zone: .utc, catalog: .empty, monitoring: .everyFix)
    do {
      try engine.load(
        // A reminder may be about others, too.
        places: try places(database).filter { $0.id != place.id } + [place],
        reminders: try reminders(aimingAt: place.id, database)
      )
    } catch let error as ReminderLoadError {
      throw EditRefusal.cannotBeWatched(error.reminder, error.reason)
    }
  }
}

/// Adds a place's row.
func insert(_ place: Place, serial: Int64, _ vault: Vault, _ database: Database) throws {
  try database.execute(
    sql: "INSERT INTO place (id, serial, body) VALUES (?, ?, ?)",
    arguments: [place.id, serial, try vault.seal(place, for: .place(place.id))]
  )
}
