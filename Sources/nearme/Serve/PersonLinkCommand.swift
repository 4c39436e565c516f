import ArgumentParser
import Door
import NearMeEngine
import Timeline

/// `nearme person link`.
struct PersonLinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "link",
    abstract: "Print a link that signs one browser in, once, within a day.",
    discussion: """
      There are no passwords: such links are the only way in for people. Whoever opens one is that person; what \
      stands behind the # is never sent to the door before the button on the page is pressed.

        nearme person link anna --url https://near.example.org
      """
  )

  @Argument(help: "The person's name.")
  var name: String

  @OptionGroup var home: DoorFolderOptions

  @Option(help: ArgumentHelp("The address at which browsers reach the door.", valueName: "URL"))
  var url = "http://127.0.0.1:8787"

  func validate() throws { try requireAddress(url, option: "--url") }

  func run() throws {
    try withDoor(home) { store in
      let person = try store.person(name)
      let secret = try store.makeLink(for: person, at: presentInstant())
      try printLines([joinLink(secret, url: url)])
    }
  }
}

/// The address that signs a browser in.
func joinLink(_ secret: String, url: String) -> String {
  "\(url.hasSuffix("/") ? String(url.dropLast()) : url)/join#\(secret)"
}
