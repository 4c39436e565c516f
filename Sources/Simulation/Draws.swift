import Basics

extension SplitMix64 {
  /// A number of the standard normal distribution, cut off at ±6.
  ///
  /// A sum of twelve needs no logarithm, whose last bit differs between C libraries.
  package mutating func normal() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += unit() }
    return sum
  }

  /// Whether something of a probability happens.
  package mutating func chance(_ probability: Double) -> Bool { unit() < probability }

  /// A number whose logarithm is normal: half of them are below the median.
  package mutating func logNormal(median: Double, spread: Double) -> Double {
    let deviation = normal() * spread
    return deviation < 0 ? median * decay(-deviation) : median / decay(deviation)
  }

  /// One of several, each as likely as its weight says.
  package mutating func pick(weights: [Double]) -> Int {
    var rest = unit() * weights.reduce(0, +)
    for (index, weight) in weights.enumerated() {
      rest -= weight
      if rest < 0 { return index }
    }
    return weights.count - 1
  }

  /// A generator of its own for each name and number, so that one more draw here changes nothing there.
  package static func stream(_ seed: UInt64, _ parts: Int...) -> SplitMix64 {
    var state = seed
    for part in parts {
      let mixed = state ^ (UInt64(bitPattern: Int64(part)) &* 0xD134_2543_DE82_EF95)
      var mixer = SplitMix64(seed: mixed)
      state = mixer.next()
    }
    return SplitMix64(seed: state)
  }
}

/// e to the power of −x for x ≥ 0, the same bits on every machine.
///
/// Older and coarser than ``exponential(_:)``; the simulated days and the sample files hold its bits.
///
/// - Source: Taylor series below 1/16, squared up again.
package func decay(_ x: Double) -> Double {
  guard x < 40 else { return 0 }
  var small = x
  var squarings = 0
  while small > 0.0625 {
    small /= 2
    squarings += 1
  }
  var value = 1 - small * (1 - small / 2 * (1 - small / 3 * (1 - small / 4 * (1 - small / 5))))
  for _ in 0..<squarings { value *= value }
  return value
}

/// Degrees clockwise from north, 0 … 360, the same bits on every machine.
///
/// - Source: the arc tangent's half-angle formula twice, then its series.
package func courseDegrees(eastMeters: Double, northMeters: Double) -> Double {
  let (east, north) = (eastMeters.magnitude, northMeters.magnitude)
  guard east + north > 0 else { return 0 }
  var t = min(east, north) / max(east, north)
  t /= 1 + (1 + t * t).squareRoot()
  t /= 1 + (1 + t * t).squareRoot()
  let t2 = t * t
  let series = t * (1 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7 - t2 / 9))))
  let eighth = series * 4 * 180 / .pi
  let quarter = east <= north ? eighth : 90 - eighth
  let half = northMeters >= 0 ? quarter : 180 - quarter
  return eastMeters >= 0 ? half : 360 - half
}
