import Channels
import Crypto
import Foundation
import GRDB
import LiveHost
import Timeline
import UserStore

/// Sessions, one-time links and tokens, by their hashes.
extension DoorStore {
  /// Makes a one-time link's secret for a person; whoever has it is that person, once.
  ///
  /// There are no passwords: links are the only way in for people, and whoever can run commands on the door's folder can make
  /// them.
  ///
  /// - Parameter span: how long it is good, in milliseconds.
  package func makeLink(
    for person: DoorPerson,
    at now: Timestamp,
    span: Milliseconds = .minutes(24 * 60)
  ) throws(HostFailure) -> String {
    let secret = SessionSecret.make()
    try add(
      StoredSession(
        hash: Secret.hash(secret),
        person: person,
        kind: .link,
        scopes: [],
        label: "",
        created: now,
        expires: now + span
      )
    )
    return secret
  }

  /// Whether any browser is signed in.
  package func isAnybodyIn(at now: Timestamp) throws(HostFailure) -> Bool {
    try read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM session WHERE kind = 'session' AND expires > ?)",
        arguments: [now.milliseconds]
      ) ?? false
    }
  }

  package func sessions() throws(HostFailure) -> [StoredSession] {
    try read { database in
      try Row.fetchAll(database, sql: Self.selectSessions).compactMap(Self.session)
    }
  }

  func add(_ session: StoredSession) throws(HostFailure) {
    try write { try Self.insert(session, $0) }
  }

  /// Ends a credential: nothing is pushed any more to a browser that it has turned on.
  ///
  /// - Returns: such browsers.
  func remove(_ session: StoredSession) throws(HostFailure) -> [PushSubscription] {
    try write { database in
      let browsers = try browsers(of: session, in: database)
      try database.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [session.hash])
      try database.execute(
        sql: "DELETE FROM channel WHERE person = ? AND kind = 'browser' AND session = ?",
        arguments: [session.person.id, session.hash]
      )
      return browsers
    }
  }

  /// Ends all sessions and links of a person but one session, and the pushes to every browser that it has not turned on.
  ///
  /// - Parameter withTokens: whether the tokens of programs end, too.
  /// - Returns: what was ended.
  func removeOthers(
    than session: StoredSession,
    withTokens: Bool
  ) throws(HostFailure) -> [(hash: Data, kind: StoredSession.Kind)] {
    let kinds = "kind IN ('session', 'link'\(withTokens ? ", 'token'" : ""))"
    return try write { database in
      let ended = try Row.fetchAll(
        database,
        sql: "SELECT hash, kind FROM session WHERE person = ? AND hash <> ? AND \(kinds)",
        arguments: [session.person.id, session.hash]
      )
      try database.execute(
        sql: "DELETE FROM session WHERE person = ? AND hash <> ? AND \(kinds)",
        arguments: [session.person.id, session.hash]
      )
      // Of one that was turned on before that was written down nobody knows whose it is: its page turns it on anew.
      try database.execute(
        sql: "DELETE FROM channel WHERE person = ? AND kind = 'browser' AND session IS NOT ?",
        arguments: [session.person.id, session.hash]
      )
      return ended.compactMap { row in
        StoredSession.Kind(rawValue: row["kind"]).map { (hash: row["hash"], kind: $0) }
      }
    }
  }

  func noteUse(_ session: StoredSession) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: "UPDATE session SET used = ?, expires = ? WHERE hash = ?",
        arguments: [
          session.used?.milliseconds, session.expires.milliseconds, session.hash,
        ]
      )
    }
  }

  /// Takes a link away and puts a session in its place, in one transaction.
  func takeLink(
    _ link: Data,
    for hash: Data,
    label: String,
    at now: Timestamp,
    until end: Timestamp
  ) throws(HostFailure) -> StoredSession? {
    try write { database in
      try database.execute(
        sql: "DELETE FROM session WHERE expires <= ?",
        arguments: [now.milliseconds]
      )
      let row = try Row.fetchOne(
        database,
        sql: Self.selectSessions + " WHERE hash = ? AND kind = 'link'",
        arguments: [link]
      )
      guard let person = try row.flatMap(Self.session)?.person else { return nil }
      try database.execute(sql: "DELETE FROM session WHERE hash = ?", arguments: [link])
      let session = StoredSession(
        hash: hash,
        person: person,
        kind: .session,
        scopes: Set(SessionScope.allCases),
        label: label,
        created: now,
        expires: end,
        used: now
      )
      try Self.insert(session, database)
      return session
    }
  }

  private static let selectSessions = """
    SELECT hash, person, person.name AS owner, kind, scopes, label, session.created, expires, used, maker
    FROM session JOIN person ON person.id = person
    """

  private static func insert(_ session: StoredSession, _ database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO session (hash, person, kind, scopes, label, created, expires, used, maker)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        session.hash, session.person.id, session.kind.rawValue,
        session.scopes.sorted().map(\.rawValue).joined(separator: " "), session.label,
        session.created.milliseconds, session.expires.milliseconds, session.used?.milliseconds,
        session.maker,
      ]
    )
  }

  private static func session(_ row: Row) throws -> StoredSession? {
    guard let kind = StoredSession.Kind(rawValue: row["kind"]) else { return nil }
    let scopes: String = row["scopes"]
    return StoredSession(
      hash: row["hash"],
      person: DoorPerson(id: row["person"], name: row["owner"]),
      kind: kind,
      scopes: Set(scopes.split(separator: " ").compactMap { SessionScope(rawValue: String($0)) }),
      label: row["label"],
      created: Timestamp(milliseconds: row["created"]),
      expires: Timestamp(milliseconds: row["expires"]),
      used: (row["used"] as Int64?).map { Timestamp(milliseconds: $0) },
      maker: row["maker"]
    )
  }
}

