import Dispatch
import Foundation

/// Notes Ctrl-C, so that a command can stop between two steps and tidy up.
///
/// Unchecked: the flag is touched under the lock only.
final class InterruptFlag: @unchecked Sendable {
  private let lock = NSLock()
  private var isRaised = false
  private var cleanUp: (@Sendable () -> Void)?
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

  /// For a command that may wait for input without end: if it has not stopped a second after
  /// Ctrl-C, it is tidied up after and ended.
  func endIfStuck(tidyingUp cleanUp: @escaping @Sendable () -> Void) {
    lock.lock()
    defer { lock.unlock() }
    self.cleanUp = cleanUp
  }

  private func raise() {
    lock.lock()
    isRaised = true
    let cleanUp = cleanUp
    lock.unlock()
    guard let cleanUp else { return }
    DispatchQueue.global()
      .asyncAfter(deadline: .now() + 1) {
        cleanUp()
        _exit(ExitStatus.interrupted.rawValue)
      }
  }
}
