import Foundation
import LiveHost
import NearMeEngine
import TimeZones
import UserStore

extension DoorStore {
  /// Opens the database of somebody who was here a moment ago, and makes it where there is none yet.
  ///
  /// - Throws: ``HostFailure``; `gone` for somebody whom a command has removed meanwhile: then nothing is made.
  package func openDatabase(
    of person: DoorPerson,
    policy: Policy
  ) throws(HostFailure) -> (lock: HostLock, store: UserStore) {
    let path = folder.database(of: person.name)
    let lock = try HostLock(database: path)
    let isNew = !FileManager.default.fileExists(atPath: path)
    let opened = Result { () throws(HostFailure) in
      try HostFailure.mapping { () throws(UserStoreError) in
        // One that is there is not made anew: at this very moment it may be erased.
        try UserStore(
          path: path,
          key: .besides(path),
          access: isNew ? .make : .edit,
          policy: policy,
          zones: SystemZones(),
          longestWait: DatabaseHold.attempt
        )
      }
    }
    // A command takes the person away first and then the files: what was made before that it finds, the rest goes here.
    guard try isThere(person) else {
      try? opened.get().close()
      if isNew || !FileManager.default.fileExists(atPath: path) {
        try HostFailure.mapping { () throws(UserStoreError) in
          try UserStore.erase(path, withKey: true)
        }
      }
      throw .gone
    }
    return (lock, try opened.get())
  }
}

extension HostFailure {
  /// Somebody has been removed.
  package static let gone = HostFailure(.missing, "the person is not at home here any more")
}
