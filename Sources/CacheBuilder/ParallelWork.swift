import Foundation

/// What a piece of work for every number below a count gives, in order of the numbers.
///
/// The work is done on several threads. The outcome is that of a plain loop, whatever their number:
/// each piece depends on its number alone, and of several pieces that fail the first one's error is
/// thrown. A thread takes the next number when it has time, so that a file is read from its start to
/// its end.
///
/// - Parameter makeWorker: what a thread keeps between pieces, such as buffers.
func resultsInOrder<Worker, Value: Sendable>(
  count: Int,
  threadCount: Int,
  makeWorker: @Sendable () throws(ImportError) -> Worker,
  work: @Sendable (Worker, Int) throws(ImportError) -> Value
) throws(ImportError) -> [Value] {
  let results = OrderedResults<Value>(count: count)
  DispatchQueue.concurrentPerform(iterations: max(1, min(threadCount, count))) { _ in
    do throws(ImportError) {
      let worker = try makeWorker()
      while let number = results.take() {
        do throws(ImportError) {
          results.finish(number, .success(try work(worker, number)))
        } catch {
          results.finish(number, .failure(error))
        }
      }
    } catch {
      results.finish(-1, .failure(error))
    }
  }
  return try results.all()
}

/// What threads share: the next number, and the results so far.
///
/// Unchecked: everything is touched under the lock only.
private final class OrderedResults<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var next = 0
  private var values: [Value?]
  private var failure: (number: Int, error: ImportError)?

  init(count: Int) { values = [Value?](repeating: nil, count: count) }

  /// The next piece that nobody works on; nil if there is none, or none is wanted any more.
  func take() -> Int? {
    lock.withLock {
      guard failure == nil, next < values.count else { return nil }
      next += 1
      return next - 1
    }
  }

  func finish(_ number: Int, _ result: Result<Value, ImportError>) {
    lock.withLock {
      switch result {
      case .success(let value): values[number] = value
      case .failure(let error):
        // Every number below this one has been taken: a failure among them will still be seen.
        if number < failure?.number ?? .max { failure = (number, error) }
      }
    }
  }

  func all() throws(ImportError) -> [Value] {
    if let failure { throw failure.error }
    return values.compactMap(\.self)
  }
}
