import Channels
import Crypto
import Foundation
import GRDB
import LiveHost
import Timeline
import UserStore

/// What is known of a person's channels beside the settings, sealed: their secrets, and browsers that take pushes.
extension DoorStore {
  private enum Kind: String { case secret, browser, heard, message }

  /// What was heard of news, and which messages show them, is kept for so long.
  private static let keptAfter = Milliseconds.minutes(7 * 24 * 60)

  /// A person has so many browsers at most; the one that was turned on longest ago makes room.
  private static let mostBrowsers = 20

  /// The secret of a channel; nil if it has none.
  package func channelSecret(
    _ channel: String,
    of person: DoorPerson
  ) throws(HostFailure) -> String? {
    try channelRows(.secret, of: person).first { $0.id == channel }
      .map { String(decoding: $0.body, as: UTF8.self) }
  }

  /// The channels that have a secret, by their ids, in order.
  package func channelsWithSecret(of person: DoorPerson) throws(HostFailure) -> [String] {
    try channelRows(.secret, of: person).map(\.id)
  }

  /// Keeps the secret of a channel, or forgets it.
  package func setChannelSecret(
    _ secret: String?,
    of channel: String,
    _ person: DoorPerson
  ) throws(HostFailure) {
    try setChannelRow(secret.map { Data($0.utf8) }, .secret, channel, of: person)
  }

  /// Sets a person's channels with all else, forgets secrets that were given for other addresses, and ends the buttons that
  /// went out by channels that are no more.
  ///
  /// - Returns: the ways by which nobody is told any more: what is on its way there has buttons still.
  @discardableResult
  package func set(
    _ new: PersonSettings,
    insteadOf old: PersonSettings,
    of person: DoorPerson,
    at now: Timestamp
  ) throws(HostFailure) -> Set<EndedWay> {
    let (before, after) = (try? old.channelSettings(), try? new.channelSettings())
    let (known, wanted) = (before?.channels ?? [], after?.channels ?? [])
    for id in try channelsWithSecret(of: person) {
      let before = known.first { $0.id == id }?.kind.addressee
      // First the secret goes: killed between both, it is missing, and nowhere it was not meant for.
      if before == nil || before != wanted.first(where: { $0.id == id })?.kind.addressee {
        try setChannelSecret(nil, of: id, person)
      }
    }
    let ended = after.flatMap { before?.ended(by: $0) } ?? []
    try endAnswers(of: person, by: ended, at: now)
    try setSettings(Data(new.json.utf8), of: person)
    return ended
  }

  /// The browsers that take pushes, in an order that stays.
  package func browsers(of person: DoorPerson) throws(HostFailure) -> [PushSubscription] {
    try channelRows(.browser, of: person)
      .compactMap { try? PushSubscription(json: [UInt8]($0.body)) }
  }

  /// The browsers that a session has turned on.
  func browsers(
    of session: StoredSession,
    in database: Database
  ) throws -> [PushSubscription] {
    try Row.fetchAll(
      database,
      sql: "SELECT id, body FROM channel WHERE person = ? AND kind = ? AND session = ?",
      arguments: [session.person.id, Kind.browser.rawValue, session.hash]
    )
    .compactMap { row in
      vault.open(row["body"], for: Self.cell(.browser, row["id"], session.person))
        .flatMap { try? PushSubscription(json: [UInt8]($0)) }
    }
  }

