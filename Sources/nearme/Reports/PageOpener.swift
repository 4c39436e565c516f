import Foundation

/// Shows a page in the browser that the system prefers.
struct PageOpener {
  /// What opens a link: on Linux, then on macOS.
  private static let commands = ["/usr/bin/xdg-open", "/usr/bin/open"]

  /// A new folder for a page that is to be looked at once: a day is nobody else's to see.
  static func folder() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("nearme-XXXXXX").path
    var name = Array(path.utf8CString)
    guard mkdtemp(&name) != nil else {
      throw CommandFailure(.inputOutput, "\(path): cannot be made: say where with -o")
    }
    return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Opens a page; where nothing can, says where it is.
  ///
  /// - Parameter moment: what stands behind the `#` of the link.
  func open(_ path: String, moment: String) {
    let link = URL(fileURLWithPath: path).absoluteString + "#" + moment
    printError("nearme: \(link)")
    let named = ProcessInfo.processInfo.environment["BROWSER"]
    let command =
      named.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
      ?? Self.commands.first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let command else {
      return printError("nearme: note: nothing here opens a page: give the link above to a browser")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: command)
    process.arguments = [link]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      printError("nearme: note: \(command) does not open it: give the link above to a browser")
    }
  }
}
