import Channels
import Foundation
import GRDB
import LiveHost
import Timeline

/// Addresses that a person has set and whose owner was asked, and has not said yes yet: nothing else goes there.
extension DoorStore {
  /// A link is good for so long.
  private static let linkSpan = Milliseconds.minutes(3 * 24 * 60)

  /// Notes that an address was asked; an earlier link for it is worth nothing any more.
  ///
  /// - Parameter link: what is kept of the link's secret.
  func putUnconfirmed(
    _ way: AnswerWay,
    link: Data,
    of person: DoorPerson,
    at now: Timestamp
  ) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: """
          INSERT INTO unconfirmed (person, way, link, asked) VALUES (?, ?, ?, ?)
          ON CONFLICT (person, way) DO UPDATE SET link = excluded.link, asked = excluded.asked
          """,
        arguments: [person.id, way.name, link, now.milliseconds]
      )
    }
  }

  /// The ways of a person's whose owners have not said yes, by name.
  package func unconfirmed(of person: DoorPerson) throws(HostFailure) -> Set<String> {
    try read { database in
      try Set(
        String.fetchAll(
          database,
          sql: "SELECT way FROM unconfirmed WHERE person = ?",
          arguments: [person.id]
        )
      )
    }
  }

  /// Forgets what was asked at addresses that a person has no more.
  package func forgetUnconfirmed(
    but ways: Set<AnswerWay> = [],
    of person: DoorPerson
  ) throws(HostFailure) {
    let names = Set(ways.map(\.name))
    for way in try unconfirmed(of: person) where !names.contains(way) {
      try write { database in
        try database.execute(
          sql: "DELETE FROM unconfirmed WHERE person = ? AND way = ?",
          arguments: [person.id, way]
        )
      }
    }
  }

  /// Whose news a link is about; nil for one that was used, is too old or never was.
  func asker(_ link: Data, at now: Timestamp) throws(HostFailure) -> DoorPerson? {
    try read { try asker(link, at: now, $0) }
  }

  /// Takes a link for a yes.
  ///
  /// - Returns: as ``asker(_:at:)``.
  func confirm(_ link: Data, at now: Timestamp) throws(HostFailure) -> DoorPerson? {
    try write { database in
      let person = try asker(link, at: now, database)
      guard person != nil else { return nil }
      try database.execute(sql: "DELETE FROM unconfirmed WHERE link = ?", arguments: [link])
      return person
    }
  }

  private func asker(_ link: Data, at now: Timestamp, _ database: Database) throws -> DoorPerson? {
    try Row.fetchOne(
      database,
      sql: """
        SELECT person.id, person.name FROM unconfirmed JOIN person ON person.id = unconfirmed.person
        WHERE link = ? AND asked > ?
        """,
      arguments: [link, (now - Self.linkSpan).milliseconds]
    )
    .map { DoorPerson(id: $0["id"], name: $0["name"]) }
  }
}
