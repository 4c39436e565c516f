/// Counts of positive numbers in bins of nearly equal ratio, for quantiles in constant memory.
///
/// - Precision: 32 bins for each doubling, so a quantile is right within 3 %.
struct LogHistogram: Hashable, Sendable {
  private static let binsPerDoubling = 32
  private static let exponents = -20...20

  /// How many numbers were added.
  private(set) var count = 0
  private var bins = [UInt32](repeating: 0, count: exponents.count * binsPerDoubling)

  /// Counts a number; anything beyond 2⁻²⁰ … 2²⁰ counts as the end it lies beyond.
  mutating func add(_ value: Double) {
    guard value >= 0 else { return }
    count += 1
    bins[Self.bin(value)] += 1
  }

  /// The number below which a share of all lies; nil if there is none.
  ///
  /// - Parameter within: where in its bin the number is taken to be, from 0 to 1; whole seconds up to
  ///   a minute that people set as a cadence are where bins begin.
  func quantile(_ share: Double, within: Double = 0.5) -> Double? {
    guard count > 0 else { return nil }
    let rank = min(count - 1, Int(share * Double(count)))
    var seen = 0
    for (bin, number) in bins.enumerated() {
      seen += Int(number)
      if seen > rank { return Self.value(bin, within) }
    }
    return nil
  }

  private static func bin(_ value: Double) -> Int {
    guard value.isFinite else { return exponents.count * binsPerDoubling - 1 }
    guard value > 0, value.exponent >= exponents.lowerBound else { return 0 }
    guard value.exponent <= exponents.upperBound else {
      return exponents.count * binsPerDoubling - 1
    }
    let within = Int((value.significand - 1) * Double(binsPerDoubling))
    return (Int(value.exponent) - exponents.lowerBound) * binsPerDoubling + within
  }

  private static func value(_ bin: Int, _ within: Double) -> Double {
    let exponent = bin / binsPerDoubling + exponents.lowerBound
    let significand = 1 + (Double(bin % binsPerDoubling) + within) / Double(binsPerDoubling)
    return Double(sign: .plus, exponent: exponent, significand: significand)
  }
}
