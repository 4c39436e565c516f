import ArgumentParser
import Door
import Foundation
import LiveHost

/// Which door: an option of every command that works on one.
struct DoorFolderOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that holds the door's people and phones; without it, the one that NEARME_HOME names.",
      valueName: "FOLDER"
    )
  )
  var home: String?

  /// Opens it.
  ///
  /// - Parameter makes: whether it is made where it is not there; else a misspelled folder is an error.
  func open(makes: Bool) throws -> DoorStore {
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
    guard makes || access(folder.database, F_OK) == 0 || errno != ENOENT else {
      throw CommandFailure(
        .inputMissing,
        "\(path): no door is there: is the name right? `nearme person add NAME --home \(path)` begins one"
      )
    }
    return try DoorStore(folder)
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
  makes: Bool = false,
  _ body: (DoorStore) throws -> Void
) throws {
  try reportingFailures {
    try mappingUserFailures { try mappingHostFailures { try body(options.open(makes: makes)) } }
  }
}
