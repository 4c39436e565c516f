import ArgumentParser
import Basics
import Door
import Foundation
import LiveHost
import Timeline

/// `nearme phone`: the phones that are let in.
struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone",
    abstract: "The phones that are let in: add, list, set, renew and remove them.",
    discussion: """
      A phone is its credential, which is shown once. Each app has its own way to bring it.

        export NEARME_HOME=family
        nearme phone add anna iphone --url https://near.example.org
        nearme phone list anna
        nearme phone set anna iphone --regions off
      """,
    subcommands: [
      PhoneAddCommand.self, PhoneListCommand.self, PhoneSetCommand.self, PhoneRenewCommand.self,
      PhoneRemoveCommand.self,
    ]
  )
}

/// Whose phone.
struct PhoneArguments: ParsableArguments {
  @Argument(help: "The person's name.")
  var person: String

  @Argument(help: "The phone's name: a-z, 0-9, - and _.")
  var phone: String

  @OptionGroup var home: DoorFolderOptions
}

/// What a phone may be set to.
struct PhoneSettingOptions: ParsableArguments {
  @Option(
    help: "Whether regions are handed to it: auto, where it shows that it takes them; on; off."
  )
  var regions: DeviceSettings.Regions?

  @Option(
    help:
      "Whether its OwnTracks keeps a region that follows it, which takes one of the 20: true or false."
  )
  var followRegion: Bool?

  @Option(
    help: ArgumentHelp(
      "The unit of speeds where the app does not say: metersPerSecond, knots, kilometersPerHour.",
      valueName: "UNIT"
    )
  )
  var speedUnit: String?

  func validate() throws {
    let known = ["metersPerSecond", "knots", "kilometersPerHour"]
    if let speedUnit, !known.contains(speedUnit) {
      throw ValidationError("--speed-unit \(speedUnit): known are \(known.joined(separator: ", "))")
    }
  }

  func apply(to settings: inout DeviceSettings) {
    if let regions { settings.regions = regions }
    if let followRegion { settings.hasFollowRegion = followRegion }
    if let speedUnit { settings.speedUnit = speedUnit }
  }
}

extension DeviceSettings.Regions: ExpressibleByArgument {}

struct PhoneAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Let a phone in: print its credentials, once, as each app wants them."
  )

  @OptionGroup var names: PhoneArguments
  @OptionGroup var settings: PhoneSettingOptions
  @OptionGroup var output: CredentialOutput

  func run() throws {
    try withDoor(names.home) { store in
      let person = try store.person(names.person)
      var settings = DeviceSettings()
      self.settings.apply(to: &settings)
      let credentials = try store.addDevice(
        names.phone,
        of: person,
        settings: settings,
        at: presentInstant()
      )
      try output.show(credentials, person: names.person, phone: names.phone)
    }
  }
}

struct PhoneRenewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "renew",
    abstract: "Give a phone new credentials; the old ones end."
  )

  @OptionGroup var names: PhoneArguments
  @OptionGroup var output: CredentialOutput

  func run() throws {
    try withDoor(names.home) { store in
      let credentials = try store.renewDevice(names.phone, of: try store.person(names.person))
      try output.show(credentials, person: names.person, phone: names.phone)
    }
  }
}

struct PhoneSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Change what is set for a phone."
  )

  @OptionGroup var names: PhoneArguments
  @OptionGroup var settings: PhoneSettingOptions

  func run() throws {
    try withDoor(names.home) { store in
      let person = try store.person(names.person)
      var now = DeviceSettings()
      if let device = try store.devices(of: person).first(where: { $0.name == names.phone }) {
        now = device.settings
      }
      settings.apply(to: &now)
      try store.set(now, ofDevice: names.phone, of: person)
      try printLines([
        "\(names.phone): regions \(now.regions.rawValue), follow region \(now.hasFollowRegion ? "yes" : "no")"
          + (now.speedUnit.map { ", speeds in \($0)" } ?? "")
      ])
    }
  }
}

struct PhoneRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Let a phone in no longer."
  )

  @OptionGroup var names: PhoneArguments

  func run() throws {
    try withDoor(names.home) { store in
      try store.removeDevice(names.phone, of: try store.person(names.person))
      try printLines(["\(names.phone) is let in no longer"])
    }
  }
}

struct PhoneListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List a person's phones."
  )

  @Argument(help: "The person's name.")
  var person: String

  @OptionGroup var home: DoorFolderOptions

  func run() throws {
    try withDoor(home) { store in
      let devices = try store.devices(of: try store.person(person))
      guard !devices.isEmpty else {
        printError("nearme: no phone yet: `nearme phone add \(person) PHONE` lets one in")
        return
      }
      try printLines(
        devices.map { device in
          let seen = try store.lastSeen(device).map { "heard of at \(RFC3339.format($0))" }
          return
            "\(device.name): \(seen ?? "not heard of yet"), regions \(device.settings.regions.rawValue)"
        }
      )
    }
  }
}
