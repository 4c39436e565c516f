import Dispatch
import Foundation

/// Passes on Ctrl-C and SIGTERM, so that a host can end between two turns.
///
/// A host that has not ended some seconds later, because a sink takes its time, is ended: everything
/// is in the database, and what is undelivered is delivered at the next start.
final class StopSignals {
  private static let grace = 5.0
  private let sources: [any DispatchSourceSignal]

  /// Starts to listen.
  init(_ stop: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "signals")
    sources = [SIGINT, SIGTERM]
      .map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler {
          stop()
          queue.asyncAfter(deadline: .now() + Self.grace) {
            printError("nearme: a delivery was cut short; it is made at the next start")
            _exit(0)
          }
        }
        source.resume()
        return source
      }
  }

  deinit { for source in sources { source.cancel() } }
}
