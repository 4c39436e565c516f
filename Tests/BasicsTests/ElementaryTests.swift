import Basics
import Foundation
import Testing

@Suite struct ElementaryTests {
  @Test func `our exponential and logarithm are those of the C library`() {
    var random = SplitMix64(seed: 7)
    for _ in 0..<20_000 {
      let x = random.uniform(-700...700)
      #expect(abs(exponential(x) - exp(x)) <= 4e-16 * exp(x) * max(1, abs(x) / 100), "\(x)")
      let y = exp(random.uniform(-700...700))
      #expect(abs(naturalLogarithm(y) - log(y)) <= 4e-16 * max(1, abs(log(y))), "\(y)")
    }
    #expect(exponential(-1e9) == 0)
    #expect(exponential(.infinity).isFinite)
    #expect(naturalLogarithm(0) == -745)
    #expect(naturalLogarithm(.infinity).isFinite)
  }

  /// Taken apart by bits, they are still what the standard library's own operations make of them.
  @Test func `not a bit differs from rounding and scaling by the standard library`() {
    var random = SplitMix64(seed: 9)
    for _ in 0..<200_000 {
      let x = random.uniform(-4...4) * [1e-3, 1, 200, 1e6][random.integer(0...3)]
      let numbers = [
        x, x.rounded() + 0.5, x.rounded() - 0.5, (x + 0.5).nextDown, 0.5.nextDown, -0.0,
      ]
      for number in numbers {
        #expect(nearestWhole(number).bitPattern == number.rounded().bitPattern, "\(number)")
      }
      let y = random.uniform(-708...708)
      #expect(exponential(y).bitPattern == plainExponential(y).bitPattern, "\(y)")
      for z in [exp(y), exp(y) * .leastNonzeroMagnitude, .leastNormalMagnitude, x.magnitude]
      where z > 0 {
        #expect(naturalLogarithm(z).bitPattern == plainLogarithm(z).bitPattern, "\(z)")
      }
    }
  }

  private func plainExponential(_ x: Double) -> Double {
    let k = (x * 1.442_695_040_888_963_4).rounded()
    let r = (x - k * 0.693_147_180_369_123_8) - k * 1.908_214_929_270_587_7e-10
    let terms = fours(
      [
        2, 6, 24, 120, 720, 5_040, 40_320, 362_880, 3_628_800, 39_916_800, 479_001_600,
        6_227_020_800,
      ],
      r
    )
    return (1 + (r + r * r * terms)) * Double(sign: .plus, exponent: Int(k), significand: 1)
  }

  private func plainLogarithm(_ x: Double) -> Double {
    var (m, k) = (x.significand, Double(x.exponent))
    if m >= 1.414_213_562_373_095_1 { (m, k) = (m / 2, k + 1) }
    let s = (m - 1) / (m + 1)
    let sum = s + s * (s * s * fours([3, 5, 7, 9, 11, 13, 15, 17, 19, 21], s * s))
    return k * 0.693_147_180_369_123_8 + (2 * sum + k * 1.908_214_929_270_587_7e-10)
  }

  /// The sum of the inverses of numbers, each times one more power of x: in fours, and each of those in pairs.
  private func fours(_ numbers: [Double], _ x: Double) -> Double {
    let (x2, x4) = (x * x, x * x * (x * x))
    var sum = 0.0
    for start in stride(from: 0, to: numbers.count, by: 4).reversed() {
      var four = 1 / numbers[start] + x * (1 / numbers[start + 1])
      if start + 3 < numbers.count {
        four += x2 * (1 / numbers[start + 2] + x * (1 / numbers[start + 3]))
      }
      sum = four + x4 * sum
    }
    return sum
  }

  @Test func `sine and cosine agree with the exact values of known angles`() {
    let half = sineAndCosine(degrees: 30).sine
    #expect(abs(half - 0.5) < 3e-16)
    #expect(sineAndCosine(degrees: 90).sine == 1)
    #expect(sineAndCosine(degrees: 180).cosine == -1)
    #expect(sineAndCosine(degrees: -90).sine == -1)
  }

  @Test func `sine and cosine are those of the C library`() {
    var random = SplitMix64(seed: 8)
    for _ in 0..<20_000 {
      // Eighths of a degree, so that the angle in radians is rounded once on both sides.
      let degrees = (random.uniform(-540...540) * 8).rounded() / 8
      let (sine, cosine) = sineAndCosine(degrees: degrees)
      let exact = degrees.truncatingRemainder(dividingBy: 360) * .pi / 180
      #expect(abs(sine - sin(exact)) < 3e-15, "\(degrees)")
      #expect(abs(cosine - cos(exact)) < 3e-15, "\(degrees)")
      #expect(abs(sine * sine + cosine * cosine - 1) < 1e-15, "\(degrees)")
    }
  }
}
