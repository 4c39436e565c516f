import Basics
import Testing

@Suite struct NumberTextTests {
  @Test(arguments: [
    (0, 0, "0"), (0, 2, "0.00"), (-0.0, 1, "0.0"), (1.005, 1, "1.0"), (0.125, 2, "0.13"),
    (-0.125, 2, "-0.13"), (2.5, 0, "3"), (-2.5, 0, "-3"), (0.96, 1, "1.0"), (9.999, 2, "10.00"),
    (-0.04, 1, "0.0"), (-0.06, 1, "-0.1"), (3.000_000_4, 6, "3.000000"), (0.07, 3, "0.070"),
    (-76.595_472, 7, "-76.5954720"), (1e15, 0, "1000000000000000"),
  ])
  func `rounds halves away from zero and keeps every digit`(
    value: Double,
    digits: Int,
    text: String
  ) {
    #expect(fixed(value, digits) == text)
  }

  @Test func `reads back as the number that was rounded`() {
    var random = SplitMix64(seed: 3)
    for _ in 0..<10_000 {
      let value = random.uniform(-200...200)
      let digits = random.integer(0...7)
      #expect(Double(fixed(value, digits)) == rounded(value, digits), "\(value), \(digits)")
    }
  }

  @Test func `clocks have two digits`() {
    #expect(timeOfDay(minute: 0) == "00:00")
    #expect(timeOfDay(minute: 7 * 60 + 5) == "07:05")
    #expect(timeOfDay(minute: 24 * 60 - 1) == "23:59")
  }

  @Test(
    arguments: [
      (0, "0.0000000"), (-1, "-0.0000001"), (1_800_000_000, "180.0000000"),
      (-1_234_567_891, "-123.4567891"), (Int32.min, "-214.7483648"),
    ] as [(Int32, String)]
  )
  func `degrees keep all seven digits`(e7: Int32, text: String) {
    #expect(degreesText(e7: e7) == text)
  }

  @Test func `a number too large for digits after the point is written whole`() {
    #expect(fixed(1e20, 2) == "100000000000000000000")
    #expect(fixed(-1e16, 3) == "-10000000000000000")
    #expect(fixed(.infinity, 1) == "inf")
    #expect(fixed(.nan, 1) == "nan")
  }

  @Test(
    arguments: [
      (0.00001, "0.00001"), (-1.5e-7, "-0.00000015"), (2_024 * .leastNonzeroMagnitude, nil),
      (0.1, "0.1"), (1e16, nil),
      (1.234_567_890_123_456_7e19, nil), (-2e300, nil), (.leastNonzeroMagnitude, nil),
    ] as [(Double, String?)]
  )
  func `a number is written without an exponent and reads back`(value: Double, text: String?) {
    let plain = plainText(value)
    #expect(!plain.contains("e"), "\(plain)")
    #expect(Double(plain) == value)
    if let text { #expect(plain == text) }
  }

  @Test func `random numbers read back from their plain text`() {
    var random = SplitMix64(seed: 20_261_122)
    for _ in 0..<10_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(Double(plainText(value)) == value, "\(value)")
    }
  }
}
