/// Why a cache cannot be read or written.
public struct PlaceStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for code that reacts to it.
  public enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// A directory or a device, where a file is needed.
    case notAFile
    /// Not an SQLite database.
    case notADatabase
    /// An SQLite database that another program made.
    case foreignDatabase
    /// It is a database of Near Me, of reminders or of a door's people.
    case otherKind
    /// Ours, but of another version.
    case otherSchemaVersion(found: Int, supported: Int)
    /// Ours, but parts of it cannot be read.
    case damaged
    /// The disk, or the right to use it.
    case inputOutput
    /// Another program is writing to it.
    case busy
    /// A value that the file must not hold.
    case invalidValue
    /// The user asked to stop.
    case interrupted
  }

  /// What is wrong.
  public let code: Code
  /// The file.
  public let path: String
  /// What the system or SQLite said about it; empty where there is nothing to add.
  public let detail: String
  /// What to do about it.
  public let advice: String

  /// Makes an error.
  public init(_ code: Code, path: String, detail: String = "", advice: String = "") {
    self.code = code
    self.path = path
    self.detail = detail
    self.advice = advice
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
    case .notADatabase: "this is not an SQLite database"
    case .foreignDatabase: "this was not made by Near Me"
    case .otherKind: "this database of Near Me holds reminders or people, and no places of a map"
    case .otherSchemaVersion(let found, let supported):
      "built by another version (schema \(found), this is \(supported))"
    case .damaged: "the database is damaged"
    case .inputOutput: "cannot be read or written"
    case .busy: "another program is writing to it"
    case .invalidValue: "a value was refused"
    case .interrupted: "interrupted, nothing was changed"
    }
  }
}
