import Foundation

/// What a piece of work for every number below a count gives, in order of the numbers.
///
/// The work is done on several threads. The outcome is that of a plain loop, whatever their number:
/// each piece depends on its number alone, and of several pieces that fail the first one's error is
/// thrown. A thread takes the next number when it has time, so that a file is read from its start to
/// its end.
///
/// - Parameters:
///   - done: called after each piece with how many are done, on one thread at a time.
///   - makeWorker: makes what a thread keeps between pieces, such as buffers.
package func resultsInOrder<Worker, Value: Sendable, Failure: Error>(
  count: Int,
  threads: Int,
  done: @Sendable (Int) -> Void = { _ in },
  makeWorker: @Sendable () throws(Failure) -> Worker,
  work: @Sendable (Worker, Int) throws(Failure) -> Value
) throws(Failure) -> [Value] {
  let results = OrderedResults<Value, Failure>(count: count)
  results.fill(threads: threads, done: done, makeWorker: makeWorker, work: work)
  return try results.all()
}

/// Hands over what each piece of work gives in order of the numbers, and keeps none of it.
///
/// As ``resultsInOrder(count:threads:done:makeWorker:work:)``, where all results together would take too
/// much memory: what has been made and not been taken is as much as the threads are apart.
///
/// - Parameter take: called for one number after the other, on any thread, never on two at a time; after a
///   failure for some of those before it.
package func takeResultsInOrder<Worker, Value: Sendable, Failure: Error>(
  count: Int,
  threads: Int,
  makeWorker: @Sendable () throws(Failure) -> Worker,
  work: @Sendable (Worker, Int) throws(Failure) -> Value,
  take: (Int, Value) -> Void
) throws(Failure) {
  // Only ever called under the lock of the results, and not after this function has returned.
  nonisolated(unsafe) let take = take
  try withoutActuallyEscaping(take) { take throws(Failure) in
    nonisolated(unsafe) let take = take
    let results = OrderedResults<Value, Failure>(count: count, take: take)
    results.fill(threads: threads, done: { _ in }, makeWorker: makeWorker, work: work)
    _ = try results.all()
  }
}

/// The same for work that keeps nothing between pieces.
package func resultsInOrder<Value: Sendable, Failure: Error>(
  count: Int,
  threads: Int,
  done: @Sendable (Int) -> Void = { _ in },
  work: @Sendable (Int) throws(Failure) -> Value
) throws(Failure) -> [Value] {
  try resultsInOrder(
    count: count,
    threads: threads,
    done: done,
    makeWorker: { () throws(Failure) in },
    work: { _, number throws(Failure) in try work(number) }
  )
}

/// What threads share: the next number, and the results so far.
///
/// Unchecked: everything is touched under the lock only.
private final class OrderedResults<Value: Sendable, Failure: Error>: @unchecked Sendable {
  private let lock = NSLock()
  private var next = 0
  private var doneCount = 0
  private var values: [Value?]
  private var failure: (number: Int, error: Failure)?
  /// Is given what is next in order; nil where all of it is kept.
  private let hand: ((Int, Value) -> Void)?
  private var handed = 0

  init(count: Int, take hand: ((Int, Value) -> Void)? = nil) {
    values = [Value?](repeating: nil, count: count)
    self.hand = hand
  }

  /// Has every piece worked on, on several threads.
  func fill<Worker>(
    threads: Int,
    done: @Sendable (Int) -> Void,
    makeWorker: @Sendable () throws(Failure) -> Worker,
    work: @Sendable (Worker, Int) throws(Failure) -> Value
  ) {
    DispatchQueue.concurrentPerform(iterations: max(1, min(threads, values.count))) { _ in
      do throws(Failure) {
        let worker = try makeWorker()
        while let number = take() {
          do throws(Failure) {
            finish(number, .success(try work(worker, number)), done)
          } catch {
            finish(number, .failure(error), done)
          }
        }
      } catch {
        finish(-1, .failure(error), done)
      }
    }
  }

  /// The next piece that no thread works on; nil if there is none, or none is wanted any more.
  private func take() -> Int? {
    lock.withLock {
      guard failure == nil, next < values.count else { return nil }
      next += 1
      return next - 1
    }
  }

  private func finish(_ number: Int, _ result: Result<Value, Failure>, _ done: (Int) -> Void) {
    lock.withLock {
      switch result {
      case .success(let value):
        values[number] = value
        while let hand, handed < values.count, let next = values[handed] {
          values[handed] = nil
          handed += 1
          hand(handed - 1, next)
        }
      case .failure(let error):
        // Every number below this one has been taken: a failure among them will still be seen.
        if number < failure?.number ?? .max { failure = (number, error) }
      }
      doneCount += 1
      done(doneCount)
    }
  }

  func all() throws(Failure) -> [Value] {
    if let failure { throw failure.error }
    return values.compactMap(\.self)
  }
}
