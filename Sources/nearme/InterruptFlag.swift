import Dispatch
import Foundation

/// Notes Ctrl-C, so that a command can stop between two steps and tidy up.
///
/// Unchecked: the flag is touched under the lock only.
final class InterruptFlag: @unchecked Sendable {
  private let lock = NSLock()
  private var isRaised = false
  private let source: any DispatchSourceSignal

  /// Starts to listen; the signal no longer ends the process.
  init() {
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(
      signal: SIGINT,
      queue: DispatchQueue(label: "interrupt")
    )
    source.setEventHandler { [weak self] in self?.raise() }
    source.resume()
  }

  deinit {
    source.cancel()
    signal(SIGINT, SIG_DFL)
  }

  /// Whether Ctrl-C was pressed.
  var isSet: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isRaised
  }

  private func raise() {
    lock.lock()
    defer { lock.unlock() }
    isRaised = true
  }
}
