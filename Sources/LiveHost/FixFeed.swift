import ByteStreams
import Foundation
import Timeline
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

/// Points and signals that came in at once, and what came in so far.
package struct FeedBatch: Sendable {
  /// In order.
  package let items: [FeedItem]
  /// Since the feed began.
  package let counts: FeedCounts
}

/// What a feed has brought.
package struct FeedCounts: Sendable {
  /// Fixes.
  package var fixes = 0
  /// Signals of the phone.
  package var signals = 0
  /// What was passed over, by its name: reasons, and the kinds of messages that are no locations.
  package var passedOver: [String: Int] = [:]
  /// The first line of each.
  package var firstLines: [String: Int] = [:]
  /// What it is, if it is a whole trace and not lines.
  package var format: TraceFormat?
  /// Points of the trace, those that are no fixes too.
  package var points = 0
  /// Whether times of a table or JSON have named no zone; where none is assumed the first tells.
  package var haveTimesNoZone = false
  /// The zone that is assumed for them; nil for UTC.
  package var assumedZone: String?
  /// What a table could mean as well, and how it was taken, each as a sentence.
  package var doubts: [String] = []
  /// Whether the feed has come to its end.
  package var hasEnded = false

  /// Nothing yet.
  package init() {}

  /// Counts signals among what was passed over that the host could not take in.
  package mutating func passOver(signals count: Int) {
    guard count > 0 else { return }
    signals -= count
    passedOver["signal_without_time", default: 0] += count
  }

  init(_ reader: FixLineReader, _ options: TraceOptions) {
    fixes = reader.fixes
    signals = reader.signals
    for (reason, count) in reader.garbage { passedOver[reason.rawValue] = count }
    for (reason, line) in reader.firstGarbage { firstLines[reason.rawValue] = line }
    haveTimesNoZone = reader.haveTimesNoZone
    assumedZone = options.assumedZone?.identifier
    doubts = reader.doubts
    passedOver.merge(reader.messages) { $0 + $1 }
    firstLines.merge(reader.firstMessage) { min($0, $1) }
  }

  init(_ report: TraceReport) {
    fixes = report.fixes
    points = report.points
    format = report.format
    haveTimesNoZone = report.haveTimesNoZone
    assumedZone = report.assumedZone
    doubts = report.doubts
    if report.pointsOfOtherKinds > 0 {
      passedOver["point_of_another_kind"] = report.pointsOfOtherKinds
    }
  }
}

/// Reads fixes from a descriptor on a thread of its own, as they come: lines, or a trace of any format that can
/// be read, plain or packed.
///
/// Of lines what is broken is passed over; a trace that is broken ends the feed, after the fixes before that. A pause in the feed completes the instant that NMEA sentences are about. The thread waits when the
/// host falls behind.
package final class FixFeed: Sendable {
  /// After so long a pause no more sentences of one instant come: receivers send them in one go.
  private static let pauseMilliseconds: Int32 = 300
  private static let batchesAhead = 4
  /// So many points are soon taken in: who stops the host does not wait for more.
  private static let mostItems = 512

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
    let stream = DescriptorStream(descriptor, name: "-", selecting: TraceReader.traces(among:))
    var kind: FeedKind?
    var seen = (bytes: UnsafeRawBufferPointer(start: nil, count: 0), isAll: false)
    while kind == nil {
      seen = stream.look(beyond: seen.bytes.count)
      kind = FeedKind(seen.bytes, isAll: seen.isAll, options: options)
    }
    if kind == .trace {
      read(TraceReader(feed: stream, options: options), into: inputs)
    } else {
      read(linesOf: stream, into: inputs)
    }
  }

  private func read(_ reader: TraceReader, into inputs: AsyncStream<HostInput>.Continuation) {
    while true {
      let records: [TraceRecord]
      do {
        records = try reader.nextBatch()
      } catch {
        inputs.yield(.ended(HostFailure(error)))
        return
      }
      let counts = FeedCounts(reader.report)
      for start in stride(from: 0, to: max(records.count, 1), by: Self.mostItems) {
        let items = records[start...].prefix(Self.mostItems).map { FeedItem.point($0) }
        room.wait()
        inputs.yield(.batch(FeedBatch(items: items, counts: counts)))
      }
      guard !records.isEmpty else {
        inputs.yield(.ended(nil))
        return
      }
    }
  }

  private func read(
    linesOf stream: DescriptorStream,
    into inputs: AsyncStream<HostInput>.Continuation
  ) {
    var reader = FixLineReader(options)
    var passedOver = 0
    func pass(_ items: [FeedItem]) {
      let counts = FeedCounts(reader, options)
      let count = counts.passedOver.values.reduce(0, +)
      guard !items.isEmpty || count != passedOver else { return }
      passedOver = count
      room.wait()
      inputs.yield(.batch(FeedBatch(items: items, counts: counts)))
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if reader.isHoldingBack, !stream.mayHoldMore, poll(&wait, 1, Self.pauseMilliseconds) == 0 {
        pass(reader.settle())
        continue
      }
      do {
        let count = try stream.read(into: buffer)
        if count > 0 {
          pass(reader.read(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
          continue
        }
        pass(reader.finish())
        inputs.yield(.ended(nil))
      } catch {
        pass(reader.finish())
        inputs.yield(.ended(HostFailure(TraceError(error))))
      }
      return
    }
  }
}

extension HostFailure {
  fileprivate init(_ error: TraceError) {
    self.init(error.code == .unreadable ? .inputOutput : .badInput, "\(error)")
  }
}
