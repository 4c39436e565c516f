import Channels
import Foundation
import GRDB
import LiveHost
import Timeline
import UserStore

/// What a button is worth.
package enum AnswerUse: Hashable, Sendable {
  /// It was good, for the first time.
  case fresh(DoorPerson, AnswerSubject)
  /// It was used before.
  case alreadyDone(DoorPerson, AnswerSubject)
  /// It was good once; it came too late.
  case expired(DoorPerson, AnswerSubject)
  /// Nobody knows it.
  case unknown
}

extension Vault.Cell {
  fileprivate static func answer(_ hash: Data) -> Vault.Cell {
    Vault.Cell(table: "answer", row: hash.base64EncodedString(), column: "body")
  }
}

/// The tokens of buttons, by their hashes; what they stand for is sealed.
extension DoorStore {
  /// What is over is forgotten after so long: until then it is said that it came too late.
  private static let keptAfter = Milliseconds.minutes(30 * 24 * 60)

  /// Puts tokens away, all of them or none; one that lies there already stays as it is.
  package func putAnswers(
    _ answers: [(hash: Data, answer: AnswerSubject, expires: Timestamp)],
    of person: DoorPerson
  ) throws(HostFailure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try write { database in
      for (hash, answer, expires) in answers {
        try database.execute(
          sql: """
            INSERT INTO answer (hash, person, expires, body) VALUES (?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """,
          arguments: [
            hash, person.id, expires.milliseconds,
            vault.seal(try encoder.encode(answer), for: .answer(hash)),
          ]
        )
      }
    }
  }

  /// Forgets tokens that ended long ago.
  package func sweepAnswers(at now: Timestamp) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: "DELETE FROM answer WHERE expires < ?",
        arguments: [(now - Self.keptAfter).milliseconds]
      )
    }
  }

  /// Ends the buttons of a person's that went out by some ways: from now on they are too old.
  package func endAnswers(
    of person: DoorPerson,
    by ways: Set<EndedWay>,
    at now: Timestamp
  ) throws(HostFailure) {
    guard !ways.isEmpty else { return }
    try write { database in
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT hash, body FROM answer WHERE person = ? AND expires > ?",
        arguments: [person.id, now.milliseconds]
      )
      for row in rows {
        let hash: Data = row["hash"]
        guard let plain = vault.open(row["body"], for: .answer(hash)),
          let answer = try? JSONDecoder().decode(AnswerSubject.self, from: plain),
          ways.contains(where: { $0.covers(answer.channel) })
        else { continue }
        try database.execute(
          sql: "UPDATE answer SET expires = ? WHERE hash = ?",
          arguments: [now.milliseconds, hash]
        )
      }
    }
  }

  /// Whether a button was used that does the same to the same news, by whatever way it went out.
  func isUsed(like subject: AnswerSubject, of person: DoorPerson) throws(HostFailure) -> Bool {
    try read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT hash, body FROM answer WHERE person = ? AND used IS NOT NULL",
        arguments: [person.id]
      )
      .contains { row in
        vault.open(row["body"], for: .answer(row["hash"]))
          .flatMap { try? JSONDecoder().decode(AnswerSubject.self, from: $0) }?
          .isLike(subject) ?? false
      }
    }
  }

  /// Says what a token would be worth, and changes nothing.
  package func lookAnswer(_ hash: Data, at now: Timestamp) throws(HostFailure) -> AnswerUse {
    try read { try self.answer(hash, at: now, $0) }
  }

  /// Uses a token; of two uses at the same time one is the first.
  package func useAnswer(_ hash: Data, at now: Timestamp) throws(HostFailure) -> AnswerUse {
    try write { database in
      let use = try self.answer(hash, at: now, database)
      if case .fresh = use {
        try database.execute(
          sql: "UPDATE answer SET used = ? WHERE hash = ?",
          arguments: [now.milliseconds, hash]
        )
      }
      return use
    }
  }

  private func answer(_ hash: Data, at now: Timestamp, _ database: Database) throws -> AnswerUse {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT person, person.name AS owner, expires, used, body
        FROM answer JOIN person ON person.id = person WHERE hash = ?
        """,
      arguments: [hash]
    )
    guard let row, let plain = vault.open(row["body"], for: .answer(hash)),
      let answer = try? JSONDecoder().decode(AnswerSubject.self, from: plain)
    else { return .unknown }
    let person = DoorPerson(id: row["person"], name: row["owner"])
    if (row["used"] as Int64?) != nil { return .alreadyDone(person, answer) }
    return row["expires"] > now.milliseconds ? .fresh(person, answer) : .expired(person, answer)
  }
}
