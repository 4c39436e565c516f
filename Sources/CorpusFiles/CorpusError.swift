/// Why a corpus, or a day of it, could not be read.
package struct CorpusError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults, as far as a caller treats them differently.
  package enum Code: Hashable, Sendable {
    /// A file or folder is not there.
    case missing
    /// The operating system could not read it.
    case unreadable
    /// It is there, and it is not what it should be.
    case malformed
    /// Files that should belong together do not.
    case unfit
  }

  /// The kind of fault.
  package let code: Code
  /// The file or folder.
  package let file: String
  /// The line, the first being 1; nil where a line has no meaning.
  package let line: Int?
  /// What is wrong and what to do, as a sentence.
  package let message: String

  init(_ code: Code, _ file: String, line: Int? = nil, _ message: String) {
    self.code = code
    self.file = file
    self.line = line
    self.message = message
  }

  /// The fault in one line.
  package var description: String {
    file + (line.map { ":\($0)" } ?? "") + ": " + message
  }
}
