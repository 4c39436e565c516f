import Timeline

/// Whether a phone's clock is behind: its positions come one at a time, and always as old.
///
/// Nothing of it is refused, but what is so old is no news, and the person is never told that they arrived. A phone
/// that was off sends what it has gathered at one go, or older and newer positions in turn.
struct ClockLag: Hashable, Sendable, Codable {
  private var age: Milliseconds
  private var heardAt: Timestamp
  private var count = 1

  /// - Source: what is older is no news (`Lateness.ofNews`).
  private static let least = Milliseconds.minutes(15)
  /// Ages that differ by less are the same.
  ///
  /// - Source: judgment: a phone sends a position within seconds.
  private static let slack = Milliseconds.minutes(1)
  /// - Source: judgment: by chance no five positions are as old.
  private static let certain = 5

  private init(age: Milliseconds, heardAt: Timestamp) {
    (self.age, self.heardAt) = (age, heardAt)
  }

  /// Whether enough positions say so.
  var isSure: Bool { count >= Self.certain }

  /// What is known after one more position that came alone; nil where nothing speaks for it any more.
  static func after(_ old: ClockLag?, fixAt: Timestamp, heardAt now: Timestamp) -> ClockLag? {
    let age = now - fixAt
    guard age > Self.least else { return nil }
    guard var lag = old, (age.value - lag.age.value).magnitude < Self.slack.value.magnitude else {
      return ClockLag(age: age, heardAt: now)
    }
    // What comes at one go says it once.
    if now - lag.heardAt >= Self.slack {
      lag.count += 1
      lag.heardAt = now
    }
    return lag
  }
}
