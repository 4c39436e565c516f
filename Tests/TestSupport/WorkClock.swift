import Foundation

/// How long this thread has worked, which other work on the machine does not lengthen.
///
/// Only for what does not wait, nor go on in another thread.
package enum WorkClock {
  /// The time that a piece of work takes.
  package static func measure(_ work: () -> Void) -> Duration {
    let start = now()
    work()
    return now() - start
  }

  private static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
