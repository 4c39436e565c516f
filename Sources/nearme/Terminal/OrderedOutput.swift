import Dispatch
import Foundation

/// Where text goes.
protocol TextOutput: AnyObject {
  func write(_ text: String) throws
}

extension TextOutput {
  func writeLine(_ text: String) throws {
    try write(text)
    try write("\n")
  }
}

/// Does a piece of work for every number below a count, on several threads, and writes what they
/// print in the order of the numbers.
///
/// The output is that of a plain loop, whatever the number of threads, also where a piece fails: then
/// what it had printed is the last thing that is written, and its error is thrown.
///
/// - Complexity: with one thread nothing is held back; with several, what pieces print whose turn has
///   not come is kept in memory.
func inOrder(
  count: Int,
  jobs: Int,
  to output: OutputFile,
  work: @Sendable (_ number: Int, _ output: any TextOutput) throws -> Void
) throws {
  guard jobs > 1, count > 1 else {
    for number in 0..<count { try work(number, output) }
    return
  }
  let turns = Turns(count: count, output: output)
  DispatchQueue.concurrentPerform(iterations: min(jobs, count)) { _ in
    while let number = turns.take() {
      let text = KeptText()
      let outcome = Result { try work(number, text) }
      turns.finish(number, text.parts, outcome)
    }
  }
  try turns.end()
}

/// Text that waits for its turn.
private final class KeptText: TextOutput {
  private(set) var parts: [String] = []

  func write(_ text: String) { parts.append(text) }
}

/// What threads share: the next number, and what was printed and could not be written yet.
///
/// Unchecked: everything is touched under the lock only.
private final class Turns: @unchecked Sendable {
  private let lock = NSLock()
  private let output: OutputFile
  private var next = 0
  private var turn = 0
  private var waiting: [(parts: [String], outcome: Result<Void, any Error>)?]
  private var failure: (any Error)?

  init(count: Int, output: OutputFile) {
    self.output = output
    waiting = .init(repeating: nil, count: count)
  }

  /// The next number that no thread works on; nil if there is none, or none is wanted any more.
  func take() -> Int? {
    lock.withLock {
      guard failure == nil, next < waiting.count else { return nil }
      next += 1
      return next - 1
    }
  }

  /// Writes a piece and those behind it that waited for it, or lets it wait.
  func finish(_ number: Int, _ parts: [String], _ outcome: Result<Void, any Error>) {
    lock.withLock {
      waiting[number] = (parts, outcome)
      while failure == nil, turn < waiting.count, let piece = waiting[turn] {
        do {
          for part in piece.parts { try output.write(part) }
          try piece.outcome.get()
        } catch {
          failure = error
        }
        waiting[turn] = nil
        turn += 1
      }
    }
  }

  func end() throws { if let failure { throw failure } }
}
