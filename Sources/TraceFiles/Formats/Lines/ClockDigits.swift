/// Tells what times of the day of digits alone are in a table: `hhmmss`, or `hhmm`.
///
/// `1030` would be half past ten, or ten minutes past midnight in a table whose times were kept as numbers, which
/// have no zeros in front. Which it is, the first clock tells that can be only one of them; without one, short
/// clocks are no times at all.
struct ClockDigits {
  enum Form {
    /// Six digits always, or colons.
    case full
    /// Six digits without the zeros in front.
    case withoutZeros
    /// Hours and minutes, in four digits.
    case minutes
  }

  /// What the digits are; nil while it is not known.
  private(set) var form: Form?

  /// Notes the next clock.
  mutating func note(_ clock: some Sequence<UInt8>) {
    guard form == nil else { return }
    let text = InstantText.digits(ofClock: clock)
    switch (text.whole.count, text.whole.first == 0x30) {
    case (6, true): form = .full
    case (5, false), (6, false): form = .withoutZeros
    case (4, true): form = .minutes
    case (1...2, _) where text.rest.first == UInt8(ascii: ":"): form = .full
    // What is none at all says nothing either.
    default: break
    }
  }

  /// Decides without any more of them.
  mutating func decide() { if form == nil { form = .full } }
}
