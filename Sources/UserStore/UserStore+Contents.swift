import Foundation
import GRDB
import NearMeEngine
import Places
import Timeline

/// What the file holds, for people to look at.
extension UserStore {
  /// The user's reminders, in the order in which they were made.
  public func reminders() throws(UserStoreError) -> [Reminder] {
    try connection.read { try reminders($0) }
  }

  /// The user's places, in order of their ids.
  public func places() throws(UserStoreError) -> [Place] {
    try connection.read { try places($0) }
  }

  /// Whether reminders are limited in number; `free` until the user has said otherwise.
  public func entitlement() throws(UserStoreError) -> Entitlement {
    try connection.read { try entitlement($0) }
  }

  func reminders(_ database: Database) throws -> [Reminder] {
    try Row.fetchAll(database, sql: "SELECT id, body FROM reminder ORDER BY serial")
      .map { row in
        try vault.open(
          Reminder.self,
          try row.decode(Data.self, forColumn: "body"),
          for: .reminder(try row.decode(String.self, forColumn: "id"))
        )
      }
  }

  func places(_ database: Database) throws -> [Place] {
    try Row.fetchAll(database, sql: "SELECT id, body FROM place ORDER BY id")
      .map { row in
        try vault.open(
          Place.self,
          try row.decode(Data.self, forColumn: "body"),
          for: .place(try row.decode(String.self, forColumn: "id"))
        )
      }
  }

  func entitlement(_ database: Database) throws -> Entitlement {
    let name = try setting(String.self, "entitlement", database)
    guard let entitlement = name.flatMap(Entitlement.init(rawValue:)) else {
      throw UserStoreError(.damaged, path: path, detail: "its entitlement is not known")
    }
    return entitlement
  }
}
