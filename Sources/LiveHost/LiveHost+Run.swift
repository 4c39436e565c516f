import Foundation
import Logging
import Timeline
import TraceFiles
import UserStore

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
  /// So much is kept while another program holds the database; then the feed waits.
  ///
  /// - Source: judgment: a receiver that says a fix each second says no more in four hours.
  private static let mostWaiting = 1 << 14

  /// Runs until the feed ends or a stop comes in, also while another program holds the database.
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
    var waiting: ArraySlice<FeedItem> = []
    var batchesWaiting = 0
    var isEnding = false
    var endedAt: ContinuousClock.Instant?
    var failure: HostFailure?
    let patience = Duration.milliseconds(ending.patience.value)
    try await outliveHolds()
    var alarm = await nextAlarm(continuation, clock: clock, isEnding: false)
    loop: for await input in inputs {
      switch input {
      case .batch(let batch):
        Self.note(batch.counts, before: counts, log)
        counts = batch.counts
        waiting += batch.items
        batchesWaiting += 1
      case .ended(let error):
        failure = error
        counts.hasEnded = true
        log.info("the input has ended")
        isEnding = !ending.staysAtEnd || error != nil
        try await tick()
      case .tick: try await tick()
      case .stop:
        // Whoever stops it waits for no other program.
        await leaveHolds()
        break loop
      }
      do throws(HostFailure) {
        try await take(&waiting)
      } catch {
        for _ in 0..<batchesWaiting { took() }
        throw error
      }
      if waiting.count < Self.mostWaiting {
        for _ in 0..<batchesWaiting { took() }
        batchesWaiting = 0
      }
      if isEnding, !isHeld {
        let end = endedAt ?? .now
        endedAt = end
        if await waitingCount == 0 || end.duration(to: .now) >= patience {
          try catchUpWithFeed()
          if !isHeld { break }
        }
      }
      // What comes in all the time must not put off what time brings.
      let next = await nextAlarm(continuation, clock: clock, isEnding: endedAt != nil)
      if case .batch = input, next.at >= alarm.at {
        next.task.cancel()
      } else {
        alarm.task.cancel()
        alarm = next
      }
    }
    alarm.task.cancel()
    try await end(leaving: &waiting)
    if let failure { throw failure }
    return counts
  }

  /// Has deliveries that were made be noted as soon as another program lets go of the database; else that is a failure.
  package func noteAfterHolds() async { for courier in couriers { await courier.outliveHolds() } }

  /// Waits for no other program any more, for the host ends: what cannot be noted now is delivered once more.
  package func leaveHolds() async { for courier in couriers { await courier.leaveHolds() } }

  private func outliveHolds() async throws(HostFailure) {
    outlivesHolds = true
    await noteAfterHolds()
    try HostFailure.mapping { () throws(UserStoreError) in
      try store.limitWaits(to: DatabaseHold.attempt)
    }
  }

  /// Ends this life, also while another program holds the database: then what is not stored is left, and said.
  private func end(leaving waiting: inout ArraySlice<FeedItem>) async throws(HostFailure) {
    try tryAgain()
    try await take(&waiting)
    try catchUpWithFeed()
    guard isHeld, !(turns.isEmpty && waiting.isEmpty) else {
      try await finish()
      return await sayWhatIsToldAgain()
    }
    log.warning(
      """
      ended while another program holds the database: what came in since is not stored, and is taken in when it is fed \
      again
      """,
      metadata: ["database": "\(store.path)"]
    )
    await close()
    await sayWhatIsToldAgain()
  }

  /// Says which sinks have been told what could not be noted.
  private func sayWhatIsToldAgain() async {
    for courier in couriers where await courier.hasLeftHold {
      log.warning(
        "ended while another program holds the database: what was delivered last is delivered once more at the next start",
        metadata: ["sink": "\(courier.sink.name)", "database": "\(store.path)"]
      )
    }
  }

  /// A tick to come, and when.
  private func nextAlarm(
    _ continuation: AsyncStream<HostInput>.Continuation,
    clock: any HostClock,
    isEnding: Bool
  ) async -> (at: ContinuousClock.Instant, task: Task<Void, Never>) {
    var span = isEnding ? Milliseconds(100) : Self.inboxSpan
    // What is due waits for the database, too.
    if !isHeld, let next = await nextTick { span = min(span, next - clock.now()) }
    let at = ContinuousClock.now + .milliseconds(max(span, Self.shortestSpan).value)
    let task = Task {
      guard (try? await Task.sleep(until: at, clock: .continuous)) != nil else { return }
      continuation.yield(.tick)
    }
    return (at, task)
  }

  private static func note(_ counts: FeedCounts, before: FeedCounts, _ log: Logger) {
    if counts.haveTimesNoZone, !before.haveTimesNoZone {
      if let zone = counts.assumedZone {
        log.notice(
          "times without a zone are taken as the assumed one's",
          metadata: ["zone": "\(zone)"]
        )
      } else {
        log.warning("times without a zone are taken as UTC: --assume-zone says otherwise")
      }
    }
    for doubt in counts.doubts.dropFirst(before.doubts.count) { log.warning("\(doubt)") }
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
