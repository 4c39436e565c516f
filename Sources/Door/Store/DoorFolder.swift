import Foundation
import LiveHost
import UserStore

/// Where a door keeps everything: its own file, and one user database for each person.
package struct DoorFolder: Hashable, Sendable {
  /// The folder.
  package let path: String

  /// Names a folder, which need not be there yet.
  package init(_ path: String) {
    self.path = URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// The door's own file.
  package var database: String { path + "/door.sqlite" }
  /// What seals it.
  package var key: KeySource { .besides(database) }
  /// The folder of the people's databases.
  package var people: String { path + "/people" }
  /// One person's database, as other commands take it with `--db`.
  package func database(of person: String) -> String { "\(people)/\(person).db" }

  /// Makes the folders, for their owner alone.
  ///
  /// - Throws: ``HostFailure`` where that cannot be done.
  func make() throws(HostFailure) {
    for folder in [path, people] {
      var isFolder: ObjCBool = true
      guard
        !FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
          || isFolder.boolValue
      else { throw HostFailure(.badInput, "\(folder): this is a file: name a folder") }
      do {
        try FileManager.default.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700]
        )
      } catch {
        throw HostFailure(.inputOutput, "\(folder): cannot be made: check the folder above it")
      }
    }
  }

  /// Whether a word can name a person or a phone: it becomes part of a file's name and of a user name.
  package static func isName(_ name: String) -> Bool {
    (1...32).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
      && name.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }
  }
}
