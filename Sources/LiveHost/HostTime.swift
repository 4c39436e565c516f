import Timeline

/// What time it is for a host: the wall's clock at its start, carried on by one that cannot be set.
///
/// When the wall's clock is set, the next fix tells which time is right. A phone's fixes have the time
/// of its clock, and jump with it; a receiver's have their own, and do not.
struct HostTime: Sendable {
  /// A clock that is off by less is followed without a word, as one that is slewed.
  ///
  /// - Source: fixes are a second or two old when they come; less could not be told from that.
  private static let slewed = Milliseconds.seconds(2)

  private let clock: any HostClock
  /// What the wall's clock shows when the other one shows 0.
  private var offset: Milliseconds

  init(_ clock: any HostClock) {
    self.clock = clock
    offset = clock.now() - Timestamp(milliseconds: clock.uptime().value)
  }

  /// What time it is.
  var now: Timestamp { Timestamp(milliseconds: clock.uptime().value) + offset }

  /// Looks at the wall's clock.
  ///
  /// - Returns: by how much it has been set; nil if it has not.
  mutating func jump() -> Milliseconds? {
    let difference = clock.now() - now
    guard difference.value.magnitude > Self.slewed.value.magnitude else {
      offset = offset + difference
      return nil
    }
    return difference
  }

  /// Takes over the time of a clock that has been set, if a fix agrees with it.
  ///
  /// - Returns: by how much the time changes; nil if it does not.
  mutating func follow(_ fix: Timestamp) -> Milliseconds? {
    guard let difference = jump() else { return nil }
    let byOld = (fix - now).value.magnitude
    let byNew = (fix - now).value - difference.value
    guard byNew.magnitude < byOld else { return nil }
    offset = offset + difference
    return difference
  }
}
