import ArgumentParser
import Foundation
import LiveHost

/// The exit statuses that scripts may rely on (sysexits.h, 1 for a check that failed, and 3).
enum ExitStatus: Int32 {
  case checkFailed = 1
  /// A search found nothing better than what one has.
  case nothingBetter = 3
  case usage = 64
  case badInput = 65
  case inputMissing = 66
  case internalError = 70
  case inputOutput = 74
  /// A search waits for what others are to try.
  case trialsWanted = 75
  /// Stopped by Ctrl-C; by another signal, ``code`` is 128 + that one, as shells report it.
  case interrupted = 130

  /// What the process ends with.
  var code: Int32 { self == .interrupted ? InterruptFlag.exitCode : rawValue }
}

/// A failure with the sentence that the person at the terminal reads, and the status for scripts.
struct CommandFailure: Error {
  let status: ExitStatus
  let message: String

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}

/// Runs a command's body; prints a failure's sentence to standard error and exits with its status.
///
/// What `print` could not write is a failure, too, which nothing but the stream itself knows of.
func reportingFailures(_ body: () throws -> Void) throws {
  do {
    try body()
    guard flushPrintedOutput() else {
      throw CommandFailure(.inputOutput, "standard output: cannot be written")
    }
  } catch let failure as CommandFailure {
    printError("nearme: \(failure.message)")
    throw ExitCode(failure.status.code)
  }
}

/// Writes a line to standard error; a terminal that has gone is no reason to fail.
///
/// What it quotes of somebody's file drives no terminal: control characters are not passed on.
func printError(_ line: String) {
  try? FileHandle.standardError.write(contentsOf: Data((TerminalText.printable(line) + "\n").utf8))
}
