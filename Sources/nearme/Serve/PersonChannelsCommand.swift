import ArgumentParser
import Basics
import Channels
import Door
import Foundation
import LiveHost

/// `nearme person channels`.
struct PersonChannelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels",
    abstract: "Print how news reaches a person, or set it.",
    discussion: """
      The first channel is told at once; each other together with the one before it, or after_minutes later if the \
      news was not opened or answered by then. Types: ntfy, web_push, home_assistant, mail, telegram; see \
      docs/channels.md. A server of your own at home, over http, is allowed by "plain_http": true, here alone.

        nearme person channels anna
        echo '[{"id": "phone", "type": "ntfy", "topic": "anna-3f9c2a",
          "server": "https://ntfy.example.org"}]' |
          nearme person channels anna --set -
        echo tk_sesame | nearme person secret anna phone
      """
  )

  @Argument(help: "The person's name.")
  var name: String

  @OptionGroup var home: DoorFolderOptions

  @Option(
    help: ArgumentHelp(
      "A file with the list in JSON; - reads it from standard input.",
      valueName: "FILE"
    )
  )
  var set: String?

  func run() throws {
    try withDoor(home) { store in
      let person = try store.person(name)
      var settings = try PersonSettings(of: person, in: store)
      if let set {
        let (text, old) = (try Self.text(of: set), settings)
        settings.channels = text
        settings.setChannels(try settings.channelSettings())
        try store.set(settings, insteadOf: old, of: person, at: presentInstant())
        // Whoever owns the machine says where mail goes, but of what stood there before says nothing.
        let kept = Set(old.askedAddresses.keys).intersection(settings.askedAddresses.keys)
        try store.forgetUnconfirmed(but: kept, of: person)
        printError("nearme: \(name)'s channels are set; a door that runs takes them in by itself")
      }
      try printLines([settings.channels])
    }
  }

  private static func text(of path: String) throws -> String {
    let data =
      path == "-"
      ? FileHandle.standardInput.readDataToEndOfFile() : try contents(ofFile: path)
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    guard let value = try? JSONValue.parse(text), value.elements != nil else {
      throw CommandFailure(
        .badInput,
        "\(path == "-" ? "standard input" : path): is no list in JSON, such as "
          + #"[{"id":"phone","type":"ntfy","server":"https://ntfy.example.org","topic":"anna"}]"#
      )
    }
    return value.compact
  }
}

/// `nearme person secret`.
struct PersonSecretCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "secret",
    abstract:
      "Keep the secret of a channel, which is read from standard input: a token or NAME:PASSWORD."
  )

  @Argument(help: "The person's name.")
  var name: String

  @Argument(help: "The channel's id.")
  var channel: String

  @Flag(help: "Forget it.")
  var remove = false

  @OptionGroup var home: DoorFolderOptions

  func run() throws {
    try withDoor(home) { store in
      let person = try store.person(name)
      let channels = try PersonSettings(of: person, in: store).channelSettings().channels
      guard channels.contains(where: { $0.id == channel }) else {
        throw CommandFailure(
          .usage,
          "\(name) has no channel \(channel): `nearme person channels \(name)` lists them"
        )
      }
      guard !remove else { return try store.setChannelSecret(nil, of: channel, person) }
      guard let line = readLine(strippingNewline: true), !line.isEmpty,
        line.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
      else {
        throw CommandFailure(
          .badInput,
          "standard input: one line of printable ASCII without blanks is needed"
        )
      }
      try store.setChannelSecret(line, of: channel, person)
    }
  }
}
