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
