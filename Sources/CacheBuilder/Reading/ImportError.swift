/// Why an input cannot be read.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, for code that reacts to it.
  package enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// A directory or a device, where a file is needed.
    case notAFile
    /// The disk, or the right to read.
    case inputOutput
    /// Nothing in it, or nothing that could be a place.
    case empty
    /// No place is left for the cache.
    case noPlace
    /// Not one of the formats that can be read.
    case unknownFormat
    /// The format is known, but this part of it cannot be read.
    case unsupported
    /// The file ends in the middle.
    case truncated
    /// The file breaks the rules of its format.
    case malformed
    /// A bad row, where the caller wanted none.
    case badRow
    /// The category rules are wrong.
    case badRules
    /// The file that was asked for cannot be as small as that.
    case tooLarge
    /// The user asked to stop.
    case interrupted
  }

  /// Where in a file.
  package enum Position: Hashable, Sendable {
    /// The file as a whole.
    case file
    /// Bytes from the start; of a compressed file, of what is compressed.
    case byte(Int64)
    /// A line, the first being 1.
    case line(Int)
  }

  /// What is wrong.
  package let code: Code
  /// The file.
  package let path: String
  /// Where.
  package let position: Position
  /// The reason, and what to do about it where that is known.
  package let detail: String

  /// Makes an error.
  package init(_ code: Code, path: String, at position: Position = .file, _ detail: String) {
    self.code = code
    self.path = path
    self.position = position
    self.detail = detail
  }

  /// File, place and reason as a sentence.
  package var description: String {
    switch position {
    case .file: "\(path): \(detail)"
    case .byte(let offset): "\(path): byte \(offset): \(detail)"
    case .line(let line): "\(path): line \(line): \(detail)"
    }
  }
}
