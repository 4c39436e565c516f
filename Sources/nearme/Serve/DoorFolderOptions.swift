import ArgumentParser
import Door
import Foundation
import LiveHost
import Places

/// Which door: an option of every command that works on one.
struct DoorFolderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that holds the door's people and phones; without it, the one that NEARME_HOME names.",
      valueName: "FOLDER"
    )
  )
  var home: String?

  /// What becomes of a folder in which no door is.
  enum Missing {
    /// It is an error.
    case refused
    /// A door is made in it, and that is said.
    case made
    /// The same, unless the folder is not there either and another one of nearly the same name has a door.
    case madeUnlessMisspelled
  }

  /// Opens it.
  func open(_ missing: Missing = .refused) throws -> DoorStore {
    guard
      let path = [home, ProcessInfo.processInfo.environment["NEARME_HOME"]].compactMap(\.self)
        .first(where: { !$0.isEmpty })
    else {
      throw CommandFailure(
        .usage,
        "name the folder with --home FOLDER, or once for all with `export NEARME_HOME=FOLDER`"
      )
    }
    let folder = DoorFolder(path)
    // What may not be looked into is not missing: opening it says so.
    guard access(folder.database, F_OK) != 0, errno == ENOENT else { return try DoorStore(folder) }
    let meant = Self.nearestDoor(to: path)
    let isMisspelled = meant != nil && !FileManager.default.fileExists(atPath: folder.path)
    guard missing == .made || missing == .madeUnlessMisspelled && !isMisspelled else {
      throw CommandFailure(
        .inputMissing,
        "\(path): no door is there: "
          + (meant.map { "did you mean \($0)?" } ?? "is the name right?")
          + " `nearme person add NAME --home \(path)` begins one"
      )
    }
    let store = try DoorStore(folder)
    printError(
      "nearme: \(path): no door was there: a new one was made"
        + (meant.map { "; another one is in \($0)" } ?? "")
    )
    return store
  }

  /// The folder beside one that has nearly the same name, and a door in it; nil: none.
  private static func nearestDoor(to path: String) -> String? {
    let url = URL(fileURLWithPath: DoorFolder(path).path)
    let above = url.deletingLastPathComponent().path
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: above)) ?? [])
      .filter { name in
        name != url.lastPathComponent
          && FileManager.default.fileExists(atPath: DoorFolder("\(above)/\(name)").database)
      }
    // As it was typed. NSString ends the process where it takes a name of one letter apart.
    var typed = path[...]
    while typed.count > 1, typed.hasSuffix("/") { typed.removeLast() }
    let before = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    return nearestName(to: url.lastPathComponent, among: names).map { before + $0 }
  }
}

/// Refuses what is no address of a door.
func requireAddress(_ address: String, option: String) throws {
  let rest = ["https://", "http://"].first { address.hasPrefix($0) }
    .map { address.dropFirst($0.count) }
  guard let rest, let first = rest.first, first != "/",
    !rest.contains(where: { $0.isWhitespace || "?#@\"\\".contains($0) })
  else {
    throw ValidationError(
      "\(option) \(address): give an address such as https://near.example.org"
    )
  }
}

/// Runs a body on a door's store and reports what goes wrong.
func withDoor(
  _ options: DoorFolderOptions,
  _ missing: DoorFolderOptions.Missing = .refused,
  _ body: (DoorStore) throws -> Void
) throws {
  try reportingFailures {
    try mappingUserFailures { try mappingHostFailures { try body(options.open(missing)) } }
  }
}
