import ArgumentParser
import Basics
import Door
import Foundation
import LiveHost

/// How credentials are shown.
struct CredentialOutput: ParsableArguments {
  @Option(help: ArgumentHelp("The address at which phones reach the door.", valueName: "URL"))
  var url = "http://127.0.0.1:8787"

  @Option(help: "How to print them: text, with links for the apps, or json.")
  var format = ListFormat.text

  @Flag(
    inversion: .prefixedNo,
    help: "Draw the links for OwnTracks and Overland as QR codes. (default: on a terminal)"
  )
  var qr: Bool?

  func validate() throws {
    try requireAddress(url, option: "--url")
    guard qr != true || format == .text else {
      throw ValidationError("--qr draws in text: leave --format json out")
    }
  }

  func show(_ credentials: DeviceCredentials, person: String, phone: String) throws {
    let set = PhoneSetup(credentials, person: person, phone: phone, url: url)
    guard format == .text else { return try printLines([set.json]) }
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var lines = set.text
    if qr ?? isTerminal {
      for (app, link) in set.links {
        lines += ["", "\(app), for the phone's camera:"] + drawn(link, isTerminal: isTerminal)
      }
    }
    try printLines(lines)
  }

  /// A link as a QR code that fits: a line that is broken cannot be read.
  private func drawn(_ link: String, isTerminal: Bool) -> [String] {
    let columns = isTerminal ? terminalColumns() : .max
    let codes = QRCode.Correction.allCases.compactMap { QRCode(Array(link.utf8), correction: $0) }
    guard let code = codes.first(where: { $0.columnCount <= columns }) else {
      guard let least = codes.map(\.columnCount).min() else {
        return ["  the link is too long for a code: open it on the phone"]
      }
      return ["  no room: make the terminal \(least) columns wide, then `nearme phone renew`"]
    }
    return code.lines(isColored: isTerminal)
  }

  /// How wide the terminal is; 80 where it does not say.
  private func terminalColumns() -> Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
