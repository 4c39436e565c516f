import Foundation

/// Why a host cannot start or go on, as a sentence for the person at the terminal.
package struct HostFailure: Error, Hashable, CustomStringConvertible {
  /// What kind of failure, for an exit status.
  package enum Code: Hashable, Sendable {
    /// Something cannot be read or written.
    case inputOutput
    /// What was read makes no sense.
    case badInput
    /// Something that is needed is not there.
    case missing
    /// Another host runs on the database.
    case busy
    /// Another program holds a file for now: it is tried again.
    case held
    /// The caller asked for something impossible.
    case usage
  }

  /// What kind.
  package let code: Code
  /// What is wrong, where, and what to do.
  package let description: String

  /// Makes a failure.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// A folder where a file is needed.
  package static func folder(_ path: String, _ code: Code = .usage) -> HostFailure {
    HostFailure(code, "\(path): this is a folder: name a file")
  }

  /// A failure of the system on a file.
  static func system(_ path: String, _ what: String, _ number: Int32, advice: String) -> HostFailure
  {
    number == EISDIR
      ? folder(path)
      : HostFailure(.inputOutput, "\(path): \(what): \(systemError(number)): \(advice)")
  }
}
