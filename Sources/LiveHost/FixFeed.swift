import Foundation
import TraceFiles
import Traces

/// What a host waits for.
package enum HostInput: Sendable {
  /// Points came in.
  case batch(FeedBatch)
  /// Nothing more will come in; with the reason, if that is not a proper end.
  case ended(HostFailure?)
  /// Time has passed.
  case tick
  /// It is to end.
  case stop
}

/// Points that came in at once, and what was passed over so far.
package struct FeedBatch: Sendable {
  /// In order.
  package let records: [TraceRecord]
  /// Lines that were passed over since the feed began, by reason.
  package let garbage: [GarbageLine: Int]
  /// The first line that was passed over for a reason.
  package let firstGarbage: [GarbageLine: Int]
}

/// Reads fixes from a descriptor on a thread of its own, as they come.
///
/// A pause in the feed completes the instant that NMEA sentences are about. The thread waits when the
/// host falls behind.
package final class FixFeed: Sendable {
  /// After so long a pause no more sentences of one instant come: receivers send them in one go.
  private static let pauseMilliseconds: Int32 = 300
  private static let batchesAhead = 4

  private let descriptor: Int32
  private let options: TraceOptions
  /// Begins at none: one that is let go below its first value is an error of its own.
  private let room = DispatchSemaphore(value: 0)

  /// Makes a feed; the caller keeps the descriptor open.
  package init(descriptor: Int32 = STDIN_FILENO, options: TraceOptions = TraceOptions()) {
    self.descriptor = descriptor
    self.options = options
    for _ in 0..<Self.batchesAhead { room.signal() }
  }

  /// Starts to read.
  package func start(_ inputs: AsyncStream<HostInput>.Continuation) {
    let thread = Thread { [self] in read(into: inputs) }
    thread.name = "fixes"
    thread.start()
  }

  /// Notes that the host has taken in a batch.
  package func took() { room.signal() }

  private func read(into inputs: AsyncStream<HostInput>.Continuation) {
    var reader = FixLineReader(options)
    var garbageCount = 0
    func pass(_ records: [TraceRecord]) {
      let count = reader.garbage.values.reduce(0, +)
      guard !records.isEmpty || count != garbageCount else { return }
      garbageCount = count
      room.wait()
      inputs.yield(
        .batch(
          FeedBatch(
            records: records,
            garbage: reader.garbage,
            firstGarbage: reader.firstGarbage
          )
        )
      )
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if reader.isHoldingBack, poll(&wait, 1, Self.pauseMilliseconds) == 0 {
        pass(reader.settle())
        continue
      }
      let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 {
        pass(reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      } else if count < 0, errno == EINTR {
        continue
      } else if count < 0, errno == EAGAIN {
        _ = poll(&wait, 1, -1)
      } else {
        let number = count < 0 ? errno : 0
        pass(reader.finish())
        inputs.yield(
          .ended(
            number == 0
              ? nil
              : .system("standard input", "cannot be read", number, advice: "check what feeds it")
          )
        )
        return
      }
    }
  }
}