  /// Keeps a browser that a session has turned on; one that is there already is not doubled.
  ///
  /// Whoever sits before a browser is one person: where another one had it, that one has it no more.
  ///
  /// - Returns: the others who had it.
  package func addBrowser(
    _ browser: PushSubscription,
    of person: DoorPerson,
    session: Data,
    at now: Timestamp
  ) throws(HostFailure) -> [DoorPerson] {
    let (id, kind) = (Self.id(browser.endpoint), Kind.browser.rawValue)
    return try write { database in
      let others =
        try Row.fetchAll(
          database,
          sql: """
            SELECT person.id, person.name FROM person JOIN channel ON channel.person = person.id
            WHERE channel.kind = ? AND channel.id = ? AND person.id <> ? ORDER BY person.id
            """,
          arguments: [kind, id, person.id]
        )
        .map { DoorPerson(id: $0["id"], name: $0["name"]) }
      try database.execute(
        sql: "DELETE FROM channel WHERE kind = ? AND id = ? AND person <> ?",
        arguments: [kind, id, person.id]
      )
      try database.execute(
        sql: """
          DELETE FROM channel WHERE person = ? AND kind = ? AND id IN (
            SELECT id FROM channel WHERE person = ? AND kind = ? AND id <> ?
            ORDER BY added DESC, id LIMIT -1 OFFSET ?
          )
          """,
        arguments: [person.id, kind, person.id, kind, id, Self.mostBrowsers - 1]
      )
      let body = Data(browser.json.utf8)
      try setChannelRow(body, .browser, id, of: person, at: nil, in: database)
      try database.execute(
        sql: """
          UPDATE channel SET session = ?, added = ? WHERE person = ? AND kind = ? AND id = ?
          """,
        arguments: [session, now.milliseconds, person.id, kind, id]
      )
      return others
    }
  }

  /// Forgets a browser, by the address of its push service.
  package func removeBrowser(_ endpoint: String, of person: DoorPerson) throws(HostFailure) {
    try setChannelRow(nil, .browser, Self.id(endpoint), of: person)
  }

  /// What a person has set, as a number: another one where something was set since.
  func settingsStamp(of person: DoorPerson) throws(HostFailure) -> Data {
    var hash = SHA256()
    hash.update(data: try settings(of: person) ?? Data())
    for kind in [Kind.secret, .browser] {
      for (id, body) in try channelRows(kind, of: person) {
        hash.update(data: Data("\0\(id)\0".utf8) + body)
      }
    }
    return Data(hash.finalize())
  }

  private static func id(_ text: String) -> String {
    Data(SHA256.hash(data: Data(text.utf8)).prefix(16)).base64EncodedString()
  }

  // MARK: News

  /// What became of a notification with a person's channels; nil where nothing is known.
  func heard(
    _ notification: String,
    of person: DoorPerson
  ) throws(HostFailure) -> HeardNews.Mark? {
    try read { try heard(Self.id(notification), of: person, in: $0) }
  }

  private func heard(
    _ id: String,
    of person: DoorPerson,
    in database: Database
  ) throws -> HeardNews.Mark? {
    try channelBody(.heard, id, of: person, in: database)
      .flatMap { try? JSONDecoder().decode(HeardNews.Mark.self, from: $0) }
  }

  /// Changes what is known of a notification, and nobody else does meanwhile.
  func changeHeard(
    _ notification: String,
    of person: DoorPerson,
    at now: Timestamp,
    _ change: (inout HeardNews.Mark) -> Void
  ) throws(HostFailure) {
    let id = Self.id(notification)
    try write { database in
      let old = try heard(id, of: person, in: database) ?? HeardNews.Mark()
      var mark = old
      change(&mark)
      guard mark != old else { return }
      try setChannelRow(Self.encoded(mark), .heard, id, of: person, at: now, in: database)
    }
  }

  /// The message that shows a notification in a chat; nil if none does.
  func message(_ name: String, of person: DoorPerson) throws(HostFailure) -> TelegramMessage? {
    try channelBody(.message, Self.id(name), of: person)
      .flatMap { try? JSONDecoder().decode(TelegramMessage.self, from: $0) }
  }

  /// Keeps which message shows a notification, or forgets it.
  func setMessage(
    _ message: TelegramMessage?,
    _ name: String,
    of person: DoorPerson
  ) throws(HostFailure) {
    try setChannelRow(
      message.map(Self.encoded),
      .message,
      Self.id(name),
      of: person,
      at: message?.sentAt
    )
  }

