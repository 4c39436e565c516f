import Foundation

/// How much may be asked of the pages' side of a door; what phones post is never refused for its number.
package struct DoorLimits: Hashable, Sendable {
  /// So many requests a second of one credential in the long run.
  package var requestsPerSecond = 20.0
  /// So many at once: a page that opens asks for some dozens.
  package var requestBurst = 200.0
  /// So many failed credentials a second of one address in the long run.
  package var failuresPerSecond = 0.2
  /// So many at once.
  package var failureBurst = 20.0
  /// So many open pages of one person, sixty (YOMO-4.6.2c) and some.
  package var streamsPerPerson = 64
  /// So many examples of one channel go out an hour in the long run: a mail costs its sender's good name.
  package var examplesPerHour = 5.0
  /// So many at once; a person's channels have four times as many together.
  package var exampleBurst = 5.0
  /// Bodies of those who are not signed in have so many bytes of memory together: a thousand who sign in at once.
  package var strangersBytes = 4 << 20

  /// The defaults, by judgment: a person does not notice them, and a loop does.
  package init() {}
}

/// Buckets of tokens: each request takes one, and they come back at a rate.
final class RateLimits: Sendable {
  private struct Bucket {
    var tokens: Double
    var at: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let burst: Double
  /// So many are remembered; beyond it the full ones are forgotten, which changes nothing.
  private let most = 20_000
  private let lock = NSLock()
  private nonisolated(unsafe) var buckets: [String: Bucket] = [:]

  init(perSecond: Double, burst: Double) {
    self.perSecond = perSecond
    self.burst = burst
  }

  /// Takes a token.
  ///
  /// - Returns: nil, or in how many seconds there is one again.
  func take(_ key: String, at now: ContinuousClock.Instant = .now) -> Int? {
    lock.withLock {
      if buckets.count >= most { forgetFull(at: now) }
      var bucket = buckets[key] ?? Bucket(tokens: burst, at: now)
      bucket.tokens = filled(bucket, at: now)
      bucket.at = now
      guard bucket.tokens >= 1 else {
        buckets[key] = bucket
        return max(1, Int(((1 - bucket.tokens) / perSecond).rounded(.up)))
      }
      bucket.tokens -= 1
      buckets[key] = bucket
      return nil
    }
  }

  private func filled(_ bucket: Bucket, at now: ContinuousClock.Instant) -> Double {
    let span = bucket.at.duration(to: now)
    let seconds = Double(span.components.seconds) + Double(span.components.attoseconds) * 1e-18
    return min(burst, bucket.tokens + seconds * perSecond)
  }

  private func forgetFull(at now: ContinuousClock.Instant) {
    buckets = buckets.filter { filled($0.value, at: now) < burst }
    // Most of them are in use: whoever comes from so many addresses begins anew. Less room would mean a look at all of
    // them for nearly each request.
    if buckets.count >= most / 2 { buckets = [:] }
  }
}

/// Room that is taken and given back.
final class Room: Sendable {
  private let lock = NSLock()
  private nonisolated(unsafe) var left: Int

  init(_ size: Int) { left = size }

  /// Takes some.
  ///
  /// - Returns: false where there is less.
  func take(_ size: Int) -> Bool {
    lock.withLock {
      guard left >= size else { return false }
      left -= size
      return true
    }
  }

  /// Gives back what was taken.
  func give(_ size: Int) { lock.withLock { left += size } }
}
