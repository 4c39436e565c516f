import Foundation
import GRDB
import LiveHost
import Timeline

/// A person who is at home at this door.
package struct DoorPerson: Hashable, Sendable {
  /// Its number in the file; never used again.
  package let id: Int64
  /// Its name, as part of names of files and users.
  package let name: String

  /// Names a person.
  package init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }
}

/// A phone, which is its credential.
package struct DoorDevice: Hashable, Sendable {
  /// Its number in the file; never used again.
  package let id: Int64
  /// Whose it is.
  package let person: Int64
  /// The person's name.
  package let personName: String
  /// Its name, once for a person.
  package let name: String
  /// What the person has set for it.
  package var settings: DeviceSettings
}

/// What can be set for a phone.
package struct DeviceSettings: Hashable, Sendable, Codable {
  /// Whether regions are handed to it: where it obeys, always, or never.
  package enum Regions: String, Hashable, Sendable, Codable, CaseIterable { case auto, on, off }

  /// Whether regions are handed to it.
  package var regions = Regions.auto
  /// Whether the app keeps a region that follows it, which takes one of the twenty.
  package var hasFollowRegion = false
  /// The unit of speeds where its app does not say: `metersPerSecond`, `knots`, `kilometersPerHour`.
  package var speedUnit: String?

  /// The settings of a new phone.
  package init() {}
}

/// What is said once, when a phone is added; nothing of it is kept but hashes.
package struct DeviceCredentials: Hashable, Sendable {
  /// The user name for Basic.
  package let user: String
  /// The password for Basic, and the token for Bearer.
  package let password: String
  /// The secret in the path, for apps that can send no header.
  package let pathSecret: String
}

