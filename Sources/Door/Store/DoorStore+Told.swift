import Foundation
import GRDB
import LiveHost

/// Files in which people's news is told, `FOLDER/NAME.ndjson`: who is erased is erased there, too.
extension DoorStore {
  /// The file of a person's news in a folder.
  package static func told(_ name: String, in folder: String) -> String {
    "\(folder)/\(name).ndjson"
  }

  /// Keeps where news is told, so that commands know it, and later starts that tell elsewhere.
  package func keepTold(in folders: [String]) throws(HostFailure) {
    try write { database in
      for folder in folders {
        try database.execute(
          sql: "INSERT INTO told (folder) VALUES (?) ON CONFLICT (folder) DO NOTHING",
          arguments: [URL(fileURLWithPath: folder).standardizedFileURL.path]
        )
      }
    }
  }

  /// Deletes what was told to somebody in files.
  ///
  /// - Throws: ``HostFailure`` that names the first file that stays; the others are deleted all the same.
  package func eraseTold(to name: String) throws(HostFailure) {
    let folders = try read { database in
      try String.fetchAll(database, sql: "SELECT folder FROM told ORDER BY folder")
    }
    var failure: HostFailure?
    for path in folders.map({ Self.told(name, in: $0) }) where unlink(path) != 0 {
      let code = errno
      guard code != ENOENT, code != ENOTDIR, failure == nil else { continue }
      let reason = String(cString: strerror(code))
      failure = HostFailure(
        .inputOutput,
        "\(path): cannot be deleted: \(reason): delete it by hand"
      )
    }
    if let failure { throw failure }
  }

  /// Empties the file's log: what was deleted a moment ago stands there until it is written anew.
  ///
  /// Where another process reads just then, some of it stays, until the log is emptied the next time.
  func emptyLog() throws(HostFailure) {
    try mapping(folder.database) {
      try queue.writeWithoutTransaction { database in
        _ = try Row.fetchOne(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      }
    }
  }
}
