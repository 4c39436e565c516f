import Timeline

/// How long to wait before a delivery is tried again.
///
/// Full jitter: a span drawn evenly between nothing and a bound that doubles with each attempt, so
/// that many senders whose server fails at once do not come back at once.
///
/// - Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
package struct Backoff: Hashable, Sendable {
  /// The bound after the first attempt.
  package var base: Milliseconds
  /// The bound never grows beyond this.
  package var cap: Milliseconds
  /// What a receiver may ask for at most.
  package var longestAsked: Milliseconds
  /// How often a delivery is tried before it is given up.
  package var mostAttempts: Int
  /// Of something older, which has waited behind what was not taken, no day's attempts are made any more.
  package var longestAge: Milliseconds
  /// How often something older is tried: a receiver that is back within a quarter of an hour after a weekend is told.
  package var attemptsOfOld: Int

  /// Makes it; the defaults are one second, five minutes, one hour, and so many attempts as a day
  /// takes whose waits are half the cap in the mean; three days, and a dozen attempts after them.
  package init(
    base: Milliseconds = .seconds(1),
    cap: Milliseconds = .minutes(5),
    longestAsked: Milliseconds = .minutes(60),
    mostAttempts: Int = 580,
    longestAge: Milliseconds = .minutes(3 * 24 * 60),
    attemptsOfOld: Int = 12
  ) {
    self.base = base
    self.cap = cap
    self.longestAsked = longestAsked
    self.mostAttempts = mostAttempts
    self.longestAge = longestAge
    self.attemptsOfOld = attemptsOfOld
  }

  /// Whether something is given up after so many attempts.
  ///
  /// - Parameter attemptsWhenOld: those of them that were made since it is older than ``longestAge``.
  package func gives(upAfter attempts: Int, whenOld attemptsWhenOld: Int) -> Bool {
    attempts >= mostAttempts || attemptsWhenOld >= attemptsOfOld
  }

  /// The upper bound of the wait after so many attempts.
  package func bound(attempts: Int) -> Milliseconds {
    precondition(attempts > 0, "a wait follows an attempt")
    // Beyond 2^40 of anything the cap holds; shifting on would overflow.
    let doublings = min(attempts - 1, 40)
    let (product, overflow) = base.value.multipliedReportingOverflow(by: 1 << doublings)
    return overflow ? cap : min(cap, Milliseconds(product))
  }

  /// The wait after so many attempts.
  ///
  /// - Parameter asked: what the receiver asked for; it is the least.
  package func wait(
    attempts: Int,
    atLeast asked: Milliseconds?,
    using generator: inout some RandomNumberGenerator
  ) -> Milliseconds {
    let drawn = Milliseconds(
      Int64.random(in: 0...bound(attempts: attempts).value, using: &generator)
    )
    guard let asked else { return drawn }
    return max(drawn, min(asked, longestAsked))
  }
}
