import Foundation

/// What a piece of work for every number below a count gives, in order of the numbers, whatever the
/// number of threads.
///
/// - Parameter done: called after each piece with how many are done, on one thread at a time.
/// - Throws: of several pieces that fail, the error of the first.
func resultsInOrder<Value: Sendable>(
  count: Int,
  threads: Int,
  done: @escaping @Sendable (Int) -> Void,
  work: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let results = OrderedValues<Value>(count: count)
  DispatchQueue.concurrentPerform(iterations: max(1, min(threads, count))) { _ in
    while let number = results.take() {
      results.finish(number, Result { try work(number) }, done)
    }
  }
  return try results.all()
}

/// What threads share: the next number, and the results so far.
///
/// Unchecked: everything is touched under the lock only.
private final class OrderedValues<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var next = 0
  private var doneCount = 0
  private var results: [Result<Value, any Error>?]
  private var hasFailed = false

  init(count: Int) { results = [Result<Value, any Error>?](repeating: nil, count: count) }

  func take() -> Int? {
    lock.withLock {
      guard !hasFailed, next < results.count else { return nil }
      next += 1
      return next - 1
    }
  }

  func finish(_ number: Int, _ result: Result<Value, any Error>, _ done: (Int) -> Void) {
    lock.withLock {
      results[number] = result
      if case .failure = result { hasFailed = true }
      doneCount += 1
      done(doneCount)
    }
  }

  /// Numbers below a failed one have all been taken, so the first failure is always the same.
  func all() throws -> [Value] {
    try lock.withLock { try results.compactMap { try $0?.get() } }
  }
}
