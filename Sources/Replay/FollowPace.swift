import Timeline

/// Which positions are handed over to an app that follows, but needs one now and then only.
///
/// The receiver is on for a start at a time, and rests in between: what it could have measured then is not known.
package struct FollowPace: Sendable {
  private var every: Milliseconds?
  private var since: Timestamp?
  private var served: Int64 = 0
  private var last: Timestamp?
  private var spanBefore: Milliseconds?

  /// How long it is on.
  ///
  /// - Source: the hot start of the battery's model (docs/scores.md).
  private static let start = Milliseconds.seconds(10)

  /// All the time, at first.
  package init() {}

  /// Whether it rests in between.
  var isResting: Bool { every != nil }

  /// Begins at an instant to ask each so often; nil: all the time.
  package mutating func ask(every span: Milliseconds?, from now: Timestamp) {
    guard span != every else { return }
    every = span
    since = now
    served = 0
  }

  /// Whether a position that could be measured at an instant is; asked for each.
  ///
  /// Where they come seldom, the next one is waited for: by the shorter of the last two spans, so that a silence does not
  /// pass for that.
  package mutating func takes(at instant: Timestamp) -> Bool {
    let span = last.map { instant - $0 }
    let usual = span.flatMap { span in spanBefore.map { min(span, $0) } } ?? Milliseconds(0)
    last = instant
    spanBefore = span
    guard let every, let since, every.value > 0 else { return true }
    let times = (instant - since).value / every.value
    let late = (instant - since).value - times * every.value
    guard times > served, late <= max(Self.start.value, usual.value / 4 * 5) else { return false }
    served = times
    return true
  }
}
