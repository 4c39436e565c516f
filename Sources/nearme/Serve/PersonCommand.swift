import ArgumentParser
import Door
import Foundation
import NearMeEngine
import TimeZones
import UserStore

/// `nearme person`: who is at home at a door.
struct PersonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "person",
    abstract: "Who is at home at a door: add, let in, list and remove people.",
    discussion: """
      Each person has a user database of its own in the folder, FOLDER/people/NAME.db, with a key beside it.

        export NEARME_HOME=family
        nearme person add anna
        nearme person link anna
        nearme person list
      """,
    subcommands: [
      PersonAddCommand.self, PersonLinkCommand.self, PersonListCommand.self,
      PersonRemoveCommand.self, PersonChannelsCommand.self, PersonSecretCommand.self,
    ]
  )
}

struct PersonAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Add a person."
  )

  @Argument(help: "The name: a-z, 0-9, - and _.")
  var name: String

  @OptionGroup var home: DoorFolderOptions

  func run() throws {
    try withDoor(home, .made) { store in
      let person = try store.addPerson(name, at: presentInstant())
      let path = store.folder.database(of: person.name)
      // A database of that name from before is the person's: its reminders are kept.
      try UserStore(path: path, key: .besides(path), policy: Policy(), zones: SystemZones()).close()
      try printLines([
        "\(name): `nearme phone add \(name) PHONE` lets a phone in; reminders are made with --db \(path)"
      ])
    }
  }
}

struct PersonListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the people and their phones."
  )

  @OptionGroup var home: DoorFolderOptions

  func run() throws {
    try withDoor(home) { store in
      let people = try store.people()
      guard !people.isEmpty else {
        printError("nearme: nobody yet: `nearme person add NAME` adds somebody")
        return
      }
      try printLines(
        try people.map { person in
          let phones = try store.devices(of: person).map(\.name).joined(separator: ", ")
          return "\(person.name): \(phones.isEmpty ? "no phone" : phones)"
        }
      )
    }
  }
}

struct PersonRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract:
      "Remove a person with its phones; the reminders stay in its database unless --erase is given."
  )

  @Argument(help: "The name.")
  var name: String

  @Flag(
    help:
      "Delete the person's database and its key, too, and NAME.ndjson of each sink: nobody can read it any more."
  )
  var erase = false

  @OptionGroup var home: DoorFolderOptions

  func run() throws {
    try withDoor(home) { store in
      let person = try store.person(name)
      try store.removePerson(person)
      let path = store.folder.database(of: name)
      if erase {
        try UserStore.erase(path, withKey: true)
        try store.eraseTold(to: name)
      }
      try printLines([erase ? "\(name) is gone" : "\(name) is gone; its reminders are in \(path)"])
    }
  }
}
