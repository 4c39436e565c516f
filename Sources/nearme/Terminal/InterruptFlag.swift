import Dispatch
import Foundation

/// Notes Ctrl-C, SIGTERM and the end of the terminal, so that a command can stop between two steps
/// and tidy up.
///
/// Unchecked: everything is touched under the lock only.
final class InterruptFlag: @unchecked Sendable {
  private let lock = NSLock()
  private var isRaised = false
  private var cleanUp: (@Sendable () -> Void)?
  private var sources: [(signal: Int32, source: any DispatchSourceSignal)] = []

  /// Starts to listen; the signals no longer end the process.
  init() {
    let queue = DispatchQueue(label: "interrupt")
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let wasIgnored = Self.ignore(number)
      // As `nohup` leaves it: the command is to outlive its terminal.
      if number == SIGHUP, wasIgnored { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { [weak self] in self?.raise(number) }
      source.resume()
      sources.append((number, source))
    }
  }

  deinit {
    for (number, source) in sources {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  /// - Returns: whether the signal was ignored before.
  private static func ignore(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    signal(number, SIG_IGN)
    #if os(Linux)
    let handler = action.__sigaction_handler.sa_handler
    #else
    let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Whether the command is to stop.
  var isSet: Bool {
    lock.lock()
    defer { lock.unlock() }
    return isRaised
  }

  /// What a stopped command ends with: 128 + the first signal, as shells report it.
  static var exitCode: Int32 { 128 + firstSignal.number }

  private static let firstSignal = FirstSignal()

  /// For a command that may wait for input without end: if it has not stopped a second after
  /// the signal, it is tidied up after and ended.
  func endIfStuck(tidyingUp cleanUp: @escaping @Sendable () -> Void) {
    lock.lock()
    defer { lock.unlock() }
    self.cleanUp = cleanUp
  }

  private func raise(_ number: Int32) {
    Self.firstSignal.note(number)
    lock.lock()
    isRaised = true
    let cleanUp = cleanUp
    lock.unlock()
    guard let cleanUp else { return }
    DispatchQueue.global()
      .asyncAfter(deadline: .now() + 1) {
        cleanUp()
        _exit(Self.exitCode)
      }
  }
}

/// The signal that stopped the process; SIGINT as long as there was none.
///
/// Unchecked: the number is touched under the lock only.
private final class FirstSignal: @unchecked Sendable {
  private let lock = NSLock()
  private var noted: Int32?

  var number: Int32 { lock.withLock { noted ?? SIGINT } }

  func note(_ number: Int32) { lock.withLock { noted = noted ?? number } }
}
