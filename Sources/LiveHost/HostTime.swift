import Timeline

/// What time it is for a host: the wall's clock at its start, carried on by one that cannot be set.
///
/// When the wall's clock is set, the next fix tells which time is right. A phone's fixes have the time
/// of its clock, and jump with it; a receiver's have their own, and do not. Where no fixes come, a clock that stays as
/// it was set is right: who wants to hear of times only sends no positions.
package struct HostTime: Sendable {
  /// A clock that is off by less is followed without a word, as one that is slewed.
  ///
  /// - Source: fixes are a second or two old when they come; less could not be told from that.
  package static let slewed = Milliseconds.seconds(2)
  /// Without fixes, a clock that stays set for so long is followed.
  ///
  /// - Source: judgment: a clock that is set by hand and put right again is so within seconds.
  package static let lasting = Milliseconds.seconds(30)
  /// For so long after a fix the next one is waited for, which tells better.
  ///
  /// - Source: judgment: a receiver is without reception, and a phone at rest without a word, for as long.
  private static let fixesDecide = Milliseconds.minutes(60)

  private let clock: any HostClock
  /// What the wall's clock shows when the other one shows 0.
  private var offset: Milliseconds
  /// By how much the wall's clock differs, and since when, by the one that cannot be set.
  private var difference: (by: Milliseconds, since: Milliseconds)?
  /// When a fix came last, by the one that cannot be set; nil: none has come.
  private var fixCameAt: Milliseconds?

  init(_ clock: any HostClock) {
    self.clock = clock
    offset = clock.now() - Timestamp(milliseconds: clock.uptime().value)
  }

  /// What time it is.
  var now: Timestamp { Timestamp(milliseconds: clock.uptime().value) + offset }

  /// Looks at the wall's clock.
  ///
  /// - Returns: by how much it has been set; nil if it has not.
  private mutating func jump() -> Milliseconds? {
    let span = clock.now() - now
    guard span.value.magnitude > Self.slewed.value.magnitude else {
      offset = offset + span
      difference = nil
      return nil
    }
    // Set once more, it begins anew.
    let isSame = difference.map { ($0.by.value - span.value).magnitude <= Self.slewed.value }
    if !(isSame ?? false) { difference = (span, clock.uptime()) }
    return span
  }

  /// Takes over the time of a clock that was set a while ago, where no fixes come that could tell.
  ///
  /// - Returns: by how much the time changes; nil if it does not.
  mutating func followLasting() -> Milliseconds? {
    let up = clock.uptime().value
    guard let span = jump(), let since = difference?.since, up - since.value >= Self.lasting.value,
      fixCameAt.map({ up - $0.value >= Self.fixesDecide.value }) ?? true
    else { return nil }
    return goOn(by: span)
  }

  /// Takes over the time of a clock that has been set, if a fix agrees with it.
  ///
  /// - Returns: by how much the time changes; nil if it does not.
  mutating func follow(_ fix: Timestamp) -> Milliseconds? {
    fixCameAt = clock.uptime()
    guard let span = jump() else { return nil }
    let byOld = (fix - now).value.magnitude
    let byNew = (fix - now).value - span.value
    return byNew.magnitude < byOld ? goOn(by: span) : nil
  }

  private mutating func goOn(by span: Milliseconds) -> Milliseconds {
    offset = offset + span
    difference = nil
    return span
  }
}
