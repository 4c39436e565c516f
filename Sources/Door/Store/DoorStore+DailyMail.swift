import Foundation
import GRDB
import LiveHost
import Timeline
import UserStore

/// When people's daily mails are due, and what they remember, sealed.
extension DoorStore {
  /// Those whose mail is due, the longest due first.
  func dailyMailsDue(at now: Timestamp, most: Int) throws(HostFailure) -> [DoorPerson] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT id, name FROM daily_mail JOIN person ON person.id = daily_mail.person
          WHERE due <= ? ORDER BY due, id LIMIT ?
          """,
        arguments: [now.milliseconds, most]
      )
      .map { DoorPerson(id: $0["id"], name: $0["name"]) }
    }
  }

  /// When a person's next mail is due, and what is remembered; nil and nothing before the first was set.
  package func dailyMail(
    of person: DoorPerson
  ) throws(HostFailure) -> (due: Timestamp?, memory: DailyMemory) {
    let row = try read { database in
      try Row.fetchOne(
        database,
        sql: "SELECT due, body FROM daily_mail WHERE person = ?",
        arguments: [person.id]
      )
    }
    guard let row else { return (nil, DailyMemory()) }
    let memory = vault.open(row["body"], for: .dailyMail(person.id))
      .flatMap { try? JSONDecoder().decode(DailyMemory.self, from: $0) }
    return ((row["due"] as Int64?).map(Timestamp.init(milliseconds:)), memory ?? DailyMemory())
  }

  /// Keeps both.
  package func setDailyMail(
    due: Timestamp?,
    _ memory: DailyMemory,
    of person: DoorPerson
  ) throws(HostFailure) {
    let sealed = vault.seal(Self.encoded(memory), for: .dailyMail(person.id))
    try write { database in
      // Nothing is kept of somebody who was removed meanwhile.
      try database.execute(
        sql: """
          INSERT INTO daily_mail (person, due, body) SELECT id, ?, ? FROM person WHERE id = ?
          ON CONFLICT (person) DO UPDATE SET due = excluded.due, body = excluded.body
          """,
        arguments: [due?.milliseconds, sealed, person.id]
      )
    }
  }
}

extension Vault.Cell {
  fileprivate static func dailyMail(_ person: Int64) -> Vault.Cell {
    Vault.Cell(table: "daily_mail", row: "\(person)", column: "body")
  }
}
