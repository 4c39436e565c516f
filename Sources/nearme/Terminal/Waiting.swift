import Foundation

/// Runs something asynchronous to its end; the main thread has nothing else to do.
///
/// - Returns: what it comes to.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value
{
  let outcome = WaitedOutcome<Value>()
  let done = DispatchSemaphore(value: 0)
  Task {
    do { outcome.result = .success(try await body()) } catch { outcome.result = .failure(error) }
    done.signal()
  }
  done.wait()
  guard let result = outcome.result else { preconditionFailure("what was waited for has ended") }
  return try result.get()
}

/// How it ended.
///
/// Unchecked: the semaphore orders the one write before the one read.
private final class WaitedOutcome<Value: Sendable>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}
