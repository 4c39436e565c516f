/// Why a user database, or the key to it, cannot be used.
///
/// Nothing is changed or lost by any of these: a transaction that fails leaves what was there.
public struct UserStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for code that reacts to it.
  public enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// A directory, a pipe or a device, where a file is needed.
    case notAFile
    /// Not a single byte: SQLite would take it for a new database, but ours are never empty.
    case empty
    /// Not an SQLite database.
    case notADatabase
    /// An SQLite database that another program, or another part of this one, made.
    case foreignDatabase
    /// A newer version of Near Me wrote it.
    case newerSchema(found: Int, supported: Int)
    /// The engine's state in it cannot be read by this version of the engine.
    case unreadableState
    /// Ours, but parts of it cannot be read.
    case damaged
    /// The disk, or the right to use it.
    case inputOutput
    /// No space is left.
    case full
    /// The file or its folder must not be written to.
    case readOnly
    /// Another program is writing to it.
    case busy
    /// Another process has stored a newer state since this one read it.
    case stateMoved
    /// What is stored has not been read, at first or since a turn could not be stored.
    case notLoaded
    /// The key file is not there.
    case keyMissing
    /// Others than its owner may read the key file.
    case keyReadableByOthers(mode: Int)
    /// The key file holds no key.
    case keyMalformed
    /// The key is a key, but not this database's.
    case wrongKey
    /// It has been closed.
    case closed
  }

  /// What is wrong.
  public let code: Code
  /// The file: the database, or the key.
  public let path: String
  /// What the system or SQLite said about it; empty where there is nothing to add.
  public let detail: String
  /// What to do about it.
  public let advice: String

  /// Makes an error; without advice of its own it gets the usual one for its code.
  public init(_ code: Code, path: String, detail: String = "", advice: String? = nil) {
    self.code = code
    self.path = path
    self.detail = detail
    self.advice = advice ?? Self.usualAdvice(code, path: path)
  }

  /// The file, what is wrong with it and what to do, as a sentence.
  public var description: String {
    var sentence = path + ": " + reason
    if !detail.isEmpty { sentence += ": " + detail }
    if !advice.isEmpty { sentence += "; " + advice }
    return sentence
  }

  private var reason: String {
    switch code {
    case .missing: "there is no such file"
    case .notAFile: "this is not a file"
    case .empty: "this file is empty"
    case .notADatabase: "this is not an SQLite database"
    case .foreignDatabase: "this is no user database of Near Me"
    case .newerSchema(let found, let supported):
      "a newer version of Near Me made it (schema \(found), this one reads up to \(supported))"
    case .unreadableState: "the engine's state in it cannot be read"
    case .damaged: "the database is damaged"
    case .inputOutput: "cannot be read or written"
    case .full: "no space is left on the disk"
    case .readOnly: "must not be written to"
    case .busy: "another program is writing to it"
    case .stateMoved: "another process has stored a newer state"
    case .notLoaded: "what is stored has not been read since a turn could not be stored"
    case .keyMissing: "the key is not there"
    case .keyReadableByOthers(let mode):
      "others than its owner may read this key (mode \(String(mode, radix: 8)))"
    case .keyMalformed: "this file holds no key of Near Me"
    case .wrongKey: "the key does not fit this database"
    case .closed: "it has been closed"
    }
  }

  private static func usualAdvice(_ code: Code, path: String) -> String {
    switch code {
    case .missing: "name another file"
    case .notAFile, .notADatabase, .foreignDatabase: "name another file"
    case .empty: "put a copy in its place, or delete it to begin anew"
    case .newerSchema, .unreadableState: "update Near Me; the file was left as it is"
    case .damaged: "put a copy of the file in its place; it was left as it is"
    case .inputOutput: "check the disk and the permissions of the file and its folder"
    case .full: "make room and try again; nothing was changed"
    case .readOnly: "check the permissions of the file and its folder, where the journal goes"
    case .busy: "try again later"
    case .stateMoved: "run one host for a database, and begin again from what is stored"
    case .notLoaded: "begin again from what is stored"
    case .keyMissing:
      "without it the database cannot be read: put the key back, or name it with --key-file"
    case .keyReadableByOthers: "run: chmod 600 \(path)"
    case .keyMalformed: "put the key back from a copy, or name another file with --key-file"
    case .wrongKey: "name the key that was made with it (--key-file)"
    case .closed: ""
    }
  }
}
