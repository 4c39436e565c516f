import ArgumentParser
import CorpusFiles
import Foundation
import TraceFiles

/// Whether a bad day of a corpus ends the work on all of it.
struct SkipBadOption: ParsableArguments {
  @Flag(
    name: .customLong("skip-bad"),
    help: "Leave out days that cannot be read, instead of stopping; each is named."
  )
  var isGiven = false
}

/// The days of a corpus that could not be read.
///
/// Unchecked: everything is touched under the lock only.
final class DayFaults: @unchecked Sendable {
  private let lock = NSLock()
  private var faults: [(file: String, error: any Error)] = []

  var isEmpty: Bool { lock.withLock { faults.isEmpty } }

  func add(_ file: String, _ error: any Error) { lock.withLock { faults.append((file, error)) } }

  /// What reading a day comes to; nil, and noted, where it cannot be read.
  func noting<Read>(_ file: String, _ read: () throws -> Read) throws -> Read? {
    do {
      return try read()
    } catch {
      guard error is CorpusError || error is TraceError else { throw error }
      add(file, error)
      return nil
    }
  }

  /// Names all of them, in order of the files.
  ///
  /// - Parameter left: how many days could be read.
  /// - Throws: ``CommandFailure`` unless they are to be skipped, or if no day is left.
  func tell(left: Int, skips: Bool) throws {
    let all = lock.withLock { faults.sorted { $0.file < $1.file } }
    guard let first = all.first else { return }
    // A single one says all by itself.
    if !skips, all.count == 1 { throw first.error }
    for fault in all { printError("nearme: \(skips ? "left out: " : "")\(fault.error)") }
    guard skips else {
      throw CommandFailure(
        .badInput,
        "\(all.count) days cannot be read: mend them, or leave them out with --skip-bad"
      )
    }
    guard left > 0 else {
      throw CommandFailure(.badInput, "no day is left that can be read")
    }
  }
}