// MARK: - Settings and secrets

extension Vault.Cell {
  fileprivate static func settings(_ person: Int64) -> Vault.Cell {
    Vault.Cell(table: "person", row: String(person), column: "settings")
  }

  fileprivate static func secret(_ name: String) -> Vault.Cell {
    Vault.Cell(table: "secret", row: name, column: "value")
  }

  fileprivate static func reply(_ person: Int64, _ key: Data) -> Vault.Cell {
    Vault.Cell(
      table: "reply",
      row: "\(person)/\(key.base64EncodedString())",
      column: "body"
    )
  }
}

extension DoorStore {
  /// What a person has set, as it was written; nil where nothing ever was.
  package func settings(of person: DoorPerson) throws(HostFailure) -> Data? {
    let sealed = try read { database in
      try Data.fetchOne(
        database,
        sql: "SELECT settings FROM person WHERE id = ? AND settings IS NOT NULL",
        arguments: [person.id]
      )
    }
    guard let sealed else { return nil }
    guard let plain = vault.open(sealed, for: .settings(person.id)) else {
      throw HostFailure(
        .badInput,
        "\(folder.database): the settings of a person cannot be opened: put a copy of the file in its place"
      )
    }
    return plain
  }

  /// Writes what a person has set, sealed.
  package func setSettings(_ plain: Data, of person: DoorPerson) throws(HostFailure) {
    let sealed = vault.seal(plain, for: .settings(person.id))
    try write { database in
      try database.execute(
        sql: "UPDATE person SET settings = ? WHERE id = ?",
        arguments: [sealed, person.id]
      )
    }
  }

  /// A secret of the door's own: 32 random bytes that stay the same, sealed in its file.
  ///
  /// - Parameter name: what it is for.
  package func secret(_ name: String) throws(HostFailure) -> Data {
    let new = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
    let sealed = try write { database in
      try database.execute(
        sql: "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING",
        arguments: [name, vault.seal(new, for: .secret(name))]
      )
      return try Data.fetchOne(
        database,
        sql: "SELECT value FROM secret WHERE name = ?",
        arguments: [name]
      )
    }
    guard let sealed, let plain = vault.open(sealed, for: .secret(name)) else {
      throw HostFailure(
        .badInput,
        "\(folder.database): a secret cannot be opened: put a copy of the file in its place"
      )
    }
    return plain
  }
}

// MARK: - What was answered

/// What is known of a change that a client has sent before.
enum KeptReply: Hashable, Sendable {
  /// Nobody has sent it.
  case new
  /// It was begun and not answered: the door was killed, or it failed.
  case begun(at: Timestamp)
  /// It was answered so.
  case done(Data)
  /// The key was used for something else.
  case other
}

extension DoorStore {
  /// Answers are kept for so long.
  static let repliesKept = Milliseconds.minutes(7 * 24 * 60)

  /// Notes that a change begins, unless it is known.
  func beginReply(
    _ key: Data,
    request: Data,
    of person: DoorPerson,
    at now: Timestamp
  ) throws(HostFailure) -> KeptReply {
    let row = try write { database -> Row? in
      try database.execute(
        sql: "DELETE FROM reply WHERE at < ?",
        arguments: [(now - Self.repliesKept).milliseconds]
      )
      let row = try Row.fetchOne(
        database,
        sql: "SELECT request, at, body FROM reply WHERE person = ? AND key = ?",
        arguments: [person.id, key]
      )
      if row == nil {
        try database.execute(
          sql: "INSERT INTO reply (person, key, request, at) VALUES (?, ?, ?, ?)",
          arguments: [person.id, key, request, now.milliseconds]
        )
      }
      return row
    }
    guard let row else { return .new }
    guard row["request"] == request else { return .other }
    guard let sealed: Data = row["body"],
      let plain = vault.open(sealed, for: .reply(person.id, key))
    else { return .begun(at: Timestamp(milliseconds: row["at"])) }
    return .done(plain)
  }

  /// Notes how a change was answered; nil: it was not done, and may be sent again.
  func endReply(_ key: Data, of person: DoorPerson, _ body: Data?) throws(HostFailure) {
    let sealed = body.map { vault.seal($0, for: .reply(person.id, key)) }
    try write { database in
      if let sealed {
        try database.execute(
          sql: "UPDATE reply SET body = ? WHERE person = ? AND key = ?",
          arguments: [sealed, person.id, key]
        )
      } else {
        try database.execute(
          sql: "DELETE FROM reply WHERE person = ? AND key = ?",
          arguments: [person.id, key]
        )
      }
    }
  }
}

// MARK: - Phones

extension DoorStore {
  /// When a phone was heard last, to about a second; nil if it never was.
  package func lastSeen(_ device: DoorDevice) throws(HostFailure) -> Timestamp? {
    try read { database in
      try Int64.fetchOne(
        database,
        sql: "SELECT seen FROM device WHERE id = ? AND seen IS NOT NULL",
        arguments: [device.id]
      )
      .map { Timestamp(milliseconds: $0) }
    }
  }
}
