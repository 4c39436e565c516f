import ByteStreams

/// Why a trace file could not be read, or not to its end.
///
/// Fixes that stood before the fault have been delivered.
package struct TraceError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults, as far as a caller treats them differently.
  package enum Code: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// The operating system could not read it.
    case unreadable
    /// It is not a trace of a format that can be read.
    case notATrace
    /// Its text or its compression breaks off or is wrong.
    case malformed
    /// It is larger in some way than any real trace, so that reading on could exhaust memory.
    case excessive
    /// It has points, and none of them has a time.
    case withoutTimes
    /// What the caller said about it does not fit it: columns that it does not have.
    case unfitOptions
  }

  /// The kind of fault.
  package let code: Code
  /// The file as the caller named it; `-` is standard input.
  package let file: String
  /// The line of the text, the first being 1; nil where a line has no meaning.
  package let line: Int?
  /// Bytes from the start: of the text, or of the compressed file if its compression is at fault.
  package let byteOffset: Int?
  /// What is wrong, as the end of a sentence.
  package let problem: String
  /// What to do about it.
  package let advice: String

  init(
    _ code: Code,
    file: String,
    line: Int? = nil,
    byteOffset: Int? = nil,
    problem: String,
    advice: String
  ) {
    self.code = code
    self.file = file
    self.line = line
    self.byteOffset = byteOffset
    self.problem = problem
    self.advice = advice
  }

  /// The fault in one line: file, line, byte, what is wrong, what to do.
  package var description: String {
    var place = file == "-" ? "standard input" : file
    if let line { place += ":\(line)" }
    if let byteOffset { place += " (byte \(byteOffset))" }
    return "\(place): \(problem); \(advice)"
  }
}

extension TraceError {
  /// The same fault of a file's bytes in the words of a trace.
  package init(_ error: ByteStreamError) {
    let code: Code =
      switch error.code {
      case .missing: .missing
      case .unreadable: .unreadable
      case .truncated, .damaged: .malformed
      case .folder, .unsupported, .ambiguous: .notATrace
      }
    self.init(
      code,
      file: error.path,
      byteOffset: error.byteOffset.map { Int($0) },
      problem: error.problem,
      advice: error.advice
    )
  }
}
