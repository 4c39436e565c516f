import Basics
import Foundation

/// Kills the server at random instants of a day, shortly after a request has begun.
struct Killer {
  /// The longest from a request's beginning to its kill, in seconds: a request and what follows it take less.
  private static let longestDelaySeconds = 0.03

  /// Unchecked: the flag is touched under the lock only.
  private final class Switch: @unchecked Sendable {
    private let lock = NSLock()
    private var isOn = true

    func off() { lock.withLock { isOn = false } }

    func kill(_ id: Int32) {
      lock.withLock { if isOn { Foundation.kill(id, SIGKILL) } }
    }
  }

  /// How many kills have been made.
  private(set) var count = 0
  private let door: DoorProcess
  private var random: SplitMix64
  /// At which shares of the day.
  private var shares: [Double]
  private var progress = 0.0
  private let life = Switch()

  init(_ door: DoorProcess, kills: Int, seed: UInt64) {
    self.door = door
    var random = SplitMix64(seed: seed)
    shares = (0..<kills).map { _ in random.unit() }.sorted(by: >)
    self.random = random
  }

  /// Notes how much of the day has passed.
  mutating func note(progress: Double) { self.progress = progress }

  /// A request begins: one of those that are killed, perhaps.
  mutating func beginRequest() {
    guard let share = shares.last, share <= progress, let id = door.processID, door.isRunning else {
      return
    }
    shares.removeLast()
    count += 1
    let delay = random.unit() * Self.longestDelaySeconds
    let life = life
    Thread {
      usleep(UInt32(delay * 1_000_000))
      life.kill(id)
    }
    .start()
  }

  /// No more kills, also none that is under way.
  func disarm() { life.off() }
}
