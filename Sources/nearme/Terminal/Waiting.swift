import Dispatch

/// Runs something asynchronous to its end; the main thread has nothing else to do.
func waiting(_ body: @escaping @Sendable () async throws -> Void) throws {
  let outcome = WaitedOutcome()
  let done = DispatchSemaphore(value: 0)
  Task {
    do { try await body() } catch { outcome.error = error }
    done.signal()
  }
  done.wait()
  if let error = outcome.error { throw error }
}

/// How it ended.
///
/// Unchecked: the semaphore orders the one write before the one read.
private final class WaitedOutcome: @unchecked Sendable {
  var error: (any Error)?
}
