import Foundation

/// Writes everything as newline-delimited JSON to the end of a file that may be away for a while: its disk is full, its folder
/// was removed, or another process writes to it.
///
/// What cannot be written is put off, as by a server that is down, and nothing else waits for that. Nothing stands twice in the
/// file, as with ``NDJSONSink``; what an earlier life wrote is looked for as soon as the file can be read.
///
/// Unchecked: one courier at a time uses it.
package final class SteadyFileSink: Sink, @unchecked Sendable {
  package let name: String
  package let takesRecords = true
  package let batchLimit = 1_000

  private let path: String
  private var file: NDJSONSink?
  /// What an earlier life may have written, as long as that could not be seen.
  private var unsure: [Delivery] = []
  /// What it had written, by keys.
  private var written: Set<String> = []

  /// Names a file, which is opened with the first delivery.
  package init(path: String) {
    self.path = path
    name = sinkName("ndjson", path)
  }

  package func alreadyDelivered(among pending: [Delivery]) throws(HostFailure) -> Set<String> {
    unsure = pending
    // Where it cannot be seen, it is with the first delivery.
    guard (try? opened()) != nil else { return [] }
    return written
  }

  package func deliver(_ deliveries: [Delivery]) async -> DeliveryOutcome {
    let file: NDJSONSink
    do throws(HostFailure) {
      file = try opened()
    } catch {
      return putOff(error)
    }
    let rest = deliveries.filter { !written.contains($0.key) }
    if !rest.isEmpty {
      let outcome = await file.deliver(rest)
      if case .broken(let failure) = outcome { return putOff(failure) }
      guard outcome == .delivered else { return outcome }
    }
    written.subtract(deliveries.map(\.key))
    return .delivered
  }

  private func putOff(_ failure: HostFailure) -> DeliveryOutcome {
    // Where its folder is gone, it is there at the next attempt.
    _ = mkdir((path as NSString).deletingLastPathComponent, 0o700)
    return .putOff(reason: failure.description, atLeast: nil)
  }

  private func opened() throws(HostFailure) -> NDJSONSink {
    if let file, unsure.isEmpty { return file }
    let opened: NDJSONSink
    if let file { opened = file } else { opened = try NDJSONSink(path: path) }
    file = opened
    written.formUnion(try opened.alreadyDelivered(among: unsure))
    unsure = []
    return opened
  }
}