  /// Up to which update a bot has heard; nil at the beginning.
  func heard(bot: String) throws(HostFailure) -> Int64? {
    try read { database in
      try Int64.fetchOne(
        database,
        sql: "SELECT heard FROM bot WHERE number = ?",
        arguments: [bot]
      )
    }
  }

  /// Keeps up to which update a bot has heard.
  func setHeard(_ offset: Int64, bot: String) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: """
          INSERT INTO bot (number, heard) VALUES (?, ?)
          ON CONFLICT (number) DO UPDATE SET heard = excluded.heard
          """,
        arguments: [bot, offset]
      )
    }
  }

  /// Forgets what was heard of old news.
  func sweepChannels(at now: Timestamp) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: "DELETE FROM channel WHERE at < ?",
        arguments: [(now - Self.keptAfter).milliseconds]
      )
    }
  }

  /// As it is sealed.
  static func encoded(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else {
      preconditionFailure("numbers and texts can be written")
    }
    return data
  }

  private func channelBody(
    _ kind: Kind,
    _ id: String,
    of person: DoorPerson
  ) throws(HostFailure) -> Data? {
    try read { try channelBody(kind, id, of: person, in: $0) }
  }

  private func channelBody(
    _ kind: Kind,
    _ id: String,
    of person: DoorPerson,
    in database: Database
  ) throws -> Data? {
    try Data.fetchOne(
      database,
      sql: "SELECT body FROM channel WHERE person = ? AND kind = ? AND id = ?",
      arguments: [person.id, kind.rawValue, id]
    )
    .flatMap { vault.open($0, for: Self.cell(kind, id, person)) }
  }

  private static func cell(_ kind: Kind, _ id: String, _ person: DoorPerson) -> Vault.Cell {
    Vault.Cell(table: "channel", row: "\(person.id)/\(kind.rawValue)/\(id)", column: "body")
  }

  private func channelRows(
    _ kind: Kind,
    of person: DoorPerson
  ) throws(HostFailure) -> [(id: String, body: Data)] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT id, body FROM channel WHERE person = ? AND kind = ? ORDER BY id",
        arguments: [person.id, kind.rawValue]
      )
      .compactMap { row in
        let id: String = row["id"]
        return vault.open(row["body"], for: Self.cell(kind, id, person)).map { (id, $0) }
      }
    }
  }

  private func setChannelRow(
    _ body: Data?,
    _ kind: Kind,
    _ id: String,
    of person: DoorPerson,
    at instant: Timestamp? = nil
  ) throws(HostFailure) {
    try write { try setChannelRow(body, kind, id, of: person, at: instant, in: $0) }
  }

  private func setChannelRow(
    _ body: Data?,
    _ kind: Kind,
    _ id: String,
    of person: DoorPerson,
    at instant: Timestamp?,
    in database: Database
  ) throws {
    guard let body else {
      return try database.execute(
        sql: "DELETE FROM channel WHERE person = ? AND kind = ? AND id = ?",
        arguments: [person.id, kind.rawValue, id]
      )
    }
    try database.execute(
      sql: """
        INSERT INTO channel (person, kind, id, at, body) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (person, kind, id) DO UPDATE SET at = excluded.at, body = excluded.body
        """,
      arguments: [
        person.id, kind.rawValue, id, instant?.milliseconds,
        vault.seal(body, for: Self.cell(kind, id, person)),
      ]
    )
  }
}

extension ChannelSettings.Kind {
  /// Who is given the secret; nil where there is none.
  fileprivate var addressee: String? {
    switch self {
    case .ntfy(let server, _, _): "ntfy \(server)"
    case .homeAssistant(let server, _, _, _): "home_assistant \(server)"
    case .webPush, .mail, .telegram: nil
    }
  }
}
