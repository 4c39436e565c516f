import Foundation
import Logging
import Timeline
import TraceFiles

extension LiveHost {
  /// How a run ends.
  package struct Ending: Hashable, Sendable {
    /// Whether timers and commands are served after the feed's end, until the host is stopped.
    package var staysAtEnd: Bool
    /// How long it goes on trying deliveries after the feed's end.
    package var patience: Milliseconds

    /// Makes it.
    package init(staysAtEnd: Bool = false, patience: Milliseconds = .seconds(5)) {
      self.staysAtEnd = staysAtEnd
      self.patience = patience
    }
  }

  /// Looks for what commands have asked for so often.
  private static let inboxSpan = Milliseconds.seconds(1)
  /// Timers are no closer than people can tell.
  private static let shortestSpan = Milliseconds(20)

  /// Runs until the feed ends or a stop comes in.
  ///
  /// - Parameter inputs: what comes in; ticks come from here.
  /// - Parameter took: is called when a batch has been taken in.
  /// - Returns: what the feed has brought.
  package func run(
    _ inputs: AsyncStream<HostInput>,
    _ continuation: AsyncStream<HostInput>.Continuation,
    clock: any HostClock,
    ending: Ending,
    log: Logger,
    took: @Sendable () -> Void
  ) async throws(HostFailure) -> FeedCounts {
    var counts = FeedCounts()
    var endedAt: ContinuousClock.Instant?
    var failure: HostFailure?
    let patience = Duration.milliseconds(ending.patience.value)
    var timer = await tickLater(continuation, clock: clock, isEnding: false)
    loop: for await input in inputs {
      switch input {
      case .batch(let batch):
        Self.note(batch.counts, before: counts, log)
        counts = batch.counts
        do throws(HostFailure) {
          try await take(batch.items)
        } catch {
          took()
          throw error
        }
        took()
      case .ended(let error):
        failure = error
        counts.hasEnded = true
        log.info("the input has ended")
        if !ending.staysAtEnd || error != nil { endedAt = .now }
        try await tick()
      case .tick: try await tick()
      case .stop: break loop
      }
      if let endedAt {
        if await waitingCount == 0 || endedAt.duration(to: .now) >= patience { break }
      }
      timer.cancel()
      timer = await tickLater(continuation, clock: clock, isEnding: endedAt != nil)
    }
    timer.cancel()
    try await finish()
    if let failure { throw failure }
    return counts
  }

  private func tickLater(
    _ continuation: AsyncStream<HostInput>.Continuation,
    clock: any HostClock,
    isEnding: Bool
  ) async -> Task<Void, Never> {
    var span = isEnding ? Milliseconds(100) : Self.inboxSpan
    if let next = await nextTick { span = min(span, next - clock.now()) }
    let wait = max(span, Self.shortestSpan).value
    return Task {
      guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
      continuation.yield(.tick)
    }
  }

  private static func note(_ counts: FeedCounts, before: FeedCounts, _ log: Logger) {
    for (reason, line) in counts.firstLines.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) })
    where before.firstLines[reason] == nil {
      log.warning(
        reason == "encrypted"
          ? "an encrypted message is passed over: switch the app's encryption off, or decrypt before"
          : "a line is passed over",
        metadata: ["reason": "\(reason)", "line": "\(line)"]
      )
    }
  }
}
