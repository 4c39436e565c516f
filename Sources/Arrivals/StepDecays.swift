import Basics

/// Powers of e that come again with every fix, for most fixes come at one cadence.
///
/// Derived, and no part of what is known: with it or without, every number has the same bits.
struct StepDecays: Sendable {
  /// Of motion's doubt over the time between two fixes.
  var motion = RememberedExponential()
  /// Of the error that lasts.
  var error = RememberedExponential()
  /// Of what a receiver's accuracy was before.
  var accuracy = RememberedExponential()
  /// Of the greatest speed.
  var wheels = RememberedExponential()
  /// Of the noise between two averages of positions.
  var displacement = RememberedExponential()
}

/// The exponential function, with the value of its newest argument at hand.
struct RememberedExponential: Sendable {
  private var argument = Double.nan
  private var value = 0.0

  mutating func callAsFunction(_ x: Double) -> Double {
    if x != argument { (argument, value) = (x, exponential(x)) }
    return value
  }
}
