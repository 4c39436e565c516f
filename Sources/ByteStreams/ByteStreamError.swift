/// Why bytes cannot be read.
package struct ByteStreamError: Error, Hashable, Sendable {
  /// The kinds of faults, as far as a caller treats them differently.
  package enum Code: Hashable, Sendable {
    /// There is no such file, or no such member of an archive.
    case missing
    /// It is a folder.
    case folder
    /// The operating system could not read it.
    case unreadable
    /// The compressed data ends in the middle.
    case truncated
    /// The compressed data is damaged.
    case damaged
    /// It is packed in a way that cannot be read here.
    case unsupported
    /// An archive holds several files that could be meant, or none.
    case ambiguous
  }

  /// The kind of fault.
  package let code: Code
  /// The file as the caller named it; `-` is standard input.
  package let path: String
  /// Bytes from the start of the file as it lies on the disk; nil where a place has no meaning.
  package let byteOffset: Int64?
  /// What is wrong, as the end of a sentence.
  package let problem: String
  /// What to do about it.
  package let advice: String

  init(
    _ code: Code,
    path: String,
    byteOffset: Int64? = nil,
    _ problem: String,
    advice: String
  ) {
    self.code = code
    self.path = path
    self.byteOffset = byteOffset
    self.problem = problem
    self.advice = advice
  }
}
