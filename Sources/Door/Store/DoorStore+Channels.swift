import Channels
import Crypto
import Foundation
import GRDB
import LiveHost
import UserStore

/// What is known of a person's channels beside the settings, sealed: their secrets, and browsers that take pushes.
extension DoorStore {
  private enum Kind: String { case secret, browser }

  /// A person has so many browsers at most; the one that came first makes room.
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

  /// The browsers that take pushes, in an order that stays.
  package func browsers(of person: DoorPerson) throws(HostFailure) -> [PushSubscription] {
    try channelRows(.browser, of: person)
      .compactMap { try? PushSubscription(json: [UInt8]($0.body)) }
  }

  /// Keeps a browser; one that is there already is not doubled.
  package func addBrowser(_ browser: PushSubscription, of person: DoorPerson) throws(HostFailure) {
    let known = try channelRows(.browser, of: person)
    if known.count >= Self.mostBrowsers, let first = known.first {
      try setChannelRow(nil, .browser, first.id, of: person)
    }
    try setChannelRow(Data(browser.json.utf8), .browser, Self.id(browser.endpoint), of: person)
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

  private static func id(_ endpoint: String) -> String {
    Data(SHA256.hash(data: Data(endpoint.utf8)).prefix(16)).base64EncodedString()
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
    of person: DoorPerson
  ) throws(HostFailure) {
    try write { database in
      guard let body else {
        return try database.execute(
          sql: "DELETE FROM channel WHERE person = ? AND kind = ? AND id = ?",
          arguments: [person.id, kind.rawValue, id]
        )
      }
      try database.execute(
        sql: """
          INSERT INTO channel (person, kind, id, body) VALUES (?, ?, ?, ?)
          ON CONFLICT (person, kind, id) DO UPDATE SET body = excluded.body
          """,
        arguments: [
          person.id, kind.rawValue, id, vault.seal(body, for: Self.cell(kind, id, person)),
        ]
      )
    }
  }
}