extension DoorStore {
  /// Adds a person.
  ///
  /// - Throws: `.usage` for a name that is taken or cannot be one.
  @discardableResult
  package func addPerson(_ name: String, at now: Timestamp) throws(HostFailure) -> DoorPerson {
    guard DoorFolder.isName(name) else {
      throw HostFailure(
        .usage,
        "\(name): a name has 1 to 32 of a-z, 0-9, - and _, and does not begin with -"
      )
    }
    return try write { database in
      if try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM person WHERE name = ?)",
        arguments: [name]
      ) ?? false {
        throw HostFailure(
          .usage,
          "\(name) is there already: `nearme phone add \(name) …` adds a phone"
        )
      }
      try database.execute(
        sql: "INSERT INTO person (name, created) VALUES (?, ?)",
        arguments: [name, now.milliseconds]
      )
      return DoorPerson(id: database.lastInsertedRowID, name: name)
    }
  }

  /// Everybody, by name.
  package func people() throws(HostFailure) -> [DoorPerson] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT id, name FROM person ORDER BY name")
        .map { DoorPerson(id: $0["id"], name: $0["name"]) }
    }
  }

  /// Whether a person is still at home here.
  func isThere(_ person: DoorPerson) throws(HostFailure) -> Bool {
    try read { database in
      try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM person WHERE id = ?)",
        arguments: [person.id]
      ) ?? false
    }
  }

  /// A person by name.
  ///
  /// - Throws: `.missing` if there is none.
  package func person(_ name: String) throws(HostFailure) -> DoorPerson {
    guard let person = try people().first(where: { $0.name == name }) else {
      throw HostFailure(
        .missing,
        "there is no person \(name): `nearme person add \(name)` adds one"
      )
    }
    return person
  }

  /// Adds a phone of a person.
  ///
  /// - Throws: `.missing` without such a person, `.usage` for a name that is taken or cannot be one.
  package func addDevice(
    _ name: String,
    of person: DoorPerson,
    settings: DeviceSettings = DeviceSettings(),
    at now: Timestamp
  ) throws(HostFailure) -> DeviceCredentials {
    guard DoorFolder.isName(name) else {
      throw HostFailure(
        .usage,
        "\(name): a name has 1 to 32 of a-z, 0-9, - and _, and does not begin with -"
      )
    }
    let credentials = DeviceCredentials(
      user: "\(person.name)/\(name)",
      password: Secret.make(),
      pathSecret: Secret.make()
    )
    try write { database in
      if try Bool.fetchOne(
        database,
        sql: "SELECT EXISTS (SELECT 1 FROM device WHERE person = ? AND name = ?)",
        arguments: [person.id, name]
      ) ?? false {
        throw HostFailure(
          .usage,
          "\(person.name) has a phone \(name): `nearme phone renew` gives it new credentials"
        )
      }
      try database.execute(
        sql: """
          INSERT INTO device (person, name, secret, path, settings, created)
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          person.id, name, Secret.hash(credentials.password), Secret.hash(credentials.pathSecret),
          try text(settings), now.milliseconds,
        ]
      )
    }
    return credentials
  }

  /// Gives a phone new credentials; the old ones end.
  ///
  /// - Throws: `.missing` without such a phone.
  package func renewDevice(
    _ name: String,
    of person: DoorPerson
  ) throws(HostFailure) -> DeviceCredentials {
    let credentials = DeviceCredentials(
      user: "\(person.name)/\(name)",
      password: Secret.make(),
      pathSecret: Secret.make()
    )
    try change(
      name,
      of: person,
      "secret = ?, path = ?",
      [
        Secret.hash(credentials.password), Secret.hash(credentials.pathSecret),
      ]
    )
    return credentials
  }

  /// Changes what is set for a phone.
  ///
  /// - Throws: `.missing` without such a phone.
  package func set(
    _ settings: DeviceSettings,
    ofDevice name: String,
    of person: DoorPerson
  ) throws(HostFailure) {
    let json: String
    do { json = try text(settings) } catch { preconditionFailure("settings can be written") }
    try change(name, of: person, "settings = ?", [json])
  }

  private func change(
    _ name: String,
    of person: DoorPerson,
    _ assignment: String,
    _ values: [any DatabaseValueConvertible]
  ) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: "UPDATE device SET \(assignment) WHERE person = ? AND name = ?",
        arguments: StatementArguments(values + [person.id, name])
      )
      guard database.changesCount == 1 else { throw Self.noDevice(name, person) }
    }
  }

  /// Takes a phone away, with what is kept of it.
  ///
  /// - Throws: `.missing` without such a phone.
  package func removeDevice(_ name: String, of person: DoorPerson) throws(HostFailure) {
    try write { database in
      try database.execute(
        sql: "DELETE FROM device WHERE person = ? AND name = ?",
        arguments: [person.id, name]
      )
      guard database.changesCount == 1 else { throw Self.noDevice(name, person) }
    }
  }

  /// Takes a person away with its phones, tokens and what waits of it; its own database stays.
  package func removePerson(_ person: DoorPerson) throws(HostFailure) {
    try write { database in
      try database.execute(sql: "DELETE FROM intake WHERE person = ?", arguments: [person.id])
      try database.execute(sql: "DELETE FROM person WHERE id = ?", arguments: [person.id])
    }
    try emptyLog()
  }

  /// Every phone with what its credentials are known by, in the order of their making.
  func devices() throws(HostFailure) -> [(device: DoorDevice, secret: Data, path: Data)] {
    try read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT device.id, person, person.name AS owner, device.name, secret, path, device.settings
          FROM device JOIN person ON person.id = person ORDER BY device.id
          """
      )
      .map { row in
        let settings: String = row["settings"]
        return (
          DoorDevice(
            id: row["id"],
            person: row["person"],
            personName: row["owner"],
            name: row["name"],
            settings: (try? JSONDecoder().decode(DeviceSettings.self, from: Data(settings.utf8)))
              ?? DeviceSettings()
          ),
          row["secret"], row["path"]
        )
      }
    }
  }

  /// A person's phones, by name.
  package func devices(of person: DoorPerson) throws(HostFailure) -> [DoorDevice] {
    try devices().map(\.device).filter { $0.person == person.id }.sorted { $0.name < $1.name }
  }

  private static func noDevice(_ name: String, _ person: DoorPerson) -> HostFailure {
    HostFailure(.missing, "\(person.name) has no phone \(name): `nearme phone list` names them")
  }
}

/// Settings as they stand in the file.
private func text(_ settings: DeviceSettings) throws -> String {
  String(decoding: try JSONEncoder().encode(settings), as: UTF8.self)
}
